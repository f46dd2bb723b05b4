"""A linear predictor in a folder: settings as JSON, vocabulary and weights as Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tacit.predictors.protocol import Floats
from tacit.predictors.regression.ngrams import Level, Vocabulary
from tacit.predictors.saved_json import read_json, write_json

FORMAT = 1  # raised when what is written changes
SETTINGS, VOCABULARY, WEIGHTS = "linear.json", "vocabulary.parquet", "weights.parquet"


def write_settings(folder: Path, settings: dict[str, Any]) -> None:
    """Write settings; what was learned by another one in the same folder is gone."""
    write_json(folder / SETTINGS, FORMAT, settings)
    for old in (VOCABULARY, WEIGHTS):
        (folder / old).unlink(missing_ok=True)


def read_settings(folder: Path) -> dict[str, Any]:
    """Settings as they were written."""
    return read_json(folder / SETTINGS, FORMAT)


def write_vocabulary(folder: Path, vocabulary: Vocabulary) -> None:
    """Write the n-grams of all lengths."""
    levels = vocabulary.levels
    table = pa.table(
        {
            "ngram": pa.concat_arrays([level.ngrams for level in levels]),
            "length": np.repeat(np.arange(1, len(levels) + 1), [len(level) for level in levels]),
            "key": np.concatenate([level.key for level in levels]),
            "documents": np.concatenate([level.documents for level in levels]),
        }
    )
    about = {"shortest": vocabulary.shortest, "longest": len(levels), "texts": vocabulary.n_texts}
    told = {key: str(value) for key, value in about.items()}
    pq.write_table(table.replace_schema_metadata(told), folder / VOCABULARY)


def read_vocabulary(folder: Path) -> Vocabulary | None:
    """The vocabulary that was written, if there was one."""
    if not (folder / VOCABULARY).exists():
        return None
    table = pq.read_table(folder / VOCABULARY).combine_chunks()
    about = {key.decode(): int(value) for key, value in table.schema.metadata.items()}
    levels = []
    for length in range(1, about["longest"] + 1):
        rows = table.filter(pc.equal(table["length"], length))
        ngrams = rows["ngram"].cast(pa.large_string()).combine_chunks()
        levels.append(Level(ngrams, rows["key"].to_numpy(), rows["documents"].to_numpy()))
    return Vocabulary(about["shortest"], about["texts"], tuple(levels))


def write_weights(folder: Path, coef: Floats, intercept: Floats) -> None:
    """Write the weights of each label as a column; the intercept is the last row."""
    rows = np.vstack([coef, intercept])
    names = [f"label_{label}" for label in range(rows.shape[1])]
    pq.write_table(pa.table(dict(zip(names, rows.T, strict=True))), folder / WEIGHTS)


def read_weights(folder: Path) -> tuple[Floats, Floats] | None:
    """Weights and intercept that were written, if there were any."""
    if not (folder / WEIGHTS).exists():
        return None
    table = pq.read_table(folder / WEIGHTS)
    rows = np.column_stack([column.to_numpy() for column in table.columns])
    return rows[:-1], rows[-1]
