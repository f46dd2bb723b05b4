"""Weights that evidence on most instances can have: no higher than the labels' shares allow."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import TacitWarning
from tacit.learning.casting import votes_of_matrix
from tacit.learning.plausible import ERRORS, most_plausible

from .fitted_models import fitted_matrix
from .test_silenced import long_texts

WEIGHT = 2.2
CHANCE, KEYWORDS = long_texts(4)  # words that are mere chance: learning would silence a label
KEYWORDS = {"neg": KEYWORDS["neg"], "pos": ["and", *KEYWORDS["pos"]]}


def texts() -> list[str]:
    """Nineteen of twenty hold `and`."""
    return [f"{text} and" if i % 20 else text for i, text in enumerate(CHANCE)]


def learned(*knowledge: Any, **how: Any) -> tuple[dict[str, float], list[str]]:
    """The weights of a label model, and what it says of words that tell little."""
    task, program = tacit.text_classification(texts(), labels=["neg", "pos"], keywords=KEYWORDS)
    known = tacit.Knowledge(program.declarations, program.evidence)
    task, program = tacit.assemble(task, known, *knowledge)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TacitWarning)
        model = tacit.LabelModel(**how).fit(task, program)
    told = [one for one in caught if "tells little" in str(one.message)]
    assert all(one.filename == __file__ for one in told)
    return model.weights_, [str(one.message) for one in told]


one_sided = st.integers(2, 5).flatmap(
    lambda n_labels: st.tuples(
        st.just(n_labels),
        st.lists(st.integers(0, n_labels - 1), min_size=1, max_size=4),  # what each word is for
        st.integers(0, 2**32 - 1),
        st.integers(1, 300),
    )
)


@given(one_sided)
@settings(max_examples=200)
def test_it_is_the_weight_at_which_every_instance_of_a_label_has_the_word(drawn: Any) -> None:
    n_labels, speaks_for, seed, n = drawn
    rng = np.random.default_rng(seed)
    said = rng.random((n, len(speaks_for))) < rng.random(len(speaks_for))
    matrix = np.where(said, speaks_for, -1)
    votes = votes_of_matrix(matrix, n_labels, per_class=False)
    found = most_plausible(votes, len(speaks_for))
    for word, most in enumerate(found):
        share = said[:, word].mean()
        surely = share - ERRORS * np.sqrt(share * (1 - share) / n)
        if surely <= 1 / n_labels:
            assert most == np.inf
        else:
            right = np.exp(most) / (np.exp(most) + n_labels - 1)  # of instances with the word
            assert right * surely == pytest.approx(1 / n_labels)


def test_sources_that_speak_for_several_labels_may_be_as_sure_as_they_are() -> None:
    matrix = np.array([[0], [1]] * 200)
    assert most_plausible(votes_of_matrix(matrix, 2, per_class=False), 1).tolist() == [np.inf]


def test_a_word_of_most_texts_tells_little_and_is_named() -> None:
    weights, told = learned()
    assert 0 < weights.pop("pos_and") < 0.3
    assert set(weights.values()) == {WEIGHT}
    (said,) = told
    assert "lower weight: pos_and;" in said


def test_a_weight_that_is_learned_begins_as_it_was_given() -> None:
    """Where most instances are of one label, what is said of most may well be right."""
    rng = np.random.default_rng(0)
    matrix = np.where(rng.random((400, 3)) < 0.9, 1, -1)
    matrix[:40] = np.where(rng.random((40, 3)) < 0.9, 0, -1)
    model = fitted_matrix(matrix, ["yes", "no"])
    assert not model.silenced_
    assert min(model.weights_.values()) > 1


def test_it_may_always_be_so() -> None:
    weights, told = learned(keywords="plausible")
    assert weights == learned()[0]
    assert len(told) == 1


def test_who_insists_is_believed() -> None:
    weights, told = learned(keywords="given")
    assert set(weights.values()) == {WEIGHT}
    assert not told


def test_where_shares_are_known_they_are_not_guessed() -> None:
    label = tacit.LabelFunction("y", "document", ("neg", "pos"))
    _, told = learned(tacit.expectation({"pos": 0.9}, 0.05, label=label))
    assert not told


def test_of_a_few_instances_any_word_may_hold() -> None:
    matrix = np.array([[0], [0], [0], [-1]])
    assert most_plausible(votes_of_matrix(matrix, 2, per_class=False), 1).tolist() == [np.inf]
