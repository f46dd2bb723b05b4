"""Parsed sentences of Peng et al. (2017): what a parser learns from, and its scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

NO_HEAD, ROOT = -1, 0  # in place of the number of a head; words are counted from 1
SELF, ROOT_KIND = "self", "root"

Read = tuple[Sequence[str], Sequence[str]]  # lemmas and tags of a sentence
Parse = tuple[list[int], list[str]]  # head and kind of each word


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """Words with their heads, in the corpus's own fashion."""

    text: int  # sentences of one text must not be split up
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    kinds: tuple[str, ...]


def peng_sentences(path: Path) -> list[ParsedSentence]:
    """The sentences of each distinct text; each main word is a root."""
    columns = ["tokens", "pos", "head", "deprel", "sent_starts"]
    rows = pq.read_table(path, columns=columns).to_pylist()
    texts = {tuple(row["tokens"]): row for row in rows}
    return [
        _sentence(text, row, start, end)
        for text, row in enumerate(texts.values())
        for start, end in pairwise([*row["sent_starts"], len(row["tokens"])])
    ]


def _sentence(text: int, row: Mapping[str, Sequence[Any]], start: int, end: int) -> ParsedSentence:
    heads, kinds = [], []
    for head, kind in zip(row["head"][start:end], row["deprel"][start:end], strict=True):
        if head == NO_HEAD:
            head, kind = NO_HEAD, SELF
        elif start < head <= end:
            head, kind = head - start, kind.rstrip("(")  # "nn(" is a slip of the corpus
        else:
            head, kind = ROOT, ROOT_KIND
        heads.append(head)
        kinds.append(kind)
    lemmas, tags = tuple(row["tokens"][start:end]), tuple(row["pos"][start:end])
    return ParsedSentence(text, lemmas, tags, tuple(heads), tuple(kinds))


def held_out(
    sentences: Sequence[ParsedSentence], every: int = 10
) -> tuple[list[ParsedSentence], list[ParsedSentence]]:
    """Sentences to train on, and those of every tenth text that no other text has."""
    train = [own for own in sentences if own.text % every]
    seen = {own.lemmas for own in train}
    test = {own.lemmas: own for own in sentences if not own.text % every}
    return train, [own for lemmas, own in test.items() if lemmas not in seen]


def attachment(
    parse: Callable[[Sequence[Read]], list[Parse]], sentences: Sequence[ParsedSentence]
) -> dict[str, float]:
    """Share of words with a head that get it (UAS), with its kind too (LAS); heads of all words."""
    found = parse([(own.lemmas, own.tags) for own in sentences])
    rows = [
        (true > 0, true == head, true == head and named == kind)
        for own, (heads, kinds) in zip(sentences, found, strict=True)
        for true, named, head, kind in zip(own.heads, own.kinds, heads, kinds, strict=True)
    ]
    has_head, right, named = np.array(rows, dtype=bool).T
    return {
        "UAS": float(right[has_head].mean()),
        "LAS": float(named[has_head].mean()),
        "all words": float(right.mean()),
    }
