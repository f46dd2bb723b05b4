"""The saved runs of a project: which one is meant, its labels, and the texts behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.settings import SettingsFile, find_settings, read_settings, shown
from tacit.errors import (
    BadFile,
    BadInput,
    TacitError,
    UnknownFunction,
    UnknownTable,
    did_you_mean,
    listed,
)

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from tacit.data import Table
    from tacit.logic.program import Program

RUNS = "runs"  # the folder of a project's runs


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run as it lies in its folder; networks are not loaded."""

    folder: Path
    about: dict[str, Any]  # of run.json
    program: Program

    @property
    def labels(self) -> dict[str, list[str]]:
        """The labels of each label function."""
        return dict(self.about["labels"])

    def domain(self, function: str) -> str:
        """The table whose rows a label function labels."""
        return self.program.labels[function].domain

    def posterior(self, function: str) -> tuple[pa.Array, NDArray[np.float64]]:
        """The ids of the instances, and (instances, labels): how probable each label is."""
        import numpy as np
        import pyarrow.parquet as pq

        from tacit.learning.saving import POSTERIOR

        saved = pq.read_table(self.folder / POSTERIOR / f"{function}.parquet")
        ids, *shares = saved.columns
        return ids.combine_chunks(), np.column_stack([share.to_numpy() for share in shares])


def find_run(path: Path, asked: str | None = None) -> Path:
    """The folder of the run that is meant: by its name or path, the one given, or the newest."""
    if asked is None and _is_run(path):
        return path
    file = find_project(path)
    folder = Path(file.file(RUNS))
    entries = folder.iterdir() if folder.is_dir() else ()
    runs = [own for own in entries if own.name[0] != "." and _is_run(own)]  # others: half written
    if asked is None and runs:
        return max(runs, key=lambda own: (_written(own), own.name))
    for own in (folder / str(asked), Path(str(asked)).expanduser()):
        if asked is not None and _is_run(own):
            return own
    if not runs:
        raise BadFile(
            f"there is no run in {shown(folder)} yet",
            remedy=f"make one with: tacit fit {file.project}",
        )
    names = sorted(own.name for own in runs)
    raise BadInput(
        f"there is no run '{asked}' in {shown(folder)}; there are: {listed(names)}",
        remedy=did_you_mean(str(asked), names) or "name one of them, or the folder of a run",
    )


def find_project(path: Path) -> SettingsFile:
    """The settings of a project, at a path or above it; the path may be that of a run."""
    try:
        settings = find_settings(path)
    except BadFile:
        if not _is_run(path):
            raise
        raise BadFile(
            f"{shown(path)} lies in no project, and the data of one are needed",
            remedy=f"give the project's folder, and then: --run {shown(path)}",
        ) from None
    return read_settings(settings)


def read_run(folder: Path) -> SavedRun:
    """What is written about a run, and its program."""
    from tacit.learning.saving import PROGRAM, read_about
    from tacit.logic.program import Program

    about = read_about(folder)
    text = (folder / PROGRAM).read_text(encoding="utf-8")
    return SavedRun(folder, about, Program.parse(text, shown(folder / PROGRAM)))


def meant_function(
    run: Path, names: Sequence[str], asked: str | None, has: str = "labels of"
) -> str:
    """The label function that is meant: the one asked for, or the only one."""
    if asked is not None and asked in names:
        return asked
    if asked is not None:
        raise UnknownFunction(
            f"{shown(run)} has no {has} '{asked}'; there are: {listed(names)}",
            remedy=did_you_mean(asked, names),
        )
    if len(names) != 1:
        raise BadInput(
            f"{shown(run)} has {has} {listed(names)}: which are meant?",
            remedy=f"such as --function {names[0]}",
        )
    return names[0]


def project_table(file: SettingsFile, name: str) -> Table:
    """A table of a project, as it is now."""
    from tacit.data import as_table

    tables = file.settings.tables
    if name not in tables:
        raise UnknownTable(
            f"{file.shown} has no table '{name}'; there are: {listed(tables)}",
            place=file.place("tables", part="key"),
            remedy=did_you_mean(name, tables) or "fit again, if the table has another name now",
        )
    try:
        return as_table(name, file.file(tables[name]))
    except TacitError as error:
        error.place = error.place or file.place("tables", name)
        raise


def columns_read(file: SettingsFile, table: Table) -> list[str]:
    """The columns of a table that the project's network reads."""
    named = [column.partition(".") for column in file.settings.text]
    return [column for name, _, column in named if name == table.name and column in table.columns]


def _is_run(folder: Path) -> bool:
    from tacit.learning.saving import RUN

    return (folder / RUN).is_file()


def _written(run: Path) -> int:
    """When a run was written."""
    from tacit.learning.saving import RUN

    return (run / RUN).stat().st_mtime_ns
