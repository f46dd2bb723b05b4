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
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from examples.bio.parses import FILE as PENG
from examples.bio.parses import peng_sentences
from examples.bio.reading import pool_texts
from tacit.data.text.words import word_spans

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorConfig:
    """What is counted, and how large vectors are."""

    dim: int = 100
    window: int = 5  # words on either side; the nearest counts most
    min_count: int = 5
    smoothing: float = 0.75  # of the neighbours' frequencies, so that rare ones do not rule
    spread: float = 0.3  # standard deviation of the numbers: what networks here begin with


def unlabelled_texts(data: Path) -> list[str]:
    """Abstracts that no test split has, and the sentences of Peng et al., of which each one once.

    The abstracts are of all fields and hardly name the drugs of oncology; Peng's sentences do.
    """
    sentences = {own.lemmas: " ".join(own.lemmas) for own in peng_sentences(data / PENG)}
    return [*pool_texts(data / "bio").values(), *sentences.values()]


def word_vectors(
    texts: Iterable[str], config: VectorConfig | None = None
) -> tuple[list[str], Floats]:
    """Words, the most frequent first, and their vectors (words, dim)."""
    config = config or VectorConfig()
    lines = [[text[a:b].lower() for a, b in word_spans(text)] for text in texts]
    count = Counter(word for line in lines for word in line)
    words = sorted((w for w in count if count[w] >= config.min_count), key=lambda w: (-count[w], w))
    near = _neighbours(_flattened(lines, words, config.window), len(words), config)
    return words, _directions(_information(near, config), config)


def _flattened(lines: Sequence[Sequence[str]], words: Sequence[str], window: int) -> Numbers:
    """The numbers of all words, one text behind the other; -1 for words without a number.

    Each text ends in a window of no words, so that none reaches into the next text.
    """
    number = {word: at for at, word in enumerate(words)}
    gap = [-1] * window
    return np.array([n for line in lines for n in [*(number.get(w, -1) for w in line), *gap]])


def _neighbours(flat: Numbers, n_words: int, config: VectorConfig) -> Any:
    """(words, words): how often two words stand near each other, the nearest counted most."""
    shape = (n_words, n_words)
    total: Any = csr_array(shape)
    for away in range(1, config.window + 1):
        one, other = flat[:-away], flat[away:]
        both = (one >= 0) & (other >= 0)
        near = np.full(int(both.sum()), 1 - (away - 1) / config.window)
        total = total + csr_array((near, (one[both], other[both])), shape=shape)
    return (total + total.T).tocoo()


def _information(near: Any, config: VectorConfig) -> Any:
    """Positive pointwise mutual information: max(0, log P(w, c) / P(w) P(c)), P(c) smoothed."""
    of_word = near.sum(1)
    smoothed = of_word**config.smoothing
    expected = of_word[near.row] * smoothed[near.col] / smoothed.sum()
    values = np.log(near.data / expected)
    kept = values > 0
    return csr_array((values[kept], (near.row[kept], near.col[kept])), shape=near.shape)


def _directions(information: Any, config: VectorConfig) -> Floats:
    """The largest singular directions, by the roots of their sizes; signs are made to agree.

    In double precision, so that what is written does not depend on how many cores add up.
    """
    dim = min(config.dim, information.shape[0] - 1)
    left, size, _ = svds(information, k=dim, v0=np.ones(information.shape[0]))
    order = np.argsort(-size, kind="stable")
    vectors = left[:, order] * np.sqrt(size[order])
    vectors *= np.sign(vectors[np.abs(vectors).argmax(0), np.arange(dim)])
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
    words, vectors = word_vectors(unlabelled_texts(given.data))
    write_vectors(given.out, words, vectors)
    print(f"{len(words)} words in {perf_counter() - start:.0f} s")
    for word in ("egfr", "gefitinib", "mutation", "resistance"):
        print(f"{word}: {' '.join(nearest(word, words, vectors))}")


if __name__ == "__main__":
    main()
