"""What `tacit export` takes from a project and one of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.app.settings import SettingsFile, shown
from tacit.errors import BadFile, BadInput, TacitError, did_you_mean, listed

if TYPE_CHECKING:
    import pyarrow as pa

    from tacit.data import Table
    from tacit.logic.program import Program
    from tacit.report.exports.labelled import Labelled

RUNS = "runs"  # the folder of a project's runs


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run as it lies in its folder; networks are not loaded."""

    folder: Path
    about: dict[str, Any]  # of run.json
    program: Program

    def function(self, asked: str | None) -> str:
        """The label function that is meant."""
        names = list(self.about["labels"])
        if asked is None and len(names) == 1:
            return str(names[0])
        if asked is None:
            raise BadInput(
                f"{shown(self.folder)} has labels of {listed(names)}: which are meant?",
                remedy=f"such as --function {names[0]}",
            )
        if asked not in names:
            raise BadInput(
                f"{shown(self.folder)} has no labels of '{asked}'; there are: {listed(names)}",
                remedy=did_you_mean(asked, names),
            )
        return asked


def find_run(file: SettingsFile, asked: str | None, given: Path) -> Path:
    """The folder of the run that is asked for; else the one that was given, else the newest."""
    from tacit.learning.saving import RUN

    if asked is None and (given / RUN).is_file():
        return given
    folder = Path(file.file(RUNS))
    found = [path.parent for path in folder.glob(f"*/{RUN}") if path.parent.name[0] != "."]
    if asked is None and found:
        return max(found, key=lambda run: ((run / RUN).stat().st_mtime_ns, run.name))
    for run in (folder / str(asked), Path(str(asked))):
        if asked is not None and (run / RUN).is_file():
            return run
    if not found:
        raise BadInput(
            f"there is no run in {shown(folder)} yet",
            remedy=f"make one with: tacit fit {shown(file.path.parent)}",
        )
    names = sorted(run.name for run in found)
    raise BadInput(
        f"there is no run '{asked}'; there are: {listed(names)}",
        remedy=did_you_mean(str(asked), names),
    )


def read_run(folder: Path) -> SavedRun:
    """What is written about a run, and its program."""
    from tacit.learning.saving import PROGRAM, read_about
    from tacit.logic.program import Program

    about = read_about(folder)
    text = (folder / PROGRAM).read_text(encoding="utf-8")
    return SavedRun(folder, about, Program.parse(text, shown(folder / PROGRAM)))


def read_labelled(
    file: SettingsFile, project: str, run: SavedRun, function: str
) -> tuple[Labelled, list[str]]:
    """The labels of a run beside the texts of the project, and what deserves a look."""
    import pyarrow.parquet as pq

    from tacit.learning.saving import POSTERIOR
    from tacit.report.exports.labelled import Labelled

    saved = pq.read_table(run.folder / POSTERIOR / f"{function}.parquet")
    ids = saved.column(0).combine_chunks()
    domain = run.program.labels[function].domain
    table = _table(file, domain)
    rows = _rows_of(ids, table)
    arrow = table.arrow
    if not np.array_equal(rows, np.arange(table.n_rows)):
        arrow = arrow.take(rows)
    texts = {name: arrow.column(name) for name in _text_columns(file, table)}
    more = table.n_rows - len(ids)
    notes = []
    if more:
        notes.append(f"{more} of {table.n_rows} rows of {table.source} are not in the run")
    return Labelled(
        function=function,
        labels=tuple(run.about["labels"][function]),
        ids=ids,
        texts=texts,
        probs=np.column_stack([column.to_numpy() for column in saved.columns[1:]]),
        about=origin(project, run, function),
    ), notes


def origin(project: str, run: SavedRun, function: str) -> dict[str, Any]:
    """Where an export comes from, as it says itself."""
    about = run.about
    return {
        "project": project,
        "run": run.folder.absolute().name,
        "function": function,
        "labels": list(about["labels"][function]),
        "data": about["task"],
        "program": about["program"],
        "tacit": about["tacit"],
    }


def _table(file: SettingsFile, name: str) -> Table:
    """The table of the instances, as the project has it now."""
    from tacit.data import as_table

    if name not in file.settings.tables:
        raise BadFile(
            f"{file.shown} has no table '{name}', whose rows the run has labelled",
            place=file.place("tables"),
            remedy=did_you_mean(name, file.settings.tables) or "fit again",
        )
    try:
        return as_table(name, file.file(file.settings.tables[name]))
    except TacitError as error:
        error.place = error.place or file.place("tables", name)
        raise


def _rows_of(ids: pa.Array, table: Table) -> Any:
    """The row of each instance of the run in the table of the project."""
    import pyarrow as pa

    from tacit.data.instances import instances_of

    try:
        rows = instances_of(table).indices_of(ids)
    except pa.ArrowException:  # ids of another kind
        rows = np.full(len(ids), -1)
    lost = int((rows < 0).sum())
    if lost:
        raise BadInput(
            f"{lost:,} of the {len(ids):,} instances of the run are not in {table.source}",
            remedy="fit again: the data are others than those that the run has learned from",
        )
    return rows


def _text_columns(file: SettingsFile, table: Table) -> list[str]:
    """What the predictor reads of a table; where it reads nothing, all that is text."""
    from tacit.data.canonical import ColumnKind

    named = [column.partition(".") for column in file.settings.text]
    read = [column for name, _, column in named if name == table.name and column in table.columns]
    texts = [name for name, kind in table.kinds.items() if kind is ColumnKind.TEXT]
    return [name for name in read or texts if name != table.columns[0]]
