"""Compiled loops over votes: what patterns say of labels, and sums over patterns.

Numbers that index arrays in inner loops are unsigned there: no time is lost on asking whether they
count from the end.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from tacit.inference.kernels.maths import exp_negative, inlined, log_positive, parallel
from tacit.learning.patterns import Numbers
from tacit.learning.threads import woken_for
from tacit.learning.votes import Floats, Ints, Longs


@inlined
def _to_two_shares(columns: Floats, n: int, log_total: Floats) -> None:
    """The same for two labels, of which the likelier is at 1 before they are made to sum to 1."""
    for i in range(n):
        first, second = columns[0, i], columns[1, i]
        other = exp_negative(-abs(second - first))
        total = 1.0 + other
        log_total[i] = max(first, second) + log_positive(total)
        columns[0, i] = (1.0 if first >= second else other) / total
        columns[1, i] = (1.0 if second > first else other) / total


@inlined
def _to_shares(columns: Floats, n: int, log_total: Floats) -> None:
    """Log-shares (labels, rows) of n rows as shares that sum to 1, and the log of the sum: written.

    Rows lie side by side, so that each step is one for many of them.
    """
    n_labels, wide = columns.shape
    if n_labels == 2:
        _to_two_shares(columns, n, log_total)
        return
    most, total = np.empty(wide), np.zeros(wide)
    for i in range(n):
        most[i] = columns[0, i]
    for y in range(1, n_labels):
        for i in range(n):
            most[i] = max(most[i], columns[y, i])
    for y in range(n_labels):
        for i in range(n):
            columns[y, i] = exp_negative(columns[y, i] - most[i])
            total[i] += columns[y, i]
    for i in range(n):
        log_total[i] = most[i] + log_positive(total[i])
    for y in range(n_labels):
        for i in range(n):
            columns[y, i] /= total[i]


@woken_for(lambda first, part, label, worth, base, posterior, total: len(part) + 8 * posterior.size)
@parallel
def label_odds(
    first: Longs,
    part: Ints,
    label_of_part: Ints,
    worth_of_part: Floats,
    base: Floats,
    posterior: Floats,
    log_total: Floats,
) -> None:
    """For each pattern the probability of each label, and the log of what they were out of.

    The parts of pattern i, from `first[i]` on, each add their worth to one label; labels begin at
    `base`. The answers are written.
    """
    n_rows, n_labels = posterior.shape
    wide = max(8, min(256, 16384 // max(1, n_labels)))
    for block in prange((n_rows + wide - 1) // wide):
        low, high = block * wide, min(n_rows, (block + 1) * wide)
        columns = np.empty((n_labels, wide))
        for y in range(n_labels):
            columns[y] = base[y]
        for i in range(low, high):
            column = np.uint64(i - low)
            for k in range(first[i], first[i + 1]):
                own = np.uint32(part[k])
                columns[np.uint32(label_of_part[own]), column] += worth_of_part[own]
        _to_shares(columns, high - low, log_total[low:high])
        for i in range(low, high):
            for y in range(n_labels):
                posterior[i, y] = columns[y, i - low]


@woken_for(lambda log_labels, shares, total: 8 * shares.size)
@parallel
def label_shares(log_labels: Floats, shares: Floats, log_total: Floats) -> None:
    """For each row the share of each label, and the log of what they were out of: both written."""
    n_rows, n_labels = log_labels.shape
    wide = max(8, min(256, 16384 // max(1, n_labels)))
    for block in prange((n_rows + wide - 1) // wide):
        low, high = block * wide, min(n_rows, (block + 1) * wide)
        columns = np.empty((n_labels, wide))
        for i in range(low, high):
            for y in range(n_labels):
                columns[y, i - low] = log_labels[i, y]
        _to_shares(columns, high - low, log_total[low:high])
        for i in range(low, high):
            for y in range(n_labels):
                shares[i, y] = columns[y, i - low]


@woken_for(lambda first, part, label, worth, base, scores: len(part) + scores.size)
@parallel
def label_scores(
    first: Longs,
    part: Ints,
    label_of_part: Ints,
    worth_of_part: Floats,
    base: Floats,
    scores: Floats,
) -> None:
    """For each pattern what its parts add to each label, beginning at `base`: written."""
    n_labels = len(base)
    for i in prange(len(first) - 1):
        for y in range(n_labels):
            scores[i, y] = base[y]
        for k in range(first[i], first[i + 1]):
            own = np.uint32(part[k])
            scores[i, np.uint32(label_of_part[own])] += worth_of_part[own]


@woken_for(lambda mass, n, totals: mass.size)
@parallel
def label_totals(mass: Floats, n_of_row: Floats, totals: Floats) -> None:
    """The sum of the rows, each so many times: written, one row for each stretch of them."""
    n_stretches, n_rows = len(totals), len(mass)
    for s in prange(n_stretches):
        totals[s] = 0.0
        for i in range(s * n_rows // n_stretches, (s + 1) * n_rows // n_stretches):
            for y in range(mass.shape[1]):
                totals[s, y] += n_of_row[i] * mass[i, y]


@woken_for(lambda first, pattern, label, mass, n, total: len(pattern))
@parallel
def label_mass(
    first: Longs,
    pattern: Ints,
    label_of_part: Ints,
    mass: Floats,
    n_of_pattern: Floats,
    total: Floats,
) -> None:
    """For each part, the mass of its label over the patterns that have it, each so many times.

    `total` is written.
    """
    for k in prange(len(first) - 1):
        label = np.uint32(label_of_part[k])
        even, odd = 0.0, 0.0  # two sums, as each has to wait for its last addition
        for at in range(first[k], first[k + 1] - 1, 2):
            i, j = np.uint32(pattern[at]), np.uint32(pattern[at + 1])
            even += n_of_pattern[i] * mass[i, label]
            odd += n_of_pattern[j] * mass[j, label]
        if (first[k + 1] - first[k]) % 2:
            i = np.uint32(pattern[first[k + 1] - 1])
            even += n_of_pattern[i] * mass[i, label]
        total[k] = even + odd


@woken_for(lambda first, which, rows, sums: len(which) * rows.shape[1])
@parallel
def add_rows(first: Longs, which: Ints, rows: Floats, sums: Floats) -> None:
    """For each list of rows, from `first[i]` on, their sum: added to what is there."""
    n_labels = rows.shape[1]
    for i in prange(len(first) - 1):
        for k in range(first[i], first[i + 1]):
            for y in range(n_labels):
                sums[i, y] += rows[which[k], y]


@woken_for(lambda first, member, mass, pairs: 4 * len(member) * mass.shape[1])
@parallel
def pair_masses(first: Longs, member: Ints, mass: Floats, pairs: Floats) -> None:
    """For each two numbers, the mass of the lists that have both: added, by stretches of lists.

    `mass` is (lists, columns), `pairs` (stretches, columns, numbers, numbers): a number with itself
    and with those that stand before it in a list.
    """
    n_stretches, n_lists = len(pairs), len(first) - 1
    for s in prange(n_stretches):
        for i in range(s * n_lists // n_stretches, (s + 1) * n_lists // n_stretches):
            for c in range(mass.shape[1]):
                own, much = pairs[s, c], mass[i, c]
                for k in range(first[i], first[i + 1]):
                    one = np.uint32(member[k])
                    for j in range(first[i], k + 1):
                        own[one, np.uint32(member[j])] += much


@woken_for(lambda first, member, saying, n_of_list, pairs: 4 * len(member))
@parallel
def pair_agreements(
    first: Longs, member: Ints, saying: Ints, n_of_list: Floats, pairs: Floats
) -> None:
    """The same for pairs that say the same there, each list so many times; one column."""
    n_stretches, n_lists = len(pairs), len(first) - 1
    for s in prange(n_stretches):
        own = pairs[s]
        for i in range(s * n_lists // n_stretches, (s + 1) * n_lists // n_stretches):
            for k in range(first[i], first[i + 1]):
                one, said = np.uint32(member[k]), saying[k]
                for j in range(first[i], k + 1):
                    own[one, np.uint32(member[j])] += n_of_list[i] * (saying[j] == said)


@woken_for(lambda rows, which, spread: spread.size)
@parallel
def spread_rows(rows: Floats, which: Numbers, spread: Floats) -> None:
    """The rows that are asked for, one after the other: written."""
    for i in prange(len(which)):
        for y in range(rows.shape[1]):
            spread[i, y] = rows[which[i], y]


@woken_for(lambda rows, margin, best: rows.size)
@parallel
def best_labels(rows: Floats, margin: float, best: Longs) -> None:
    """The label of the highest number in each row, -1 if another comes within a margin: written."""
    for i in prange(len(rows)):
        own = 0
        for y in range(1, rows.shape[1]):
            if rows[i, y] > rows[i, own]:
                own = y
        best[i] = own
        for y in range(rows.shape[1]):
            if y != own and rows[i, y] >= rows[i, own] - margin:
                best[i] = -1
