"""Train the shipped tagger: ``python -m tools.train_tagger --data DIR`` (a minute or two).

DIR has ``bio/genia_syntax/genia_pos.parquet``. Each sentence is learned as it is and lower-cased,
with the words "UI", "TI" and "AB" that mark the parts of a record left out. Same data and seed,
same weights.
"""

from __future__ import annotations

import argparse
from itertools import chain
from operator import eq
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numba import njit

from tacit.data.text.tagger import SHIPPED, Tagger, parts_of
from tacit.data.text.tagger_kernels import (
    FEATURES,
    Hashes,
    Places,
    Weights,
    best_tag,
    find_rows,
)

BITS = 17  # 131,072 rows
EPOCHS = 5  # more do not help the sentences of the `dev` split
SMALLEST = 0.25  # weights of less than this share of one update are dropped, for a smaller file

Sentences = list[list[str]]


def main() -> None:
    """Train, report accuracy on the sentences held out, and save."""
    parser = argparse.ArgumentParser(prog="python -m tools.train_tagger", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that has bio/")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="file to write")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--bits", type=int, default=BITS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    path = options.data / "bio" / "genia_syntax" / "genia_pos.parquet"
    tagger = train(
        *read(path, "train"), bits=options.bits, epochs=options.epochs, seed=options.seed
    )
    tagger.save(options.out)
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.2f} MB")
    for split in ("dev", "test"):
        words, tags = read(path, split)
        cased, small = (accuracy(tagger, texts, tags) for texts in (words, lowered(words)))
        print(f"{split}: accuracy {cased:.4f}, lower-cased {small:.4f}")


def read(path: Path, split: str) -> tuple[Sentences, Sentences]:
    """Words and tags of the sentences of a split, without what marks the parts of a record."""
    table = pq.read_table(path, columns=["tokens", "pos"], filters=[("split", "==", split)])
    words, tags = table["tokens"].to_pylist(), table["pos"].to_pylist()
    skips = [2 if tuple(line[:2]) in _MARKS else 0 for line in words]
    kept = [i for i, line in enumerate(words) if line[:2] != ["UI", "-"]]
    return [words[i][skips[i] :] for i in kept], [tags[i][skips[i] :] for i in kept]


_MARKS = {("TI", "-"), ("AB", "-")}


def lowered(sentences: Sentences) -> Sentences:
    """The same sentences in small letters."""
    return [[word.lower() for word in sentence] for sentence in sentences]


def accuracy(tagger: Tagger, words: Sentences, tags: Sentences) -> float:
    """Share of words that get their tag."""
    found, true = chain.from_iterable(tagger.tag(words)), list(chain.from_iterable(tags))
    right: int = sum(map(eq, found, true))
    return right / len(true)


def train(words: Sentences, tags: Sentences, *, bits: int, epochs: int, seed: int) -> Tagger:
    """An averaged perceptron of sentences as they are and lower-cased."""
    names = sorted({tag for line in tags for tag in line})
    number = {name: i for i, name in enumerate(names)}
    parts, starts = parts_of([*words, *lowered(words)])
    truth = np.array([number[tag] for line in [*tags, *tags] for tag in line], dtype=np.int64)
    rng = np.random.default_rng(seed)
    weights = np.zeros((1 << bits, len(names)), dtype=np.int32)
    sums = np.zeros((1 << bits, len(names)), dtype=np.int64)
    step = 1
    for epoch in range(epochs):
        order = rng.permutation(len(starts) - 1)
        wrong, step = learn(parts, starts, truth, order, FEATURES, bits, weights, sums, step)
        print(f"epoch {epoch + 1}: {1 - wrong / len(truth):.4f} right while learning", flush=True)
    return Tagger(tuple(names), rounded(weights - sums / step))


def rounded(averages: np.ndarray[Any, np.dtype[np.float64]]) -> Weights:
    """Weights as small integers: only which sum is largest matters, not by how much."""
    averages = np.where(np.abs(averages) < SMALLEST, 0.0, averages)
    scale = 127 / np.abs(averages).max()
    small: Weights = np.rint(averages * scale).astype(np.int8)
    return small


@njit(cache=True)
def learn(
    parts: Hashes,
    starts: Places,
    truth: Places,
    order: Places,
    features: Places,
    bits: int,
    weights: Any,
    sums: Any,
    step: int,
) -> tuple[int, int]:
    """One pass over the sentences; the tags before a word are those that the tagger gave.

    An update at step t is kept in `weights`, and t times the update in `sums`: the average over
    all steps is then weights - sums / steps.
    """
    wrong = 0
    rows = np.empty(len(features), dtype=np.int64)
    scores = np.empty(weights.shape[1], dtype=np.int64)
    for sentence in order:
        start, end = starts[sentence], starts[sentence + 1]
        tag1 = tag2 = 0
        for word in range(start, end):
            find_rows(parts, word, start, end, tag1, tag2, features, bits, rows)
            best, true = best_tag(rows, weights, scores), truth[word]
            if best != true:
                wrong += 1
                for row in rows:
                    weights[row, true] += 1
                    sums[row, true] += step
                    weights[row, best] -= 1
                    sums[row, best] -= step
            step += 1
            tag1, tag2 = best + 1, tag1
    return wrong, step


if __name__ == "__main__":
    main()
