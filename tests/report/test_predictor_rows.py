"""What a predictor makes of labels, beside DPL and gold labels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import tacit
from tacit.errors import BadInput
from tacit.predictors.linear import Linear
from tacit.report import Comparison, Row, accuracy, compare
from tacit.report.gold_training import cross_fitted, self_trained

WORDS = {
    "pos": ["superb", "lovely", "charming", "moving", "bright"],
    "neg": ["awful", "boring", "clumsy", "noisy", "dull"],
}
METHODS = ["majority vote", "weighted vote", "Dawid-Skene", "label model"]
TAUGHT = ["majority vote + linear", "label model + linear", "DPL", "DPL, linear alone"]
SUPERVISED = ["supervised linear", "supervised bag of words"]


def drawn(n: int = 400, seed: int = 0) -> tuple[list[str], NDArray[np.int64]]:
    """Reviews of three words of their label and one of the other, and the labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    texts = []
    for label in labels:
        own, other = (WORDS["pos"], WORDS["neg"]) if label else (WORDS["neg"], WORDS["pos"])
        texts.append(" ".join([*rng.choice(own, 3), rng.choice(other), "film"]))
    return texts, labels


def reviews(n: int = 400) -> tuple[tacit.Task, tacit.Program, NDArray[np.int64]]:
    texts, gold = drawn(n)
    keywords = {"pos": ["superb", "lovely"], "neg": ["awful", "boring"]}
    task, program = tacit.text_classification(texts, labels=["neg", "pos"], keywords=keywords)
    return task, program, gold


def by_method(comparison: Comparison, function: str = "y") -> dict[str, Row]:
    return {row.method: row for row in comparison.rows if row.function == function}


@pytest.fixture(autouse=True)
def without_snorkel(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if Snorkel were not installed, whatever this environment has."""
    monkeypatch.setattr("tacit.report.snorkel.find_spec", lambda name: None)


def test_every_way_to_teach_a_predictor_has_a_row() -> None:
    task, program, gold = reviews()
    found = compare(task, program, gold, predictor="linear", hold_out=False)
    rows = by_method(found)
    assert list(rows) == [*METHODS, *TAUGHT, "self-training from 50", *SUPERVISED]
    for method in list(rows)[len(METHODS) :]:
        assert rows[method].coverage == 1.0
        assert rows[method].seconds is not None
        assert rows[method].accuracy > rows["label model"].accuracy  # type: ignore[operator]
    assert rows["self-training from 50"].n_gold == 350
    assert rows["supervised linear"].n_gold == 400
    said = "\n".join(found.notes)
    assert "self-training begins with 50 gold labels and is scored by the other 350" in said
    assert "cross-fitted over 5 folds" in said


def test_without_gold_nothing_is_trained_on_it() -> None:
    task, program, _ = reviews()
    found = compare(task, program, predictor="linear", hold_out=False)
    rows = by_method(found)
    assert list(rows) == [*METHODS, *TAUGHT]
    assert all(row.accuracy is None for row in rows.values())
    assert rows["DPL"].agreement is not None
    assert "cross-fitted" not in "\n".join(found.notes)


def test_few_gold_labels_are_not_trained_on() -> None:
    task, program, gold = reviews()
    few = np.where(np.arange(len(gold)) < 9, gold, -1)
    found = compare(task, program, few, predictor="linear", hold_out=False)
    assert "9 gold labels are too few to train anything on" in found.notes
    assert list(by_method(found)) == [*METHODS, *TAUGHT]
    some = np.where(np.arange(len(gold)) < 60, gold, -1)
    found = compare(task, program, some, predictor="linear", gold_labels=100, hold_out=False)
    assert by_method(found)["self-training from 30"].n_gold == 30


def test_dpl_is_the_same_as_by_itself_and_leaves_the_label_model_alone() -> None:
    task, program, gold = reviews()
    model = tacit.LabelModel(dependencies="ignored").fit(task, program)
    before = np.asarray(model.posterior_).copy()
    rows = by_method(
        compare(
            task,
            program,
            gold,
            model=model,
            predictor=Linear(l2=0.7),
            fit={"rounds": 2},
            hold_out=False,
        )
    )
    alone = tacit.DPL(
        Linear(l2=0.7), label_model=tacit.LabelModel(dependencies="ignored"), rounds=2
    ).fit(task, program)
    assert rows["DPL"].accuracy == accuracy(np.asarray(alone.posterior_), gold)
    texts = task.inputs("document").to_pylist()
    assert rows["DPL, linear alone"].accuracy == accuracy(alone.predict_proba(texts), gold)
    assert np.array_equal(before, np.asarray(model.posterior_))


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_a_label_function_without_text_has_no_such_rows() -> None:
    tables = {
        "review": {"id": ["a", "b"], "text": ["good film", "poor film"]},
        "author": {"id": ["x", "y"]},
        "known": {"author": ["x"]},
    }
    program = tacit.Program.parse(
        "label mood(review) = bad | good\nlabel kind(author) = critic | fan\n"
        "observed token(review, word)\nobserved known(author)\n"
        'good: 1.0 token(r, "good") => mood(r) = good\n'
        "critic: 1.0 known(a) => kind(a) = critic\n"
    )
    task = tacit.Task(tables, text="review.text")
    found = compare(task, program, predictor="linear", hold_out=False)
    assert list(by_method(found, "mood")) == [*METHODS, *TAUGHT]
    assert list(by_method(found, "kind")) == METHODS
    assert "kind has no text, and so no rows with a predictor" in found.notes
    with pytest.raises(BadInput, match="does not say what the predictor reads"):
        compare(tacit.Task(tables), program, predictor="linear")


def test_mistakes_are_found_before_anything_is_fitted() -> None:
    task, program, gold = reviews(20)
    with pytest.raises(BadInput, match="learns nothing"):
        compare(task, program, gold, predictor="linear", gold_labels=0)
    with pytest.raises(BadInput, match="did you mean 'linear'"):
        compare(task, program, gold, predictor="linaer")


def test_progress_stays_within_its_steps() -> None:
    task, program, gold = reviews(60)
    told: list[tuple[int, int, str]] = []
    compare(task, program, gold, predictor="linear", progress=lambda *step: told.append(step))
    assert [done for done, _, _ in told] == list(range(len(told)))
    assert all(done < total for done, total, _ in told)
    assert "DPL" in [name for _, _, name in told]


def test_no_instance_is_scored_by_a_model_that_saw_its_label() -> None:
    """With labels that are pure chance, cross-fitting is no better than a coin; training is."""
    rng = np.random.default_rng(0)
    texts = [f"word{i} other{i}" for i in range(300)]
    gold = rng.integers(0, 2, 300)
    predictor = Linear(min_count=1)
    inputs = predictor.prepare(texts)
    seen = predictor.fresh(0).fit_soft(inputs, np.eye(2)[gold]).log_probs(inputs)
    assert accuracy(seen, gold) == 1.0
    assert accuracy(cross_fitted(predictor, inputs, gold, 2, 0), gold) < 0.6


def test_self_training_learns_from_what_has_no_gold() -> None:
    texts, truth = drawn(600)
    predictor = Linear()
    inputs = predictor.prepare(texts)
    few = np.where(np.arange(600) < 6, truth, -1)
    target, rest = np.eye(2)[truth[:6]], np.where(few < 0, truth, -1)
    alone = predictor.fresh(0).fit_soft(inputs.take(np.arange(6)), target).log_probs(inputs)
    found = self_trained(predictor, inputs, few, 2, 0)
    assert found.sum(axis=1) == pytest.approx(np.ones(600))
    assert accuracy(found, rest) > accuracy(alone, rest)
