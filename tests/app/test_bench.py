"""`tacit bench`: numbers of this machine, and the benchmarks of a checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit
from tacit.app.bench import run as bench
from tacit.app.bench.checkout import benchmarks_in, find_checkout
from tacit.app.bench.run import STEPS, Measured, measured, print_measured
from tacit.app.bench.task import RULES, write_task
from tacit.app.cli import main
from tacit.app.console import make_console

from .conftest import Run

ROOT = Path(__file__).parents[2]
README = "# Benchmarks\n\n## echo\n\nSays it again.\n\n## Peers\n\n## absent\n"
ECHO = '"""Says what it is told.\n\nTwice."""\nimport sys\nprint(sys.argv[1:])\nsys.exit(5)\n'


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that is no checkout, with a package that was installed."""
    monkeypatch.setattr(tacit, "__file__", str(tmp_path / "lib" / "tacit" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def checkout(elsewhere: Path) -> Path:
    """A checkout with one benchmark, in the working folder."""
    (elsewhere / "src" / "tacit").mkdir(parents=True)
    (elsewhere / "benchmarks").mkdir()
    (elsewhere / "benchmarks" / "README.md").write_text(README)
    (elsewhere / "benchmarks" / "echo.py").write_text(ECHO)
    return elsewhere


def test_every_step_is_measured_on_both_tasks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "TEXTS", 300)
    answer = run("bench", "--json").json
    assert answer["ok"] is True
    assert answer["machine"]["tacit"] == tacit.__version__
    steps = answer["steps"]
    assert [own["step"] for own in steps] == [*STEPS] * 2
    assert [own["rows"] for own in steps] == [2000] * len(STEPS) + [300] * len(STEPS)
    assert all(own["seconds"] > 0 for own in steps)
    assert sum(own["seconds"] for own in steps) < answer["seconds"]
    assert all(
        own["rows_per_second"] == pytest.approx(own["rows"] / own["seconds"], rel=0.01)
        for own in steps
    )


@pytest.mark.slow
def test_it_takes_half_a_minute_at_most(run: Run) -> None:
    assert run("bench", "--json").json["seconds"] < 30


def test_steps_are_told_in_order(tmp_path: Path) -> None:
    told: list[str] = []
    found = [*measured("some", write_task(tmp_path, 200), RULES, told.append)]
    assert told == [f"some: {step}" for step in STEPS]
    assert [own.step for own in found] == list(STEPS)


def test_the_made_up_task_is_always_the_same(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    files, again = write_task(one, 150), write_task(other, 150)
    assert set(files) == {"review", "lexicon", "near"}
    for name in files:
        assert files[name].read_bytes() == again[name].read_bytes()
    assert len(files["review"].read_text().splitlines()) == 151


def test_a_table_for_each_task(capsys: pytest.CaptureFixture[str]) -> None:
    found = [Measured("small", "ground", 2000, 0.5), Measured("large", "ground", 20_000, 2.0)]
    print_measured(make_console(), found, 3.0)
    lines = capsys.readouterr().out.splitlines()
    assert "small: 2,000 texts" in lines
    assert any(line.split() == ["ground", "2.000", "10,000"] for line in lines)
    assert "Measured in 3.0 s." in lines


def test_the_list_of_this_checkout(run: Run) -> None:
    assert find_checkout() == ROOT
    answer = run("bench", "--list")
    assert answer.code == 0
    names = [own["name"] for own in run("bench", "--list", "--json").json["benchmarks"]]
    assert {"grounding", "inference", "label_model", "dpl", "s4"} <= set(names)
    for own in benchmarks_in(ROOT):
        assert own.about.endswith(".")
        assert f"  {own.name} " in answer.out
        assert "__main__" in (ROOT / "benchmarks" / f"{own.name}.py").read_text()


def test_a_benchmark_runs_with_its_own_arguments(
    checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "echo", "--", "--quick", "2"]) == 5
    assert capfd.readouterr().out == "['--quick', '2']\n"


def test_names_and_options_that_are_not_there(run: Run, checkout: Path) -> None:
    answer = run("bench", "ecco")
    assert answer.code == 2
    assert "there is no benchmark 'ecco'; there are: echo" in answer.err
    assert "did you mean 'echo'?" in answer.err
    answer = run("bench", "echo", "--json")
    assert answer.code == 2
    assert "tacit bench echo -- --json" in answer.json["errors"][0]["remedy"]


def test_without_a_checkout_it_says_where_they_are(run: Run, elsewhere: Path) -> None:
    for arguments in (["--list"], ["grounding"]):
        answer = run("bench", *arguments)
        assert answer.code == 2
        assert "no part of the installed package" in answer.err
        assert "in a checkout of tacit's repository" in answer.err
