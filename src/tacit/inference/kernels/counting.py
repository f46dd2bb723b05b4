"""Groups in which any number of members may have to count: a chain of running sums, in log space.

With a(n) the sum over the members before, b(n) what is still to come from a running sum of n, and
g(s) what state s adds, the message to state s of a member is

    log sum_n a(n) b(min(n + g(s), end)).

Time is linear in members times the length of `truth`, times what a state adds at most (mostly 1);
sums at or beyond the end count as the end.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from tacit.graph.factor_graph import Floats, Ints, Longs, Truths
from tacit.inference.kernels.maths import (
    below,
    compiled,
    log_add,
    parallel,
)
from tacit.inference.kernels.sums import log_total

BATCH = 128  # members in a chunk, or one group when it is larger


@compiled
def _join(x: float, y: float, maximise: bool) -> float:
    return max(x, y) if maximise else log_add(x, y)


@compiled
def _level_odds(
    positions: Longs, gain: Ints, log_odds: Floats, messages: Floats, first: int,
    maximise: bool, levels: Floats,
) -> float:  # fmt: skip
    """What a member believes, without this factor, of each number that it may add.

    Scaled to sum to 1; returns the log of the sum that was scaled away.
    """
    levels[:] = -np.inf
    total = 0.0
    levels[gain[0]] = 0.0
    for s in range(positions[1] - positions[0]):
        x = log_odds[positions[0] + s] - messages[first + s]
        levels[gain[s + 1]] = _join(levels[gain[s + 1]], x, maximise)
        total = _join(total, x, maximise)
    for level in range(len(levels)):
        levels[level] -= total
    return total


@compiled
def _backward(levels: Floats, truth: Truths, log_value: float, maximise: bool, b: Floats) -> None:
    """What is still to come behind each member: b (members + 1, sums)."""
    n, end = len(levels), len(truth) - 1
    for total in range(end + 1):
        if truth[total]:
            b[n, total] = 0.0 if log_value == np.inf else log_value
        else:
            b[n, total] = -np.inf if log_value == np.inf else 0.0
    for m in range(n - 1, -1, -1):
        for total in range(end + 1):
            value = -np.inf
            for g in range(levels.shape[1]):
                if levels[m, g] > -np.inf:
                    value = _join(value, levels[m, g] + b[m + 1, min(total + g, end)], maximise)
            b[m, total] = value


@compiled
def _step(a: Floats, levels: Floats, maximise: bool, after: Floats) -> None:
    """The running sums behind one more member."""
    end = len(a) - 1
    after[:] = -np.inf
    for total in range(end + 1):
        for g in range(len(levels)):
            if levels[g] > -np.inf:
                to = min(total + g, end)
                after[to] = _join(after[to], a[total] + levels[g], maximise)
    a[:] = after


@parallel
def sweep(
    truth: Truths,  # (sums) whether the formula holds
    first_member: Longs,  # (groups + 1)
    positions: Longs,  # (members, 2) where a member's log-odds begin and end
    gains: Ints,  # (kinds, states) what each state adds
    kind: Ints,  # (members)
    first_message: Longs,  # (members)
    potential: Ints,  # (groups)
    log_values: Floats,
    shares: Floats,
    messages: Floats,  # one for each log-odds of each member; updated
    log_odds: Floats,
    changes: Floats,
    chunks: Longs,  # (chunks, 2) of groups
    damping: float,
    maximise: bool,
    residuals: Floats,
) -> None:
    """Send new messages to the members of some groups."""
    n_slots = changes.shape[0]
    n_sums, n_levels = len(truth), gains.max() + 1
    stride = 1 if len(shares) > 1 else 0
    for slot in prange(n_slots):
        change = changes[slot]
        a, after, out = np.empty(n_sums), np.empty(n_sums), np.empty(n_levels)
        for chunk in range(len(chunks) * slot // n_slots, len(chunks) * (slot + 1) // n_slots):
            largest = 0.0
            for group in range(chunks[chunk, 0], chunks[chunk, 1]):
                start, n = first_member[group], first_member[group + 1] - first_member[group]
                levels, b = np.empty((n, n_levels)), np.empty((n + 1, n_sums))
                for i in range(n):
                    m = start + i
                    _level_odds(
                        positions[m], gains[kind[m]], log_odds, messages, first_message[m],
                        maximise, levels[i],
                    )  # fmt: skip
                _backward(levels, truth, log_values[potential[group]], maximise, b)
                a[:] = -np.inf
                a[0] = 0.0
                for i in range(n):
                    m = start + i
                    for g in range(n_levels):
                        out[g] = -np.inf
                        for total in range(n_sums):
                            value = a[total] + b[i + 1, min(total + g, n_sums - 1)]
                            out[g] = _join(out[g], value, maximise)
                    gain, n_odds = gains[kind[m]], positions[m, 1] - positions[m, 0]
                    high = out[gain[0]]
                    for s in range(n_odds):
                        high = max(high, out[gain[s + 1]])
                    base = below(out[gain[0]], high)
                    for s in range(n_odds):
                        at = first_message[m] + s
                        step = below(out[gain[s + 1]], high) - base - messages[at]
                        largest = max(largest, abs(step))
                        step *= 1.0 - damping
                        messages[at] += step
                        change[positions[m, 0] + s] += shares[stride * group] * step
                    _step(a, levels[i], maximise, after)
            residuals[chunk] = largest


@parallel
def measure(
    truth: Truths,
    first_member: Longs,
    positions: Longs,
    gains: Ints,
    kind: Ints,
    first_message: Longs,
    potential: Ints,
    log_values: Floats,
    shares: Floats,
    messages: Floats,
    log_odds: Floats,
    holds: Floats,  # (slots, potentials); added to
    least: Floats,  # (slots, 2); written
) -> Floats:
    """What the groups add to the log-partition, by slot; and how many of them hold."""
    n_slots = holds.shape[0]
    n_sums, n_levels = len(truth), gains.max() + 1
    totals = np.zeros(n_slots)
    stride = 1 if len(shares) > 1 else 0
    n_groups = len(potential)
    for slot in prange(n_slots):
        a, after, levels = np.empty(n_sums), np.empty(n_sums), np.empty(n_levels)
        total = 0.0
        least[slot, 0], least[slot, 1] = np.inf, -1.0
        for group in range(n_groups * slot // n_slots, n_groups * (slot + 1) // n_slots):
            a[:] = -np.inf
            a[0] = 0.0
            z = 0.0
            for m in range(first_member[group], first_member[group + 1]):
                z += _level_odds(
                    positions[m], gains[kind[m]], log_odds, messages, first_message[m],
                    False, levels,
                )  # fmt: skip
                z -= log_total(log_odds, positions[m, 0], positions[m, 1] - positions[m, 0])
                _step(a, levels, False, after)
            at = potential[group]
            log_true, log_false = -np.inf, -np.inf
            for n in range(n_sums):
                if truth[n]:
                    worth = 0.0 if log_values[at] == np.inf else log_values[at]
                    log_true = log_add(log_true, a[n] + worth)
                elif log_values[at] < np.inf:
                    log_false = log_add(log_false, a[n])
            log_sum = log_add(log_true, log_false)
            if log_sum < least[slot, 0]:
                least[slot, 0], least[slot, 1] = log_sum, group
            total += shares[stride * group] * (z + log_sum)
            holds[slot, at] += np.exp(log_true - log_sum)
        totals[slot] = total
    return totals
