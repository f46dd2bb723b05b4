"""Sums by variable: from states to log-odds and back."""

from __future__ import annotations

from numba import prange

from tacit.graph.factor_graph import Floats, Longs
from tacit.inference.kernels.maths import exp_negative, log_positive, parallel


@parallel
def add_changes(beliefs: Floats) -> float:
    """Add what each slot has gathered, tell all, and clear it; returns the sum of all log-odds.

    The sum is finite if all are. A slot's log-odds and changes lie side by side, so that a factor
    that has read the one has the other at hand.
    """
    n_slots = beliefs.shape[0]
    total = 0.0
    for i in prange(beliefs.shape[1]):
        value = beliefs[0, i, 0]
        for slot in range(n_slots):
            value += beliefs[slot, i, 1]
        for slot in range(n_slots):
            beliefs[slot, i, 0] = value
            beliefs[slot, i, 1] = 0.0
        total += value
    return total


@parallel
def normalise(log_odds: Floats, first_odds: Longs, marginals: Floats, log_sums: Floats) -> None:
    """The probability of each state, and the log of each variable's sum; both are written."""
    for variable in prange(len(first_odds) - 1):
        first, n_odds = first_odds[variable], first_odds[variable + 1] - first_odds[variable]
        state = first + variable  # each variable before this one has a first state, without odds
        high = 0.0
        for s in range(n_odds):
            high = max(high, log_odds[first + s])
        total = exp_negative(-high)
        marginals[state] = total
        for s in range(n_odds):
            marginals[state + s + 1] = exp_negative(log_odds[first + s] - high)
            total += marginals[state + s + 1]
        for s in range(n_odds + 1):
            marginals[state + s] /= total
        log_sums[variable] = high + log_positive(total)
