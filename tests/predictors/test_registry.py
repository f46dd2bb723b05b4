"""Predictors by name, and their folders."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tacit.errors import BadFile, BadInput, MissingExtra
from tacit.predictors.ensemble import Ensemble
from tacit.predictors.linear import Linear
from tacit.predictors.protocol import Predictor
from tacit.predictors.registry import (
    KINDS,
    as_predictor,
    load_predictor,
    name_of,
    predictor_named,
    save_predictor,
)
from tests.predictors.test_linear import some_texts


def test_a_predictor_by_name_with_settings() -> None:
    model = predictor_named("linear", l2=3.0)
    assert isinstance(model, Linear)
    assert model.l2 == 3.0
    assert name_of(model) == "linear"


def test_names_and_settings_that_are_nearly_right_are_hinted_at() -> None:
    with pytest.raises(BadInput, match="did you mean 'linear'"):
        predictor_named("liner")
    with pytest.raises(BadInput, match="did you mean 'ngrams'"):
        predictor_named("linear", ngram=(1, 2))
    with pytest.raises(BadInput, match="needs the setting 'estimator'"):
        predictor_named("sklearn")


@pytest.mark.parametrize("name", ["transformer", "bilstm_attention", "graph_lstm", "ensemble"])
def test_without_torch_the_way_to_get_it_is_told(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r'pip install "tacit\[neural\]"'):
        predictor_named(name)


@pytest.mark.parametrize("name", [name for name in KINDS if name != "sklearn"])
def test_every_name_makes_its_kind(name: str) -> None:
    if KINDS[name].package == "torch" or name == "ensemble":
        pytest.importorskip("torch")
    model = as_predictor(name, random_state=4)
    assert isinstance(model, Predictor)
    assert name_of(model) == name
    assert model.random_state == 4  # type: ignore[attr-defined]


def test_what_can_be_taken_for_a_predictor() -> None:
    model = Linear()
    assert as_predictor(model) is model
    assert isinstance(as_predictor("linear", 4), Linear)
    assert name_of(as_predictor(LogisticRegression(), 4)) == "sklearn"
    for given in (Linear, LogisticRegression, 3, None, ["linear"]):
        with pytest.raises(BadInput):
            as_predictor(given)


@pytest.mark.parametrize("make", [Linear, lambda: Ensemble([Linear(), Linear(ngrams=(1, 1))])])
def test_saved_and_loaded(make: Any, tmp_path: Path) -> None:
    texts, soft = some_texts(40)
    model = make().fit_soft(texts, soft)
    save_predictor(model, tmp_path / "a" / "b")
    loaded = load_predictor(str(tmp_path / "a" / "b"))
    assert type(loaded) is type(model)
    assert (loaded.log_probs(texts) == model.log_probs(texts)).all()


@pytest.mark.parametrize(
    ("change", "told"), [({"format": 2}, "format 2"), ({"kind": "oracle"}, "kind 'oracle'")]
)
def test_what_is_not_known_yet_is_refused(
    change: dict[str, object], told: str, tmp_path: Path
) -> None:
    save_predictor(Linear(), tmp_path)
    path = tmp_path / "predictor.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(BadFile, match=told):
        load_predictor(tmp_path)


def test_a_folder_without_a_predictor(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read"):
        load_predictor(tmp_path)
    (tmp_path / "predictor.json").write_text("3")
    with pytest.raises(BadFile, match="cannot be read"):
        load_predictor(tmp_path)


class Own(Linear):
    """A predictor of the user's."""


def test_a_predictor_of_the_users_saves_itself(tmp_path: Path) -> None:
    assert name_of(Own()) == "Own"
    with pytest.raises(BadInput, match="its own `save`"):
        save_predictor(Own(), tmp_path)
    texts, soft = some_texts(20)
    model = Own().fit_soft(texts, soft)
    assert type(model.fresh(1)) is Own
    assert np.isfinite(model.log_probs(texts)).all()
