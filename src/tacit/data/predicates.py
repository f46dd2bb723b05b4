"""Python predicates: functions over a table's rows that rules use like any other relation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tacit.data.fingerprint import function_text
from tacit.errors import BadInput

OnError = Literal["raise", "abstain"]

WHOLE_ROW = "row"  # the parameter that receives the whole row as a dict


@dataclass(frozen=True, slots=True)
class Predicate:
    """A named function over the rows of one table; calling it calls the function."""

    name: str
    function: Callable[..., Any]
    table: str
    keys: tuple[str, ...]  # the columns that identify a row; empty: the first column
    parameters: tuple[str, ...]  # the columns that the function reads
    vectorised: bool = False  # called once with whole columns
    values: bool = False  # answers a value for each row and not a truth
    on_error: OnError = "raise"

    def __call__(self, *args: Any, **settings: Any) -> Any:
        """What the function itself answers."""
        return self.function(*args, **settings)

    def describe(self) -> str:
        """Everything that decides what the predicate answers, as text for a fingerprint."""
        settings = (self.name, self.table, self.keys, self.parameters)
        switches = (self.vectorised, self.values, self.on_error)
        return f"{settings} {switches}\n{function_text(self.function)}"


def predicate(
    *,
    table: str,
    keys: Sequence[str] = (),
    name: str | None = None,
    vectorised: bool = False,
    values: bool = False,
    on_error: OnError = "raise",
) -> Callable[[Callable[..., Any]], Predicate]:
    """Declare a function as a predicate over the rows of a table.

    The function's parameters name the columns that it reads; one called `row` receives the whole
    row as a dict, and one with a default value is a setting and not a column. It answers True,
    False or None (counted as False). With `values=True` it answers a value, and None for no row.
    With `vectorised=True` it is called once, with whole columns, and answers a result for each row.

    `keys` are the columns that identify a row in the relation; without them, the first column.
    `on_error="abstain"` leaves out rows for which the function raises, with a warning.
    """
    _check_settings(table, on_error)
    key_columns = (keys,) if isinstance(keys, str) else tuple(keys)

    def declare(function: Callable[..., Any]) -> Predicate:
        called = _name_of(function, name)
        return Predicate(
            name=called,
            function=function,
            table=table,
            keys=key_columns,
            parameters=_parameters(called, function, vectorised),
            vectorised=vectorised,
            values=values,
            on_error=on_error,
        )

    return declare


def _check_settings(table: object, on_error: str) -> None:
    """Refuse a table that is not named by text and an unknown way with errors."""
    if not isinstance(table, str):
        raise BadInput(
            "@predicate is given no table",
            remedy='write @predicate(table="review") above the function',
        )
    if on_error not in ("raise", "abstain"):
        raise BadInput(f"on_error={on_error!r} is not known", remedy='it is "raise" or "abstain"')


def _name_of(function: Callable[..., Any], name: str | None) -> str:
    """The predicate's name: the one given, else the function's own."""
    if not callable(function):
        raise BadInput(f"a predicate is a function, not {type(function).__name__}")
    if isinstance(function, Predicate):
        raise BadInput(f"'{function.name}' is a predicate already", remedy="decorate it once")
    called = name if name is not None else getattr(function, "__name__", "")
    if not called or called == "<lambda>":
        raise BadInput(
            "a predicate made from a lambda, a partial or an object has no name of its own",
            remedy='give it one: predicate(table=..., name="is_long")(...)',
        )
    if not called.isidentifier():
        raise BadInput(
            f"{called!r} cannot be a predicate's name in rules",
            remedy="use letters, digits and underscores",
        )
    return called


def _parameters(name: str, function: Callable[..., Any], vectorised: bool) -> tuple[str, ...]:
    """The columns that the function reads: its parameters without a default value."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError) as error:
        raise BadInput(
            f"the parameters of predicate '{name}' cannot be seen",
            remedy="wrap it in a function whose parameters name the columns",
        ) from error
    kinds = inspect.Parameter
    columns = [p for p in parameters if p.default is kinds.empty]
    for parameter in columns:
        if parameter.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD, kinds.POSITIONAL_ONLY):
            raise BadInput(
                f"predicate '{name}' has the parameter {parameter}, which names no column",
                remedy="name every column that it reads, or take `row`, the whole row as a dict",
            )
    names = tuple(parameter.name for parameter in columns)
    if not names:
        raise BadInput(
            f"predicate '{name}' reads no column",
            remedy="its parameters name the columns; those with a default value are settings",
        )
    if vectorised and WHOLE_ROW in names:
        raise BadInput(
            f"predicate '{name}' is vectorised and asks for `row`",
            remedy="name the columns that it reads",
        )
    return names
