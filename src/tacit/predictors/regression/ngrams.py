"""N-grams of texts as numbers: a vocabulary, and how much each n-gram weighs in each text.

Everything works on codes. An n-gram is a shorter one, its head, and one word more: it is found by
one look-up for each length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse

from tacit.predictors.protocol import Floats, Longs
from tacit.predictors.regression.words import Words

UNKNOWN = -1  # the code of what is not in the vocabulary
WIDE = 1 << 31  # no level has as many n-grams


@dataclass(frozen=True)
class Level:
    """The n-grams of one length: the more frequent first, then by alphabet."""

    ngrams: pa.Array  # their words, with a space between
    key: Longs  # the code of the words but the last, times WIDE, and that of the last word
    documents: Longs  # how many texts have it

    def __len__(self) -> int:
        """How many n-grams there are."""
        return len(self.key)

    def take(self, rows: Longs) -> Level:
        """Some of the n-grams, in this order."""
        return Level(self.ngrams.take(pa.array(rows)), self.key[rows], self.documents[rows])

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of each n-gram: where it stands in the level."""
        return {ngram: code for code, ngram in enumerate(self.ngrams.to_pylist())}


@dataclass(frozen=True)
class Vocabulary:
    """The n-grams that count, by length from a single word on.

    Those of `shortest` words or more are the columns of features, level by level; shorter ones are
    only steps on the way to them.
    """

    shortest: int
    n_texts: int  # how many texts n-grams were counted in
    levels: tuple[Level, ...]

    @property
    def counted(self) -> tuple[Level, ...]:
        """The levels whose n-grams are features."""
        return self.levels[self.shortest - 1 :]

    @property
    def n_features(self) -> int:
        """How many columns features have."""
        return sum(map(len, self.counted))

    @property
    def names(self) -> pa.Array:
        """The n-gram of each column."""
        return pa.concat_arrays([level.ngrams for level in self.counted])

    @cached_property
    def idf(self) -> Floats:
        """How rare each column's n-gram is: log((1 + texts) / (1 + texts that have it)) + 1."""
        documents = np.concatenate([level.documents for level in self.counted])
        return np.asarray(np.log((1 + self.n_texts) / (1 + documents)) + 1)

    def places(self, words: Words) -> Iterator[tuple[int, Longs, Longs]]:
        """For each length of features: where its n-grams begin in the texts, and their columns."""
        column = 0
        code = found = word_codes(words, self.levels[0])
        for length, level in enumerate(self.levels, start=1):
            if length > 1:
                place, key = _longer(words, found, code, length)
                found = _find(level, place, key, len(code))
            if length >= self.shortest:
                place = np.flatnonzero(found > UNKNOWN)
                yield length, place, found[place] + column
                column += len(level)


def features(words: Words, vocabulary: Vocabulary) -> sparse.csr_array:
    """(texts, columns): (1 + log count) x idf, rows of length 1; without any n-gram all zero."""
    matrix = count_ngrams(words, vocabulary)
    weight = (1 + np.log(matrix.data)) * vocabulary.idf[matrix.indices]
    text = np.repeat(np.arange(len(words)), np.diff(matrix.indptr))
    length = np.sqrt(np.bincount(text, weight**2, minlength=len(words)))
    matrix.data = (weight / length[text]).astype(np.float32)
    return matrix


def count_ngrams(words: Words, vocabulary: Vocabulary) -> sparse.csr_array:
    """(texts, columns): how often each n-gram stands in each text."""
    shape = (len(words), vocabulary.n_features)
    counts: Any = sparse.csr_array(shape, dtype=np.float32)
    for _, place, column in vocabulary.places(words):
        counts = counts + _counts(words, place, column, vocabulary.n_features)
    return sparse.csr_array(counts)


def learn_vocabulary(
    words: Words, *, ngrams: tuple[int, int], min_count: int, max_features: int
) -> Vocabulary:
    """The n-grams that stand in `min_count` texts or more, and of these the most frequent.

    No n-gram is more frequent than its parts, so only frequent ones are made longer.
    """
    shortest, longest = ngrams
    levels = [_first_level(words, min_count)]
    code = found = word_codes(words, levels[0])
    for length in range(2, longest + 1):
        place, key = _longer(words, found, code, length)
        levels.append(_next_level(words, place, key, levels, min_count))
        found = _find(levels[-1], place, key, len(code))
    return Vocabulary(shortest, len(words), _most_frequent(levels, shortest, max_features))


def word_codes(words: Words, level: Level) -> Longs:
    """For each word of the texts its code in the first level."""
    codes = (level.code_of.get(word, UNKNOWN) for word in words.words)
    return np.fromiter(codes, np.int64, len(words.words))[words.code]


def _longer(words: Words, head: Longs, code: Longs, length: int) -> tuple[Longs, Longs]:
    """Where known heads go on with a known word in the same text, and the keys of the two."""
    inside = np.arange(len(head)) + length - 1 < words.end
    place = np.flatnonzero((head > UNKNOWN) & inside)
    last = code[place + length - 1]
    place, last = place[last > UNKNOWN], last[last > UNKNOWN]
    return place, head[place] * WIDE + last


def _find(level: Level, place: Longs, key: Longs, n_places: int) -> Longs:
    """For every place in the texts, which n-gram of a level begins there: what keys tell."""
    code = pc.index_in(pa.array(key), pa.array(level.key)).fill_null(UNKNOWN)
    found = np.full(n_places, UNKNOWN, np.int64)
    found[place] = code.to_numpy()
    return found


def _first_level(words: Words, min_count: int) -> Level:
    """The words that stand in enough texts."""
    n_words = len(words.words)
    documents = _documents(words, np.arange(len(words.code)), words.code, n_words)
    kept = np.flatnonzero(documents >= min_count)
    names = pa.array(words.words, pa.large_string()).take(pa.array(kept))
    return _in_order(Level(names, np.zeros(len(kept), np.int64), documents[kept]))


def _next_level(
    words: Words, place: Longs, key: Longs, levels: Sequence[Level], min_count: int
) -> Level:
    """The n-grams, one word longer than those of the last level, that stand in enough texts."""
    seen = pa.array(key).dictionary_encode()
    documents = _documents(words, place, seen.indices.to_numpy(), len(seen.dictionary))
    kept = np.flatnonzero(documents >= min_count)
    keys = seen.dictionary.to_numpy()[kept]
    head, last = np.divmod(keys, WIDE)
    parts = levels[-1].ngrams.take(pa.array(head)), levels[0].ngrams.take(pa.array(last))
    names = pc.binary_join_element_wise(*parts, pa.scalar(" ", pa.large_string()))
    return _in_order(Level(names, keys, documents[kept]))


def _in_order(level: Level) -> Level:
    """The more frequent first, then by alphabet, whatever the order of the texts."""
    table = pa.table({"documents": level.documents, "ngram": level.ngrams})
    order = pc.sort_indices(table, [("documents", "descending"), ("ngram", "ascending")])
    return level.take(order.to_numpy().astype(np.int64))


def _documents(words: Words, place: Longs, code: NDArray[np.integer], n_codes: int) -> Longs:
    """How many texts have each code, of which `place` says where they stand."""
    indices = _counts(words, place, code, n_codes).indices
    return np.bincount(indices, minlength=n_codes).astype(np.int64)


def _counts(
    words: Words, place: Longs, code: NDArray[np.integer], n_codes: int
) -> sparse.csr_array:
    """(texts, codes): how often each code stands in each text; places are in rising order."""
    # Many libraries read no wider indices than need be.
    index: Any = np.int32 if len(place) < WIDE else np.int64
    first = np.searchsorted(place, words.first).astype(index)
    ones = np.ones(len(place), np.float32)
    counts = sparse.csr_array((ones, code.astype(index), first), shape=(len(words), n_codes))
    counts.sum_duplicates()
    return counts


def _most_frequent(levels: Sequence[Level], shortest: int, max_features: int) -> tuple[Level, ...]:
    """The levels with the `max_features` most frequent features; among equals the shorter.

    A feature's head and last word are as frequent as itself and shorter: they stay where it does.
    """
    steps, counted = levels[: shortest - 1], levels[shortest - 1 :]
    documents = np.concatenate([level.documents for level in counted])
    level_of = np.repeat(np.arange(len(counted)), [len(level) for level in counted])
    kept = np.argsort(-documents, kind="stable")[:max_features]
    n_kept = np.bincount(level_of[kept], minlength=len(counted))
    return *steps, *(level.take(np.arange(n)) for level, n in zip(counted, n_kept, strict=True))
