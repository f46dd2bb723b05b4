"""What an expert may know beside words, added to a problem: shares of labels, similar pairs."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

import tacit
from benchmarks.dpl_predictors import Remembering
from benchmarks.dpl_problems import Problem
from tacit.logic.words import WORD_WEIGHT
from tacit.proposals.pairs import PairProposal
from tacit.review import oracle_pairs

SPREAD = 0.02  # the standard deviation with which shares of labels are stated


def with_shares(problem: Problem) -> Problem:
    """The expert says that all labels are equally common."""
    (label,) = problem.program.labels.values()
    share = 1 / len(label.labels)
    free = label.labels if len(label.labels) > 2 else label.labels[1:]  # the other one follows
    lines = [
        f"even_{name}: expect {share:.4f} +- {SPREAD}: {label.name}(x) = {name}" for name in free
    ]
    program = tacit.Program.parse("\n".join([problem.program.show(), *lines]))
    return replace(problem, program=program)


def with_pairs(problem: Problem, predictor: Remembering) -> Problem:
    """The expert ties the pairs that a network of gold labels has brought together."""
    corpus = problem.corpus
    (label,) = problem.program.labels.values()
    gold = [corpus.labels[at] for at in corpus.train.gold]
    pairs = oracle_pairs(predictor, corpus.train.texts, gold, corpus.labels)
    ids = problem.task.instances(label.domain).ids
    ends = [ids.take(pa.array(pairs[:, side])).to_pylist() for side in (0, 1)]
    told = [
        PairProposal((a, b), 0.0, WORD_WEIGHT).evidence(label) for a, b in zip(*ends, strict=True)
    ]
    program = tacit.Program(problem.program.declarations, (*problem.program.evidence, *told))
    return replace(problem, program=program)
