"""Both phases of learning where labels are tied to each other: inferences in the factor graph."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from tacit.errors import TacitWarning
from tacit.graph import FactorGraph
from tacit.inference import Beliefs, infer
from tacit.inference.choosing import Method
from tacit.learning.fitting import Expected
from tacit.learning.likelihood import Unseen, VoteLikelihood
from tacit.learning.votes import Floats


class Tied:
    """Labels that pairs, groups, expectations or hard evidence tie.

    Given the votes, the whole graph is inferred. Before they are seen, the votes' columns are taken
    out of it, and what the network says of single labels in their place is added.
    """

    def __init__(
        self, graph: FactorGraph, likelihoods: Sequence[VoteLikelihood], method: Method
    ) -> None:
        self.graph, self.likelihoods, self.method = graph, likelihoods, method
        kept = np.zeros(graph.n_weights)
        kept[graph.expectations.weight] = 1.0
        for own in likelihoods:
            kept[own.votes.standing.weight] = 1.0
        silent = sparse.csr_array(graph.counts @ sparse.diags_array(kept))
        silent.eliminate_zeros()
        self.without_votes = replace(graph, counts=silent)
        self.last: dict[int, Beliefs] = {}

    def seen(self, weights: Floats, biases: Sequence[Floats]) -> Expected:
        """Given the votes: the probability of each label, by pattern."""
        beliefs = self.infer(self.graph, weights, self.log_biases(biases))
        labels = tuple(beliefs.marginals(span.name) for span in self.graph.spans)
        return self.expected(beliefs, labels)

    def alone(self, weights: Floats, unseen: Sequence[Unseen]) -> Expected:
        """Before any vote is seen: how many instances have each label, by audience."""
        audiences = [own.audience_of_pattern for own in self.likelihoods]
        log_unary = {
            span.name: one.log_labels[audience]
            for span, one, audience in zip(self.graph.spans, unseen, audiences, strict=True)
        }
        beliefs = self.infer(self.without_votes, weights, log_unary)
        labels = []
        for span, audience, one in zip(self.graph.spans, audiences, unseen, strict=True):
            total = np.zeros(one.log_labels.shape)
            np.add.at(total, audience, beliefs.marginals(span.name))
            labels.append(total)
        return self.expected(beliefs, tuple(labels))

    def log_biases(self, biases: Sequence[Floats]) -> dict[str, Floats]:
        """The bias of each label, for every instance."""
        return {
            span.name: np.tile(bias, (span.n_variables, 1))
            for span, bias in zip(self.graph.spans, biases, strict=True)
        }

    def infer(self, graph: FactorGraph, weights: Floats, log_unary: dict[str, Floats]) -> Beliefs:
        """One inference, going on from the last one in the same graph."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TacitWarning)  # the last inference will say it
            beliefs = infer(
                graph,
                self.method,
                weights=weights,
                log_unary=log_unary,
                start=self.last.get(id(graph)),
            )
        self.last[id(graph)] = beliefs
        return beliefs

    def expected(self, beliefs: Beliefs, labels: tuple[Floats, ...]) -> Expected:
        """Expectations of joint formulas; expected shares count with their Lagrange multipliers."""
        graph = beliefs.graph
        joint = beliefs.expected_counts - graph.counts.T @ beliefs.by_state
        asked = graph.expectations
        dual = beliefs.weights[asked.weight]
        at_edge = dual * asked.share - np.abs(dual) * asked.margin
        value = beliefs.log_partition - float(at_edge @ asked.n_groundings)
        return Expected(value, labels, np.asarray(joint))
