"""The folder that a network is saved in: JSON, safetensors, no pickle.

predictor.json      kind, schema version, settings, shape
vocabulary.json     the words that the network knows, in the order of their numbers
weights.safetensors all that was learned
vectors.safetensors the word vectors that training begins with, where they came from a file
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from tacit.errors import BadFile
from tacit.predictors.recurrent.vocabulary import Vocabulary
from tacit.predictors.recurrent.word_vectors import WordVectors

SCHEMA = 1
FACTS, WORDS = "predictor.json", "vocabulary.json"
WEIGHTS, VECTORS = "weights.safetensors", "vectors.safetensors"


@dataclass(frozen=True, slots=True)
class Saved:
    """All that a folder holds."""

    kind: str
    facts: dict[str, Any]
    vocabulary: Vocabulary
    word_vectors: WordVectors | None
    weights: dict[str, NDArray[Any]]


def write_saved(folder: Path, saved: Saved) -> None:
    """Write a folder; what it held of an earlier one is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"kind": saved.kind, "schema": SCHEMA} | saved.facts
    words = {"reserved": saved.vocabulary.reserved, "words": saved.vocabulary.words}
    (folder / FACTS).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (folder / WORDS).write_text(json.dumps(words) + "\n", encoding="utf-8")
    save_file(
        {name: np.ascontiguousarray(value) for name, value in saved.weights.items()},
        folder / WEIGHTS,
    )
    (folder / VECTORS).unlink(missing_ok=True)
    if saved.word_vectors is not None:
        vectors = {"table": saved.word_vectors.table, "found": saved.word_vectors.found}
        save_file(vectors, folder / VECTORS)


def read_saved(folder: Path, kind: str) -> Saved:
    """Read a folder, which must hold a network of this kind."""
    facts = _json(folder / FACTS)
    if facts.get("kind") != kind or facts.get("schema") != SCHEMA:
        raise BadFile(
            f"{folder / FACTS} is of a {facts.get('kind')!r}, schema {facts.get('schema')!r}; "
            f"expected was a {kind!r}, schema {SCHEMA}"
        )
    words = _json(folder / WORDS)
    vocabulary = Vocabulary(tuple(words["reserved"]), tuple(words["words"]))
    vectors = None
    if (folder / VECTORS).exists():
        vectors = WordVectors(**load_file(folder / VECTORS))
    if not (folder / WEIGHTS).exists():
        raise BadFile(f"a file of the saved predictor is absent: {folder / WEIGHTS}")
    return Saved(kind, facts, vocabulary, vectors, load_file(folder / WEIGHTS))


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadFile(f"a file of the saved predictor cannot be read: {path}: {error}") from error
    if not isinstance(value, dict):
        raise BadFile(f"{path} does not hold a JSON object")
    return value
