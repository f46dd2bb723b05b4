"""Mean field by definition: the bound and its updates as sums over every assignment of states."""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tacit.graph import FactorGraph
from tests.oracles.inference import assignments, joint, score

Floats = NDArray[np.float64]


def log_scores(graph: FactorGraph, log_unary: Floats | None = None) -> Floats:
    """The log of every assignment's unnormalised probability: one axis for each variable."""
    extra = np.zeros(graph.n_states) if log_unary is None else log_unary
    scores = np.empty(graph.sizes)
    for states in assignments(graph):
        scores[states] = score(graph, graph.weights, extra, states)[0]
    return scores


def by_variable(graph: FactorGraph, marginals: Floats) -> list[Floats]:
    """Marginals by state, taken apart variable by variable."""
    return np.split(np.array(marginals), graph.first_state[1:-1])


def lower_bound(scores: Floats, shares: list[Floats]) -> float:
    """E_q[log p] + H(q) with q the product of the shares."""
    joint = np.asarray(reduce(np.multiply.outer, shares))
    taken = joint > 0
    return float(joint[taken] @ (scores[taken] - np.log(joint[taken])))


def sweep(scores: Floats, shares: list[Floats]) -> list[Floats]:
    """Each variable in turn: q(s) in proportion to exp(E_q[log p | v = s]); soft factors only."""
    shares = list(shares)
    for variable in range(len(shares)):
        expected = scores
        for other in reversed(range(len(shares))):
            if other != variable:
                expected = np.tensordot(expected, shares[other], axes=(other, 0))
        unnormalised = np.exp(expected - expected.max())
        shares[variable] = unnormalised / unnormalised.sum()
    return shares


def expected_holding(graph: FactorGraph, shares: list[Floats]) -> list[Floats]:
    """For each block, by potential: how many factors hold, expected over every assignment."""
    totals = [np.zeros(len(block.potentials)) for block in graph.blocks]
    owner = [(b, int(p)) for b, block in enumerate(graph.blocks) for p in block.potential]
    for states in assignments(graph):
        share = float(np.prod([own[s] for own, s in zip(shares, states, strict=True)]))
        for (block, potential), (_, holds, _) in zip(owner, joint(graph, states), strict=True):
            totals[block][potential] += share * holds
    return totals
