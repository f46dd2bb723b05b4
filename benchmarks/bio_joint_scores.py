"""The figures of the joint table: extractions against all true triples, and types of error."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.bio_errors import errors, shares
from benchmarks.bio_joint_data import JointData
from benchmarks.bio_linking_gold import Floats, scores
from tacit.report.extraction_scores import extraction_scores
from tacit.report.metrics import average_precision

Figures = dict[str, float]


def figures(data: JointData, train: Floats, gold: Floats) -> Figures:
    """The figures of a row by its probabilities, of what was learned from and of gold."""
    names = [own.candidate.names for own in data.train.some]
    found = extraction_scores(train, tuples=names)
    return gold_figures(data, gold) | {
        "extracted": float(found.extractions),
        "unique": float(found.unique_tuples or 0),
    }


def gold_figures(data: JointData, said_yes: Floats) -> Figures:
    """Against all true triples: one that no candidate has is missed by every row."""
    is_true = np.array([bool(own) for own in data.covers])
    extracted = np.flatnonzero(said_yes >= 0.5).tolist()
    found = frozenset[int]().union(*(data.covers[at] for at in extracted))
    right = int(is_true[extracted].sum())
    precision = right / len(extracted) if extracted else math.nan
    recall = len(found) / len(data.true_triples)
    reached = len(frozenset[int]().union(*data.covers)) / len(data.true_triples)
    by_type = shares(_errors(data, at) for at in extracted if not is_true[at])
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if right else 0.0,
        "ap": average_precision(said_yes, is_true.astype(np.int64)) * reached,
        "gold_extracted": float(len(extracted)),
        "gold_unique": float(len({data.gold.some[at].candidate.names for at in extracted})),
        "wrong": float(len(extracted) - right),
        **{f"error_{kind}": share for kind, share in by_type.items()},
    }


def _errors(data: JointData, at: int) -> frozenset[str]:
    own = data.gold.some[at]
    passage = data.gold.passages[own.passage]
    assert passage.gold is not None
    drug, variant = passage.places[own.pair]
    return errors(passage.gold, drug, own.place, variant)


def linking_figures(data: JointData, linked: Floats, sampled: Figures) -> Figures:
    """How well genes are told from other words in CIViCmine's sentences, each match once."""
    _, first = np.unique(data.gold.gene_row, return_index=True)
    found = scores(linked[first], data.gene_is_marked[first])
    return {"link_accuracy": found["accuracy"], "link_f1": found["f1"], **sampled}
