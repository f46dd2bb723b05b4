"""A report as Markdown: the same facts as the HTML one, as tables; nothing outside it is needed."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

from tacit import __version__
from tacit.report.as_html import best_label, labels_of, long_text, sections_of
from tacit.report.pictures.lettering import readable, writable
from tacit.report.pictures.numbers import exact_percent
from tacit.report.record import InstanceRecord, RunRecord
from tacit.report.run_tables import (
    additions_table,
    growth_table,
    made_table,
    questions_table,
    rounds_table,
    settings_table,
    snapshots_table,
)
from tacit.report.tables import (
    Column,
    Table,
    calibration_table,
    cell,
    confusion_table,
    evidence_table,
    labels_table,
    parts_table,
    scores_table,
    sureness_table,
)
from tacit.report.wording import MARK, day, duration, in_words, key_figures, points

_SPECIAL = re.compile(r"([\\`*_\[\]|~#])")  # what Markdown could take as its own
_TICKS = re.compile("`+")


def markdown_report(record: RunRecord) -> str:
    """All that a record holds, as the text of one Markdown file. The same record, the same text."""
    lines = [f"<!-- {MARK} -->", "", f"# {escaped(record.name)}", ""]
    lines += [f"Report of {code(f'tacit {record.kind}')}, {day(record.made.when)}.", ""]
    for section in sections_of(record):
        lines += [f"## {section.title}", "", *_SECTIONS[section.id](record), ""]
    lines += ["---", "", f"Written by tacit {__version__}."]
    text = "\n".join(lines) + "\n"
    return writable(re.sub("\n{3,}", "\n\n", text))


def escaped(text: object) -> str:
    """Text in one line, in which nothing means anything to Markdown or to HTML."""
    return html.escape(_SPECIAL.sub(r"\\\1", readable(text)), quote=False)


def code(text: object) -> str:
    """Text in one line, word by word as it is."""
    shown = cell(str(text)).replace("|", "\\|")
    if not shown:
        return ""
    ticks = _fence(shown, least=1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{space}{shown}{space}{ticks}"


def block(text: str, language: str = "") -> list[str]:
    """Lines, as they are."""
    fence = _fence(text, least=3)
    return [f"{fence}{language}", text.rstrip("\n"), fence, ""]


def markdown_table(table: Table, *, titled: bool = False) -> list[str]:
    """A table; nothing where it is empty."""
    if not table:
        return []
    head = "| " + " | ".join(escaped(column.head) for column in table.columns) + " |"
    rule = "|" + "|".join("---:" if one.kind == "number" else "---" for one in table.columns) + "|"
    rows = ["| " + " | ".join(map(_cell, row, table.columns)) + " |" for row in table.rows]
    more = ["", f"and {table.left_out:,} more"] if table.left_out else []
    return [*([f"### {escaped(table.title)}", ""] if titled else []), head, rule, *rows, *more, ""]


def _cell(text: str, column: Column) -> str:
    return code(text) if column.kind == "code" else escaped(cell(text))


def _fence(text: str, least: int) -> str:
    """More backticks than stand together anywhere in a text."""
    return "`" * max(least, 1 + max(map(len, _TICKS.findall(text)), default=0))


def _learned(record: RunRecord) -> Iterator[str]:
    yield "; ".join(f"**{one.value}** {escaped(one.meaning)}" for one in key_figures(record)) + "."
    yield ""
    for paragraph in in_words(record):
        yield from (escaped(paragraph), "")
    if record.reason:
        yield from (f"Self-training ended: {escaped(record.reason)}.", "")


def _labels(record: RunRecord) -> Iterator[str]:
    for function in record.functions:
        if function.n_instances:
            yield from (f"### {code(function.name)}", "")
            yield from markdown_table(labels_table(function))
            yield from markdown_table(sureness_table(function))


def _growth(record: RunRecord) -> Iterator[str]:
    yield from markdown_table(snapshots_table(record), titled=True)
    yield from markdown_table(growth_table(record), titled=True)
    yield from markdown_table(additions_table(record, in_force=True), titled=True)
    yield from markdown_table(questions_table(record), titled=True)
    yield from markdown_table(additions_table(record, in_force=False), titled=True)


def _scores(record: RunRecord) -> Iterator[str]:
    for function in record.functions:
        gold = function.gold
        if gold is None or not gold.n:
            continue
        yield from (f"### {code(function.name)}", "")
        yield (
            f"Of {gold.n:,} gold labels, {exact_percent(gold.accuracy)} are met. Probabilities are "
            f"{points(gold.calibration_error)} off on average."
        )
        yield ""
        for table in (scores_table, confusion_table, calibration_table):
            yield from markdown_table(table(function))


def _evidence(record: RunRecord) -> Iterator[str]:
    yield from markdown_table(evidence_table(record))


def _instances(record: RunRecord) -> Iterator[str]:
    for one in record.instances:
        yield from _instance(record, one)


def _instance(record: RunRecord, one: InstanceRecord) -> Iterator[str]:
    yield from (f"### {code(one.id)}: {escaped(one.why)}", "")
    yield from block(long_text(one.text)) if one.text.strip() else ("It has no text.", "")
    pairs = zip(labels_of(record, one), one.posterior, strict=False)
    told = ", ".join(f"{code(name)} {exact_percent(share)}" for name, share in pairs)
    gold = ""
    if one.gold is not None:
        right = "right" if one.gold == best_label(record, one) else "wrong"
        gold = f"; {right}: gold is {code(one.gold)}"
    yield from (f"{code(one.function)}: {told}{gold}.", "")
    if one.explanation.get("note"):
        yield from (escaped(one.explanation["note"]), "")
    yield from markdown_table(parts_table(one.explanation))


def _health(record: RunRecord) -> Iterator[str]:
    last = record.snapshots[-1]
    for name, value in last.health.items():
        yield f"- {escaped(name.replace('_', ' '))}: {value:.3f}"


def _training(record: RunRecord) -> Iterator[str]:
    yield from markdown_table(rounds_table(record))


def _program(record: RunRecord) -> Iterator[str]:
    if record.seeds:
        yield from ("The seeds, as the expert wrote them:", "", *block(record.seeds))
    yield from ("The program with learned weights:", "", *block(record.program))


def _again(record: RunRecord) -> Iterator[str]:
    yield (
        "The same data, rules, seed and versions give the same numbers"
        f"{', with the same answers, which the ledger keeps' if record.questions else ''}. "
        f"It took {duration(record.made.seconds)}."
    )
    yield from ("", *block(record.made.command))
    yield from markdown_table(made_table(record), titled=True)
    yield from markdown_table(settings_table(record), titled=True)


def _notes(record: RunRecord) -> Iterator[str]:
    yield from (f"- {escaped(note)}" for note in record.notes)


_SECTIONS: dict[str, Callable[[RunRecord], Iterator[str]]] = {
    "learned": _learned,
    "labels": _labels,
    "growth": _growth,
    "scores": _scores,
    "evidence": _evidence,
    "instances": _instances,
    "health": _health,
    "training": _training,
    "program": _program,
    "again": _again,
    "notes": _notes,
}
