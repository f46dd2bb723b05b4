"""Exact inference: marginals, expected counts, log-partition, the best assignment, exact samples.

Variables are summed out one after another (bucket elimination), and then visited in the opposite
order; together this is a junction tree. Isolated variables, trees, small components and low
treewidth are one case. What depends on the graph alone is a plan, made once for any number of
weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.errors import BadInput, TooLarge
from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats, Ints, Truths
from tacit.inference.elimination import eliminate
from tacit.inference.exact_contradiction import contradiction
from tacit.inference.exact_factors import add_factors, expected, held_at
from tacit.inference.exact_layout import Layout, lay_out
from tacit.inference.exact_passes import assign, pass_down, pass_up
from tacit.inference.exact_scopes import scopes_of, widest_steps
from tacit.inference.potentials import LogPotentials
from tacit.inference.solution import Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactConfig:
    """How much exact inference may take."""

    max_table_states: int = 2**22  # one table: 32 MB, some 0.1 s; each further variable doubles it
    max_total_states: int = 2**26  # all tables: 512 MB, half that again for what lies between them

    def __post_init__(self) -> None:
        if not 1 <= self.max_table_states <= 2**31:  # places in a table are counted in 32 bits
            raise BadInput(
                f"max_table_states is {self.max_table_states}", remedy="give 1 up to 2**31"
            )
        if self.max_total_states < 1:
            raise BadInput(f"max_total_states is {self.max_total_states}", remedy="give 1 or more")


@dataclass(frozen=True, slots=True, eq=False)
class ExactPlan:
    """All of exact inference that depends on the graph alone: make it once, run it often."""

    graph: FactorGraph
    config: ExactConfig
    layout: Layout | None  # None: the graph is too large
    too_large: Truths  # (variables) those that cannot be summed out within the limits
    needed_states: float  # how many, or more, the next table would have; 0: none is too large

    @property
    def n_cells(self) -> int:
        """How many numbers a run holds in memory."""
        return 0 if self.layout is None else self.layout.n_cells


def exact_plan(graph: FactorGraph, config: ExactConfig = ExactConfig()) -> ExactPlan:  # noqa: B008
    """Choose the order of elimination, and lay out the tables if they are not too large."""
    widest = widest_steps(graph)
    if widest.max(initial=0) > config.max_table_states:  # do not even write such truth tables
        wide = widest > config.max_table_states
        return ExactPlan(graph, config, None, wide, float(widest.max()))
    scopes = scopes_of(graph)
    elimination = eliminate(scopes, config.max_table_states, config.max_total_states)
    left, left_auxiliary = np.split(elimination.left, [graph.n_variables])
    left[scopes.member_of_auxiliary[left_auxiliary]] = True
    layout = None if left.any() else lay_out(scopes, elimination)
    return ExactPlan(graph, config, layout, left, elimination.needed)


def solve_exact(
    graph: FactorGraph,
    potentials: LogPotentials,
    *,
    config: ExactConfig = ExactConfig(),  # noqa: B008
    maximise: bool = False,
) -> Solution:
    """Exact marginals of a graph, or its best assignment; refused where that takes too much."""
    return run_exact(exact_plan(graph, config), potentials, maximise=maximise)


def run_exact(plan: ExactPlan, potentials: LogPotentials, *, maximise: bool = False) -> Solution:
    """Exact marginals under given potentials, or the best assignment."""
    graph, layout = plan.graph, _feasible(plan)
    cells, log_partition = _conditionals(plan, layout, potentials, maximise)
    places = np.empty(layout.most_cells, dtype=np.int32)
    states = np.zeros(layout.n_variables, dtype=np.int32)
    held = np.zeros(layout.n_values)
    if maximise:
        assign(layout.cliques, layout.axes, cells, np.empty(0), states)
        held_at(layout.factors, layout.members, layout.truth, states, held)
    marginals = np.empty(graph.n_states)
    tree = layout.cliques, layout.axes, layout.margins
    pass_down(*tree, np.array(graph.first_state), maximise, places, cells, marginals)
    if not maximise:
        expected(layout.factors, layout.members, layout.truth, places, cells, held)
    ends = np.cumsum([len(block.potentials) for block in graph.blocks])
    by_block = tuple(np.split(held, ends)[:-1]) if graph.blocks else ()
    return Solution(
        marginals=marginals,
        tables=by_block[: len(graph.tables)],
        groups=by_block[len(graph.tables) :],
        log_partition=log_partition,
        meaning="exact",
        best=states[: graph.n_variables] if maximise else None,
    )


def sample_exact(
    plan: ExactPlan, potentials: LogPotentials, rng: np.random.Generator, n_samples: int = 1
) -> Ints:
    """Independent samples of all the variables together: (samples, variables)."""
    layout = _feasible(plan)
    cells, _ = _conditionals(plan, layout, potentials, False)
    samples = np.empty((n_samples, plan.graph.n_variables), dtype=np.int32)
    states = np.zeros(layout.n_variables, dtype=np.int32)
    for sample in samples:
        assign(layout.cliques, layout.axes, cells, rng.random(len(states)), states)
        sample[:] = states[: plan.graph.n_variables]
    return samples


def _conditionals(
    plan: ExactPlan, layout: Layout, potentials: LogPotentials, maximise: bool
) -> tuple[Floats, float]:
    """The cells after the upward pass, and the log-partition."""
    graph, cells = plan.graph, np.zeros(layout.n_cells)
    places = np.empty(layout.most_cells, dtype=np.int32)
    log_values = np.concatenate([*potentials.tables, *potentials.groups, [np.inf]])
    add_factors(layout.factors, layout.members, layout.truth, log_values, places, cells)
    if cells[0] == -np.inf:
        raise contradiction(graph, layout, log_values, None)
    # copies, because numba would compile the same code again for read-only arrays
    known = np.array(graph.first_state), np.array(potentials.unary, dtype=np.float64)
    tree = layout.cliques, layout.axes, layout.margins
    log_partition, clique = pass_up(*tree, *known, maximise, places, cells)
    if clique >= 0:
        raise contradiction(graph, layout, log_values, clique)
    return cells, float(log_partition)


def _feasible(plan: ExactPlan) -> Layout:
    """The layout of a plan that can be run."""
    if plan.layout is not None:
        return plan.layout
    needed, config = plan.needed_states, plan.config
    if needed > config.max_table_states:
        size = f"a table of {needed:.2g} states or more; the limit is {config.max_table_states}"
    else:
        size = f"more than {config.max_total_states} states in all its tables"
    raise TooLarge(
        f"{int(plan.too_large.sum())} of {plan.graph.n_variables} variables are tied too densely"
        f" for exact inference: it needs {size}",
        remedy='use method="bp" or "auto", or raise the limits of ExactConfig',
    )
