"""Nearest neighbours against a search of all pairs, and pairs that the task has made similar."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import BadInput
from tacit.logic import agreement, assemble, label
from tacit.proposals import SimilarPairs, nearest, nearest_pairs, similar_pairs
from tacit.proposals.nearest import nearest_by_faiss, nearest_rows
from tests.oracles import proposals as slow


@given(st.integers(0, 10**6), st.integers(0, 12), st.integers(1, 4))
@settings(max_examples=40)
def test_neighbours_are_the_nearest(seed: int, n: int, k: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(n, 3))
    pairs = nearest_pairs(vectors, k)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert len({tuple(pair) for pair in pairs.tolist()}) == len(pairs)
    expected = set()
    for i in range(n):
        for cosine in slow.nearest(vectors, i, k):
            js = [j for j in range(n) if j != i]
            j = min(js, key=lambda j: abs(slow.cosine(vectors[i], vectors[j]) - cosine))
            expected.add((min(i, j), max(i, j)))
    assert {tuple(pair) for pair in pairs.tolist()} == expected


def test_blocks_do_not_matter() -> None:
    vectors = np.random.default_rng(1).normal(size=(1_500, 8))  # more than one block
    pairs = {tuple(pair) for pair in nearest_pairs(vectors, 2).tolist()}
    for i in (0, 1_023, 1_024, 1_499):
        alike = vectors @ vectors[i] / np.linalg.norm(vectors, axis=1)
        alike[i] = -np.inf
        j = int(alike.argmax())
        assert (min(i, j), max(i, j)) in pairs


def test_torch_finds_the_same() -> None:
    pytest.importorskip("torch")
    vectors = np.random.default_rng(2).normal(size=(1_100, 8))
    found = nearest_pairs(vectors, 3, device="cpu:0")
    assert (found == nearest_pairs(vectors, 3)).all()


def test_pairs_that_were_similar_before_come_last_or_not_at_all() -> None:
    own = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    before = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    found = similar_pairs(own, before, neighbours=1)
    assert found.pairs.tolist() == [[0, 1]]
    assert found.score[0] == pytest.approx(found.cosine[0])
    everything = similar_pairs(own, before, neighbours=3, least=-2.0)
    assert len(everything) == 6
    assert (np.diff(everything.score) <= 0).all()
    assert len(similar_pairs(own, before, neighbours=3, least=-2.0, n=2)) == 2


@given(st.integers(0, 10**6), st.integers(0, 12), st.integers(1, 4))
@settings(max_examples=40)
def test_partners_are_those_of_the_highest_relative_similarity(seed: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    own, before, kind = rng.normal(size=(n, 3)), rng.normal(size=(n, 4)), rng.integers(0, 2, n)
    known = np.array([[1, 0], [2, 3]]) if n > 3 else np.zeros((0, 2), dtype=np.int64)
    expected = set()
    for i in range(n):
        others = [j for j in range(n) if j != i and kind[j] == kind[i]]
        others = [j for j in others if {i, j} not in ({0, 1}, {2, 3}) or n <= 3]
        others.sort(key=lambda j: -slow.joint(own, before, i, j))
        expected |= {(min(i, j), max(i, j)) for j in others[:k]}
    found = similar_pairs(own, before, neighbours=k, least=-3, kind=kind, known=known)
    assert {tuple(pair) for pair in found.pairs.tolist()} == expected
    for pair, score in zip(found.pairs.tolist(), found.score, strict=True):
        assert score == pytest.approx(slow.joint(own, before, *pair), abs=1e-6)


def test_each_instance_is_in_one_pair() -> None:
    pairs = np.array([[0, 1], [0, 2], [2, 3], [1, 3], [4, 5]])
    found = SimilarPairs(pairs, np.ones(5), -np.arange(5.0))
    assert found.each_once(9).pairs.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert found.each_once(2).score.tolist() == [0, -2]
    assert len(found.each_once(0)) == 0


def test_faiss_finds_nearly_the_same() -> None:
    pytest.importorskip("faiss")
    rng = np.random.default_rng(3)
    place = rng.normal(size=(40, 16))[np.arange(6_000) % 40]  # texts come in clusters
    vectors = place + 0.2 * rng.normal(size=(6_000, 16))
    vectors = (vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype(np.float32)
    exact, found = nearest_rows(vectors, vectors, 5), nearest_by_faiss(vectors, vectors, 5)
    assert found.shape == exact.shape
    assert (found != np.arange(6_000)[:, None]).all()
    shared = [len(set(a) & set(b)) for a, b in zip(exact.tolist(), found.tolist(), strict=True)]
    assert np.mean(shared) > 4.9
    assert (nearest_by_faiss(vectors, vectors, 5) == found).all()


def test_very_many_rows_go_to_faiss_only_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.random.default_rng(4).normal(size=(300, 8)).astype(np.float32)
    exact = nearest_rows(vectors, vectors, 3)
    asked: list[str] = []
    monkeypatch.setattr(nearest, "MANY", 100)
    monkeypatch.setattr(nearest, "find_spec", asked.append)  # it is not there
    assert (nearest_rows(vectors, vectors, 3) == exact).all()
    assert asked == ["faiss"]
    monkeypatch.setattr(nearest, "find_spec", lambda name: name)
    monkeypatch.setattr(nearest, "nearest_by_faiss", lambda left, right, k: exact[:, :k])
    assert (nearest_rows(vectors, vectors, 2) == exact[:, :2]).all()


@pytest.mark.slow
def test_the_search_takes_seconds() -> None:
    rng = np.random.default_rng(5)
    own, before = rng.normal(size=(2, 25_000, 384)).astype(np.float32)
    begun = time.process_time()
    found = similar_pairs(own, before, kind=np.arange(25_000) % 2, n=500)
    assert len(found) == 500
    assert time.process_time() - begun < 120  # of all cores together; some 20 are usual


def test_pairs_become_a_joint_factor() -> None:
    task, program = tacit.text_classification(["a", "b", "c"], ["no", "yes"], name="topic")
    found = similar_pairs(np.ones((3, 2)), np.eye(3), neighbours=1, n=1)
    own = label("topic", "document", ["no", "yes"])
    table = found.table(task.instances("document"))
    known = agreement("alike", table, label=own)
    graph = tacit.ground(*reversed(assemble(task, program, known)))
    assert table.num_rows == 1
    assert graph is not None


def test_embeddings_of_different_instances_are_refused() -> None:
    with pytest.raises(BadInput, match="3 embeddings of the predictor and 2 pretrained"):
        similar_pairs(np.ones((3, 2)), np.ones((2, 2)))


def test_asking_for_no_neighbour_is_refused() -> None:
    with pytest.raises(BadInput, match="neighbours=0"):
        nearest_pairs(np.ones((3, 2)), 0)
