"""The tables of a report: the same for HTML and for Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tacit.errors import listed
from tacit.report.pictures.evidence import NAMES, influence
from tacit.report.pictures.lettering import readable
from tacit.report.pictures.numbers import (
    exact_percent,
    finite,
    number_shown,
    signed,
    times_shown,
    weight_shown,
)
from tacit.report.record import FunctionRecord, Json, RunRecord

Kind = Literal["text", "code", "number"]  # code is what programs and corpora say, word by word
MOST_ROWS = 200
MOST_PARTS = 30
MOST_CONFUSED = 12  # labels whose confusion fits a table of text
FEW_LABELS = 3  # of one piece of evidence that are named: a column is narrow


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what stands above it, what is in it, and what that means."""

    head: str
    kind: Kind = "text"
    meaning: str = ""
    under: bool = False  # it may stand below the first cell, where columns are dear


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of text; the first column names the rows."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0  # rows that are not shown

    @staticmethod
    def of(title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Table:
        """A table without the columns that are empty, and with so many rows at most."""
        shown = [tuple(row) for row in rows[:MOST_ROWS]]
        kept = [at for at in range(len(columns)) if at == 0 or any(row[at] for row in shown)]
        cells = tuple(tuple(row[at] for at in kept) for row in shown)
        return Table(title, tuple(columns[at] for at in kept), cells, len(rows) - len(shown))

    def __bool__(self) -> bool:
        return bool(self.rows)

    def parted(self, at: int) -> tuple[Table, Table]:
        """The first so many rows, and the others, which may be none."""
        first = Table(self.title, self.columns, self.rows[:at])
        return first, Table(self.title, self.columns, self.rows[at:], self.left_out)


def share(value: Any) -> str:
    """A share, empty where it does not apply."""
    number = finite(value)
    return "" if number is None else exact_percent(number)


def number(value: Any) -> str:
    """A number in few characters, empty where it does not apply."""
    known = finite(value)
    return "" if known is None else number_shown(known)


def cell(text: str, most: int = 600) -> str:
    """What a cell holds: one line, not too long."""
    shown = readable(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def evidence_table(record: RunRecord) -> Table:
    """All evidence, the most influential first."""
    n = max((own.n_instances for own in record.functions), default=0)
    rows = sorted(record.evidence, key=lambda row: -influence(row, n))
    told = [[show(row) for _, show in _EVIDENCE] for row in rows]
    return Table.of("Evidence", [column for column, _ in _EVIDENCE], told)


def _labels(row: Json) -> str:
    labels = row.get("labels")
    return listed(labels, FEW_LABELS) if labels else ""


def _weight(row: Json) -> str:
    return (
        "hard" if row.get("state") == "hard" else weight_shown(row.get("weight"), row.get("error"))
    )


def _ties(row: Json) -> str:
    number = finite(row.get("n_groundings"))
    return f"{number:,.0f}" if number else ""


def _origin(row: Json) -> str:
    """Who proposed it, and what else is worth knowing of its weight."""
    origin, state = str(row.get("origin") or ""), row.get("state")
    told = NAMES.get(origin, origin)
    return told if state in ("learned", "hard", None) else f"{told}, {state}"


_EVIDENCE: tuple[tuple[Column, Callable[[Json], str]], ...] = (
    (Column("evidence", "code"), lambda row: str(row["name"])),
    (Column("for", "code"), _labels),
    (
        Column("weight", "number", "learned, ± standard error; a weight of 2.2 is odds of 9 to 1"),
        _weight,
    ),
    (
        Column("covers", "number", "share of instances that it speaks of"),
        lambda row: share(row.get("coverage")),
    ),
    (
        Column("overlap", "number", "... and of which something else speaks, too"),
        lambda row: share(row.get("overlap")),
    ),
    (
        Column("conflict", "number", "... and says something else"),
        lambda row: share(row.get("conflict")),
    ),
    (Column("ties", "number", "pairs or groups of labels that it ties"), _ties),
    (
        Column("hold", "number", "share of those ties that hold, as expected"),
        lambda row: share(row.get("holds")),
    ),
    (
        Column("implied", "number", "how often it is right, by the model"),
        lambda row: share(row.get("implied_accuracy")),
    ),
    (
        Column("by gold", "number", "how often it is right, by gold labels"),
        lambda row: share(row.get("empirical_accuracy")),
    ),
    (Column("origin", "text", "who proposed it, and whether its weight was learned"), _origin),
    (Column("formula", "code", under=True), lambda row: str(row.get("formula", ""))),
)


def labels_table(function: FunctionRecord) -> Table:
    """How common each label is."""
    whole = function.n_instances or 1
    pairs = zip(function.labels, function.counts, strict=True)
    rows = [(label, f"{count:,}", share(count / whole)) for label, count in pairs]
    columns = [Column("label", "code"), Column("instances", "number"), Column("share", "number")]
    return Table.of(f"Labels of {function.name}", columns, rows)


def sureness_table(function: FunctionRecord) -> Table:
    """How many labels are how probable, without the bins that hold none."""
    n, whole = len(function.sureness), sum(function.sureness) or 1
    rows = [
        (f"{100 * at / n:.0f} to {100 * (at + 1) / n:.0f} %", f"{count:,}", share(count / whole))
        for at, count in enumerate(function.sureness)
        if count
    ]
    columns = [Column("probability of the label"), Column("instances", "number")]
    return Table.of(f"Sureness of {function.name}", [*columns, Column("share", "number")], rows)


def confusion_table(function: FunctionRecord) -> Table:
    """Gold labels by row, given labels by column."""
    gold, labels = function.gold, function.labels
    if gold is None or len(labels) > MOST_CONFUSED:
        return Table("", (), ())
    columns = [Column("gold \\ given", "code"), *(Column(name, "number") for name in labels)]
    rows = [
        (label, *(f"{count:,}" for count in row))
        for label, row in zip(labels, gold.confusion, strict=True)
    ]
    return Table.of(f"Confusion of {function.name}", columns, rows)


def calibration_table(function: FunctionRecord) -> Table:
    """How right labels are against how probable they were held."""
    columns = [
        Column("held probable", "number"),
        Column("right", "number"),
        Column("labels", "number"),
    ]
    bins = function.gold.calibration if function.gold is not None else ()
    rows = [(share(one.confidence), share(one.accuracy), f"{one.n:,}") for one in bins if one.n]
    return Table.of(f"Calibration of {function.name}", columns, rows)


def scores_table(function: FunctionRecord) -> Table:
    """Precision, recall and F1 of each label."""
    gold = function.gold
    if gold is None:
        return Table("", (), ())
    columns = [
        Column("label", "code"),
        Column("gold labels", "number"),
        Column("precision", "number", "of those given this label, the share that is right"),
        Column("recall", "number", "of those that have this label, the share that got it"),
        Column("F1", "number", "the harmonic mean of both"),
    ]
    known = [sum(row) for row in gold.confusion]
    rows = [
        (label, f"{n:,}", share(precision), share(recall), share(f1))
        for label, n, precision, recall, f1 in zip(
            function.labels, known, gold.precision, gold.recall, gold.f1, strict=True
        )
    ]
    return Table.of(f"Scores of {function.name}", columns, rows)


def parts_table(explanation: Json) -> Table:
    """The parts of an explanation, with what made them speak."""
    columns = [
        Column("part", "code"),
        Column("adds", "number"),
        Column("weight", "number"),
        Column("because of", "code"),
        Column("formula", "code", under=True),
    ]
    instance = str(explanation.get("instance"))
    every = explanation.get("parts") or ()
    rows = [
        (
            str(part["name"]),
            "hard" if finite(part["contribution"]) is None else signed(part["contribution"]),
            weight_shown(part.get("weight"), part.get("error")) + times_shown(part.get("count")),
            _because(part, instance),
            str(part.get("formula") or ""),
        )
        for part in every[:MOST_PARTS]
    ]
    table = Table.of("Parts", columns, rows)
    return Table(table.title, table.columns, table.rows, len(every) - len(rows))


def _because(part: Json, instance: str) -> str:
    """The neighbours, or the values of variables other than the instance itself."""
    if part.get("neighbours"):
        return ", ".join(f"{one['instance']} ({one['label']})" for one in part["neighbours"][:4])
    values = [
        ", ".join(f"{key}={value}" for key, value in row.items() if str(value) != instance)
        for row in (part.get("rows") or ())[:3]
    ]
    return "; ".join(filter(None, values))
