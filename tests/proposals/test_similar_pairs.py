"""Nearest neighbours against a search of all pairs, and pairs that the task has made similar."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import BadInput
from tacit.logic import agreement, assemble, label
from tacit.proposals import nearest_pairs, similar_pairs
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


def test_pairs_become_a_joint_factor() -> None:
    task, program = tacit.text_classification(["a", "b", "c"], ["no", "yes"], name="topic")
    found = similar_pairs(np.ones((3, 2)), np.eye(3), neighbours=1, n=1)
    own = label("topic", "document", ["no", "yes"])
    table = found.table(task.instances("document"))
    known = agreement("alike", table, label=own)
    graph = tacit.ground(*reversed(assemble(task, program, known)))
    assert table.num_rows == 1
    assert graph is not None


def test_asking_for_no_neighbour_is_refused() -> None:
    with pytest.raises(BadInput, match="neighbours=0"):
        nearest_pairs(np.ones((3, 2)), 0)
