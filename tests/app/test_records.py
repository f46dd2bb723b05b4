"""Records of `tacit fit`, and of programs while they grow."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import tacit
from tacit.app.project import Project, load_project
from tacit.app.records import (
    GrowRecorder,
    Start,
    command_line,
    fit_record,
    live_record,
    move_record,
    write_record,
)
from tacit.learning.identity import program_fingerprint
from tacit.report.record import RunRecord, read_record, record_text
from tacit.review import Ledger, ReviewerLeft
from tests.s4.corpora import Knows, Leaves, Problem, noon, reviews, s4, sides

from .conftest import Run
from .growing import RULES, write_growing_project

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")

KNOWN: dict[str, Any] = {"seeds": "# seeds", "budget": 3, "traced": 0}
SETTINGS: dict[str, Any] = {"budget": 3, "at_once": 1, "settled": 0.0}


def project_of(problem: Problem) -> Project:
    """A problem as if it had been read from files."""
    task, program = problem
    gold = {"y": {str(row): side for row, side in enumerate(sides())}}
    return Project("small", "tacit.toml", "rules.tacit", program, task, gold, ())


def grow(path: Path, reviewer: Any = None, told: Any = None, clock: Any = noon) -> RunRecord:
    """The record of a run on a ledger, new or not; `told` is called after each fit."""
    project = project_of(reviews())
    with Ledger(path) as ledger:
        recorder = GrowRecorder(project, "linear", ledger, **KNOWN)
        model = s4(reviewer=reviewer or Knows(), **SETTINGS)

        def tell(*own: Any) -> None:
            recorder.tell(*own)
            if told is not None:
                told(recorder)

        model.fit(project.task, project.program, ledger=ledger, progress=tell, clock=clock)
        return recorder.finished(model, ["all is well"])


@cache
def straight() -> RunRecord:
    """The record of a run that nothing has interrupted."""
    with TemporaryDirectory() as folder:
        return grow(Path(folder) / "ledger.sqlite")


def lasting(record: RunRecord) -> RunRecord:
    """A record without what differs from run to run."""
    rounds = tuple({**one, "seconds": 0.0} for one in record.rounds)
    made = replace(record.made, when=0.0, seconds=0.0)
    return replace(record, made=made, rounds=rounds)


class Stopped(Exception):
    """Instead of a kill."""


def test_fit_writes_a_record_with_the_model(run: Run, project: Path) -> None:
    write_growing_project(project)
    answer = run("fit", "--json", "--rounds", 2)
    assert answer.code == 0, answer.err
    record = read_record(Path("runs/linear"))
    model, read = tacit.load("runs/linear"), load_project(".")
    assert (record.kind, record.name, record.predictor) == ("fit", "small", "linear")
    assert [one["number"] for one in record.rounds] == [1, 2]
    assert record.notes == tuple(answer.json["notes"])
    (own,) = record.functions
    counts = {label["label"]: label["instances"] for label in answer.json["labels"]}
    assert dict(zip(own.labels, own.counts, strict=True)) == counts
    assert own.gold is not None
    assert own.gold.n == own.n_instances
    assert record.made.data == read.task.fingerprint()
    assert record.made.program == program_fingerprint(read.program)
    assert 0 < record.made.seconds <= answer.json["seconds"]
    assert record.program == (Path("runs/linear") / "learned.tacit").read_text()
    first = record.instances[0]
    assert first.posterior == tuple(model.posterior_[int(first.id[1:])].tolist())


def test_a_run_that_is_fitted_again_has_a_new_record(run: Run, project: Path) -> None:
    write_growing_project(project)
    run("fit", "--rounds", 1)
    (project / "rules.tacit").write_text(RULES.replace("2.2   token", "1.1   token", 1))
    before = read_record(Path("runs/linear"))
    assert run("fit", "--rounds", 1).code == 0
    after = read_record(Path("runs/linear"))
    assert before.made.program != after.made.program
    assert before.made.data == after.made.data


def test_a_growing_program_is_recorded_after_each_fit(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    seen: list[RunRecord] = []
    record = grow(path, told=lambda own: seen.append(read_record(own.path)))
    assert live_record(path).name == "ledger.record.json"
    assert read_record(live_record(path)) == record
    assert [len(one.snapshots) for one in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].snapshots == record.snapshots
    assert [one.snapshots[-1].program for one in seen] == [one.made.program for one in seen]
    assert (record.kind, record.seeds, record.notes) == ("grow", "# seeds", ("all is well",))
    assert record.facts == {"budget": 3, "asked": 3, "began": noon()}
    assert len(record.questions) == 3
    assert {one["who"] for one in record.questions} == {"ann"}
    stages = [(one.stage, one.number) for one in record.snapshots]
    assert stages[:3] == [("seeds", 0), ("round", 1), ("round", 2)]
    yes = [one for one in record.questions if one["answer"] in ("neg", "pos")]
    assert max(number for stage, number in stages if stage == "answers") == len(yes)
    assert record.reason == "all rounds are done"
    assert {one["origin"] for one in record.additions} == {"sst", "fal"}
    assert all(one.accuracy is not None for one in record.snapshots)
    assert record.instances[0].gold == sides()[int(record.instances[0].id)]


def test_grow_writes_a_record_with_the_model_and_beside_the_ledger(run: Run, project: Path) -> None:
    write_growing_project(project)
    answer = run("grow", "--json", "--rounds", 1)
    assert answer.code == 0, answer.err
    record = read_record(Path("runs/s4-linear"))
    assert read_record(Path("ledger.record.json")) == record
    assert (record.kind, record.seeds) == ("grow", RULES)
    assert [(one.stage, one.number) for one in record.snapshots] == [("seeds", 0), ("round", 1)]
    assert list(record.additions) == answer.json["additions"]
    assert (record.notes, record.reason) == (tuple(answer.json["notes"]), answer.json["reason"])
    assert tacit.load("runs/s4-linear").program_ != load_project(".").program
    assert run("grow", "--fresh", "--json", "--rounds", 0).code == 0
    assert read_record(Path("ledger-1.record.json")) == record
    (only,) = read_record(Path("ledger.record.json")).snapshots
    assert only.stage == "seeds"


def test_the_record_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "one.record.json"
    write_record(path, straight())
    broken = replace(straight(), facts={"share": float("nan")})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_record(path, broken)
    assert read_record(path) == straight()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_stopped_at_every_fit_is_recorded_as_if_it_was_not(when: str, tmp_path: Path) -> None:
    path, known = tmp_path / "ledger.sqlite", set[str]()
    project = project_of(reviews())
    for _ in range(20):
        with Ledger(path) as ledger:
            recorder = GrowRecorder(project, "linear", ledger, **KNOWN)
            model = s4(reviewer=Knows(), **SETTINGS)

            def tell(*own: Any, recorder: GrowRecorder = recorder) -> None:
                new = (text := own[2].program_.show()) not in known
                known.add(text)
                if new and when == "before":
                    raise Stopped
                recorder.tell(*own)
                if new:
                    raise Stopped

            try:
                model.fit(project.task, project.program, ledger=ledger, progress=tell, clock=noon)
            except Stopped:
                continue
            record = recorder.finished(model, ["all is well"])
            break
    assert len(known) == len(straight().snapshots) > 3
    assert lasting(record) == lasting(straight())


def test_going_on_after_the_end_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    first = grow(path)
    assert lasting(grow(path)) == lasting(first)
    live_record(path).unlink()
    again = grow(path)  # what was between is lost, but not the beginning and the end
    assert [one.program for one in again.snapshots] == [
        first.snapshots[0].program,
        first.snapshots[-1].program,
    ]
    assert again.additions == first.additions
    for text in ("{", '{"format": 99}', json.dumps(first.as_dict() | {"last_labels": {"y": "?"}})):
        live_record(path).write_text(text)
        assert lasting(grow(path)) == lasting(again)


def test_a_reviewer_who_leaves_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    left = grow(path, Leaves(Knows(), 1, ReviewerLeft))
    assert left.facts["asked"] == 1
    back = grow(path)
    assert back.snapshots[: len(left.snapshots)] == left.snapshots
    assert back.facts["asked"] == 3


def test_a_new_ledger_begins_a_new_record(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    first = grow(path)
    moved = tmp_path / "ledger-1.sqlite"
    path.rename(moved)
    move_record(path, moved)
    assert not live_record(path).exists()
    assert read_record(live_record(moved)) == first
    seen: list[int] = []
    grow(path, told=lambda own: seen.append(len(own.recorder.snapshots)))
    assert seen[0] == 1


def test_the_record_of_another_ledger_is_passed_over(tmp_path: Path) -> None:
    path, other = tmp_path / "ledger.sqlite", tmp_path / "other.sqlite"
    grow(path)
    later = grow(other, Leaves(Knows(), 0, ReviewerLeft), clock=lambda: noon() + 60)
    live_record(other).unlink()
    other.rename(path)
    seen: list[int] = []
    again = grow(path, told=lambda own: seen.append(len(own.recorder.snapshots)))
    assert seen[0] == 1
    assert again.facts["began"] == later.facts["began"] == noon() + 60


def test_the_command_is_told_as_it_was_typed() -> None:
    assert command_line(["/usr/bin/tacit", "fit", "my reviews"]) == "tacit fit 'my reviews'"
    assert command_line(["/tacit/lib/tacit/__main__.py", "grow"]) == "python -m tacit grow"
    worker = command_line(["/lib/tacit/app/grow/worker.py", "."])
    assert worker == "python -m tacit.app.grow.worker ."
    assert command_line(["mine.py"]) == "mine.py"
    start = Start(when=5.0, command="tacit fit")
    assert (start.when, start.command) == (5.0, "tacit fit")
    assert 0 <= start.seconds < 5


def test_a_record_does_not_grow_with_the_data() -> None:
    few, many = (record_text(record_of_size(n)) for n in (60, 2000))
    assert len(many) < 1.5 * len(few)


def record_of_size(n: int) -> RunRecord:
    project = project_of(reviews(n))
    model = tacit.DPL("linear", rounds=1).fit(project.task, project.program)
    return fit_record(project, model, "linear", Start())
