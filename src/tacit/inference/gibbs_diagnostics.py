"""How far draws of several chains can be trusted: R-hat, effective sizes, standard errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.graph.factor_graph import Floats

# The variance that counts as none: probabilities 1e-4 apart are the same to a reader, and chains
# that agree to the last digits must not be told apart by them.
NEGLIGIBLE = 1e-8


@dataclass(frozen=True, slots=True)
class GibbsDiagnostics:
    """By state: whether the chains agree, and how exact its probability is."""

    r_hat: Floats  # 1: the halves of all chains agree
    effective_size: Floats  # how many independent draws would be as good
    standard_error: Floats


def diagnose(
    half_means: Floats, batch_means_squared: Floats, squares: Floats, n_batches: int, n_draws: int
) -> GibbsDiagnostics:
    """What draws of probabilities say of their own quality, state by state.

    `half_means` (halves of chains, states) are the means of each half of each chain; the mean of
    the squares is that of all draws in `squares`, and that of the means of `n_batches` consecutive
    batches in `batch_means_squared`. `n_draws` counts all chains.
    """
    n_halves = len(half_means)
    n_in_half = n_draws / n_halves
    mean = half_means.mean(axis=0)
    within = (squares - (half_means**2).mean(axis=0)) * n_in_half / max(n_in_half - 1, 1)
    within = np.maximum(within, 0) + NEGLIGIBLE
    between = half_means.var(axis=0, ddof=1)
    r_hat = np.sqrt(1 - 1 / n_in_half + between / within)
    # Batches are many, halves are long: where draws depend on each other for longer than a batch,
    # the halves notice.
    of_batches = (batch_means_squared - mean**2) / max(n_batches - 1, 1)
    variance = np.maximum(np.maximum(of_batches, 0), between / n_halves)
    size = within / (variance + NEGLIGIBLE / n_draws)
    return GibbsDiagnostics(
        np.maximum(r_hat, 1.0), np.minimum(size, float(n_draws)), np.sqrt(variance)
    )
