"""The likelihood of votes on instances that were not learned from: does learning pay?

No labels are needed for it. Weights are learned on four fifths of the instances, and the votes on
the last fifth are scored; the same is done with the weights as the expert gave them, and with one
weight for all evidence, as in a majority vote. Base rates and biases, which nobody gives, are
learned in all three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from tacit.learning.baselines import covered
from tacit.learning.fitting import Apart, Objective, Point, Priors, climb
from tacit.learning.label_model import LabelModel
from tacit.learning.likelihood import VoteLikelihood
from tacit.learning.votes import Floats, Longs, Parts, Truths, Votes

MOST = 20_000  # instances: of more, so many are drawn, which tells the weightings apart well enough
ANY_WEIGHT = 5.0  # how far the one weight for all may stray: as far as data take it


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Log-likelihoods of held-out votes, each a mean over the instances that have any."""

    learned: float
    as_given: float  # the weights of the program
    equal: float  # one weight for all evidence
    as_given_error: float  # the standard error of `learned - as_given`
    equal_error: float  # the standard error of `learned - equal`
    n_scored: int  # instances with votes; those with a vote never seen in their folds are left out
    local: bool  # whether evidence that ties labels to each other was set aside

    @property
    def pays(self) -> bool:
        """Whether learned weights clearly beat equal ones on instances that they have not seen."""
        return self.learned - self.equal > 2 * self.equal_error


@dataclass(frozen=True, slots=True)
class _Weighting:
    """Votes with the weights that they start from, and which of those are learned."""

    votes: Votes
    start: Floats
    is_learned: Truths
    priors: Priors


def held_out(
    model: LabelModel, name: str, *, n_folds: int = 5, random_state: int = 0
) -> HeldOut | None:
    """Score the votes on one label function's instances fold by fold; None if there are too few."""
    if model.votes_[name].n_instances < 2 * n_folds or not model.votes_[name].n_events:
        return None
    rng = np.random.default_rng(random_state)
    votes = _drawn(model.votes_[name], rng)
    fold = rng.permutation(votes.n_instances) % n_folds
    weightings = _weightings(model, votes)
    scores: dict[str, list[Floats]] = {kind: [] for kind in weightings}
    n_scored = 0
    for number in range(n_folds):
        scored = _scorable(votes, fold != number)
        n_scored += int(covered(votes)[scored].sum())
        for kind, weighting in weightings.items():
            scores[kind].append(_scores(model, name, weighting, fold != number)[scored])
    found = {kind: np.concatenate(parts) for kind, parts in scores.items()}
    return _summed(found, n_scored, local=model.beliefs_ is not None)


def _drawn(votes: Votes, rng: np.random.Generator) -> Votes:
    """The votes on all instances, or on some of them where there are very many."""
    if votes.n_instances <= MOST:
        return votes
    instances = np.sort(rng.choice(votes.n_instances, MOST, replace=False))
    kept, pattern = np.unique(votes.pattern_of_instance[instances], return_inverse=True)
    return replace(
        votes,
        cast=sparse.csr_array(votes.cast[kept]),
        n_of_pattern=np.bincount(pattern).astype(np.float64),
        pattern_of_instance=pattern,
    )


def _summed(scores: Mapping[str, Floats], n_scored: int, *, local: bool) -> HeldOut | None:
    """Means per instance with votes, and the errors of their differences."""
    if not n_scored:
        return None
    mean = {kind: float(own.sum()) / n_scored for kind, own in scores.items()}
    error = {
        kind: float((scores["learned"] - own).std() * np.sqrt(len(own)) / n_scored)
        for kind, own in scores.items()
    }
    return HeldOut(
        learned=mean["learned"],
        as_given=mean["as_given"],
        equal=mean["equal"],
        as_given_error=error["as_given"],
        equal_error=error["equal"],
        n_scored=n_scored,
        local=local,
    )


def _weightings(model: LabelModel, votes: Votes) -> dict[str, _Weighting]:
    """The three ways of weighting that are compared."""
    objective = model._objective
    start, priors = objective.start, objective.priors
    is_learned = np.zeros(len(start), dtype=bool)
    is_learned[np.intersect1d(objective.learned, votes.weights)] = True
    none = np.zeros(len(start), dtype=bool)
    own = np.abs(start[votes.weights])
    usual = np.array([float(own.mean())])
    one = replace(priors, mean=usual, deviation=np.array([ANY_WEIGHT]))
    return {
        "learned": _Weighting(votes, start, is_learned, priors),
        "as_given": _Weighting(votes, start, none, priors),
        "equal": _Weighting(_under_one_weight(votes, start), usual, np.array([True]), one),
    }


def _under_one_weight(votes: Votes, start: Floats) -> Votes:
    """The same votes, all with weight 0; what was given below 0 speaks against."""

    def merged(parts: Parts) -> Parts:
        signs = np.where(start[parts.weight] < 0, -1.0, 1.0)
        return replace(parts, weight=np.zeros_like(parts.weight), add=parts.add * signs)

    return replace(votes, parts=merged(votes.parts), standing=merged(votes.standing))


def _scores(model: LabelModel, name: str, weighting: _Weighting, inside: Truths) -> Floats:
    """The log-likelihood of each instance's votes, learned from the instances inside."""
    silence_tells = model.abstention == "informative"
    votes = _some(weighting.votes, np.flatnonzero(inside))
    likelihood = VoteLikelihood(votes, silence_tells=silence_tells)
    has_bias = model._objective.has_bias[list(model.labels_).index(name)]
    objective = Objective(
        [likelihood],
        Apart([likelihood]),
        weighting.start,
        weighting.is_learned,
        [has_bias],
        weighting.priors,
    )
    fitted = climb(
        objective,
        keep_polarity=model.polarity == "keep",
        max_steps=model.max_steps,
        tolerance=model.tolerance,
    )
    by_pattern = log_likelihood(likelihood, fitted.point)
    return np.asarray(by_pattern[weighting.votes.pattern_of_instance])


def log_likelihood(likelihood: VoteLikelihood, point: Point, function: int = 0) -> Floats:
    """The log-likelihood of the votes of each pattern, at a point: what is climbed, unpenalised."""
    votes = likelihood.votes
    weights, log_rate, bias = point.weights, point.log_rates[function], point.biases[function]
    _, log_said = likelihood.seen(weights, bias)
    unseen = likelihood.unseen(weights, log_rate, bias)
    log_labels = unseen.log_labels + votes.standing_worth(weights)
    log_total = np.asarray(logsumexp(log_labels, axis=1))
    of_rates = votes.cast @ log_rate
    return np.asarray(log_said - log_total[likelihood.audience_of_pattern] + of_rates)


def _some(votes: Votes, instances: Longs) -> Votes:
    """The votes on some instances; events keep their numbers, also where none is left."""
    patterns = votes.pattern_of_instance[instances]
    count = np.bincount(patterns, minlength=len(votes.n_of_pattern)).astype(np.float64)
    return replace(votes, n_of_pattern=count, pattern_of_instance=patterns)


def _scorable(votes: Votes, inside: Truths) -> Longs:
    """The instances outside of which nothing is said that was never said inside."""
    is_new = _some(votes, np.flatnonzero(inside)).n_of_event == 0
    has_new = (votes.cast @ is_new.astype(np.float64) > 0)[votes.pattern_of_instance]
    return np.flatnonzero(~inside & ~has_new)
