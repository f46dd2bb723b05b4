"""At least one member counts: one log-odds number for each member's message, in linear time.

With y the log-odds that a member counts without this factor, and the others alone missing out with
probability P = prod (1 - p), the message to a member is

    log e^w / (e^w (1 - P) + P)  =  -log ((1 - P) + e^-w P),

where log P is the sum of -softplus(y) over the other members.

The chapter renormalises the members' marginals with a noisy-or instead, p / (1 - prod (1 - p)): the
message of a group that must hold, whatever its weight.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from tacit.graph.factor_graph import Floats, Ints, Longs, Truths
from tacit.inference.kernels.maths import (
    HARD,
    clamped,
    compiled,
    exp_negative,
    inlined,
    log1p_positive,
    log_add,
    log_positive,
    parallel,
    softplus,
)

BATCH = 512  # members in a chunk, or one group when it is larger
TINY = 1e-290
FAINT = -600.0  # log-odds of members that no number but zero may be left of


@compiled
def _sums(
    first: int,
    n_odds: int,
    gains: Ints,
    kind: int,
    log_odds: Floats,
    message: float,
    maximise: bool,
) -> tuple[float, float, float]:
    """The logs of a member's sums of states that count and that do not, without this factor.

    Third comes the log of its whole sum with it. To maximise: of the largest instead.
    """
    inside, outside = -np.inf, -np.inf
    if gains[kind, 0] > 0:
        inside = 0.0
    else:
        outside = 0.0
    for s in range(n_odds):
        if gains[kind, s + 1] > 0:
            inside = _joined(inside, log_odds[first + s], maximise)
        else:
            outside = _joined(outside, log_odds[first + s], maximise)
    with_it = _joined(inside, outside, maximise)
    # The message stands on the side that does not hold the first state, on which odds are based.
    if gains[kind, 0] > 0:
        outside += message
    else:
        inside -= message
    return inside, outside, with_it


@compiled
def _joined(x: float, y: float, maximise: bool) -> float:
    return max(x, y) if maximise else log_add(x, y)


@compiled
def _odds(inside: float, outside: float) -> float:
    if inside == -np.inf:
        return -HARD
    return HARD if outside == -np.inf else clamped(inside - outside)


@inlined
def log_some(log_none: float, together: float) -> float:
    """log(1 - P) from log P; `together` is the log of the sum of odds of those that P is of.

    Where 1 - P is too small to be written as a number, the odds are its probability.
    """
    near = -log_none * (1.0 + log_none * (0.5 + log_none / 6.0))
    some = near if log_none > -1e-5 else 1.0 - exp_negative(log_none)
    log_value = log_positive(max(some, TINY))
    return log_value if some > TINY else min(together, 0.0)


@inlined
def _message(log_none: float, highest: float, log_value: float) -> float:
    """What a group tells a member, given what its other members are.

    -log((1 - P) + e^-w P), or for negative weights w - log(e^w (1 - P) + P). An infinite weight is
    a large one: a group that must hold leaves its only member no choice.
    """
    below = min(log_value, 0.0)
    some = log_some(log_none, highest) + below
    none = log_none - min(max(log_value, 0.0), 2.0 * HARD)
    high = max(some, none)
    return clamped(below - high - log1p_positive(exp_negative(-abs(some - none))))


@inlined
def _best_message(total: float, highest: float, log_value: float) -> float:
    """The same for the largest instead of the sum: `total` adds up the others' positive y."""
    worth = min(log_value, HARD)
    without = total if highest >= 0.0 else highest
    return clamped(total + worth - max(without + worth, 0.0))


@parallel
def sweep(
    renormalise: Truths,  # (1) whether groups speak as if they had to hold
    first_member: Longs,  # (groups + 1)
    positions: Longs,  # (members, 2) where a member's log-odds begin and end
    signs: Floats,  # (kinds) 1: binary, and the second state counts; -1: the first; 0: other
    gains: Ints,  # (kinds, states) what each state adds
    kind: Ints,  # (members)
    potential: Ints,  # (groups)
    log_values: Floats,  # (potentials); infinite where hard
    shares: Floats,
    messages: Floats,  # (members); updated
    log_odds: Floats,
    changes: Floats,
    chunks: Longs,  # (chunks, 2) of groups
    damping: float,
    maximise: bool,
    residuals: Floats,
) -> None:
    """Send new messages to the members of some groups."""
    n_slots = changes.shape[0]
    stride = 1 if len(shares) > 1 else 0
    for slot in prange(n_slots):
        change = changes[slot]
        for chunk in range(len(chunks) * slot // n_slots, len(chunks) * (slot + 1) // n_slots):
            start = first_member[chunks[chunk, 0]]
            n = first_member[chunks[chunk, 1]] - start
            y, own, highest, worth = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
            for i in range(n):
                m = start + i
                sign = signs[kind[m]]
                if sign != 0.0:
                    y[i] = sign * log_odds[positions[m, 0]] - messages[m]
                else:
                    first, n_odds = positions[m, 0], positions[m, 1] - positions[m, 0]
                    sums = _sums(first, n_odds, gains, kind[m], log_odds, messages[m], maximise)
                    y[i] = _odds(sums[0], sums[1])
            if maximise:
                for i in range(n):
                    own[i] = max(y[i], 0.0)
            else:
                for i in range(n):
                    own[i] = softplus(y[i])
            for group in range(chunks[chunk, 0], chunks[chunk, 1]):
                low, high = first_member[group] - start, first_member[group + 1] - start
                _leave_one_out(y, own, highest, low, high, maximise)
                worth[low:high] = np.inf if renormalise[0] else log_values[potential[group]]
            if maximise:
                for i in range(n):
                    y[i] = _best_message(own[i], highest[i], worth[i])
            else:
                for i in range(n):
                    y[i] = _message(-own[i], highest[i], worth[i])
            largest = 0.0
            for group in range(chunks[chunk, 0], chunks[chunk, 1]):
                share = shares[stride * group]
                for m in range(first_member[group], first_member[group + 1]):
                    step = y[m - start] - messages[m]
                    largest = max(largest, abs(step))
                    step *= 1.0 - damping
                    messages[m] += step
                    if signs[kind[m]] != 0.0:
                        change[positions[m, 0]] += share * step * signs[kind[m]]
                    else:
                        _spread(positions, m, gains, kind[m], share * step, change)
            residuals[chunk] = largest


@compiled
def _leave_one_out(
    y: Floats, own: Floats, highest: Floats, low: int, high: int, maximise: bool
) -> None:
    """For each member of a group, what the others have in all, and the highest of them.

    Where all are next to impossible, and nothing is to be maximised, the highest becomes the log of
    the sum of the others' odds, which is then what counts.
    """
    total, best, second = 0.0, -np.inf, -np.inf
    for i in range(low, high):
        total += own[i]
        second = max(second, min(y[i], best))
        best = max(best, y[i])
    best_seen = False
    for i in range(low, high):
        own[i] = max(total - own[i], 0.0)
        highest[i] = best
        if y[i] == best and not best_seen:
            highest[i], best_seen = second, True
    if best < FAINT and not maximise and second > -np.inf:
        rest = -1.0  # of all but the best, over the second best
        for i in range(low, high):
            rest += exp_negative(min(y[i] - second, 0.0))
        for i in range(low, high):
            if highest[i] == best:
                share = exp_negative(second - best) * rest - exp_negative(y[i] - best)
                highest[i] = best + log1p_positive(max(share, 0.0))
            else:
                highest[i] = second + log_positive(max(rest, 1.0))


@compiled
def _spread(positions: Longs, m: int, gains: Ints, kind: int, step: float, change: Floats) -> None:
    """Add a change of a member's message to the log-odds of its states."""
    for at in range(positions[m, 0], positions[m, 1]):
        s = at - positions[m, 0] + 1
        if gains[kind, 0] > 0:
            if gains[kind, s] == 0:
                change[at] -= step
        elif gains[kind, s] > 0:
            change[at] += step


@parallel
def measure(
    renormalise: Truths,
    first_member: Longs,
    positions: Longs,
    signs: Floats,
    gains: Ints,
    kind: Ints,
    potential: Ints,
    log_values: Floats,
    shares: Floats,
    messages: Floats,
    log_odds: Floats,
    holds: Floats,  # (slots, potentials) expected number of groups that hold; added to
    least: Floats,  # (slots, 2) the least log of a group's sum, and which group that is; written
) -> Floats:
    """What the groups add to the log-partition, by slot; and how many of them hold."""
    n_slots = holds.shape[0]
    totals = np.zeros(n_slots)
    stride = 1 if len(shares) > 1 else 0
    n_groups = len(potential)
    for slot in prange(n_slots):
        total = 0.0
        least[slot, 0], least[slot, 1] = np.inf, -1.0
        for group in range(n_groups * slot // n_slots, n_groups * (slot + 1) // n_slots):
            at = potential[group]
            log_none, highest, z = 0.0, -np.inf, 0.0
            for m in range(first_member[group], first_member[group + 1]):
                n_odds = positions[m, 1] - positions[m, 0]
                inside, outside, with_it = _sums(
                    positions[m, 0], n_odds, gains, kind[m], log_odds, messages[m], False
                )
                y = _odds(inside, outside)
                log_none -= softplus(y)
                highest = log_add(highest, y)
                z += log_add(inside, outside) - with_it
            log_true = log_some(log_none, highest)
            if log_values[at] == np.inf:
                log_sum = log_true
            else:
                log_true += log_values[at]
                log_sum = log_add(log_true, log_none)
            if log_sum < least[slot, 0]:
                least[slot, 0], least[slot, 1] = log_sum, group
            total += shares[stride * group] * (z + log_sum)
            holds[slot, at] += np.exp(log_true - log_sum)
        totals[slot] = total
    return totals
