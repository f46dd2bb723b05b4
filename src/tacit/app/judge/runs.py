"""What a saved run found: the instances whose most probable label is a given one, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.judge.tables import Columns, Source
from tacit.app.settings import SettingsFile, find_settings, read_settings, shown
from tacit.data import Table, as_table
from tacit.errors import (
    BadFile,
    BadInput,
    UnknownColumn,
    UnknownFunction,
    UnknownLabel,
    UnknownTable,
    did_you_mean,
    listed,
)

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


def is_run(path: Path) -> bool:
    """Whether a path is that of a saved run, and not of a file."""
    return path.is_dir()


def run_source(
    system: str, run: Path, asked: Columns, label: str | None, function: str | None
) -> tuple[Source, Chosen]:
    """The instances of a run that have a label, with their texts from the project's tables."""
    from tacit.learning.saving import read_about

    about = read_about(run)
    chosen = _chosen(run, about["labels"], label, function)
    file = read_settings(find_settings(run))
    domain = _domain(run, chosen.function)
    instances = _project_table(file, domain)
    text = asked.text or _text_of(file, domain, about["reads"].get(chosen.function))
    posterior = _posterior(run, chosen)
    columns = {
        "id": posterior["id"],
        "text": _looked_up(instances, text, posterior["id"], file),
        **{
            _bare(part): _looked_up(*_table_with(file, instances, part), posterior["id"], file)
            for part in asked.parts
        },
        PROBABILITY: posterior[PROBABILITY],
    }
    parts = tuple(map(_bare, asked.parts))
    found = Columns(text="text", id="id", parts=parts, probability=PROBABILITY)
    return Source(system, Table(system, _arrow(columns), shown(run)), found), chosen


def _chosen(
    run: Path, labels: Mapping[str, list[str]], label: str | None, function: str | None
) -> Chosen:
    """The label and its function; the function may be left out where one alone has the label."""
    every = listed(sorted({name for own in labels.values() for name in own}))
    if label is None:
        raise BadInput(
            f"which label of {shown(run)} is to be judged? there are: {every}",
            remedy="name it: --label LABEL",
        )
    if function is not None and function not in labels:
        raise UnknownFunction(
            f"{shown(run)} has no label function '{function}'; there are: {listed(labels)}",
            remedy=did_you_mean(function, labels),
        )
    having = [name for name in labels if label in labels[name] and function in (None, name)]
    if not having:
        raise UnknownLabel(
            f"{shown(run)} has no label '{label}'; there are: {every}",
            remedy=did_you_mean(label, {name for own in labels.values() for name in own}),
        )
    if len(having) > 1:
        raise BadInput(
            f"'{label}' is a label of {listed(having)}: which one is to be judged?",
            remedy=f"such as --function {having[0]}",
        )
    return Chosen(having[0], label)


def _domain(run: Path, function: str) -> str:
    """The table whose rows a label function labels."""
    from tacit.learning.saving import PROGRAM
    from tacit.logic.program import Program

    path = run / PROGRAM
    return Program.parse(path.read_text(encoding="utf-8"), str(path)).labels[function].domain


def _posterior(run: Path, chosen: Chosen) -> dict[str, list[Any]]:
    """The ids of the instances with the label, and its probability."""
    import numpy as np
    import pyarrow.parquet as pq

    from tacit.learning.saving import POSTERIOR

    table = pq.read_table(run / POSTERIOR / f"{chosen.function}.parquet")
    ids, *shares = table.columns
    labels = table.column_names[1:]
    probabilities = np.column_stack([share.to_numpy() for share in shares])
    at = labels.index(chosen.label)
    rows = np.flatnonzero(probabilities.argmax(axis=1) == at)
    if not len(rows):
        raise BadInput(
            f"no instance of {shown(run)} has the label '{chosen.label}'",
            remedy="judge another label, or leave that run out",
        )
    return {"id": ids.take(rows).to_pylist(), PROBABILITY: probabilities[rows, at].tolist()}


def _project_table(file: SettingsFile, name: str) -> Table:
    """A table of the project that the run belongs to."""
    tables = file.settings.tables
    if name not in tables:
        raise UnknownTable(
            f"{file.shown} has no table '{name}'; there are: {listed(tables)}",
            place=file.place("tables", part="key"),
            remedy=did_you_mean(name, tables),
        )
    return as_table(name, file.file(tables[name]))


def _text_of(file: SettingsFile, domain: str, read: str | None) -> str:
    """The column that the project's network reads."""
    for reference in file.settings.text:
        table, _, column = reference.partition(".")
        if table == domain:
            return column
    if read is not None:
        return read
    raise BadInput(
        f"{file.shown} does not say which column of '{domain}' has the texts",
        remedy="name it: --text COLUMN",
    )


def _table_with(file: SettingsFile, instances: Table, part: str) -> tuple[Table, str]:
    """The table and the column of a part of the tuple: "drug", or "args.drug" for one table's."""
    name, _, column = part.rpartition(".")
    if name:
        return _project_table(file, name), column
    if part in instances.columns:
        return instances, part
    tables = [_project_table(file, other) for other in file.settings.tables]
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
