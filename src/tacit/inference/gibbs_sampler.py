"""The chains of Gibbs sampling: where they start, how they move, what is added up on the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.errors import BadInput
from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats, Ints, Longs
from tacit.inference.gibbs_groups import Marks, draw_groups, no_marks
from tacit.inference.gibbs_kernels import count_holding, draw_trees, sums_of_groups
from tacit.inference.gibbs_scores import Chain, Model
from tacit.inference.gibbs_trees import Trees, grow_trees, no_trees
from tacit.inference.incidence import Incidence, incidence_of, log_worths, strongest
from tacit.inference.potentials import LogPotentials

SMALL_TREE = 8  # variables: the groups of more would hardly ever agree to a draw
ATTEMPTS, DOUBLINGS = 5, 20  # at a start that breaks no hard factor: penalties grow this many times


@dataclass(frozen=True, slots=True)
class Tally:
    """What sweeps add up."""

    shares: Floats  # (chains, states) the conditional probabilities that were drawn from
    squares: Floats  # (states) their squares, of all chains
    holding: Floats  # (chains, potentials) the factors that hold


@dataclass(frozen=True, slots=True)
class Sampler:
    """Chains that stand somewhere, and what moves them."""

    rng: np.random.Generator
    graph: Incidence
    worth: Floats  # by potential
    model: Model
    states: Ints  # (chains, variables)
    sums: Longs  # (chains, groups)
    trees: Trees
    marks: Marks

    @property
    def n_variables(self) -> int:
        """How many variables are drawn."""
        return int(self.states.shape[1])

    @property
    def chains(self) -> list[Chain]:
        """The chains, one by one."""
        return [Chain(*both) for both in zip(self.states, self.sums, strict=True)]

    def run(self, n_sweeps: int, penalty: float = np.inf) -> Tally:
        """Sweep over all chains, which go through the same trees; new trees with each sweep.

        A hard factor that fails costs `penalty`, which is infinite unless a start is looked for.
        """
        model = self.model._replace(values=_values(self.worth, penalty))
        n_chains, n_states = len(self.states), len(model.unary)
        holding = np.zeros((n_chains, len(self.worth)))
        tally = Tally(np.zeros((n_chains, n_states)), np.zeros(n_states), holding)
        shares = np.empty(n_states)
        for _ in range(n_sweeps):
            self.mix_groups(model)
            n_trees = grow_trees(self.graph, self.seed(), self.n_variables, False, self.trees)
            for at, chain in enumerate(self.chains):
                numbers = self.rng.random(self.n_variables)
                draw_trees(
                    self.graph, model, chain, self.trees, n_trees, False, numbers, numbers, shares
                )
                count_holding(self.graph, chain, holding[at])
                tally.shares[at] += shares
                tally.squares[:] += shares**2
        return tally

    def mix_groups(self, model: Model) -> None:
        """Move what groups hold fast: members of one group together, then small loose trees."""
        n_groups = self.sums.shape[1]
        if not n_groups:
            return
        first_group = int(self.rng.integers(n_groups))
        n_trees = grow_trees(self.graph, self.seed(), SMALL_TREE, True, self.trees)
        shares = np.empty(len(model.unary))  # of draws that may be taken back: not counted
        for chain in self.chains:
            numbers = self.rng.random((3, self.n_variables))
            draw_groups(self.graph, model, chain, self.marks, first_group, numbers[0])
            if self.graph.n_tables:
                draw_trees(
                    self.graph,
                    model,
                    chain,
                    self.trees,
                    n_trees,
                    True,
                    numbers[1],
                    numbers[2],
                    shares,
                )

    def seed(self) -> int:
        """What the next trees grow from."""
        return int(self.rng.integers(1 << 48))


def scattered_chains(
    graph: FactorGraph, potentials: LogPotentials, n_chains: int, random_state: int
) -> Sampler:
    """Chains at states drawn at random from those that are possible: far apart, to be compared."""
    rng = np.random.default_rng(random_state)
    flat, unary = incidence_of(graph), potentials.unary.copy()
    possible = np.flatnonzero(unary > -np.inf)
    owner = np.searchsorted(graph.first_state, possible, side="right") - 1
    n_possible = np.bincount(owner, minlength=graph.n_variables)
    first_possible = np.cumsum(n_possible) - n_possible
    chosen = (rng.random((n_chains, graph.n_variables)) * n_possible).astype(np.int64)
    states = possible[first_possible + chosen] - graph.first_state[:-1]
    sampler = Sampler(
        rng,
        flat,
        log_worths(potentials),
        Model(unary, np.empty((0, 2)), int(graph.sizes.max(initial=0))),
        states.astype(np.int32),
        np.zeros((n_chains, sum(map(len, graph.groups))), dtype=np.int64),
        no_trees(graph.n_variables, sum(map(len, graph.groups))),
        no_marks(flat),
    )
    for chain in sampler.chains:
        sums_of_groups(flat, chain)
    return sampler


def keep_hard_factors(sampler: Sampler) -> None:
    """Move every chain to a state that breaks no hard factor, by sweeps with growing penalties.

    A chain that finds none starts where another did.
    """
    hard = np.isinf(sampler.worth)
    potential = sampler.graph.potential_of_factor
    n_hard = np.bincount(potential, minlength=len(hard))[hard].sum()
    scale = strongest(sampler.model.unary, sampler.worth)
    found = np.zeros(len(sampler.states), dtype=bool)
    states, sums = sampler.states.copy(), sampler.sums.copy()
    for sweep in range(ATTEMPTS * (DOUBLINGS + 1)):
        tally = sampler.run(1, scale * 2.0 ** (sweep % (DOUBLINGS + 1)))
        new = ~found & (tally.holding[:, hard].sum(axis=1) == n_hard)
        states[new], sums[new] = sampler.states[new], sampler.sums[new]
        found |= new
        if found.all():
            break
    if not found.any():
        raise BadInput(
            f"no states that keep all {n_hard} hard factors were found in {sweep + 1} sweeps",
            remedy="use another method, which may prove that there are none, or finite weights",
        )
    at = np.where(found, np.arange(len(found)), np.flatnonzero(found)[0])
    sampler.states[:], sampler.sums[:] = states[at], sums[at]


def _values(worth: Floats, penalty: float) -> Floats:
    """The log of what factors are worth that fail, and that hold, by potential."""
    hard = np.isinf(worth)
    return np.stack([np.where(hard, -penalty, 0.0), np.where(hard, 0.0, worth)], axis=1)
