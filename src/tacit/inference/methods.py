"""`infer`: one door to every method."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from tacit.errors import BadInput, TacitWarning
from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats
from tacit.inference.beliefs import Beliefs, Diagnostics
from tacit.inference.choosing import METHODS, Method, config_type, name_of
from tacit.inference.expectations import Met, meet_expectations
from tacit.inference.potentials import log_potentials, usable
from tacit.inference.solution import Solution


def infer(
    graph: FactorGraph,
    method: Method = "auto",
    *,
    weights: Floats | None = None,
    log_unary: Floats | Mapping[str, Floats] | None = None,
    config: Any = None,
    maximise: bool = False,
    start: Beliefs | None = None,
    device: str = "cpu",
) -> Beliefs:
    """Marginals of every label, expected counts of every weight, and the log-partition.

    `method` is a name, or the configuration of a method: `infer(graph, BPConfig(damping=0.3))` is
    `infer(graph, "bp", config=BPConfig(damping=0.3))`.

    `weights` takes the place of the graph's own; `log_unary` adds to single labels, for example a
    predictor's log-probabilities: an array by state, or for each label function an array
    (instances, labels). With `maximise` the best assignment is sought ("auto", "exact", "bp").
    `start` is an earlier answer of the same method for the same graph, to go on from. With
    device="cuda", messages are passed on a GPU ("auto" and "bp"). Not settling is a warning.
    """
    name, config = _chosen(method, config)
    solve, options = _solver(name)
    if maximise and "maximise" not in options:
        raise BadInput(f"method {name!r} finds no best assignment", remedy="use 'auto' or 'bp'")
    if device != "cpu" and "device" not in options:
        raise BadInput(f"method {name!r} runs on the CPU", remedy="use 'auto' or 'bp'")
    extra = flat_unary(graph, log_unary)
    first = None
    if start is not None and start.graph is graph and start.diagnostics.method == name:
        first = start.messages

    def solved(weights: Floats, before: Solution | None) -> Solution:
        known: dict[str, Any] = {"config": config}
        if maximise:
            known["maximise"] = True
        if device != "cpu":
            known["device"] = device
        if "start" in options:
            known["start"] = first if before is None else before.messages
        found: Solution = solve(graph, log_potentials(graph, weights, extra), **known)
        return found

    met = meet_expectations(graph, usable(graph, weights), solved)
    beliefs = _beliefs(graph, name, config, met)
    if (advice := beliefs.diagnostics.advice()) is not None:
        warnings.warn(advice, TacitWarning, stacklevel=2)
    return beliefs


def _chosen(method: Method, config: Any) -> tuple[str, Any]:
    """The name of the method that is meant, and how it is to run."""
    name = name_of(method)
    if not isinstance(method, str):
        if config is not None:
            raise BadInput(f"{method} is a configuration already", remedy="leave out config=")
        return name, method
    wanted = config_type(name)
    config = wanted() if config is None else config
    if not isinstance(config, wanted):
        raise BadInput(f"method {name!r} takes a {wanted.__name__}, not a {type(config).__name__}")
    return name, config


def _solver(name: str) -> tuple[Any, tuple[str, ...]]:
    """What solves a graph by the method of this name, and what else it can be asked for."""
    solve, _, options = METHODS[name]
    return getattr(import_module(f"tacit.inference.{name}"), solve), options


def flat_unary(
    graph: FactorGraph, log_unary: Floats | Mapping[str, Floats] | None
) -> Floats | None:
    """What is added to single labels, as one number for each state."""
    if log_unary is None:
        return None
    if not isinstance(log_unary, Mapping):
        flat = np.asarray(log_unary, dtype=np.float64).reshape(-1)
        if len(flat) != graph.n_states:
            raise BadInput(f"log_unary has {len(flat)} numbers for {graph.n_states} states")
        return flat
    flat = np.zeros(graph.n_states)
    for name, values in log_unary.items():
        span = graph.span(name)
        low = int(graph.first_state[span.first_variable])
        shape = (span.n_variables, len(span.labels))
        if np.shape(values) != shape:
            raise BadInput(f"log_unary of {name} is {np.shape(values)}, not {shape}")
        flat[low : low + shape[0] * shape[1]] = np.asarray(values).reshape(-1)
    return flat


def _beliefs(graph: FactorGraph, method: str, config: Any, met: Met) -> Beliefs:
    solution = met.solution
    expected = np.asarray(graph.counts.T @ solution.marginals)
    for block, held in zip(graph.blocks, (*solution.tables, *solution.groups), strict=True):
        expected += block.potentials.total(held, graph.n_weights)
    expected[np.isinf(graph.weights)] = 0.0
    from tacit.inference.auto import divide
    from tacit.inference.components import components_of

    is_exact = components_of(graph).of_variable < 0
    if method == "auto":
        is_exact = divide(graph, config).is_exact
    elif method == "exact":
        is_exact = np.ones(graph.n_variables, dtype=bool)
    return Beliefs(
        graph=graph,
        by_state=solution.marginals,
        expected_counts=expected,
        log_partition=solution.log_partition,
        meaning=solution.meaning,
        weights=met.weights,
        best=solution.best,
        messages=solution.messages,
        diagnostics=Diagnostics(
            method=method,
            converged=solution.converged,
            sweeps=solution.sweeps,
            residual=solution.residual,
            residuals=solution.residuals,
            exact_share=float(is_exact.mean()) if len(is_exact) else 1.0,
            n_components=len(components_of(graph)),
            expectation_gap=met.gap,
        ),
    )
