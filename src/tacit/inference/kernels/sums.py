"""Sums by variable: from states to log-odds and back."""

from __future__ import annotations

from numba import prange

from tacit.graph.factor_graph import Floats, Longs
from tacit.inference.kernels.maths import compiled, exp_negative, log_positive, parallel


@compiled
def log_total(log_odds: Floats, first: int, n_odds: int) -> float:
    """The log of the sum of what a variable believes, its first state being worth 0."""
    high = 0.0
    for s in range(n_odds):
        high = max(high, log_odds[first + s])
    total = exp_negative(-high)
    for s in range(n_odds):
        total += exp_negative(log_odds[first + s] - high)
    return high + log_positive(total)


@parallel
def add_changes(log_odds: Floats, changes: Floats) -> float:
    """Add what each slot has gathered, and clear it; returns the sum of all, finite if all are."""
    n_slots = changes.shape[0]
    total = 0.0
    for i in prange(len(log_odds)):
        value = log_odds[i]
        for slot in range(n_slots):
            value += changes[slot, i]
            changes[slot, i] = 0.0
        log_odds[i] = value
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
