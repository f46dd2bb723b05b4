"""`tacit grow --list` and `--undo`: what a program has learned, and how to take it out again."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.app.console import counted, make_console, print_json, warnings_as_notes
from tacit.app.grow.additions import (
    Addition,
    additions,
    again,
    as_dicts,
    in_force,
    print_additions,
)
from tacit.app.grow.files import (
    GrowFiles,
    another_run_is_a_choice,
    check_files,
    seed_text,
    write_grown,
)
from tacit.app.grow.reviewer import user_name
from tacit.app.project import load_project
from tacit.app.settings import find_settings, read_settings, shown
from tacit.errors import BadFile

if TYPE_CHECKING:
    from tacit.app.grow.run import GrowOptions
    from tacit.review.ledger import Ledger


def run_list(path: Path, options: GrowOptions, *, as_json: bool) -> int:
    """Print the additions in force."""
    file = read_settings(find_settings(path))
    files = GrowFiles.of(file, options.ledger, options.program)
    with _opened(files) as ledger:
        found = in_force(additions(ledger))
    if as_json:
        answer = {"ledger": shown(files.ledger), "additions": as_dicts(found)}
        print_json({"ok": True, "errors": []} | answer)
    else:
        print_additions(make_console(), file.shown, shown(files.ledger), found)
    return 0


def run_undo(path: Path, names: Sequence[str], options: GrowOptions, *, as_json: bool) -> int:
    """Take additions out, all or none of them, and write the grown program again."""
    file = read_settings(find_settings(path))
    files = GrowFiles.of(file, options.ledger, options.program)
    check_files(files)
    with _opened(files) as ledger:
        with redirect_stdout(sys.stderr), warnings_as_notes():
            gone = _undo(path, files, ledger, names)
        left = len(in_force(additions(ledger)))
    if as_json:
        answer = {"undone": as_dicts(gone), "left": left, "grown": shown(files.grown)}
        print_json({"ok": True, "errors": [], "ledger": shown(files.ledger)} | answer)
    else:
        _print_undone(gone, left, files, again(file.shown))
    return 0


def _undo(
    path: Path, files: GrowFiles, ledger: Ledger, names: Sequence[str]
) -> tuple[Addition, ...]:
    from tacit.learning.identity import program_fingerprint
    from tacit.review.events import Stamp
    from tacit.s4.book import Book

    project = load_project(path)
    with another_run_is_a_choice(ledger.path):
        book = Book(ledger, project.program, project.task)
    stamp = Stamp(user_name(), time.time(), book.data, program_fingerprint(book.program))
    with ledger.together():
        for name in dict.fromkeys(names):
            ledger.undo(name, stamp)
    write_grown(files, project, seed_text(files), book.program)
    return tuple(one for one in additions(ledger) if one.name in names)


def _opened(files: GrowFiles) -> Ledger:
    from tacit.review.ledger import Ledger

    if not files.ledger.exists():
        raise BadFile(
            f"there is no ledger {shown(files.ledger)}, so nothing was added yet",
            remedy="run tacit grow first, or name the ledger: --ledger FILE",
        )
    return Ledger(files.ledger, create=False)


def _print_undone(gone: Sequence[Addition], left: int, files: GrowFiles, command: str) -> None:
    from rich.text import Text

    console = make_console()
    for one in gone:
        console.print(Text(f"Taken out: {one.name}: {one.formula}"), soft_wrap=True)
    told = f"{shown(files.grown)} has {counted(left, 'learned rule')} now."
    console.print(Text(told, style="bold green"), soft_wrap=True)
    next_step = f"Next: {command}, which fits again without what was taken out"
    console.print(Text(next_step, style="dim"), soft_wrap=True)
