"""Automatic choice: each component by the best method that it allows.

Trees and components of low treewidth are solved exactly, the rest by belief propagation.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Truths
from tacit.inference.bp import BPConfig, solve_bp
from tacit.inference.components import components_of, restricted
from tacit.inference.exact import ExactConfig, ExactPlan, exact_plan, run_exact
from tacit.inference.messages import Messages
from tacit.inference.potentials import LogPotentials
from tacit.inference.scores import at_best, log_sums
from tacit.inference.solution import Solution

MODEST = ExactConfig(max_table_states=2**12, max_total_states=2**24)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoConfig:
    """Which components are solved exactly, and how the others are."""

    exact: ExactConfig = MODEST  # tables that cost no more than some sweeps
    max_cycles: int = 64  # a component with more, and more variables than the next line, ...
    max_variables: int = 2_000  # ... is not even tried: finding an order would cost more than BP
    bp: BPConfig = field(default_factory=BPConfig)


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """A graph cut in two: what is solved exactly, and what is left to belief propagation."""

    config: AutoConfig
    plan: ExactPlan | None
    loopy: FactorGraph | None
    is_exact: Truths  # (variables)


def solve_auto(
    graph: FactorGraph,
    potentials: LogPotentials,
    *,
    config: AutoConfig = AutoConfig(),  # noqa: B008
    maximise: bool = False,
    start: Messages | None = None,
    device: str = "cpu",
) -> Solution:
    """Solve each component by the best method that it allows."""
    division = divide(graph, config)
    if division.loopy is None:
        assert division.plan is not None
        return run_exact(division.plan, potentials, maximise=maximise)
    loopy = solve_bp(
        division.loopy,
        potentials,
        config=config.bp,
        maximise=maximise,
        start=start,
        device=device,
    )
    if division.plan is None:
        return loopy
    exact = run_exact(division.plan, potentials, maximise=maximise)
    return _together(graph, potentials, division, exact, loopy)


def divide(graph: FactorGraph, config: AutoConfig) -> Division:
    """Decide, component by component; the decision is kept for the next time."""
    known: Division | None = graph.derived.get("division")
    if known is not None and known.config == config:
        return known
    components = components_of(graph)
    small = components.n_variables <= config.max_variables
    kept = small | (components.n_cycles <= config.max_cycles)
    alone = components.of_variable < 0
    plan = None
    while kept.any() or not len(components):
        plan = exact_plan(restricted(graph, kept), config.exact)
        if not plan.too_large.any():
            break
        stuck = components.of_variable[plan.too_large & ~alone]
        stuck = stuck[kept[stuck]]  # what was given up before is still there, without its factors
        kept[stuck if len(stuck) else np.flatnonzero(kept)] = False
        plan = None
        if not len(components):
            break
    loopy = None if kept.all() and plan is not None else restricted(graph, ~kept)
    is_exact = alone.copy()
    is_exact[~alone] = kept[components.of_variable[~alone]]
    graph.derived["division"] = division = Division(config, plan, loopy, is_exact)
    return division


def _together(
    graph: FactorGraph,
    potentials: LogPotentials,
    division: Division,
    exact: Solution,
    loopy: Solution,
) -> Solution:
    """One solution from two, each of which took the other's variables to be alone."""
    by_state = np.repeat(division.is_exact, graph.sizes)
    alone = float(log_sums(graph, potentials.unary).sum())
    both = replace(
        loopy,
        marginals=np.where(by_state, exact.marginals, loopy.marginals),
        tables=tuple(a + b for a, b in zip(exact.tables, loopy.tables, strict=True)),
        groups=tuple(a + b for a, b in zip(exact.groups, loopy.groups, strict=True)),
        log_partition=exact.log_partition + loopy.log_partition - alone,
    )
    if exact.best is None or loopy.best is None:
        return both
    best = np.where(division.is_exact, exact.best, loopy.best)
    return at_best(graph, potentials, best, both)
