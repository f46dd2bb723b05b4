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
# Sets with fewer texts of some labels: of which set, and the share of each label's texts that stay.
THINNED = {
    "agnews_skewed": ("agnews", (1.0, 0.3, 0.6, 0.1)),
    "sst2_few_pos": ("sst2", (1.0, 0.2)),
    "sst2_few_neg": ("sst2", (0.2, 1.0)),
    "yahoo_few_science": ("yahoo_society_vs_science", (1.0, 0.2)),
    "yahoo_few_society": ("yahoo_society_vs_science", (0.2, 1.0)),
}
NAMES = (*TABLES, *THINNED)
YAHOO_LABELS = "society science health education computers sports business entertainment family "
YAHOO_1K = Source(folder="yahoo_answers_1k", labels=(*YAHOO_LABELS.split(), "politics"))
CHAPTERS = ("imdb", "sst2")  # whose sizes are numbers of tokens in all, and can be chosen
EACH = (5, 10)  # tokens for each label of all other sets, as the chapter has for Yahoo
DRAWN_EACH = 10  # tokens for each label, where they are drawn


def read_set(name: str, folder: Path, *, quick: bool) -> Corpus:
    """A set of which nothing is known but oracle tokens; `quick` reads some of the rows."""
    if name in THINNED:
        whole, shares = THINNED[name]
        return thinned(read_set(whole, folder, quick=quick), name, shares)
    if name == YAHOO_1K.folder:
        return _halved(YAHOO_1K, folder, QUICK_ROWS if quick else None)
    found = read_corpus(TABLES[name], folder, quick=quick)
    assert SOURCES[TABLES[name]].folder == name
    return replace(found, name=name, knowledge="oracle tokens", votes=None, keywords=None)


def thinned(corpus: Corpus, name: str, shares: Sequence[float]) -> Corpus:
    """A set that keeps a share of each label's texts, drawn with a fixed seed."""
    return replace(
        corpus,
        name=name,
        train=_thinned(corpus.train, shares),
        test=_thinned(corpus.test, shares),
    )


def _thinned(own: Labelled, shares: Sequence[float]) -> Labelled:
    random = np.random.default_rng(0)
    rows = [random.permutation(np.flatnonzero(own.gold == at)) for at in range(len(shares))]
    kept = np.sort(
        np.concatenate([of[: int(len(of) * s)] for of, s in zip(rows, shares, strict=True)])
    )
    return Labelled([own.texts[at] for at in kept], own.gold[kept])


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


def sizes_of(
    corpus: Corpus, sizes: Sequence[int], each: Sequence[int] = EACH, *, quick: bool
) -> tuple[int, ...]:
    """How many seed tokens a set has, in all: so many, or so many for each label."""
    if corpus.name in CHAPTERS:
        return tuple(sizes)
    return tuple(own * len(corpus.labels) for own in each[: 1 if quick else None])


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
