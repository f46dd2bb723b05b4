"""`tacit grow`: Algorithm 2 on a project; its ledger, the grown program and a saved run."""

from __future__ import annotations

import os
import sys
import time
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.app.choices import Reviewing
from tacit.app.console import make_console, print_json, print_note, warnings_as_notes
from tacit.app.failures import INTERRUPTED, is_interrupt
from tacit.app.fit_settings import predictor_kind, project_model
from tacit.app.grow_additions import again
from tacit.app.grow_files import (
    GrowFiles,
    another_run_is_a_choice,
    check_files,
    move_aside,
    seed_text,
    write_grown,
)
from tacit.app.grow_print import print_grown
from tacit.app.grow_progress import GrowProgress, Undisturbed
from tacit.app.grow_report import GrowReport, grow_report
from tacit.app.grow_reviewer import reviewer_for
from tacit.app.grow_settings import RELATIONS, growing_model
from tacit.app.project import Project, load_project, require_data
from tacit.app.settings import SettingsFile, find_settings, read_settings, shown
from tacit.errors import UnknownPredicate

if TYPE_CHECKING:
    from tacit.review.ledger import Ledger
    from tacit.s4.estimator import S4


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowOptions:
    """What the command line asks for."""

    predictor: str | None = None
    budget: int | None = None
    reviewer: Reviewing | None = None
    rounds: int | None = None
    out: Path | None = None
    program: Path | None = None
    ledger: Path | None = None
    fresh: bool = False


def run_grow(path: Path, options: GrowOptions, *, as_json: bool) -> int:
    """Grow, save and print; mistakes are raised."""
    require_data(path, "learn from")
    begun = time.perf_counter()
    # Torch and belief propagation each have threads: those that wait must not keep the cores busy.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    file = read_settings(find_settings(path))
    files = GrowFiles.of(file, options.ledger, options.program)
    try:
        # What the user's own Python code prints must not mix with the answer.
        with redirect_stdout(sys.stderr), warnings_as_notes() as heard:
            report = grow_project(load_project(path), file, files, options, heard, quiet=as_json)
    except (Exception, KeyboardInterrupt) as error:
        if not is_interrupt(error):
            raise
        return _interrupted(files)
    report = replace(report, seconds=time.perf_counter() - begun)
    if as_json:
        print_json({"ok": True, "errors": []} | report.as_dict())
    else:
        print_grown(make_console(), report)
    return 0


def grow_project(
    project: Project,
    file: SettingsFile,
    files: GrowFiles,
    options: GrowOptions,
    heard: list[str],
    *,
    quiet: bool,
) -> GrowReport:
    """Grow a project's program, or go on growing it, and save what was learned."""
    from tacit.learning.saving import check_target
    from tacit.review.ledger import Ledger

    kind = predictor_kind(file, options.predictor)
    out = (options.out or Path(file.file(f"runs/s4-{kind}"))).absolute()
    check_target(out)
    check_files(files)
    text = seed_text(files)
    dpl = project_model(project, file, kind)
    budget = options.budget if options.budget is not None else file.settings.grow.get("budget", 0)
    reviewer = reviewer_for(options.reviewer, budget, asked_for=options.budget is not None)
    budget = budget if reviewer is not None else 0
    model = growing_model(dpl, file.settings.grow, reviewer, budget=budget, rounds=options.rounds)
    model.config()  # refuses settings that mean nothing, before a ledger is moved
    aside = move_aside(files.ledger) if options.fresh else None
    with Ledger(files.ledger) as ledger:
        resumed = len(ledger.history())
        with GrowProgress(ledger, heard, quiet=quiet) as progress:
            _fit(model, project, file, ledger, progress)
        write_grown(files, project, text, model.program_)
        model.save(out)
        told = {
            "grown": shown(files.grown),
            "ledger": shown(files.ledger),
            "run": shown(out),
            "predictor": kind,
            "resumed": resumed,
        }
        report = grow_report(project, model, ledger, shown=told)
    notes = [*progress.notes_on(model.program_), *project.notes, *_notes(report, aside)]
    return replace(report, notes=tuple(notes))


def _fit(
    model: S4, project: Project, file: SettingsFile, ledger: Ledger, progress: GrowProgress
) -> None:
    """Grow, with lines that tell of it."""
    if model.reviewer is not None:
        model.reviewer = Undisturbed(model.reviewer, progress)
    try:
        with another_run_is_a_choice(ledger.path):
            model.fit(project.task, project.program, ledger=ledger, progress=progress.tell)
    except UnknownPredicate as error:
        if RELATIONS in file.settings.grow:
            error.place = error.place or file.place("grow", RELATIONS)
        raise


def _notes(report: GrowReport, aside: Path | None) -> list[str]:
    """What else deserves a look."""
    notes = []
    if aside is not None:
        notes.append(f"the ledger of before is kept as {shown(aside)}")
    if report.resumed:
        anew = f"{again(report.file)} --fresh"
        notes.append(f"went on where {report.ledger} stood; to begin anew: {anew}")
    if report.asked < report.budget:
        left = f"questions left: {report.budget - report.asked} of {report.budget}"
        more = "the same command goes on asking" if report.waiting else "but nothing to ask about"
        notes.append(f"{left}; {more}")
    return notes


def _interrupted(files: GrowFiles) -> int:
    """Say how to go on."""
    if files.ledger.exists():
        console = make_console(stderr=True)
        told = f"all rounds and answers so far are in {shown(files.ledger)}"
        print_note(console, f"{told}: the same command goes on from there")
    return INTERRUPTED
