"""Scores and baselines."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.grounding import ground_factors
from tacit.report import accuracy, covered, majority_vote

ROWS = st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=1, max_size=8)
ROWS = ROWS.filter(lambda matrix: max(map(max, matrix)) >= 0)


@given(ROWS)
def test_majority_vote_by_counting(matrix: list[list[int]]) -> None:
    task, program = tacit.from_label_matrix(matrix, labels=["a", "b", "c"])
    factors = ground_factors(program, task)
    found = majority_vote(factors)["y"]
    for row, votes in zip(found, matrix, strict=True):
        counts = [votes.count(label) for label in range(3)]
        winners = [label for label in range(3) if counts[label] == max(counts)]
        assert np.allclose(row, [(label in winners) / len(winners) for label in range(3)])
    assert covered(factors)["y"].tolist() == [any(v >= 0 for v in votes) for votes in matrix]


def test_accuracy_splits_ties_and_skips_the_unlabelled() -> None:
    posterior = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8], [1.0, 0.0]])
    assert accuracy(posterior, np.array([0, 0, 0, -1], dtype=np.int32)) == 0.5
    assert np.isnan(accuracy(posterior, np.full(4, -1, dtype=np.int32)))
