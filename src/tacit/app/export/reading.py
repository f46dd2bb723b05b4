"""What `tacit export` takes from a project and one of its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.app.saved_runs import SavedRun, columns_read, project_table
from tacit.app.settings import SettingsFile
from tacit.errors import BadInput

if TYPE_CHECKING:
    import pyarrow as pa

    from tacit.data import Table
    from tacit.report.exports.labelled import Labelled


def read_labelled(
    file: SettingsFile, project: str, run: SavedRun, function: str
) -> tuple[Labelled, list[str]]:
    """The labels of a run beside the texts of the project, and what deserves a look."""
    from tacit.report.exports.labelled import Labelled

    ids, probs = run.posterior(function)
    table = project_table(file, run.domain(function))
    rows = _rows_of(ids, table)
    arrow = table.arrow
    if not np.array_equal(rows, np.arange(table.n_rows)):
        arrow = arrow.take(rows)
    texts = {name: arrow.column(name) for name in _text_columns(file, table)}
    more = table.n_rows - len(ids)
    notes = []
    if more:
        notes.append(f"{more:,} of {table.n_rows:,} rows of {table.source} are not in the run")
    return Labelled(
        function=function,
        labels=tuple(run.labels[function]),
        ids=ids,
        texts=texts,
        probs=probs,
        about=origin(project, run, function),
    ), notes


def origin(project: str, run: SavedRun, function: str) -> dict[str, Any]:
    """Where an export comes from, as it says itself."""
    about = run.about
    return {
        "project": project,
        "run": run.folder.absolute().name,
        "function": function,
        "labels": run.labels[function],
        "data": about["task"],
        "program": about["program"],
        "tacit": about["tacit"],
    }


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

    texts = [name for name, kind in table.kinds.items() if kind is ColumnKind.TEXT]
    read = columns_read(file, table)
    return [name for name in read or texts if name != table.columns[0]]
