"""Networks are held to how common labels are, by the texts that evidence speaks of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import BadInput
from tacit.learning.shares import reaching
from tacit.learning.shares_of_texts import places, shares_of_texts
from tacit.predictors.linear import Linear

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")

WORDS = {"tea": [f"tea{i}" for i in range(30)], "sea": [f"sea{i}" for i in range(30)]}
SEEDS = {"tea": ["leaf", "cup", "pot"], "sea": ["gull"]}
OFTEN = {"leaf": 0.3, "cup": 0.3, "pot": 0.3, "gull": 0.1}

Problem = tuple[list[str], Any]


def texts(n: int = 4000, share: float = 0.5) -> Problem:
    """Texts of two kinds, whose seeds speak far more often of the one than of the other."""
    random = np.random.default_rng(0)
    kinds = np.where(random.random(n) < share, "sea", "tea")
    found = []
    for kind in kinds:
        other = "tea" if kind == "sea" else "sea"
        own = [*random.choice(WORDS[kind], 5), *random.choice(WORDS[other], 3)]
        seeds = [seed for seed in SEEDS[kind] if random.random() < OFTEN[seed]]
        seeds += [seed for seed in SEEDS[other] if random.random() < OFTEN[seed] / 10]
        found.append(" ".join([*own, *seeds]))
    return found, kinds


def fitted(given: Problem, **settings: Any) -> tuple[tacit.DPL, float]:
    """A model, and how right its network is."""
    found, kinds = given
    task, program = tacit.text_classification(found, labels=["tea", "sea"], keywords=SEEDS)
    model = tacit.DPL(**settings).fit(task, program)
    return model, float((np.array(model.predict(found)) == kinds).mean())


@pytest.mark.parametrize(("share", "gain"), [(0.5, 0.05), (0.2, 0.0)])
def test_what_seeds_speak_of_more_often_need_not_be_more_common(share: float, gain: float) -> None:
    model, right = fitted(texts(share=share))
    free, right_free = fitted(texts(share=share), hold_shares=False)
    assert free.shares_ == {}
    ((least, largest),) = model.shares_.values()
    assert least[1] <= share <= largest[1]
    assert right >= right_free + gain


def test_where_seeds_are_even_little_changes() -> None:
    given, kinds = texts()
    even = {"tea": WORDS["tea"][:2], "sea": WORDS["sea"][:2]}
    task, program = tacit.text_classification(given, labels=["tea", "sea"], keywords=even)
    right = [
        (np.array(tacit.DPL(hold_shares=hold).fit(task, program).predict(given)) == kinds).mean()
        for hold in (False, True)
    ]
    assert right[0] == pytest.approx(right[1], abs=0.01)


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What texts tell whenever they are asked, and who reads them."""
    found: list[Any] = []

    def listening(task: Any, supervision: Any, network: Any, *others: Any) -> Any:
        told = shares_of_texts(task, supervision, network, *others)
        found.append((told, network.of_fold))
        return told

    monkeypatch.setattr("tacit.learning.dpl.shares_of_texts", listening)
    return found


def test_texts_are_read_behind_the_first_round(readings: list[Any]) -> None:
    model, _ = fitted(texts(400), rounds=3, settled=0.0)
    ((told, _),) = readings
    (held,) = model.shares_.values()
    assert np.array_equal(held, reaching(told.bounds, told.said))
    (first,) = model.first_shares().values()
    assert np.array_equal(first, told.said)


def test_folds_read_texts_behind_each_round(readings: list[Any]) -> None:
    """They begin anew in each, and know labels better than those of the round before."""
    model, _ = fitted(texts(400), rounds=3, settled=0.0, folds=2)
    assert len(readings) == 3
    assert len({id(own) for _, folds in readings for own in folds}) == 6
    (held,) = model.shares_.values()
    assert np.array_equal(held, reaching(readings[-1][0].bounds, readings[0][0].said))
    width = [np.ptp(told.bounds, axis=0).sum() for told, _ in readings]
    assert width[-1] < width[0]


@pytest.mark.parametrize(
    "settings",
    [
        {"hold_shares": False},
        {"sharpness": None},  # to the letter
        {"rounds": 1},  # nobody votes
    ],
)
def test_some_are_not_held(settings: dict[str, Any]) -> None:
    assert fitted(texts(200), **settings)[0].shares_ == {}


def test_shares_that_are_given_or_stated_stand() -> None:
    found, _ = texts(200)
    task, program = tacit.text_classification(found, labels=["tea", "sea"], keywords=SEEDS)
    (name,) = program.labels
    given = np.array([[0.2, 0.3], [0.7, 0.8]])
    model = tacit.DPL().fit(task, program, shares={name: given})
    assert np.array_equal(model.shares_[name], given)
    (label,) = program.labels
    stated = tacit.Program.parse(f"{program.show()}\neven: expect 0.5 +- 0.1: {label}(x) = tea")
    assert tacit.DPL().fit(task, stated).shares_ == {}
    said = tacit.DPL(rounds=1).fit(task, program).said()
    assert tacit.DPL().fit(task, program, said=said).shares_


def test_networks_may_say_what_they_said_before_they_had_votes_to_learn_from() -> None:
    """Of this model, or of another; whatever texts tell."""
    found, _ = texts(200)
    task, program = tacit.text_classification(found, labels=["tea", "sea"], keywords=SEEDS)
    (name,) = program.labels
    rare = np.array([0.01, 0.99])
    least, largest = tacit.DPL().fit(task, program, first_shares={name: rare}).shares_[name]
    assert (least <= rare).all()
    assert (rare <= largest).all()
    assert least[0] == 0.01
    for wrong in (np.array([0.5]), np.array([0.0, 1.0]), rare[None]):
        with pytest.raises(BadInput, match="no share above 0 of each label"):
            tacit.DPL().fit(task, program, first_shares={name: wrong})
    with pytest.raises(BadInput, match="nobody"):
        tacit.DPL().fit(task, program, first_shares={"nobody": rare})


def test_evidence_that_is_no_words_or_of_one_label_tells_nothing() -> None:
    found, kinds = texts(200)
    votes = np.where(np.arange(200) % 3 == 0, (kinds == "sea").astype(int), -1)
    task, program = tacit.text_classification(found, labels=["tea", "sea"])
    (label,) = program.labels.values()
    by_votes = tacit.assemble(task, program, tacit.label_matrix(votes[:, None], label=label))
    assert tacit.DPL().fit(*by_votes).shares_ == {}
    one_sided = tacit.text_classification(found, labels=["tea", "sea"], keywords={"tea": ["leaf"]})
    assert tacit.DPL().fit(*one_sided).shares_ == {}


def test_texts_of_which_nothing_is_left_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    log_probs = Linear.log_probs

    def listening(self: Linear, inputs: Any) -> Any:
        read.extend(inputs if isinstance(inputs, list) else [])
        return log_probs(self, inputs)

    monkeypatch.setattr(Linear, "log_probs", listening)
    found = ["superb", " awful ", "superb film", "awful play", "", "warm film", "cold play"] * 3
    seeds = {"neg": ["awful"], "pos": ["superb"]}
    task, program = tacit.text_classification(found, labels=["neg", "pos"], keywords=seeds)
    assert tacit.DPL().fit(task, program).shares_
    assert all(text.strip() for text in read)
    assert not any("superb" in text or "awful" in text for text in read)
    read.clear()
    bare = ["superb", "awful", "warm film", "cold play"] * 3
    task, program = tacit.text_classification(bare, labels=["neg", "pos"], keywords=seeds)
    assert tacit.DPL().fit(task, program).shares_ == {}


def test_copies_of_a_text_are_in_one_place_and_places_go_with_texts() -> None:
    found = [f"text {i % 40}" for i in range(100)]
    place, order = places(found), np.random.default_rng(0).permutation(100)
    assert len(set(place)) == 40
    assert (place[:20] == place[40:60]).all()
    assert np.array_equal(places([found[at] for at in order]), place[order])
    assert abs(np.mean(place % 2) - 0.5) < 0.1


def test_shares_are_saved_with_the_model(tmp_path: Path) -> None:
    model, _ = fitted(texts(200))
    model.save(tmp_path / "run")
    loaded = tacit.load(tmp_path / "run")
    assert set(loaded.shares_) == set(model.shares_) != set()
    for name, own in model.shares_.items():
        assert np.array_equal(loaded.shares_[name], own)
    again = loaded.on(model.label_model_.task_)
    assert again.first_shares().keys() == model.first_shares().keys() != set()
