"""Seeds' texts without the seeds' words: networks that recognise fewer of them have unlearned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.errors import BadInput
from tacit.s4.config import S4Config
from tacit.s4.health import SeedSays
from tacit.s4.loop import NOTHING_GAINED
from tacit.s4.recognised import MOST, fall, recognised
from tacit.s4.standing import Round, have_gained
from tests.s4.corpora import OFTEN, by_chance, drifting, grown, quick, reviews, same_model, texts

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


def test_what_is_recognised() -> None:
    """Against a loop over the texts that have a seed."""
    task, program = reviews()
    model = quick().fit(task, program)
    says = SeedSays.of({"y": model.views()})
    found = recognised(model, program, says, task, "y")
    assert found is not None
    told = says.label["y"]
    for at, row in enumerate(says.rows["y"].tolist()):
        left = " ".join(w for w in texts()[row].split() if w not in ("superb", "awful"))
        said = model.log_probs_unseen([left], np.array([row]))[0].argmax()
        weight = 1 / (2 * np.count_nonzero(told == told[at]))
        assert found[at] == pytest.approx(weight if said == told[at] else 0.0)
    assert found.sum() > 0.8


def test_of_many_texts_some_are_read() -> None:
    n = 2 * MOST + 10
    seeds = {"pos": ["superb"], "neg": ["awful"]}
    every = [("superb fine", "awful poor")[at % 2] for at in range(n)]
    task, program = tacit.text_classification(every, labels=["neg", "pos"], keywords=seeds)
    model = quick().fit(task, program)
    says = SeedSays.of({"y": model.views()})
    found = recognised(model, program, says, task, "y")
    assert found is not None
    assert found.shape == (MOST,)
    assert found.sum() == pytest.approx(1)


def test_nothing_to_recognise() -> None:
    task, program = reviews()
    model = quick().fit(task, program)
    nothing = SeedSays({"y": np.zeros(0, np.int64)}, {"y": np.zeros(0, np.int64)})
    assert recognised(model, program, nothing, task, "y") is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_a_fall_and_its_error(pairs: list[tuple[bool, bool]]) -> None:
    """Of texts that weigh alike: those lost less those won, and the root of how many changed."""
    n = len(pairs)
    then, now = np.array(pairs, float).T / n
    less, error = fall(then, now)
    lost, won = pairs.count((True, False)), pairs.count((False, True))
    assert less == pytest.approx((lost - won) / n)
    assert error == pytest.approx(np.sqrt(lost + won) / n)


def led_astray(**settings: Any) -> tacit.S4:
    own = {"batch": 5, "frequency": OFTEN, "most_forgotten": 1.0, "most_shifted": 1.0, "rounds": 1}
    return grown(drifting(), **own | settings)


def test_a_round_that_unlearns_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = led_astray()
    assert not kept.rounds_[0].rolled_back
    worse = {kept.program_: 0.5}  # of what is recognised, by program: all, but for this one half

    def by_program(model: tacit.DPL, *_: Any) -> Any:
        share = worse.get(model.program_, 1.0)
        return np.where(np.arange(40) < 40 * share, 1 / 40, 0.0)

    monkeypatch.setattr("tacit.s4.run.recognised", by_program)
    back = led_astray(most_unlearned=2.0)
    assert back.rounds_[0].rolled_back
    assert back.added_ == ()
    assert back.reason_ == "50.0% of the seeds' texts are no longer recognised without their words"
    late = led_astray(most_unlearned=5.0)  # twenty texts are 4.5 standard errors
    assert late.reason_ == f"all rounds are done; {NOTHING_GAINED}"
    assert late.added_ == ()
    assert led_astray(most_unlearned=2.0, guard=False).added_


def recognising(monkeypatch: pytest.MonkeyPatch, *shares: float) -> None:
    """Networks that recognise so much: of the seeds, after a round, after two, ..."""

    def by_size(model: tacit.DPL, *_: Any) -> Any:
        share = shares[min((len(model.program_.evidence) - 2) // 2, len(shares) - 1)]
        return np.where(np.arange(40) < 40 * share, 1 / 40, 0.0)

    monkeypatch.setattr("tacit.s4.run.recognised", by_size)


@pytest.mark.parametrize(
    ("shares", "kept"),
    [((0.5, 0.9, 0.7, 0.5), 3), ((0.9, 0.8, 0.95, 0.85), 0), ((0.5, 0.6, 0.6, 0.6), 3)],
)
def test_rounds_that_have_gained_nothing_are_taken_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shares: tuple[float, ...], kept: int
) -> None:
    recognising(monkeypatch, *shares)
    settings: dict[str, Any] = {"batch": 1, "rounds": 3, "most_unlearned": 100.0}
    found = led_astray(ledger=tmp_path / "ledger", **settings)
    assert [own.rolled_back for own in found.rounds_] == [kept == 0] * 3
    assert [own.recognised for own in found.health_] == [pytest.approx(own) for own in shares]
    assert len(found.added_) == 2 * kept
    assert (NOTHING_GAINED in found.reason_) == (kept == 0)
    assert same_model(
        found, led_astray(ledger=tmp_path / "ledger", **settings)
    )  # nothing is redone


@pytest.mark.parametrize(("first", "back"), [(0.8, [False, False, True]), (0.87, [True] * 3)])
def test_where_one_is_taken_back_the_others_must_have_gained(
    monkeypatch: pytest.MonkeyPatch, first: float, back: list[bool]
) -> None:
    recognising(monkeypatch, first, 0.9, 0.85, 0.3)
    found = led_astray(batch=1, rounds=3, most_unlearned=4.0)
    assert [own.rolled_back for own in found.rounds_] == back
    assert "no longer recognised" in found.reason_


def test_who_does_not_know_does_not_say_that_nothing_was_gained() -> None:
    rounds = [Round(1, (), 1.0, False, 0.5), Round(2, (), 1.0, False, 0.7)]
    assert have_gained(rounds, 0.5)
    assert not have_gained(rounds, 0.4)
    assert have_gained(rounds, None)
    assert have_gained((), 0.4)
    assert have_gained([Round(1, (), 1.0, False)], 0.4)


def test_nothing_is_read_where_nothing_would_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.s4.run.recognised", lambda *_: pytest.fail("it was read"))
    assert led_astray(most_unlearned=float("inf")).added_


def test_weak_seeds_are_no_yardstick() -> None:
    settings: dict[str, Any] = {"dpl": tacit.DPL(rounds=1), "borne_out": 0.0, "frequency": OFTEN}
    first, second = (
        grown(by_chance(), most_unlearned=own, rounds=2, **settings) for own in (0.0, float("inf"))
    )
    assert same_model(first, second)


def test_errors_are_at_least_none() -> None:
    with pytest.raises(BadInput, match=r"most_unlearned=-1 must be at least 0"):
        S4Config(most_unlearned=-1)
