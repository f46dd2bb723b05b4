"""`tacit explain`: why an instance has its label, by a saved run of its project."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.console import (
    NAME,
    NUMBER,
    Column,
    make_console,
    print_json,
    print_note,
    print_table,
    print_title,
    warnings_as_notes,
)
from tacit.app.explain.explained_run import Explained, ExplainedRun, explained_run
from tacit.app.explain.instances import Search, cut_around
from tacit.app.project import require_data
from tacit.app.settings import shown
from tacit.errors import BadInput
from tacit.learning.layout import cut, signed

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.learning.explanation import Explanation, Part

LISTED = 10  # instances in doubt, unless a number is given
MOST_PARTS = 30  # lines of an explanation
LONGEST_TEXT = 800  # characters of the instance's text
WIDEST_BAR = 12
NARROW = 100  # columns; a terminal with fewer gets shorter bars and names
WIDEST_NAME, WIDEST_REASON, WIDEST_LABEL = 32, 60, 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    """What the command line asks for."""

    instance: str | None = None
    run: str | None = None
    function: str | None = None
    label: str | None = None
    against: str | None = None
    doubtful: int | None = None


def run_explain(path: Path, options: ExplainOptions, *, as_json: bool) -> int:
    """Explain one instance, or list those in doubt; mistakes are raised."""
    require_data(path, "explain")
    if options.instance is not None and options.doubtful is not None:
        raise BadInput(
            "an instance and --doubtful are two different things to ask for",
            remedy="give one of them at a time",
        )
    # What the user's own Python code prints must not mix with the answer.
    with redirect_stdout(sys.stderr), warnings_as_notes() as heard:
        run = explained_run(path, options.run)
        if options.instance is None:
            answer: dict[str, Any] = _doubtful(run, options)
        else:
            explained = run.explain(
                options.instance, options.function, label=options.label, against=options.against
            )
            answer = explained.as_dict()
    about = {"project": run.project.name, "run": shown(run.folder)}
    if as_json:
        print_json({"ok": True, "errors": []} | about | answer | {"notes": heard})
        return 0
    console = make_console()
    print_title(console, run.project.name, shown(run.folder))
    if options.instance is None:
        _print_doubtful(console, answer, _next(path, options, answer))
    else:
        _print_explained(console, explained)
    for note in heard:
        print_note(make_console(stderr=True), note)
    return 0


def _doubtful(run: ExplainedRun, options: ExplainOptions) -> dict[str, Any]:
    """The instances whose labels are least sure."""
    if options.against is not None:
        raise BadInput("--against says nothing without an instance", remedy="name an instance")
    function = run.function(options.function)
    asked = Search(label=options.label, most=options.doubtful or LISTED)
    rows, total = run.instances(function).search(asked)
    return {"function": function, "rows": rows, "total": total}


def _next(path: Path, options: ExplainOptions, answer: dict[str, Any]) -> str:
    """The command that explains the first instance of a list."""
    command = ["tacit", "explain", shown(path), *(str(row["id"]) for row in answer["rows"][:1])]
    for name in ("run", "function"):
        given = getattr(options, name)
        command += [] if given is None else [f"--{name}", given]
    return shlex.join(command)


def _print_doubtful(console: Console, answer: dict[str, Any], next_command: str) -> None:
    """A line for each instance, and how to go on."""
    from rich.text import Text

    rows = answer["rows"]
    has_gold = any(row["gold"] is not None for row in rows)
    columns = [
        Column("instance", style=NAME),
        Column("label"),
        Column("probability", right=True, style=NUMBER),
        *([Column("gold")] if has_gold else []),
        Column("text"),
    ]
    cells = [
        [
            str(row["id"]),
            row["label"],
            f"{row['probability']:.3f}",
            *([row["gold"] or ""] if has_gold else []),
            cut(row["text"], 100),
        ]
        for row in rows
    ]
    title = f"{answer['function']}: the {len(rows)} most in doubt of {answer['total']:,}"
    print_table(console, title, columns, cells)
    if rows:
        console.print(Text(f"Next: {next_command}", style="bold"), soft_wrap=True)


def _print_explained(console: Console, explained: Explained) -> None:
    """The text of an instance, its labels, and the parts that add up to them."""
    from rich.text import Text

    found = explained.explanation
    console.print(Text(f"{found.function}({found.instance})", style="bold"), soft_wrap=True)
    if explained.text:
        text = Text(cut_around(explained.text, longest=LONGEST_TEXT), style="italic")
        for piece in text.wrap(console, max(console.width - 2, 20)):
            console.print(Text("  ").append_text(piece), soft_wrap=True)
    console.print()
    _print_labels(console, explained)
    if not found.parts:
        console.print("nothing is said of it")
        return
    title = f"Log-odds of {found.label} against {found.against}: {signed(found.log_odds)}"
    if found.note:
        title = f"{title} ({found.note})"
    columns = [
        Column("adds", right=True, style=NUMBER),
        Column(f"for {cut(found.against, WIDEST_LABEL)}", right=True, style="red"),
        Column(f"for {cut(found.label, WIDEST_LABEL)}", style="green"),
        Column("evidence", style=NAME),
        Column("weight"),
        Column("because"),
        Column("formula", style="dim"),
    ]
    print_table(console, title, columns, _cells(found, console))


def _print_labels(console: Console, explained: Explained) -> None:
    """The probability of each label, with a bar; the most probable first."""
    found = explained.explanation
    ranked = sorted(found.probabilities.items(), key=lambda item: -item[1])
    mark = "█" if console.is_terminal else "#"
    rows = [
        (
            label,
            f"{share:.3f}",
            f"{explained.network[label]:.3f}" if explained.network else "",
            "gold" if label == explained.gold else "",
            mark * round(20 * share),
        )
        for label, share in ranked
    ]
    columns = [
        Column("label", style=NAME),
        Column("probability", right=True, style=NUMBER),
        Column("network" if explained.network else "", right=True),
        Column("gold" if explained.gold else ""),
        Column("", style="green"),
    ]
    print_table(console, "Labels", columns, rows)


def _cells(found: Explanation, console: Console) -> list[list[str]]:
    """A row for each part; the smallest are summed up in one."""
    parts, left = found.parts[:MOST_PARTS], found.parts[MOST_PARTS:]
    narrow = console.is_terminal and console.width < NARROW
    rows = [
        [
            signed(part.contribution),
            *bars,
            cut(part.name, WIDEST_NAME // 2 if narrow else WIDEST_NAME),
            part.weight_text,
            found.reason(part),
            part.formula,
        ]
        for part, bars in zip(parts, _bars(parts, console, narrow), strict=True)
    ]
    if left:
        total = signed(sum(part.contribution for part in left))
        rows.append([total, "", "", f"{len(left)} smaller parts", "", "", ""])
    # What is left of a line is for the reason; the formula may have lines of its own.
    taken = sum(max(len(row[at]) for row in rows) + 2 for at in range(5)) + 4
    room = max(console.width - taken, WIDEST_LABEL)
    return [[*row[:5], cut(row[5], min(room, WIDEST_REASON)), row[6]] for row in rows]


def _bars(parts: Sequence[Part], console: Console, narrow: bool) -> list[tuple[str, str]]:
    """For each part two bars, of which one is empty: what it says against the label, and for it."""
    for_it, against = ("█", "█") if console.is_terminal else ("+", "-")
    widest = WIDEST_BAR // 2 if narrow else WIDEST_BAR
    sizes = [abs(part.contribution) for part in parts if math.isfinite(part.contribution)]
    largest = max(sizes, default=0.0) or 1.0
    bars = []
    for part in parts:
        worth = part.contribution
        share = 1.0 if math.isinf(worth) else abs(worth) / largest
        length = 0 if math.isnan(worth) else math.ceil(widest * share - 1e-9)
        bars.append(("", for_it * length) if worth > 0 else (against * length, ""))
    return bars
