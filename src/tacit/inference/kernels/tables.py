"""Factors with any truth table over any number of variables, soft or hard, in log space.

A factor's cells are visited one by one: each is worth what the variables believe of its states
without this factor, plus the potential where the formula holds. The message to a state gathers the
cells with that state, less what that variable itself believes.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from tacit.graph.factor_graph import Floats, Ints, Longs, Truths
from tacit.inference.kernels.maths import (
    below,
    compiled,
    exp_negative,
    log_add,
    log_positive,
    parallel,
)
from tacit.inference.kernels.sums import log_total

BATCH = 128  # factors in a chunk


@compiled
def _believed(
    ends: Ints, factor: int, shape: Longs, messages: Floats, log_odds: Floats, x: Floats
) -> None:
    """What the variables of a factor believe without it: x (axes, states), scaled to sum to 1."""
    at = 0
    for axis in range(len(shape)):
        first = ends[factor, axis]
        x[axis, 0] = 0.0
        high = 0.0
        for s in range(shape[axis] - 1):
            x[axis, s + 1] = log_odds[first + s] - messages[factor, at + s]
            high = max(high, x[axis, s + 1])
        at += shape[axis] - 1
        total = 0.0
        for s in range(shape[axis]):
            total += exp_negative(x[axis, s] - high)
        high += log_positive(total)
        for s in range(shape[axis]):
            x[axis, s] -= high


@compiled
def _gather(
    states: Ints, truth: Truths, log_value: float, x: Floats, out: Floats, maximise: bool
) -> tuple[float, float]:
    """Sum the cells into out (axes, states); returns the logs of the sums that hold and do not."""
    n_axes = states.shape[1]
    worth = 0.0 if log_value == np.inf else log_value
    out[:] = -np.inf
    log_true, log_false = -np.inf, -np.inf
    for cell in range(len(truth)):
        if not truth[cell] and log_value == np.inf:
            continue
        value = worth if truth[cell] else 0.0
        for axis in range(n_axes):
            value += x[axis, states[cell, axis]]
        if truth[cell]:
            log_true = log_add(log_true, value)
        else:
            log_false = log_add(log_false, value)
        for axis in range(n_axes):
            s = states[cell, axis]
            if maximise:
                out[axis, s] = max(out[axis, s], value)
            else:
                out[axis, s] = log_add(out[axis, s], value)
    return log_true, log_false


@parallel
def sweep(
    shape: Longs,  # (axes) number of states
    states: Ints,  # (cells, axes) the states of each cell
    truth: Truths,  # (cells)
    ends: Ints,  # (factors, axes) first positions in `log_odds`
    potential: Ints,
    log_values: Floats,  # (potentials); infinite where hard
    shares: Floats,
    messages: Floats,  # (factors, sum of states - 1 over axes); updated
    log_odds: Floats,
    changes: Floats,
    chunks: Longs,
    damping: float,
    maximise: bool,
    residuals: Floats,
) -> None:
    """Send new messages along the factors of some chunks."""
    n_slots = changes.shape[0]
    stride = 1 if len(shares) > 1 else 0
    for slot in prange(n_slots):
        x = np.empty((len(shape), shape.max()))
        out = np.empty_like(x)
        change = changes[slot]
        for chunk in range(len(chunks) * slot // n_slots, len(chunks) * (slot + 1) // n_slots):
            largest = 0.0
            for factor in range(chunks[chunk, 0], chunks[chunk, 1]):
                _believed(ends, factor, shape, messages, log_odds, x)
                _gather(states, truth, log_values[potential[factor]], x, out, maximise)
                at = 0
                for axis in range(len(shape)):
                    high = -np.inf
                    for s in range(shape[axis]):
                        out[axis, s] -= x[axis, s]
                        high = max(high, out[axis, s])
                    base = below(out[axis, 0], high)
                    for s in range(1, shape[axis]):
                        step = below(out[axis, s], high) - base - messages[factor, at]
                        largest = max(largest, abs(step))
                        step *= 1.0 - damping
                        messages[factor, at] += step
                        change[ends[factor, axis] + s - 1] += shares[stride * factor] * step
                        at += 1
            residuals[chunk] = largest


@parallel
def measure(
    shape: Longs,
    states: Ints,
    truth: Truths,
    ends: Ints,
    potential: Ints,
    log_values: Floats,
    shares: Floats,
    messages: Floats,
    log_odds: Floats,
    holds: Floats,  # (slots, potentials) expected number of factors that hold; added to
    least: Floats,  # (slots, 2) the least log of a factor's sum, and which factor that is; written
) -> Floats:
    """What the factors add to the log-partition, by slot; and how many of them hold."""
    n_slots = holds.shape[0]
    totals = np.zeros(n_slots)
    stride = 1 if len(shares) > 1 else 0
    n_factors = len(potential)
    for slot in prange(n_slots):
        x = np.empty((len(shape), shape.max()))
        out = np.empty_like(x)
        total = 0.0
        least[slot, 0], least[slot, 1] = np.inf, -1.0
        for factor in range(n_factors * slot // n_slots, n_factors * (slot + 1) // n_slots):
            at = potential[factor]
            _believed(ends, factor, shape, messages, log_odds, x)
            log_true, log_false = _gather(states, truth, log_values[at], x, out, False)
            log_sum = log_add(log_true, log_false)
            if log_sum < least[slot, 0]:
                least[slot, 0], least[slot, 1] = log_sum, factor
            z = log_sum
            for axis in range(len(shape)):
                # x is scaled by the sum without this factor, which is -x of the first state
                z -= x[axis, 0] + log_total(log_odds, ends[factor, axis], shape[axis] - 1)
            total += shares[stride * factor] * z
            holds[slot, at] += np.exp(log_true - log_sum)
        totals[slot] = total
    return totals
