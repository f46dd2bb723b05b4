"""Factors over two variables of the same labels, worth J where they agree (more than two labels).

With p the sender's probabilities without this factor, the message to state s is

    log (e^J p(s) + sum of the other p)

in time linear in the number of labels. The other p are summed from both sides, not by subtraction,
which would lose them where p(s) is near 1.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from tacit.graph.factor_graph import Floats, Ints, Longs
from tacit.inference.kernels.maths import compiled, exp_negative, log_positive, parallel

BATCH = 128  # factors worked on at once: with ten labels, their numbers stay in the nearest caches


@compiled
def _sums(x: Floats, n: int, strength: Floats) -> None:
    """Turn what senders believe (labels, factors) into messages, in place."""
    n_labels = x.shape[0]
    before = np.zeros((n_labels, n))
    after = np.zeros(n)
    fade_same = np.exp(np.minimum(strength[:n], 0.0))  # the larger of the two is 1
    fade_other = np.exp(-np.maximum(strength[:n], 0.0))
    for s in range(n_labels):
        for i in range(n):
            x[s, i] = exp_negative(x[s, i])
    for s in range(1, n_labels):
        for i in range(n):
            before[s, i] = before[s - 1, i] + x[s - 1, i]
    for s in range(n_labels - 1, -1, -1):
        for i in range(n):
            others = before[s, i] + after[i]
            after[i] += x[s, i]
            x[s, i] = fade_same[i] * x[s, i] + fade_other[i] * others
    for s in range(n_labels):
        for i in range(n):
            x[s, i] = log_positive(x[s, i])


@compiled
def _largest(x: Floats, n: int, strength: Floats) -> None:
    """The same for the largest instead of the sum."""
    n_labels = x.shape[0]
    before = np.full((n_labels, n), -np.inf)
    after = np.full(n, -np.inf)
    for s in range(1, n_labels):
        for i in range(n):
            before[s, i] = max(before[s - 1, i], x[s - 1, i])
    for s in range(n_labels - 1, -1, -1):
        for i in range(n):
            own = x[s, i]
            x[s, i] = max(own + strength[i], max(before[s, i], after[i]))
            after[i] = max(after[i], own)


@compiled
def _outgoing(x: Floats, n: int, strength: Floats, maximise: bool) -> None:
    """Turn what senders believe (labels, factors) into log-odds messages, in place."""
    n_labels = x.shape[0]
    high = x[0].copy()
    for s in range(1, n_labels):
        for i in range(n):
            high[i] = max(high[i], x[s, i])
    for s in range(n_labels):
        for i in range(n):
            x[s, i] -= high[i]
    if maximise:
        _largest(x, n, strength)
    else:
        _sums(x, n, strength)
    for s in range(n_labels - 1, -1, -1):
        for i in range(n):
            x[s, i] -= x[0, i]


@parallel
def sweep(
    ends: Ints,  # (factors, 2) first positions in `log_odds`
    potential: Ints,
    coupling: Floats,
    shares: Floats,
    messages: Floats,  # (factors, 2, labels - 1); updated
    log_odds: Floats,
    changes: Floats,
    chunks: Longs,
    damping: float,
    maximise: bool,
    residuals: Floats,
) -> None:
    """Send new messages along the factors of some chunks; arguments as for binary pairs."""
    n_slots = changes.shape[0]
    n_odds = messages.shape[2]
    stride = 1 if len(shares) > 1 else 0
    for slot in prange(n_slots):
        x = np.zeros((2, n_odds + 1, BATCH))
        strength = np.empty(BATCH)
        change = changes[slot]
        for chunk in range(len(chunks) * slot // n_slots, len(chunks) * (slot + 1) // n_slots):
            start, n = chunks[chunk, 0], chunks[chunk, 1] - chunks[chunk, 0]
            for i in range(n):
                factor = start + i
                strength[i] = coupling[potential[factor]]
                for end in range(2):
                    first = ends[factor, 1 - end]
                    x[end, 0, i] = 0.0
                    for s in range(n_odds):
                        x[end, s + 1, i] = log_odds[first + s] - messages[factor, 1 - end, s]
            for end in range(2):
                _outgoing(x[end], n, strength, maximise)
            largest = 0.0
            for i in range(n):
                factor = start + i
                share = shares[stride * factor]
                for end in range(2):
                    first = ends[factor, end]
                    for s in range(n_odds):
                        step = x[end, s + 1, i] - messages[factor, end, s]
                        largest = max(largest, abs(step))
                        step *= 1.0 - damping
                        messages[factor, end, s] += step
                        change[first + s] += share * step
            residuals[chunk] = largest


@compiled
def _normaliser(
    log_odds: Floats, first: int, messages: Floats, factor: int, end: int
) -> tuple[float, float]:
    """The logs of the sums of what an end believes, with this factor and without it."""
    n_odds = messages.shape[2]
    high_with, high_without = 0.0, 0.0
    for s in range(n_odds):
        high_with = max(high_with, log_odds[first + s])
        high_without = max(high_without, log_odds[first + s] - messages[factor, end, s])
    with_it, without = exp_negative(-high_with), exp_negative(-high_without)
    for s in range(n_odds):
        with_it += exp_negative(log_odds[first + s] - high_with)
        without += exp_negative(log_odds[first + s] - messages[factor, end, s] - high_without)
    return high_with + log_positive(with_it), high_without + log_positive(without)


@parallel
def measure(
    ends: Ints,
    potential: Ints,
    coupling: Floats,
    shares: Floats,
    messages: Floats,
    log_odds: Floats,
    agree: Floats,
    least: Floats,
) -> Floats:
    """What the factors add to the log-partition, by slot; and how many of them agree."""
    n_slots = agree.shape[0]
    n_odds = messages.shape[2]
    totals = np.zeros(n_slots)
    decay = np.exp(-np.abs(coupling))
    stride = 1 if len(shares) > 1 else 0
    n_factors = len(potential)
    for slot in prange(n_slots):
        total = 0.0
        p = np.empty((2, n_odds + 1))
        for factor in range(n_factors * slot // n_slots, n_factors * (slot + 1) // n_slots):
            z = 0.0
            for end in range(2):
                first = ends[factor, end]
                log_with, log_without = _normaliser(log_odds, first, messages, factor, end)
                z += log_without - log_with
                p[end, 0] = exp_negative(-log_without)
                for s in range(n_odds):
                    x = log_odds[first + s] - messages[factor, end, s]
                    p[end, s + 1] = exp_negative(min(x - log_without, 0.0))
            same, other, before = 0.0, 0.0, 0.0
            for s in range(n_odds + 1):
                same += p[0, s] * p[1, s]
            rest = 0.0
            for s in range(n_odds, -1, -1):
                other += p[0, s] * rest
                rest += p[1, s]
            for s in range(n_odds + 1):
                other += p[0, s] * before
                before += p[1, s]
            at = potential[factor]
            if coupling[at] > 0:
                other *= decay[at]
            else:
                same *= decay[at]
            z += log_positive(same + other) + max(coupling[at], 0.0)
            total += shares[stride * factor] * z
            agree[slot, at] += same / (same + other)
        totals[slot] = total
    return totals
