"""Factors over two binary variables in odds, not log-odds: messages without exp or log.

A factor worth J where its ends agree multiplies the odds of its receiver by

    (1 + t) / (1 - t)   with   t = T u,   T = tanh(J / 2),   u = tanh(x / 2),

x being the log-odds that the sender has without this factor. With o the odds that it has, and t
what this factor told it before,

    u = (o (1 - t) - (1 + t)) / (o (1 - t) + (1 + t)).

What is kept of a message is u. It lies between -1 and 1, so four bytes can hold it to 2.3e-10.
Odds and their changes are products, which overflow where log-odds do not: `odds_of_pairs.py` says
when they may be used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange

from tacit.graph.factor_graph import Floats, Ints, Longs
from tacit.inference.kernels.maths import (
    bits_of,
    compiled,
    exp_negative,
    from_bits,
    log_positive,
    log_ratio,
    no_nan,
    parallel,
)

BATCH = 512  # factors worked on at once: their numbers stay in the first-level cache
WHOLE = 2.0**31 - 1  # what 1 is kept as in four bytes
_ROUND = 6755399441055744.0  # 1.5 * 2^52: added and taken off again, it rounds to a whole number


@no_nan
def _send(
    to_first: Floats | Ints,
    to_second: Floats | Ints,
    strength: Floats,
    first: Floats,
    second: Floats,
    scale: float,
) -> tuple[float, float]:
    """New messages for some factors; odds of their ends become the changes of these odds.

    Returns the largest and the smallest change. Positive numbers compare as their bits do, and
    whole numbers are compared by vector instructions.
    """
    unit = 1.0 / scale
    one: Any = bits_of(1.0)  # type: ignore[call-arg]
    most, least = one, one
    for i in range(len(strength)):
        t = strength[i] * unit
        t0, t1 = t * to_first[i], t * to_second[i]
        a0, b0 = first[i] * (1.0 - t0), 1.0 + t0
        a1, b1 = second[i] * (1.0 - t1), 1.0 + t1
        u0, u1 = (a1 - b1) / (a1 + b1) * scale, (a0 - b0) / (a0 + b0) * scale
        if scale > 1.0:
            u0, u1 = (u0 + _ROUND) - _ROUND, (u1 + _ROUND) - _ROUND
        to_first[i], to_second[i] = u0, u1
        s0, s1 = t * u0, t * u1
        change0 = (1.0 + s0) * (1.0 - t0) / ((1.0 - s0) * b0)
        change1 = (1.0 + s1) * (1.0 - t1) / ((1.0 - s1) * b1)
        first[i], second[i] = change0, change1
        bits0, bits1 = bits_of(change0), bits_of(change1)
        most = max(most, max(bits0, bits1))
        least = min(least, min(bits0, bits1))
    return from_bits(most), from_bits(least)


@parallel
def sweep(
    ends: Ints,  # (factors, 2) positions in `odds`
    potential: Ints,  # (factors)
    strength: Floats,  # (potentials) T
    kept: Floats | Ints,  # (2, factors) u of messages to the first and to the second end; updated
    scale: float,  # what 1 is kept as
    odds: Floats,  # (positions)
    changes: Floats,  # (slots, positions) what changes of messages are multiplied into
    chunks: Longs,  # (chunks, 2) the factors to work on
    residuals: Floats,  # (chunks) largest change of a message, as log-odds; written
) -> None:
    """Send new messages along the factors of some chunks."""
    n_slots = changes.shape[0]
    for slot in prange(n_slots):
        x = np.empty((2, BATCH))
        t = np.full(BATCH, strength[0])
        change = changes[slot]
        for chunk in range(len(chunks) * slot // n_slots, len(chunks) * (slot + 1) // n_slots):
            start, n = chunks[chunk, 0], chunks[chunk, 1] - chunks[chunk, 0]
            at = ends[start : start + n].view(np.uint32)  # so that none counts from the end
            for i in range(n):
                x[0, i] = odds[at[i, 0]]
                x[1, i] = odds[at[i, 1]]
            if len(strength) > 1:
                which = potential[start : start + n].view(np.uint32)
                for i in range(n):
                    t[i] = strength[which[i]]
            to_first, to_second = kept[0, start : start + n], kept[1, start : start + n]
            most, least = _send(to_first, to_second, t[:n], x[0, :n], x[1, :n], scale)
            for i in range(n):
                change[at[i, 0]] *= x[0, i]
                change[at[i, 1]] *= x[1, i]
            residuals[chunk] = max(np.log(most), -np.log(least))


@parallel
def multiply_changes(odds: Floats, changes: Floats) -> float:
    """Multiply by what each slot has gathered, and clear it; returns the sum, finite if all are."""
    n_slots = changes.shape[0]
    total = 0.0
    for i in prange(len(odds)):
        value = odds[i]
        for slot in range(n_slots):
            value *= changes[slot, i]
            changes[slot, i] = 1.0
        odds[i] = value
        total += value
    return total


@parallel
def to_odds(log_odds: Floats, most: float) -> None:
    """Log-odds become odds, in place; those beyond `most` are taken for that."""
    for i in prange(len(log_odds)):
        size = exp_negative(-min(abs(log_odds[i]), most))
        log_odds[i] = size if log_odds[i] < 0 else 1.0 / size


@parallel
def to_log_odds(odds: Floats) -> None:
    """Odds become log-odds, in place."""
    for i in prange(len(odds)):
        odds[i] = log_positive(odds[i])


@compiled
def add_kept(
    ends: Ints,
    potential: Ints,
    strength: Floats,
    kept: Floats | Ints,
    scale: float,
    log_odds: Floats,
) -> None:
    """Add what messages say to the log-odds of their receivers."""
    for factor in range(len(ends)):
        for end in range(2):
            t = strength[potential[factor]] * kept[end, factor] / scale
            log_odds[ends[factor, end]] += log_ratio(1.0 + t, 1.0 - t)


@parallel
def measure(
    ends: Ints,
    potential: Ints,
    coupling: Floats,  # (potentials) J
    kept: Floats | Ints,
    scale: float,
    odds: Floats,
    agree: Floats,  # (slots, potentials) expected number of factors whose ends agree; added to
) -> Floats:
    """What the factors add to the log-partition, by slot; and how many of them agree.

    A factor adds log Z_f - log Z_first - log Z_second, with Z_f the sum over its four cells of its
    worth times what its ends believe without it, and Z the sum of what an end believes.
    """
    n_slots = agree.shape[0]
    totals = np.zeros(n_slots)
    worth, strength = np.exp(coupling), np.tanh(coupling / 2.0)
    n_factors = len(ends)
    for slot in prange(n_slots):
        x = np.empty((2, BATCH))
        believed = np.empty(BATCH)
        w = np.full(BATCH, worth[0])
        t = np.full(BATCH, strength[0])
        high = n_factors * (slot + 1) // n_slots
        total = 0.0
        for start in range(n_factors * slot // n_slots, high, BATCH):
            n = min(BATCH, high - start)
            for i in range(n):
                x[0, i] = odds[ends[start + i, 0]]
                x[1, i] = odds[ends[start + i, 1]]
            if len(strength) > 1:
                for i in range(n):
                    w[i], t[i] = worth[potential[start + i]], strength[potential[start + i]]
            for i in range(n):
                t0, t1 = t[i] / scale * kept[0, start + i], t[i] / scale * kept[1, start + i]
                o0, o1 = x[0, i] * (1.0 - t0) / (1.0 + t0), x[1, i] * (1.0 - t1) / (1.0 + t1)
                same, other = w[i] * (1.0 + o0 * o1), o0 + o1
                believed[i] = (1.0 + x[0, i]) * (1.0 + x[1, i])
                x[0, i] = same + other
                x[1, i] = same / (same + other)
            for i in range(n):
                x[0, i] = log_ratio(x[0, i], believed[i])
            for i in range(n):
                total += x[0, i]
                agree[slot, 0 if len(strength) == 1 else potential[start + i]] += x[1, i]
        totals[slot] = total
    return totals
