"""Labelling functions: Python functions that vote on an instance's label, or abstain."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, overload

from tacit.data.predicates import (
    WHOLE_ROW,
    OnError,
    Predicate,
    checked_settings,
    signature_of,
)
from tacit.errors import BadInput, TypeMismatch
from tacit.logic.evidence import Evidence, LabelFunction, Observed, Weight
from tacit.logic.formula import Atom, Implies, Variable
from tacit.logic.knowledge import Knowledge
from tacit.logic.naming import Names, as_weight, identifier, label_is, variables_for
from tacit.logic.votes import LABELLING_FUNCTION, Votes

# Log-odds of 90% between two labels, as for a keyword: what someone took the trouble to write is
# mostly right. Learning moves it from there.
FUNCTION_WEIGHT = 2.2
SOFT_WEIGHT = 1.0  # a function that answers probabilities is trusted as far as it trusts itself


@dataclass(frozen=True, slots=True)
class LabellingFunction:
    """A function that votes on the label of each row of a table; calling it calls the function."""

    name: str
    function: Callable[..., Any]
    parameters: tuple[str, ...]  # the columns that the function reads
    label: str | None = None  # the label function that it votes on; None: the one it is given to
    table: str | None = None  # the table that it reads; None: that of the label function
    weight: float | Weight | None = None  # None: FUNCTION_WEIGHT, or SOFT_WEIGHT for soft votes
    per_class: bool = False  # one weight for each label that it votes for
    soft: bool = False  # answers probabilities
    vectorised: bool = False  # called once with whole columns
    on_error: OnError = "raise"

    def __call__(self, *args: Any, **settings: Any) -> Any:
        """What the function itself answers."""
        return self.function(*args, **settings)


@overload
def labelling_function(function: Callable[..., Any], /) -> LabellingFunction: ...


@overload
def labelling_function(
    *,
    label: str | None = None,
    table: str | None = None,
    name: str | None = None,
    weight: float | Weight | None = None,
    per_class: bool = False,
    soft: bool = False,
    vectorised: bool = False,
    on_error: OnError = "raise",
) -> Callable[[Callable[..., Any]], LabellingFunction]: ...


def labelling_function(
    function: Callable[..., Any] | None = None,
    /,
    *,
    label: str | None = None,
    table: str | None = None,
    name: str | None = None,
    weight: float | Weight | None = None,
    per_class: bool = False,
    soft: bool = False,
    vectorised: bool = False,
    on_error: OnError = "raise",
) -> Any:
    """Declare a function as a labelling function, with or without settings.

    Its parameters name the columns that it reads; one called `row` receives the whole row as a
    dict, and one with a default value is a setting. It answers the name of a label, or None to
    abstain.

    With `soft=True` it answers probabilities, `{"pos": 0.8, "neg": 0.2}` (a label left out has 0).
    With `vectorised=True` it is called once with whole columns and answers a label or None for
    each row; if it is soft too, an array (rows, labels) in the order of the labels, with rows of
    NaN where it abstains. `per_class` learns a weight for each label that it votes for.
    """
    checked_settings(values=True, on_error=on_error)
    _check_names(label, table)

    def declare(function: Callable[..., Any]) -> LabellingFunction:
        """The function with the settings; the data layer finds its name and its columns."""
        _check_function(function)
        called, parameters = signature_of(function, name, vectorised, LABELLING_FUNCTION)
        aim = (label, table, weight, per_class, soft, vectorised, on_error)
        return LabellingFunction(called, function, parameters, *aim)

    return declare if function is None else declare(function)


def _weight_of(function: LabellingFunction) -> float | Weight:
    """The weight that a function was given, or that its kind starts with."""
    if function.weight is not None:
        return function.weight
    return SOFT_WEIGHT if function.soft else FUNCTION_WEIGHT


def _check_names(label: object, table: object) -> None:
    """Refuse a label function or a table that is not named by text."""
    for setting, value in (("label", label), ("table", table)):
        if value is not None and not isinstance(value, str):
            raise BadInput(
                f"@labelling_function is given {setting}={value!r:.60}, which is no name",
                remedy=f"give the name of the {'label function' if setting == 'label' else setting}"
                ", or leave it out",
            )


def _check_function(function: object) -> None:
    """Refuse what cannot become a labelling function."""
    if isinstance(function, (LabellingFunction, Predicate)):
        what = "a predicate" if isinstance(function, Predicate) else "a labelling function"
        raise BadInput(f"'{function.name}' is {what} already", remedy="decorate it once")
    if not callable(function):
        remedy = "give what can be called"
        if isinstance(function, str):
            remedy = f'name settings: @labelling_function(label="{function}")'
        raise BadInput(f"{function!r:.60} is not a function", remedy=remedy)


def labelling_functions(
    functions: Iterable[Callable[..., Any]], *, label: LabelFunction
) -> Knowledge:
    """Votes of Python functions: `short_rant: 2.2  short_rant(r, l) => sentiment(r) = l`.

    Takes labelling functions, plain functions, and Snorkel's LabelingFunction objects, whose
    answers index the labels (-1 abstains). Soft votes have a column more, the log of each
    probability, and each grounding counts that many times: `1.0 * s  f(r, l, s) => sentiment(r) =
    l`, so that a weight of 1 trusts the function exactly as far as it trusts itself.
    """
    if isinstance(functions, str) or not isinstance(functions, Iterable):
        raise BadInput(f"{functions!r:.60} is not a list of functions", remedy="write [f, g]")
    names = Names()
    whole = Knowledge((label,))
    for given in functions:
        function = _as_labelling_function(given, label)
        names.claim(function.name, "function")
        whole += _knowledge_of(function, label)
    return whole


def _knowledge_of(function: LabellingFunction, label: LabelFunction) -> Knowledge:
    """The relation of a function's votes and the formula that trusts them."""
    _check_aim(function, label)
    wanted = (label.domain, "label", "score") if function.soft else (label.domain, "label")
    item, value, *score = variables_for(label, wanted)
    atom = Atom(function.name, (item, value, *score))
    goal = label_is(label, item, Variable(value.name, per_value=function.per_class))
    evidence = Evidence(
        function.name,
        Implies(atom, goal),
        as_weight(_weight_of(function)),
        scale=score[0] if score else None,
    )
    columns = ("class", "log_p") if function.soft else ("class",)
    votes = Votes(
        name=function.name,
        function=function.function,
        table=label.domain,
        keys=(),
        parameters=function.parameters,
        vectorised=function.vectorised,
        values=columns,
        on_error=function.on_error,
        what=LABELLING_FUNCTION,
        labels=label.labels,
        soft=function.soft,
    )
    declared = Observed(function.name, (label.domain, *columns))
    return Knowledge((label, declared), (evidence,), predicates=(votes,))


def _check_aim(function: LabellingFunction, label: LabelFunction) -> None:
    """Refuse a function that was declared for another label function or table."""
    if function.label not in (None, label.name):
        raise TypeMismatch(
            f"labelling function '{function.name}' votes on '{function.label}', not '{label.name}'",
            remedy="give it to the label function that it is declared for",
        )
    if function.table not in (None, label.domain):
        raise TypeMismatch(
            f"labelling function '{function.name}' reads table '{function.table}', but "
            f"'{label.name}' labels the rows of '{label.domain}'",
            remedy="leave table= out",
        )


def _as_labelling_function(given: Any, label: LabelFunction) -> LabellingFunction:
    """Whatever votes, as a labelling function."""
    if isinstance(given, LabellingFunction):
        return given
    if isinstance(getattr(given, "name", None), str) and not isinstance(given, Predicate):
        return _from_snorkel(given, label)
    return labelling_function(given)


def _from_snorkel(function: Any, label: LabelFunction) -> LabellingFunction:
    """One of Snorkel's labelling functions: called with a row object, answering an index."""

    def vote(row: dict[str, Any]) -> str | None:
        """The label whose index the function answers; None for -1."""
        index = operator.index(function(SimpleNamespace(**row)))
        if index == -1:
            return None
        # Another index is handed on: checking the votes reports it like any that is no label.
        return label.labels[index] if 0 <= index < len(label.labels) else f"index {index}"

    # The function's own source is what the task's fingerprint and error messages should show.
    vote.__wrapped__ = getattr(function, "_f", function)  # type: ignore[attr-defined]
    return LabellingFunction(identifier(function.name), vote, (WHOLE_ROW,))
