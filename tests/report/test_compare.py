"""The label model beside its baselines."""

from __future__ import annotations

import json
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tacit
from tacit.errors import BadInput, UnknownLabel
from tacit.learning.baselines import majority_vote
from tacit.learning.casting import votes_of_matrix
from tacit.report import Comparison, Row, accuracy, compare, compare_matrix
from tacit.report.snorkel import label_matrix

METHODS = ["majority vote", "weighted vote", "Dawid-Skene", "label model"]
RULES = """
label    mood(review) = bad | good
label    topic(review) = film | book
observed token(review, word)
observed near(review, review)
good: 1.0 token(r, "good") => mood(r) = good
fine: 1.0 token(r, "fine") => mood(r) = good
poor: 1.0 token(r, "poor") => mood(r) = bad
seen: 1.0 token(r, "seen") => topic(r) = film
read: 1.0 token(r, "read") => topic(r) = book
"""
WORDS = {"a": "good seen", "b": "good fine", "c": "poor read", "d": "poor good", "e": "so so"}


def planted(n: int = 1500, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Votes of six functions that differ in skill, and the true labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    right = rng.random((n, 6)) < [0.95, 0.9, 0.6, 0.55, 0.6, 0.55]
    votes = np.where(right, truth[:, None], 1 - truth[:, None])
    return np.where(rng.random(votes.shape) < 0.6, votes, -1), truth


def reviews() -> tacit.Task:
    tokens = [{"review": key, "word": word} for key, text in WORDS.items() for word in text.split()]
    near = {"one": ["a"], "other": ["e"]}
    return tacit.Task({"review": {"id": list(WORDS)}, "token": tokens, "near": near})


def by_method(comparison: Comparison, function: str = "y") -> dict[str, Row]:
    return {row.method: row for row in comparison.rows if row.function == function}


@pytest.fixture(autouse=True)
def without_snorkel(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if Snorkel were not installed, whatever this environment has."""
    monkeypatch.setattr("tacit.report.snorkel.find_spec", lambda name: None)


def test_every_method_has_a_row_with_its_scores() -> None:
    matrix, truth = planted()
    found = compare_matrix(matrix, labels=["ham", "spam"], gold=truth)
    rows = by_method(found)
    assert list(rows) == METHODS
    vote = majority_vote(votes_of_matrix(matrix, 2, per_class=False))
    assert rows["majority vote"].accuracy == pytest.approx(accuracy(vote, truth))
    for row in rows.values():
        assert row.n_gold == len(truth)
        assert row.coverage == pytest.approx((matrix >= 0).any(axis=1).mean())
        assert row.accuracy is not None
        assert row.accuracy_covered is not None
        assert row.accuracy_covered >= row.accuracy
        assert list(row.class_shares) == ["ham", "spam"]
        assert sum(row.class_shares.values()) == pytest.approx(1)
        assert row.seconds is not None
    model, vote_row = rows["label model"], rows["majority vote"]
    assert model.accuracy > vote_row.accuracy + 0.03  # type: ignore[operator]
    assert model.log_loss < vote_row.log_loss  # type: ignore[operator]
    assert model.agreement is None
    assert 0.5 < vote_row.agreement < 1  # type: ignore[operator]
    assert found.health["y"].held_out is not None
    assert found.health["y"].held_out.pays
    assert found.notes == (
        "Snorkel is not installed; with `pip install snorkel` it would be compared too",
    )


def test_without_gold_there_are_no_scores() -> None:
    found = compare_matrix(planted()[0], hold_out=False)
    for row in found.rows:
        assert row.n_gold == 0
        assert row.accuracy is row.macro_f1 is row.log_loss is row.brier is None
    assert "gold labels" not in found.text()
    assert "y: what each method says" in found.text()


def test_gold_may_be_known_of_some() -> None:
    matrix, truth = planted()
    some = np.where(np.arange(len(truth)) < 200, truth, -1)
    (first, *_) = compare_matrix(matrix, gold=some, hold_out=False).rows
    assert first.n_gold == 200
    with pytest.raises(BadInput, match="gold of y"):
        compare_matrix(matrix, gold=truth[:10], hold_out=False)


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_several_label_functions_and_gold_by_name() -> None:
    gold = {"mood": {"a": "good", "c": "bad"}, "topic": {"a": "book"}}
    found = compare(reviews(), tacit.Program.parse(RULES), gold)
    assert [row.function for row in found.rows] == ["mood"] * 4 + ["topic"] * 4
    mood, topic = by_method(found, "mood"), by_method(found, "topic")
    assert mood["majority vote"].accuracy == 1.0
    assert topic["majority vote"].accuracy == 0.0
    assert topic["majority vote"].coverage == pytest.approx(0.4)
    assert list(found.health) == ["mood", "topic"]
    assert [note.split(" is ")[0].split(" learns ")[0] for note in found.notes] == [
        "mood: Dawid-Skene",
        "Snorkel",
        "topic: Dawid-Skene",
    ]
    with pytest.raises(UnknownLabel, match="goood"):
        compare(reviews(), tacit.Program.parse(RULES), {"mood": {"a": "goood"}})


def test_ties_between_labels_widen_the_label_models_coverage_alone() -> None:
    rules = "\n".join(line for line in RULES.splitlines() if "topic" not in line)
    program = tacit.Program.parse(rules + "\nagree: 1.0 near(r, s) => mood(r) = mood(s)\n")
    rows = by_method(compare(reviews(), program, hold_out=False), "mood")
    assert rows["majority vote"].coverage == pytest.approx(0.8)
    assert rows["label model"].coverage == 1.0


def test_a_fitted_model_is_taken_as_it_is() -> None:
    matrix, _ = planted()
    model = tacit.LabelModel(max_steps=3).fit_matrix(matrix)
    weights = dict(model.weights_)
    found = by_method(compare_matrix(matrix, model=model, hold_out=False))
    assert found["label model"].seconds is None
    assert model.weights_ == weights
    unfitted = tacit.LabelModel(max_steps=3)
    found = by_method(compare_matrix(matrix, model=unfitted, hold_out=False))
    assert found["label model"].seconds is not None
    assert unfitted.weights_ == weights


def test_as_dict_is_json_and_text_names_everything() -> None:
    matrix, truth = planted()
    found = compare_matrix(matrix, gold=truth)
    kept = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert kept.keys() == {"rows", "health", "notes"}
    assert [row["method"] for row in kept["rows"]] == METHODS
    assert kept["health"]["y"]["held_out"]["learned"] == found.health["y"].held_out.learned  # type: ignore[union-attr]
    text = str(found)
    for expected in (*METHODS, "macro F1", "Brier", "entropy", "held out, learned", "Notes"):
        assert expected in text


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_of_many_labels_the_largest_shares_are_shown() -> None:
    matrix = np.random.default_rng(0).integers(0, 9, (60, 3))
    text = compare_matrix(matrix, hold_out=False).text()
    assert ", 6 others" in text


def test_nothing_said_at_all_is_still_compared() -> None:
    with pytest.warns(tacit.TacitWarning):
        found = compare_matrix(np.full((3, 2), -1), gold=np.array([0, 1, 1]))
    for row in found.rows:
        assert row.coverage == 0.0
        assert row.accuracy == pytest.approx(0.5)
        assert row.accuracy_covered is row.confidence is row.agreement is None


def test_progress_is_told() -> None:
    told: list[tuple[int, int, str]] = []
    compare_matrix(planted()[0], progress=lambda *step: told.append(step))
    assert [name for _, _, name in told] == [
        "label model",
        *METHODS[:3],
        "held-out votes",
    ]
    assert all(done < total for done, total, _ in told)
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)


def test_labels_that_differ_from_the_majority_without_support_are_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.modules["tacit.report.comparing"], "MUCH", -1.0)
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 1000)
    right = rng.random((1000, 5)) < 0.75
    alike = np.where(right, truth[:, None], 1 - truth[:, None])
    assert "held-out votes are no likelier" in compare_matrix(alike).notes[-1]
    assert "no likelier" not in str(compare_matrix(planted()[0]).notes)


class FakeSnorkel:
    """Has the face of Snorkel's label model, and counts votes."""

    fails = False

    def __init__(self, cardinality: int, verbose: bool) -> None:
        self.cardinality = cardinality

    def fit(self, matrix: NDArray[np.int64], **settings: Any) -> None:
        if self.fails:
            raise ValueError("L_train should have at least 3 labeling functions")

    def predict_proba(self, matrix: NDArray[np.int64]) -> NDArray[np.float64]:
        counts = np.stack([(matrix == k).sum(axis=1) + 1 for k in range(self.cardinality)], axis=1)
        shares: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
        return shares


@pytest.fixture
def with_snorkel(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if Snorkel were installed."""
    monkeypatch.setattr("tacit.report.snorkel.find_spec", lambda name: ModuleSpec(name, None))
    for name in ("snorkel", "snorkel.labeling", "snorkel.labeling.model"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(
        sys.modules["snorkel.labeling.model"], "LabelModel", FakeSnorkel, raising=False
    )


@pytest.mark.usefixtures("with_snorkel")
def test_snorkel_is_compared_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, truth = planted()
    rows = by_method(compare_matrix(matrix, gold=truth, hold_out=False))
    assert list(rows) == [*METHODS[:3], "Snorkel", METHODS[3]]
    assert rows["Snorkel"].accuracy == pytest.approx(rows["majority vote"].accuracy)
    few = compare_matrix(matrix[:, :2], hold_out=False)
    assert "Snorkel" not in by_method(few)
    assert few.notes == ("Snorkel needs 3 sources at least, and there are 2",)
    monkeypatch.setattr(FakeSnorkel, "fails", True)
    failed = compare_matrix(matrix, hold_out=False)
    assert list(by_method(failed)) == METHODS
    assert failed.notes == ("Snorkel failed: L_train should have at least 3 labeling functions",)


def test_the_label_matrix_of_votes_is_the_matrix() -> None:
    matrix, _ = planted(200)
    votes = votes_of_matrix(matrix, 2, per_class=False)
    assert np.array_equal(label_matrix(votes, np.ones(6)), matrix)
