"""Tree-reweighted belief propagation: an upper bound on the log-partition.

The graph is covered by forests; a factor that is in a share rho of them is worth 1 / rho as much in
each. By convexity the mean of the forests' log-partitions is an upper bound, however the unary
potentials are divided among them. Messages find a good division: they are those of belief
propagation with potentials divided by rho, and a message counts rho in its variable's sum. The
bound is then computed exactly, forest by forest, so that it holds whether or not messages settled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.graph import FactorGraph, GroupFactors, Potentials, TableFactors
from tacit.graph.factor_graph import Floats, Ints, Truths
from tacit.inference.bp import BPConfig, Passing
from tacit.inference.exact import ExactConfig, solve_exact
from tacit.inference.forests import forests
from tacit.inference.kernels import agreement, pairs
from tacit.inference.kernels.maths import HARD
from tacit.inference.potentials import LogPotentials
from tacit.inference.solution import Solution
from tacit.inference.targets import targets


@dataclass(frozen=True, slots=True, kw_only=True)
class TRWConfig(BPConfig):
    """How tree-reweighted belief propagation runs."""

    damping: float = 0.3  # reweighted messages swing more than plain ones
    n_forests: int = 16  # at least; more where that many do not hold every factor
    random_state: int = 0


def solve_trw(
    graph: FactorGraph,
    potentials: LogPotentials,
    *,
    config: TRWConfig = TRWConfig(),  # noqa: B008
) -> Solution:
    """Marginals by tree-reweighted messages, and an upper bound on the log-partition."""
    spread, worth = each_its_own(graph, potentials)
    cover = forests(spread, config.n_forests, np.random.default_rng(config.random_state))
    cuts = np.cumsum([len(block) for block in spread.blocks])[:-1]
    rho = np.split(np.mean(cover, axis=0), cuts) if spread.blocks else []
    passing = Passing(spread, worth, shares=rho)
    sweeps, residual, converged = passing.run(config)
    _, marginals, found = passing.measure(settled=False)
    bound = np.mean([_log_partition(passing, np.split(chosen, cuts)) for chosen in cover])
    holds = [
        np.bincount(block.potential, one.holds, len(block.potentials)).astype(np.float64)
        for block, one in zip(graph.blocks, found, strict=True)
    ]
    if bound < -HARD / 2:  # an upper bound: there is nothing above it
        passing.refuse_contradiction()
    return Solution(
        marginals=marginals,
        tables=tuple(holds[: len(graph.tables)]),
        groups=tuple(holds[len(graph.tables) :]),
        log_partition=float(bound),
        meaning="upper bound",
        converged=converged,
        sweeps=sweeps,
        residual=residual,
    )


def each_its_own(
    graph: FactorGraph, potentials: LogPotentials
) -> tuple[FactorGraph, LogPotentials]:
    """The same graph with a potential for each factor, so that each can have its own share."""
    tables, groups = [], []
    for block in graph.tables:
        number, own = _own_potentials(block)
        tables.append(replace(block, potential=number, potentials=own))
    for sums in graph.groups:
        number, own = _own_potentials(sums)
        groups.append(replace(sums, potential=number, potentials=own))
    values = [
        values[block.potential]
        for block, values in zip(graph.blocks, potentials.blocks, strict=True)
    ]
    worth = LogPotentials(
        potentials.unary, tuple(values[: len(tables)]), tuple(values[len(tables) :])
    )
    return replace(graph, tables=tuple(tables), groups=tuple(groups)), worth


def _own_potentials(block: TableFactors | GroupFactors) -> tuple[Ints, Potentials]:
    weight = block.potentials.weight[block.potential]
    count = block.potentials.count[block.potential]
    return np.arange(len(block), dtype=np.int32), Potentials(weight, count)


def _log_partition(passing: Passing, chosen: list[Truths]) -> float:
    """The log-partition of one forest, under the division of potentials that messages make."""
    graph = passing.graph
    log_odds = passing.log_odds.copy()
    tables: list[TableFactors] = []
    groups: list[GroupFactors] = []
    values: list[Floats] = []
    for at, (block, link) in enumerate(zip(graph.blocks, passing.links, strict=True)):
        inside = chosen[at]
        to = targets(link)
        said = passing.messages[at].reshape(-1)[to.message] * to.sign
        said *= inside[link.potential[to.factor]]
        log_odds -= np.bincount(to.position, said, minlength=len(log_odds))
        values.append(passing.values[at])
        if isinstance(block, GroupFactors):
            groups.append(block.where(inside))
            continue
        truth = block.truth
        if link.kernel in (pairs, agreement):  # what is said of single variables is with them
            truth = np.eye(len(truth), dtype=bool)
        tables.append(replace(block.where(inside), truth=truth))
    unary = np.zeros(graph.n_states)
    is_first = np.zeros(graph.n_states, dtype=bool)
    is_first[graph.first_state[:-1]] = True
    unary[~is_first] = log_odds
    forest = replace(graph, tables=tuple(tables), groups=tuple(groups))
    worth = LogPotentials(unary, tuple(values[: len(tables)]), tuple(values[len(tables) :]))
    unlimited = ExactConfig(max_table_states=2**31, max_total_states=2**31)
    solved = solve_exact(forest, worth, config=unlimited)
    return passing.constant + solved.log_partition
