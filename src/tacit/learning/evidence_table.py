"""The table of evidence: one row for each weight, for people and for programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from tacit.errors import BadInput, MissingExtra, did_you_mean, listed
from tacit.learning.described import plain
from tacit.learning.layout import aligned, cut

if TYPE_CHECKING:
    import pandas as pd

State = Literal[
    "learned",
    "constant",  # learned as far as may be: it says the same of every instance
    "held at 0",  # learned, and data contradict it
    "fixed",
    "hard",
    "expected",  # a share that is asked for; its weight is whatever brings it about
    "unused",  # it has no grounding
]
MOST_ROWS = 100
WIDEST_NAME = 32
WIDEST_LABELS = 20
WIDEST_FORMULA = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRow:
    """One weight; numbers that do not apply are nan.

    Shares are of the instances of the label function that the evidence speaks of. Evidence that
    ties several labels has groundings and the share of them that hold, instead.
    """

    name: str
    formula: str
    origin: str  # "expert", "sst", ...
    functions: tuple[str, ...]  # the label functions it speaks of
    labels: tuple[str, ...]  # spoken for
    coverage: float  # share of instances of which it speaks
    overlap: float  # ... and another source does too
    conflict: float  # ... and another source speaks for other labels
    start: float
    weight: float  # infinite where hard
    error: float  # standard error
    state: State
    implied_accuracy: float  # how probable its labels are by the model, where it speaks
    empirical_accuracy: float  # how often its labels, or its ties, are right, where that is known
    n_gold: int  # groundings or instances for which it is known
    n_groundings: int  # over several labels
    holds: float  # the share of those groundings that hold, expected

    def as_dict(self) -> dict[str, Any]:
        """The row for JSON; numbers that are not finite are null."""
        found: dict[str, Any] = plain(asdict(self))
        return found


@dataclass(frozen=True, slots=True)
class EvidenceTable:
    """All the weights of a fitted model."""

    rows: tuple[EvidenceRow, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> EvidenceRow:
        for row in self.rows:
            if row.name == name:
                return row
        known = [row.name for row in self.rows]
        raise BadInput(
            f"no weight {name!r}; there are: {listed(known)}", remedy=did_you_mean(name, known)
        )

    def sorted(self, by: str, *, descending: bool = True) -> EvidenceTable:
        """The same rows in the order of a column; those without a number come last."""
        known = [field.name for field in fields(EvidenceRow)]
        if by not in known:
            raise BadInput(
                f"no column {by!r}; there are: {listed(known, most=20)}",
                remedy=did_you_mean(by, known),
            )

        def absent(row: EvidenceRow) -> bool:
            value = getattr(row, by)
            return isinstance(value, float) and math.isnan(value)

        there = [row for row in self.rows if not absent(row)]
        there.sort(key=lambda row: getattr(row, by), reverse=descending)
        return EvidenceTable((*there, *filter(absent, self.rows)))

    def as_dict(self) -> dict[str, Any]:
        """The table for JSON."""
        return {"rows": [row.as_dict() for row in self.rows]}

    def to_pandas(self) -> pd.DataFrame:
        """The table as a data frame, a row for each weight."""
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            raise MissingExtra("to_pandas needs pandas", remedy="pip install pandas") from error
        names = [field.name for field in fields(EvidenceRow)]
        return pd.DataFrame([asdict(row) for row in self.rows], columns=names)

    def text(self, most: int = MOST_ROWS) -> str:
        """The table in plain text, at most so many rows; empty columns are left out."""
        if not self.rows:
            return "no evidence"
        shown = self.rows[:most]
        told = [[show(row) for row in shown] for show, _ in COLUMNS.values()]
        kept = [at for at, cells in enumerate(told) if any(cells)]
        heads = [list(COLUMNS)[at] for at in kept]
        right = [n for n, at in enumerate(kept) if list(COLUMNS.values())[at][1]]
        lines = aligned([heads, *zip(*(told[at] for at in kept), strict=True)], right)
        left = len(self.rows) - len(shown)
        return "\n".join([*lines, f"  ... and {left} more"] if left else lines)

    def __str__(self) -> str:
        return self.text()


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{share:.1%}" if share < 0.0995 else f"{share:.0%}"


def _number(value: float) -> str:
    return "" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:.2f}"


def _origin(row: EvidenceRow) -> str:
    return "" if row.origin == "expert" else row.origin


# What is printed: a header, how a row shows it, and whether it stands on the right.
COLUMNS: dict[str, tuple[Callable[[EvidenceRow], str], bool]] = {
    "evidence": (lambda row: cut(row.name, WIDEST_NAME), False),
    "labels": (lambda row: cut(listed(row.labels, 4) if row.labels else "", WIDEST_LABELS), False),
    "covers": (lambda row: _percent(row.coverage), True),
    "overlap": (lambda row: _percent(row.overlap), True),
    "conflict": (lambda row: _percent(row.conflict), True),
    "ties": (lambda row: f"{row.n_groundings:,}" if row.n_groundings else "", True),
    "hold": (lambda row: _percent(row.holds), True),
    "start": (lambda row: _number(row.start), True),
    "weight": (lambda row: _number(row.weight), True),
    "±": (lambda row: _number(row.error), True),
    "state": (lambda row: row.state, False),
    "implied": (lambda row: _percent(row.implied_accuracy), True),
    "gold": (lambda row: _percent(row.empirical_accuracy), True),
    "origin": (_origin, False),
    "formula": (lambda row: cut(row.formula, WIDEST_FORMULA), False),
}
