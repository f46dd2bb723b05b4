"""Labels as a Hugging Face dataset: a folder that `datasets.load_from_disk` opens.

Written without that package, as its `save_to_disk` does: one Arrow stream, which is mapped and not
read, and two small JSON files. Labels are a `ClassLabel`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacit.data.fingerprint import digest_of
from tacit.report.exports.labelled import ID, LABEL, ROWS, Labelled, Progress

DATA = "data-00000-of-00001.arrow"


def write_hugging_face(
    folder: Path, labelled: Labelled, *, hard: bool = False, progress: Progress | None = None
) -> None:
    """Write the data and what describes them."""
    columns = _columns(labelled, hard)
    names = labelled.labels
    features = {
        name: {"names": list(names), "_type": "ClassLabel"}
        if name == LABEL
        else {"dtype": str(kind), "_type": "Value"}
        for name, (kind, _) in columns.items()
    }
    schema = pa.schema([(name, kind) for name, (kind, _) in columns.items()])
    schema = schema.with_metadata(
        {"huggingface": json.dumps({"info": {"features": features}})}  # as `datasets` writes it
    )
    with pa.OSFile(str(folder / DATA), "wb") as file, pa.ipc.new_stream(file, schema) as writer:
        for first in range(0, len(labelled), ROWS):
            if progress is not None:
                progress(first, len(labelled), "rows")
            arrays = [_cast(own.slice(first, ROWS), kind) for kind, own in columns.values()]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
    info = {"citation": "", "description": "", "features": features, "homepage": "", "license": ""}
    _write(folder / "dataset_info.json", info)
    state: dict[str, Any] = {
        "_data_files": [{"filename": DATA}],
        "_fingerprint": digest_of([json.dumps(dict(labelled.about), sort_keys=True)])[:16],
        "_format_columns": None,
        "_format_kwargs": {},
        "_format_type": None,
        "_output_all_columns": False,
        "_split": None,
    }
    _write(folder / "state.json", state)


def _columns(labelled: Labelled, hard: bool) -> dict[str, tuple[pa.DataType, Any]]:
    """The type and the values of each column."""
    columns: dict[str, tuple[pa.DataType, Any]] = {ID: (_kind(labelled.ids.type), labelled.ids)}
    for name, shown in labelled.text_names().items():
        values = labelled.texts[name]
        columns[shown] = (_kind(values.type), values)
    columns[LABEL] = (pa.int64(), pa.array(labelled.chosen, pa.int64()))
    if not hard:
        for name, share in zip(labelled.share_names(), labelled.probs.T, strict=True):
            columns[name] = (pa.float64(), pa.array(share))
    return columns


def _kind(given: pa.DataType) -> pa.DataType:
    """Plain text and numbers as they are; what is neither becomes text."""
    is_plain = pa.types.is_integer(given) or pa.types.is_floating(given)
    return given if is_plain else pa.string()


def _cast(values: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    """Some values in their type; a list or a struct as JSON."""
    if pa.types.is_nested(values.type):
        return pa.array([json.dumps(own, ensure_ascii=False) for own in values.to_pylist()], kind)
    values = values.cast(kind)
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
