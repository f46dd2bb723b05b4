"""Fitting weights: the likelihood of the votes is climbed by a quasi-Newton method.

The parameters are the weights that are to be learned, the base rates of events (which nobody asks
for) and, where asked for, a bias for each label. Each step compares two expectations: under the
posterior, given the votes, and under the network alone. Where labels are not tied to each other
both are sums over labels; where they are, both are inferences in the factor graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.learning.climbing import Bounds, climbed
from tacit.learning.likelihood import Slope, Unseen, VoteLikelihood
from tacit.learning.votes import Floats, Truths

BOLDEST = 15.0  # the largest weight that is ever learned
FARTHEST = 100.0  # of log-rates and biases: a trial beyond it would be infinite


@dataclass(frozen=True, slots=True)
class Expected:
    """Expectations in one phase: given the votes, or by the network alone."""

    log_partition: float
    labels: tuple[Floats, ...]  # for each label function: by pattern, or by audience
    joint: Floats  # (weights) how often formulas over several labels hold


class Phases(Protocol):
    """How the two expectations are found."""

    def seen(self, weights: Floats, biases: Sequence[Floats]) -> Expected:
        """Given the votes: the probability of each label, by pattern."""

    def alone(self, weights: Floats, unseen: Sequence[Unseen]) -> Expected:
        """Before any vote is seen: how many instances have each label, by audience."""


class Apart:
    """Labels that nothing ties: both phases are sums over the labels of one instance."""

    def __init__(self, likelihoods: Sequence[VoteLikelihood]) -> None:
        self.likelihoods = likelihoods

    def seen(self, weights: Floats, biases: Sequence[Floats]) -> Expected:
        """Given the votes: the probability of each label, by pattern."""
        found = [
            own.seen(weights, bias) for own, bias in zip(self.likelihoods, biases, strict=True)
        ]
        total = sum(
            float((own.votes.n_of_pattern * log_total).sum())  # `@` would wake BLAS's threads
            for own, (_, log_total) in zip(self.likelihoods, found, strict=True)
        )
        return Expected(total, tuple(posterior for posterior, _ in found), np.zeros(len(weights)))

    def alone(self, weights: Floats, unseen: Sequence[Unseen]) -> Expected:
        """Before any vote is seen: how many instances have each label, by audience."""
        found = [
            own.alone(one.log_labels + own.votes.standing_worth(weights))
            for own, one in zip(self.likelihoods, unseen, strict=True)
        ]
        total = sum(log_total for _, log_total in found)
        return Expected(total, tuple(labels for labels, _ in found), np.zeros(len(weights)))


@dataclass(frozen=True, slots=True)
class Priors:
    """What is believed of weights and biases before any vote is seen: they are normal."""

    mean: Floats
    deviation: Floats
    bias_deviation: float


@dataclass(frozen=True, slots=True)
class Point:
    """Values of all the parameters."""

    weights: Floats
    log_rates: tuple[Floats, ...]
    biases: tuple[Floats, ...]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Where the climb ended."""

    point: Point
    heights: tuple[float, ...]  # the penalised log-likelihood after each step
    settled: bool
    slope: Floats  # (weights) of the penalised log-likelihood: not 0 where a bound holds a weight


class Objective:
    """The penalised log-likelihood of all votes, as a function of one flat vector."""

    def __init__(
        self,
        likelihoods: Sequence[VoteLikelihood],
        phases: Phases,
        start: Floats,
        is_learned: Truths,
        has_bias: Sequence[bool],
        priors: Priors,
    ) -> None:
        self.likelihoods, self.phases, self.start = likelihoods, phases, start
        self.priors = priors
        self.learned = np.flatnonzero(is_learned)
        self.free_rates = [own.free_rates for own in likelihoods]
        self.has_bias = has_bias
        sizes = [len(self.learned), *map(len, self.free_rates)]
        sizes += [own.votes.n_labels * has for own, has in zip(likelihoods, has_bias, strict=True)]
        # Of the weights, then of each label function's rates, then of biases.
        self.ends = np.cumsum(sizes)

    def learning(self, is_learned: Truths) -> Objective:
        """The same, for learning other weights."""
        return Objective(
            self.likelihoods, self.phases, self.start, is_learned, self.has_bias, self.priors
        )

    def first(self) -> Floats:
        """Where the climb begins: the weights as the expert gave them, and rates that fit them."""
        rates = [
            own.rates_for(self.start)[free]
            for own, free in zip(self.likelihoods, self.free_rates, strict=True)
        ]
        n_biases = self.ends[-1] - self.ends[len(self.likelihoods)]
        return np.concatenate([self.start[self.learned], *rates, np.zeros(n_biases)])

    def point(self, flat: Floats) -> Point:
        """The parameters that a flat vector stands for."""
        parts = np.split(flat, self.ends[:-1])
        n = len(self.likelihoods)
        weights = self.start.copy()
        weights[self.learned] = parts[0]
        rates, biases = [], []
        for k, own in enumerate(self.likelihoods):
            rate = np.zeros(own.votes.n_events)
            rate[self.free_rates[k]] = parts[1 + k]
            rates.append(rate)
            bias = parts[1 + n + k]
            biases.append(bias if self.has_bias[k] else np.zeros(own.votes.n_labels))
        return Point(weights, tuple(rates), tuple(biases))

    def flat(self, at: Point) -> Floats:
        """The flat vector that stands for parameters: the inverse of `point`."""
        rates = [rate[free] for rate, free in zip(at.log_rates, self.free_rates, strict=True)]
        biases = [bias for bias, has in zip(at.biases, self.has_bias, strict=True) if has]
        return np.concatenate([at.weights[self.learned], *rates, *biases])

    def value_and_slope(self, flat: Floats) -> tuple[float, Floats]:
        """The penalised log-likelihood and its gradient."""
        at = self.point(flat)
        value, by_weight, slopes = self.log_likelihood(at)
        learned, priors = self.learned, self.priors
        rates = [s.log_rates[free] for s, free in zip(slopes, self.free_rates, strict=True)]
        biases = [
            slope.bias - bias / priors.bias_deviation**2
            for slope, bias, has in zip(slopes, at.biases, self.has_bias, strict=True)
            if has
        ]
        off = at.weights[learned] - priors.mean[learned]
        of_weights = by_weight[learned] - off / priors.deviation[learned] ** 2
        return value - self.penalty(at), np.concatenate([of_weights, *rates, *biases])

    def penalty(self, at: Point) -> float:
        """How far the parameters are from what was believed of them, in log-probability."""
        learned, priors = self.learned, self.priors
        off = (at.weights[learned] - priors.mean[learned]) / priors.deviation[learned]
        bias = [b for b, has in zip(at.biases, self.has_bias, strict=True) if has]
        return 0.5 * float(off @ off) + 0.5 * sum(
            float(((b / priors.bias_deviation) ** 2).sum()) for b in bias
        )

    def log_likelihood(self, at: Point) -> tuple[float, Floats, list[Slope]]:
        """The log-likelihood, its gradient by weight, and by what else each label function has."""
        unseen = self.unseen(at)
        given = self.phases.seen(at.weights, at.biases)
        alone = self.phases.alone(at.weights, unseen)
        value = given.log_partition - alone.log_partition
        by_weight = given.joint - alone.joint
        slopes = []
        for k, own in enumerate(self.likelihoods):
            value += float(own.votes.n_of_event @ at.log_rates[k])
            slope = own.slope(given.labels[k], unseen[k], alone.labels[k])
            np.add.at(by_weight, own.votes.parts.weight, slope.parts)
            standing = own.votes.standing
            np.add.at(by_weight, standing.weight, standing.add * slope.bias[standing.label])
            slopes.append(slope)
        return value, by_weight, slopes

    def class_shares(self, at: Point) -> list[Floats]:
        """The share of each label by the network alone, for each label function."""
        alone = self.phases.alone(at.weights, self.unseen(at))
        return [labels.sum(axis=0) / max(1.0, float(labels.sum())) for labels in alone.labels]

    def unseen(self, at: Point) -> list[Unseen]:
        """What the network says of each label function's labels before any vote is seen."""
        return [
            own.unseen(at.weights, rate, bias)
            for own, rate, bias in zip(self.likelihoods, at.log_rates, at.biases, strict=True)
        ]

    def scale(self) -> Floats:
        """About how far each parameter may move at once: the inverse root of its curvature."""
        prior = 1 / self.priors.deviation[self.learned] ** 2
        n_of_weight = np.zeros(len(self.start))
        for own in self.likelihoods:
            parts = own.votes.parts
            np.add.at(n_of_weight, parts.weight, own.votes.n_of_event[parts.event] * parts.add**2)
            standing = own.votes.standing
            np.add.at(n_of_weight, standing.weight, own.votes.n_instances * standing.add**2)
        rates = [
            own.votes.n_of_event[free]
            for own, free in zip(self.likelihoods, self.free_rates, strict=True)
        ]
        biases = [
            np.full(own.votes.n_labels, own.votes.n_instances / own.votes.n_labels)
            for own, has in zip(self.likelihoods, self.has_bias, strict=True)
            if has
        ]
        steep = np.concatenate([0.2 * n_of_weight[self.learned] + prior, *rates, *biases])
        return np.asarray(1 / np.sqrt(np.maximum(steep, 1.0)))


def climb(objective: Objective, *, keep_polarity: bool, max_steps: int, tolerance: float) -> Fitted:
    """The parameters at which the penalised log-likelihood is highest, near where it starts.

    The climb ends with a step that gains less than the tolerance.
    """
    first, scale = objective.first(), objective.scale()
    n_learned = len(objective.learned)
    low, high = np.full(len(first), -FARTHEST), np.full(len(first), FARTHEST)
    low[:n_learned], high[:n_learned] = -BOLDEST, BOLDEST
    if keep_polarity:
        start = objective.start[objective.learned]
        low[:n_learned][start > 0] = 0.0
        high[:n_learned][start < 0] = 0.0
    if not len(first):
        return Fitted(objective.point(first), (), True, np.zeros(len(objective.start)))

    def function(scaled: Floats) -> tuple[float, Floats]:
        value, slope = objective.value_and_slope(scaled * scale)
        return value, slope * scale

    found = climbed(
        function,
        first / scale,
        Bounds(low / scale, high / scale),
        max_steps=max_steps,
        tolerance=tolerance,
        memory=20 if len(first) < 10_000 else 6,  # each costs time and memory
    )
    slope = np.zeros(len(objective.start))
    slope[objective.learned] = (found.top.slope / scale)[:n_learned]
    return Fitted(objective.point(found.top.at * scale), found.heights, found.settled, slope)
