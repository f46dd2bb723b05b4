"""Expectations: weights that move until expected shares are where they were asked to be.

"About half are positive" is a constraint on the model's expectation. Its Lagrange multiplier is a
weight on each grounding: zero while the share lies within its margin by itself, otherwise whatever
brings it to the nearer edge. The share rises with its weight, so the weight is found by Newton
steps, kept within what is known to be too low and too high.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats
from tacit.inference.solution import Solution

CLOSE = 1e-6  # shares nearer than this to what was asked for are there
ROUNDS = 60  # halving alone would find a weight to 1e-15 in that many
LARGEST = 50.0  # beyond such a weight nothing changes any more


@dataclass(frozen=True, slots=True)
class Met:
    """An inference whose expected shares are where they should be, or as near as they get."""

    solution: Solution
    weights: Floats
    gap: float


def meet_expectations(
    graph: FactorGraph,
    weights: Floats,
    solve: Callable[[Floats, Solution | None], Solution],
) -> Met:
    """Solve, and move the weights of expectations until their shares fit."""
    asked = graph.expectations
    weights = weights.copy()
    solution = solve(weights, None)
    if not len(asked):
        return Met(solution, weights, 0.0)
    columns = graph.counts[:, asked.weight]
    squares = columns.multiply(columns).T.tocsr()
    low = np.full(len(asked), -LARGEST)
    high = np.full(len(asked), LARGEST)
    total = np.maximum(asked.n_groundings, 1.0)
    for _ in range(ROUNDS):
        share = (columns.T @ solution.marginals) / total
        now = weights[asked.weight]
        goal = _goal(share, now, asked.share - asked.margin, asked.share + asked.margin)
        missing = goal - share
        if (np.abs(missing) < CLOSE).all():
            break
        low = np.where(missing > 0, np.maximum(low, now), low)
        high = np.where(missing < 0, np.minimum(high, now), high)
        slope = (squares @ (solution.marginals * (1 - solution.marginals))) / total
        step = now + missing / np.maximum(slope, 1e-9)
        inside = (step > low) & (step < high)
        moved = np.where(inside, step, (low + high) / 2)
        weights[asked.weight] = np.where(np.abs(missing) < CLOSE, now, moved)
        solution = solve(weights, solution)
    share = (columns.T @ solution.marginals) / total
    gap = np.abs(share - np.clip(share, asked.share - asked.margin, asked.share + asked.margin))
    return Met(solution, weights, float(gap.max(initial=0.0)))


def _goal(share: Floats, weight: Floats, low: Floats, high: Floats) -> Floats:
    """The edge that a share must reach; itself where its weight is 0 and it lies within."""
    goal = np.clip(share, low, high)
    goal = np.where(weight > 0, low, goal)
    return np.where(weight < 0, high, goal)
