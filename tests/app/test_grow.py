"""`tacit grow`: from a project to a larger program, also after a kill."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit

from .conftest import Run
from .growing import RULES, WORDS, write_growing_project
from .test_app_command import bare, on_terminal

TEXTS = ["a tender and witty film", "stale, hollow and dull"]
# A process that gets a signal when its second network is trained.
STOPPED = (
    "import os, signal, sys; from tacit.app.cli import main; "
    "from tacit.predictors.linear import Linear; fit_soft = Linear.fit_soft; calls = []\n"
    "def fit(*given, **more):\n"
    "    calls.append(1)\n"
    "    if len(calls) == 8: os.kill(os.getpid(), getattr(signal, sys.argv[1]))\n"
    "    return fit_soft(*given, **more)\n"
    "Linear.fit_soft = fit\n"
    "sys.exit(main(['grow', *sys.argv[2:]]))\n"
)


def in_twos(folder: Path) -> Path:
    """Make a project whose rules can grow, two words of each label a round."""
    write_growing_project(folder)
    with (folder / "tacit.toml").open("a") as settings:
        settings.write("[grow]\nbatch = 2\n")
    return folder


@pytest.fixture
def growing(project: Path) -> Path:
    """A project whose rules can grow, two words of each label a round."""
    return in_twos(project)


def stopped(growing: Path, how: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What is left of a run that got a signal."""
    command = [sys.executable, "-c", STOPPED, how, *arguments]
    return subprocess.run(command, cwd=growing, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with what a run left that was killed, to be copied."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "data").mkdir()
    assert stopped(in_twos(folder), "SIGKILL").returncode == -signal.SIGKILL
    return folder


@pytest.fixture
def killed(killed_once: Path, growing: Path) -> Path:
    """A project whose run was killed."""
    return Path(shutil.copytree(killed_once, growing, dirs_exist_ok=True))


def words(answer: dict[str, Any]) -> set[str]:
    return {one["words"] for one in answer["additions"] if one["state"] == "in force"}


def test_shows_what_was_learned_and_saves_it(run: Run, growing: Path) -> None:
    answer = run("grow")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "small  tacit.toml"
    assert lines[2] == "Before and after, predictor linear"
    assert lines[3].split() == ["rules", "coverage", "agreement", "remembered", "imbalance"] + [
        "accuracy"
    ]
    assert lines[4].split() == ["your", "rules", "2", "33.3", "%", "-", "-", "-", "66.7", "%"]
    assert lines[6].startswith("  + learned (S4)      10   100.0 %")
    assert any(line.split()[:2] == ["1", "neg"] for line in lines)
    assert any(line.startswith("Self-training ended: ") for line in lines)
    assert "Program  grown.tacit" in lines
    assert "Ledger   ledger.sqlite" in lines
    assert "Model    runs/s4-linear" in lines
    assert any(line.startswith("8 rules learned from 2 rounds: ") for line in lines)
    model = tacit.load("runs/s4-linear")
    assert model.predict(TEXTS) == ["pos", "neg"]
    assert (growing / "rules.tacit").read_text() == RULES
    assert sorted(path.name for path in growing.iterdir()) == sorted(
        ["data", "grown.tacit", "ledger.record.json", "ledger.sqlite"]
        + ["rules.tacit", "runs", "tacit.toml"]
    )


def test_a_line_is_told_of_each_fit(run: Run, growing: Path) -> None:
    lines = run("grow").err.splitlines()
    assert lines[0].split() == ["round", "rules", "coverage", "agreement", "remembered", "learned"]
    assert lines[1].split() == ["seeds", "0", "33.3", "%", "100.0", "%", "100.0", "%"]
    assert [line.split()[:2] for line in lines[2:4]] == [["1", "4"], ["2", "8"]]
    assert run("grow", "--json").err == ""


def test_the_grown_program_is_the_seeds_and_what_was_learned(run: Run, growing: Path) -> None:
    assert run("grow", "--program", "more/all.tacit").code == 0
    text = Path("more/all.tacit").read_text()
    assert RULES.rstrip() in text  # comments and all
    assert "\n# round 1\n" in text
    program = tacit.Program.parse(text)
    assert program == tacit.load("runs/s4-linear").program_
    assert program["pos_witty"].origin.kind == "sst"
    assert run("check", "more/all.tacit").code == 0


def test_json_twin_has_the_same_facts(run: Run, growing: Path) -> None:
    answer = run("grow", "--json", "--out", "made/first", "--ledger", "book.sqlite").json
    assert answer["ok"] is True
    assert (answer["run"], answer["ledger"]) == ("made/first", "book.sqlite")
    assert (answer["rounds"], answer["budget"], answer["asked"]) == (2, 0, 0)
    assert [stage["name"] for stage in answer["stages"]] == ["seeds", "DPL", "S4"]
    assert [stage["rules"] for stage in answer["stages"]] == [2, 2, 10]
    assert answer["stages"][2]["accuracy"] == {"sentiment": 1.0}
    assert words(answer) < {*WORDS["pos"][1:], *WORDS["neg"][1:]}
    assert [one["round"] for one in answer["additions"]] == [1] * 4 + [2] * 4
    assert (answer["questions"], answer["resumed"], answer["notes"]) == ([], 0, [])


def test_without_gold_there_is_no_accuracy(run: Run, growing: Path) -> None:
    settings = (growing / "tacit.toml").read_text()
    gold = '[gold]\nsentiment = "data/gold.csv"\n'
    (growing / "tacit.toml").write_text(settings.replace(gold, ""))
    answer = run("grow", "--rounds", 1)
    assert answer.code == 0
    assert "accuracy" not in answer.out


def test_a_rerun_goes_on_where_the_ledger_stands(run: Run, growing: Path) -> None:
    first = run("grow", "--json", "--rounds", 1).json
    again = run("grow", "--json", "--rounds", 1).json
    assert again["additions"] == first["additions"]
    assert again["resumed"] > 0
    assert "went on where ledger.sqlite stood" in again["notes"][-1]


def test_a_killed_run_goes_on(run: Run, killed: Path) -> None:
    assert not (killed / "grown.tacit").exists()
    resumed = run("grow", "--json").json
    assert resumed["resumed"] > 1
    whole = run("grow", "--json", "--ledger", "whole.sqlite", "--out", "whole").json
    assert whole["resumed"] == 0
    assert words(resumed) == words(whole)
    models = tacit.load("runs/s4-linear"), tacit.load("whole")
    assert np.array_equal(models[0].posterior_, models[1].posterior_)


def test_ctrl_c_says_how_to_go_on(run: Run, growing: Path) -> None:
    process = stopped(growing, "SIGINT")
    assert process.returncode == 130
    assert process.stdout == ""
    told = "all rounds and answers so far are in ledger.sqlite: the same command goes on from there"
    assert process.stderr.splitlines()[-2:] == [f"  note: {told}", "interrupted"]
    assert run("grow", "--json").json["resumed"] > 1


def test_fresh_keeps_the_old_ledger(run: Run, growing: Path) -> None:
    run("grow", "--rounds", 1)
    before = Path("ledger.sqlite").read_bytes()
    (growing / "rules.tacit").write_text(RULES.replace("2.2", "2.0"))
    refused = run("grow")
    assert refused.code == 2
    assert "the ledger ledger.sqlite is of a run on another program" in refused.err
    assert "--fresh" in refused.err
    answer = run("grow", "--rounds", 1, "--fresh", "--json").json
    assert answer["resumed"] == 0
    assert "the ledger of before is kept as ledger-1.sqlite" in answer["notes"]
    assert Path("ledger-1.sqlite").read_bytes() == before
    assert run("grow", "--rounds", 1, "--fresh").code == 0
    assert Path("ledger-2.sqlite").is_file()


def test_a_ledger_that_was_in_use_is_moved_whole(run: Run, killed: Path) -> None:
    """What SQLite keeps beside the file until it is closed must not be lost."""
    assert (killed / "ledger.sqlite-wal").exists()
    assert run("grow", "--fresh", "--rounds", 0).code == 0
    assert len(run("grow", "--list", "--json", "--ledger", "ledger-1.sqlite").json["additions"]) > 3


def test_votes_of_python_functions_are_not_written_twice(run: Run, growing: Path) -> None:
    settings = (growing / "tacit.toml").read_text()
    (growing / "tacit.toml").write_text('python = "rules.py"\n' + settings)
    (growing / "rules.py").write_text(
        "import tacit\n@tacit.labelling_function()\ndef shouts(text):\n"
        '    return "neg" if "dull" in text else None\n'
    )
    assert run("grow", "--rounds", 1).code == 0
    settings = (growing / "tacit.toml").read_text()
    (growing / "tacit.toml").write_text('program = "grown.tacit"\n' + settings)
    assert run("check").code == 0


def test_settings_come_from_the_project(run: Run, growing: Path) -> None:
    settings = (growing / "tacit.toml").read_text()
    more = 'weight = 1.1\nrelations = ["token"]\n[fit]\nrounds = 2\n[predictor]\nl2 = 2.0\n'
    (growing / "tacit.toml").write_text(f"{settings}rounds = 1\n{more}")
    assert run("grow", "--json").json["rounds"] == 1
    model = tacit.load("runs/s4-linear")
    assert model.rounds == 2
    assert vars(model.predictor_)["l2"] == 2.0
    assert "pos_witty: 1.1 " in Path("grown.tacit").read_text()


def test_a_terminal_gets_lines_that_fit(growing: Path) -> None:
    shown = bare(on_terminal("grow", cwd=growing, columns=80))
    lines = [line for line in shown if "\x1b" not in line]  # the clock moves the cursor
    assert any(line.startswith("  + learned (S4)") for line in lines)
    assert max(map(len, lines)) <= 80


def test_help_has_an_example(run: Run) -> None:
    answer = run("grow", "--help")
    assert answer.code == 0
    assert "tacit grow reviews --budget 10" in " ".join(answer.out.split())
