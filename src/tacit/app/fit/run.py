"""`tacit fit`: Algorithm 1 on a project, with a progress bar, checkpoints and a saved run."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.app.console import make_console, print_json, warnings_as_notes
from tacit.app.fit.report import FitReport, fit_report, print_fit
from tacit.app.fit.settings import predictor_kind, project_model
from tacit.app.fit.steps import Steps, n_trainings
from tacit.app.progress import progress_bar
from tacit.app.project import Project, load_project, require_data
from tacit.app.records import Start, fit_record
from tacit.app.settings import SettingsFile, find_settings, read_settings, shown
from tacit.app.written_files import require_writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.learning.dpl import DPL


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What the command line asks for."""

    predictor: str | None = None
    out: Path | None = None
    rounds: int | None = None
    resume: bool = True


def run_fit(path: Path, options: FitOptions, *, as_json: bool) -> int:
    """Fit, save and print; mistakes are raised."""
    require_data(path, "learn from")
    start = Start()
    # What the user's own Python code prints must not mix with the answer.
    with redirect_stdout(sys.stderr), warnings_as_notes() as heard:
        project = load_project(path)
        file = read_settings(find_settings(path))
        report = fit_project(project, file, options, start, heard)
    report = replace(report, seconds=start.seconds)
    if as_json:
        print_json({"ok": True, "errors": []} | report.as_dict())
    else:
        print_fit(make_console(), report)
    return 0


def fit_project(
    project: Project,
    file: SettingsFile,
    options: FitOptions,
    start: Start,
    heard: Sequence[str] = (),
) -> FitReport:
    """Learn from a project, or go on learning, and save what was learned with its record."""
    from tacit.learning.checkpoints import remove_checkpoint, rounds_done
    from tacit.learning.saving import check_target, save
    from tacit.report.record import RECORD, record_text

    kind = predictor_kind(file, options.predictor)
    out = (options.out or Path(file.file(f"runs/{kind}"))).absolute()
    check_target(out)
    require_writable(out)
    checkpoint = out.with_name(f".{out.name}.checkpoint")
    if not options.resume:
        remove_checkpoint(checkpoint)
    model = project_model(project, file, kind, options.rounds)
    resumed = rounds_done(checkpoint)
    _fit(model, project, checkpoint)
    report = fit_report(project, model, kind, shown(out), resumed)
    report = report.with_notes(heard, project.notes)
    record = fit_record(project, model, kind, start, report.notes)
    save(model, out, beside={RECORD: record_text(record)})
    remove_checkpoint(checkpoint)
    return report


def _fit(model: DPL, project: Project, checkpoint: Path) -> None:
    """Learn, with a progress bar; a checkpoint of another run is no bug but a choice to make."""
    from tacit.learning.checkpoints import AnotherRun

    with progress_bar("fitting", time_left=True) as tell:
        steps = Steps(tell, n_trainings(model, project))
        try:
            model.fit(
                project.task,
                project.program,
                checkpoint=checkpoint,
                after_round=steps.after_round,
                progress=steps.progress if tell is not None else None,
            )
        except AnotherRun as error:
            error.remedy = "begin anew with --fresh, or save elsewhere with --out DIR"
            raise
