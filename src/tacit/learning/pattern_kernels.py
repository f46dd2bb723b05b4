"""Compiled loops that group rows: their codes, who shares a code, and what they say."""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from tacit.inference.kernels.maths import compiled, parallel
from tacit.learning.patterns import Codes, Floats, Ints, Longs, Numbers
from tacit.learning.threads import woken_for


@woken_for(lambda matrix, code_of_answer, codes: matrix.size)
@parallel
def row_codes(matrix: Numbers, code_of_answer: Codes, codes: Codes) -> int:
    """For each row of votes the sum of the codes of its answers: written.

    `code_of_answer` is (functions, labels + 2): abstaining, the labels, and what is neither. How
    many rows have such a stray vote is returned.
    """
    n_functions, n_answers = code_of_answer.shape
    stray = np.uint64(n_answers - 1)
    n_strays = 0
    for i in prange(len(matrix)):
        code, largest = np.uint64(0), np.uint64(0)
        for j in range(n_functions):
            answer = min(np.uint64(np.int64(matrix[i, j]) + 1), stray)
            largest = max(largest, answer)
            code += code_of_answer[j, answer]
        n_strays += largest == stray
        codes[i] = code
    return n_strays


@woken_for(lambda first, member, code, codes: len(member) + len(codes))
@parallel
def set_codes(first: Longs, member: Ints, code_of_member: Codes, codes: Codes) -> None:
    """For each set, its members listed from `first[i]` on, the sum of their codes: written."""
    for i in prange(len(first) - 1):
        code = np.uint64(0)
        for k in range(first[i], first[i + 1]):
            code += code_of_member[member[k]]
        codes[i] = code


@woken_for(lambda codes, count: 2 * len(codes))
@parallel
def tally_codes(codes: Codes, count: Numbers) -> None:
    """How often each code occurs: added, by stretches of rows (stretches, codes)."""
    n_stretches, n_rows = len(count), len(codes)
    for s in prange(n_stretches):
        own = count[s]
        for i in range(s * n_rows // n_stretches, (s + 1) * n_rows // n_stretches):
            own[codes[i]] += 1


@compiled
def read_codes(occurs: NDArray[np.bool_], n_answers: int, votes: Numbers) -> None:
    """The votes whose digits make up each code that occurs, one row after the other: written.

    All codes are counted through, as a mileage counter does.
    """
    n_functions = votes.shape[1]
    vote = np.full(n_functions, -1)
    row = 0
    for code in range(len(occurs)):
        if occurs[code]:
            for j in range(n_functions):
                votes[row, j] = vote[j]
            row += 1
        place = n_functions - 1
        while place >= 0 and vote[place] == n_answers - 2:
            vote[place] = -1
            place -= 1
        if place >= 0:
            vote[place] += 1


@compiled
def number_codes(codes: Codes, slots: Ints, number: Longs, first: Longs, count: Longs) -> int:
    """Number distinct codes as they come; `number` of each row, `first` and `count` are written.

    `slots` is a hash table, its size a power of two above the number of rows and all of it -1.
    How many distinct codes there are is returned.
    """
    last = np.uint64(len(slots) - 1)
    n_distinct = 0
    for i in range(len(codes)):
        code = codes[i]
        slot = ((code ^ (code >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)
        slot &= last
        while slots[slot] >= 0 and codes[first[slots[slot]]] != code:
            slot = (slot + np.uint64(1)) & last
        own = slots[slot]
        if own < 0:
            own = n_distinct
            slots[slot], first[own], count[own] = own, i, 0
            n_distinct += 1
        number[i] = own
        count[own] += 1
    return n_distinct


@woken_for(lambda table, at, found: len(at))
@parallel
def look_up(table: Numbers, at: Numbers, found: Numbers) -> None:
    """What a table says at each place: written; `found` may be where the places are."""
    for i in prange(len(at)):
        found[i] = table[at[i]]


@compiled
def row_of_each(pattern_of_row: Numbers, row: Longs) -> None:
    """A row of each pattern, the last of them: written."""
    for i in range(len(pattern_of_row)):
        row[pattern_of_row[i]] = i


@woken_for(lambda matrix, rows, n_votes: len(rows) * matrix.shape[1])
@parallel
def count_votes(matrix: Numbers, rows: Longs, n_votes: Longs) -> None:
    """How many functions vote on each of some rows: written."""
    for i in prange(len(rows)):
        found = 0
        for j in range(matrix.shape[1]):
            found += matrix[rows[i], j] >= 0
        n_votes[i] = found


@woken_for(lambda matrix, rows, n_labels, first, votes, occurs: 4 * len(rows) * matrix.shape[1])
@parallel
def list_votes(
    matrix: Numbers,
    rows: Longs,
    n_labels: int,
    first: Longs,
    votes: Ints,
    occurs: NDArray[np.bool_],
) -> None:
    """The votes on some rows, function * n_labels + label, from `first[i]` on: written.

    And which votes there are: `occurs` is set where one is found.
    """
    for i in prange(len(rows)):
        at, end = np.uint64(first[i]), np.uint64(first[i + 1])
        for j in range(matrix.shape[1]):
            if at == end:
                break
            vote = np.int64(matrix[rows[i], j])
            votes[at] = j * n_labels + vote  # written over by the next if it abstains
            at += np.uint64(vote >= 0)
        for k in range(first[i], first[i + 1]):
            occurs[np.uint32(votes[k])] = True


@woken_for(lambda matrix, rows, worth, scores: 4 * len(rows) * matrix.shape[1])
@parallel
def add_votes(matrix: Numbers, rows: Longs, worth: Floats, scores: Floats) -> None:
    """What the votes on some rows are worth to each label: added.

    `worth` is (functions, labels + 1), 0 where a function abstains, which comes first.
    """
    for i in prange(len(rows)):
        for j in range(matrix.shape[1]):
            answer = np.uint64(np.int64(matrix[rows[i], j]) + 1)
            scores[i, max(answer, np.uint64(1)) - np.uint64(1)] += worth[j, answer]
