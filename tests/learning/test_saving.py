"""Saved models: what was learned comes back, whole or not at all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.errors import BadFile, BadInput
from tacit.learning import saving

from .killed_run import model, problem

TEXTS = ["superb and warm", "an awful plot", ""]

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


@pytest.fixture(scope="module")
def fitted() -> tacit.DPL:
    return model(sharpness=4.0).fit(*problem("tied"))


@pytest.fixture
def run(fitted: tacit.DPL, tmp_path: Path) -> Path:
    fitted.save(tmp_path / "runs" / "first")
    return tmp_path / "runs" / "first"


def test_what_was_learned_comes_back(fitted: tacit.DPL, run: Path) -> None:
    loaded = tacit.load(run)
    assert np.array_equal(loaded.posterior_, fitted.posterior_)
    assert loaded.weights_ == fitted.weights_
    np.testing.assert_array_equal([*loaded.errors_.values()], [*fitted.errors_.values()])
    assert loaded.program_ == fitted.program_
    assert (loaded.labels_, loaded.history_) == (fitted.labels_, fitted.history_)
    assert np.array_equal(loaded.predict_proba(TEXTS), fitted.predict_proba(TEXTS))
    assert loaded.predict(TEXTS)[:2] == ["pos", "neg"]
    assert (loaded.rounds, loaded.sharpness) == (3, 4.0)


def test_a_loaded_model_can_be_saved_and_fitted_again(run: Path, fitted: tacit.DPL) -> None:
    loaded = tacit.load(run)
    loaded.save(run)  # replaced
    again = tacit.load(run)
    assert np.array_equal(again.posterior_, fitted.posterior_)
    refitted = again.fit(*problem("tied"))
    assert np.array_equal(refitted.posterior_, fitted.posterior_)
    assert refitted.explain("r1").instance == "r1"


def test_files_are_readable_without_tacit(fitted: tacit.DPL, run: Path) -> None:
    about = json.loads((run / "run.json").read_text())
    assert about["format"] == 1
    assert about["labels"] == {"sentiment": ["neg", "pos"]}
    assert about["task"] == problem("tied")[0].fingerprint()
    assert not [path for path in run.rglob("*") if path.suffix in (".pkl", ".pt", ".bin")]
    table = pq.read_table(run / "posterior" / "sentiment.parquet")
    assert table.column_names == ["id", "neg", "pos"]
    assert table["id"].to_pylist()[:2] == ["r0", "r1"]
    weights = pq.read_table(run / "weights.parquet").to_pylist()
    assert weights[0]["name"] == weights[0]["formula"] == "praise"
    learned = tacit.Program.parse((run / "learned.tacit").read_text())
    start = learned["praise"].weight
    assert start == tacit.logic.evidence.Learned(float(f"{fitted.weights_['praise']:.6g}"))
    assert learned["agree"].formula == fitted.program_["agree"].formula


def test_weights_by_value_are_in_the_table_alone(tmp_path: Path) -> None:
    task, _ = problem("free")
    program = tacit.Program.parse(
        "label sentiment(review) = neg | pos\nobserved token(review, word)\n"
        "observed says(word, class)\n"
        "seeds: 1.5 token(r, +w) & says(w, +l) => sentiment(r) = +l\n"
    )
    says = {"word": ["superb", "awful"], "class": ["pos", "neg"]}
    model().fit(task.with_table("says", says), program).save(tmp_path / "run")
    rows = pq.read_table(tmp_path / "run" / "weights.parquet").to_pylist()
    assert sorted(row["key"] for row in rows) == [["awful", "neg"], ["superb", "pos"]]
    assert (tmp_path / "run" / "learned.tacit").read_text() == program.show()


def test_loading_needs_the_predictor_alone(run: Path) -> None:
    heavy = "duckdb", "torch", "numba", "transformers"
    code = (
        f"import sys, tacit; model = tacit.load({str(run)!r}); "
        f"assert model.predict({TEXTS!r})[0] == 'pos'; "
        f"print(sorted(set({heavy!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("method", ["explain", "analysis"])
def test_what_needs_data_says_so(run: Path, method: str) -> None:
    loaded = tacit.load(run)
    with pytest.raises(BadInput, match="needs the data") as error:
        loaded.explain("r1") if method == "explain" else loaded.analysis()
    assert "fit(task, program)" in str(error.value)


def test_several_label_functions(tmp_path: Path) -> None:
    task, program = problem("free")
    both = tacit.Program.parse(
        program.show()
        + 'label topic(review) = film | book\nplot: 1.0 token(r, "plot") => topic(r) = book\n'
        + 'movie: 1.0 token(r, "film") => topic(r) = film\n'
    )
    predictor = {"sentiment": "linear", "topic": None}
    first = model(predictor=predictor).fit(task, both)
    first.save(tmp_path / "run")
    loaded = tacit.load(tmp_path / "run")
    assert loaded.predict(TEXTS) == first.predict(TEXTS)
    assert list(loaded.predictors_) == ["sentiment"]
    mine, theirs = loaded.posterior_, first.posterior_
    assert isinstance(mine, dict)
    assert isinstance(theirs, dict)
    assert all(np.array_equal(mine[name], theirs[name]) for name in ("sentiment", "topic"))


def test_other_things_are_never_replaced(fitted: tacit.DPL, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for target in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(BadInput, match="is not a saved model"):
            fitted.save(target)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_failed_save_leaves_the_former_model(
    fitted: tacit.DPL, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    before = sorted(run.rglob("*"))
    monkeypatch.setattr(saving, "save_predictor", full)
    with pytest.raises(OSError, match="no space"):
        fitted.save(run)
    assert sorted(run.rglob("*")) == before
    assert [path.name for path in run.parent.iterdir()] == [run.name]
    assert tacit.load(run).predict(TEXTS)


def test_killed_between_two_names(fitted: tacit.DPL, run: Path) -> None:
    run.rename(run.with_name(f".{run.name}.former"))
    assert tacit.load(run).predict(TEXTS)
    (run.parent / f".{run.name}.partial").mkdir()  # of another who was killed
    fitted.save(run)
    assert [path.name for path in run.parent.iterdir()] == [run.name]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda run: (run / "run.json").unlink(), "not written, or not copied, to its end"),
        (lambda run: (run / "weights.parquet").unlink(), "is not whole: weights.parquet"),
        (lambda run: (run / "program.tacit").write_text(""), "is not whole: program.tacit"),
        (lambda run: change(run, format=99), "has the format 99"),
        (lambda run: change(run, kind="S5"), "is about a 'S5'"),
        (shutil.rmtree, "is not there"),
    ],
)
def test_what_is_not_whole_is_refused(run: Path, harm: Any, said: str) -> None:
    harm(run)
    with pytest.raises(BadFile, match=said) as error:
        tacit.load(run)
    assert error.value.remedy


def change(run: Path, **facts: object) -> None:
    path = run / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | facts))


def test_what_was_not_fitted_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing is learned yet"):
        model().save(tmp_path / "run")
    assert not (tmp_path / "run").exists()
