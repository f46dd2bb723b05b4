"""`tacit grow`: Algorithm 2 on a project; its ledger, the grown program and a saved run."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.choices import Reviewing
from tacit.app.console import make_console, print_json, print_note, warnings_as_notes
from tacit.app.failures import INTERRUPTED, is_interrupt
from tacit.app.fit.settings import predictor_kind, project_model
from tacit.app.fit.steps import Steps, n_trainings
from tacit.app.grow.additions import again
from tacit.app.grow.files import (
    GrowFiles,
    another_run_is_a_choice,
    check_files,
    move_aside,
    seed_text,
    write_grown,
)
from tacit.app.grow.lines import TerminalLines
from tacit.app.grow.printing import print_grown
from tacit.app.grow.progress import GrowProgress, Show
from tacit.app.grow.report import GrowReport, grow_report
from tacit.app.grow.reviewer import MakeReviewer, Watched, reviewer_for
from tacit.app.grow.settings import RELATIONS, growing_model
from tacit.app.one_at_a_time import only_one
from tacit.app.project import Project, load_project, require_data
from tacit.app.records import GrowRecorder, Start, move_record
from tacit.app.settings import SettingsFile, find_settings, read_settings, shown
from tacit.errors import UnknownPredicate

if TYPE_CHECKING:
    from tacit.review.ledger import Ledger
    from tacit.s4.estimator import S4
    from tacit.s4.run import Progress


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


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowSetting:
    """In what setting a program grows: who looks on, and what others are told who come second."""

    show: Show
    listeners: tuple[Progress, ...] = ()  # told of each program that was fitted
    stop: Callable[[], bool] = _never  # whether to wait for no more answers from a queue
    what: str = "tacit grow"
    address: str | None = None  # where it can be seen
    start: Start = field(default_factory=Start)  # when, and by which command


def run_grow(path: Path, options: GrowOptions, *, as_json: bool) -> int:
    """Grow, save and print; mistakes are raised."""
    require_data(path, "learn from")
    begun = time.perf_counter()
    file = read_settings(find_settings(path))
    files = GrowFiles.of(file, options.ledger, options.program)
    show = TerminalLines(quiet=as_json, elsewhere=_elsewhere(file, options))
    try:
        # What the user's own Python code prints must not mix with the answer.
        with redirect_stdout(sys.stderr), warnings_as_notes() as heard:
            setting = GrowSetting(show=show)
            report = grow_project(load_project(path), file, files, options, heard, setting)
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
    setting: GrowSetting,
) -> GrowReport:
    """Grow a project's program, or go on growing it, and save what was learned."""
    from tacit.learning.checkpoints import remove_checkpoint
    from tacit.learning.saving import check_target, save
    from tacit.report.record import RECORD, record_text
    from tacit.review.ledger import Ledger

    kind = predictor_kind(file, options.predictor)
    out = (options.out or Path(file.file(f"runs/s4-{kind}"))).absolute()
    checkpoint = out.with_name(f".{out.name}.grown.checkpoint")
    check_target(out)
    check_files(files)
    text = seed_text(files)
    model, reviewer = _model(kind, project, file, options, setting)
    with only_one(files.ledger, "grow", what=setting.what, address=setting.address):
        aside = _begin_anew(files, checkpoint) if options.fresh else None
        with Ledger(files.ledger) as ledger:
            resumed = len(ledger.history())
            recorder = GrowRecorder(
                project, kind, ledger, seeds=text, budget=model.budget, start=setting.start
            )
            listeners = [*setting.listeners, recorder.tell]
            with GrowProgress(ledger, heard, setting.show, model.budget, listeners) as progress:
                if reviewer is not None:
                    model.reviewer = Watched(reviewer(ledger), progress)
                _fit(model, project, file, ledger, checkpoint, progress)
            write_grown(files, project, text, model.program_)
            told = _places(files, out) | {"predictor": kind, "resumed": resumed}
            report = grow_report(project, model, ledger, shown=told)
            notes = (*progress.notes_on(model.program_), *project.notes, *_notes(report, aside))
            record = recorder.finished(model, notes)
            save(model.model_, out, beside={RECORD: record_text(record)})
            remove_checkpoint(checkpoint)
    return replace(report, notes=notes)


def _model(
    kind: str, project: Project, file: SettingsFile, options: GrowOptions, setting: GrowSetting
) -> tuple[S4, MakeReviewer | None]:
    """What grows, and who answers, if anybody does."""
    budget = options.budget if options.budget is not None else file.settings.grow.get("budget", 0)
    asked_for = options.budget is not None
    reviewer = reviewer_for(options.reviewer, budget, asked_for=asked_for, stop=setting.stop)
    model = growing_model(
        project_model(project, file, kind),
        file.settings.grow,
        budget=budget if reviewer is not None else 0,
        rounds=options.rounds,
    )
    model.config()  # refuses settings that mean nothing, before a ledger is moved
    return model, reviewer


def _begin_anew(files: GrowFiles, checkpoint: Path) -> Path | None:
    """Forget a run of before; its ledger, if there is one, is kept under another name."""
    from tacit.learning.checkpoints import remove_checkpoint

    aside = move_aside(files.ledger)
    if aside is not None:
        move_record(files.ledger, aside)
    remove_checkpoint(checkpoint)
    return aside


def _fit(
    model: S4,
    project: Project,
    file: SettingsFile,
    ledger: Ledger,
    checkpoint: Path,
    progress: GrowProgress,
) -> None:
    """Grow, and tell of it."""
    assert model.dpl is not None
    steps = Steps(progress.show.learning, n_trainings(model.dpl, project))
    try:
        with another_run_is_a_choice(ledger.path):
            model.fit(
                project.task,
                project.program,
                ledger=ledger,
                checkpoint=checkpoint,
                progress=progress.tell,
                before_fit=progress.show.fitting,
                last_training=steps.progress,
            )
    except UnknownPredicate as error:
        if RELATIONS in file.settings.grow:
            error.place = error.place or file.place("grow", RELATIONS)
        raise


def _places(files: GrowFiles, out: Path) -> dict[str, Any]:
    """Where all was written."""
    return {"grown": shown(files.grown), "ledger": shown(files.ledger), "run": shown(out)}


def _elsewhere(file: SettingsFile, options: GrowOptions) -> str | None:
    """The command with which others answer, if they do."""
    if options.reviewer is not Reviewing.QUEUE:
        return None
    command = again(file.shown).replace("tacit grow", "tacit review", 1)
    return f"{command} --ledger {shlex.quote(str(options.ledger))}" if options.ledger else command


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
