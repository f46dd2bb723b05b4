"""A network as a scikit-learn classifier: in pipelines, in cross-validation, and in a folder."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tacit.errors import BadFile, BadInput

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.base import clone, is_classifier  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.frozen import FrozenEstimator  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

from tacit.learning.classifier import TacitClassifier  # noqa: E402

PRAISE, BLAME = ["superb", "moving", "witty"], ["awful", "dull", "stale"]
TEXTS = [
    f"a {word} film and a {own[(at + n) % 3]} plot"
    for n in range(10)
    for own in (PRAISE, BLAME)
    for at, word in enumerate(own)
]
LABELS = [label for _ in range(10) for label in ["pos"] * 3 + ["neg"] * 3]
KEYWORDS = {"pos": PRAISE[:2], "neg": BLAME[:2]}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose labels are not in the order of the alphabet."""
    task, program = tacit.text_classification(TEXTS, labels=["pos", "neg"], keywords=KEYWORDS)
    folder = tmp_path_factory.mktemp("saved") / "run"
    tacit.DPL(tacit.predictors.Linear(l2=0.25), rounds=1).fit(task, program).save(folder)
    return folder


def test_it_predicts_what_the_run_does(saved: Path) -> None:
    model, read = tacit.load(saved), TacitClassifier.from_run(saved)
    assert read.classes_.tolist() == ["neg", "pos"]
    assert read.predict(TEXTS).tolist() == model.predict(TEXTS)
    assert np.array_equal(read.predict_proba(TEXTS), model.predict_proba(TEXTS)[:, [1, 0]])
    assert read.score(TEXTS, LABELS) == np.mean(np.array(model.predict(TEXTS)) == LABELS)


CHECKS = [
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_valid_tag_types",
    "check_mixin_order",
]


@pytest.mark.parametrize("check", CHECKS)
def test_scikit_learns_own_checks(check: str) -> None:
    """Those that need no table of numbers, which is no text."""
    getattr(estimator_checks, check)("TacitClassifier", TacitClassifier())


def test_a_clone_has_the_settings_and_learns_anew(saved: Path) -> None:
    read = TacitClassifier.from_run(saved)
    copy = clone(read)
    assert copy.get_params() == read.get_params()
    assert copy.settings["l2"] == 0.25
    with pytest.raises(NotFittedError):
        copy.predict(TEXTS)
    assert copy.fit(TEXTS, LABELS).predict_proba(TEXTS).shape == (60, 2)
    assert copy.score(TEXTS, LABELS) == 1.0
    assert read.predict_proba(TEXTS).tolist() != copy.predict_proba(TEXTS).tolist()
    assert is_classifier(read)


def test_cross_validation_trains_it_on_labels() -> None:
    scores = cross_val_score(TacitClassifier(), TEXTS, LABELS, cv=3, scoring="accuracy")
    assert scores.min() == 1.0
    losses = cross_val_score(TacitClassifier(), TEXTS, LABELS, cv=3, scoring="neg_log_loss")
    assert losses.min() > -0.4
    settings = {"settings": [{"l2": 0.1}, {"l2": 1000.0}]}
    search = GridSearchCV(TacitClassifier(), settings, scoring="neg_log_loss", cv=3)
    assert search.fit(TEXTS, LABELS).best_params_ == {"settings": {"l2": 0.1}}


def test_a_frozen_one_keeps_what_the_run_has_learned(saved: Path) -> None:
    read = TacitClassifier.from_run(saved)
    frozen = FrozenEstimator(read)
    told = cross_val_predict(frozen, TEXTS, LABELS, cv=3)
    assert told.tolist() == read.predict(TEXTS).tolist()
    calibrated = CalibratedClassifierCV(frozen, cv=3).fit(np.array(TEXTS, object), LABELS)
    assert calibrated.predict_proba(np.array(TEXTS, object)).shape == (60, 2)


def test_it_stands_at_the_end_of_a_pipeline(saved: Path) -> None:
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    loud = [text.upper() for text in TEXTS]
    trained = Pipeline([("lower", lower), ("label", TacitClassifier.from_run(saved))])
    assert trained.predict(loud).tolist() == TacitClassifier.from_run(saved).predict(TEXTS).tolist()
    anew = make_pipeline(lower, TacitClassifier()).fit(loud, LABELS)
    assert anew.score(loud, LABELS) == 1.0
    assert roc_auc_score(LABELS, anew.predict_proba(loud)[:, 1]) == 1.0


def test_texts_come_in_many_forms(saved: Path) -> None:
    read = TacitClassifier.from_run(saved)
    expected = read.predict_proba(TEXTS)
    forms: list[Any] = [
        np.array(TEXTS),
        np.array(TEXTS, object).reshape(-1, 1),
        pd.Series(TEXTS, index=range(100, 160)),
        pd.DataFrame({"other": 1, "text": TEXTS}),  # the column that the network was trained on
        pd.DataFrame({"words": TEXTS}),
        pa.chunked_array([TEXTS]),
        tuple(TEXTS),
    ]
    for form in forms:
        assert np.array_equal(read.predict_proba(form), expected)
    assert read.predict_proba([]).shape == (0, 2)
    for wrong in ("one text", np.zeros((3, 2)), pd.DataFrame({"a": ["x"], "b": ["y"]}), 3):
        with pytest.raises(BadInput):
            read.predict(wrong)


def test_classes_need_not_be_texts_and_weights_count() -> None:
    numbers = np.array([label == "pos" for label in LABELS]).astype(int)
    weights = np.where(numbers == 1, 1.0, 0.0)
    weights[3] = 1e-6
    fitted = TacitClassifier().fit(TEXTS, numbers, sample_weight=weights)
    assert fitted.predict(TEXTS).tolist() == [1] * 60
    assert fitted.predict(TEXTS).dtype == numbers.dtype
    with pytest.raises(BadInput, match="only classes that are texts"):
        fitted.save("nowhere")


@pytest.mark.parametrize(
    ("texts", "labels", "said"),
    [
        (TEXTS[:2], ["pos", "pos"], "only one class, pos"),
        (TEXTS[:3], ["pos", "neg"], "3 texts and labels of the shape"),
        (TEXTS[:2], [["pos"], ["neg"]], "one label for each text"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(texts: Any, labels: Any, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        TacitClassifier().fit(texts, labels)
    assert said in str(caught.value)


def test_it_is_written_and_read_without_pickle(saved: Path, tmp_path: Path) -> None:
    read = TacitClassifier.from_run(saved)
    read.save(tmp_path / "c")
    read.save(tmp_path / "c")  # replaces itself
    again = TacitClassifier.load(tmp_path / "c")
    assert np.array_equal(again.predict_proba(TEXTS), read.predict_proba(TEXTS))
    assert again.get_params() == read.get_params()
    assert (again.function_, again.column_) == ("y", "text")
    about = json.loads((tmp_path / "c" / "classifier.json").read_text())
    assert about["labels"] == ["pos", "neg"]
    assert not [path for path in (tmp_path / "c").rglob("*") if path.suffix in (".pkl", ".pickle")]
    trained = TacitClassifier().fit(TEXTS, LABELS)
    trained.save(tmp_path / "d")
    assert TacitClassifier.load(tmp_path / "d").predict(TEXTS[:4]).tolist() == LABELS[:4]


def test_other_processes_get_it_by_pickle_of_their_own(saved: Path) -> None:
    """As joblib sends it to workers."""
    read = TacitClassifier.from_run(saved)
    sent = pickle.loads(pickle.dumps(read))
    assert np.array_equal(sent.predict_proba(TEXTS), read.predict_proba(TEXTS))


def test_folders_that_are_something_else(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"use TacitClassifier\.from_run"):
        TacitClassifier.load(saved)
    with pytest.raises(BadFile, match="not a saved classifier"):
        TacitClassifier.load(tmp_path)
    (tmp_path / "mine").write_text("")
    with pytest.raises(BadInput, match="is not a saved classifier"):
        TacitClassifier.from_run(saved).save(tmp_path)
    with pytest.raises(BadInput, match="there are: y"):
        TacitClassifier.from_run(saved, "z")
    with pytest.raises(NotFittedError):
        TacitClassifier().save(tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_an_ensemble_comes_with_members_that_can_begin_anew(tmp_path: Path) -> None:
    ensemble = tacit.predictors.Ensemble(
        [tacit.predictors.Linear(ngrams=(1, 1)), tacit.predictors.Linear(l2=2.0)]
    )
    task, program = tacit.text_classification(TEXTS, labels=["pos", "neg"], keywords=KEYWORDS)
    tacit.DPL(ensemble, rounds=1).fit(task, program).save(tmp_path / "run")
    read = TacitClassifier.from_run(tmp_path / "run")
    before = read.predict_proba(TEXTS)
    copy = clone(read).fit(TEXTS, LABELS)
    assert copy.score(TEXTS, LABELS) == 1.0
    assert [member.l2 for member in copy.settings["members"]] == [0.5, 2.0]
    assert np.array_equal(read.predict_proba(TEXTS), before)
