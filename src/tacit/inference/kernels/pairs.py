"""Factors over two binary variables: one log-odds number a message.

Any factor over two binary variables is worth J where they agree, up to terms of the single
variables, which belong to the unary potentials. With x the log-odds that the sender has without
this factor, the message is

    log (e^(J+x) + 1) / (e^x + e^J)  =  sign(x) sign(J) log (1 + e c) / (e + c),

where e = exp(-|x|) and c = exp(-|J|): no overflow, no cancellation, one exponential and one
logarithm. The largest, instead of the sum, gives sign(x) sign(J) min(|x|, |J|).
"""

from __future__ import annotations

import numpy as np
from numba import prange

from tacit.graph.factor_graph import Floats, Ints, Longs
from tacit.inference.kernels.maths import exp_negative, log_ratio, parallel

BATCH = 512  # factors worked on at once: their numbers stay in the first-level cache


@parallel
def sweep(
    ends: Ints,  # (factors, 2) positions in `log_odds`
    potential: Ints,  # (factors)
    coupling: Floats,  # (potentials) J
    shares: Floats,  # (1) or (factors): how far a message counts in its variable's sum
    messages: Floats,  # (factors, 2) to the first and to the second end; updated
    log_odds: Floats,  # (positions)
    changes: Floats,  # (slots, positions) what the messages add to; may be log_odds itself
    chunks: Longs,  # (chunks, 2) the factors to work on
    damping: float,
    maximise: bool,
    residuals: Floats,  # (chunks) largest change of a message; written
) -> None:
    """Send new messages along the factors of some chunks."""
    n_slots = changes.shape[0]
    # What a potential is worth to the formula: J, or c with the sign of J.
    worth = coupling if maximise else np.copysign(np.exp(-np.abs(coupling)), coupling)
    for slot in prange(n_slots):
        x = np.empty((2, BATCH))
        w = np.empty(BATCH)
        share = np.full(BATCH, shares[0])
        change = changes[slot]
        for chunk in range(len(chunks) * slot // n_slots, len(chunks) * (slot + 1) // n_slots):
            start, n = chunks[chunk, 0], chunks[chunk, 1] - chunks[chunk, 0]
            at = ends[start : start + n].view(np.uint32)  # so that none counts from the end
            which = potential[start : start + n].view(np.uint32)
            message = messages[start : start + n]
            for i in range(n):
                w[i] = worth[which[i]]
                x[0, i] = log_odds[at[i, 1]] - message[i, 1]
                x[1, i] = log_odds[at[i, 0]] - message[i, 0]
            for end in range(2):
                for i in range(n):
                    if maximise:
                        size = min(abs(x[end, i]), abs(w[i]))
                    else:
                        e, c = exp_negative(-abs(x[end, i])), abs(w[i])
                        size = log_ratio(1.0 + e * c, e + c)
                    x[end, i] = size if (x[end, i] > 0) == (w[i] > 0) else -size
            if len(shares) > 1:
                share[:n] = shares[start : start + n]
            largest = 0.0
            for i in range(n):
                for end in range(2):
                    step = x[end, i] - message[i, end]
                    if abs(step) > largest:  # one instruction; `max` would look for NaN as well
                        largest = abs(step)
                    step *= 1.0 - damping
                    message[i, end] += step
                    change[at[i, end]] += share[i] * step
            residuals[chunk] = largest


@parallel
def measure(
    ends: Ints,
    potential: Ints,
    coupling: Floats,
    shares: Floats,
    messages: Floats,
    log_odds: Floats,
    agree: Floats,  # (slots, potentials) expected number of factors whose ends agree; added to
    least: Floats,  # (slots, 2) not used: a soft factor can always be satisfied
) -> Floats:
    """What the factors add to the log-partition, by slot; and how many of them agree.

    A factor adds log Z_f - log Z_first - log Z_second, with Z_f the sum over its four cells of its
    worth times what its ends believe without it, and Z the sum of what an end believes. With each
    sum divided by its largest term, this is the log of a quotient of numbers between 1 and 4.
    """
    n_slots = agree.shape[0]
    totals = np.zeros(n_slots)
    decay = np.exp(-np.abs(coupling))
    stride = 1 if len(shares) > 1 else 0
    n_factors = len(potential)
    for slot in prange(n_slots):
        x = np.empty((2, BATCH))
        b = np.empty((2, BATCH))
        strength = np.empty(BATCH)
        fade = np.empty(BATCH)
        high = n_factors * (slot + 1) // n_slots
        total = 0.0
        for start in range(n_factors * slot // n_slots, high, BATCH):
            n = min(BATCH, high - start)
            for i in range(n):
                factor = start + i
                strength[i] = coupling[potential[factor]]
                fade[i] = decay[potential[factor]]
                for end in range(2):
                    b[end, i] = log_odds[ends[factor, end]]
                    x[end, i] = b[end, i] - messages[factor, end]
            for i in range(n):
                e0, e1 = exp_negative(-abs(x[0, i])), exp_negative(-abs(x[1, i]))
                like, unlike = 1.0 + e0 * e1, e0 + e1
                alike = (x[0, i] > 0) == (x[1, i] > 0)
                same = like if alike else unlike
                other = unlike if alike else like
                same *= 1.0 if strength[i] > 0 else fade[i]
                other *= fade[i] if strength[i] > 0 else 1.0
                believed = 1.0 + exp_negative(-abs(b[0, i]))
                believed *= 1.0 + exp_negative(-abs(b[1, i]))
                z = log_ratio(same + other, believed) + max(strength[i], 0.0)
                z += max(x[0, i], 0.0) - max(b[0, i], 0.0)
                z += max(x[1, i], 0.0) - max(b[1, i], 0.0)
                x[0, i] = z
                x[1, i] = same / (same + other)
            for i in range(n):
                total += shares[stride * (start + i)] * x[0, i]
                agree[slot, potential[start + i]] += x[1, i]
        totals[slot] = total
    return totals
