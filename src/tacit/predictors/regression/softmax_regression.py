"""Softmax regression on probabilities of labels, by Newton's method with conjugate gradients.

With scores S = X W + b and P = softmax(S), row by row, what is lowered is

    sum_i w_i (log sum_y exp S_iy - sum_y t_iy S_iy) + l2 / 2 * |W|^2,

the cross-entropy of targets t with weights w, and a Gaussian prior on W; b is free. Adding one
number to all labels changes nothing, so scores are written in an orthonormal basis B of what adds
up to zero over labels, S = (X V + c) B: one column fewer, the same |W|, and a single optimum.

A Newton step solves H d = -g by conjugate gradients, which need only products with X and its
transpose. How far to go along it needs no product at all, since scores are linear in V. On rows of
length 1 half a dozen steps are enough. All sums are taken in a fixed order: the result is the same
on any number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from warnings import warn

import numpy as np
from scipy import sparse

from tacit.errors import TacitWarning
from tacit.predictors.protocol import Floats, Report

ENOUGH = 1e-5  # a step that promises less of the loss, for each unit of weight, is the last
SOLVED = 0.1  # conjugate gradients stop where the residual is this share of the gradient
MAX_PRODUCTS = 100  # a ceiling on conjugate gradients in one step; 5 to 20 are usual
HOLD = 1e-3  # the least curvature of the intercept, for each unit of weight; 0.1 is usual
FLAT = 0.1  # go along a step until the slope is this share of what it was
MAX_TRIES = 20  # a ceiling on the search for that; 1 to 3 are usual


def softmax_regression(
    matrix: sparse.csr_array,
    target: Floats,
    weight: Floats,
    *,
    l2: float,
    max_steps: int,
    start: Floats | None = None,
    report: Report | None = None,
) -> Floats:
    """(columns + 1, labels): the weights of features, and in the last row the intercept."""
    basis = zero_sum_basis(target.shape[1])
    problem = Problem(matrix.astype(np.float64), target, weight, l2, basis)
    shape = (matrix.shape[1] + 1, len(basis))
    at = np.zeros(shape) if start is None else np.einsum("jy,cy->jc", start, basis)
    scores = problem.scores(at)
    for done in range(1, max_steps + 1):
        probs = np.exp(log_softmax(scores))
        gradient = problem.gradient(at, probs)
        step = problem.newton_step(gradient, probs)
        promised = -_dot(step, gradient)
        moved = problem.scores(step)
        size = problem.how_far(at, scores, step, moved, promised)
        at, scores = at + size * step, scores + size * moved
        if report is not None:
            report(done, max_steps, problem.value(at, scores) / problem.total)
        if promised <= ENOUGH * problem.total:
            break
    else:
        text = f"the weights of n-grams had not settled after {max_steps} steps; raise max_steps"
        warn(text, TacitWarning, stacklevel=3)
    return np.asarray(np.einsum("jc,cy->jy", at, basis))


@dataclass(frozen=True)
class Problem:
    """The loss as a function of V and c, stacked: (columns + 1, labels - 1)."""

    matrix: sparse.csr_array  # (inputs, columns)
    target: Floats  # (inputs, labels)
    weight: Floats  # (inputs)
    l2: float
    basis: Floats  # (labels - 1, labels)

    @property
    def total(self) -> float:
        """The weight of all inputs."""
        return float(self.weight.sum())

    def scores(self, at: Floats) -> Floats:
        """(inputs, labels): how much speaks for each label."""
        reduced = self.matrix @ at[:-1] + at[-1]
        return np.asarray(np.einsum("ic,cy->iy", reduced, self.basis))

    def value(self, at: Floats, scores: Floats) -> float:
        """The loss."""
        each = np.einsum("iy,iy->i", self.target, log_softmax(scores))
        return self.l2 / 2 * _dot(at[:-1], at[:-1]) - float((self.weight * each).sum())

    def gradient(self, at: Floats, probs: Floats) -> Floats:
        """The slope of the loss: what is predicted less what is wanted, by feature."""
        return self._by_feature(self.weight[:, None] * (probs - self.target), at)

    def curve(self, along: Floats, probs: Floats) -> Floats:
        """The loss's second derivative, times a direction."""
        moved = self.scores(along)
        mean = np.einsum("iy,iy->i", probs, moved)
        return self._by_feature(self.weight[:, None] * probs * (moved - mean[:, None]), along)

    def newton_step(self, gradient: Floats, probs: Floats) -> Floats:
        """Roughly -H^-1 gradient, by conjugate gradients.

        Only the intercept has a curvature unlike that of the others: it is scaled to be alike. It
        has no prior either; where all inputs are certain, it gets a curvature to hold it back.
        """
        spread = self.weight * (1 - np.einsum("iy,iy->i", probs, probs))
        hold = HOLD * self.total
        scale = np.full((len(gradient), 1), self.l2)
        scale[-1] = spread.sum() / len(self.basis) + hold
        step, residual = np.zeros_like(gradient), -gradient
        along = residual / scale
        size = _dot(residual, along)
        enough = SOLVED**2 * size
        for _ in range(MAX_PRODUCTS):
            if size <= enough:
                break
            curved = self.curve(along, probs)
            curved[-1] += hold * along[-1]
            far = size / _dot(along, curved)
            step += far * along
            residual -= far * curved
            scaled = residual / scale
            before, size = size, _dot(residual, scaled)
            along *= size / before
            along += scaled
        return step

    def how_far(
        self, at: Floats, scores: Floats, step: Floats, moved: Floats, promised: float
    ) -> float:
        """How far to go along a step that moves scores so: about where the loss is lowest.

        The loss is convex along it: its slope tells on which side the lowest is.
        """
        wanted = self.weight[:, None] * self.target
        pull = self.l2 * _dot(at[:-1], step[:-1])
        stretch = self.l2 * _dot(step[:-1], step[:-1])
        before = -_dot(wanted, log_softmax(scores))
        low, high, size = 0.0, math.inf, 1.0
        for tried in range(1, MAX_TRIES + 1):
            log_probs = log_softmax(scores + size * moved)
            probs = np.exp(log_probs)
            mean = np.einsum("iy,iy->i", probs, moved)
            slope = float((self.weight * mean).sum()) - _dot(wanted, moved) + pull + size * stretch
            value = size * pull + size**2 / 2 * stretch - _dot(wanted, log_probs)
            if abs(slope) <= FLAT * promised and value <= before:
                return size
            low, high = (low, size) if slope > 0 else (size, high)
            square = np.einsum("iy,iy,iy->i", probs, moved, moved)
            size -= slope / (float((self.weight * (square - mean**2)).sum()) + stretch)
            if not low < size < high or tried % 3 == 0:  # Newton's method may creep
                size = 2 * low if high == math.inf else (low + high) / 2
        return low  # up to here the loss falls

    def _by_feature(self, by_input: Floats, at: Floats) -> Floats:
        """Sums over inputs (inputs, labels) for each feature, with what the prior adds."""
        reduced = np.einsum("iy,cy->ic", by_input, self.basis)
        found = self.l2 * at
        found[:-1] += self.matrix.T @ reduced
        found[-1] = reduced.sum(axis=0)
        return found


def log_softmax(scores: Floats) -> Floats:
    """Scores (inputs, labels) as log-probabilities."""
    scores = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))


def zero_sum_basis(n_labels: int) -> Floats:
    """(labels - 1, labels): orthonormal rows that each add up to zero."""
    basis = np.zeros((n_labels - 1, n_labels))
    for row in range(n_labels - 1):
        basis[row, : row + 1] = -1.0
        basis[row, row + 1] = row + 1.0
    return np.asarray(basis / np.linalg.norm(basis, axis=1, keepdims=True))


def _dot(one: Floats, other: Floats) -> float:
    """The sum of products, in an order that does not depend on the number of threads."""
    return float(np.einsum("jc,jc->", one, other))
