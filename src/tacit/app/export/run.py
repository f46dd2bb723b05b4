"""`tacit export`: what a run has learned, as other programs read it."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.app.console import (
    NAME,
    NUMBER,
    Column,
    counted,
    make_console,
    percent,
    print_json,
    print_notes,
    print_table,
    print_title,
    warnings_as_notes,
)
from tacit.app.export.command import ExportFormat
from tacit.app.export.reading import origin, read_labelled
from tacit.app.export.writing import (
    WITHOUT_PROBABILITIES,
    check_target,
    format_of,
    write_classifier,
    write_labelled,
    write_votes,
)
from tacit.app.progress import progress_bar
from tacit.app.project import load_project, require_data
from tacit.app.saved_runs import SavedRun, find_project, find_run, meant_function, read_run
from tacit.app.settings import SettingsFile, shown
from tacit.errors import BadInput, listed

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.report.exports.votes_matrix import VoteMatrix

MOST_NAMED = 4  # pieces of evidence in a note


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What the command line asks for."""

    to: Path
    run: str | None = None
    kind: ExportFormat | None = None
    function: str | None = None
    hard: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, in numbers."""

    name: str
    file: str  # the tacit.toml
    run: str
    function: str
    format: str
    out: tuple[str, ...]
    rows: int | None  # instances; None for a classifier, which has none
    labels: dict[str, int | None]  # how many instances have each label, where that is written
    sources: int | None = None  # columns of a label matrix
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return asdict(self)


def run_export(path: Path, options: ExportOptions, *, as_json: bool) -> int:
    """Write and print; mistakes are raised."""
    require_data(path, "export")
    begun = time.perf_counter()
    # What the user's own Python code prints must not mix with the answer.
    with redirect_stdout(sys.stderr), warnings_as_notes() as heard:
        exported = export_run(path, options)
    notes = (*heard, *exported.notes)
    exported = replace(exported, notes=notes, seconds=time.perf_counter() - begun)
    if as_json:
        print_json({"ok": True, "errors": []} | exported.as_dict())
    else:
        print_exported(make_console(), exported)
    return 0


def export_run(path: Path, options: ExportOptions) -> Exported:
    """Write what a run has learned in the format that is asked for."""
    kind = format_of(options.to, options.kind)
    if options.hard and kind in WITHOUT_PROBABILITIES:
        raise BadInput(f"{kind} has no probabilities to leave out", remedy="leave --hard out")
    check_target(options.to, kind, force=options.force)
    file = find_project(path)
    run = read_run(find_run(path, options.run))
    function = meant_function(run.folder, list(run.labels), options.function)
    name = file.settings.name or file.path.absolute().parent.name
    if kind is ExportFormat.SNORKEL:
        return _export_votes(path, file, run, function, options)
    labels = run.labels[function]
    exported = Exported(
        name, file.shown, shown(run.folder), function, str(kind), (), None, dict.fromkeys(labels)
    )
    if kind is ExportFormat.SKLEARN:
        about = origin(name, run, function)
        out = write_classifier(options.to, run.folder, function, about)
        return replace(exported, out=tuple(map(shown, out)))
    with progress_bar("writing", time_left=True) as tell:
        labelled, notes = read_labelled(file, name, run, function)
        out = write_labelled(options.to, kind, labelled, hard=options.hard, progress=tell)
    counts = np.bincount(labelled.chosen, minlength=len(labels)).tolist()
    return replace(
        exported,
        out=tuple(map(shown, out)),
        rows=len(labelled),
        labels=dict(zip(labels, counts, strict=True)),
        notes=tuple(notes),
    )


def _export_votes(
    path: Path, file: SettingsFile, run: SavedRun, function: str, options: ExportOptions
) -> Exported:
    """Ground the program of the run again, and write the votes of its evidence."""
    from tacit.learning.cautions import groundable
    from tacit.report.exports.votes_matrix import vote_matrix

    with progress_bar("grounding") as tell:
        project = load_project(path)
        if tell is not None:
            tell(0, 1, "the program of the run")
        program = groundable(run.program, project.task)
        found = vote_matrix(project.task, program, function)
        out = write_votes(options.to, found)
    return Exported(
        project.name,
        file.shown,
        shown(run.folder),
        function,
        str(ExportFormat.SNORKEL),
        tuple(map(shown, out)),
        len(found.matrix),
        dict.fromkeys(found.labels),
        len(found.sources),
        tuple(_vote_notes(found, run, project.task.fingerprint())),
    )


def _vote_notes(found: VoteMatrix, run: SavedRun, data: str) -> list[str]:
    """What a reader of the matrix should know."""
    notes = []
    if found.left_out:
        notes.append(
            "without a column, as it matches nothing or is no vote on a single label: "
            f"{listed(found.left_out, MOST_NAMED)}"
        )
    if data != run.about["task"]:
        notes.append("the data are others than those that the run has learned from")
    return notes


def print_exported(console: Console, exported: Exported) -> None:
    """What was written, and where it is."""
    from rich.text import Text

    print_title(console, exported.name, exported.file)
    counts = [n for n in exported.labels.values() if n is not None]
    if exported.rows and counts:
        columns = [Column("label", style=NAME)]
        columns += [Column(header, right=True, style=NUMBER) for header in ("instances", "share")]
        pairs = zip(exported.labels, counts, strict=True)
        rows = [(label, f"{n:,}", percent(n / exported.rows)) for label, n in pairs]
        print_table(console, f"{exported.function}, by {exported.run}", columns, rows)
    print_notes(console, exported.notes)
    done = f"{_what(exported)} in {_both(exported.out)}: {exported.seconds:.1f} s."
    console.print(Text(done, style="bold green"), soft_wrap=True)


def _what(exported: Exported) -> str:
    """What was written, in a few words."""
    if exported.rows is None:
        return f"A classifier of {exported.function}"
    if exported.sources is None:
        return f"{counted(exported.rows, 'instance')} as {exported.format}"
    sources = counted(exported.sources, "source")
    return f"The votes of {sources} on {counted(exported.rows, 'instance')}"


def _both(names: Sequence[str]) -> str:
    return " and ".join(names)
