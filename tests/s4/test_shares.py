"""How common labels are as far as seeds tell, and what that keeps self-training from."""

from __future__ import annotations

from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.learning.shares import bounds_of, expected_shares
from tacit.learning.views import Views
from tacit.review import Ledger
from tacit.s4.book import Book
from tacit.s4.config import S4Config
from tacit.s4.proposing import OF_A_LABEL, _of_labels_borne_out
from tacit.s4.run import Run
from tests.s4.corpora import DULL, NEG, OFTEN, PLAIN, POS, Problem, by_chance, grown, reviews, some

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


def views(evidence: Any, has_evidence: Any) -> Views:
    own = np.asarray(evidence, dtype=float)
    return Views(own, own, own, np.asarray(has_evidence, dtype=bool))


def slow_shares(told: list[list[float]], n_pieces: int) -> list[float]:
    """By the definition: log-shares, times how far so many pieces of evidence can be trusted."""
    n_labels = len(told[0])
    noise = 1.0 / (n_pieces / n_labels)  # of the mean of a label's pieces
    raised = []
    for y in range(n_labels):
        share = max(sum(row[y] for row in told) / len(told), 1e-9)
        raised.append(exp(log(share) * 0.5 / (0.5 + noise)))
    return [own / sum(raised) for own in raised]


@given(st.integers(0, 99), st.integers(2, 5), st.integers(1, 60))
def test_shares_are_those_of_the_definition(seed: int, n_labels: int, n_pieces: int) -> None:
    random = np.random.default_rng(seed)
    evidence = random.dirichlet(np.full(n_labels, 0.5), size=12)
    has = random.random(12) < 0.6
    has[0] = True
    found = expected_shares(views(evidence, has), n_pieces)
    assert found == pytest.approx(slow_shares(evidence[has].tolist(), n_pieces), abs=1e-12)


def test_few_seeds_tell_little_and_many_tell_all() -> None:
    skewed = views(np.tile([0.9, 0.1], (8, 1)), [True] * 8)
    rare = [expected_shares(skewed, n)[1] for n in (2, 6, 20, 10_000)]
    assert rare == sorted(rare, reverse=True)
    assert 0.3 < rare[0] < 0.5
    assert rare[-1] == pytest.approx(0.1, abs=0.001)


def test_where_nothing_is_told_labels_are_alike_common() -> None:
    silent = views(np.full((3, 4), 0.25), [False] * 3)
    assert expected_shares(silent, 5).tolist() == [0.25] * 4


def test_what_the_program_states_is_taken_at_its_word() -> None:
    skewed = views(np.tile([0.9, 0.1], (8, 1)), [True] * 4 + [False] * 4)
    assert expected_shares(skewed, 2, stated=True) == pytest.approx([0.9, 0.1])
    task, program = reviews()
    lines = "\neven: expect 0.7 +- 0.001: y(x) = pos"
    for own, stated in ((program, False), (tacit.Program.parse(program.show() + lines), True)):
        model = tacit.DPL(rounds=1).fit(task, own)
        assert model.states_shares() == stated
        pos = expected_shares(model.views(), 2, stated=model.states_shares())[1]
        assert (pos == pytest.approx(0.7, abs=0.02)) == stated


@given(st.integers(0, 99), st.integers(2, 5), st.integers(0, 60))
def test_bounds_are_those_of_the_definition(seed: int, n_labels: int, n_pieces: int) -> None:
    """Two normal values: the labels' own, and what evidence tells of them; half of it is inside."""
    share = np.random.default_rng(seed).dirichlet(np.full(n_labels, 2.0))
    least, largest = bounds_of(share, n_pieces)
    precision = 1 / 0.5 + n_pieces / n_labels  # of labels, and of the mean of a label's pieces
    off = exp(0.6745 / sqrt(precision))
    assert least == pytest.approx(share / off)
    assert largest == pytest.approx([min(own * off, 1.0) for own in share])
    assert least.sum() <= 1 <= largest.sum()


def test_half_of_what_may_be_lies_within() -> None:
    random = np.random.default_rng(0)
    precision = 1 / 0.5 + 10
    truth = random.normal(0, 1 / sqrt(precision), 20_000)  # about what the seeds tell, as logarithm
    least, largest = bounds_of(np.array([0.2, 0.8]), 20)[:, 0]
    inside = (np.log(least / 0.2) < truth) & (truth < np.log(largest / 0.2))
    assert inside.mean() == pytest.approx(0.5, abs=0.02)


def held(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What each fit from now on is told of shares."""
    told: list[Any] = []
    fit = tacit.DPL.fit

    def watched(self: tacit.DPL, *args: Any, **given: Any) -> tacit.DPL:
        told.append(given.get("shares"))
        return fit(self, *args, **given)

    monkeypatch.setattr(tacit.DPL, "fit", watched)
    return told


def topics(stated: str = "") -> Problem:
    """Texts of three kinds, which differ in their words, and one seed of each kind."""
    rng = np.random.default_rng(0)
    kinds = {"neg": NEG, "pos": POS, "mud": DULL}
    texts = [
        " ".join(some(rng, list(kinds.values())[i % 3], 3) + some(rng, PLAIN, 2)) for i in range(90)
    ]
    seeds = {name: [words[0]] for name, words in kinds.items()}
    task, program = tacit.text_classification(texts, labels=list(kinds), keywords=seeds)
    return task, tacit.Program.parse(program.show() + stated)


def test_networks_of_grown_programs_are_held_to_what_seeds_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = held(monkeypatch)
    own = grown(topics(), rounds=2, settled=0.0)
    assert not told[0]  # the start is plain DPL
    seeds = expected_shares(own.start_.views(), 3)
    assert len(told) == 3
    for each in told[1:]:
        assert np.array_equal(each["y"], bounds_of(seeds, 3))


STATED = "\neven: expect 0.33 +- 0.1: y(x) = pos"


@pytest.mark.parametrize(
    ("problem", "settings"),
    [
        (reviews(), {}),  # of two labels seeds tell too little
        (topics(), {"warm_start": "always"}),  # the network knows from before
        (topics(STATED), {}),  # the program sees to it
    ],
)
def test_others_are_not_held(
    problem: Problem, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = held(monkeypatch)
    assert grown(problem, rounds=1, settled=0.0, **settings).rounds_
    assert len(told) > 1
    assert not any(told)


class Named:
    """As much of a proposal as is looked at."""

    def __init__(self, label: str) -> None:
        self.label = label


@pytest.mark.parametrize(
    ("borne_out", "kept", "mean"),
    [
        ({"a": 0.9, "b": 0.8}, "ab", 0.85),
        ({"a": 0.9, "b": 0.8, "c": 0.1}, "ab", 0.85),  # the rare one is left out
        ({"a": 0.9, "b": 0.51}, "ab", 0.705),  # nearly as much is enough
        ({"a": 0.9, "b": 0.2}, "ab", 0.2),  # of one label alone nothing is added
        ({"a": 0.9}, "a", 0.9),  # unless it is the only one that anything is proposed for
        ({"a": 0.3}, "a", 0.3),
    ],
)
def test_labels_that_are_not_borne_out_are_left_out(
    borne_out: dict[str, float], kept: str, mean: float
) -> None:
    config = S4Config(borne_out=0.7)
    assert config.borne_out * OF_A_LABEL == pytest.approx(0.5)
    given = tuple(Named(own) for own in borne_out)
    found, by = _of_labels_borne_out(given, np.array(list(borne_out.values())), config)  # type: ignore[arg-type]
    assert "".join(own.label for own in found) == kept
    if mean > 0.25:
        assert by.mean() == pytest.approx(mean)
    else:
        assert by.max() == pytest.approx(mean)


def test_what_the_seeds_tell_of_shares_stands_for_all_programs() -> None:
    settings: dict[str, Any] = {"dpl": tacit.DPL(rounds=2), "settled": 0.0}
    own = grown(reviews(240), rounds=2, **settings)
    assert own.rounds_
    assert own.start_.shares_
    assert np.array_equal(own.model_.shares_["y"], own.start_.shares_["y"])
    weak = grown(by_chance(), rounds=1, borne_out=0.0, frequency=OFTEN, **settings)
    assert weak.rounds_
    assert weak.start_.shares_ == weak.model_.shares_ == {}


def test_shares_of_features_lie_within_those_of_texts(tmp_path: Path) -> None:
    task, program = reviews(240)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        run = Run(task, tacit.DPL(rounds=2), Book(ledger, program, task), S4Config())
        seed = run.fit(program)
    least, largest = seed.shares_["y"]
    assert np.array_equal(run.bounds["y"], seed.shares_["y"])
    assert ((least - 1e-9 <= run.expected["y"]) & (run.expected["y"] <= largest + 1e-9)).all()
