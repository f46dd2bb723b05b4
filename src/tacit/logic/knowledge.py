"""Knowledge: what a ready form makes, and how pieces of it become one task and one program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import count
from types import MappingProxyType
from typing import Any, TypeVar

from tacit.data.coerce import as_table
from tacit.data.predicates import Predicate
from tacit.data.task import Task
from tacit.errors import BadInput, DuplicateName
from tacit.logic.evidence import Declaration, Evidence, LabelFunction
from tacit.logic.formula import Variable
from tacit.logic.program import Program
from tacit.logic.show import show_evidence
from tacit.logic.traverse import label_functions, terms

Node = TypeVar("Node")


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Declarations and evidence, with the tables and Python predicates that they speak of.

    Pieces are joined with `+`; `assemble` turns them into a task and a program.
    """

    declarations: tuple[Declaration, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)  # kept as Tables
    predicates: tuple[Predicate, ...] = ()

    def __post_init__(self) -> None:
        """Turn whatever holds the tables into tables."""
        tables = {name: as_table(name, source) for name, source in self.tables.items()}
        object.__setattr__(self, "tables", MappingProxyType(tables))

    def __add__(self, other: Knowledge | Program) -> Knowledge:
        """Both pieces in one; what the two say alike, apart from evidence, is kept once."""
        other = as_knowledge(other)
        for name in self.tables.keys() & other.tables.keys():
            if self.tables[name] != other.tables[name]:
                raise _two_tables(name, "two pieces of knowledge bring")
        return Knowledge(
            tuple(dict.fromkeys((*self.declarations, *other.declarations))),
            (*self.evidence, *other.evidence),
            {**self.tables, **other.tables},
            _merged(self.predicates, other.predicates),
        )


def as_knowledge(source: Knowledge | Program) -> Knowledge:
    """A program as knowledge without data; knowledge as it is."""
    if isinstance(source, Program):
        return Knowledge(source.declarations, source.evidence)
    if not isinstance(source, Knowledge):
        raise BadInput(
            f"{source!r:.60} is not knowledge",
            remedy="give what keywords(...) and its kin answer, or a Program",
        )
    return source


def assemble(task: Task, *knowledge: Knowledge | Program) -> tuple[Task, Program]:
    """The task with all that the knowledge brings along, and the program that the knowledge spells.

    No function is called here: relations of labelling functions, regular expressions and
    gazetteers are computed when they are first asked for, and follow the task to other rows.
    """
    whole = sum((as_knowledge(piece) for piece in knowledge), Knowledge())
    _check_formula_names(whole.evidence)
    program = Program(whole.declarations, _without_captured_names(whole))
    for name, table in whole.tables.items():
        if name in task.names and (name not in task.tables or task.table(name) != table):
            raise _two_tables(name, "the task and the knowledge have")
    task = task.with_tables(whole.tables) if whole.tables else task
    new = [predicate for predicate in whole.predicates if predicate not in task.predicates]
    return (task.with_predicates(*new) if new else task), program


def _check_formula_names(evidence: Sequence[Evidence]) -> None:
    """Refuse two formulas of one name."""
    seen: dict[str, Evidence] = {}
    for piece in evidence:
        if piece.name in seen:
            raise DuplicateName(
                f"two formulas are called '{piece.name}':\n"
                f"    {show_evidence(seen[piece.name])}\n    {show_evidence(piece)}",
                remedy="leave one out, or give its form another name with name=...",
            )
        seen[piece.name] = piece


def _without_captured_names(whole: Knowledge) -> tuple[Evidence, ...]:
    """The evidence, its variables renamed where another label function has a label of that name.

    A form avoids the labels of its own label function; it cannot know those of the others.
    """
    labels = {d.name: set(d.labels) for d in whole.declarations if isinstance(d, LabelFunction)}
    every = set().union(*labels.values())
    result = []
    for piece in whole.evidence:
        own = set().union(*(labels.get(name, set()) for name in label_functions(piece.formula)))
        used = {term.name for term in terms(piece.formula) if isinstance(term, Variable)}
        new_names: dict[str, str] = {}
        for name in sorted(used & (every - own)):
            candidates = (f"{name}{n}" for n in count(2))
            new_names[name] = next(c for c in candidates if c not in every | used)
        result.append(_renamed(piece, new_names) if new_names else piece)
    return tuple(result)


def _renamed(node: Node, new_names: Mapping[str, str]) -> Node:
    """A node with its variables renamed, wherever they stand in it."""
    result: Any = node
    if isinstance(node, Variable):
        result = replace(node, name=new_names.get(node.name, node.name))
    elif isinstance(node, tuple):
        result = tuple(_renamed(part, new_names) for part in node)
    elif is_dataclass(node) and not isinstance(node, type):
        parts = {f.name: getattr(node, f.name) for f in fields(node) if f.compare}
        result = replace(node, **{k: _renamed(v, new_names) for k, v in parts.items()})
    renamed: Node = result
    return renamed


def _merged(first: Iterable[Predicate], second: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Both sequences in one; two different predicates of one name are refused."""
    found: dict[str, Predicate] = {}
    for predicate in (*first, *second):
        if found.setdefault(predicate.name, predicate) != predicate:
            raise _two_tables(predicate.name, "two pieces of knowledge bring")
    return tuple(found.values())


def _two_tables(name: str, who: str) -> DuplicateName:
    return DuplicateName(f"{who} different relations called '{name}'", remedy="rename one of them")
