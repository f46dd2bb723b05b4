"""`tacit ground`: ground a project's program, and print what each formula becomes and costs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tacit.app.console import (
    NAME,
    NUMBER,
    Column,
    counted,
    make_console,
    print_json,
    print_notes,
    print_table,
    print_title,
    warnings_as_notes,
)
from tacit.app.ground.facts import BatchFacts, GroundReport, ground_report
from tacit.app.progress import progress_bar
from tacit.app.project import Project, load_project, require_data
from tacit.app.settings import shown
from tacit.errors import BadInput, EngineFailed, TooLarge, listed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from tacit.grounding import GroundFactors

_MEMORY = re.compile(r"\s*(\d+(\.\d+)?)\s*([KMGT]i?B)\s*", re.IGNORECASE)
_MOST_NAMES = 8  # of a batch in a table on a terminal; a pipe and --explain get all
_LEGEND = (
    "In the SQL, c0, c1, ... are the arguments of a predicate, and s0, s1, ... the instances whose "
    "labels a grounding is about; a CROSS JOIN with a condition below runs as a hash join. An "
    "estimate is a bound from the sizes of the tables; only where that exceeds the limit are the "
    "joins looked at more closely."
)
# What the library says of its arguments, as options of this command.
_IN_OPTIONS = {
    "or raise the limit": "or raise the limit: --limit N",
    "or raise the limit: DuckDBEngine(memory_limit=...)": "or raise the limit: --memory-limit 8GB",
    "or spill elsewhere: DuckDBEngine(spill_to=...)": "or spill elsewhere: --spill-to DIR",
}


@dataclass(frozen=True, slots=True)
class GroundOptions:
    """How to ground, as the command line gives it."""

    limit: float | None = None  # rows of one join; None: the library's own limit
    memory_limit: str | None = None
    spill_to: Path | None = None


def run_ground(path: Path, options: GroundOptions, *, as_json: bool, explain: bool) -> int:
    """Check, ground and print; mistakes are raised."""
    _check_options(path, options)
    # What the user's own Python code prints must not mix with the answer.
    with redirect_stdout(sys.stderr), warnings_as_notes() as heard:
        project = load_project(path)
        factors = _ground(project, options)
    report = ground_report(project, factors, (*heard, *project.notes))
    if as_json:
        print_json({"ok": True, "errors": []} | report.as_dict())
    else:
        print_report(make_console(), report, explain=explain)
    return 0


def _check_options(path: Path, options: GroundOptions) -> None:
    """Refuse what no grounding could work with, before anything is read."""
    require_data(path, "ground it on")
    if options.limit is not None and not options.limit >= 1:
        raise BadInput(
            f"--limit {options.limit:g} is no number of rows", remedy="give one such as 1e8"
        )
    memory = options.memory_limit
    if memory is not None:
        match = _MEMORY.fullmatch(memory)
        if match is None or float(match[1]) == 0:
            raise BadInput(
                f"--memory-limit '{memory}' is no size", remedy="give one such as 500MB or 4GB"
            )


def _ground(project: Project, options: GroundOptions) -> GroundFactors:
    """The ground factors, with a progress bar where this takes long."""
    from tacit.grounding import DuckDBEngine, ground_factors
    from tacit.grounding.ground import LIMIT

    limit = LIMIT if options.limit is None else options.limit
    with _spill_folder(options.spill_to) as folder, _in_terms_of_options():
        engine = DuckDBEngine(memory_limit=options.memory_limit, spill_to=folder)
        try:
            with progress_bar("grounding") as progress:
                return ground_factors(
                    project.program, project.task, engine=engine, limit=limit, progress=progress
                )
        finally:
            engine.close()


@contextmanager
def _spill_folder(parent: Path | None) -> Iterator[str]:
    """A folder for what does not fit into memory, which is gone afterwards, whatever happens."""
    try:
        folder = TemporaryDirectory(prefix="tacit-ground-", dir=parent, ignore_cleanup_errors=True)
    except OSError as error:
        raise BadInput(
            f"--spill-to {shown(parent) if parent else ''}: {error.strerror or error}",
            remedy="give a folder that exists and can be written to",
        ) from error
    with folder as path:
        yield os.path.abspath(path)  # noqa: PTH100 - the user's links stay as they are


@contextmanager
def _in_terms_of_options() -> Iterator[None]:
    """Let remedies name the options of this command, not arguments in Python."""
    try:
        yield
    except (TooLarge, EngineFailed) as error:
        for said, instead in _IN_OPTIONS.items():
            if error.remedy and error.remedy.endswith(said):
                error.remedy = error.remedy.removesuffix(said) + instead
        raise
    except MemoryError as error:
        raise EngineFailed(
            "the ground factors do not fit into memory",
            remedy="narrow the condition of the largest formula: see tacit check",
        ) from error


def print_report(console: Console, report: GroundReport, *, explain: bool) -> None:
    """Each batch with its result and its cost, then one line that sums up."""
    from rich.text import Text

    print_title(console, report.name, report.file)
    if explain:
        _print_queries(console, report)
    if report.batches:
        _print_batches(console, report)
    print_notes(console, report.notes)
    total = report.total
    console.print(
        Text(
            f"{counted(total.variables, 'variable')}, {counted(total.weights, 'weight')}, "
            f"{counted(total.factors, 'factor')}: {total.seconds:.2f} s, {_size(total.bytes)}.",
            style="bold green",
        ),
        soft_wrap=True,
    )


def _print_batches(console: Console, report: GroundReport) -> None:
    # The formulas come last: of a batch of a hundred, a terminal wraps the names.
    columns = (
        Column("rows", right=True, style=NUMBER),
        Column("seconds", right=True, style=NUMBER),
        Column("memory", right=True, style=NUMBER),
        Column("result"),
        Column("formulas", style=NAME),
    )
    rows = [
        (
            f"{batch.rows:,}",
            f"{batch.seconds:.3f}",
            _size(batch.bytes),
            _result(batch),
            listed(batch.names, _MOST_NAMES if console.is_terminal else len(batch.names)),
        )
        for batch in report.batches
    ]
    silent = [number for number, batch in enumerate(report.batches) if not batch.rows]
    print_table(console, "Ground factors", columns, rows, marked=silent)


def _result(batch: BatchFacts) -> str:
    """What a batch became, in words."""
    said = []
    if batch.unary_entries:
        said.append(counted(batch.unary_entries, "unary count"))
    if batch.table_factors:
        said.append(counted(batch.table_factors, "table factor"))
    if batch.groups:
        said.append(f"{counted(batch.groups, 'group')} of {counted(batch.group_members, 'label')}")
    if batch.expectations:
        shares = counted(batch.expectations, "share")
        said.append(f"{shares} of {counted(batch.expectation_members, 'label')}")
    return ", ".join(said) or "nothing"


def _print_queries(console: Console, report: GroundReport) -> None:
    """For each batch its formulas, the rows expected and found, and the SQL that found them."""
    from rich.text import Text

    for batch in report.batches:
        first, *others = batch.names
        _print_wrapped(console, Text.assemble((first, f"bold {NAME}"), f"  {batch.formula}"))
        if others:
            _print_wrapped(console, Text(f"  and alike: {', '.join(others)}", style=NAME))
        cost = f"{batch.seconds:.3f} s, {_size(batch.bytes)}"
        rows = f"estimate {_estimate(batch)}, found {counted(batch.rows, 'row')}"
        console.print(f"  {rows}; {cost}", soft_wrap=True)
        for query in batch.queries:
            console.print()
            for line in query.splitlines():
                console.print(f"    {line}", soft_wrap=True)
        console.print()
    if report.batches:
        _print_wrapped(console, Text(_LEGEND, style="dim"))
        console.print()


def _print_wrapped(console: Console, text: Text) -> None:
    """A line that may be too long for a terminal, broken between words."""
    for piece in text.wrap(console, console.width):
        console.print(piece, soft_wrap=True)


def _estimate(batch: BatchFacts) -> str:
    """How many rows were expected."""
    return "none" if batch.estimate is None else f"{batch.estimate:,.0f}"


def _size(number: float) -> str:
    """A number of bytes in the largest unit that keeps it above 1."""
    if number < 1000:
        return f"{number:.0f} B"
    for unit in ("kB", "MB", "GB"):
        number /= 1000
        if number < 999.95:
            return f"{number:.1f} {unit}"
    return f"{number / 1000:.1f} TB"
