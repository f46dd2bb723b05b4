"""What `tacit ground` found: each batch of formulas with its result and its cost."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tacit.app.project import Project
from tacit.logic import show_formula

if TYPE_CHECKING:
    from tacit.grounding import GroundFactors, Part

_SQL_WIDTH = 60  # columns after which a condition goes on in the next line


@dataclass(frozen=True, slots=True)
class BatchFacts:
    """What the formulas of one batch became, and what that cost."""

    names: tuple[str, ...]  # of the formulas, which differ only in their constants
    formula: str  # of the first of them
    estimate: float | None  # rows expected, or a bound on them
    rows: int  # that the queries answered
    seconds: float
    bytes: int
    unary_entries: int  # (state, weight) pairs with a count
    table_factors: int
    groups: int
    group_members: int
    expectations: int
    expectation_members: int
    queries: tuple[str, ...]

    @property
    def factors(self) -> int:
        """How many factors there are, of every kind."""
        return self.unary_entries + self.table_factors + self.groups + self.expectations


@dataclass(frozen=True, slots=True)
class TotalFacts:
    """All batches together."""

    variables: int
    weights: int
    factors: int
    rows: int
    seconds: float
    bytes: int


@dataclass(frozen=True, slots=True)
class GroundReport:
    """All that `tacit ground` prints."""

    name: str
    file: str
    program: str
    batches: tuple[BatchFacts, ...]
    total: TotalFacts
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        return asdict(self)


def ground_report(project: Project, factors: GroundFactors, notes: tuple[str, ...]) -> GroundReport:
    """Count what the program of a project became."""
    formulas = {e.name: show_formula(e.formula) for e in project.program.evidence}
    batches = tuple(_batch_facts(part, formulas[part.names[0]]) for part in factors.parts)
    total = TotalFacts(
        variables=factors.variables.n_variables,
        weights=factors.weights.n_weights,
        factors=sum(batch.factors for batch in batches),
        rows=sum(batch.rows for batch in batches),
        seconds=sum(batch.seconds for batch in batches),
        bytes=sum(batch.bytes for batch in batches),
    )
    return GroundReport(project.name, project.file, project.program_file, batches, total, notes)


def _batch_facts(part: Part, formula: str) -> BatchFacts:
    return BatchFacts(
        names=part.names,
        formula=formula,
        estimate=part.step.estimate if math.isfinite(part.step.estimate) else None,
        rows=part.step.rows,
        seconds=part.step.seconds,
        bytes=part.n_bytes,
        unary_entries=sum(len(block.state) for block in part.unary),
        table_factors=sum(len(block.weight) for block in part.tables),
        groups=sum(len(block.weight) for block in part.groups),
        group_members=sum(len(block.variable_of_member) for block in part.groups),
        expectations=sum(len(block.constrained) for block in part.expectations),
        expectation_members=sum(len(block.state) for block in part.expectations),
        queries=tuple(map(_readable, part.step.queries)),
    )


def _readable(query: str) -> str:
    """A query with short lines."""
    from sqlglot import parse_one

    tree = parse_one(query, dialect="duckdb")
    return tree.sql(dialect="duckdb", pretty=True, max_text_width=_SQL_WIDTH)
