"""Explanations: a label's log-odds as a sum of parts, for people and for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tacit.errors import listed
from tacit.learning.described import plain
from tacit.learning.layout import aligned, cut, signed

Kind = Literal[
    "evidence",  # a weight that speaks of the instance
    "standing",  # a weight that says the same of every instance
    "bias",  # how common labels are, as learned
    "expectation",  # the weight by which an expected share is reached
    "neighbours",  # a formula that ties the label to others
    "loops",  # what those formulas say together beyond what each says alone
    "predictor",
    "hard",  # evidence that rules labels out
]
WIDEST_BAR = 14
WIDEST_NAME = 28
WIDEST_REASON = 48
WIDEST_FORMULA = 70


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another instance that a formula ties to the explained one, with its most probable label."""

    function: str
    instance: object
    label: str
    probability: float

    def __str__(self) -> str:
        return f"{self.instance} ({self.label} {self.probability:.2f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One term of the sum.

    Of evidence on the label alone, the contribution is weight times count; of a formula that ties
    it to others, the count says how many groundings were merged into one.
    """

    kind: Kind
    name: str  # of the weight
    contribution: float  # infinite where it rules one of the two labels out
    formula: str = ""
    rows: tuple[Mapping[str, object], ...] = ()  # the values of the formula's variables
    weight: float = math.nan
    error: float = math.nan  # standard error of the weight; nan where it was not learned
    count: float = math.nan
    neighbours: tuple[Neighbour, ...] = ()

    @property
    def weight_text(self) -> str:
        """The weight, its standard error, and how often it counts."""
        if math.isnan(self.weight):
            return ""
        if math.isinf(self.weight):
            return "hard"
        error = "" if math.isnan(self.error) else f" ± {self.error:.2f}"
        often = abs(self.count)
        count = "" if math.isnan(often) or often == 1 else f" × {often:.3g}"
        return f"{self.weight:.2f}{error}{count}"

    def as_dict(self) -> dict[str, Any]:
        """The part for JSON; numbers that are not finite are null."""
        found: dict[str, Any] = plain(asdict(self))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why an instance has its label: the log-odds of one label against another, part by part.

    The contributions of `parts` add up to `log_odds`. Where hard evidence rules a label out the
    log-odds is infinite (nan where it rules out both), and `note` says so.
    """

    function: str
    instance: object
    label: str
    against: str
    probabilities: Mapping[str, float]
    log_odds: float
    parts: tuple[Part, ...]  # the largest contribution first
    note: str = ""

    def of_kind(self, *kinds: Kind) -> tuple[Part, ...]:
        """The parts of some kinds."""
        return tuple(part for part in self.parts if part.kind in kinds)

    def as_dict(self) -> dict[str, Any]:
        """The explanation for JSON; numbers that are not finite are null."""
        return {
            "function": self.function,
            "instance": plain(self.instance),
            "label": self.label,
            "against": self.against,
            "probabilities": plain(self.probabilities),
            "log_odds": plain(self.log_odds),
            "note": self.note,
            "parts": [part.as_dict() for part in self.parts],
        }

    def text(self, most: int = 30) -> str:
        """The explanation as a table, at most so many lines of it."""
        ranked = sorted(self.probabilities.items(), key=lambda item: -item[1])
        shares = ", ".join(f"{label} {share:.3f}" for label, share in ranked[:4])
        more = f" and {len(ranked) - 4} more" if len(ranked) > 4 else ""
        lines = [
            f"{self.function}({self.instance}): {shares}{more}",
            f"log-odds of {self.label} against {self.against}: {signed(self.log_odds)}",
        ]
        lines += [self.note] if self.note else []
        shown = self.parts[:most]
        largest = max((abs(p.contribution) for p in shown if _finite(p)), default=0.0)
        rows = [self._row(part, largest) for part in shown]
        if len(self.parts) > most:
            left = self.parts[most:]
            total = signed(sum(part.contribution for part in left))
            rows.append([total, "", f"{len(left)} smaller parts", "", "", ""])
        lines += ["", *aligned(rows, right=(0,))] if rows else ["nothing is said of it"]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def _row(self, part: Part, largest: float) -> list[str]:
        return [
            signed(part.contribution),
            _bar(part, largest),
            cut(part.name, WIDEST_NAME),
            part.weight_text,
            cut(self.reason(part), WIDEST_REASON),
            cut(part.formula, WIDEST_FORMULA),
        ]

    def reason(self, part: Part) -> str:
        """The rows and neighbours that made the evidence speak, but for the instance itself."""
        if part.neighbours:
            return listed(part.neighbours, most=3)
        rows = [
            ", ".join(f"{k}={v}" for k, v in row.items() if v != self.instance) for row in part.rows
        ]
        told = [row for row in rows if row]
        return listed(told, most=3) if told else ""


def _finite(part: Part) -> bool:
    return math.isfinite(part.contribution)


def _bar(part: Part, largest: float) -> str:
    """A bar of pluses or minuses, as long as the contribution is large."""
    if math.isnan(part.contribution):
        return "?"
    sign = "+" if part.contribution > 0 else "-"
    if not _finite(part):
        return sign * WIDEST_BAR
    share = abs(part.contribution) / largest if largest else 0.0
    return sign * math.ceil(WIDEST_BAR * share - 1e-9)
