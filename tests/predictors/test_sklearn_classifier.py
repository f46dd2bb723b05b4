"""Classifiers of scikit-learn as predictors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from tacit.errors import BadInput
from tacit.predictors.protocol import Predictor, Prepared
from tacit.predictors.regression.prepared_texts import PreparedTexts
from tacit.predictors.sklearn_classifier import (
    SklearnClassifier,
    draw,
    pairs_of,
    reads_texts,
    weight_parameter,
)
from tests.predictors.test_linear import Floats, some_texts

TEXTS, SOFT = some_texts(150)


def learned(estimator: Any, target: Floats = SOFT, **settings: Any) -> Floats:
    model = SklearnClassifier(estimator, **settings)
    return model.fit_soft(TEXTS, target).log_probs(TEXTS)


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        SGDClassifier(loss="log_loss"),
        RandomForestClassifier(20),
        KNeighborsClassifier(5),
        LinearSVC(),
        RidgeClassifier(),
        NearestCentroid(),
        make_pipeline(CountVectorizer(), MultinomialNB()),
        make_pipeline(
            TfidfVectorizer(), make_pipeline(StandardScaler(with_mean=False), LinearSVC())
        ),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_every_classifier_learns_from_probabilities(estimator: Any) -> None:
    found = learned(estimator)
    assert np.exp(found).sum(axis=1) == pytest.approx(1)
    assert np.isfinite(found).all()
    assert (found.argmax(axis=1) == SOFT.argmax(axis=1)).mean() > 0.7
    assert (learned(estimator) == found).all()
    assert not hasattr(estimator, "classes_")


def test_soft_labels_are_weights() -> None:
    plain = learned(LogisticRegression(tol=1e-8, max_iter=1000), np.full((150, 3), [0.5, 0.3, 0.2]))
    assert np.exp(plain) == pytest.approx(np.tile([0.5, 0.3, 0.2], (150, 1)), abs=5e-3)


def test_weights_reach_the_end_of_a_pipeline() -> None:
    assert weight_parameter(LogisticRegression()) == "sample_weight"
    assert weight_parameter(KNeighborsClassifier()) is None
    inner = make_pipeline(StandardScaler(), MultinomialNB())
    assert weight_parameter(inner) == "multinomialnb__sample_weight"
    nested = "pipeline__multinomialnb__sample_weight"
    assert weight_parameter(make_pipeline(CountVectorizer(), inner)) == nested
    assert weight_parameter(make_pipeline(CountVectorizer(), KNeighborsClassifier())) is None


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(0.01, 5), min_size=1, max_size=30), st.integers(1, 60), st.integers(0, 99)
)
def test_drawing_is_in_proportion(worth: list[float], n: int, seed: int) -> None:
    taken = np.bincount(draw(np.array(worth), n, seed), minlength=len(worth))
    wanted = np.array(worth) * n / sum(worth)
    assert taken.sum() == n
    assert (np.abs(taken - wanted) < 1 + 1e-9).all()


def test_pairs_leave_out_what_does_not_matter() -> None:
    target = np.array([[0.7, 0.3, 0.0], [1 - 1e-9, 0.0, 1e-9], [0.2, 0.2, 0.6]])
    row, label, worth = pairs_of(target, np.array([2.0, 1.0, 0.0]))
    assert row.tolist() == [0, 0, 1]
    assert label.tolist() == [0, 1, 0]
    assert worth == pytest.approx([1.4, 0.6, 1.0])


def test_who_gets_texts_and_who_gets_ngrams() -> None:
    vectoriser = make_pipeline(FeatureUnion([("t", TfidfVectorizer())]), LogisticRegression())
    assert reads_texts(vectoriser)
    assert not reads_texts(make_pipeline(StandardScaler(), LogisticRegression()))
    assert isinstance(SklearnClassifier(LogisticRegression()).prepare(TEXTS), PreparedTexts)
    missing = SklearnClassifier(vectoriser).fit_soft([*TEXTS, None], np.vstack([SOFT, SOFT[:1]]))
    assert len(missing.log_probs(pd.Series(["good", None]))) == 2
    with pytest.raises(BadInput, match="features"):
        SklearnClassifier(LogisticRegression(), features="words")


def test_features_of_ones_own_and_tables_of_numbers() -> None:
    def sizes(texts: Any) -> Floats:
        return np.array([[len(text), text.count("a")] for text in texts], dtype=float)

    found = learned(LogisticRegression(), features=sizes)
    model = SklearnClassifier(LogisticRegression(), features="inputs")
    for table in (sizes(TEXTS), pd.DataFrame(sizes(TEXTS))):
        assert (model.fit_soft(table, SOFT).log_probs(table) == found).all()
        rows = np.array([3, 0])
        taken = model.prepare(table).take(rows)
        assert len(taken) == 2
        assert (model.log_probs(taken) == found[rows]).all()


def test_labels_that_are_missing_keep_their_column() -> None:
    target = np.zeros((150, 4))
    target[:, [0, 3]] = SOFT[:, :2] + SOFT[:, [2]] / 2
    found = np.exp(learned(LogisticRegression(), target))
    assert found.shape == (150, 4)
    assert found[:, [1, 2]] == pytest.approx(2.5e-4)
    one = np.tile([0.0, 1.0], (150, 1))
    for estimator in (LogisticRegression(), KNeighborsClassifier()):
        assert np.exp(learned(estimator, one))[:, 1].min() > 0.99


def test_texts_that_have_nothing_in_common() -> None:
    model = SklearnClassifier(LogisticRegression())
    model.fit_soft(["a", "b"], np.array([[0.9, 0.1], [0.7, 0.3]]))
    assert np.exp(model.log_probs(["c"])) == pytest.approx(np.array([[0.8, 0.2]]), abs=1e-3)
    assert model.log_probs([]).shape == (0, 2)


def test_a_warm_start_goes_on_where_it_can() -> None:
    model = SklearnClassifier(LogisticRegression(max_iter=1000)).fit_soft(TEXTS, SOFT)
    first = model.estimator_
    model.fit_soft(TEXTS, SOFT, warm_start=True)
    assert model.estimator_ is first
    assert first.warm_start
    assert first.n_iter_.max() <= 2
    assert model.fit_soft(TEXTS, SOFT).estimator_ is not first
    pipeline = SklearnClassifier(make_pipeline(CountVectorizer(), SGDClassifier()))
    first = pipeline.fit_soft(TEXTS, SOFT).estimator_
    assert pipeline.fit_soft(TEXTS, SOFT, warm_start=True).estimator_ is first
    forest = SklearnClassifier(RandomForestClassifier(5)).fit_soft(TEXTS, SOFT)
    grown = forest.estimator_
    assert forest.fit_soft(TEXTS, SOFT, warm_start=True).estimator_ is not grown


def test_one_that_came_trained_can_be_asked() -> None:
    names = np.array(["x", "y", "z"])[SOFT.argmax(axis=1)]
    trained = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, names)
    found = SklearnClassifier(trained).log_probs(TEXTS)
    assert np.exp(found) == pytest.approx(trained.predict_proba(TEXTS), abs=2e-3)
    for model in (SklearnClassifier(LogisticRegression()), SklearnClassifier(trained).fresh(0)):
        with pytest.raises(BadInput, match="nothing"):
            model.log_probs(TEXTS)


def test_it_keeps_the_contract(tmp_path: Path) -> None:
    model = SklearnClassifier(LogisticRegression())
    assert isinstance(model, Predictor)
    prepared = model.prepare(TEXTS)
    assert isinstance(prepared, Prepared)
    assert model.prepare(prepared) is prepared
    told: list[tuple[int, int, float]] = []
    model.fit_soft(prepared, SOFT, report=lambda *step: told.append(step))
    assert told[0][:2] == (1, 1)
    fresh = model.fresh(5)
    assert fresh.vocabulary_ is model.vocabulary_
    assert fresh.random_state == 5
    weight = np.arange(150) % 2.0
    some = np.flatnonzero(weight)
    one = model.fresh(0).fit_soft(prepared, SOFT, weight).log_probs(prepared)
    other = model.fresh(0).fit_soft(prepared.take(some), SOFT[some]).log_probs(prepared)
    assert one == pytest.approx(other, abs=1e-3)
    with pytest.raises(BadInput, match="pickle"):
        model.save(tmp_path)
    with pytest.raises(BadInput):
        SklearnClassifier.load(tmp_path)
