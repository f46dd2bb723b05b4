"""The figures of the joint table: extractions against all true triples, and types of error."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.bio_errors import errors, shares
from benchmarks.bio_joint_data import JointData, Side, overlap
from benchmarks.bio_linking_gold import Floats, scores
from examples.bio.civicmine import Sentence
from examples.bio.joint_candidates import NamedIn
from examples.bio.triples import Span
from tacit.report.extraction_scores import extraction_scores
from tacit.report.metrics import average_precision

Figures = dict[str, float]


def figures(data: JointData, train: Floats, gold: Floats, found: Floats) -> Figures:
    """The figures of a row by its probabilities, of what was learned from and of both tests."""
    names = [own.candidate.names for own in data.train.some]
    told = extraction_scores(train, tuples=names)
    return tested(data, gold, found) | {
        "extracted": float(told.extractions),
        "unique": float(told.unique_tuples or 0),
    }


def tested(data: JointData, gold: Floats, found: Floats) -> Figures:
    """The figures with drugs and variants that people marked, and with those found by machine."""
    own = side_figures(data.gold, gold)
    own |= {f"gold_{name}": own.pop(name) for name in ("extracted", "unique")}
    by_machine = side_figures(data.found, found)
    return own | {f"found_{name}": value for name, value in by_machine.items()}


def side_figures(side: Side, said_yes: Floats) -> Figures:
    """Against all true triples: one that no candidate has is missed by every row."""
    is_true = np.array([bool(own) for own in side.covers])
    extracted = np.flatnonzero(said_yes >= 0.5).tolist()
    found = frozenset[int]().union(*(side.covers[at] for at in extracted))
    right = int(is_true[extracted].sum())
    precision = right / len(extracted) if extracted else math.nan
    recall = len(found) / len(side.true_triples)
    reached = len(frozenset[int]().union(*side.covers)) / len(side.true_triples)
    by_type = shares(_errors(side, at) for at in extracted if not is_true[at])
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if right else 0.0,
        "ap": average_precision(said_yes, is_true.astype(np.int64)) * reached if reached else 0.0,
        "extracted": float(len(extracted)),
        "unique": float(len({side.some[at].candidate.names for at in extracted})),
        "wrong": float(len(extracted) - right),
        **{f"error_{kind}": share for kind, share in by_type.items()},
    }


def mention_figures(sentences: Sequence[Sentence], named_in: NamedIn) -> Figures:
    """How well drugs and variants are found: those that overlap marked ones, and the reverse."""
    found: Figures = {}
    named = [named_in(sentence) for sentence in sentences]
    for at, kind in enumerate(("drug", "variant")):
        own = [[each.place for each in both[at]] for both in named]
        marked = [[each.place for each in sentence.marked[kind]] for sentence in sentences]
        found[f"{kind}_precision"] = _touched(own, marked)
        found[f"{kind}_recall"] = _touched(marked, own)
    return found


def _touched(some: Sequence[Sequence[Span]], others: Sequence[Sequence[Span]]) -> float:
    """The share of some places, by sentence, that overlap one of the others."""
    each = [
        any(overlap(one, other) for other in there)
        for here, there in zip(some, others, strict=True)
        for one in here
    ]
    return sum(each) / len(each) if each else math.nan


def _errors(side: Side, at: int) -> frozenset[str]:
    own = side.some[at]
    gold = side.passages[own.passage].gold
    assert gold is not None
    return errors(gold, *side.places(own))


def linking_figures(data: JointData, linked: Floats, sampled: Figures) -> Figures:
    """How well genes are told from other words in CIViCmine's sentences, each match once."""
    _, first = np.unique(data.gold.gene_row, return_index=True)
    found = scores(linked[first], data.gold.gene_is_marked[first])
    return {"link_accuracy": found["accuracy"], "link_f1": found["f1"], **sampled}
