"""Mean field: the independent distributions nearest to the graph's, by coordinate ascent.

For any independent distributions q, E_q[log potentials] + H(q) is at most the log-partition. Each
update of a variable raises this bound as far as the others allow; converged or not, the result is a
lower bound. Hard factors make the bound minus infinity until q breaks none of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.errors import BadInput
from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats, Longs
from tacit.inference.incidence import Incidence, by_block, incidence_of, log_worths, strongest
from tacit.inference.mean_field_kernels import expected_counts, update_all
from tacit.inference.potentials import LogPotentials
from tacit.inference.solution import Solution

# A hard factor first costs no more than the strongest soft one, so that evidence has its say before
# anything is ruled out. The cost doubles with each sweep; after these many doublings, about a
# million, a hundredth of a percent of a chance to fail outweighs all that is soft.
DOUBLINGS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanFieldConfig:
    """How long mean field runs, and how it starts."""

    max_sweeps: int = 200  # tens are usual, hard factors take 21; a ceiling, not a target
    tolerance: float = 1e-6  # of a marginal; the bound then moves by about its square
    noise: float = 0.01  # of the start's log-odds: equal labels are a saddle that it would stay on
    random_state: int = 0  # of that noise: which of several equally good ends is reached

    def __post_init__(self) -> None:
        if self.max_sweeps < 1 or self.tolerance < 0 or self.noise < 0:
            raise BadInput(
                f"mean field with max_sweeps={self.max_sweeps}, tolerance={self.tolerance}, "
                f"noise={self.noise}",
                remedy="use at least one sweep, and no negative numbers",
            )


def solve_mean_field(
    graph: FactorGraph,
    potentials: LogPotentials,
    *,
    config: MeanFieldConfig = MeanFieldConfig(),  # noqa: B008 - frozen
    start: Floats | None = None,
) -> Solution:
    """Marginals that are independent of each other, and a lower bound of the log-partition.

    Variables are updated in the order of their numbers. Without `start` (marginals, one number for
    each state) it begins with the unary potentials, and hard factors gain force sweep by sweep. A
    group takes time and memory of its members times the sums that its formula tells apart.
    """
    flat = incidence_of(graph)
    unary, worth = potentials.unary.copy(), log_worths(potentials)
    if start is None:
        shares = first_shares(graph, unary, config)
    else:
        shares = usable_shares(graph, unary, start)
    doublings = DOUBLINGS if start is None and np.isinf(worth).any() else 0
    full_penalty = strongest(unary, worth) * 2.0**DOUBLINGS
    chains, first_chain = _chains(flat)
    largest = int(graph.sizes.max(initial=0))
    sweeps, change, converged = 0, np.inf, False
    while sweeps < config.max_sweeps and not converged:
        left = max(doublings - sweeps, 0)
        penalty = full_penalty / 2.0**left
        change = update_all(
            flat, unary, worth, penalty, left == 0, shares, chains, first_chain, largest
        )
        sweeps += 1
        converged = left == 0 and change <= config.tolerance
    most_cells = int(np.diff(flat.first_cell).max(initial=0))
    holding, failing = expected_counts(flat, shares, len(worth), most_cells)
    tables, groups = by_block(graph, holding)
    return Solution(
        marginals=shares,
        tables=tables,
        groups=groups,
        log_partition=lower_bound(unary, worth, shares, holding, failing),
        meaning="lower bound",
        converged=converged,
        sweeps=sweeps,
        residual=change,
        messages=shares,
    )


def lower_bound(
    unary: Floats, worth: Floats, shares: Floats, holding: Floats, failing: Floats
) -> float:
    """E_q[log potentials] + H(q); minus infinity where q makes a hard factor fail."""
    soft = np.isfinite(worth)
    if failing[~soft].any():
        return -np.inf
    taken = shares > 0
    single = shares[taken] @ (unary[taken] - np.log(shares[taken]))
    return float(single + holding[soft] @ worth[soft])


def first_shares(graph: FactorGraph, unary: Floats, config: MeanFieldConfig) -> Floats:
    """The distribution of each variable by its unary potentials alone, with a little noise."""
    rng = np.random.default_rng(config.random_state)
    return _softmax(graph, unary + config.noise * rng.standard_normal(len(unary)))


def usable_shares(graph: FactorGraph, unary: Floats, start: Floats) -> Floats:
    """Given marginals, scaled to sum to one over what is possible now."""
    start = np.asarray(start)
    fits = start.shape == unary.shape and np.issubdtype(start.dtype, np.number)
    if not fits or not np.isfinite(start).all() or (start < 0).any():
        raise BadInput(
            f"a start of shape {start.shape} for a graph of {len(unary)} states",
            remedy="pass the marginals of an earlier solution: one number, not negative, a state",
        )
    shares = np.where(unary > -np.inf, start, 0.0)
    owner = np.repeat(np.arange(graph.n_variables), graph.sizes)
    total = np.bincount(owner, shares, minlength=graph.n_variables)[owner]
    return np.where(total > 0, shares / np.where(total > 0, total, 1.0), _softmax(graph, unary))


def _softmax(graph: FactorGraph, scores: Floats) -> Floats:
    """exp(scores), each variable's scaled to sum to one."""
    if not len(scores):
        return np.empty(0)
    first = graph.first_state[:-1]
    shares = np.exp(scores - np.repeat(np.maximum.reduceat(scores, first), graph.sizes))
    return np.asarray(shares / np.repeat(np.add.reduceat(shares, first), graph.sizes))


def _chains(flat: Incidence) -> tuple[Floats, Longs]:
    """Room for the running sums of every group, and where each group's begins."""
    n_sums = np.diff(flat.first_cell)[flat.block_of_factor[flat.n_tables :]]
    n_rows = np.diff(flat.first_slot)[flat.n_tables :] + 1
    first = np.zeros(len(n_rows) + 1, dtype=np.int64)
    np.cumsum(n_rows * n_sums, out=first[1:])
    return np.empty(first[-1]), first
