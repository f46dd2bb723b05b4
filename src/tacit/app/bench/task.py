"""A made-up task of any size, for measuring: texts of random words, some of which tell a label."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WORDS = 20_000  # in the vocabulary; the r-th is drawn about 1/r as often as the first
LENGTH = 60  # words of a text, on average
TELLING = 40  # words for each label that are drawn more often where it is right
KEYWORDS = 10  # of these, known to the program
SEED = 0

RULES = """\
label    sentiment(review) = neg | pos
observed token(review, word)
observed near(review, review)
observed lexicon(word, class)
words:   2.2   token(r, +w) & lexicon(w, +l) => sentiment(r) = +l
agree:   1.0   near(r, s) => sentiment(r) = sentiment(s)
"""


def write_task(folder: Path, n_texts: int) -> dict[str, Path]:
    """Write the tables of a task as CSV files: `review`, `lexicon` and `near`, by name."""
    rng = np.random.default_rng(SEED)
    is_pos = rng.random(n_texts) < 0.5
    words = np.array([f"w{rank}" for rank in range(WORDS)])
    telling = rng.choice(np.arange(200, 2000), (2, TELLING), replace=False)
    usual = 1.0 / np.arange(1, WORDS + 1)
    lengths = rng.poisson(LENGTH, n_texts) + 1
    drawn = rng.choice(WORDS, int(lengths.sum()), p=usual / usual.sum())
    ends = np.cumsum(lengths)
    for text in range(n_texts):  # one word in fifteen tells the label
        own = drawn[ends[text] - lengths[text] : ends[text]]
        told = rng.random(len(own)) < 1 / 15
        own[told] = rng.choice(telling[int(is_pos[text])], int(told.sum()))
    texts = [" ".join(words[own]) for own in np.split(drawn, ends[:-1])]
    known = [(words[w], "neg") for w in telling[0, :KEYWORDS]]
    known += [(words[w], "pos") for w in telling[1, :KEYWORDS]]
    pairs = _pairs(rng, is_pos)
    return {
        "review": _write(folder / "review.csv", ["id", "text"], enumerate(texts)),
        "lexicon": _write(folder / "lexicon.csv", ["word", "class"], known),
        "near": _write(folder / "near.csv", ["review", "other"], pairs),
    }


def _pairs(rng: np.random.Generator, is_pos: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Pairs of texts, one for each two: nine in ten with the same label."""
    n = len(is_pos)
    one = rng.integers(0, n, n)
    other = rng.integers(0, n, n)
    kept = (one != other) & ((is_pos[one] == is_pos[other]) | (rng.random(n) < 0.1))
    return list(zip(one[kept].tolist(), other[kept].tolist(), strict=True))


def _write(path: Path, header: list[str], rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path
