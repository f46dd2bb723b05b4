"""The sets of the benchmark of S4, each with some of its oracle tokens as seeds, and no votes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.dpl_problems import Problem, problem_of_tokens, problem_of_words
from benchmarks.dpl_sets import (
    QUICK_ROWS,
    SOURCES,
    Corpus,
    Labelled,
    Source,
    read_corpus,
    read_rows,
)
from benchmarks.dpl_tokens import Tokens

# By the name of its folder: what it is called among the sets of DPL.
TABLES = {
    "imdb": "imdb",
    "sst2": "sst2",
    "agnews": "agnews",
    "20newsgroups": "20newsgroups",
    "yahoo_answers_1k": "",
    "yahoo_society_vs_science": "yahoo",
    "trec_rules": "trec",
    "chemprot_cosine": "chemprot",
}
YAHOO_LABELS = "society science health education computers sports business entertainment family "
YAHOO_1K = Source(folder="yahoo_answers_1k", labels=(*YAHOO_LABELS.split(), "politics"))
CHAPTERS = ("imdb", "sst2")  # whose sizes are numbers of tokens in all, and can be chosen
EACH = (5, 10)  # tokens for each label of all other sets, as the chapter has for Yahoo
DRAWN_EACH = 10  # tokens for each label, where they are drawn


def read_set(name: str, folder: Path, *, quick: bool) -> Corpus:
    """A set of which nothing is known but oracle tokens; `quick` reads some of the rows."""
    if name == YAHOO_1K.folder:
        return _halved(YAHOO_1K, folder, QUICK_ROWS if quick else None)
    found = read_corpus(TABLES[name], folder, quick=quick)
    assert SOURCES[TABLES[name]].folder == name
    return replace(found, name=name, knowledge="oracle tokens", votes=None, keywords=None)


def _halved(source: Source, folder: Path, n_rows: int | None) -> Corpus:
    """A set with test rows only: every other one is to learn from."""
    every, _ = read_rows(folder / source.folder / "test.parquet", source, n_rows)
    train, test = (Labelled(every.texts[at::2], every.gold[at::2]) for at in (0, 1))
    return Corpus(
        name=source.folder,
        labels=source.labels,
        knowledge="oracle tokens",
        train=train,
        test=test,
        votes=None,
        keywords=None,
    )


def sizes_of(corpus: Corpus, sizes: Sequence[int], *, quick: bool) -> tuple[int, ...]:
    """How many seed tokens a set has, in all."""
    if corpus.name in CHAPTERS:
        return tuple(sizes)
    return tuple(each * len(corpus.labels) for each in EACH[: 1 if quick else None])


def problems(corpus: Corpus, tokens: Tokens, sizes: Sequence[int]) -> Iterator[Problem]:
    """A set with its strongest tokens as seeds."""
    for size in sizes:
        yield problem_of_tokens(corpus, tokens, size)


def drawn_problem(corpus: Corpus, tokens: Tokens, draw: int) -> Problem:
    """A set with seeds that are drawn from its oracle tokens."""
    random = np.random.default_rng(draw)
    words = {
        label: tuple(random.permutation(own)[:DRAWN_EACH].tolist()) for label, own in tokens.items()
    }
    return problem_of_words(f"{corpus.name}_draw_{draw}", corpus, words)
