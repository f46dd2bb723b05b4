"""What `tacit check` found when all is well: tables, predicates, labels, formulas and notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tacit.app.project import Project
from tacit.app.unmatched import unmatched_note
from tacit.data import Task
from tacit.logic import Program, show_formula
from tacit.logic.show import show_declaration, show_weight


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table, given or derived."""

    name: str
    rows: int
    columns: dict[str, str]  # column -> kind
    derived: bool  # made from another table
    origin: str  # file, words or python
    source: str | None  # the file it was read from


@dataclass(frozen=True, slots=True)
class PredicateFacts:
    """An observed predicate and the table that it reads; without data, neither is known."""

    name: str
    declaration: str
    columns: tuple[str, ...] | None  # what the arguments stand for, in the table of that name
    rows: int | None


@dataclass(frozen=True, slots=True)
class LabelFacts:
    """A label function and its instances."""

    name: str
    table: str
    labels: tuple[str, ...]
    instances: int | None
    gold: int | None  # how many true labels are known, for evaluation only


@dataclass(frozen=True, slots=True)
class FormulaFacts:
    """A formula and what it touches."""

    name: str
    weight: str
    formula: str
    groundings: int | None
    instances: dict[str, int] | None  # label function -> how many of its instances are touched


@dataclass(frozen=True, slots=True)
class Overview:
    """All that `tacit check` prints."""

    name: str
    file: str  # the tacit.toml, or the program file where there is no project
    program: str
    tables: tuple[TableFacts, ...]
    predicates: tuple[PredicateFacts, ...]
    labels: tuple[LabelFacts, ...]
    formulas: tuple[FormulaFacts, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The overview as JSON can hold it."""
        return asdict(self)


def project_overview(project: Project) -> Overview:
    """Count what the program of a project touches in its data."""
    from tacit.grounding import touches

    program, task = project.program, project.task
    used = [*task.tables, *(name for name in program.observed if name not in task.tables)]
    touched = {touch.name: touch for touch in touches(program, task)}
    formulas = tuple(
        FormulaFacts(
            name=evidence.name,
            weight=show_weight(evidence).removesuffix(":"),
            formula=show_formula(evidence.formula),
            groundings=touched[evidence.name].groundings,
            instances=dict(touched[evidence.name].instances),
        )
        for evidence in program.evidence
    )
    silent = [e for e in program.evidence if touched[e.name].groundings == 0]
    unmatched = [unmatched_note(evidence, task) for evidence in silent]
    return Overview(
        name=project.name,
        file=project.file,
        program=project.program_file,
        tables=tuple(_table_facts(task, name) for name in used if task.has(name)),
        predicates=_predicate_facts(program, task),
        labels=_label_facts(program, task, project.gold),
        formulas=formulas,
        notes=(*_empty_notes(program), *project.notes, *unmatched),
    )


def program_overview(program: Program, file: str) -> Overview:
    """What can be said of a program by itself."""
    formulas = tuple(
        FormulaFacts(e.name, show_weight(e).removesuffix(":"), show_formula(e.formula), None, None)
        for e in program.evidence
    )
    return Overview(
        name=file,
        file=file,
        program=file,
        tables=(),
        predicates=_predicate_facts(program, None),
        labels=_label_facts(program, None, {}),
        formulas=formulas,
        notes=_empty_notes(program),
    )


def _empty_notes(program: Program) -> tuple[str, ...]:
    """A note for a program that says nothing."""
    if not program.labels:
        return ("the program declares no label function, so there is nothing to learn",)
    return () if program.evidence else ("the program has no formulas yet",)


def _table_facts(task: Task, name: str) -> TableFacts:
    table = task.table(name)
    columns = {column: str(kind) for column, kind in table.kinds.items()}
    derived = name not in task.tables
    by_python = name in [predicate.name for predicate in task.predicates]
    origin = ("python" if by_python else "words") if derived else "file"
    return TableFacts(name, table.n_rows, columns, derived, origin, table.source)


def _predicate_facts(program: Program, task: Task | None) -> tuple[PredicateFacts, ...]:
    """The predicates in order; one without a table has neither table nor rows."""
    facts = []
    for name, declared in program.observed.items():
        declaration = show_declaration(declared).split(maxsplit=1)[1]
        if task is None or not task.has(name):
            facts.append(PredicateFacts(name, declaration, None, None))
            continue
        table = task.table(name)
        bound = table.columns[: declared.arity]
        facts.append(PredicateFacts(name, declaration, bound, table.n_rows))
    return tuple(facts)


def _label_facts(
    program: Program, task: Task | None, gold: Mapping[str, Mapping[str, str]]
) -> tuple[LabelFacts, ...]:
    return tuple(
        LabelFacts(
            name=function.name,
            table=function.domain,
            labels=function.labels,
            instances=len(task.instances(function.domain)) if task is not None else None,
            gold=len(gold[function.name]) if function.name in gold else None,
        )
        for function in program.labels.values()
    )
