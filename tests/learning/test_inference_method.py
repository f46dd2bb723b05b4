"""The method of inference, by name or configuration: used in every step, kept with the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import BadFile, BadInput
from tacit.inference import AutoConfig, BPConfig, ExactConfig, TRWConfig

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")

NOISY_OR = BPConfig(at_least_one="noisy_or")
TEXTS = ["drug works", "drug fails", "gene works", "gene", "drug", "gene works well"]
GROUPS = ([0, 1, 2], [3, 4])  # and the last is in none
PROGRAM = tacit.Program.parse(
    """
label    treats(candidate) = no | yes
observed fails(candidate)
observed args(candidate, tuple)
observed kb(tuple)
fails:   0.7!  fails(c) => treats(c) = no
prior:   0.3!  treats(c) = no
once:    0.4!  kb(t) => exists c: args(c, t) & treats(c) = yes
"""
)


def task() -> tacit.Task:
    args = [(str(c), f"t{k}") for k, members in enumerate(GROUPS) for c in members]
    tables = {
        "candidate": {"id": [str(c) for c in range(6)], "text": TEXTS},
        "fails": ["1", "4"],
        "args": args,
        "kb": ["t0", "t1"],
    }
    return tacit.Task(tables, text="candidate.text")


def by_definition(network: np.ndarray) -> np.ndarray:
    """The chapter's: each group divides the odds that it was told of by 1 - prod (1 - p)."""
    odds = np.array([0.0, -0.7, 0.0, 0.0, -0.7, 0.0]) - 0.3
    odds += np.log(network[:, 1]) - np.log(network[:, 0])
    p = 1 / (1 + np.exp(-odds))
    for members in GROUPS:
        p[members] /= 1 - np.prod(1 - p[members])
    return p


def dpl(method: Any = NOISY_OR, **settings: Any) -> tacit.DPL:
    label_model = tacit.LabelModel(method=method)
    return tacit.DPL(**({"rounds": 2, "settled": 0.0, "label_model": label_model} | settings))


def test_the_label_model_renormalises_by_noisy_or() -> None:
    found = tacit.LabelModel(method=NOISY_OR).fit(task(), PROGRAM)
    expected = by_definition(np.full((6, 2), 0.5))
    np.testing.assert_allclose(found.posterior_[:, 1], expected, atol=1e-5)
    np.testing.assert_allclose(found.predict_proba(task())[:, 1], expected, atol=1e-5)
    exact = tacit.LabelModel().fit(task(), PROGRAM).posterior_
    assert np.abs(exact[:, 1] - expected).max() > 0.05


def test_dpl_does_so_in_its_posterior_and_after_loading(tmp_path: Path) -> None:
    model = dpl().fit(task(), PROGRAM)
    expected = by_definition(model.predict_proba(TEXTS))
    np.testing.assert_allclose(model.posterior_[:, 1], expected, atol=1e-5)
    model.save(tmp_path / "run")
    loaded = tacit.load(tmp_path / "run")
    assert loaded.label_model.method == NOISY_OR
    for found in (loaded.posterior_on(task()), loaded.on(task()).posterior_):
        np.testing.assert_allclose(found[:, 1], expected, atol=1e-5)
    assert np.abs(dpl("auto").fit(task(), PROGRAM).posterior_[:, 1] - expected).max() > 0.02


def test_the_first_lesson_is_of_these_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    from tacit.predictors.linear import Linear

    taught = []
    fit_soft = Linear.fit_soft

    def hear(self: Linear, inputs: Any, target: np.ndarray, *rest: Any, **more: Any) -> Linear:
        taught.append(target)
        return fit_soft(self, inputs, target, *rest, **more)

    monkeypatch.setattr(Linear, "fit_soft", hear)
    dpl(doubtful="alike").fit(task(), PROGRAM)
    np.testing.assert_allclose(taught[0][:, 1], by_definition(np.full((6, 2), 0.5)), atol=1e-5)


@pytest.mark.parametrize(
    "method",
    [
        "bp",
        NOISY_OR,
        TRWConfig(n_forests=4),
        AutoConfig(exact=ExactConfig(max_table_states=8), bp=NOISY_OR),
    ],
)
def test_it_is_saved_whole(method: Any, tmp_path: Path) -> None:
    dpl(method, rounds=1).fit(task(), PROGRAM).save(tmp_path / "run")
    loaded = tacit.load(tmp_path / "run")
    assert loaded.label_model.method == method
    assert type(loaded.label_model.method) is type(method)
    loaded.save(tmp_path / "again")
    said = [json.loads((tmp_path / one / "run.json").read_text()) for one in ("run", "again")]
    assert said[0]["settings"] == said[1]["settings"]


def test_a_checkpoint_of_another_method_is_refused(tmp_path: Path) -> None:
    first = dpl(rounds=1).fit(task(), PROGRAM, checkpoint=tmp_path / "rounds")
    second = dpl(rounds=1).fit(task(), PROGRAM, checkpoint=tmp_path / "rounds")
    assert np.array_equal(first.posterior_, second.posterior_)
    with pytest.raises(BadFile, match=r"method\.at_least_one='noisy_or', not 'exact'"):
        dpl(BPConfig(), rounds=1).fit(task(), PROGRAM, checkpoint=tmp_path / "rounds")


@pytest.mark.parametrize("method", ["bb", 3, None])
def test_what_is_no_method_is_refused(method: Any) -> None:
    with pytest.raises(BadInput, match="no inference method"):
        tacit.LabelModel(method=method).fit(task(), PROGRAM)
