"""A large project for the review page: 25,000 texts, drawn, or those of IMDb."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

SEEDS = {
    "pos": ("superb", "wonderful", "excellent", "perfect", "loved"),
    "neg": ("awful", "terrible", "worst", "boring", "waste"),
}
N_WORDS = 8000  # of the drawn language
N_LEANING = 600  # words that occur in one label's texts more often
LENGTH = (40, 260)  # words of a text, from and to: about those of IMDb
SETTINGS = """\
name = "reviews"
program = "rules.tacit"
text = "review.text"

[tables]
review = "data/review.csv"

[grow]
rounds = 0  # the questions are what is measured
"""


def write_project(folder: Path, texts: list[str]) -> None:
    """A project of these texts, with a handful of seed words for each label."""
    (folder / "data").mkdir(parents=True)
    with (folder / "data" / "review.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "text"), *((f"r{n}", t) for n, t in enumerate(texts))])
    lines = ["label    sentiment(review) = neg | pos", "observed token(review, word)"]
    for label, words in SEEDS.items():
        lines += [f'{word}: 2.2 token(r, "{word}") => sentiment(r) = {label}' for word in words]
    (folder / "rules.tacit").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "tacit.toml").write_text(SETTINGS, encoding="utf-8")


def drawn_texts(n: int, seed: int = 0) -> list[str]:
    """Texts of a made-up language in which some words lean to one of two labels."""
    rng = np.random.default_rng(seed)
    frequency = 1.0 / (np.arange(N_WORDS) + 10.0)
    leaning = np.ones((2, N_WORDS))
    chosen = rng.choice(np.arange(30, N_WORDS), size=N_LEANING, replace=False)
    leaning[np.arange(N_LEANING) % 2, chosen] = 4.0
    words = np.array([f"word{number}" for number in range(N_WORDS)], dtype=object)
    for side, own in enumerate(SEEDS.values()):
        leaning[side, 100 + 10 * side : 100 + 10 * side + len(own)] = 6.0
        words[100 + 10 * side : 100 + 10 * side + len(own)] = own
    shares = leaning * frequency
    shares /= shares.sum(axis=1, keepdims=True)
    lengths = rng.integers(*LENGTH, size=n)
    sides = rng.integers(0, 2, size=n)
    return [
        " ".join(words[rng.choice(N_WORDS, size=length, p=shares[side])])
        for side, length in zip(sides, lengths, strict=True)
    ]


def imdb_texts(data: Path, n: int) -> list[str]:
    """The first texts of IMDb, from the folder of published sets."""
    from benchmarks.s4_sets import read_set

    return list(read_set("imdb", data / "text", quick=False).train.texts[:n])
