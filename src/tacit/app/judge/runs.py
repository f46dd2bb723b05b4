"""What a saved run found: the instances whose most probable label is a given one, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.judge.tables import Columns, Source
from tacit.app.saved_runs import (
    SavedRun,
    columns_read,
    find_project,
    find_run,
    meant_function,
    project_table,
    read_run,
)
from tacit.app.settings import SettingsFile, shown
from tacit.data import Table
from tacit.errors import BadFile, BadInput, UnknownColumn, UnknownLabel, did_you_mean, listed

if TYPE_CHECKING:
    import pyarrow as pa

PROBABILITY = "probability"  # the column for what the run says of its labels


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which label of which function is judged."""

    function: str
    label: str

    @property
    def claim(self) -> str:
        """What is said of each instance."""
        return f"{self.function} = {self.label}"


def run_source(
    system: str, path: Path, asked: Columns, label: str | None, function: str | None
) -> tuple[Source, Chosen]:
    """The instances of a run that have a label, with their texts from the project's tables.

    `path` is the folder of the run, or of a project whose newest run is meant.
    """
    try:
        file = find_project(path)
    except BadFile as error:
        error.remedy = "name a file, the folder of a saved run in its project, or a project"
        raise
    run = read_run(find_run(path))
    chosen = _chosen(run, label, function)
    instances = project_table(file, run.domain(chosen.function))
    text = asked.text or _text_column(file, instances)
    posterior = _posterior(run, chosen)
    columns = {
        "id": posterior["id"],
        text: _looked_up(instances, text, posterior["id"], file),
        **{
            _bare(part): _looked_up(*_table_with(file, instances, part), posterior["id"], file)
            for part in asked.parts
        },
        PROBABILITY: posterior[PROBABILITY],
    }
    parts = tuple(map(_bare, asked.parts))
    found = Columns(text=text, id="id", parts=parts, probability=PROBABILITY)
    return Source(system, Table(system, _arrow(columns), shown(run.folder)), found), chosen


def _chosen(run: SavedRun, label: str | None, function: str | None) -> Chosen:
    """The label and its function; the function may be left out where one alone has the label."""
    labels, where = run.labels, shown(run.folder)
    every = listed(sorted({name for own in labels.values() for name in own}))
    if label is None:
        raise BadInput(
            f"which label of {where} is to be judged? there are: {every}",
            remedy="name it: --label LABEL",
        )
    if function is not None:
        meant_function(run.folder, list(labels), function)
    having = [name for name in labels if label in labels[name] and function in (None, name)]
    if not having:
        raise UnknownLabel(
            f"{where} has no label '{label}'; there are: {every}",
            remedy=did_you_mean(label, {name for own in labels.values() for name in own}),
        )
    if len(having) > 1:
        raise BadInput(
            f"'{label}' is a label of {listed(having)}: which one is to be judged?",
            remedy=f"such as --function {having[0]}",
        )
    return Chosen(having[0], label)


def _posterior(run: SavedRun, chosen: Chosen) -> dict[str, list[Any]]:
    """The ids of the instances with the label, and its probability."""
    import numpy as np

    ids, probabilities = run.posterior(chosen.function)
    at = run.labels[chosen.function].index(chosen.label)
    rows = np.flatnonzero(probabilities.argmax(axis=1) == at)
    if not len(rows):
        raise BadInput(
            f"no instance of {shown(run.folder)} has the label '{chosen.label}'",
            remedy="judge another label, or leave that run out",
        )
    return {"id": ids.take(rows).to_pylist(), PROBABILITY: probabilities[rows, at].tolist()}


def _text_column(file: SettingsFile, instances: Table) -> str:
    """The column that the project's network reads."""
    read = columns_read(file, instances)
    if not read:
        raise BadInput(
            f"{file.shown} does not say which column of '{instances.name}' has the texts",
            remedy="name it: --text COLUMN",
        )
    return read[0]


def _table_with(file: SettingsFile, instances: Table, part: str) -> tuple[Table, str]:
    """The table and the column of a part of the tuple: "drug", or "args.drug" for one table's."""
    name, _, column = part.rpartition(".")
    if name:
        return project_table(file, name), column
    if part in instances.columns:
        return instances, part
    tables = [project_table(file, other) for other in file.settings.tables]
    having = [
        table for table in tables if part in table.columns[1:] and _speaks_of(table, instances)
    ]
    if len(having) == 1:
        return having[0], part
    if having:
        raise BadInput(
            f"'{part}', which --tuple names, is a column of {listed(t.name for t in having)}",
            remedy=f"say which one is meant, such as {having[0].name}.{part}",
        )
    raise UnknownColumn(
        f"no table about '{instances.name}' has a column '{part}', which --tuple names",
        remedy=did_you_mean(part, {column for table in tables for column in table.columns})
        or "write TABLE.COLUMN",
    )


def _speaks_of(table: Table, instances: Table) -> bool:
    """Whether a table's first column holds ids of the instances, and no others."""
    ids = set(instances.arrow.column(0).to_pylist())
    return ids.issuperset(table.arrow.column(0).to_pylist())


def _looked_up(table: Table, column: str, ids: list[Any], file: SettingsFile) -> list[Any]:
    """The value of a column for each id in the table's first column."""
    rows = table.arrow.column(0).to_pylist()
    values = dict(zip(rows, table.column(column).to_pylist(), strict=True))
    if len(values) < len(rows):
        raise BadInput(
            f"{table.described} has several rows for some of the instances, so that the tuple of "
            "one instance is not one",
            remedy="write the extractions to a file, one a row: --judge NAME=FILE",
        )
    if lost := [id for id in ids if id not in values]:
        raise BadFile(
            f"{table.described} has no row for {len(lost):,} of the run's {len(ids):,} instances, "
            f"such as {lost[0]!r}",
            remedy=f"was {file.shown} changed since? fit again, or take the columns of another "
            "table",
        )
    return [values[id] for id in ids]


def _bare(part: str) -> str:
    return part.rpartition(".")[2]


def _arrow(columns: Mapping[str, list[Any]]) -> pa.Table:
    import pyarrow as pa

    return pa.table(dict(columns))
