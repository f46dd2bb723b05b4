"""Supervision: all evidence with its weights, as Algorithm 1 needs it.

Two of the algorithm's three steps happen here. The E-step infers the labels from the evidence and
from what a network says of each. The supervision step learns the weights again, with the labels
taken from the E-step: each weight's gradient is how often its evidence holds under these labels,
less how often it would by the network of evidence alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from tacit.graph import FactorGraph
from tacit.inference import Beliefs
from tacit.learning.baselines import covered
from tacit.learning.fitting import Expected, Objective, Phases, Point, climb
from tacit.learning.likelihood import Unseen
from tacit.learning.patterns import Numbers
from tacit.learning.tied import Tied
from tacit.learning.votes import Floats, Truths
from tacit.learning.votes_of_graph import states_shares

if TYPE_CHECKING:
    from tacit.learning.label_model import LabelModel

Network = Mapping[str, Floats]  # what is added to each label of each instance, by label function


@dataclass(frozen=True, slots=True)
class Posterior:
    """The labels, given the evidence and what a network says of them."""

    labels: dict[str, Floats]  # by label function: (instances, labels)
    joint: Floats  # (weights) how often formulas over several labels hold
    log_partition: float
    beliefs: Beliefs | None  # where labels are tied to each other


class Supervision:
    """The evidence of a fitted label model, and what was learned of it so far."""

    def __init__(self, model: LabelModel) -> None:
        assert model.graph_ is not None  # a label matrix alone has nothing that a network reads
        self.model, self.graph = model, model.graph_
        self.objective: Objective = model._taught_objective
        self.phases = self.objective.phases
        self.point: Point = model.fitted_.point

    def posterior(self, network: Network) -> Posterior:
        """E-step: the labels, given the evidence and what a network says of some of them."""
        names = (span.name for span in self.graph.spans)
        biases = dict(zip(names, self.point.biases, strict=True))
        added = added_to_labels(self.graph, biases, network)
        if isinstance(self.phases, Tied):
            self.phases.last.clear()  # no trace of what was inferred before: see checkpoints
            beliefs = self.phases.infer(self.phases.graph, self.point.weights, added)
            found = self.phases.expected(beliefs, ())
            labels = {name: beliefs.marginals(name) for name in added}
            return Posterior(labels, found.joint, found.log_partition, beliefs)
        labels, log_partition = {}, 0.0
        for name, scores in unary_scores(self.graph, self.point.weights).items():
            scores += added[name]
            log_total = logsumexp(scores, axis=1, keepdims=True)
            log_partition += float(log_total.sum())
            labels[name] = np.exp(scores - log_total)
        return Posterior(labels, np.zeros(len(self.point.weights)), log_partition, None)

    def fit_weights(self, posterior: Posterior) -> None:
        """Supervision step: the weights that suit these labels best. Convex, and unique."""
        before = self.objective
        given = LabelsGiven(self.phases, before, posterior)
        objective = Objective(
            before.likelihoods,
            given,
            before.start,
            np.isin(np.arange(len(before.start)), before.learned),
            before.has_bias,
            before.priors,
        )
        model = self.model
        fitted = climb(
            objective,
            keep_polarity=model.polarity == "keep",
            max_steps=model.max_steps,
            tolerance=model.tolerance,
        )
        self.point = fitted.point

    def log_likelihood(self, posterior: Posterior) -> float:
        """The penalised log-likelihood of the evidence, labels summed out with a network's say."""
        at, objective = self.point, self.objective
        alone = self.phases.alone(at.weights, objective.unseen(at))
        events = sum(
            float(own.votes.n_of_event @ rate)
            for own, rate in zip(objective.likelihoods, at.log_rates, strict=True)
        )
        return posterior.log_partition - alone.log_partition + events - objective.penalty(at)

    def has_evidence(self, name: str) -> Truths:
        """Which instances have any evidence of their own, or are tied to others."""
        return covered(self.model.votes_[name]) | is_bound(self.graph, name)

    def states_shares(self, name: str) -> bool:
        """Whether the program itself says how common the labels are."""
        return states_shares(self.graph, name, self.model.votes_[name])


class LabelsGiven:
    """Phases of learning with the labels given: nothing is inferred but by the network alone."""

    def __init__(self, phases: Phases, objective: Objective, posterior: Posterior) -> None:
        self.phases, self.joint = phases, posterior.joint
        self.likelihoods = objective.likelihoods
        self.labels = tuple(
            _mean_by_pattern(labels, own.votes.pattern_of_instance, own.votes.n_of_pattern)
            for labels, own in zip(posterior.labels.values(), self.likelihoods, strict=True)
        )

    def seen(self, weights: Floats, biases: Sequence[Floats]) -> Expected:
        """What the given labels are worth: the log-potential that they expect."""
        worth = float(self.joint @ np.where(np.isfinite(weights), weights, 0.0))
        for labels, own, bias in zip(self.labels, self.likelihoods, biases, strict=True):
            held = labels * own.votes.n_of_pattern[:, None]
            worth += float((held * (own.votes.scores(weights) + bias)).sum())
        return Expected(worth, self.labels, self.joint)

    def alone(self, weights: Floats, unseen: Sequence[Unseen]) -> Expected:
        """Before any vote is seen: the same as when labels are not given."""
        return self.phases.alone(weights, unseen)


def added_to_labels(
    graph: FactorGraph, biases: Mapping[str, Floats], network: Network
) -> dict[str, Floats]:
    """What biases, and networks where there are any, add to each label: (instances, labels)."""
    silent = {span.name: np.zeros((span.n_variables, len(span.labels))) for span in graph.spans}
    return {name: biases[name] + network.get(name, none) for name, none in silent.items()}


def unary_scores(graph: FactorGraph, weights: Floats) -> dict[str, Floats]:
    """What evidence on single labels adds to each: by label function, (instances, labels)."""
    scores = np.asarray(graph.counts @ np.where(np.isfinite(weights), weights, 0.0))
    found = {}
    for span in graph.spans:
        low = graph.first_state[span.first_variable]
        high = graph.first_state[span.first_variable + span.n_variables]
        found[span.name] = scores[low:high].reshape(span.n_variables, len(span.labels))
    return found


def is_bound(graph: FactorGraph, name: str) -> Truths:
    """Which instances are tied to others, or bound by hard evidence."""
    touched = np.zeros(graph.n_variables, dtype=bool)
    for table in graph.tables:
        touched[table.variables] = True
    for group in graph.groups:
        touched[group.variable_of_member] = True
    if graph.possible is not None:
        touched |= ~np.logical_and.reduceat(graph.possible, graph.first_state[:-1])
    span = graph.span(name)
    return touched[span.first_variable : span.first_variable + span.n_variables]


def _mean_by_pattern(labels: Floats, pattern_of_instance: Numbers, n_of_pattern: Floats) -> Floats:
    """Labels by instance as the mean of each pattern."""
    columns = [
        np.bincount(pattern_of_instance, column, minlength=len(n_of_pattern)) for column in labels.T
    ]
    return np.stack(columns, axis=1) / np.maximum(n_of_pattern, 1.0)[:, None]
