"""A program grows with the first stage of a network; the whole of it learns in the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.predictors.linear import Linear
from tests.s4.corpora import grown, quick, reviews, same_model

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


class Whole(Linear):
    """A network whose first stage knows single words only."""

    def first_stage(self) -> Linear:
        return Linear(ngrams=(1, 1))


def by_hand(own: tacit.S4, final: Linear, **settings: Any) -> tacit.DPL:
    """What learns in the end, by the definition: from evidence and what growth ended with."""
    task, _ = reviews()
    first, last = (quick(predictor=each, **settings) for each in (Linear(ngrams=(1, 1)), final))
    grew = first.fit(task, own.program_, shares=own.start_.shares_)
    first_shares = own.start_.first_shares()
    return last.fit(task, own.program_, said=grew.votes(), first_shares=first_shares)


def test_the_first_stage_grows_the_program_and_the_whole_learns_from_it() -> None:
    own, first = (
        grown(reviews(), predictor=Whole()),
        grown(reviews(), predictor=Linear(ngrams=(1, 1))),
    )
    assert own.program_ == first.program_
    assert own.start_.predictor_.ngrams == (1, 1)  # type: ignore[attr-defined]
    assert isinstance(own.predictor_, Whole)
    assert np.array_equal(own.posterior_, by_hand(own, Whole()).posterior_)
    assert not np.array_equal(own.posterior_, first.posterior_)


@pytest.mark.parametrize("rounds", [1, 3])
def test_it_learns_in_all_rounds_of_dpl(rounds: int) -> None:
    settings = {"rounds": rounds, "settled": 0.0, "folds": 2}
    own = grown(reviews(), predictor=Whole(), dpl=quick(**settings))
    assert np.array_equal(own.posterior_, by_hand(own, Whole(), **settings).posterior_)
    assert len(own.model_.history_) == rounds


def test_another_predictor_may_learn_in_the_end() -> None:
    """Then that is the last stage, and what was given grows the program as it is."""
    own = grown(reviews(), predictor=Linear(ngrams=(1, 1)), final=Linear())
    assert own.predictor_.ngrams == (1, 2)  # type: ignore[attr-defined]
    assert np.array_equal(own.posterior_, by_hand(own, Linear()).posterior_)
    staged = grown(reviews(), predictor=Whole(), final=Linear())
    assert isinstance(staged.start_.predictor_, Whole)


def test_a_run_that_resumes_ends_with_the_same(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    whole = grown(reviews(), path, predictor=Whole())
    again = grown(reviews(), path, predictor=Whole())
    assert same_model(whole, again)


def test_whoever_waits_is_told_of_every_fit() -> None:
    told: list[int] = []
    task, program = reviews()
    settings: dict[str, Any] = {"rounds": 1, "batch": 1, "borne_out": 0.0, "company": 0.0}
    model = tacit.S4(Whole(), dpl=quick(), guard=False, **settings)
    model.fit(task, program, before_fit=lambda own: told.append(len(own.evidence)))
    assert told == [2, 4, 4]  # the seeds, what has grown, and that once more in the end


def test_what_learns_in_the_end_reads_anew_how_common_labels_are() -> None:
    own = grown(reviews(), predictor=Whole(), dpl=quick(rounds=2, folds=2))
    ((name, first),) = own.start_.shares_.items()
    assert first.shape == (2, 2)
    assert not np.array_equal(own.model_.shares_[name], first)
    free = grown(reviews(), predictor=Whole(), dpl=quick(rounds=2, hold_shares=False))
    assert free.start_.shares_ == free.model_.shares_ == {}
