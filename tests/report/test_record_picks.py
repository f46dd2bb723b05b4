"""Which instances a record shows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tacit
from tacit.report.record_functions import Said
from tacit.report.record_picks import DISAGREE, IN_DOUBT, TIED, others_tied, picked

LABELS = ("neg", "pos")


def two(*pos: float) -> np.ndarray:
    """Probabilities of two labels, from those of the second."""
    return np.array([[1 - p, p] for p in pos])


def said(n: int = 100, seed: int = 0) -> Said:
    rng = np.random.default_rng(seed)
    posterior, evidence, network = (two(*rng.random(n)) for _ in range(3))
    return Said(posterior, evidence, network, rng.random(n) < 0.7)


def test_kinds_share_the_places_and_no_row_comes_twice() -> None:
    n_others = np.where(np.arange(100) < 20, np.arange(100), 0)
    found = picked(said(), LABELS, n_others, 12)
    assert len({row for row, _ in found}) == 12
    shares = Counter(why for _, why in found)
    assert shares == {IN_DOUBT: 3, DISAGREE: 3, TIED: 2, "sure of neg": 2, "sure of pos": 2}
    assert found == picked(said(), LABELS, n_others, 12)


def test_the_first_of_each_kind_is_the_extreme_one() -> None:
    own = said()
    found = picked(own, LABELS, np.zeros(100, dtype=np.int64), 8)
    first = {why: row for row, why in reversed(found)}
    assert first["sure of pos"] == own.posterior[:, 1].argmax()
    assert first["sure of neg"] == own.posterior[:, 0].argmax()
    doubt = np.where(own.has_evidence, own.posterior.max(axis=1), 2.0)
    assert first[IN_DOUBT] == doubt.argmin()
    assert own.network is not None
    apart = np.abs(own.evidence - own.network).sum(axis=1)
    differ = own.evidence.argmax(axis=1) != own.network.argmax(axis=1)
    assert first[DISAGREE] == np.where(differ & own.has_evidence, apart, -1).argmax()
    assert TIED not in first


def test_what_is_sure_is_not_called_in_doubt() -> None:
    own = Said(two(0.02, 0.97, 0.95), two(0.5, 0.9, 0.9), None, np.ones(3, dtype=bool))
    found = picked(own, LABELS, np.zeros(3, dtype=np.int64), 12)
    assert found == [(0, "sure of neg"), (1, "sure of pos"), (2, "sure of pos")]


def test_of_many_labels_the_other_kinds_keep_their_place() -> None:
    n_labels = 30
    posterior = np.full((60, n_labels), 0.2 / (n_labels - 1))
    posterior[np.arange(60), np.arange(60) % n_labels] = 0.8
    own = Said(posterior, posterior, np.roll(posterior, 1, axis=1), np.ones(60, dtype=bool))
    found = picked(own, [f"l{k}" for k in range(n_labels)], np.ones(60, dtype=np.int64), 12)
    assert {IN_DOUBT, DISAGREE, TIED} <= {why for _, why in found}
    assert len(found) == 12


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_ties_are_counted_over_pairs_and_groups() -> None:
    ids = list("abcdef")
    task = tacit.Task(
        {"item": {"id": ids}, "near": {"x": ["a", "a"], "y": ["b", "c"]},
         "kind": {"x": ["c", "d", "e"], "k": ["k1", "k1", "k1"]}, "known": {"k": ["k1"]}}
    )  # fmt: skip
    program = tacit.Program.parse(
        "label y(item) = no | yes\nobserved near(item, item)\nobserved kind(item, k)\n"
        "observed known(k)\n"
        "same: 1.0 near(a, b) => y(a) = y(b)\n"
        "once: 1.0 known(k) => exists i: kind(i, k) & y(i) = yes"
    )
    graph = tacit.ground(program, task)
    assert others_tied(graph, "y").tolist() == [2, 1, 1 + 2, 2, 2, 0]
