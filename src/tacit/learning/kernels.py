"""Compiled loops over votes: what patterns say of labels, and sums over patterns."""

from __future__ import annotations

import math

import numpy as np
from numba import prange
from numpy.typing import NDArray

from tacit.inference.kernels.maths import exp_negative, parallel
from tacit.learning.votes import Floats, Ints, Longs


@parallel
def label_odds(
    first: Ints,
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
    n_labels = len(base)
    for i in prange(len(first) - 1):
        row = posterior[i]
        for y in range(n_labels):
            row[y] = base[y]
        for k in range(first[i], first[i + 1]):
            row[label_of_part[part[k]]] += worth_of_part[part[k]]
        most = row[0]
        for y in range(1, n_labels):
            most = max(most, row[y])
        total = 0.0
        for y in range(n_labels):
            row[y] = exp_negative(row[y] - most)
            total += row[y]
        for y in range(n_labels):
            row[y] /= total
        log_total[i] = most + math.log(total)


@parallel
def label_mass(
    first: Ints, pattern: Ints, label_of_part: Ints, mass: Floats, total: Floats
) -> None:
    """For each part, the mass of its label over the patterns that have it: `total` is written."""
    for k in prange(len(first) - 1):
        found = 0.0
        for at in range(first[k], first[k + 1]):
            found += mass[pattern[at], label_of_part[k]]
        total[k] = found


@parallel
def label_shares(log_labels: Floats, shares: Floats, log_total: Floats) -> None:
    """For each row the share of each label, and the log of what they were out of: both written."""
    n_labels = log_labels.shape[1]
    for i in prange(len(log_labels)):
        most = log_labels[i, 0]
        for y in range(1, n_labels):
            most = max(most, log_labels[i, y])
        total = 0.0
        for y in range(n_labels):
            shares[i, y] = exp_negative(log_labels[i, y] - most)
            total += shares[i, y]
        for y in range(n_labels):
            shares[i, y] /= total
        log_total[i] = most + math.log(total)


@parallel
def row_codes(matrix: NDArray[np.integer], base: int, codes: Longs) -> None:
    """For each row of votes, from -1 to base - 2, the number whose digits they are: written."""
    n_functions = matrix.shape[1]
    for i in prange(len(matrix)):
        code = 0
        for j in range(n_functions):
            code = code * base + int(matrix[i, j]) + 1
        codes[i] = code


@parallel
def spread_rows(rows: Floats, which: Longs, spread: Floats) -> None:
    """The rows that are asked for, one after the other: written."""
    for i in prange(len(which)):
        for y in range(rows.shape[1]):
            spread[i, y] = rows[which[i], y]
