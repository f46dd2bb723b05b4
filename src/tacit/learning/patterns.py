"""Patterns: rows that are alike are counted together, and then looked at once.

A row has a code, which rows that are alike share and others do not: the number whose digits are its
votes, or where that would be too large a sum of 64 scattered bits. Where few codes are possible, a
table counts them; else a hash table numbers those that occur. Patterns are in the order of their
codes, so that they do not depend on the order of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit.learning.lists import Lists

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.unsignedinteger]
Numbers = NDArray[np.integer]  # the smaller, the less memory

ROOM = 2  # entries in tables of codes, for each row: more are not worth their memory


@dataclass(frozen=True, slots=True)
class Patterns:
    """Which rows are alike."""

    of_row: Numbers
    n_rows: Longs  # of each pattern
    first: Longs  # the first row of each pattern


@dataclass(frozen=True, slots=True)
class VotePatterns:
    """Which rows of a label matrix are alike, and what their votes are."""

    of_row: Numbers
    n_rows: Longs  # of each pattern
    votes: Numbers
    row: Longs  # of `votes`, for each pattern


def patterns_of_matrix(matrix: Numbers, n_labels: int) -> VotePatterns:
    """The patterns of a label matrix; an IndexError if a vote is not from -1 to n_labels - 1."""
    from tacit.learning.pattern_kernels import row_codes

    n_rows, n_functions = matrix.shape
    n_answers = n_labels + 1
    n_codes = n_answers**n_functions
    if n_codes < 2**63:
        places = np.array([n_answers**place for place in reversed(range(n_functions))], np.uint64)
        code_of_answer = np.outer(places, np.arange(n_answers + 1, dtype=np.uint64))
    else:
        code_of_answer = mixed(np.arange(n_functions * (n_answers + 1))).reshape(n_functions, -1)
    few_codes = n_codes <= min(ROOM * n_rows, 2**31)
    codes: Codes = np.empty(n_rows, dtype=np.uint32 if few_codes else np.uint64)
    if row_codes(matrix, code_of_answer, codes):
        raise IndexError("votes that index no label")
    if few_codes:
        return _tallied(codes, n_answers, n_functions)
    found = numbered(codes)
    return VotePatterns(found.of_row, found.n_rows, matrix, found.first)


def alike(sets: sparse.csr_array) -> Patterns:
    """The patterns of rows that are sets of columns."""
    from tacit.learning.pattern_kernels import set_codes

    codes = np.empty(sets.shape[0], dtype=np.uint64)
    lists = Lists.of(sets)
    set_codes(lists.first, lists.member, mixed(np.arange(sets.shape[1])), codes)
    return numbered(codes)


def numbered(codes: Codes) -> Patterns:
    """The patterns of rows with these codes."""
    from tacit.learning.pattern_kernels import look_up, number_codes

    slots = np.full(1 << (2 * len(codes)).bit_length(), -1, dtype=np.int32)
    of_row, first, n_rows = (np.empty(len(codes), dtype=np.int64) for _ in range(3))
    n_distinct = number_codes(codes, slots, of_row, first, n_rows)
    first, n_rows = first[:n_distinct], n_rows[:n_distinct]
    order = np.argsort(codes[first])
    rank = np.empty(n_distinct, dtype=np.int64)
    rank[order] = np.arange(n_distinct)
    look_up(rank, of_row.view(np.uint64), of_row)
    return Patterns(of_row, n_rows[order], first[order])


def _tallied(codes: Codes, n_answers: int, n_functions: int) -> VotePatterns:
    """The patterns of rows whose codes are so few that a table of all of them is quickest."""
    from numba import get_num_threads

    from tacit.learning.pattern_kernels import look_up, read_codes, tally_codes

    n_codes = n_answers**n_functions
    n_stretches = max(1, min(get_num_threads(), ROOM * len(codes) // n_codes))
    count = np.zeros((n_stretches, n_codes), dtype=np.int32 if len(codes) < 2**31 else np.int64)
    tally_codes(codes, count)
    total = count.sum(axis=0)
    occurs = total > 0
    n_rows = total[occurs]
    votes = np.empty((len(n_rows), n_functions), dtype=np.int8 if n_answers < 128 else np.int64)
    read_codes(occurs, n_answers, votes)
    of_row = codes.view(np.int32)
    look_up(np.cumsum(occurs, dtype=np.int32) - np.int32(1), codes, of_row)
    return VotePatterns(of_row, n_rows, votes, np.arange(len(n_rows)))


def mixed(numbers: Longs) -> NDArray[np.uint64]:
    """Numbers scattered over 64 bits (splitmix), so that sums of different ones differ."""
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(
            0x632BE59BD9B4E019
        )
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
