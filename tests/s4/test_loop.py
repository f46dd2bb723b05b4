"""Algorithm 2: a program grows, the same way each time, and says why it has ended."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import BadInput
from tacit.proposals.frequency import Frequency
from tacit.s4 import S4, Health, S4Config
from tests.s4.corpora import (
    NEG,
    NOON,
    OFTEN,
    POS,
    Asked,
    Knows,
    drifting,
    grown,
    kinds,
    quick,
    reviews,
    s4,
    same_model,
    sides,
    told,
    words_spoken_of,
)

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


@cache
def plain() -> S4:
    return grown(reviews())


def test_a_program_grows_by_words_of_both_sides() -> None:
    model = plain()
    added = {own.name: own for own in model.added_}
    assert len(added) == 4
    assert len(model.rounds_) == 2
    assert tuple(name for own in model.rounds_ for name in own.names) == tuple(added)
    for name in added:
        side, word = name.split("_")
        assert word in {"neg": NEG, "pos": POS}[side]
    assert model.program_.evidence[:2] == reviews()[1].evidence
    assert all(own.weight.start == 1.7 for own in model.added_)  # type: ignore[union-attr]
    before, after = (own.views().has_evidence.mean() for own in (model.start_, model.model_))
    assert before < 0.5 < after
    right = model.posterior_.argmax(axis=1) == (np.array(sides()) == "pos")
    assert right.mean() > 0.95
    assert model.predict(["a gentle film", "slow and weak"]) == ["pos", "neg"]


def test_the_same_seed_grows_the_same(tmp_path: Path) -> None:
    runs = [
        grown(reviews(), tmp_path / f"{n}.sqlite", budget=2, reviewer=Knows(), random_state=3)
        for n in range(2)
    ]
    assert same_model(*runs)
    assert told(tmp_path / "0.sqlite") == told(tmp_path / "1.sqlite")


def test_time_leaves_its_mark_on_origins_alone(tmp_path: Path) -> None:
    def untimed(program: tacit.Program) -> list[tuple[object, ...]]:
        return [
            (
                own.name,
                own.formula,
                own.weight,
                own.origin.kind,
                [fact for fact in own.origin.facts if fact[0] not in ("proposed", "accepted")],
            )
            for own in program.evidence
        ]

    ticks = iter(range(10**9, 2 * 10**9, 10**6))
    later = s4().fit(*reviews(), ledger=tmp_path / "a.sqlite", clock=lambda: float(next(ticks)))
    assert later.program_ != plain().program_
    assert untimed(later.program_) == untimed(plain().program_)
    assert np.array_equal(later.posterior_, plain().posterior_)
    assert later.health_ == plain().health_


def test_a_ledger_that_is_not_asked_for_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert same_model(grown(reviews()), plain())
    assert not list(tmp_path.iterdir())


def test_a_run_that_is_done_only_fits_again(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    reviewer = Asked(Knows())
    first = grown(reviews(), path, budget=2, reviewer=reviewer)
    before = told(path)
    again = grown(reviews(), path, budget=2, reviewer=reviewer)
    assert same_model(first, again)
    assert told(path) == before
    assert len(reviewer.questions) == 2


def test_more_rounds_and_a_larger_budget_go_on_from_there(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    first = grown(reviews(), path, budget=1, reviewer=Knows())
    after = grown(reviews(), path, budget=3, rounds=4, reviewer=Knows())
    assert after.program_.evidence[: len(first.program_.evidence)] == first.program_.evidence
    assert after.n_asked_ == 3
    assert len(words_spoken_of(path)) == len(set(words_spoken_of(path)))


FEW = Frequency(floor=13, ceiling=1.0)  # hardly a word is as frequent


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"rounds": 0}, "all rounds are done"),
        ({"rounds": 1}, "all rounds are done"),
        ({"settled": 1.0}, "labels have settled: the last round changed"),
        ({"frequency": FEW, "batch": 20, "settled": 0.0}, "nothing is left to propose"),
        ({"frequency": Frequency(floor=60, ceiling=1.0)}, "nothing is left to propose"),
        ({"borne_out": 1.0}, "the network bears out the best proposals by"),
    ],
)
def test_why_it_ends(settings: dict[str, Any], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    guard = "borne_out" in settings
    model = grown(reviews(), path, **{"rounds": 5, "guard": guard} | settings)
    assert model.reason_.startswith(reason)
    assert kinds(path)[-1] == "health"
    assert len(model.health_) == len(model.rounds_) + 1


def test_what_a_round_was_worth_is_told(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    seen: list[tuple[int, Health, tacit.DPL]] = []
    model = s4().fit(*reviews(), ledger=path, progress=lambda *all_of_it: seen.append(all_of_it))
    assert [number for number, _, _ in seen] == [1, 2, 3]
    assert tuple(health for _, health, _ in seen) == model.health_
    assert seen[-1][2].program_ == model.program_
    assert model.health_[0].changed == 1.0
    assert all(0.5 <= own.borne_out <= 1 for own in model.rounds_)


def test_without_a_guard_nothing_is_taken_back_or_held_back() -> None:
    settings = {"batch": 5, "frequency": OFTEN}
    wild = grown(drifting(), guard=False, **settings)
    assert not any(own.rolled_back for own in wild.rounds_)
    assert wild.health_[-1].remembered < wild.health_[0].remembered - 0.03
    kept = grown(reviews(), guard=False, borne_out=1.0, rounds=1)
    assert len(kept.rounds_) == 1


@pytest.mark.parametrize(
    ("score", "ask"), [("entropy", "entropy"), ("attention", "likely"), ("lift", "entropy")]
)
def test_every_score_grows(score: str, ask: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    settings = {"score": score, "ask": ask, "rounds": 1, "borne_out": 0.0}
    model = grown(reviews(), path, budget=1, reviewer=Knows(), **settings)
    assert model.rounds_
    assert model.n_asked_ == 1
    assert tacit.Program.parse(model.program_.show()) == model.program_


def test_conjunctions_and_ngrams_are_grown_when_asked_for() -> None:
    often = Frequency(floor=3, ceiling=0.9)
    model = grown(reviews(), relations=("ngram",), frequency=often, rounds=1, borne_out=0.0)
    assert all("ngram(d," in model.program_.show().split(own.name)[1] for own in model.added_)
    assert "ngram" in model.program_.observed
    pairs = grown(reviews(), conjunctions=50, batch=40, frequency=often, rounds=1, borne_out=0.0)
    assert any("&" in line for line in pairs.program_.show().splitlines())
    assert tacit.Program.parse(pairs.program_.show()) == pairs.program_


def test_another_predictor_may_learn_from_what_has_grown() -> None:
    model = grown(reviews(), final="linear", rounds=1)
    grew = quick().fit(reviews()[0], model.program_)
    taught = quick().fit(reviews()[0], model.program_, said=grew.votes())
    assert np.array_equal(model.posterior_, taught.posterior_)
    assert model.start_.program_ == reviews()[1]


def test_what_has_grown_is_explained_saved_and_loaded(tmp_path: Path) -> None:
    model = plain()
    model.save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert loaded.program_ == model.program_
    texts = ["a gentle film", "slow"]
    assert np.array_equal(loaded.predict_proba(texts), model.predict_proba(texts))
    assert model.explain("0") is not None
    assert {own.name for own in model.program_.evidence} <= set(model.weights_)
    assert model.analysis() is not None
    assert model.predictor_ is model.model_.predictor_


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"score": "beauty"}, "score='beauty'"),
        ({"ask": "never"}, "ask='never'"),
        ({"rounds": -1}, "rounds=-1 must be at least 0"),
        ({"batch": 0}, "batch=0 must be at least 1"),
        ({"budget": -1}, "budget=-1"),
        ({"conjunctions": -1}, "conjunctions=-1"),
        ({"borne_out": 1.5}, "borne_out=1.5 is no share"),
        ({"settled": -0.1}, "settled=-0.1"),
        ({"most_forgotten": float("nan")}, "most_forgotten=nan"),
        ({"company": "half"}, "company='half' is no number"),
        ({"weight": None}, "weight=None is no number"),
        ({"weight": 0.0}, "weight=0.0 must be above 0"),
        ({"asked_weight": -1.0}, "asked_weight=-1.0"),
        ({"budget": 3}, "nobody to answer 3 questions"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        grown(reviews(), **settings)


def test_an_estimator_keeps_its_settings_as_they_were_given() -> None:
    dpl = quick(random_state=5)
    model = s4(dpl=dpl, predictor="linear", rounds=1)
    model.fit(*reviews(), clock=lambda: NOON)
    assert model.dpl is dpl
    assert not hasattr(dpl, "predictors_")
    assert model.config() == S4Config(
        **{name: getattr(model, name) for name in S4Config.__dataclass_fields__}
    )
    assert model.model_.random_state == 5


@pytest.mark.parametrize("asked", ["posterior_", "weights_", "predictor_"])
def test_a_model_that_learned_nothing_says_so(asked: str) -> None:
    with pytest.raises(BadInput, match="nothing is learned yet"):
        getattr(tacit.S4(), asked)
    with pytest.raises(BadInput, match="nothing is learned yet"):
        tacit.S4().predict(["superb"])
