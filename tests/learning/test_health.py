"""Health numbers of a label model, none of which needs a true label."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tacit
from tacit.data import sample
from tacit.learning import held_out as holding
from tacit.learning.casting import votes_of_matrix
from tacit.learning.fitting import Apart, Objective
from tacit.learning.health import NOT_ASKED, TOO_FEW, Health, health, pairs_of_sources
from tacit.learning.held_out import HeldOut, log_likelihood

ROWS = st.lists(st.lists(st.integers(-1, 2), min_size=4, max_size=4), min_size=2, max_size=9)


def planted(n: int, accuracies: list[float], seed: int = 0) -> NDArray[np.int64]:
    """Votes of independent functions with known accuracies."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    right = rng.random((n, len(accuracies))) < accuracies
    votes = np.where(right, truth[:, None], 1 - truth[:, None])
    return np.where(rng.random(votes.shape) < 0.7, votes, -1)


def of_matrix(matrix: NDArray[np.int64], **settings: int) -> Health:
    (found,) = health(tacit.LabelModel().fit_matrix(matrix), **settings).values()
    return found


def scored(matrix: NDArray[np.int64], random_state: int = 0) -> HeldOut:
    found = of_matrix(matrix, random_state=random_state).held_out
    assert found is not None
    return found


@given(ROWS)
def test_pairs_by_counting(matrix: list[list[int]]) -> None:
    votes = votes_of_matrix(np.array(matrix), 3, per_class=False)
    together, disagreeing = pairs_of_sources(votes, np.ones(4))
    for i, row in enumerate(matrix):
        said = [vote for vote in row if vote >= 0]
        pairs = list(combinations(said, 2))
        pattern = votes.pattern_of_instance[i]
        assert together[pattern] == len(pairs)
        assert disagreeing[pattern] == sum(a != b for a, b in pairs)


def test_shares_by_hand() -> None:
    matrix = np.array([[0, 0, -1], [0, 1, 1], [1, -1, -1], [-1, -1, -1]])
    model = tacit.LabelModel().fit_matrix(matrix, labels=["no", "yes"])
    found = health(model)["y"]
    assert (found.n_instances, found.n_sources) == (4, 3)
    assert (found.coverage, found.overlap, found.conflict) == (0.75, 0.5, 0.25)
    assert found.disagreement == 0.5  # two of the four pairs
    assert list(found.class_shares) == ["no", "yes"]
    assert sum(found.class_shares.values()) == pytest.approx(1)
    assert (found.held_out, found.held_out_missing) == (None, TOO_FEW)


def test_entropy_is_that_of_the_posterior() -> None:
    model = tacit.LabelModel().fit_matrix(planted(500, [0.8, 0.7, 0.9]))
    found = health(model, hold_out=False)["y"]
    assert isinstance(model.posterior_, np.ndarray)
    p = np.clip(model.posterior_, 1e-300, 1)
    assert found.entropy == pytest.approx(-(p * np.log2(p)).sum(axis=1).mean())
    assert found.relative_entropy == pytest.approx(found.entropy)
    assert (found.held_out, found.held_out_missing) == (None, NOT_ASKED)


def test_learned_weights_pay_where_sources_differ() -> None:
    found = scored(planted(4000, [0.95, 0.9, 0.6, 0.55, 0.6, 0.55]))
    assert found.pays
    assert found.learned > found.equal > found.as_given
    assert found.n_scored > 3900
    assert not found.local


def test_learned_weights_do_not_pay_where_sources_are_alike() -> None:
    found = scored(planted(2000, [0.75] * 6))
    assert not found.pays
    assert abs(found.learned - found.equal) < 0.01


def test_the_same_seed_gives_the_same_folds() -> None:
    matrix = planted(300, [0.9, 0.8, 0.6, 0.6])
    assert scored(matrix, random_state=7) == scored(matrix, random_state=7)
    assert scored(matrix, random_state=7) != scored(matrix, random_state=8)


def test_of_many_instances_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = planted(6000, [0.9, 0.8, 0.6, 0.6])
    whole = scored(matrix)
    monkeypatch.setattr(holding, "MOST", 3000)
    part = scored(matrix)
    assert 2900 < part.n_scored <= 3000
    assert part.learned == pytest.approx(whole.learned, abs=0.05)


@given(ROWS, st.booleans(), st.floats(0.1, 2.0))
@settings(max_examples=30)
def test_the_likelihood_is_that_which_is_climbed(
    matrix: list[list[int]], silence_tells: bool, weight: float
) -> None:
    from tacit.learning.fitting import Priors
    from tacit.learning.likelihood import VoteLikelihood

    votes = votes_of_matrix(np.array(matrix), 3, per_class=False)
    likelihood = VoteLikelihood(votes, silence_tells=silence_tells)
    start = np.full(4, weight)
    objective = Objective(
        [likelihood],
        Apart([likelihood]),
        start,
        np.zeros(4, dtype=bool),
        [False],
        Priors(start, np.ones(4), 1.0),
    )
    value, _ = objective.value_and_slope(objective.first())
    point = objective.point(objective.first())
    found = votes.n_of_pattern @ log_likelihood(likelihood, point)
    assert found == pytest.approx(value)


def test_several_label_functions_each_have_their_numbers() -> None:
    words = {"a": ["u"], "b": ["u", "v"], "c": ["v"], "d": []}
    task = tacit.Task(
        {
            "review": [{"id": key} for key in words],
            "token": [{"review": key, "word": word} for key, own in words.items() for word in own],
        }
    )
    program = tacit.Program.parse(
        """
        label mood(review) = bad | good
        label topic(review) = film | book | game
        observed token(review, word)
        u: 1.0 token(r, "u") => mood(r) = good
        v: 1.0 token(r, "v") => mood(r) = bad
        w: 1.0 token(r, "v") => topic(r) = game
        """
    )
    with pytest.warns(tacit.TacitWarning):
        model = tacit.LabelModel().fit(task, program)
    found = health(model)
    assert list(found) == ["mood", "topic"]
    assert (found["mood"].coverage, found["mood"].conflict) == (0.75, 0.25)
    assert (found["topic"].coverage, found["topic"].overlap) == (0.5, 0.0)
    assert found["topic"].disagreement is None


def test_labels_that_are_tied_are_scored_one_by_one() -> None:
    reviews = sample("reviews")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.learning.cautions._warn", lambda message: None)
        model = tacit.LabelModel(max_steps=5).fit(reviews.task, tacit.Program.parse(reviews.rules))
    found = health(model)["sentiment"]
    assert found.held_out is not None
    assert found.held_out.local
    assert 0 < found.overlap < found.coverage < 1
