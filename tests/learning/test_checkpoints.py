"""A killed run goes on behind its last round, and ends as if it had never been interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import BadFile, BadInput
from tacit.learning.checkpoints import (
    read_arrays,
    remove_checkpoint,
    rounds_done,
    write_arrays,
)

from .killed_run import model, problem

ROOT = Path(__file__).parents[2]
TEXTS = ["superb and warm", "an awful plot", "it was clever", "", "cold and slow"]

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


class Stopped(Exception):
    """Ends a fit from within."""


def stop_in_round(number: int) -> Any:
    def progress(now: int, *_: object) -> None:
        if now == number:
            raise Stopped

    return progress


def assert_same(one: tacit.DPL, other: tacit.DPL) -> None:
    """Bit by bit the same: labels, weights, predictions, shares that networks are held to."""
    assert np.array_equal(one.posterior_, other.posterior_)
    assert one.weights_ == other.weights_
    assert np.array_equal(one.predict_proba(TEXTS), other.predict_proba(TEXTS))
    assert [own.log_likelihood for own in one.history_] == [
        own.log_likelihood for own in other.history_
    ]
    for find in (lambda own: own.shares_, lambda own: own.first_shares()):
        assert find(one).keys() == find(other).keys()
        assert all(np.array_equal(own, find(other)[name]) for name, own in find(one).items())


@cache
def uninterrupted(kind: str) -> tacit.DPL:
    return model().fit(*problem(kind))


@pytest.mark.parametrize(
    ("kind", "where", "done"),
    [
        ("free", "training", 2),
        ("tied", "training", 2),
        ("tied", "writing", 2),
        ("free", "tidying", 3),
    ],
)
def test_kill_minus_nine_changes_nothing(kind: str, where: str, done: int, tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint"
    command = [sys.executable, "-m", "tests.learning.killed_run", str(folder), kind, where]
    killed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert rounds_done(folder) == done
    rounds: list[int] = []
    resumed = model().fit(
        *problem(kind), checkpoint=folder, after_round=lambda own: rounds.append(own.number)
    )
    assert rounds == list(range(done + 1, 4))
    assert [path.name for path in folder.iterdir()] == ["round_0003"]
    assert_same(uninterrupted(kind), resumed)


@pytest.mark.parametrize("settings", [{"folds": 3}, {"warm_start": False}, {"labels": "hard"}])
def test_settings_do_not_matter(settings: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        model(**settings).fit(*problem("free"), checkpoint=tmp_path, progress=stop_in_round(3))
    assert rounds_done(tmp_path) == 2
    resumed = model(**settings).fit(*problem("free"), checkpoint=tmp_path)
    assert_same(model(**settings).fit(*problem("free")), resumed)


@pytest.mark.parametrize("kind", ["frozen", "fine_tuned", "bilstm_attention", "ensemble"])
def test_networks_go_on_bit_by_bit(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")

    def fit(**how: Any) -> tacit.DPL:
        return model(predictor=network(kind), rounds=3).fit(*problem("free"), **how)

    with pytest.raises(Stopped):
        fit(checkpoint=tmp_path, progress=stop_in_round(2))
    assert rounds_done(tmp_path) == 1
    assert_same(fit(), fit(checkpoint=tmp_path))


def network(kind: str) -> Any:
    """A predictor that is trained in no time."""
    from tacit.predictors.registry import predictor_named
    from tests.predictors.tiny_encoder import tiny_encoder

    if kind == "bilstm_attention":
        return predictor_named(kind, hidden=8, dim=8, epochs=1, min_steps=2)
    if kind == "ensemble":
        return predictor_named(kind, members=["linear", network("frozen")])
    steps = {"head_steps": 5, "min_steps": 3, "epochs": 1, "max_tokens": 16, "device": "cpu"}
    return predictor_named("transformer", encoder=tiny_encoder(), mode=kind, **steps)


def test_a_finished_run_is_only_read(tmp_path: Path) -> None:
    first = model().fit(*problem("free"), checkpoint=tmp_path)
    trained: list[object] = []
    again = model().fit(
        *problem("free"), checkpoint=tmp_path, progress=lambda *told: trained.append(told)
    )
    assert not trained
    assert_same(first, again)
    assert first.history_ == again.history_


def test_more_rounds_go_on_from_there(tmp_path: Path) -> None:
    model(rounds=2).fit(*problem("tied"), checkpoint=tmp_path)
    longer = model(rounds=3).fit(*problem("tied"), checkpoint=tmp_path)
    assert_same(uninterrupted("tied"), longer)
    with pytest.raises(BadFile, match="3 rounds done, not 2"):
        model(rounds=2).fit(*problem("tied"), checkpoint=tmp_path)


def test_what_is_half_removed_is_no_round(tmp_path: Path) -> None:
    model(rounds=1).fit(*problem("free"), checkpoint=tmp_path)
    (tmp_path / "round_0001").rename(tmp_path / ".round_0001.gone")
    (tmp_path / ".round_0001.gone" / "state.json").unlink()
    assert rounds_done(tmp_path) == 0
    model(rounds=1).fit(*problem("free"), checkpoint=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["round_0001"]
    remove_checkpoint(tmp_path)
    assert not tmp_path.exists()


def test_another_run_is_refused(tmp_path: Path) -> None:
    task, program = problem("free")
    model(rounds=1).fit(task, program, checkpoint=tmp_path)
    other_task = task.with_table("near", {"a": ["r1"], "b": ["r2"]})
    for said, settings, given in [
        ("another task", {}, (other_task, program)),
        ("another program", {}, problem("tied")),
        ("sharpness=6.0, not 2.0", {"sharpness": 2.0}, (task, program)),
        ("label_model.polarity='keep'", {"label_model": free_weights()}, (task, program)),
        ("predictor.sentiment.l2=0.5, not 2.0", {"predictor": linear(l2=2.0)}, (task, program)),
    ]:
        with pytest.raises(BadFile, match=said) as error:
            model(rounds=1, **settings).fit(*given, checkpoint=tmp_path)
        assert "give another folder" in str(error.value)
    first_shares = {"sentiment": [0.4, 0.6]}
    with pytest.raises(BadFile, match="first_shares"):
        model(rounds=1).fit(task, program, checkpoint=tmp_path, first_shares=first_shares)


def free_weights() -> tacit.LabelModel:
    return tacit.LabelModel(polarity="free")


def linear(**settings: Any) -> Any:
    from tacit.predictors.linear import Linear

    return Linear(**settings)


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(BadFile, match=r"it holds thesis\.tex"):
        model().fit(*problem("free"), checkpoint=tmp_path)
    with pytest.raises(BadFile, match="is not a folder of checkpoints"):
        model().fit(*problem("free"), checkpoint=tmp_path / "thesis.tex")
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    model(rounds=1).fit(*problem("free"), checkpoint=tmp_path)
    state = tmp_path / "round_0001" / "state.json"
    state.write_text(json.dumps(json.loads(state.read_text()) | {"format": 99}))
    with pytest.raises(BadFile, match="has the format 99"):
        model(rounds=1).fit(*problem("free"), checkpoint=tmp_path)


def test_what_cannot_be_written_is_refused_before_training(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(BadInput, match="cannot be saved without pickle"):
        model(predictor=LogisticRegression()).fit(*problem("free"), checkpoint=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_arrays_come_back_bit_by_bit(tmp_path: Path) -> None:
    arrays = {
        "a": np.array([[0.1, -0.0], [np.inf, np.nan]]),
        "empty": np.zeros((0, 3)),
        "b/c": np.arange(5) / 3,
    }
    write_arrays(tmp_path / "arrays.parquet", arrays)
    found = read_arrays(tmp_path / "arrays.parquet")
    assert list(found) == list(arrays)
    for name, own in arrays.items():
        assert found[name].tobytes() == own.tobytes()
        assert found[name].shape == own.shape
