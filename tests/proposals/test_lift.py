"""The lifted share of a label against its definition, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tacit.errors import BadInput
from tacit.logic import label
from tacit.proposals import (
    Candidates,
    Feature,
    by_entropy,
    by_lift,
    lifted_share,
    propose_sst,
)

SENTIMENT = label("sentiment", "review", ["neg", "pos"])


def some_posterior(rng: np.random.Generator, n: int, n_labels: int) -> np.ndarray:
    q = rng.dirichlet(np.full(n_labels, 0.4), size=n)
    q[rng.random(n) < 0.3] = np.eye(n_labels)[0]  # certain ones too
    return q


def some_features(rng: np.random.Generator, n: int) -> np.ndarray:
    has = rng.random((n, 5)) < 0.5
    has[:, 3], has[:, 4] = True, False
    return has


def made(has: np.ndarray, n_labels: int) -> Candidates:
    features = tuple(Feature("token", (f"w{f}",)) for f in range(has.shape[1]))
    matrix = sparse.csr_array(has.astype(np.float64))
    own = SENTIMENT if n_labels == 2 else label("y", "review", [f"l{k}" for k in range(n_labels)])
    return Candidates(own, features, matrix, has.sum(axis=0).astype(np.int64), ())


def slow_share(has: list[bool], q: list[list[float]], shares: list[float]) -> list[float]:
    """How much more common each label is where the feature is, times its share, adding up to 1.

    The feature has two instances more, of average labels; no label counts as rarer than 1%.
    """
    n_labels = len(q[0])
    raised = []
    for y in range(n_labels):
        common = max(sum(row[y] for row in q) / len(q), 0.01)
        own, count = 2 * common, 2.0
        for one, row in zip(has, q, strict=True):
            if one:
                own += row[y]
                count += 1
        raised.append(own / count / common * shares[y])
    return [share / sum(raised) for share in raised]


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(2, 4), st.booleans())
@settings(max_examples=80)
def test_lift_is_its_definition(seed: int, n: int, n_labels: int, alike: bool) -> None:
    rng = np.random.default_rng(seed)
    has, q = some_features(rng, n), some_posterior(rng, n, n_labels)
    given = None if alike else rng.dirichlet(np.ones(n_labels))
    shares = [1.0] * n_labels if given is None else given.tolist()
    found = lifted_share(sparse.csr_array(has.astype(float)), q, given)
    scores = by_lift(made(has, n_labels), q, given)
    assert scores.by == "lift"
    for f in range(has.shape[1]):
        expected = slow_share(has[:, f].tolist(), q.tolist(), shares)
        assert found[f] == pytest.approx(np.array(expected))
        best = int(found[f].argmax())
        others = np.arange(n_labels) != best
        assert np.isneginf(scores.of_label[f, others]).all()
        if has[:, f].any():
            assert scores.of_label[f, best] == pytest.approx(max(expected))
        else:
            assert np.isneginf(scores.of_label[f]).all()


@given(st.integers(0, 10**6), st.integers(2, 4))
@settings(max_examples=50)
def test_labels_that_all_instances_lean_to_are_not_preferred(seed: int, n_labels: int) -> None:
    """Beliefs of one label multiplied by any number change nothing."""
    rng = np.random.default_rng(seed)
    matrix = sparse.csr_array(some_features(rng, 12).astype(float))
    q = rng.dirichlet(np.ones(n_labels), size=12)
    leaning = q * rng.uniform(1, 20, size=n_labels)
    assert lifted_share(matrix, leaning) == pytest.approx(lifted_share(matrix, q))


@given(st.integers(0, 10**6), st.integers(2, 4))
@settings(max_examples=50)
def test_the_order_of_labels_and_of_instances_does_not_matter(seed: int, n_labels: int) -> None:
    rng = np.random.default_rng(seed)
    has, q = some_features(rng, 8), some_posterior(rng, 8, n_labels)
    labels, rows = rng.permutation(n_labels), rng.permutation(8)
    one = lifted_share(sparse.csr_array(has.astype(float)), q)
    two = lifted_share(sparse.csr_array(has[rows].astype(float)), q[rows][:, labels])
    assert two == pytest.approx(one[:, labels])


def test_features_of_all_and_of_none_raise_no_label() -> None:
    has = np.array([[1, 0], [1, 0], [1, 0]])
    q = np.array([[0.9, 0.1], [0.8, 0.2], [1.0, 0.0]])
    assert lifted_share(sparse.csr_array(has.astype(float)), q) == pytest.approx(
        np.full((2, 2), 0.5)
    )


def test_a_network_that_prefers_a_label_still_proposes_words_of_both() -> None:
    """Of twenty texts, it gives "pos" to all but those with a sure sign, and is unsure of these."""
    has = np.zeros((20, 2), bool)
    has[:6, 0], has[6:12, 1] = True, True
    q = np.tile([0.1, 0.9], (20, 1))
    q[:6], q[6:12] = [0.45, 0.55], [0.02, 0.98]
    words = made(has, 2)
    by_most_probable = propose_sst(by_entropy(words, q), words, 1, balanced=True)
    by_lifted = propose_sst(by_lift(words, q), words, 1, balanced=True)
    assert [own.label for own in by_most_probable] == ["pos"]
    assert {own.feature.words: own.label for own in by_lifted} == {"w0": "neg", "w1": "pos"}


def test_a_word_of_more_texts_is_surer() -> None:
    has = np.zeros((20, 2), bool)
    has[:8, 0], has[:2, 1] = True, True
    q = np.array([[0.05, 0.95]] * 10 + [[0.95, 0.05]] * 10)
    many, few = lifted_share(sparse.csr_array(has.astype(float)), q)[:, 1]
    assert 0.5 < few < many < 1


def test_a_label_that_hardly_occurs_is_not_blown_up() -> None:
    has = np.ones((1000, 1), bool)
    has[500:] = False
    q = np.tile([1.0, 0.0], (1000, 1))
    q[0] = [1 - 1e-6, 1e-6]
    share = lifted_share(sparse.csr_array(has.astype(float)), q)
    assert share[0, 0] > 0.9


def test_beliefs_about_other_instances_are_refused() -> None:
    with pytest.raises(BadInput, match="3 instances"):
        lifted_share(sparse.csr_array(np.ones((3, 1))), np.ones((2, 2)))
    nothing = made(np.zeros((2, 0), bool), 2)
    assert by_lift(nothing, np.full((2, 2), 0.5)).of_label.shape == (0, 2)
