"""Python predicates: functions over a table's rows that rules use like any other relation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any, Literal

from tacit.data.answers import Facts, read_truths, read_values
from tacit.data.fingerprint import function_text
from tacit.data.table import Table
from tacit.errors import BadInput

OnError = Literal["raise", "abstain"]

WHOLE_ROW = "row"  # the parameter that receives the whole row as a dict
VALUE = "value"  # the column of values where no other name is given


@dataclass(frozen=True, slots=True)
class Predicate:
    """A named function over the rows of one table; calling it calls the function."""

    name: str
    function: Callable[..., Any]
    table: str
    keys: tuple[str, ...]  # the columns that identify a row; empty: the first column
    parameters: tuple[str, ...]  # the columns that the function reads
    vectorised: bool = False  # called once with whole columns
    values: bool | tuple[str, ...] = False  # answers values and not truths; the columns' names
    on_error: OnError = "raise"
    what: str = "predicate"  # what messages call it
    only_text: bool = False  # whether every column that it reads must hold text

    def __call__(self, *args: Any, **settings: Any) -> Any:
        """What the function itself answers."""
        return self.function(*args, **settings)

    @property
    def described(self) -> str:
        """The predicate as messages call it."""
        return f"{self.what} '{self.name}'"

    @property
    def value_columns(self) -> tuple[str, ...]:
        """The columns that its values stand in, behind the keys; none for truths."""
        if isinstance(self.values, tuple):
            return self.values
        return (VALUE,) if self.values else ()

    @property
    def wanted(self) -> str:
        """What the function should answer for a row, in words."""
        columns = self.value_columns
        if not columns:
            return "True, False or None"
        if len(columns) == 1:
            return "a plain value, a list of such values, or None"
        return f"a tuple ({', '.join(columns)}) of plain values, a list of such tuples, or None"

    def facts(self, answers: Any, table: Table) -> Facts:
        """The facts that the function's answers over the rows of a table state."""
        read = read_values if self.values else read_truths
        return read(self, answers, table)

    def describe(self) -> str:
        """Everything that decides what the predicate answers, as text for a fingerprint."""
        settings = (self.name, self.table, self.keys, self.parameters)
        switches = (self.vectorised, self.values, self.on_error)
        return f"{settings} {switches}\n{_text_of(self.function)}"


def predicate(
    *misplaced: object,
    table: str | None = None,
    keys: Sequence[str] = (),
    name: str | None = None,
    vectorised: bool = False,
    values: bool | str | Sequence[str] = False,
    on_error: OnError = "raise",
) -> Callable[[Callable[..., Any]], Predicate]:
    """Declare a function as a predicate over the rows of a table: `@predicate(table="review")`.

    The function's parameters name the columns that it reads; one called `row` receives the whole
    row as a dict, and one with a default value is a setting and not a column. It answers True,
    False or None (counted as False).

    With `values=True` it answers None for no fact, a plain value (text, a number, a truth value, a
    date) for one, or a list of values for one each; they stand in the column `value`. A name, as in
    `values="year"`, calls the column otherwise. Several names, as in `values=("class", "log_p")`,
    make as many columns: then a tuple of that length is one answer, and a list of tuples several.

    With `vectorised=True` it is called once, with whole columns, and answers a result for each row.
    `keys` are the columns that identify a row in the relation; without them, the first column.
    `on_error="abstain"` leaves out rows for which the function raises, with a warning.
    """
    if misplaced or not isinstance(table, str):
        raise _without_table(misplaced, table)
    settings = checked_settings(values, on_error)
    key_columns = (keys,) if isinstance(keys, str) else tuple(keys)

    def declare(function: Callable[..., Any]) -> Predicate:
        """The function with the settings."""
        called, parameters = signature_of(function, name, vectorised, "predicate")
        return Predicate(
            called, function, table, key_columns, parameters, vectorised, settings, on_error
        )

    return declare


def _without_table(misplaced: tuple[object, ...], table: object) -> BadInput:
    """The error for a decorator without parentheses, or with anything but the name of a table."""
    first = misplaced[0] if misplaced else None
    above = f" above '{first.__name__}'" if inspect.isfunction(first) else " above the function"
    named = next((name for name in (first, table) if isinstance(name, str)), "review")
    return BadInput(
        "@predicate does not say which table it reads",
        remedy=f'write @predicate(table="{named}"){above}',
    )


def checked_settings(values: object, on_error: object) -> bool | tuple[str, ...]:
    """The setting `values` in its normal form; what is not known is refused."""
    if on_error not in ("raise", "abstain"):
        raise BadInput(f"on_error={on_error!r} is not known", remedy='it is "raise" or "abstain"')
    if isinstance(values, bool):
        return values
    names = (values,) if isinstance(values, str) else values
    if isinstance(names, Sequence) and names and all(isinstance(n, str) and n for n in names):
        if len(set(names)) == len(names):
            return tuple(names)
        raise BadInput(f"values={values!r} names a column twice", remedy="rename one of them")
    raise BadInput(
        f"values={values!r} does not name columns",
        remedy='it is True, False, a name, or several: values=("class", "log_p")',
    )


def signature_of(
    function: Callable[..., Any], name: str | None, vectorised: bool, what: str
) -> tuple[str, tuple[str, ...]]:
    """What rules call the function, and the columns that it reads."""
    called = _name_of(function, name, what)
    return called, _parameters(f"{what} '{called}'", function, vectorised)


def _name_of(function: Callable[..., Any], name: str | None, what: str) -> str:
    """The name given, else the function's own."""
    if isinstance(function, Predicate):
        raise BadInput(f"'{function.name}' is a predicate already", remedy="decorate it once")
    if not callable(function):
        raise BadInput(f"a {what} is a function, not {type(function).__name__}")
    called = name if name is not None else getattr(function, "__name__", "")
    if not called or called == "<lambda>":
        example = 'predicate(table=..., name="is_long")'
        if what != "predicate":
            example = f'{what.replace(" ", "_")}(name="is_long")'
        raise BadInput(
            f"a {what} made from a lambda, a partial or an object has no name of its own",
            remedy=f"give it one: {example}(...)",
        )
    if not called.isidentifier():
        raise BadInput(
            f"{called!r} cannot be a {what}'s name in rules",
            remedy="use letters, digits and underscores",
        )
    return called


def _parameters(described: str, function: Callable[..., Any], vectorised: bool) -> tuple[str, ...]:
    """The columns that the function reads: its parameters without a default value."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError) as error:
        raise BadInput(
            f"the parameters of {described} cannot be seen",
            remedy="wrap it in a function whose parameters name the columns",
        ) from error
    kinds = inspect.Parameter
    columns = [p for p in parameters if p.default is kinds.empty]
    for parameter in columns:
        if parameter.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD, kinds.POSITIONAL_ONLY):
            raise BadInput(
                f"{described} has the parameter {parameter}, which names no column",
                remedy="name every column that it reads, or take `row`, the whole row as a dict",
            )
    names = tuple(parameter.name for parameter in columns)
    if not names:
        raise BadInput(
            f"{described} reads no column",
            remedy="its parameters name the columns; those with a default value are settings",
        )
    if vectorised and WHOLE_ROW in names:
        raise BadInput(
            f"{described} is vectorised and asks for `row`",
            remedy="name the columns that it reads",
        )
    return names


def _text_of(function: Callable[..., Any]) -> str:
    """What a function does, as text; a callable dataclass does what its fields say.

    A wrapper counts with what it wraps: its source alone would not show what that one reads.
    """
    if is_dataclass(function) and not isinstance(function, type):
        settings = (getattr(function, field.name) for field in fields(function))
        return function_text(partial(type(function).__call__, *settings))
    wrapped = inspect.unwrap(function)
    if wrapped is not function:
        return f"{function_text(function)}\nwraps {_text_of(wrapped)}"
    return function_text(function)
