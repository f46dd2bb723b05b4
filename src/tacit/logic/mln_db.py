"""Reading Alchemy's `.db` files: facts into the tables that a program is grounded on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TypeVar

from tacit.errors import (
    ArityMismatch,
    BadInput,
    Place,
    ProgramSyntaxError,
    TacitError,
    UnknownLabel,
    UnknownPredicate,
    did_you_mean,
    listed,
    raise_all,
)
from tacit.logic.evidence import LabelFunction, Observed
from tacit.logic.formula import Atom, Constant, LabelIs, Value
from tacit.logic.mln_signature import domain_predicate, table_name, value_of
from tacit.logic.mln_syntax import statements, text_and_source
from tacit.logic.program import Program
from tacit.logic.traverse import walk

_Key = TypeVar("_Key")
_Said = TypeVar("_Said")
Rows = list[dict[str, Value]]

_ARGUMENT = r'"(?:[^"\\\n]|\\.)*"|[^\s,()"]+'
_FACT = re.compile(
    rf"\s*([!?]?)\s*([^\W\d][\w']*)\s*\(\s*((?:{_ARGUMENT})(?:\s*,\s*(?:{_ARGUMENT}))*)\s*\)\s*\Z"
)
_ARGUMENTS = re.compile(_ARGUMENT)


@dataclass(frozen=True, slots=True)
class _Fact:
    """One line of a database: `Friends(Anna, Bob)`, with `!` before it, or `?`."""

    sign: str
    predicate: str
    values: tuple[Value, ...]
    place: Place


class _Tables:
    """The tables as they fill up."""

    def __init__(self, program: Program, constants: Mapping[str, Iterable[Value]]) -> None:
        self.program = program
        self.facts: dict[str, dict[tuple[Value, ...], bool]] = {}  # row -> asserted or denied
        self.known: dict[str, dict[Value, str]] = {}  # item -> its label
        self.domains: dict[str, dict[Value, None]] = {
            name: dict.fromkeys(values) for name, values in constants.items()
        }

    def see(self, domain: str, value: Value) -> None:
        """A constant of a domain; the first sight decides its row."""
        self.domains.setdefault(domain, {})[value] = None

    def see_program(self) -> None:
        """The constants in the program's own formulas."""
        for evidence in self.program.evidence:
            for node in walk(evidence.formula):
                if isinstance(node, Atom) and node.predicate in self.program.observed:
                    domains = self.program.observed[node.predicate].domains
                    for term, domain in zip(node.terms, domains, strict=True):
                        if isinstance(term, Constant):
                            self.see(domain, term.value)
                elif isinstance(node, LabelIs) and isinstance(node.subject.item, Constant):
                    domain = self.program.labels[node.subject.label].domain
                    self.see(domain, node.subject.item.value)

    def add(self, fact: _Fact) -> None:
        """One fact, to the table of its predicate and the domains of its arguments."""
        if fact.predicate in self.program.observed:
            self.add_observed(fact, self.program.observed[fact.predicate])
        elif fact.predicate in self.program.labels:
            self.add_label(fact, self.program.labels[fact.predicate])
        else:
            known = [*self.program.observed, *self.program.labels]
            raise UnknownPredicate(
                f"the program has no predicate '{fact.predicate}'; it has: {listed(known)}",
                place=fact.place,
                remedy=did_you_mean(fact.predicate, known),
            )

    def add_observed(self, fact: _Fact, declared: Observed) -> None:
        """A row of an observed predicate; a denied fact only names constants."""
        if fact.sign == "?":
            raise ProgramSyntaxError(
                f"'{fact.predicate}' is observed: a fact about it cannot be unknown",
                place=fact.place,
                remedy="name the predicate in `query`, or leave the fact out: then it is false",
            )
        _require_arity(fact, declared.arity)
        for domain, value in zip(declared.domains, fact.values, strict=True):
            self.see(domain, value)
        rows = self.facts.setdefault(declared.name, {})
        _put(rows, fact.values, fact.sign != "!", fact.place)

    def add_label(self, fact: _Fact, function: LabelFunction) -> None:
        """A known label, of the argument that is not the label itself."""
        if function.labels == ("false", "true") and len(fact.values) == 1:
            item, label = fact.values[0], "false" if fact.sign == "!" else "true"
        else:
            _require_arity(fact, 2)
            item, label = _item_and_label(fact, function)
            if fact.sign == "!":
                raise ProgramSyntaxError(
                    f"what the label of {item!r} is not cannot be kept in a table",
                    place=fact.place,
                    remedy="say what it is, or leave the fact out",
                )
        self.see(function.domain, item)
        if fact.sign != "?":
            _put(self.known.setdefault(function.name, {}), item, label, fact.place)

    def finished(self) -> dict[str, Rows]:
        """All tables that have rows."""
        tables: dict[str, Rows] = {}
        for name, function in self.program.labels.items():
            tables[function.domain] = [{"id": v} for v in self.domains.get(function.domain, ())]
            known = self.known.get(name, {}).items()
            tables[f"known_{name}"] = [{"id": item, "label": label} for item, label in known]
        for name, declared in self.program.observed.items():
            columns = _columns(declared.domains)
            rows = [row for row, asserted in self.facts.get(name, {}).items() if asserted]
            if name == domain_predicate(declared.domains[0]):
                rows = [(value,) for value in self.domains.get(declared.domains[0], ())]
            tables[name] = [dict(zip(columns, row, strict=True)) for row in rows]
        return {name: rows for name, rows in tables.items() if rows}


def read_db(
    text_or_path: str | PathLike[str],
    program: Program,
    *,
    constants: Mapping[str, Iterable[Value]] | None = None,
    source: str | None = None,
) -> dict[str, Rows]:
    """The tables that a `.db` file spells for a program read from a `.mln` file.

    Each observed predicate with facts is a table with its arguments as columns. Each label function
    has the table of its items, with the column `id`: the constants declared (`constants`, from
    `read_constants`), then those in the program, then those in the facts. What is known of a label
    function `smokes` comes as the table `known_smokes` of ids and labels; nothing uses it unless a
    formula does. What is not stated is false, so `!P(A)` adds no row; `?P(A)` is for labels only.
    """
    tables = _Tables(program, constants or {})
    tables.see_program()
    problems: list[TacitError] = []
    text, name = text_and_source(text_or_path, ".db", source)
    for fact in _facts(text, name, problems):
        try:
            tables.add(fact)
        except TacitError as error:
            problems.append(error)
    raise_all(problems)
    return tables.finished()


def _facts(text: str, source: str, problems: list[TacitError]) -> Iterator[_Fact]:
    """The facts of a database, one a statement; in a database every argument is a constant."""
    for statement in statements(text, source):
        match = _FACT.match(statement.text)
        if match is None:
            problems.append(
                ProgramSyntaxError(
                    "this is not a fact",
                    place=statement.start,
                    remedy="write one fact a line, such as Friends(Anna, Bob)",
                )
            )
            continue
        values = tuple(value_of(argument) for argument in _ARGUMENTS.findall(match[3]))
        yield _Fact(match[1], table_name(match[2]), values, statement.start)


def _put(store: dict[_Key, _Said], key: _Key, said: _Said, place: Place) -> None:
    """Keep what a fact says, unless an earlier one says otherwise."""
    if store.setdefault(key, said) != said:
        raise BadInput("this contradicts an earlier fact", place=place, remedy="keep one of them")


def _require_arity(fact: _Fact, arity: int) -> None:
    if len(fact.values) != arity:
        raise ArityMismatch(
            f"'{fact.predicate}' has {len(fact.values)} arguments here; it takes {arity}",
            place=fact.place,
        )


def _item_and_label(fact: _Fact, function: LabelFunction) -> tuple[Value, str]:
    """Which argument is the item and which the label: the second, unless only the first is one."""
    first, second = fact.values
    for item, label in ((first, str(second)), (second, str(first))):
        if label in function.labels:
            return item, label
    raise UnknownLabel(
        f"neither argument is a label of '{function.name}'; it has: {listed(function.labels)}",
        place=fact.place,
        remedy="declare all labels in the .mln file",
    )


def _columns(domains: tuple[str, ...]) -> tuple[str, ...]:
    """Column names from domains, numbered where a domain occurs again: person, person_2."""
    names: list[str] = []
    for domain in domains:
        again = domains[: len(names)].count(domain)
        names.append(f"{domain}_{again + 1}" if again else domain)
    return tuple(names)
