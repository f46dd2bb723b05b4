"""What was learned, applied to other tasks: the same program, other tables, nothing learned again.

Evidence counts with the weights that were learned. A weight whose key was never seen (`+w` with a
new word) is the one that the program gives; evidence on tables that the task does not have is left
out. Networks that were trained say what they think of the new instances, at their word.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import softmax

from tacit.data import Task
from tacit.graph import FactorGraph
from tacit.graph.build import graph_of
from tacit.grounding import ground_factors
from tacit.inference import Beliefs, infer
from tacit.inference.choosing import Method
from tacit.learning.cautions import groundable
from tacit.learning.predictor_step import network_vote
from tacit.learning.supervision import added_to_labels, unary_scores
from tacit.learning.votes import Floats
from tacit.learning.votes_of_graph import is_tied
from tacit.logic.program import Program
from tacit.predictors.protocol import Predictor


def labels_on(
    task: Task,
    program: Program,
    *,
    weights: Mapping[str, float],
    biases: Mapping[str, Floats],
    method: Method,
    predictors: Mapping[str, Predictor] | None = None,
) -> Floats | dict[str, Floats]:
    """The probability of each label on a task, by evidence with these weights and by networks."""
    known = groundable(program, task)
    graph = graph_of(ground_factors(known, task))
    own = zip(graph.weight_names or (), graph.weights.tolist(), strict=True)
    learned = np.array([weights.get(name, start) for name, start in own])
    network = {
        name: network_vote(own.log_probs(task.inputs(known.labels[name].domain)), None)
        for name, own in (predictors or {}).items()
        if name in known.labels
    }
    found, _ = inferred(graph, learned, added_to_labels(graph, biases, network), method)
    return found if len(program.labels) > 1 else single(found)


def inferred(
    graph: FactorGraph, weights: Floats, added: Mapping[str, Floats], method: Method
) -> tuple[dict[str, Floats], Beliefs | None]:
    """The labels, with what is added to each of them; no beliefs where nothing ties them.

    There weights are simply added up, soft votes as fine as they are.
    """
    if is_tied(graph):
        beliefs = infer(graph, method, weights=weights, log_unary=added)
        return {span.name: beliefs.marginals(span.name) for span in graph.spans}, beliefs
    scores = unary_scores(graph, weights)
    return {name: softmax(own + added[name], axis=1) for name, own in scores.items()}, None


def single(by_function: dict[str, Floats]) -> Floats | dict[str, Floats]:
    """An array where there is one label function, and a dict of arrays where there are several."""
    return next(iter(by_function.values())) if len(by_function) == 1 else by_function
