"""Majority vote, weighted vote and Dawid-Skene."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tacit
from tacit.learning import baselines
from tacit.learning.baselines import (
    covered,
    dawid_skene,
    majority_vote,
    stands_for,
    votes_on,
    weighted_vote,
)
from tacit.learning.casting import votes_of_matrix
from tests.oracles.dawid_skene import dawid_skene as oracle

ROWS = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.lists(st.integers(-1, 2), min_size=m, max_size=m), min_size=1, max_size=9)
)
ROWS = ROWS.filter(lambda matrix: max(map(max, matrix)) >= 0)


def planted(
    n: int, n_labels: int, skills: list[float], seed: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Votes of functions that know the answer so often and else guess, and the true labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_labels, n)
    votes = np.full((n, len(skills)), -1)
    for j, skill in enumerate(skills):
        said = np.where(rng.random(n) < skill, truth, rng.integers(0, n_labels, n))
        votes[:, j] = np.where(rng.random(n) < 0.6, said, -1)
    return votes, truth


@given(ROWS)
def test_majority_vote_by_counting(matrix: list[list[int]]) -> None:
    votes = votes_of_matrix(np.array(matrix), 3, per_class=False)
    found = majority_vote(votes)
    for row, cast in zip(found, matrix, strict=True):
        counts = [cast.count(label) for label in range(3)]
        winners = [label for label in range(3) if counts[label] == max(counts)]
        assert np.allclose(row, [(label in winners) / len(winners) for label in range(3)])


@given(ROWS)
def test_a_program_and_its_matrix_vote_alike(matrix: list[list[int]]) -> None:
    task, program = tacit.from_label_matrix(matrix, labels=["a", "b", "c"])
    by_program = votes_on(task, program)["y"]
    by_matrix = votes_of_matrix(np.array(matrix), 3, per_class=False)
    assert np.allclose(majority_vote(by_program), majority_vote(by_matrix))
    assert np.array_equal(covered(by_program), covered(by_matrix))


def test_covered_is_what_anything_is_said_of() -> None:
    votes = votes_of_matrix(np.array([[0, -1], [-1, -1], [-1, 1]]), 2, per_class=False)
    assert covered(votes).tolist() == [True, False, True]


def test_what_reads_no_data_has_no_vote_but_a_weight() -> None:
    task = tacit.Task({"item": [{"id": 1}, {"id": 2}], "seen": [{"item": 1}]})
    program = tacit.Program.parse(
        "label y(item) = a | b\nobserved seen(item)\n"
        "usual: 0.5 y(i) = b\nseen: 2.0 seen(i) => y(i) = a\n"
    )
    votes = votes_on(task, program)["y"]
    assert majority_vote(votes).tolist() == [[1, 0], [0.5, 0.5]]
    assert covered(votes).tolist() == [True, False]
    weighted = weighted_vote(votes, np.array([0.5, 2.0]))
    assert np.allclose(weighted[:, 0], [1 / (1 + np.exp(-1.5)), 1 / (1 + np.exp(0.5))])


def test_a_weight_below_0_votes_against_its_label() -> None:
    votes = votes_of_matrix(np.array([[0, 0], [0, -1], [-1, -1]]), 3, per_class=False)
    found = majority_vote(votes, np.array([-2.0, 5.0]))
    assert np.allclose(found, [[1 / 3, 1 / 3, 1 / 3], [0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    assert stands_for(votes, np.array([-2.0, 5.0])).tolist() == [
        [False, True, True],
        [True, False, False],
    ]


def test_a_soft_vote_is_one_vote() -> None:
    @tacit.labelling_function(soft=True)
    def mood(stars: int) -> dict[str, float] | None:
        return {"neg": 1 - 0.2 * stars, "pos": 0.2 * stars} if stars < 5 else None

    def sure(stars: int) -> str | None:
        return "neg" if stars in (3, 4) else None

    def also(stars: int) -> str | None:
        return "neg" if stars == 4 else None

    task = tacit.Task({"review": {"id": list(range(1, 6)), "stars": list(range(1, 6))}})
    label = tacit.label("sentiment", "review", ["neg", "pos"])
    task, program = tacit.assemble(task, tacit.labelling_functions([mood, sure, also], label=label))
    found = majority_vote(votes_on(task, program)["sentiment"])
    assert np.allclose(found[:, 0], [1, 1, 0.5, 1, 0.5])


def test_weighted_vote_is_a_softmax_of_weights() -> None:
    votes = votes_of_matrix(np.array([[0, 1], [1, -1], [-1, -1]]), 2, per_class=False)
    found = weighted_vote(votes, np.array([2.0, 0.5]))
    assert np.allclose(found[:, 0], [1 / (1 + np.exp(-1.5)), 1 / (1 + np.exp(2.0)), 0.5])


@given(ROWS)
@settings(max_examples=50)
def test_dawid_skene_against_loops(matrix: list[list[int]]) -> None:
    votes = votes_of_matrix(np.array(matrix), 3, per_class=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(baselines, "MAX_ROUNDS", 4)
        patch.setattr(baselines, "SETTLED", -1.0)
        found = dawid_skene(votes)
    expected = oracle(matrix, 3, smoothing=baselines.SMOOTHING, n_rounds=4)
    assert np.allclose(found, expected, atol=1e-9)


def test_dawid_skene_finds_out_who_confuses_what() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 3000)
    votes = np.where(rng.random((3000, 4)) < 0.7, truth[:, None], 1 - truth[:, None])
    votes[:, 0] = 1 - truth  # always wrong, and so as good as always right
    found = dawid_skene(votes_of_matrix(votes, 2, per_class=False))
    vote = majority_vote(votes_of_matrix(votes, 2, per_class=False))
    rows = np.arange(3000)
    assert found[rows, truth].mean() > vote[rows, truth].mean() + 0.2


@pytest.mark.parametrize("n_labels", [100, 1000])
def test_dawid_skene_with_many_labels(n_labels: int) -> None:
    matrix, truth = planted(2000, n_labels, [0.3, 0.4, 0.5, 0.5, 0.6, 0.7])
    votes = votes_of_matrix(matrix, n_labels, per_class=False)
    begun = time.perf_counter()
    found = dawid_skene(votes)
    assert time.perf_counter() - begun < 60  # 5 s on an idle machine
    assert np.allclose(found.sum(axis=1), 1)
    vote = majority_vote(votes)[np.arange(2000), truth].mean()
    assert (found.argmax(axis=1) == truth).mean() > vote - 0.05


def test_labels_may_be_renamed() -> None:
    matrix, _ = planted(300, 3, [0.5, 0.6, 0.7])
    renamed = np.where(matrix >= 0, 2 - matrix, -1)
    for method in (majority_vote, dawid_skene):
        found = method(votes_of_matrix(matrix, 3, per_class=False))
        turned = method(votes_of_matrix(renamed, 3, per_class=False))
        assert np.allclose(found, turned[:, ::-1])


def test_nothing_said_is_all_labels() -> None:
    votes = votes_of_matrix(np.full((3, 2), -1), 4, per_class=False)
    for found in (majority_vote(votes), weighted_vote(votes, np.ones(2)), dawid_skene(votes)):
        assert np.allclose(found, 0.25)
    assert not covered(votes).any()
