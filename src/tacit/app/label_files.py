"""Labels of new inputs, written piece by piece as CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.app.batches import Batch, kind_of
from tacit.app.written_files import file_aside
from tacit.errors import BadFile
from tacit.report.exports.labelled import DIGITS, ID, LABEL, SHARE


class Write(Protocol):
    """Writes the labels of a batch."""

    def __call__(self, batch: Batch, probs: NDArray[np.float64]) -> None:
        """`probs` is (rows, labels)."""


@contextmanager
def label_file(path: Path, labels: Sequence[str]) -> Iterator[Write]:
    """A file of labels: the row, its id if there is one, the label, the probability of each."""
    kind = kind_of(path)
    if path.suffix.lower() == ".gz":
        raise BadFile(f"{path}: labels are not zipped", remedy=f"write to {path.with_suffix('')}")
    with file_aside(path) as file:
        if kind == ".parquet":
            yield from _parquet(file, labels)
        elif kind in (".csv", ".tsv"):
            yield from _csv(file, labels, "\t" if kind == ".tsv" else ",")
        else:
            yield _json_writer(file, labels)


def _names(batch: Batch, labels: Sequence[str]) -> list[str]:
    """The columns of the file."""
    ids = ["row"] if batch.ids is None else ["row", ID]
    return [*ids, LABEL, *(f"{SHARE}{label}" for label in labels)]


def _columns(batch: Batch, labels: Sequence[str], probs: NDArray[np.float64]) -> list[Any]:
    """The values of the columns."""
    rows = range(batch.first, batch.first + len(batch.inputs))
    chosen = [labels[at] for at in probs.argmax(axis=1)]
    ids = [] if batch.ids is None else [batch.ids]
    return [list(rows), *ids, chosen, *probs.T]


def _text_columns(batch: Batch, labels: Sequence[str], probs: NDArray[np.float64]) -> list[Any]:
    return _columns(batch, labels, np.round(probs, DIGITS))


def _csv(file: IO[bytes], labels: Sequence[str], delimiter: str) -> Iterator[Write]:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")

    def write(batch: Batch, probs: NDArray[np.float64]) -> None:
        if batch.first == 1:
            writer.writerow(_names(batch, labels))
        columns = _text_columns(batch, labels, probs)
        writer.writerows(zip(*columns, strict=True))

    yield write
    text.flush()
    text.detach()


def _json_writer(file: IO[bytes], labels: Sequence[str]) -> Write:
    def write(batch: Batch, probs: NDArray[np.float64]) -> None:
        names, columns = _names(batch, labels), _text_columns(batch, labels, probs)
        plain = [column.tolist() if hasattr(column, "tolist") else column for column in columns]
        for row in zip(*plain, strict=True):
            line = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            file.write(line.encode("utf-8", "backslashreplace") + b"\n")

    return write


def _parquet(file: IO[bytes], labels: Sequence[str]) -> Iterator[Write]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    open_writers: list[pq.ParquetWriter] = []

    def write(batch: Batch, probs: NDArray[np.float64]) -> None:
        columns = [pa.array(column) for column in _columns(batch, labels, probs)]
        table = pa.table(columns, names=_names(batch, labels))
        if not open_writers:
            open_writers.append(pq.ParquetWriter(file, table.schema))
        open_writers[0].write_table(table)

    try:
        yield write
    finally:
        for writer in open_writers:
            writer.close()
