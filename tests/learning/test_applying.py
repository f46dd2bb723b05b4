"""What was learned, on other tasks: evidence and network by definition, all assignments visited."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import BadFile, TacitError, TacitWarning
from tacit.learning.saving import NUMBERS
from tests.oracles.inference import enumerate_all

from .fitted_models import DECLARATIONS, FORMULAS, task_of
from .killed_run import problem
from .test_restoring import every_kind, joint, with_texts

quiet = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")

TEXTS = ["good day", "fine day", "odd day", "good and fine", "odd night"]
MODEL = {"rounds": 2, "label_model": tacit.LabelModel(max_steps=3, class_prior="learned")}
# Shares are met on each task anew, which the oracle does not do.
RULES = "\n".join(f"{name}: {FORMULAS[name]}" for name in FORMULAS if name != "share")
PROGRAM = tacit.Program.parse(DECLARATIONS + RULES)


def task(seed: int) -> tacit.Task:
    rng = np.random.default_rng(seed)
    return with_texts(task_of(seed), "item", [TEXTS[at] for at in rng.permutation(5)])


@pytest.fixture(scope="module")
def model() -> tacit.DPL:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        return tacit.DPL(**MODEL).fit(task(7), PROGRAM)


def by_definition(model: tacit.DPL, other: tacit.Task) -> dict[str, np.ndarray]:
    """Evidence and networks multiplied, all assignments summed over."""
    graph = tacit.ground(model.program_, other)
    start = zip(graph.weight_names or (), graph.weights, strict=True)
    weights = np.array([model.weights_.get(name, weight) for name, weight in start])
    texts = other.inputs("item").to_pylist()
    added = [
        model.label_model_.bias_[span.name] + np.log(model.predict_proba(texts, span.name))
        for span in graph.spans
    ]
    found = enumerate_all(graph, weights, np.concatenate([own.ravel() for own in added])).marginals
    parts = np.split(found, np.cumsum([own.size for own in added])[:-1])
    pairs = zip(graph.spans, added, parts, strict=True)
    return {span.name: part.reshape(own.shape) for span, own, part in pairs}


@quiet
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_it_is_evidence_times_network(model: tacit.DPL, seed: int) -> None:
    other = task(seed)
    found, expected = model.posterior_on(other), by_definition(model, other)
    assert isinstance(found, dict)
    assert list(found) == list(expected) == ["y", "z"]
    assert all(own.any() for own in model.label_model_.bias_.values())  # which must count too
    for name, own in expected.items():
        np.testing.assert_allclose(found[name], own, atol=1e-9)


@quiet
@pytest.mark.parametrize("kind", ["free", "tied", "every kind", "oncology"])
def test_on_its_own_task_it_is_the_posterior(kind: str, tmp_path: Path) -> None:
    own, program = {"every kind": every_kind, "oncology": joint}.get(kind, lambda: problem(kind))()
    model = tacit.DPL(**MODEL).fit(own, program)
    model.save(tmp_path / "run")
    for one in (model, tacit.load(tmp_path / "run"), tacit.load(tmp_path / "run").on(own)):
        found, before = one.posterior_on(own), model.posterior_
        for name in model.labels_ if isinstance(before, dict) else [...]:
            np.testing.assert_allclose(found[name], before[name], atol=1e-5)


@quiet
def test_weights_are_those_learned_and_new_keys_have_the_programs() -> None:
    text = "label y(item) = no | yes\nobserved said(item, word)\nobserved odd(item)\n"
    program = tacit.Program.parse(
        text + "words: 1.5  said(i, +w) => y(i) = yes\nodd: 1.0  odd(i) => y(i) = no"
    )
    rows = {"id": list("abcd"), "text": ["up", "up", "up down", "down"]}
    said = [("a", "good"), ("b", "good"), ("c", "good"), ("c", "old")]
    seen = tacit.Task({"item": rows, "said": said, "odd": ["c", "d"]}, text="item.text")
    model = tacit.DPL(**MODEL).fit(seen, program)
    assert model.weights_["words[good]"] != 1.5
    new = {"id": ["x", "y"], "text": ["up", "up"]}
    other = tacit.Task(
        {"item": new, "said": [("x", "good"), ("y", "new")], "odd": ["z"]}, text="item.text"
    )
    odds = np.log(model.posterior_on(other)) - np.log(model.predict_proba(["up", "up"]))
    odds -= model.label_model_.bias_["y"]
    expected = np.array([model.weights_["words[good]"], 1.5])
    assert np.allclose(odds[:, 1] - odds[:, 0], expected)


def test_evidence_without_its_table_is_left_out_and_named(model: tacit.DPL) -> None:
    whole = task(3)
    tables: dict[str, Any] = {name: own.arrow for name, own in whole.tables.items()}
    del tables["near"], tables["about"]
    other = tacit.Task(tables, text="item.text")
    with pytest.warns(TacitWarning) as heard:
        found = model.posterior_on(other)
    (said,) = {str(one.message) for one in heard}
    assert re.search("no table about, near: agree, z_agree, once, few, alike", said)
    assert heard[0].filename == __file__
    gone = ("agree", "z_agree", "once", "few", "alike")
    rest = tacit.DPL(**MODEL)
    rest.label_model_, rest.predictors_ = model.label_model_, model.predictors_
    rest.program_, rest.labels_ = PROGRAM.without(*gone), model.labels_
    for name, own in by_definition(rest, other).items():
        np.testing.assert_allclose(found[name], own, atol=1e-9)


@quiet
def test_a_label_function_without_instances_is_left_out() -> None:
    own, program = joint()
    model = tacit.DPL(rounds=1, label_model=tacit.LabelModel(max_steps=1)).fit(own, program)
    domain = {name: one.domain for name, one in program.labels.items()}
    kept, gone = list(domain)
    tables = {name: one.arrow for name, one in own.tables.items() if name != domain[gone]}
    read = [str(one) for one in own.text if one.table != domain[gone]]
    with pytest.warns(TacitWarning, match=f"no table .*{domain[gone]}.*: {gone}"):
        found = model.posterior_on(tacit.Task(tables, text=read))
    assert isinstance(found, dict)
    assert list(found) == [kept]
    with pytest.raises(TacitError, match="the task has no instances"):
        model.posterior_on(tacit.Task({"other": ["a"]}))


@quiet
def test_what_it_needs(model: tacit.DPL, tmp_path: Path) -> None:
    with pytest.raises(TacitError, match="nothing is learned yet"):
        tacit.DPL().posterior_on(task(1))
    with pytest.raises(TacitError, match="does not say what the predictor reads"):
        model.posterior_on(task_of(1))
    model.save(tmp_path / "run")
    early = tacit.load(tmp_path / "run")
    object.__setattr__(early.label_model_, "numbers", None)  # as if the file were not there
    assert (tmp_path / "run" / NUMBERS).is_file()
    with pytest.raises(BadFile, match="earlier version"):
        early.posterior_on(task(1))


@quiet
def test_s4_offers_it_too() -> None:
    own, program = problem("free")
    model = tacit.S4(rounds=1, dpl=tacit.DPL(rounds=1)).fit(own, program)
    np.testing.assert_allclose(model.posterior_on(own), model.posterior_, atol=1e-9)
