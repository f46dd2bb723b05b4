"""Scores of extraction: those of scikit-learn, and what cannot be told is not told."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from tacit.errors import BadInput
from tacit.report import average_precision
from tacit.report.extraction_scores import extraction_scores

candidates = st.lists(st.tuples(st.integers(0, 8), st.integers(-1, 1)), min_size=1, max_size=40)


@given(candidates, st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0]))
def test_scores_are_those_of_scikit_learn(drawn: list[tuple[int, int]], threshold: float) -> None:
    eighths, gold = np.array(drawn).T
    probability = eighths / 8
    found = extraction_scores(probability, gold, threshold=threshold)
    known = gold >= 0
    said, truth = probability[known] >= threshold, gold[known]
    assert found.extractions == (probability >= threshold).sum()
    assert (found.n_gold, found.right) == (known.sum(), (said & (truth == 1)).sum())
    if said.any():
        assert found.precision == pytest.approx(metrics.precision_score(truth, said))
    else:
        assert math.isnan(found.precision)
    if truth.any():
        assert found.recall == pytest.approx(metrics.recall_score(truth, said))
        expected = metrics.average_precision_score(truth, probability[known])
        assert found.average_precision == pytest.approx(expected)
    else:
        assert math.isnan(found.recall)
        assert math.isnan(found.average_precision)
    if said.any() or truth.any():
        assert found.f1 == pytest.approx(metrics.f1_score(truth, said, zero_division=0))
    if known.any():
        assert found.accuracy == pytest.approx(metrics.accuracy_score(truth, said))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_any_probabilities_have_the_average_precision_of_scikit_learn(drawn: Any) -> None:
    probability, truth = (np.array(own) for own in zip(*drawn, strict=True))
    if truth.any():
        expected = metrics.average_precision_score(truth, probability)
        assert average_precision(probability, truth.astype(int)) == pytest.approx(expected)


def test_different_tuples_are_counted_among_the_extractions() -> None:
    tuples = [("gefitinib", "EGFR"), ("gefitinib", "EGFR"), ("imatinib", "ABL1"), ("x", "y")]
    found = extraction_scores([0.9, 0.6, 0.5, 0.1], tuples=tuples)
    assert (found.extractions, found.unique_tuples, found.n_gold) == (3, 2, 0)
    assert extraction_scores([0.9, 0.6, 0.5, 0.1]).unique_tuples is None


def test_json_has_no_numbers_that_are_none() -> None:
    told = extraction_scores([0.9, 0.2]).as_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["precision"] is None
    assert extraction_scores([0.9, 0.2], [True, False]).as_dict()["f1"] == 1.0


@pytest.mark.parametrize(
    ("probability", "more"),
    [
        ([0.5, 0.5], {"gold": [1]}),
        ([0.5, 0.5], {"gold": [1, 2]}),
        ([0.5, 0.5], {"gold": [0.7, 0.3]}),
        ([[0.5, 0.5]], {}),
        ([0.5, 0.5], {"tuples": [("a",)]}),
    ],
)
def test_what_does_not_fit_is_refused(probability: Any, more: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        extraction_scores(probability, **more)
