"""Expectations: weights that move until expected shares are where they were asked to be.

"About half are positive" is a constraint on the model's expectation. Its Lagrange multiplier is a
weight on each grounding: zero while the share lies within its margin by itself, otherwise whatever
brings it to the nearer edge. Together these weights w minimise a convex function,

    log Z(w) - sum of w (share asked for) n + sum of |w| (margin) n,

with n how many groundings each is a share of. The gradient of the first two terms is how far the
expected counts are off. Each step minimises a quadratic in their place (a proximal Newton method),
whose Hessian begins as the covariance of independent labels and learns from each step (BFGS).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats
from tacit.inference.solution import Solution

CLOSE = 1e-6  # shares nearer than this to what was asked for are there
ROUNDS = 60  # steps; a handful are needed where the shares can be met
PATIENCE = 15  # steps that may pass without a better answer: there is none, or none to be seen
BACK = 5  # inferences for one step: one that goes too far is taken back in part
LITTLE = 1e-14  # a step that gains no more is rounding; shares that are not CLOSE gain over 1e-12
FAR = 4.0  # the longest step of a weight: log-odds of 50 to 1
LARGEST = 50.0  # beyond such a weight nothing changes any more

Solve = Callable[[Floats, Solution | None], Solution]


@dataclass(frozen=True, slots=True)
class Met:
    """An inference whose expected shares are where they should be, or as near as they get."""

    solution: Solution
    weights: Floats
    gap: float


@dataclass(frozen=True, slots=True)
class Tried:
    """An inference under some weights of the expectations."""

    dual: Floats  # (expectations) their weights
    solution: Solution
    off: Floats  # (expectations) by how much expected counts are above what was asked for


def meet_expectations(graph: FactorGraph, weights: Floats, solve: Solve) -> Met:
    """Solve, and move the weights of expectations until their shares fit."""
    asked = graph.expectations
    if not len(asked):
        return Met(solve(weights.copy(), None), weights.copy(), 0.0)
    columns = sparse.csr_array(graph.counts[:, asked.weight])
    total = np.maximum(asked.n_groundings, 1.0)
    room = asked.margin * total

    def tried(dual: Floats, before: Solution | None) -> Tried:
        own = weights.copy()
        own[asked.weight] = dual
        solution = solve(own, before)
        return Tried(dual, solution, columns.T @ solution.marginals - asked.share * total)

    best = now = tried(weights[asked.weight], None)
    hessian = covariance(graph, columns, now.solution.marginals)
    best_gap, since = np.inf, 0
    for _ in range(ROUNDS):
        gap = float((np.abs(_unmet(now, room)) / total).max())
        best, best_gap, since = (now, gap, 0) if gap < best_gap else (best, best_gap, since + 1)
        if gap < CLOSE or since > PATIENCE:
            break
        move = _step(now, room, hessian)
        ahead = -_slope(now, room, move, move)
        if ahead < LITTLE:
            break
        before, part = now, 1.0
        for _ in range(BACK):
            now = tried(before.dual + part * move, before.solution)
            hessian = _learned(hessian, part * move, now.off - before.off)
            behind = _slope(now, room, move, -move)
            if behind <= 0.5 * ahead:
                break
            part *= max(ahead / (ahead + behind), 0.1)  # where a line between the slopes is level
    chosen = weights.copy()
    chosen[asked.weight] = best.dual
    outside = np.maximum(np.abs(best.off) - room, 0.0) / total
    return Met(best.solution, chosen, float(outside.max()))


def covariance(graph: FactorGraph, columns: sparse.csr_array, marginals: Floats) -> Floats:
    """How expected counts would move with the weights if labels were independent."""
    shape = (graph.n_variables, graph.n_states)
    by_variable = sparse.csr_array(
        (marginals, np.arange(graph.n_states), graph.first_state), shape=shape
    )
    mean = by_variable @ columns
    square = columns.T @ (sparse.diags_array(marginals) @ columns)
    return np.asarray((square - mean.T @ mean).toarray())


def _unmet(now: Tried, room: Floats) -> Floats:
    """How far each count is from the edge that it should lie on; 0 within, if its weight is 0."""
    edge = np.where(now.dual == 0, np.clip(now.off, -room, room), -np.sign(now.dual) * room)
    return np.asarray(now.off - edge)


def _slope(now: Tried, room: Floats, move: Floats, side: Floats) -> float:
    """How the function rises along a move, on the side of a kink at 0 to which `side` points."""
    sign = np.where(now.dual == 0, np.sign(side), np.sign(now.dual))
    return float(move @ (now.off + room * sign))


def _step(now: Tried, room: Floats, hessian: Floats) -> Floats:
    """The move that minimises the quadratic with its margins, no weight going too far.

    A round over single weights tells which of them lie at 0 or at a limit; the others then go to
    their common minimum at once. Single weights alone would need thousands of rounds where shares
    can just be met: there the quadratic is a narrow valley, askew to the weights.
    """
    flat = 1e-9 * max(float(np.trace(hessian)), 1e-9)
    hessian = hessian + flat * np.eye(len(hessian))  # no direction is quite without a minimum
    low = np.maximum(now.dual - FAR, -LARGEST)
    high = np.minimum(now.dual + FAR, LARGEST)
    to = now.dual.copy()
    for _ in range(200):
        largest = 0.0
        pull = now.off + hessian @ (to - now.dual)  # the gradient of the quadratic at `to`
        for k in range(len(to)):
            curve = hessian[k, k]
            free = to[k] - pull[k] / curve
            shrunk = np.sign(free) * max(abs(free) - room[k] / curve, 0.0)
            change = min(max(shrunk, low[k]), high[k]) - to[k]
            if change:
                to[k] += change
                pull += hessian[k] * change
                largest = max(largest, abs(change))
        if largest < 1e-10:
            break
        to = _together(to, pull + room * np.sign(to), hessian, low, high)
    return np.asarray(to - now.dual)


def _together(to: Floats, pull: Floats, hessian: Floats, low: Floats, high: Floats) -> Floats:
    """Weights at neither 0 nor a limit go to their common minimum, or until the first is at one."""
    free = (to != 0) & (to > low) & (to < high)
    move = np.linalg.solve(hessian[np.ix_(free, free)], -pull[free])
    start, wanted = to[free], to[free] + move
    least = np.where(start > 0, np.maximum(low[free], 0.0), low[free])
    most = np.where(start < 0, np.minimum(high[free], 0.0), high[free])
    inside = np.clip(wanted, least, most)
    reach = np.ones(len(move))  # the part of the move until a weight is at 0 or a limit
    np.divide(inside - start, move, out=reach, where=inside != wanted)
    part = reach.min(initial=1.0)
    result = to.copy()
    result[free] = np.where(reach == part, inside, start + part * move)
    return result


def _learned(hessian: Floats, move: Floats, change: Floats) -> Floats:
    """The Hessian that explains how far expected counts changed with the last move (BFGS)."""
    along = float(move @ change)
    before = hessian @ move
    own = float(move @ before)
    if along <= 1e-12 * float(move @ move) or own <= 0.0:
        return hessian
    outer: Floats = np.outer(change, change) / along - np.outer(before, before) / own
    return hessian + outer
