"""A run that is killed at any moment goes on as if it had not been."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.review import Ledger
from tests.s4.corpora import grown, kinds, reviews, same_model, told
from tests.s4.killed_growth import Crashed, after_commit, crash, grow, within_turn

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


@cache
def straight(kind: str = "reviews") -> tuple[tacit.S4, list[Any], list[str]]:
    """A run that nothing interrupts: its model, its ledger and the words it asked about."""
    with TemporaryDirectory() as folder:
        path, words = Path(folder) / "ledger.sqlite", list[str]()
        model = grow(path, kind, words)
        return model, told(path), words


def resumed_until_done(path: Path, kind: str, interrupt: Any) -> tuple[tacit.S4, int, list[str]]:
    """Runs that each end at the next crash, and the last that does not; all words asked about."""
    expected, words = straight(kind)[1], list[str]()
    for n_crashes in range(len(expected) + 9):
        with interrupt():
            try:
                return grow(path, kind, words), n_crashes, words
            except Crashed:
                assert told(path) == expected[: len(told(path))]
    pytest.fail("it never ends")


def assert_as_if_nothing_happened(model: tacit.S4, path: Path, kind: str = "reviews") -> None:
    whole, events, _ = straight(kind)
    assert told(path) == events
    if kind != "two":
        assert same_model(model, whole)
    else:
        assert model.program_ == whole.program_
        for name, own in whole.posterior_.items():
            assert np.array_equal(model.posterior_[name], own)
        assert model.weights_ == whole.weights_


def test_the_run_has_every_kind_of_event_and_answer() -> None:
    model, events, words = straight()
    seen = [dict(event) for event in events]
    assert {own["kind"] for own in seen} == {
        "started",
        "health",
        "added",
        "proposed",
        "answered",
        "undone",
    }
    chosen = [own["payload"]["choice"] for own in seen if own["kind"] == "answered"]
    assert {"reject", "skip"} <= set(chosen)
    assert {"neg", "pos"} & set(chosen)
    assert len(words) == 7
    assert len(model.rounds_) == 2  # one before the questions, one after


@pytest.mark.parametrize("kind", ["reviews", "two", "ahead"])
def test_a_crash_after_every_write_changes_nothing(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    model, n_crashes, words = resumed_until_done(path, kind, lambda: after_commit(crash))
    assert_as_if_nothing_happened(model, path, kind)
    assert n_crashes >= len(kinds(path)) / 2
    assert words == straight(kind)[2]  # what was answered was not asked again


def test_a_crash_within_every_step_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    places: set[int] = set()
    model, n_crashes, words = resumed_until_done(
        path, "reviews", lambda: within_turn(crash, places)
    )
    assert_as_if_nothing_happened(model, path)
    assert n_crashes == 6  # a round of three events and one of two, three answers with evidence
    again = [word for at, word in enumerate(words) if word in words[:at]]
    assert (
        len(words) == len(straight()[2]) + 3
    )  # an answer that was not recorded is asked for again
    assert set(again) <= set(straight()[2])


def test_kill_minus_nine_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    # In the first round, of which nothing is left; then when a first answer is recorded.
    for where, n_done in (("within", 1), ("4", 8)):
        command = [sys.executable, "-m", "tests.s4.killed_growth", str(path), where]
        root = Path(__file__).parents[2]
        killed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert told(path) == straight()[1][:n_done]
    words: list[str] = []
    assert_as_if_nothing_happened(grow(path, words=words), path)
    assert words == straight()[2][1:]


def test_a_ledger_that_is_open_may_be_used(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        first = grown(reviews(), ledger)
        assert ledger.history()  # it is still open
        assert same_model(first, grown(reviews(), ledger))
