"""What is proposed: the best, in a fixed order, for the labels that it speaks for."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from tacit.errors import BadInput
from tacit.logic import label
from tacit.proposals import Candidates, Feature, Scores, propose_fal, propose_sst

SENTIMENT = label("sentiment", "review", ["neg", "pos"])


def made(*words: str, n: int = 12) -> Candidates:
    matrix = sparse.csr_array(np.ones((n, len(words))))
    features = tuple(Feature("token", (word,)) for word in words)
    return Candidates(SENTIMENT, features, matrix, np.full(len(words), n), ())


def scored(*rows: tuple[float, float]) -> Scores:
    return Scores("attention", np.array(rows))


def test_the_best_comes_first_and_ties_go_by_name() -> None:
    scores = scored((0.1, 0.5), (0.9, 0.2), (0.1, 0.5), (-np.inf, -np.inf))
    proposals = propose_sst(scores, made("wit", "dull", "superb", "the"), n=10)
    assert [(p.feature.words, p.label) for p in proposals] == [
        ("dull", "neg"),
        ("superb", "pos"),
        ("wit", "pos"),
    ]
    (one,) = propose_sst(scores, made("wit", "dull", "superb", "the"))
    assert one == proposals[0]
    assert one.rule == "sst"
    assert one.offered == ("neg",)


def test_a_balanced_batch_has_as_many_of_each_label() -> None:
    scores = scored((0.0, 0.9), (0.0, 0.8), (0.0, 0.7), (0.2, 0.1))
    proposals = propose_sst(scores, made("a", "b", "c", "d"), n=2, balanced=True)
    assert [(p.feature.words, p.label) for p in proposals] == [
        ("a", "pos"),
        ("d", "neg"),
        ("b", "pos"),
    ]


def test_questions_are_about_the_most_uncertain_with_all_labels() -> None:
    (first, second) = propose_fal(np.array([0.2, 0.6, 0.6]), made("a", "c", "b"), n=2)
    assert (first.feature.words, second.feature.words) == ("b", "c")
    assert first.label is None
    assert first.offered == ("neg", "pos")
    with pytest.raises(BadInput, match="without a label"):
        first.evidence(SENTIMENT)
    assert first.evidence(SENTIMENT, "pos").name == "pos_b"


def test_examples_are_spread_over_the_instances() -> None:
    (one,) = propose_fal(np.array([0.5]), made("a"), examples=3)
    assert one.examples == (0, 4, 8)


def test_nothing_to_propose_is_no_error() -> None:
    assert propose_sst(Scores("entropy", np.zeros((0, 2))), made()) == ()
    assert propose_fal(np.zeros(0), made()) == ()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(BadInput, match="n=0"):
        propose_fal(np.array([0.5]), made("a"), n=0)
    with pytest.raises(BadInput, match="2 candidates"):
        propose_sst(scored((0.1, 0.2)), made("a", "b"))


def test_importing_tacit_does_not_load_proposals() -> None:
    code = "import sys, tacit; sys.exit(any(m.startswith('tacit.proposals') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
