"""The result of a comparison: a row for each method, as values and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tacit.learning.health import Health

FEW = 4  # labels whose shares are all shown


@dataclass(frozen=True, slots=True)
class Row:
    """How one method labels the instances of one label function."""

    function: str
    method: str
    coverage: float  # the share of instances of which its evidence says anything
    agreement: float | None  # with the label model, on covered instances
    confidence: float | None  # the mean probability of its labels, on covered instances
    class_shares: dict[str, float]
    seconds: float | None  # without grounding; None: it was fitted before
    n_gold: int  # instances with a gold label; without any, all below are None
    accuracy: float | None
    accuracy_covered: float | None  # on instances with evidence of their own
    macro_f1: float | None
    log_loss: float | None
    brier: float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of text; numbers stand on the right."""

    title: str
    columns: tuple[str, ...]
    is_number: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        lines = [self.columns, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        shown = [self.title]
        for line in lines:
            cells = [
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, self.is_number, strict=True)
            ]
            shown.append(("  " + "  ".join(cells)).rstrip())
        return "\n".join(shown)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every method beside the label model, with the health numbers that need no gold."""

    rows: tuple[Row, ...]
    health: Mapping[str, Health]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The comparison as JSON can hold it."""
        return {
            "rows": [asdict(row) for row in self.rows],
            "health": {name: asdict(own) for name, own in self.health.items()},
            "notes": list(self.notes),
        }

    def tables(self) -> tuple[Table, ...]:
        """All that there is to show, label function by label function."""
        found: list[Table] = []
        for name, own in self.health.items():
            rows = [row for row in self.rows if row.function == name]
            if rows[0].n_gold:
                found.append(_score_table(name, rows))
            found += [_label_table(name, rows), _health_table(name, own)]
        return tuple(found)

    def text(self) -> str:
        """The tables and the notes as plain text."""
        parts = [str(table) for table in self.tables()]
        parts += ["\n".join(["Notes", *(f"  {note}" for note in self.notes)])] * bool(self.notes)
        return "\n\n".join(parts)

    def __str__(self) -> str:
        return self.text()


def _score_table(name: str, rows: Sequence[Row]) -> Table:
    return Table(
        f"{name}: scores on {rows[0].n_gold:,} gold labels",
        ("method", "accuracy", "on covered", "macro F1", "log-loss", "Brier"),
        (False, True, True, True, True, True),
        tuple(
            (
                row.method,
                percent(row.accuracy),
                percent(row.accuracy_covered),
                percent(row.macro_f1),
                _number(row.log_loss),
                _number(row.brier),
            )
            for row in rows
        ),
    )


def _label_table(name: str, rows: Sequence[Row]) -> Table:
    return Table(
        f"{name}: what each method says",
        ("method", "coverage", "agreement", "confidence", "seconds", "labels"),
        (False, True, True, True, True, False),
        tuple(
            (
                row.method,
                percent(row.coverage),
                percent(row.agreement),
                percent(row.confidence),
                _number(row.seconds),
                _shares(row.class_shares),
            )
            for row in rows
        ),
    )


def _health_table(name: str, health: Health) -> Table:
    most = f"{percent(health.relative_entropy)} of the most possible"
    rows = [
        ("coverage", percent(health.coverage), "instances with evidence of their own"),
        ("overlap", percent(health.overlap), "instances with two sources or more"),
        ("conflict", percent(health.conflict), "instances with sources that disagree"),
        ("disagreement", percent(health.disagreement), "of pairs of sources that speak together"),
        ("entropy", f"{health.entropy:.3f} bits", f"doubt left about a label; {most}"),
        ("difference", percent(health.difference), "labels other than a clear majority's"),
    ]
    return Table(
        f"{name}: health, for which no gold is needed",
        ("number", "value", "meaning"),
        (False, True, False),
        (*rows, *_held_out_rows(health)),
    )


def _held_out_rows(health: Health) -> list[tuple[str, str, str]]:
    """The log-likelihoods of held-out votes, or why there are none."""
    found = health.held_out
    if found is None:
        return [("held out", "-", health.held_out_missing or "")]
    alone = ", joint evidence set aside" if found.local else ""
    given = found.learned - found.as_given
    equal = found.learned - found.equal
    return [
        ("held out, learned", f"{found.learned:.3f}", f"log-likelihood of new votes{alone}"),
        (
            "held out, as given",
            f"{found.as_given:.3f}",
            f"learned weights gain {given:+.3f} +- {found.as_given_error:.3f}",
        ),
        (
            "held out, equal",
            f"{found.equal:.3f}",
            f"learned weights gain {equal:+.3f} +- {found.equal_error:.3f}",
        ),
    ]


def _shares(class_shares: Mapping[str, float]) -> str:
    """The share of each label; of many, the largest."""
    shares = list(class_shares.items())
    if len(shares) > FEW:
        shares = sorted(shares, key=lambda pair: -pair[1])[: FEW - 1]
    rest = f", {len(class_shares) - len(shares)} others" if len(class_shares) > FEW else ""
    return ", ".join(f"{label} {100 * share:.0f} %" for label, share in shares) + rest


def percent(share: float | None) -> str:
    """A share as text; a dash where there is none."""
    return "-" if share is None else f"{100 * share:.1f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
