"""Recording a program as it grows: one snapshot a program, also when the run is resumed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import tacit
from tacit.errors import BadFile
from tacit.learning.identity import program_fingerprint
from tacit.logic.evidence import Origin
from tacit.report.metrics import accuracy
from tacit.report.record import RunRecord
from tacit.report.record_of import About, Growth, record_of
from tacit.report.recording import Recorder, labels_of, packed, stage_of, unpacked
from tacit.s4.health import Health
from tests.s4.corpora import OFTEN, Knows, drifting, reviews, s4, sides

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")

Told = list[tuple[int, Health, tacit.DPL]]
GOLD = {"y": np.array([("neg", "pos").index(side) for side in sides()])}


@cache
def growth() -> tuple[tacit.S4, Told]:
    """A run of two rounds and some answers, and all that was told of it."""
    told: Told = []
    model = s4(budget=2, at_once=1, reviewer=Knows(), settled=0.0)
    model.fit(*reviews(), progress=lambda *own: told.append(own))
    return model, told


def recorded(*told: tuple[int, Health, tacit.DPL], before: RunRecord | None = None) -> Recorder:
    task, seed = reviews()
    recorder = Recorder(seed, task.fingerprint(), GOLD, before)
    for own in told:
        recorder.tell(*own)
    return recorder


def record(recorder: Recorder, model: tacit.DPL) -> RunRecord:
    about = About(name="x", predictor="linear", command="tacit grow", when=0.0, seconds=0.0)
    grown = Growth(recorder=recorder, seeds="", additions=(), questions=(), reason="")
    return record_of(model, about, growth=grown, instances=0)


def test_each_program_has_one_snapshot_with_its_numbers() -> None:
    model, told = growth()
    found = recorded(*told, *told).snapshots
    programs = list(dict.fromkeys(program_fingerprint(own.program_) for _, _, own in told))
    assert [one.program for one in found] == programs
    assert [(one.stage, one.number) for one in found[:3]] == [
        ("seeds", 0),
        ("round", 1),
        ("round", 2),
    ]
    assert {"answers"} < {one.stage for one in found}
    assert found[-1].rules == len(model.program_.evidence)
    for one, (_, health, fitted) in zip(found, told, strict=False):
        posterior = fitted.posterior_
        assert one.health == health.as_dict()
        assert one.counts["y"] == tuple(np.bincount(posterior.argmax(axis=1)).tolist())
        assert one.accuracy == {"y": accuracy(posterior, GOLD["y"])}


def test_flow_leads_from_one_snapshot_to_the_next() -> None:
    found = recorded(*growth()[1])
    labels = [labels_of(own)["y"] for _, _, own in growth()[1]]
    first, *others = found.snapshots
    assert first.flow is None
    before = first
    for one, was, now in zip(others, labels, labels[1:], strict=False):
        assert one.flow is not None
        flow = np.array(one.flow["y"])
        expected = [[np.sum((was == a) & (now == b)) for b in (0, 1)] for a in (0, 1)]
        assert flow.tolist() == expected
        assert tuple(flow.sum(axis=1)) == before.counts["y"]
        assert tuple(flow.sum(axis=0)) == one.counts["y"]
        before = one


@pytest.mark.parametrize("n_before", [1, 2, 3])
def test_a_run_that_is_resumed_is_recorded_as_if_it_was_not(n_before: int) -> None:
    told = growth()[1]
    first = recorded(*told[:n_before])
    before = record(first, told[n_before - 1][2])
    # What was told last is told again when a run is resumed, and so may be what came before.
    resumed = recorded(*told[n_before - 1 :], before=before)
    whole = recorded(*told)
    assert resumed.snapshots == whole.snapshots
    assert resumed.labels is not None
    assert whole.labels is not None
    assert np.array_equal(resumed.labels["y"], whole.labels["y"])


def test_the_record_of_another_run_is_passed_over() -> None:
    told = growth()[1]
    before = record(recorded(*told), told[-1][2])
    assert recorded(before=before).snapshots
    for other in (replace(before.made, seeds="other"), replace(before.made, data="other")):
        assert recorded(before=replace(before, made=other)).snapshots == ()


def test_labels_that_are_damaged_are_refused() -> None:
    labels = {"y": np.array([0, 1, 300, 2]), "z": np.zeros(0, dtype=np.int64)}
    again = unpacked(packed(labels))
    assert {name: own.tolist() for name, own in again.items()} == {"y": [0, 1, 300, 2], "z": []}
    for text in ("?", packed(labels)["y"][:-6]):
        with pytest.raises(BadFile, match="damaged"):
            unpacked({"y": text})


def test_a_lost_record_still_tells_the_beginning_and_the_end() -> None:
    model, told = growth()
    recorder = recorded()
    recorder.complete(model.start_, model.model_)
    first, last = recorder.snapshots
    whole = recorded(*told).snapshots
    assert first == whole[0]
    assert (last.stage, last.number, last.program) == (
        whole[-1].stage,
        whole[-1].number,
        whole[-1].program,
    )
    assert last.flow is not None
    again = recorder.snapshots
    recorder.complete(model.start_, model.model_)
    assert recorder.snapshots == again


def test_a_round_that_was_taken_back_is_marked() -> None:
    recorder = recorded(*growth()[1][:3])
    about = About(name="x", predictor="linear", command="", when=0.0, seconds=0.0)
    gone = ({"round": 2, "state": "rolled back"}, {"round": 1, "state": "in force"})
    grown = Growth(recorder=recorder, seeds="", additions=gone, questions=(), reason="")
    found = record_of(growth()[0].model_, about, growth=grown, instances=0)
    assert [one.taken_back for one in found.snapshots] == [False, False, True]
    assert found.kind == "grow"


def test_the_guard_leaves_a_snapshot_behind() -> None:
    task, seed = drifting()
    recorder = Recorder(seed, task.fingerprint())
    model = s4(batch=5, frequency=OFTEN).fit(task, seed, progress=recorder.tell)
    recorder.complete(model.start_, model.model_)
    assert [(one.stage, one.number) for one in recorder.snapshots] == [("seeds", 0), ("round", 1)]


def test_stages_follow_from_origins() -> None:
    seed = tacit.Program.parse(
        'label y(d) = a | b\nobserved token(d, word)\none: 1.0 token(x, "s") => y(x) = a'
    )
    rule = seed.evidence[0]

    def grown(*origins: Origin) -> tacit.Program:
        more = tuple(replace(rule, name=f"n{k}", origin=own) for k, own in enumerate(origins))
        return replace(seed, evidence=(*seed.evidence, *more))

    by_round = Origin("sst", (("score", 0.5), ("round", 3)))
    by_person = Origin("fal", (("score", 0.5), ("by", "ann"), ("question", "q")))
    assert stage_of(seed, seed) == ("seeds", 0)
    assert stage_of(grown(by_person, by_round), seed) == ("round", 3)
    assert stage_of(grown(by_round, by_person, by_round, by_person), seed) == ("answers", 2)
