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
def normalise(log_odds: Floats, first_state: Longs, marginals: Floats, log_sums: Floats) -> None:
    """The probability of each state, and by slot the logs of variables' sums; both are written."""
    n_slots, n_variables = len(log_sums), len(first_state) - 1
    for slot in prange(n_slots):
        log_sum = 0.0
        for variable in range(n_variables * slot // n_slots, n_variables * (slot + 1) // n_slots):
            state = first_state[variable]
            n_odds = first_state[variable + 1] - state - 1
            first = state - variable  # the first state of each variable before this one has no odds
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
            log_sum += high + log_positive(total)
        log_sums[slot] = log_sum


@parallel
def normalise_binary(log_odds: Floats, marginals: Floats, log_sums: Floats) -> None:
    """The same where every variable has two states."""
    n_slots, n_variables = len(log_sums), len(log_odds)
    for slot in prange(n_slots):
        log_sum = 0.0
        for variable in range(n_variables * slot // n_slots, n_variables * (slot + 1) // n_slots):
            high = max(log_odds[variable], 0.0)
            first, second = exp_negative(-high), exp_negative(log_odds[variable] - high)
            marginals[2 * variable] = first / (first + second)
            marginals[2 * variable + 1] = second / (first + second)
            log_sum += high + log_positive(first + second)
        log_sums[slot] = log_sum
