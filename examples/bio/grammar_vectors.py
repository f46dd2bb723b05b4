"""Word vectors that tell what kind of word a word is: by what stands before it and behind it.

As `examples.bio.vectors`, but with left and right neighbours counted apart and few words away, so
that "of" is near "for" and "phosphorylates" near "inhibits", whatever the text is about: it is the
grammar of a place that says whether a gene may stand there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import svds

from tacit.data.tokens import tokenise

Vectors = NDArray[np.float32]


def grammar_vectors(
    texts: Iterable[str], *, dim: int = 100, reach: int = 4, min_count: int = 5
) -> dict[str, Vectors]:
    """A vector of length 1 for each word of the texts that occurs often enough."""
    read = [tokenise(text) for text in texts]
    counts = Counter(word for words in read for word in words)
    words = sorted(word for word, n in counts.items() if n >= min_count)
    number_of = {word: at for at, word in enumerate(words)}
    gap = [-1] * reach  # between texts there are no neighbours
    line = np.array([n for own in read for n in [*(number_of.get(w, -1) for w in own), *gap]])
    near = _neighbours(line, len(words), reach)
    left, size, _ = svds(_information(near), k=dim, v0=np.ones(len(words)))
    found = left * np.sqrt(size)
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    return dict(zip(words, found.astype(np.float32), strict=True))


def _neighbours(line: NDArray[np.int64], n_words: int, reach: int) -> Any:
    """(words, left neighbours and then right ones): how often, the nearest counted most."""
    shape = (n_words, 2 * n_words)
    near: Any = csr_array(shape)
    for away in range(1, reach + 1):
        one, other = line[:-away], line[away:]
        both = (one >= 0) & (other >= 0)
        one, other = one[both], other[both]
        share = np.full(len(one), 1 / away)
        near = near + csr_array((share, (other, one)), shape=shape)
        near = near + csr_array((share, (one, other + n_words)), shape=shape)
    return near


def _information(near: Any) -> Any:
    """log P(word, neighbour) / P(word) P(neighbour), where positive; P(neighbour) is smoothed."""
    total = near.sum()
    rows, columns = near.sum(axis=1), near.sum(axis=0) ** 0.75  # rare neighbours count for less
    columns = columns * (total / columns.sum())
    by_row, by_column = (diags_array(1 / np.maximum(each, 1e-12)) for each in (rows, columns))
    ratio = (by_row @ near @ by_column).tocsr() * total
    ratio.data = np.maximum(np.log(np.maximum(ratio.data, 1e-12)), 0.0)
    ratio.eliminate_zeros()
    return csr_array(ratio)
