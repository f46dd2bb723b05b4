"""Seeds' texts without the seeds' words: networks that recognise fewer of them have unlearned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.errors import BadInput
from tacit.s4.config import S4Config
from tacit.s4.health import SeedSays
from tacit.s4.recognised import MOST, fall, recognised
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

    monkeypatch.setattr("tacit.s4.recognised.recognised", by_program)
    back = led_astray(most_unlearned=2.0)
    assert [own.recognised for own in back.health_] == [pytest.approx(1.0), pytest.approx(0.5)]
    assert back.rounds_[0].rolled_back
    assert back.added_ == ()
    assert back.reason_ == "50.0% of the seeds' texts are no longer recognised without their words"
    assert led_astray(most_unlearned=5.0).added_  # twenty texts are 4.5 standard errors
    assert led_astray(most_unlearned=2.0, guard=False).added_


@pytest.mark.parametrize("share", [0.95, 1.0])
def test_where_another_learns_last_a_round_may_unlearn_nothing(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two texts of forty are 1.4 standard errors; by default, two may be lost otherwise."""
    worse = {led_astray().program_: share}

    def by_program(model: tacit.DPL, *_: Any) -> Any:
        return np.where(np.arange(40) < 40 * worse.get(model.program_, 1.0), 1 / 40, 0.0)

    monkeypatch.setattr("tacit.s4.recognised.recognised", by_program)
    assert led_astray(most_unlearned="auto").added_
    assert bool(led_astray(most_unlearned="auto", final="linear").added_) == (share == 1.0)
    assert led_astray(most_unlearned=2.0, final="linear").added_  # as was asked for


@pytest.mark.parametrize(("share", "is_kept"), [(0.985, True), (0.97, False)])
def test_little_is_borne_however_sure_it_is(
    share: float, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a thousand texts, fifteen are 3.9 standard errors, and thirty 5.5."""
    worse = {led_astray().program_: share}

    def by_program(model: tacit.DPL, *_: Any) -> Any:
        return np.where(np.arange(1000) < 1000 * worse.get(model.program_, 1.0), 0.001, 0.0)

    monkeypatch.setattr("tacit.s4.recognised.recognised", by_program)
    assert bool(led_astray(most_unlearned=2.0).added_) == is_kept
    assert not led_astray(most_unlearned=0.0).added_  # where any less will do


def test_nothing_is_read_where_nothing_would_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.s4.recognised.recognised", lambda *_: pytest.fail("it was read"))
    found = led_astray(most_unlearned=float("inf"))
    assert found.added_
    assert all(own.recognised is None for own in found.health_)


def test_weak_seeds_are_no_yardstick() -> None:
    settings: dict[str, Any] = {"dpl": tacit.DPL(rounds=1), "borne_out": 0.0, "frequency": OFTEN}
    first, second = (
        grown(by_chance(), most_unlearned=own, rounds=2, **settings) for own in (0.0, float("inf"))
    )
    assert same_model(first, second)


def test_errors_are_at_least_none() -> None:
    with pytest.raises(BadInput, match=r"most_unlearned=-1 must be at least 0"):
        S4Config(most_unlearned=-1)
