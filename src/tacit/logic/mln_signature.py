"""What an Alchemy file declares: types with their constants, predicates, and the query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lark import Token, Tree

from tacit.errors import (
    BadFormula,
    BadInput,
    DuplicateName,
    Place,
    ProgramSyntaxError,
    UnknownPredicate,
    did_you_mean,
    listed,
)
from tacit.logic.evidence import Declaration, LabelFunction, Observed
from tacit.logic.formula import RESERVED, Value
from tacit.logic.mln_syntax import place_of
from tacit.logic.statements import Statement

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WHOLE_NUMBER = re.compile(r"[-+]?\d{1,18}\Z")  # longer ones are ids, and stay texts
_FRACTION = re.compile(r"[-+]?(?:\d+(?:[eE][-+]?\d+)|\d*\.\d+(?:[eE][-+]?\d+)?)\Z")
_MAX_RANGE = 1_000_000  # constants written as {1, ..., n}

Constants = Mapping[str, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A declared predicate, with names as they are written in the file."""

    name: str
    types: tuple[str, ...]
    exclusive: tuple[int, ...]  # positions of the arguments marked with !
    place: Place

    @property
    def is_label(self) -> bool:
        """Whether it gives each value of its one other argument exactly one label."""
        return len(self.types) == 2 and len(self.exclusive) == 1


def table_name(name: str) -> str:
    """How a predicate or a type is called in a program: `HasWord` is `has_word`.

    Words begin at capitals and are joined by `_`, all in lower case; a `'` becomes `_`, and a word
    that programs reserve gets one behind it.
    """
    snake = _HUMP.sub("_", name).lower().replace("'", "_")
    return f"{snake}_" if snake in RESERVED else snake


def domain_predicate(type_name: str) -> str:
    """The name of the predicate that holds of every constant of a type."""
    return f"any_{table_name(type_name)}"


def value_of(text: str) -> Value:
    """The value of a constant: quotes stripped, numbers as numbers, anything else as written."""
    if text.startswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if _WHOLE_NUMBER.match(text):
        return int(text)
    return float(text) if _FRACTION.match(text) else str(text)  # no longer a token


def read_type(statement: Statement, tree: Tree[Any]) -> tuple[str, tuple[Value, ...]]:
    """A type and its constants: `person = {Anna, Bob}` or `hour = {1, ..., 24}`."""
    parts: list[Any] = tree.children
    name, *elements = parts
    tokens: list[Token] = [element.children[0] for element in elements]
    if any(token.type == "ELLIPSIS" for token in tokens):
        return str(name), _range(statement, tree, tokens)
    return str(name), tuple(dict.fromkeys(value_of(token) for token in tokens))


def _range(statement: Statement, tree: Tree[Any], tokens: list[Token]) -> tuple[Value, ...]:
    """The constants of `{1, ..., 10}`."""
    place = place_of(statement, tree)
    kinds = [token.type for token in tokens]
    ends = [value_of(token) for token in tokens if token.type == "NUMBER"]
    if kinds != ["NUMBER", "ELLIPSIS", "NUMBER"] or not all(isinstance(end, int) for end in ends):
        raise ProgramSyntaxError(
            "'...' stands between two whole numbers", place=place, remedy="write {1, ..., 10}"
        )
    first, last = int(ends[0]), int(ends[1])
    if not 0 <= last - first < _MAX_RANGE:
        raise ProgramSyntaxError(f"cannot list the numbers from {first} to {last}", place=place)
    return tuple(range(first, last + 1))


def read_predicate(statement: Statement, call: Tree[Any]) -> Predicate:
    """A declaration such as `Topic(paper, category!)`; its arguments are bare names."""
    name, *arguments = call.children
    types = tuple(str(argument.children[0]) for argument in arguments)
    marked = tuple(i for i, argument in enumerate(arguments) if argument.data == "exclusive")
    return Predicate(str(name), types, marked, place_of(statement, call))


def chosen_query(predicates: Mapping[str, Predicate], query: Sequence[str]) -> tuple[str, ...]:
    """The query predicates by their written names; without a choice, those marked with `!`."""
    if isinstance(query, str):
        raise BadInput(f"query is the text {query!r}", remedy=f"give a list: query=[{query!r}]")
    written = {table_name(name): name for name in predicates} | {name: name for name in predicates}
    for name in query:
        if name not in written:
            raise UnknownPredicate(
                f"query predicate '{name}' is not declared; declared: {listed(predicates)}",
                remedy=did_you_mean(name, predicates),
            )
    chosen = [written[name] for name in query]
    chosen = chosen or [name for name, p in predicates.items() if p.is_label]
    if not chosen:
        raise BadInput(
            f"which predicates are hidden? The file declares: {listed(predicates)}",
            remedy="name them, such as query=['Smokes']",
        )
    return tuple(dict.fromkeys(chosen))


def label_function(predicate: Predicate, constants: Iterable[Value]) -> LabelFunction:
    """A query predicate as a label function: false | true, or the constants of its `!` type."""
    name, place = table_name(predicate.name), predicate.place
    if len(predicate.types) == 1 and not predicate.exclusive:
        domain = table_name(predicate.types[0])
        return LabelFunction(name, domain, ("false", "true"), place=place)
    if not predicate.is_label:
        raise BadFormula(
            f"the query predicate '{predicate.name}' has {len(predicate.types)} arguments; a label "
            "belongs to one item",
            place=place,
            remedy="give each tuple an id in a table, or mark the second of two arguments with !",
        )
    (position,) = predicate.exclusive
    labels = tuple(dict.fromkeys(str(value) for value in constants))
    if len(labels) < 2:
        kind = predicate.types[position]
        raise BadFormula(
            f"'{predicate.name}' takes its labels from '{kind}', of which the file names "
            f"{len(labels)}",
            place=place,
            remedy=f"declare them: {kind} = {{A, B}}",
        )
    return LabelFunction(name, table_name(predicate.types[1 - position]), labels, place=place)


def observed(predicate: Predicate) -> Observed:
    """A predicate that is no query, as the observed predicate of its table."""
    types = tuple(table_name(name) for name in predicate.types)
    return Observed(table_name(predicate.name), types, place=predicate.place)


def check_names(predicates: Mapping[str, Predicate], declarations: Iterable[Declaration]) -> None:
    """Refuse names that differ in the file but would be one name, or one table, in the program."""
    tables = {d.domain: f"any {d.domain}" for d in declarations if isinstance(d, LabelFunction)}
    types: dict[str, str] = {}
    for predicate in predicates.values():
        for kind in predicate.types:
            _require_own_name(types, table_name(kind), kind, predicate.place)
            tables[domain_predicate(kind)] = f"any {kind}"
    for written, predicate in predicates.items():
        _require_own_name(tables, table_name(written), written, predicate.place)


def _require_own_name(taken: dict[str, str], name: str, written: str, place: Place) -> None:
    """Note a name as taken, unless something else has it."""
    other = taken.setdefault(name, written)
    if other != written:
        raise DuplicateName(
            f"'{other}' and '{written}' would both be called '{name}'",
            place=place,
            remedy="rename one of the two",
        )
