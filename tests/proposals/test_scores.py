"""The scores of proposals against their definitions, and how fast they are."""

import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tacit.errors import BadInput
from tacit.logic import label
from tacit.predictors.protocol import Attention
from tacit.proposals import Candidates, Feature, by_attention, by_entropy, relative_similarity
from tacit.proposals.scores import attention_score, cosines, entropy_score, token_score
from tests.oracles import proposals as slow

WORDS = ("good", "bad", "plot", "unseen")
SENTIMENT = label("sentiment", "review", ["neg", "pos", "mixed"])


def some_posterior(rng: np.random.Generator, n: int, n_labels: int) -> np.ndarray:
    q = rng.dirichlet(np.full(n_labels, 0.5), size=n)
    q[rng.random(n) < 0.2] = np.eye(n_labels)[0]  # certain ones too
    return q


def ragged(rng: np.random.Generator, n: int) -> tuple[Attention, list[Any], list[Any]]:
    lengths = rng.integers(0, 5, size=n)
    word = rng.integers(0, 3, size=lengths.sum())
    share = rng.random(lengths.sum()).astype(np.float32)
    first = np.concatenate([[0], np.cumsum(lengths)])
    texts = [[WORDS[w] for w in word[a:b]] for a, b in pairwise(first)]
    shares = [share[a:b].tolist() for a, b in pairwise(first)]
    return Attention(first, word, share, WORDS), texts, shares


def made(matrix: np.ndarray, features: list[Feature]) -> Candidates:
    whole = sparse.csr_array(matrix.astype(np.float64))
    return Candidates(SENTIMENT, tuple(features), whole, matrix.sum(axis=0).astype(np.int64), ())


@given(st.integers(0, 10**6), st.integers(0, 6), st.integers(2, 4))
@settings(max_examples=60)
def test_attention_is_its_definition(seed: int, n: int, n_labels: int) -> None:
    rng = np.random.default_rng(seed)
    attention, texts, shares = ragged(rng, n)
    q = some_posterior(rng, n, n_labels)
    found, count = attention_score(attention, q)
    scores = token_score(found)
    for t, word in enumerate(WORDS):
        assert count[t] == sum(text.count(word) for text in texts)
        for y in range(n_labels):
            assert found[t, y] == pytest.approx(slow.attention(texts, shares, q, word, y))
            expected = slow.token(texts, shares, q, word, y, n_labels)
            assert scores[t, y] == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(2, 4))
@settings(max_examples=60)
def test_entropy_is_its_definition(seed: int, n: int, n_labels: int) -> None:
    rng = np.random.default_rng(seed)
    has = rng.random((n, 5)) < 0.5
    has[:, 4] = False
    q = some_posterior(rng, n, n_labels)
    entropy, best = entropy_score(sparse.csr_array(has.astype(float)), q)
    assert np.isfinite(entropy).all()
    for f in range(5):
        mean = slow.mean(has[:, f], q, n_labels)
        assert entropy[f] == pytest.approx(slow.entropy(has[:, f], q, n_labels), abs=1e-12)
        assert mean[best[f]] == pytest.approx(max(mean))


@given(st.integers(0, 10**6), st.sampled_from([1.0, 1e-30, 1e30]))
@settings(max_examples=40)
def test_relative_similarity_is_its_definition(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    own, before = rng.normal(size=(6, 4)) * size, rng.normal(size=(6, 3))
    own[2] = 0.0
    pairs = rng.integers(0, 6, size=(9, 2))
    expected = [slow.joint(own, before, i, j) for i, j in pairs]
    assert relative_similarity(own, before, pairs) == pytest.approx(np.array(expected), abs=1e-9)


def test_attention_speaks_of_single_words_that_occur() -> None:
    attention = Attention(
        np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([0.9, 0.1, 1.0], np.float32), WORDS
    )
    q = np.array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    features = [Feature("token", (word,)) for word in ("bad", "unseen", "good", "elsewhere")]
    features += [Feature("ngram", ("good",)), Feature("token", ("good",), also=features[0])]
    scores = by_attention(made(np.ones((2, 6)), features), attention, q).of_label
    assert scores[0] == pytest.approx([-0.1, 0.1, -0.1])
    assert scores[2] == pytest.approx([-0.45, 0.45, -0.95])
    assert np.isneginf(scores[[1, 3, 4, 5]]).all()


def test_entropy_proposes_the_most_probable_label_only() -> None:
    features = [Feature("token", (word,)) for word in ("a", "b")]
    q = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    scores = by_entropy(made(np.array([[1, 0], [1, 0]]), features), q).of_label
    assert scores[0, 1] == 0.0
    assert np.isneginf(scores[0, [0, 2]]).all()
    assert np.isneginf(scores[1]).all()  # no instance has it


def test_beliefs_about_other_instances_are_refused() -> None:
    with pytest.raises(BadInput, match="3 instances"):
        entropy_score(sparse.csr_array(np.ones((3, 1))), np.ones((2, 2)))
    with pytest.raises(BadInput, match="pretrained"):
        relative_similarity(np.ones((2, 2)), np.ones((3, 2)), np.zeros((1, 2), np.int64))


def test_cosines_of_no_pairs() -> None:
    assert cosines(np.ones((2, 2)), np.zeros((0, 2), np.int64)).shape == (0,)


def test_a_corpus_as_large_as_imdb_is_scored_at_once() -> None:
    rng = np.random.default_rng(0)
    n, n_features, length, n_words = 25_000, 2_000, 230, 50_000
    cells = rng.integers(0, n_features, size=(n, 100))
    rows = np.repeat(np.arange(n), 100)
    matrix = sparse.csr_array((np.ones(n * 100), (rows, cells.ravel())), shape=(n, n_features))
    matrix.data[:] = 1.0
    words = tuple(f"w{i}" for i in range(n_words))
    attention = Attention(
        np.arange(n + 1) * length,
        rng.integers(0, n_words, size=n * length),
        rng.random(n * length, dtype=np.float32),
        words,
    )
    features = tuple(Feature("token", (word,)) for word in words[:n_features])
    count = np.bincount(matrix.indices, minlength=n_features)
    candidates = Candidates(SENTIMENT, features, matrix, count, ())
    q = rng.dirichlet(np.ones(3), size=n)
    start = time.perf_counter()
    by_entropy(candidates, q)
    by_attention(candidates, attention, q)
    end = time.perf_counter()
    assert end - start < 4  # 0.35 s on two busy cores
