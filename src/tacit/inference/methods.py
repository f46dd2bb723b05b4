"""`infer`: one door to every method."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal

import numpy as np

from tacit.errors import BadInput, TacitWarning, did_you_mean, listed
from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats
from tacit.inference.beliefs import Beliefs, Diagnostics
from tacit.inference.expectations import Met, meet_expectations
from tacit.inference.potentials import log_potentials, usable
from tacit.inference.solution import Solution

Method = Literal["auto", "exact", "bp", "trw", "mean_field", "gibbs"]

# For each method: its function, its configuration, and what else it can be asked for. They are
# loaded when they are called, so that naming `infer` does not load the compiler.
METHODS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "auto": ("solve_auto", "AutoConfig", ("maximise", "start", "device")),
    "exact": ("solve_exact", "ExactConfig", ("maximise",)),
    "bp": ("solve_bp", "BPConfig", ("maximise", "start", "device")),
    "trw": ("solve_trw", "TRWConfig", ()),
    "mean_field": ("solve_mean_field", "MeanFieldConfig", ("start",)),
    "gibbs": ("solve_gibbs", "GibbsConfig", ()),
}


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

    `weights` takes the place of the graph's own; `log_unary` adds to single labels, for example a
    predictor's log-probabilities: an array by state, or for each label function an array
    (instances, labels). With `maximise` the best assignment is sought ("auto", "exact", "bp").
    `start` is an earlier answer of the same method for the same graph, to go on from. With
    device="cuda", messages are passed on a GPU ("auto" and "bp"). Not settling is a warning.
    """
    solve, config_type, options = _method(method)
    config = config_type() if config is None else config
    if not isinstance(config, config_type):
        raise BadInput(
            f"method {method!r} takes a {config_type.__name__}, not a {type(config).__name__}"
        )
    if maximise and "maximise" not in options:
        raise BadInput(f"method {method!r} finds no best assignment", remedy="use 'auto' or 'bp'")
    if device != "cpu" and "device" not in options:
        raise BadInput(f"method {method!r} runs on the CPU", remedy="use 'auto' or 'bp'")
    extra = flat_unary(graph, log_unary)
    first = None
    if start is not None and start.graph is graph and start.diagnostics.method == method:
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
    beliefs = _beliefs(graph, method, config, met)
    if (advice := beliefs.diagnostics.advice()) is not None:
        warnings.warn(advice, TacitWarning, stacklevel=2)
    return beliefs


def _method(method: str) -> tuple[Any, Any, tuple[str, ...]]:
    if method not in METHODS:
        raise BadInput(
            f"no inference method {method!r}",
            remedy=did_you_mean(method, METHODS) or f"there are: {listed(METHODS)}",
        )
    solve, config_type, options = METHODS[method]
    module = import_module(f"tacit.inference.{method}")
    return getattr(module, solve), getattr(module, config_type), options


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
