"""Gibbs sampling: marginals from draws, to check other methods by.

Several chains start far apart and repeat: part the variables into trees, draw each tree given all
the others. Members of a group are drawn together as well, and small trees across groups by
Metropolis and Hastings, for a group can hold its members fast. Marginals are means of the
conditional probabilities that were drawn from, which vary less than the draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.errors import BadInput
from tacit.graph import FactorGraph
from tacit.inference.gibbs_diagnostics import diagnose
from tacit.inference.gibbs_sampler import keep_hard_factors, scattered_chains
from tacit.inference.incidence import by_block
from tacit.inference.potentials import LogPotentials
from tacit.inference.solution import Solution

AGREED = 1.05  # chains whose R-hat is greater have not found the same distribution
BATCHES = 20  # of a chain's draws: means of batches are nearly independent, and many enough


@dataclass(frozen=True, slots=True, kw_only=True)
class GibbsConfig:
    """How many draws are made."""

    chains: int = 4  # few agree by chance more often; more cost more
    burn_in: int = 200  # sweeps before draws count; drawing trees makes for short memories
    draws: int = 1000  # of each chain, rounded up to a multiple of 20; errors of about a percent
    random_state: int = 0  # same seed, same numbers

    def __post_init__(self) -> None:
        if self.chains < 2 or self.burn_in < 0 or self.draws < 1:
            raise BadInput(
                f"Gibbs sampling of {self.chains} chains, {self.burn_in} sweeps and then "
                f"{self.draws} draws",
                remedy="use two chains or more, or there is nothing to compare, and a draw or more",
            )


def solve_gibbs(
    graph: FactorGraph,
    potentials: LogPotentials,
    *,
    config: GibbsConfig = GibbsConfig(),  # noqa: B008 - frozen
) -> Solution:
    """Marginals and expected counts by sampling; `messages` are the diagnostics, state by state.

    Converged means that the chains agree. Where hard factors part the assignments into islands that
    no single draw can leave, chains that all start on one island agree too: draws are a check on
    other methods, not a proof.
    """
    n_chains, n_states = config.chains, graph.n_states
    sampler = scattered_chains(graph, potentials, n_chains, config.random_state)
    if np.isinf(sampler.worth).any():
        keep_hard_factors(sampler)
    sampler.run(config.burn_in)
    length = -(-config.draws // BATCHES)
    n_draws = length * BATCHES * n_chains
    halves = np.zeros((2, n_chains, n_states))
    batch_means_squared, squares = np.zeros(n_states), np.zeros(n_states)
    holding = np.zeros(len(sampler.worth))
    for batch in range(BATCHES):
        tally = sampler.run(length)
        halves[2 * batch // BATCHES] += tally.shares
        batch_means_squared += ((tally.shares / length) ** 2).sum(axis=0)
        squares += tally.squares
        holding += tally.holding.sum(axis=0)
    half_means = halves.reshape(2 * n_chains, n_states) / (length * BATCHES // 2)
    n_batches = BATCHES * n_chains
    quality = diagnose(
        half_means, batch_means_squared / n_batches, squares / n_draws, n_batches, n_draws
    )
    worst = float(quality.r_hat.max(initial=1.0))
    tables, groups = by_block(graph, holding / n_draws)
    return Solution(
        marginals=half_means.mean(axis=0),
        tables=tables,
        groups=groups,
        log_partition=np.nan,
        meaning="estimate",
        converged=worst <= AGREED,
        sweeps=config.burn_in + length * BATCHES,
        residual=worst - 1.0,
        messages=quality,
    )
