"""Networks that may not vote as if a label were rarer, or more common, than it can be."""

from __future__ import annotations

from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

import tacit
from tacit.errors import BadFile, BadInput
from tacit.learning.predictor_step import nearest_shares, within_shares

from .killed_run import model, problem

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
MOSTLY_NEG = np.array([[0.7, 0.01], [0.99, 0.3]])  # least, largest; neg, pos


def shares_of(vote: Any) -> list[float]:
    """By the definition: the mean probability of each label."""
    rows = [[exp(own - max(row)) for own in row] for row in np.asarray(vote).tolist()]
    probs = [[own / sum(row) for own in row] for row in rows]
    return [sum(column) / len(probs) for column in zip(*probs, strict=True)]


@st.composite
def votes_and_bounds(draw: st.DrawFn) -> tuple[Any, Any]:
    random = np.random.default_rng(draw(st.integers(0, 999)))
    n_labels = draw(st.integers(2, 5))
    spread = draw(st.sampled_from([0.1, 1.0, 6.0]))
    vote = random.normal(random.normal(0, 2, n_labels), spread, (40, n_labels))
    likeliest = random.dirichlet(np.full(n_labels, 3.0))
    factor = exp(draw(st.floats(0, 1.5)))
    return vote, np.stack([likeliest / factor, np.minimum(likeliest * factor, 1.0)])


@given(votes_and_bounds())
def test_shares_end_where_they_may_be(given: tuple[Any, Any]) -> None:
    vote, bounds = given
    found = within_shares(vote, bounds)
    least, largest = bounds
    told = np.array(shares_of(found))
    assert (told >= least * (1 - 1e-3)).all()
    assert (told <= largest * (1 + 1e-3)).all()


@given(votes_and_bounds())
def test_all_instances_are_shifted_alike(given: tuple[Any, Any]) -> None:
    vote, bounds = given
    shift = within_shares(vote, bounds) - vote
    assert np.allclose(shift, shift[0], atol=1e-9)


@given(votes_and_bounds())
def test_shares_that_may_be_stay_as_they_are(given: tuple[Any, Any]) -> None:
    vote, bounds = given
    once = within_shares(vote, bounds)
    told = np.array(shares_of(once))
    around = np.stack([told * 0.9, np.minimum(told * 1.1, 1.0)])
    assert within_shares(once, around) == pytest.approx(once, abs=1e-3)


@given(votes_and_bounds())
def test_the_nearest_shares_are_those_of_the_definition(given: tuple[Any, Any]) -> None:
    """All shares times one factor, cut off at their bounds, so that they add up to 1."""
    vote, (least, largest) = given
    share = np.array(shares_of(vote))

    def total(power: float) -> float:
        cut = [
            min(max(own * exp(power), low), high)
            for own, low, high in zip(share, least, largest, strict=True)
        ]
        return sum(cut) - 1

    found = nearest_shares(share, np.stack([least, largest]))
    assert found.sum() == pytest.approx(1, abs=1e-9)
    if total(-40) < -1e-9 and total(40) > 1e-9:
        factor = exp(brentq(total, -40, 40, xtol=1e-14))
        assert found == pytest.approx(np.clip(share * factor, least, largest), abs=1e-6)


def test_a_network_is_held_to_them_in_every_round() -> None:
    """Half of the texts praise; if at most three in ten may, fewer do."""
    task, program = problem("free")
    free = model(rounds=3).fit(task, program)
    held = model(rounds=3).fit(task, program, shares={"sentiment": MOSTLY_NEG})
    together = [own.views().together[:, 1].mean() for own in (held, free)]
    assert together[0] < together[1] - 0.05
    once = model(rounds=1).fit(task, program, shares={"sentiment": MOSTLY_NEG})
    alone = model(rounds=1).fit(task, program)
    assert np.array_equal(once.posterior_, alone.posterior_)  # at its word it is never held


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ({"sentiment": np.ones((2, 3))}, r"has the shape \(2, 3\)"),
        ({"sentiment": 0.5}, r"has the shape \(\)"),
        ({"sentiment": ["rare", "common"]}, "no arrays of numbers"),
        ([0.5, 0.5], "no arrays of numbers"),
        ({"mood": MOSTLY_NEG}, r"shares\['mood'\]"),
        ({"sentiment": MOSTLY_NEG[::-1]}, "no least below the largest"),
        ({"sentiment": np.array([[0.0, 0.1], [1.0, 1.0]])}, "not above 0"),
        ({"sentiment": np.array([[0.1, 0.1], [0.3, 0.3]])}, "add up to 1"),
    ],
)
def test_shares_that_cannot_be_are_refused(shares: Any, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        model().fit(*problem("free"), shares=shares)


def test_lists_will_do() -> None:
    one, other = (
        model(rounds=2).fit(*problem("free"), shares={"sentiment": own}).views().together
        for own in (MOSTLY_NEG, MOSTLY_NEG.tolist())
    )
    assert np.array_equal(one, other)


def test_a_run_goes_on_with_its_shares_and_no_others(tmp_path: Path) -> None:
    task, program = problem("free")
    shares = {"sentiment": MOSTLY_NEG}
    whole = model(rounds=3).fit(task, program, shares=shares)
    model(rounds=2).fit(task, program, shares=shares, checkpoint=tmp_path / "run")
    gone_on = model(rounds=3).fit(task, program, shares=shares, checkpoint=tmp_path / "run")
    assert np.array_equal(gone_on.posterior_, whole.posterior_)
    with pytest.raises(BadFile, match="another run: with shares"):
        model(rounds=3).fit(task, program, checkpoint=tmp_path / "run")


def test_a_model_that_was_loaded_is_held_to_them_still(tmp_path: Path) -> None:
    task, program = problem("free")
    one = model(rounds=2).fit(task, program, shares={"sentiment": MOSTLY_NEG})
    one.save(tmp_path / "model")
    other = tacit.load(tmp_path / "model").on(task)
    assert np.array_equal(other.views().together, one.views().together)


def test_leaving_a_bound_by_little_changes_little() -> None:
    vote = np.log(np.tile([0.6, 0.4], (10, 1)))
    bounds = np.array([[0.3, 0.3], [0.59, 0.7]])
    shift = within_shares(vote, bounds)[0] - vote[0]
    assert shift[0] - shift[1] == pytest.approx(log(0.59 / 0.41) - log(0.6 / 0.4), abs=1e-3)
