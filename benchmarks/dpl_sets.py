"""Texts with labels for the benchmark of deep probabilistic logic, read from published sets.

What is known of a set comes with it as votes, was written by hand from the names of its labels
alone, or is a number of oracle tokens (`dpl_tokens`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks.dpl_keywords import NEWSGROUPS, YAHOO
from benchmarks.label_model_real import columns
from benchmarks.label_model_sets import Longs

Knowledge = Literal["oracle tokens", "given votes", "keywords"]

QUICK_ROWS = 600
CHEMPROT = (
    "part_of regulator upregulator downregulator agonist antagonist modulator cofactor substrate "
    "not"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a set lies, and what is known of it."""

    folder: str
    labels: tuple[str, ...]
    keywords: Mapping[str, tuple[str, ...]] | None = None  # by label
    votes: str = ""  # the column of votes, where it has any
    first: int = 0  # the number of the first label in the file; rows with lower ones are dropped
    has_headers: bool = False  # of messages, up to the first empty line: they are no text

    @property
    def knowledge(self) -> Knowledge:
        """What there is to learn from."""
        if self.votes:
            return "given votes"
        return "oracle tokens" if self.keywords is None else "keywords"


SOURCES = {
    "imdb": Source(folder="imdb", labels=("neg", "pos")),
    "sst2": Source(folder="sst2", labels=("neg", "pos")),
    "agnews": Source(
        folder="agnews", labels=("world", "sports", "business", "sci_tech"), votes="weak_majority"
    ),
    "yahoo": Source(
        folder="yahoo_society_vs_science", labels=("society", "science"), keywords=YAHOO
    ),
    "trec": Source(
        folder="trec_rules",
        labels=("description", "entity", "human", "abbreviation", "location", "number"),
        votes="weak_labels",
    ),
    "youtube": Source(folder="youtube_spam_wrench", labels=("ham", "spam"), votes="weak_labels"),
    "chemprot": Source(
        folder="chemprot_cosine", labels=tuple(CHEMPROT.split()), votes="weak_majority", first=1
    ),
    "20newsgroups": Source(
        folder="20newsgroups", labels=tuple(NEWSGROUPS), keywords=NEWSGROUPS, has_headers=True
    ),
}


@dataclass(frozen=True, slots=True)
class Labelled:
    """Texts, and the labels that they truly have."""

    texts: list[str]
    gold: Longs

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """One set: train rows to learn from without their labels, test rows to score on."""

    name: str
    labels: tuple[str, ...]
    knowledge: Knowledge
    train: Labelled
    test: Labelled
    votes: Longs | None  # (train rows, functions) index of a label, -1 = abstains
    keywords: Mapping[str, tuple[str, ...]] | None


def read_corpus(name: str, folder: Path, *, quick: bool) -> Corpus:
    """A set as it lies in the data folder; `quick` reads some of the rows."""
    source, n_rows = SOURCES[name], QUICK_ROWS if quick else None
    train, votes = read_rows(folder / source.folder / "train.parquet", source, n_rows)
    test, _ = read_rows(folder / source.folder / "test.parquet", source, n_rows)
    return Corpus(
        name=name,
        labels=source.labels,
        knowledge=source.knowledge,
        train=train,
        test=test,
        votes=votes,
        keywords=source.keywords,
    )


def read_rows(path: Path, source: Source, n_rows: int | None) -> tuple[Labelled, Longs | None]:
    """The texts of one file, and what is voted on them; all of them, or so many."""
    wanted = ("text", "label", *([source.votes] if source.votes else []))
    text, label, *votes = columns(path, wanted, n_rows)
    gold = label.to_numpy().astype(np.int64) - source.first
    kept = np.flatnonzero(gold >= 0)
    every = text.to_pylist()
    texts = [_body(every[row]) if source.has_headers else every[row] for row in kept]
    cast = _votes(votes[0].to_pylist(), source)[kept] if votes else None
    return Labelled(texts, gold[kept]), cast


def _votes(given: list[object], source: Source) -> Longs:
    """Votes as a matrix, counted from 0; of several functions, or of a single one."""
    votes = np.array(given, dtype=np.int64)
    votes = votes[:, None] if votes.ndim == 1 else votes
    return np.where(votes < 0, -1, votes - source.first)


def _body(message: str) -> str:
    """A message without its headers."""
    return message.replace("\r\n", "\n").partition("\n\n")[2]
