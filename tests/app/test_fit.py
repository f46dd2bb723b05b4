"""`tacit fit`: from a project to a saved run, also after a kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.app.fit.settings import fit_keys, predictor_kinds
from tacit.predictors.linear import Linear

from .conftest import RULES, Run
from .test_app_command import bare, on_terminal

TEXTS = ["superb, I loved it", "an awful film", "so so", "a film that I loved", "superb film"]
KILLED = (
    "import os, signal, sys; from tacit.app.cli import main; "
    "from tacit.predictors.linear import Linear; fit_soft = Linear.fit_soft; calls = []\n"
    "def fit(*given, **more):\n"
    "    calls.append(1)\n"
    "    if len(calls) == 4: os.kill(os.getpid(), signal.SIGKILL)\n"
    "    return fit_soft(*given, **more)\n"
    "Linear.fit_soft = fit\n"
    "sys.exit(main(['fit', *sys.argv[1:]]))\n"
)


@pytest.fixture
def reviews(project: Path) -> Path:
    """A project with enough texts for a network to learn from."""
    rows = [f'r{i},"{TEXTS[i % len(TEXTS)]}, as number {i % 7} was"' for i in range(60)]
    (project / "data" / "review.csv").write_text("id,text\n" + "\n".join(rows) + "\n")
    return project


def add(project: Path, lines: str) -> None:
    with (project / "tacit.toml").open("a") as settings:
        settings.write(lines)


def test_shows_rounds_and_labels_and_saves(run: Run, reviews: Path) -> None:
    answer = run("fit")
    assert answer.code == 0, answer.err
    assert answer.err == ""
    lines = answer.out.splitlines()
    assert lines[0] == "small  tacit.toml"
    assert lines[2] == "Rounds, predictor linear"
    assert lines[4].split()[:2] == ["1", "-"]
    assert "sentiment: 60 labels by evidence and network" in lines
    assert any(line.startswith("  neg") and "awful" in line for line in lines)
    assert any(line.startswith("Saved in runs/linear: ") for line in lines)
    assert lines[-2] == "Next: tacit report runs/linear"
    assert lines[-1].strip() == "tacit predict runs/linear FILE"
    assert tacit.load("runs/linear").predict(TEXTS[:2]) == ["pos", "neg"]
    assert [path.name for path in Path("runs").iterdir()] == ["linear"]


def test_json_twin_has_the_same_facts(run: Run, reviews: Path) -> None:
    answer = run("fit", "--json", "--out", "made/first", "--rounds", 2).json
    assert answer["ok"] is True
    assert (answer["run"], answer["predictor"], answer["resumed"]) == ("made/first", "linear", 0)
    assert [own["number"] for own in answer["rounds"]] == [1, 2]
    assert [own["label"] for own in answer["labels"]] == ["neg", "pos"]
    assert sum(own["instances"] for own in answer["labels"]) == 60
    assert tacit.load("made/first").rounds == 2


def test_a_killed_run_goes_on(run: Run, reviews: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED], cwd=reviews, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert [path.name for path in Path("runs").iterdir()] == [".linear.checkpoint"]
    answer = run("fit", "--json").json
    assert answer["resumed"] == 1
    assert "went on behind round 1" in answer["notes"][-1]
    assert run("fit", "--json", "--out", "whole").json["resumed"] == 0
    whole, resumed = tacit.load("whole"), tacit.load("runs/linear")
    assert np.array_equal(whole.posterior_, resumed.posterior_)
    assert np.array_equal(whole.predict_proba(TEXTS), resumed.predict_proba(TEXTS))


def test_other_rules_need_a_fresh_start(
    run: Run, reviews: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit_soft, calls = Linear.fit_soft, []

    def interrupted(*given: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) == 4:  # in the second round: two more tell how common labels are
            raise KeyboardInterrupt
        return fit_soft(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Linear, "fit_soft", interrupted)
        assert run("fit").code == 130
    (reviews / "rules.tacit").write_text(RULES.replace("2.2", "2.0"))
    refused = run("fit")
    assert refused.code == 2
    assert "the checkpoint of another run: with another program" in refused.err
    assert "begin anew with --fresh" in refused.err
    assert run("fit", "--fresh", "--json").json["resumed"] == 0


def test_settings_come_from_the_project(run: Run, reviews: Path) -> None:
    add(reviews, '[predictor]\nl2 = 2.0\n[fit]\nrounds = 2\nsharpness = "none"\nrandom_state = 3\n')
    assert len(run("fit", "--json").json["rounds"]) == 2
    model = tacit.load("runs/linear")
    assert (model.rounds, model.sharpness, model.random_state) == (2, None, 3)
    assert vars(model.predictor_)["l2"] == 2.0
    assert len(run("fit", "--json", "--rounds", 1).json["rounds"]) == 1


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("[fit]\nround = 2\n", "did you mean 'rounds'"),
        ('[fit]\nrounds = "two"\n', "it must be a whole number"),
        ("[fit]\nrounds = 0\n", "rounds=0 must be from 1"),
        ('[fit]\nlabels = "softly"\n', "use one of ('soft', 'hard')"),
        ("fit = 3\n", "it must be lines such as rounds = 5"),
        ('[predictor]\nkind = "liner"\n', "did you mean 'linear'?"),
        ("[predictor]\nl3 = 2.0\n", "did you mean 'l2'?"),
        ("[predictr]\nl2 = 2.0\n", "did you mean 'predictor'?"),
    ],
)
def test_wrong_settings_are_told_at_their_place(
    run: Run, reviews: Path, lines: str, said: str
) -> None:
    settings = (reviews / "tacit.toml").read_text()
    (reviews / "tacit.toml").write_text(lines + settings if lines[0] != "[" else settings + lines)
    answer = run("fit")
    assert answer.code == 2
    assert said in answer.err
    assert "tacit.toml:" in answer.err
    assert not (reviews / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--predictor", "linaer"], "did you mean 'linear'?"),
        (["rules.tacit"], "a program without data"),
        (["--out", "data"], "is not a saved model"),
        (["--rounds", "0"], "rounds=0 must be from 1"),
        (["nowhere"], "nowhere is not there"),
    ],
)
def test_what_cannot_be_done_is_bad_input(
    run: Run, reviews: Path, arguments: list[str], said: str
) -> None:
    answer = run("fit", *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""
    assert json.loads(run("fit", "--json", *arguments).out)["ok"] is False


def test_projects_without_labels_or_text(run: Run, reviews: Path) -> None:
    settings = (reviews / "tacit.toml").read_text()
    (reviews / "tacit.toml").write_text(settings.replace('text = "review.text"\n', ""))
    (reviews / "rules.tacit").write_text(
        "label sentiment(review) = neg | pos\nobserved lexicon(word, class)\n"
    )
    answer = run("fit")
    assert answer.code == 2
    assert 'such as text = "review.text"' in answer.err
    (reviews / "rules.tacit").write_text("observed lexicon(word, class)\n")
    assert "declares no label function" in run("fit").err


def test_a_label_function_without_text_has_no_network(run: Run, reviews: Path) -> None:
    (reviews / "rules.tacit").write_text(
        RULES.replace("word", "lexicon")
        + "label tone(lexicon) = soft | loud\nloud: 1.0! lexicon(w, l) => tone(w) = loud\n"
    )
    answer = run("fit", "--json").json
    assert "tone has no network, only evidence" in " ".join(answer["notes"])
    assert list(tacit.load("runs/linear").predictors_) == ["sentiment"]


def test_a_terminal_gets_lines_that_fit(reviews: Path) -> None:
    shown = on_terminal("fit", cwd=reviews, columns=80)
    lines = [line for line in bare(shown) if "fitting" not in line]  # the bar of slow machines
    assert max(map(len, lines)) <= 80


def test_every_setting_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    assert all(f"`{key}`" in page for key in fit_keys())
    assert all(f"`{kind}`" in page for kind in predictor_kinds())


def test_help_has_an_example(run: Run) -> None:
    answer = run("fit", "--help")
    assert answer.code == 0
    assert "tacit fit reviews --predictor linear" in " ".join(answer.out.split())
