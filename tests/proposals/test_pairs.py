"""Pairs of instances as evidence: which are chosen, what they are worth, what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.logic import label
from tacit.proposals import PairProposal, pairs_said, propose_pairs
from tacit.proposals.pairs import SLIGHT, agreement_weight
from tacit.proposals.similar_pairs import NEIGHBOURS
from tests.oracles import proposals as slow

TOPIC = label("topic", "document", ["art", "sport", "war"])


def instances(n: int, start: int = 0) -> tacit.data.instances.Instances:
    task = tacit.Task({"document": {"id": [f"d{i}" for i in range(start, start + n)]}})
    return task.instances("document")


@given(st.integers(0, 10**6), st.integers(2, 26), st.integers(1, 8), st.integers(2, 3))
@settings(max_examples=60)
def test_what_is_chosen_follows_from_the_definition(
    seed: int, n: int, wanted: int, n_labels: int
) -> None:
    rng = np.random.default_rng(seed)
    own, before = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    network = rng.dirichlet(np.full(n_labels, 0.7), size=n)
    known = rng.integers(0, n, size=(4, 2))
    ids = [(f"d{i}", f"d{j}") for i, j in known.tolist()]
    found = propose_pairs(own, before, network, instances(n), wanted, most=1.7, known=ids)
    expected = slow.chosen_pairs(
        own, before, network, wanted, NEIGHBOURS, known.tolist(), 1.7, SLIGHT
    )
    assert [own.ends for own in found] == [(f"d{i}", f"d{j}") for i, j in expected]
    for one, (i, j) in zip(found, expected, strict=True):
        assert one.score == pytest.approx(slow.joint(own, before, i, j), abs=1e-6)
        assert one.weight == slow.pair_weight(network[i], network[j], 1.7)
        assert 0 < one.weight <= 1.7
        assert network[i].argmax() == network[j].argmax()


@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_the_weight_makes_agreement_as_probable_as_the_network_does(n_labels: int) -> None:
    labels = [f"l{k}" for k in range(n_labels)]
    shares = np.random.default_rng(0).dirichlet(np.ones(n_labels), size=2)
    (weight,) = agreement_weight(shares, np.array([[0, 1]]))
    program = tacit.Program.parse(
        f'label y(document) = {" | ".join(labels)}\ntied: {weight}! y("d0") = y("d1")'
    )
    task = tacit.Task({"document": {"id": ["d0", "d1"]}})
    beliefs = tacit.infer(tacit.ground(program, task), method="exact")
    assert beliefs.expected_counts[0] == pytest.approx(shares[0] @ shares[1])


def test_two_copies_of_a_text_are_no_pair_of_the_tasks() -> None:
    """However sure the network is: pretraining knew that they are the same."""
    alike = np.ones((2, 3)) + 1e-9 * np.arange(6).reshape(2, 3)
    sure = np.array([[0.01, 0.99], [0.01, 0.99]])
    assert propose_pairs(alike, np.ones((2, 3)), sure, instances(2), 5, most=1.7) == ()


def test_a_pair_is_a_line_of_the_program_with_a_weight_that_stays() -> None:
    pair = PairProposal(("r 17", 'say "no"'), 0.4, 1.52)
    evidence = pair.evidence(TOPIC)
    program = tacit.Program((TOPIC,), (evidence,))
    assert program.show().splitlines()[1] == (
        'alike_r_17_say_no: 1.52!  topic("r 17") = topic("say \\"no\\"")'
    )
    assert tacit.Program.parse(program.show()) == program
    assert list(pairs_said(program.evidence, TOPIC)) == [pair.ends]
    assert list(pairs_said(program.evidence, label("other", "document", ["a", "b"]))) == []


def test_ids_may_be_numbers() -> None:
    task = tacit.Task({"document": {"id": [7, 8, 9], "text": ["a", "b", "c"]}})
    own, before = np.ones((3, 2)), np.eye(3)
    sure = np.tile([0.1, 0.1, 0.8], (3, 1))
    known = [(8, 7), (99, 7)]  # of an instance that is not there
    found = propose_pairs(own, before, sure, task.instances("document"), 5, most=1.7, known=known)
    assert [one.ends for one in found] in ([(7, 9)], [(8, 9)])
    program = tacit.Program((TOPIC,), tuple(one.evidence(TOPIC) for one in found))
    assert tacit.ground(program, task).tables[0].variables.shape == (1, 2)
