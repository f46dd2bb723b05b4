"""What learns last may take longer than all growth: it goes on where it was killed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import BadFile
from tacit.learning.checkpoints import rounds_done
from tacit.predictors.linear import Linear
from tacit.review import Ledger, Stamp
from tests.s4.corpora import NOON, grown, noon, quick, reviews, s4, same_model
from tests.s4.killed_growth import Crashed

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


def model(folds: int = 1) -> tacit.S4:
    """Single words grow the program, and pairs of them learn last, in three rounds."""
    dpl = quick(rounds=3, settled=0.0, folds=folds)
    return s4(predictor=Linear(ngrams=(1, 1)), final=Linear(), dpl=dpl)


class Told:
    """Is told of the last training, and can make it crash in a round."""

    def __init__(self, crash_in: int = 0) -> None:
        self.crash_in, self.rounds = crash_in, list[int]()

    def __call__(self, number: int, rounds: int, *rest: Any) -> None:
        self.rounds.append(number)
        if number == self.crash_in:
            raise Crashed


def run(folder: Path, folds: int = 1, crash_in: int = 0) -> tuple[tacit.S4, set[int]]:
    """A run with its files, and the rounds of the last training that it was in."""
    told = Told(crash_in)
    files = {"ledger": folder / "ledger.sqlite", "checkpoint": folder / "kept"}
    found = model(folds).fit(*reviews(), **files, last_training=told, clock=noon)
    return found, set(told.rounds)


# Where folds vote, what is kept learns behind all rounds.
@pytest.mark.parametrize(("folds", "crash_in", "left"), [(1, 3, {3}), (2, 3, {3, 4}), (2, 4, {4})])
def test_it_goes_on_behind_its_last_round_and_ends_as_if_nothing_had_happened(
    folds: int, crash_in: int, left: set[int], tmp_path: Path
) -> None:
    with pytest.raises(Crashed):
        run(tmp_path, folds, crash_in)
    assert rounds_done(tmp_path / "kept") == crash_in - 1
    resumed, rounds = run(tmp_path, folds)
    assert rounds == left
    whole = model(folds).fit(*reviews(), clock=noon)
    assert same_model(resumed, whole)
    assert run(tmp_path, folds)[1] == set()  # all is learned: it is only read
    assert same_model(run(tmp_path, folds)[0], whole)


def test_what_was_kept_of_a_program_that_has_changed_since_is_of_no_use(tmp_path: Path) -> None:
    first, _ = run(tmp_path)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.undo(first.added_[0].name, Stamp("ada", NOON))
    less, rounds = run(tmp_path)
    assert less.program_ != first.program_
    assert rounds == {1, 2, 3}
    assert rounds_done(tmp_path / "kept") == 3


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "thesis.tex").write_text("years of work")
    with pytest.raises(BadFile, match=r"is not a folder of checkpoints: it holds thesis\.tex"):
        run(tmp_path)
    assert (tmp_path / "kept" / "thesis.tex").read_text() == "years of work"


def test_without_another_that_learns_last_nothing_is_kept(tmp_path: Path) -> None:
    task, program = reviews()
    own = s4().fit(task, program, checkpoint=tmp_path / "kept", clock=noon)
    assert not (tmp_path / "kept").exists()
    assert np.array_equal(own.posterior_, grown(reviews()).posterior_)
