"""Standard errors of learned weights: Laplace's approximation at the top of the likelihood.

The curvature of the log-likelihood is, like its gradient, a difference of two phases: how much
what is said varies with the label before the votes are seen, less how much it still does once they
are. Its inverse, with the priors added, is the covariance of weights, rates and biases.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse

from tacit.learning.fitting import Objective, Point
from tacit.learning.likelihood import Unseen, VoteLikelihood
from tacit.learning.votes import Floats, Longs

MOST = 1000  # parameters; beyond, each weight is taken as if the others were known
NUDGE = 1e-3  # the step of a weight over several labels whose curvature is measured


def standard_errors(objective: Objective, at: Point) -> Floats:
    """The standard error of each weight; not a number where it was not learned.

    Weights of evidence on single labels are taken as if nothing tied the labels. Those of formulas
    over several labels are taken as if all others were known: two more inferences for each.
    """
    errors = np.full(len(objective.start), np.nan)
    votes = [own.votes for own in objective.likelihoods]
    learned = objective.learned
    spoken = np.concatenate([[], *(own.weights for own in votes)]).astype(np.int64)
    single = np.isin(learned, spoken)
    if single.any():
        variance = _variances(objective, at, learned[single])
        errors[learned[single]] = np.sqrt(variance)
    for weight in learned[~single]:
        errors[weight] = _measured_error(objective, at, int(weight))
    return errors


def class_share_errors(objective: Objective, at: Point) -> list[Floats]:
    """The standard errors of the shares of labels that the network alone expects.

    They carry over from those of the parameters, as if nothing tied the labels.
    """
    learned = objective.learned
    covariance = _covariance(objective, at, learned)
    flat = objective.flat(at)
    changes = []
    for k in range(len(flat)):
        step = np.zeros(len(flat))
        step[k] = NUDGE
        up, down = (
            np.concatenate(objective.class_shares(objective.point(flat + way)))
            for way in (step, -step)
        )
        changes.append((up - down) / (2 * NUDGE))
    slope = np.array(changes)
    errors = np.sqrt(np.einsum("kl,km,ml->l", slope, covariance, slope))
    ends = np.cumsum([own.votes.n_labels for own in objective.likelihoods])
    return np.split(errors, ends[:-1])


def _variances(objective: Objective, at: Point, weights: Longs) -> Floats:
    """The variances of weights of evidence on single labels."""
    if _n_parameters(objective, len(weights)) > MOST:
        return _separate_variances(objective, at, weights)
    return np.diag(_covariance(objective, at, weights))[: len(weights)]


def _n_parameters(objective: Objective, n_weights: int) -> int:
    return int(n_weights + objective.ends[-1] - objective.ends[0])


def _covariance(objective: Objective, at: Point, weights: Longs) -> Floats:
    """The covariance of some weights, all rates and all biases, in this order."""
    n_weights = len(weights)
    place = np.full(len(objective.start), -1)
    place[weights] = np.arange(n_weights)
    size = _n_parameters(objective, n_weights)
    information = np.zeros((size, size))
    information[np.arange(n_weights), np.arange(n_weights)] = (
        1 / objective.priors.deviation[weights] ** 2
    )
    ends = n_weights + objective.ends - objective.ends[0]
    n = len(objective.likelihoods)
    for k, own in enumerate(objective.likelihoods):
        curve = Curvature(own, at, k, place, objective.free_rates[k], objective.has_bias[k])
        rates = np.arange(ends[k], ends[k + 1])
        biases = np.arange(ends[n + k], ends[n + k + 1])
        columns = np.concatenate([np.arange(n_weights), rates, biases])
        information[np.ix_(columns, columns)] += curve.information()
        information[biases, biases] += 1 / objective.priors.bias_deviation**2
    return _inverse(information)


def _inverse(information: Floats) -> Floats:
    """The inverse of a matrix of information; flat directions count as hardly known."""
    values, vectors = linalg.eigh(information)
    return np.asarray((vectors / np.maximum(values, 1e-8)) @ vectors.T)


def _separate_variances(objective: Objective, at: Point, weights: Longs) -> Floats:
    """Each weight as if all the others were known: its variance is rather more than said."""
    place = np.full(len(objective.start), -1)
    place[weights] = np.arange(len(weights))
    information = 1 / objective.priors.deviation[weights] ** 2
    for k, own in enumerate(objective.likelihoods):
        curve = Curvature(own, at, k, place, objective.free_rates[k], objective.has_bias[k])
        information = information + np.maximum(curve.diagonal()[: len(weights)], 0.0)
    return np.asarray(1 / information)


class Curvature:
    """The information that one label function's votes hold: weights, then rates, then biases."""

    def __init__(
        self,
        own: VoteLikelihood,
        at: Point,
        k: int,
        place: Longs,
        free: Longs,
        has_bias: bool,
    ) -> None:
        self.own, self.has_bias = own, has_bias
        votes = own.votes
        self.n_weights = int(place.max(initial=-1)) + 1
        self.size = self.n_weights + len(free) + votes.n_labels * has_bias
        self.place, self.place_of_rate = place, np.full(votes.n_events, -1)
        self.place_of_rate[free] = self.n_weights + np.arange(len(free))
        self.posterior, _ = own.seen(at.weights, at.biases[k])
        self.unseen: Unseen = own.unseen(at.weights, at.log_rates[k], at.biases[k])
        standing = votes.standing_worth(at.weights)
        self.alone, _ = own.alone(self.unseen.log_labels + standing)
        self.reach = own.reach(self.alone)

    def information(self) -> Floats:
        """How sharply the likelihood falls off, in all directions."""
        own = self.own
        votes = own.votes
        n_labels = votes.n_labels
        rates = np.exp(self.unseen.log_rates)
        before, after = np.zeros((self.size, self.size)), np.zeros((self.size, self.size))
        mean_before = np.zeros((len(self.alone), self.size))
        mean_after = sparse.csr_array((len(self.posterior), self.size))
        n_audience = np.maximum(own.n_of_audience, 1e-300)
        for label in range(n_labels):
            said = self._said(label)
            before += _square(said, self.reach[:, label] * rates[:, label])
            by_source = self._by_source(said, rates[:, label])
            chosen = by_source[own.choosing]
            before -= _square(chosen, own.reach_of_sources(self.alone)[own.choosing, label])
            told = self._told(by_source, label)
            share = self.alone[:, label]
            before += _square(told, share)
            mean_before += told * (share / n_audience)[:, None]
            heard = self._heard(label)
            held = self.posterior[:, label]
            after += _square(heard, votes.n_of_pattern * held)
            mean_after = mean_after + sparse.diags_array(held) @ heard
        before -= _square(mean_before, own.n_of_audience.astype(np.float64))
        after -= _square(sparse.csr_array(mean_after), votes.n_of_pattern)
        return before - after

    def diagonal(self) -> Floats:
        """The information on each weight if only its own rates were unknown beside it."""
        parts, n_events = self.own.votes.parts, self.own.votes.n_events
        rates = np.exp(self.unseen.log_rates) * self.reach
        in_part = rates[parts.event, parts.label]
        total = np.maximum(rates.sum(axis=1), 1e-300)
        mean = np.bincount(parts.event, in_part * parts.add, n_events) / total
        before = in_part * parts.add * (parts.add - mean[parts.event])
        doubt = self.posterior * (1 - self.posterior)
        after = self.own.mass_of_parts(doubt) * parts.add**2
        chosen = self.place[parts.weight] >= 0
        where = self.place[parts.weight[chosen]]
        return np.bincount(where, (before - after)[chosen], minlength=self.size).astype(np.float64)

    def _said(self, label: int) -> sparse.csr_array:
        """What the log-rate of each event depends on, given the label: (events, parameters)."""
        parts = self.own.votes.parts
        chosen = (parts.label == label) & (self.place[parts.weight] >= 0)
        free = self.place_of_rate >= 0
        rows = np.concatenate([parts.event[chosen], np.flatnonzero(free)])
        columns = np.concatenate([self.place[parts.weight[chosen]], self.place_of_rate[free]])
        values = np.concatenate([parts.add[chosen], np.ones(int(free.sum()))])
        shape = (self.own.votes.n_events, self.size)
        return sparse.csr_array((values, (rows, columns)), shape=shape)

    def _by_source(self, said: sparse.csr_array, rate: Floats) -> Floats:
        """The mean of what is said over the events of each source: (sources, parameters)."""
        votes = self.own.votes
        of_source = sparse.csr_array(
            (rate, (votes.source_of_event, np.arange(votes.n_events))),
            shape=(votes.n_sources, votes.n_events),
        )
        return np.asarray((of_source @ said).toarray())

    def _told(self, by_source: Floats, label: int) -> Floats:
        """What the log of a label's mass depends on, by audience: (audiences, parameters)."""
        own = self.own
        everywhere = np.ones(len(by_source), dtype=bool)
        everywhere[own.many_sided] = False
        told = by_source[everywhere].sum(axis=0) + np.asarray(
            own.listeners @ by_source[own.many_sided]
        )
        return np.asarray(told + self._base(label))

    def _base(self, label: int) -> Floats:
        """What a label's bias and standing evidence depend on."""
        base = np.zeros(self.size)
        standing = self.own.votes.standing
        chosen = (standing.label == label) & (self.place[standing.weight] >= 0)
        np.add.at(base, self.place[standing.weight[chosen]], standing.add[chosen])
        if self.has_bias:
            base[self.size - self.own.votes.n_labels + label] += 1.0
        return base

    def _heard(self, label: int) -> sparse.csr_array:
        """What a label's score depends on, given the votes: (patterns, parameters)."""
        parts = self.own.votes.parts
        chosen = (parts.label == label) & (self.place[parts.weight] >= 0)
        columns = self.place[parts.weight[chosen]]
        shape = (len(parts.event), self.size)
        of_part = sparse.csr_array(
            (parts.add[chosen], (np.flatnonzero(chosen), columns)), shape=shape
        )
        heard = sparse.csr_array(self.own.votes.cast @ (self.own.votes.has @ of_part))
        base = self._base(label)
        if not base.any():
            return heard
        everywhere = sparse.csr_array(np.ones((len(self.posterior), 1))) @ base[None, :]
        return sparse.csr_array(heard + sparse.csr_array(everywhere))


def _square(rows: Floats | sparse.csr_array, weight: Floats) -> Floats:
    """The sum of the squares of rows, each as often as its weight says."""
    if isinstance(rows, sparse.csr_array):
        return np.asarray((rows.T @ (sparse.diags_array(weight) @ rows)).toarray())
    return np.asarray(rows.T @ (weight[:, None] * rows))


def _measured_error(objective: Objective, at: Point, weight: int) -> float:
    """The error of one weight by how its slope changes, the others standing still."""
    slopes = []
    for step in (-NUDGE, NUDGE):
        weights = at.weights.copy()
        weights[weight] += step
        moved = Point(weights, at.log_rates, at.biases)
        slopes.append(objective.log_likelihood(moved)[1][weight])
    curvature = (slopes[0] - slopes[1]) / (2 * NUDGE) + 1 / objective.priors.deviation[weight] ** 2
    return float(1 / np.sqrt(max(curvature, 1 / objective.priors.deviation[weight] ** 2)))
