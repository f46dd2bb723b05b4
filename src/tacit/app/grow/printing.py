"""The report of `tacit grow` as tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.app.console import (
    NAME,
    NUMBER,
    Column,
    counted,
    percent,
    print_notes,
    print_table,
    print_title,
)
from tacit.app.grow.additions import Addition, again, in_force

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.app.grow.report import GrowReport

_STAGES = {"seeds": "your rules", "DPL": "+ network (DPL)", "S4": "+ learned (S4)"}
_MEANING = (
    ("coverage", "instances of which some rule speaks"),
    ("agreement", "of these, how often rules and network choose the same label"),
    ("remembered", "of what your rules say, how much the network says too"),
    ("imbalance", "how far the network's labels are from equally common"),
)
_BY_GOLD = "by your gold labels, which were used for this only"
_LEARNED = (
    Column("round", style=NUMBER),
    Column("label", style=NAME),
    Column("what speaks for it"),
)
ALIKE = "alike"  # two instances with one label, whichever that is
MOST = 100  # of what a cell lists; --list has all
_ANSWERS = {"reject": "rejected", "skip": "skipped"}


def print_grown(console: Console, report: GrowReport) -> None:
    """The tables and the notes, then where all was written and what to do next."""
    print_title(console, report.name, report.file)
    _print_stages(console, report)
    _print_learned(console, report)
    _print_taken_out(console, report)
    _print_questions(console, report)
    print_notes(console, report.notes)
    _print_end(console, report)


def _print_stages(console: Console, report: GrowReport) -> None:
    """The numbers of each stage; accuracies of several label functions get a table of their own."""
    from rich.text import Text

    scored = [*(report.stages[0].accuracy or {})]
    own_column = scored if len(scored) == 1 else []
    meaning = [*_MEANING, *([("accuracy", _BY_GOLD)] if own_column else [])]
    rows = [
        (
            _STAGES[own.name],
            f"{own.rules:,}",
            *map(_share, (own.coverage, own.agreement, own.remembered, own.imbalance)),
            *_shares(own.accuracy, own_column),
        )
        for own in report.stages
    ]
    columns = _columns(["", "rules", *(name for name, _ in meaning)])
    print_table(console, f"Before and after, predictor {report.predictor}", columns, rows)
    for name, told in meaning:
        console.print(Text(f"  {name:<10}  {told}", style="dim"), soft_wrap=True)
    console.print()
    if len(scored) > 1:
        rows = [(_STAGES[own.name], *_shares(own.accuracy, scored)) for own in report.stages]
        print_table(console, f"Accuracy {_BY_GOLD}", _columns(["", *scored]), rows)


def _print_learned(console: Console, report: GrowReport) -> None:
    """The rules in force, by round and label."""
    from rich.text import Text

    found = in_force(report.additions)
    if not found:
        console.print(Text("Nothing was learned that is in force.", style="bold"))
        console.print()
        return
    title = f"Learned: {counted(len(found), 'rule')}"
    print_table(console, title, _LEARNED, by_round_and_label(found, report.functions))


def by_round_and_label(
    found: Iterable[Addition], functions: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Rows of a round, a label and the words learned, in their order."""
    several = len(functions) > 1
    words: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for one in found:
        label = one.label or ALIKE
        label = f"{one.function} = {label}" if several else label
        order = one.round if one.round is not None else 10**9  # answers stand below
        words[order, "answers" if one.round is None else str(one.round), label].append(one.words)
    ordered = sorted(words, key=lambda key: (key[0], key[2]))
    return [(key[1], key[2], _some(words[key])) for key in ordered]


def _some(words: Sequence[str]) -> str:
    """Words, but no more than people read: pairs of instances may be hundreds."""
    more = len(words) - MOST
    shown = ", ".join(words[:MOST])
    return f"{shown} and {more:,} more" if more > 0 else shown


def _print_taken_out(console: Console, report: GrowReport) -> None:
    """What was rolled back or undone, a table for each reason."""
    groups: dict[str, list[Addition]] = defaultdict(list)
    for one in report.additions:
        if one.state != "in force":
            groups[_taken_out(one)].append(one)
    for why, own in groups.items():
        print_table(console, why, _LEARNED, by_round_and_label(own, report.functions))


def _taken_out(one: Addition) -> str:
    """How a rule was taken out, and why."""
    how = {"rolled back": "Taken back, because", "undone": "Undone"}[one.state]
    return f"{how} {one.why}"


def _print_questions(console: Console, report: GrowReport) -> None:
    """The answers, each with what it was given to."""
    if not report.budget and not report.questions:
        return
    by_answer: dict[str, list[str]] = defaultdict(list)
    for one in report.questions:
        by_answer[_ANSWERS.get(one.answer, one.answer)].append(one.feature)
    rows = [(answer, ", ".join(own)) for answer, own in by_answer.items()]
    of = f" of {report.budget:,}" if report.budget >= report.asked else ""
    title = f"Questions: {report.asked:,}{of} answered"
    columns = [Column("answer", style=NAME), Column("to")]
    print_table(console, title, columns, rows or [("-", "none yet")])


def _print_end(console: Console, report: GrowReport) -> None:
    from rich.text import Text

    lines = [
        (_ending(report), ""),
        (f"Program  {report.grown}", ""),
        (f"Ledger   {report.ledger}", ""),
        (f"Model    {report.run}", ""),
        ("", ""),
        (_summary(report), "bold green"),
        (f"Next: tacit predict {report.run} FILE", "dim"),
    ]
    if report.additions:
        told = f"      {again(report.file)} --list, or --undo NAME to take a rule out"
        lines.append((told, "dim"))
    for line, style in lines:
        console.print(Text(line, style=style), soft_wrap=True)


def _ending(report: GrowReport) -> str:
    """Why self-training ended; the guard ends it by taking a round back."""
    gone = {one.round for one in report.additions if one.why == report.reason}
    by_guard = f", and round {max(filter(None, gone))} was taken back" if any(gone) else ""
    return f"Self-training ended{by_guard}: {report.reason}."


def _summary(report: GrowReport) -> str:
    found = in_force(report.additions)
    rounds = counted(report.rounds, "round")
    answers = f" and {counted(report.asked, 'answer')}" if report.asked else ""
    learned = f"{counted(len(found), 'rule')} learned from {rounds}{answers}"
    return f"{learned}: {report.seconds:.1f} s."


def _columns(headers: Sequence[str]) -> list[Column]:
    """A column of names, and columns of numbers."""
    numbers = [Column(header, right=True, style=NUMBER) for header in headers[1:]]
    return [Column(headers[0], style=NAME), *numbers]


def _shares(given: Mapping[str, float] | None, names: Sequence[str]) -> list[str]:
    return [_share((given or {}).get(name)) for name in names]


def _share(share: float | None) -> str:
    return "-" if share is None else percent(share)
