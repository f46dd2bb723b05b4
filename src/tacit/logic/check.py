"""Checking a program against its data: tables, columns, kinds of values, and labels in tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from tacit.data import ColumnKind, Table, Task
from tacit.errors import (
    ArityMismatch,
    BadInput,
    Place,
    TacitError,
    TypeMismatch,
    UnknownLabel,
    UnknownTable,
    did_you_mean,
    in_order,
    listed,
    raise_all,
)
from tacit.logic.evidence import Evidence, LabelFunction, Observed
from tacit.logic.formula import Atom, Comparison, Constant, LabelIs, SameLabel, Term, Variable
from tacit.logic.program import Program
from tacit.logic.traverse import walk
from tacit.logic.vocabulary import Vocabulary

_NUMERIC = {ColumnKind.INTEGER, ColumnKind.NUMBER}


@dataclass(frozen=True, slots=True)
class Findings:
    """What a check found: errors that must be mended, and notes that deserve a look."""

    errors: tuple[TacitError, ...]
    notes: tuple[str, ...]


def check(program: Program, task: Task) -> tuple[str, ...]:
    """Raise everything that keeps the program from running on the task; return what to look at."""
    findings = examine(program, task)
    raise_all(findings.errors)
    return findings.notes


def examine(program: Program, task: Task) -> Findings:
    """Everything that is wrong, or odd, about a program on these data."""
    errors: list[TacitError] = []
    notes: list[str] = []
    bound: dict[str, Table] = {}  # predicate -> the table that it reads
    used = _used_predicates(program)
    for function in program.labels.values():
        try:
            task.instances(function.domain)
            bound[function.domain] = task.table(function.domain)
        except TacitError as error:
            errors.append(_at(error, function.place))
    for declared in program.observed.values():
        if declared.name not in used and not task.has(declared.name):
            notes.append(f"predicate '{declared.name}' has no table and no formula uses it")
            continue
        try:
            bound[declared.name] = _bind(declared, task)
        except TacitError as error:
            errors.append(_at(error, declared.place))
    vocabulary = Vocabulary.of(program.declarations)
    for evidence in program.evidence:
        errors.extend(_evidence_errors(evidence, vocabulary, bound))
    notes.extend(_dangling(program, bound))
    return Findings(tuple(in_order(errors)), tuple(notes))


def _at(error: TacitError, place: Place | None) -> TacitError:
    """The error at the declaration that led to it, unless it names a place of its own."""
    error.place = error.place or place
    return error


def _used_predicates(program: Program) -> set[str]:
    return {
        node.predicate
        for evidence in program.evidence
        for node in walk(evidence.formula)
        if isinstance(node, Atom)
    }


def _bind(declared: Observed, task: Task) -> Table:
    """The table of a predicate, wide enough for its arguments and of plain values."""
    if not task.has(declared.name):
        raise UnknownTable(
            f"predicate '{declared.name}' has no table; the task has: {listed(task.names)}",
            remedy=did_you_mean(declared.name, task.names)
            or "add the table, or a Python predicate of that name",
        )
    table = task.table(declared.name)
    if len(table.columns) < declared.arity:
        raise ArityMismatch(
            f"predicate '{declared.name}' takes {declared.arity} arguments, but its table has "
            f"{len(table.columns)} columns: {listed(table.columns)}",
            remedy="declare as many arguments as the table has columns, or fewer",
        )
    for column in table.columns[: declared.arity]:
        if table.kinds[column] is ColumnKind.OTHER:
            raise BadInput(
                f"column '{column}' of {table.described} holds "
                f"{table.column(column).type}, not plain values",
                remedy="keep such columns behind the predicate's arguments",
            )
    return table


def _evidence_errors(
    evidence: Evidence, vocabulary: Vocabulary, bound: dict[str, Table]
) -> Iterator[TacitError]:
    """What is wrong with one formula on these tables; formulas with unbound names are skipped."""
    domains = {d.domain for d in vocabulary.labels.values()}
    for node in walk(evidence.formula):
        if isinstance(node, Atom) and node.predicate not in bound:
            return
    if not domains <= set(bound):
        return
    kinds: dict[str, tuple[ColumnKind, str]] = {}  # variable -> what it holds, by which column
    for term, kind, column in _typed_terms(evidence, vocabulary, bound):
        yield from _kind_errors(evidence, term, kind, column, kinds)
    for node in walk(evidence.formula):
        if isinstance(node, Comparison):
            yield from _comparison_errors(evidence, node, kinds)
    yield from _label_value_errors(evidence, vocabulary, bound)
    scale = evidence.scale
    if scale is not None and kinds.get(scale.name, (ColumnKind.TEXT, ""))[0] not in _NUMERIC:
        yield TypeMismatch(
            f"formula '{evidence.name}' is scaled by '{scale.name}', which is not a number",
            place=scale.place,
        )


def _typed_terms(
    evidence: Evidence, vocabulary: Vocabulary, bound: dict[str, Table]
) -> Iterator[tuple[Term, ColumnKind, str]]:
    """Each term with the kind of the column it stands for, and that column's name."""
    for node in walk(evidence.formula):
        match node:
            case Atom(predicate, terms):
                table = bound[predicate]
                for term, column in zip(terms, table.columns, strict=False):
                    yield term, table.kinds[column], f"{table.name}.{column}"
            case LabelIs(subject, _):
                yield _item(subject.item, vocabulary.labels[subject.label], bound)
            case SameLabel(left, right):
                for side in (left, right):
                    yield _item(side.item, vocabulary.labels[side.label], bound)
            case _:
                pass


def _item(
    item: Term, function: LabelFunction, bound: dict[str, Table]
) -> tuple[Term, ColumnKind, str]:
    table = bound[function.domain]
    ids = table.columns[0]
    return item, table.kinds[ids], f"{table.name}.{ids}"


def _kind_errors(
    evidence: Evidence,
    term: Term,
    kind: ColumnKind,
    column: str,
    kinds: dict[str, tuple[ColumnKind, str]],
) -> Iterator[TacitError]:
    """A term whose kind is not that of its column, or of the other columns that it joins."""
    if isinstance(term, Variable):
        other, by = kinds.setdefault(term.name, (kind, column))
        if not _comparable(kind, other):
            yield TypeMismatch(
                f"formula '{evidence.name}' joins {by} ({other}) with {column} ({kind}) by "
                f"'{term.name}'",
                place=term.place,
                remedy="give both columns the same kind of values",
            )
    elif not _comparable(kind, kind_of_constant(term)):
        yield TypeMismatch(
            f"formula '{evidence.name}' looks for {term.value!r} in {column}, which holds {kind}",
            place=term.place,
            remedy="quote texts, and do not quote numbers",
        )


def _comparison_errors(
    evidence: Evidence, node: Comparison, kinds: dict[str, tuple[ColumnKind, str]]
) -> Iterator[TacitError]:
    """A comparison of a text with a number."""
    sides = [
        kind_of_constant(term) if isinstance(term, Constant) else kinds[term.name][0]
        for term in (node.left, node.right)
        if isinstance(term, Constant) or term.name in kinds
    ]
    if len(sides) == 2 and not _comparable(*sides):
        yield TypeMismatch(
            f"formula '{evidence.name}' compares {sides[0]} with {sides[1]}", place=node.place
        )


def kind_of_constant(constant: Constant) -> ColumnKind:
    """The kind of column that a constant can be found in."""
    match constant.value:
        case bool():
            return ColumnKind.BOOLEAN
        case int():
            return ColumnKind.INTEGER
        case float():
            return ColumnKind.NUMBER
        case _:
            return ColumnKind.TEXT


def _comparable(left: ColumnKind, right: ColumnKind) -> bool:
    return left is right or {left, right} <= _NUMERIC


def _label_value_errors(
    evidence: Evidence, vocabulary: Vocabulary, bound: dict[str, Table]
) -> Iterator[TacitError]:
    """Values in tables that a formula uses as labels, but that are none."""
    functions = {
        node.value.name: vocabulary.labels[node.subject.label]
        for node in walk(evidence.formula)
        if isinstance(node, LabelIs) and isinstance(node.value, Variable)
    }
    for node in walk(evidence.formula):
        if not isinstance(node, Atom):
            continue
        table = bound[node.predicate]
        for term, column in zip(node.terms, table.columns, strict=False):
            if isinstance(term, Variable) and term.name in functions:
                function = functions[term.name]
                strays = _strays(table.column(column), function.labels)
                if strays:
                    yield UnknownLabel(
                        f"formula '{evidence.name}' takes labels of '{function.name}' from "
                        f"column '{column}' of {table.described}, which holds "
                        f"{listed([repr(s) for s in strays], 3)}; the labels are: "
                        f"{listed(function.labels)}",
                        place=term.place,
                        remedy=did_you_mean(str(strays[0]), function.labels)
                        or "add the label, or drop those rows",
                    )


def _strays(column: pa.ChunkedArray, labels: tuple[str, ...]) -> list[str]:
    """The distinct values of a column that are no labels."""
    values = pc.drop_null(column.unique())
    if not pa.types.is_large_string(values.type):
        values = values.cast(pa.large_string())
    known = pa.array(labels, pa.large_string())
    outside: list[str] = values.filter(pc.invert(pc.is_in(values, value_set=known))).to_pylist()
    return outside


def _dangling(program: Program, bound: dict[str, Table]) -> Iterator[str]:
    """Rows that name instances which are in no instance table."""
    for declared in program.observed.values():
        table = bound.get(declared.name)
        for position, domain in enumerate(declared.domains):
            items = bound.get(domain)
            if table is None or items is None or declared.name == domain:
                continue
            column, ids = table.arrow.column(position), items.arrow.column(0)
            if column.type != ids.type:
                continue
            known = pc.is_in(column, value_set=ids.combine_chunks())
            lost = table.n_rows - int(pc.sum(known).as_py() or 0)
            if lost:
                yield (
                    f"{lost} of {table.n_rows} rows of '{table.name}' name a {domain} that "
                    f"table '{domain}' does not have"
                )
