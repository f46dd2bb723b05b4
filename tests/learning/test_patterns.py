"""Patterns: rows that are alike are counted together, whatever it is that they share."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

import tacit
from tacit.errors import UnknownLabel
from tacit.learning import patterns as module
from tacit.learning.casting import labels_of_matrix, votes_of_matrix
from tacit.learning.patterns import Patterns, VotePatterns, alike, numbered, patterns_of_matrix
from tests.oracles.patterns import groups

SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.tuples(st.integers(1, 200), st.integers(1, 6), st.integers(1, 4))
MANY_CODES = 64  # functions: their codes have more than 64 bits


def drawn(seed: int, n_rows: int, n_functions: int, n_labels: int) -> NDArray[np.int64]:
    """Votes, some rows of them alike."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(-1, n_labels, (rng.integers(1, n_rows + 1), n_functions))
    return np.asarray(kinds[rng.integers(len(kinds), size=n_rows)])


def check(found: Patterns | VotePatterns, rows: list[tuple[int, ...]]) -> None:
    """Compare patterns with groups of equal rows."""
    expected = groups(rows)
    assert len(found.n_rows) == len(expected)
    for row, members in expected.items():
        pattern = found.of_row[members[0]]
        assert (found.of_row[members] == pattern).all()
        assert found.n_rows[pattern] == len(members)
        if isinstance(found, VotePatterns):
            assert tuple(found.votes[found.row[pattern]].tolist()) == row
        else:
            assert found.first[pattern] == members[0]


@given(SEEDS, SHAPES)
@settings(max_examples=60)
def test_equal_rows_of_a_matrix_are_one_pattern(seed: int, shape: tuple[int, int, int]) -> None:
    matrix = drawn(seed, *shape)
    check(patterns_of_matrix(matrix, shape[2]), list(map(tuple, matrix.tolist())))


@given(SEEDS, st.integers(1, 50))
@settings(max_examples=20)
def test_codes_that_need_more_bits_are_scattered(seed: int, n_rows: int) -> None:
    matrix = drawn(seed, n_rows, MANY_CODES, 3)
    check(patterns_of_matrix(matrix, 3), list(map(tuple, matrix.tolist())))


@given(SEEDS, SHAPES)
@settings(max_examples=40)
def test_a_table_of_codes_and_a_hash_table_agree(seed: int, shape: tuple[int, int, int]) -> None:
    matrix = drawn(seed, *shape)
    with patch.object(module, "ROOM", 10**9):
        by_table = patterns_of_matrix(matrix, shape[2])
    with patch.object(module, "ROOM", 0):
        by_hash = patterns_of_matrix(matrix, shape[2])
    assert (by_table.of_row == by_hash.of_row).all()
    assert (by_table.votes[by_table.row] == by_hash.votes[by_hash.row]).all()
    assert (by_table.n_rows == by_hash.n_rows).all()


@given(st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=40))
def test_equal_sets_are_one_pattern(sets: list[set[int]]) -> None:
    full = np.array([[column in own for column in range(6)] for own in sets], dtype=float)
    check(alike(sparse.csr_array(full)), [tuple(sorted(own)) for own in sets])


@given(st.lists(st.sampled_from([0, 1, 2**32, 2**63, 2**64 - 1, 7]), max_size=30))
def test_codes_of_any_size_are_numbered_in_their_order(codes: list[int]) -> None:
    found = numbered(np.array(codes, dtype=np.uint64))
    check(found, [(code,) for code in codes])
    assert [codes[first] for first in found.first] == sorted(set(codes))


@given(SEEDS, st.integers(1, 40), st.integers(1, 5))
@settings(max_examples=30)
def test_patterns_do_not_depend_on_the_order_of_rows(seed: int, n: int, m: int) -> None:
    matrix = drawn(seed, n, m, 2)
    order = np.random.default_rng(seed).permutation(n)
    one, other = patterns_of_matrix(matrix, 2), patterns_of_matrix(matrix[order], 2)
    assert (one.of_row[order] == other.of_row).all()
    assert (one.n_rows == other.n_rows).all()


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.float64])
@pytest.mark.parametrize("stray", [-2, 2, 100])
@pytest.mark.parametrize("n_functions", [2, MANY_CODES])
def test_votes_that_index_no_label_are_found(kind: type, stray: int, n_functions: int) -> None:
    matrix = np.zeros((5, n_functions), dtype=kind)
    matrix[3, 1] = stray
    with pytest.raises(IndexError):
        patterns_of_matrix(matrix, 2)
    with pytest.raises(UnknownLabel, match=rf"L\[3, 1\] is {stray}"):
        tacit.LabelModel().fit_matrix(matrix, ["a", "b"])


@given(SEEDS, SHAPES, st.booleans())
@settings(max_examples=40)
def test_labels_by_pattern_are_those_of_each_row(
    seed: int, shape: tuple[int, int, int], per_class: bool
) -> None:
    n_functions, n_labels = shape[1:]
    matrix, rng = drawn(seed, *shape), np.random.default_rng(seed)
    worth = rng.normal(size=(n_functions, n_labels if per_class else 1))
    worth = np.broadcast_to(worth, (n_functions, n_labels))
    bias = rng.normal(size=n_labels)
    log_labels = np.tile(bias, (len(matrix), 1))
    for row, votes in enumerate(matrix.tolist()):
        for function, vote in enumerate(votes):
            if vote >= 0:
                log_labels[row, vote] += worth[function, vote]
    found = labels_of_matrix(matrix, worth, bias)
    assert np.allclose(found, softmax(log_labels, axis=1), rtol=1e-12)
    votes = votes_of_matrix(matrix, n_labels, per_class=True)
    posterior, log_total = votes.posterior(np.ascontiguousarray(worth).ravel(), bias)
    assert np.allclose(votes.by_instance(posterior), found, rtol=1e-12)
    total = np.log(np.exp(log_labels).sum(axis=1))
    assert np.allclose(log_total[votes.pattern_of_instance], total, rtol=1e-12)
