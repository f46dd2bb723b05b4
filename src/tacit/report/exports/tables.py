"""Labels as plain tables: Parquet, CSV and JSON lines.

Columns: `id`, the text columns, `label`, and `p_LABEL` for the probability of each label. With
`hard` there are no probabilities.
"""

from __future__ import annotations

import csv
import io
import json
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacit.report.exports.labelled import (
    ID,
    LABEL,
    ROWS,
    Labelled,
    Progress,
    as_text,
    rounded,
)

ABOUT = b"tacit"  # the key of what is known about the data, in the metadata of a schema


def column_names(labelled: Labelled, *, hard: bool) -> list[str]:
    """The columns of the table, in order."""
    shares = [] if hard else labelled.share_names()
    return [ID, *labelled.text_names().values(), LABEL, *shares]


def write_parquet(
    file: IO[bytes], labelled: Labelled, *, hard: bool = False, progress: Progress | None = None
) -> None:
    """A Parquet file; probabilities are as precise as they are."""
    names = pa.array(labelled.labels, pa.string())
    chosen = pa.DictionaryArray.from_arrays(pa.array(labelled.chosen, pa.int32()), names)
    columns = [labelled.ids, *labelled.texts.values(), chosen.cast(pa.string())]
    if not hard:
        columns += [pa.array(share) for share in np.ascontiguousarray(labelled.probs.T)]
    table = pa.table(columns, names=column_names(labelled, hard=hard))
    table = table.replace_schema_metadata({ABOUT: json.dumps(labelled.about).encode()})
    with pq.ParquetWriter(file, table.schema) as writer:
        for first in range(0, len(labelled), ROWS):
            if progress is not None:
                progress(first, len(labelled), "rows")
            writer.write_table(table.slice(first, ROWS))


def write_csv(
    file: IO[bytes],
    labelled: Labelled,
    *,
    hard: bool = False,
    delimiter: str = ",",
    progress: Progress | None = None,
) -> None:
    """A CSV file with a header, in UTF-8."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(column_names(labelled, hard=hard))
    labels = labelled.labels
    for part in labelled.parts(progress):
        texts = [map(as_text, values) for values in part.texts.values()]
        chosen = [labels[at] for at in part.chosen.tolist()]
        shares = [] if hard else zip(*rounded(part.probs), strict=True)
        writer.writerows(zip(part.ids, *texts, chosen, *shares, strict=True))
    text.flush()
    text.detach()


def write_jsonl(
    file: IO[bytes], labelled: Labelled, *, hard: bool = False, progress: Progress | None = None
) -> None:
    """One JSON object a line, in UTF-8."""
    names, labels = column_names(labelled, hard=hard), labelled.labels
    for part in labelled.parts(progress):
        chosen = [labels[at] for at in part.chosen.tolist()]
        shares = [] if hard else zip(*rounded(part.probs), strict=True)
        for row in zip(part.ids, *part.texts.values(), chosen, *shares, strict=True):
            line = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            file.write(line.encode() + b"\n")
