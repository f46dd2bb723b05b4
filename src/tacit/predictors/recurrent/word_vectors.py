"""Word vectors from a text file: word2vec's format, with or without its first line, or GloVe's.

Each line holds a word and its numbers. Networks here read lower-cased words, so the exact word is
looked for first, and else the first one in the file that differs by case alone. A file may be
compressed by gzip.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.errors import BadFile, Place


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Vectors of words, as far as a file has them."""

    table: NDArray[np.float32]  # (words, dimensions); 0 where a word was not found
    found: NDArray[np.bool_]  # (words)

    @property
    def n_found(self) -> int:
        """How many of the words the file has."""
        return int(self.found.sum())

    @property
    def dim(self) -> int:
        """How many numbers each vector has."""
        return int(self.table.shape[1])


def read_vectors(path: str | Path, words: Sequence[str], *, dim: int | None = None) -> WordVectors:
    """The vectors of these words; all others of the file are passed over.

    With `dim`, vectors of any other length are an error.
    """
    path = Path(path)
    row_of = {word: row for row, word in enumerate(words)}
    exact: dict[int, NDArray[np.float32]] = {}
    alike: dict[int, NDArray[np.float32]] = {}
    for line, word, numbers in _entries(path, dim):
        row, kept = row_of.get(word), exact
        if row is None:
            row, kept = row_of.get(word.lower()), alike
        dim = numbers.count(b" ") + 1
        if row is not None and row not in kept:
            kept[row] = _vector(path, line, word, numbers)
    if dim is None:
        raise BadFile(f"the file of word vectors is empty: {path}")
    table = np.zeros((len(words), dim), np.float32)
    found = np.zeros(len(words), bool)
    for row, vector in (alike | exact).items():
        table[row], found[row] = vector, True
    return WordVectors(table, found)


def _entries(path: Path, dim: int | None) -> Iterator[tuple[int, str, bytes]]:
    """Line number, word and numbers of each line; every line has the same count of numbers."""
    with _opened(path) as file:
        for line, text in enumerate(file, 1):
            word, _, numbers = text.strip().partition(b" ")
            if line == 1 and word.isdigit() and numbers.isdigit():
                dim = _agreed(path, line, int(numbers), dim)
                continue
            if not word:
                continue
            length = numbers.count(b" ") + 1 if numbers else 0
            if length != dim:
                if dim and length > dim and not _is_number(numbers.split(b" ", 1)[0]):
                    continue  # a word with spaces in it: GloVe's largest files have some
                dim = _agreed(path, line, length, dim)
            yield line, word.decode("utf-8", "replace"), numbers


@contextmanager
def _opened(path: Path) -> Iterator[Iterable[bytes]]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield file
    except (OSError, EOFError) as error:
        raise BadFile(f"the file of word vectors cannot be read: {path}: {error}") from error


def _agreed(path: Path, line: int, length: int, dim: int | None) -> int:
    """The length of vectors, or an error where it is none or differs from what it was."""
    if length < 1:
        raise BadFile(
            "a line of the file of word vectors has no numbers",
            place=Place(str(path), line),
            remedy="each line: a word, then its numbers, with single spaces between",
        )
    if dim is not None and length != dim:
        raise BadFile(
            f"a word vector has {length} numbers; {dim} were expected",
            place=Place(str(path), line),
            remedy="leave dim=None to take the length from the file; all lines must have the same",
        )
    return length


def _vector(path: Path, line: int, word: str, numbers: bytes) -> NDArray[np.float32]:
    try:
        vector = np.array(numbers.split(b" "), np.float32)
    except ValueError:
        vector = np.array([np.nan], np.float32)
    if not np.isfinite(vector).all():
        raise BadFile(
            f"the vector of {word!r} holds something that is no finite number",
            place=Place(str(path), line),
        )
    return vector


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
