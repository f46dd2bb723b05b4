"""Networks of parts of the evidence are heard when a program has stopped growing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.errors import BadInput
from tacit.logic.evidence import Evidence
from tacit.predictors.linear import Linear
from tacit.s4 import S4, opinions
from tacit.s4.config import S4Config
from tacit.s4.opinions import label_spoken_for, parts_of, together
from tests.s4.corpora import grown, quick, reviews, same_model

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")

RULES = """\
label    mood(text) = bad | good
label    topic(text) = film | book
observed token(text, word)
observed near(text, text)
observed seed(word, class)
praise:  2.2   token(t, "superb") => mood(t) = good
both:    1.0!  token(t, "not") & token(t, "dull") => mood(t) = good
page:    2.2   token(t, "page") => topic(t) = book
against: 2.2   token(t, "awful") => !(mood(t) = good)
sure:    hard  token(t, "gold") => mood(t) = good
seeds:   2.2   token(t, +w) & seed(w, +l) => mood(t) = +l
agree:   1.0   near(s, t) => mood(s) = mood(t)
linked:  1.0   token(t, "plot") & mood(t) = good => topic(t) = film
some:    1.0   token(s, w) => exists t: near(s, t) & mood(t) = good
share:   expect 0.5 +- 0.1: mood(t) = good
"""


class ByHeart(Linear):
    """A network that repeats what it was told, by its own account."""

    memorises = True


def test_what_follows_from_facts_speaks_for_a_label() -> None:
    spoken = {one.name: label_spoken_for(one) for one in tacit.Program.parse(RULES).evidence}
    assert {name: own for name, own in spoken.items() if own} == {
        "praise": ("mood", "good"),
        "both": ("mood", "good"),
        "page": ("topic", "book"),
    }


def program_of(sides: list[bool]) -> tacit.Program:
    """A word for each side, in this order, and a rule that ties texts."""
    words = [
        f'w{at}: 1.0 token(t, "w{at}") => mood(t) = {"good" if side else "bad"}'
        for at, side in enumerate(sides)
    ]
    head = ["label mood(text) = bad | good", "observed token(text, word)"]
    tied = ["observed near(text, text)", "agree: 1.0 near(s, t) => mood(s) = mood(t)"]
    return tacit.Program.parse("\n".join([*head, *tied, *words]))


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 4))
def test_parts_are_dealt_in_turn(sides: list[bool], n_parts: int) -> None:
    """The slow twin: each word of a side goes to the next part, and starts with the first."""
    program = program_of(sides)
    found = parts_of(program, ["mood"], n_parts)
    n_least = min(sides.count(True), sides.count(False))
    if n_parts < 2 or n_least < opinions.FEWEST * n_parts:
        assert found == ()
        return
    hands: list[set[str]] = [{"agree"} for _ in range(n_parts)]
    turn = {True: 0, False: 0}
    for at, side in enumerate(sides):
        hands[turn[side] % n_parts].add(f"w{at}")
        turn[side] += 1
    assert [{one.name for one in part.evidence} for part in found] == hands
    assert all(part.declarations == program.declarations for part in found)
    assert all(_in_order(part.evidence, program.evidence) for part in found)


def _in_order(some: tuple[Evidence, ...], every: tuple[Evidence, ...]) -> bool:
    at = [every.index(one) for one in some]
    return at == sorted(at)


def test_a_function_without_a_network_is_not_dealt() -> None:
    program = program_of([True, False] * 8)
    assert parts_of(program, [], 2) == (program, program)


@given(st.lists(st.lists(st.floats(-9, 0), min_size=6, max_size=6), min_size=1, max_size=4))
def test_all_speak_alike_loud(given_: list[list[float]]) -> None:
    said = [{"mood": np.reshape(own, (3, 2))} for own in given_]
    found = together(said, ["mood"])["mood"]
    for row in range(3):
        mean = [sum(own[2 * row + label] for own in given_) / len(given_) for label in (0, 1)]
        total = sum(np.exp(mean))
        np.testing.assert_allclose(np.exp(found[row]), np.exp(mean) / total, atol=1e-12)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pieces of evidence a label are enough for two parts, sixty texts for two folds."""
    monkeypatch.setattr(opinions, "FEWEST", 1)
    monkeypatch.setattr("tacit.learning.predictor_step.FEWEST", 60)


def own_growth(**settings: Any) -> S4:
    """One round of a word for each label, which nothing takes back."""
    own = {"predictor": ByHeart(), "dpl": quick(rounds=2), "rounds": 1, "settled": 0.0}
    allowed = {"most_forgotten": 1.0, "most_shifted": 1.0}
    return grown(reviews(), **(own | allowed | settings))


@pytest.mark.usefixtures("few")
def test_the_last_network_learns_from_the_networks_of_all_parts() -> None:
    """By the definition: fits of the parts, the mean of what is said, and a fit from there."""
    alone, found = own_growth(), own_growth(opinions=2)
    assert found.program_ == alone.program_
    task, _ = reviews()
    parts = parts_of(found.program_, ["y"], 2)
    assert [len(part.evidence) for part in parts] == [2, 2]
    dpl = quick(rounds=2, predictor=ByHeart())
    models = [alone.model_, *(dpl.clone().fit(task, part) for part in parts)]
    said = together([model.said() for model in models], ["y"])
    by_hand = dpl.clone().fit(task, found.program_, said=said, only_said=True)
    assert np.array_equal(found.posterior_, by_hand.posterior_)
    assert found.weights_ == by_hand.weights_
    assert not np.array_equal(found.posterior_, alone.posterior_)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    "settings",
    [
        {"predictor": Linear()},  # it would repeat itself
        {"dpl": quick(rounds=2, folds=1)},  # it would vote on what it has learned
        {"warm_start": "never"},
        {"rounds": 0},  # nothing is asked for but DPL
        {"opinions": 1},
        {"opinions": 3},  # of two pieces a label
    ],
)
def test_others_are_not_heard(settings: dict[str, Any]) -> None:
    one, several = (own_growth(**({"opinions": own} | settings)) for own in (0, 2))
    assert len(one.added_) == (0 if "rounds" in settings else 2)
    assert same_model(one, several)


@pytest.mark.usefixtures("few")
def test_what_recognises_less_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def unlearned(_: object, model: tacit.DPL, before: tacit.DPL) -> str | None:
        return "much" if model.program_ == before.program_ else None  # and never by a round

    monkeypatch.setattr("tacit.s4.run.Run.unlearned", unlearned)
    alone = own_growth()
    assert same_model(alone, own_growth(opinions=2))
    free = own_growth(opinions=2, guard=False)
    assert free.program_ == alone.program_
    assert not np.array_equal(free.posterior_, alone.posterior_)


def test_votes_alone_are_those_of_a_whole_fit() -> None:
    task, program = reviews()
    whole, votes = (
        quick(folds=2, rounds=2).fit(task, program, only_votes=own) for own in (False, True)
    )
    assert np.array_equal(whole.said()["y"], votes.said()["y"])
    with pytest.raises(BadInput, match="learned nothing yet"):
        votes.predict(["superb"])
    only = quick().fit(task, program, only_votes=True)  # without folds, the network itself votes
    assert only.predict(["superb"]) == quick().fit(task, program).predict(["superb"])


@pytest.mark.parametrize("settings", [{"only_votes": True}, {"only_said": True, "said": {}}])
def test_such_fits_have_no_checkpoints(settings: dict[str, Any], tmp_path: Any) -> None:
    with pytest.raises(BadInput, match="no checkpoint is kept"):
        quick().fit(*reviews(), checkpoint=tmp_path / "run", **settings)


def test_settings_that_mean_nothing_are_refused() -> None:
    with pytest.raises(BadInput, match="opinions=-1 must be at least 0"):
        S4Config(opinions=-1)
    with pytest.raises(BadInput, match="opinions='x' is no number"):
        S4Config(opinions="x")  # type: ignore[arg-type]
