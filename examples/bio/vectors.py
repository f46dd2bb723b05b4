"""Word vectors from unlabelled text, in word2vec's text format: nothing is downloaded.

Words that stand in like company get like vectors: the positive pointwise mutual information of
words and their neighbours, its 100 largest singular directions (Levy, Goldberg and Dagan, 2015).

    python -m examples.bio.vectors --data DIR --out vectors.txt
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from scipy.sparse.linalg import svds

from examples.bio.parses import peng_sentences
from examples.bio.peng import FILE
from examples.bio.reading import pool_texts
from tacit.data.text.words import word_spans

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
NEVER = 1e-12  # of words that have no neighbours
SMOOTHING = 0.75  # of the neighbours' frequencies, so that rare ones do not rule


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorConfig:
    """What is counted, and how large vectors are."""

    dim: int = 100
    window: int = 5  # words on either side; the nearest counts most
    min_count: int = 5
    smoothing: float = SMOOTHING
    spread: float = 0.3  # standard deviation of the numbers: what networks here begin with


def unlabelled_texts(bio: Path) -> list[str]:
    """Abstracts that no test split has, and the sentences of Peng et al., of which each one once.

    The abstracts are of all fields and hardly name the drugs of oncology; Peng's sentences do.
    """
    sentences = {own.lemmas: " ".join(own.lemmas) for own in peng_sentences(bio / FILE)}
    return [*pool_texts(bio).values(), *sentences.values()]


def word_vectors(
    texts: Iterable[str], config: VectorConfig | None = None
) -> tuple[list[str], Floats]:
    """Words, the most frequent first, and their vectors (words, dim)."""
    config = config or VectorConfig()
    lines = [[text[a:b].lower() for a, b in word_spans(text)] for text in texts]
    count = Counter(word for line in lines for word in line)
    words = sorted((w for w in count if count[w] >= config.min_count), key=lambda w: (-count[w], w))
    shares = [1 - away / config.window for away in range(config.window)]
    near = neighbours(flattened(lines, words, config.window), len(words), shares)
    return words, _spread(directions(information(near, config.smoothing), config.dim), config)


def flattened(lines: Sequence[Sequence[str]], words: Sequence[str], window: int) -> Numbers:
    """The numbers of all words, one text behind the other; -1 for words without a number.

    Each text ends in a window of no words, so that none reaches into the next text.
    """
    number = {word: at for at, word in enumerate(words)}
    gap = [-1] * window
    return np.array([n for line in lines for n in [*(number.get(w, -1) for w in line), *gap]])


def neighbours(flat: Numbers, n_words: int, shares: Sequence[float], *, apart: bool = False) -> Any:
    """(words, words): how often two words stand near each other, by `shares` for each distance.

    With `apart`, left neighbours and right ones are told apart: (words, 2 words).
    """
    shape = (n_words, n_words)
    behind: Any = csr_array(shape)
    for away, share in enumerate(shares, 1):
        one, other = flat[:-away], flat[away:]
        both = (one >= 0) & (other >= 0)
        found = np.full(int(both.sum()), share)
        behind = behind + csr_array((found, (one[both], other[both])), shape=shape)
    return (hstack([behind.T, behind]) if apart else behind + behind.T).tocsr()


def information(near: Any, smoothing: float = SMOOTHING) -> Any:
    """Positive pointwise mutual information: max(0, log P(w, c) / P(w) P(c)), P(c) smoothed."""
    total, of_word, of_neighbour = near.sum(), near.sum(1), near.sum(0) ** smoothing
    of_neighbour = of_neighbour * (total / max(of_neighbour.sum(), NEVER))
    by_word, by_neighbour = (1 / np.maximum(own, NEVER) for own in (of_word, of_neighbour))
    place = near.tocoo()
    row, column = place.row, place.col
    values = np.log(by_word[row] * near.data * by_neighbour[column] * total)
    kept = values > 0
    return csr_array((values[kept], (row[kept], column[kept])), shape=near.shape)


def directions(known: Any, dim: int) -> NDArray[np.float64]:
    """The largest singular directions of words, each by the root of its size, the least first.

    In double precision, so that what is written does not depend on how many cores add up.
    """
    n_words = known.shape[0]
    left, size, _ = svds(known, k=min(dim, n_words - 1), v0=np.ones(n_words))
    order = np.argsort(size, kind="stable")
    return np.asarray(left[:, order] * np.sqrt(size[order]))


def _spread(vectors: NDArray[np.float64], config: VectorConfig) -> Floats:
    """The largest direction first, signs that agree, and the deviation that is wanted."""
    vectors = vectors[:, ::-1]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(0), np.arange(vectors.shape[1])])
    return np.asarray(vectors * (config.spread / vectors.std()), dtype=np.float32)


def write_vectors(path: Path, words: Sequence[str], vectors: Floats) -> None:
    """A first line with both sizes, then a word and its numbers a line."""
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n")
        for word, vector in zip(words, vectors, strict=True):
            file.write(f"{word} {' '.join(f'{number:.4f}' for number in vector)}\n")


def nearest(word: str, words: Sequence[str], vectors: Floats, n: int = 8) -> list[str]:
    """The words whose vectors point most alike."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    own = words.index(word)
    order = np.argsort(-(unit @ unit[own]), kind="stable")
    return [words[at] for at in order[order != own][:n]]


def main() -> None:
    """Write vectors of the words of all unlabelled texts, and show some neighbours."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True, help="folder that has bio/")
    options.add_argument("--out", type=Path, required=True)
    given = options.parse_args()
    start = perf_counter()
    words, vectors = word_vectors(unlabelled_texts(given.data / "bio"))
    write_vectors(given.out, words, vectors)
    print(f"{len(words)} words in {perf_counter() - start:.0f} s")
    for word in ("egfr", "gefitinib", "mutation", "resistance"):
        print(f"{word}: {' '.join(nearest(word, words, vectors))}")


if __name__ == "__main__":
    main()
