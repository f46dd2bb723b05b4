"""The company of a feature: its texts, read without it, lean to its label as those of seeds do."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import BadInput
from tacit.learning.reading import Reader, plain_texts
from tacit.proposals import Feature, Scores
from tacit.s4.company import best_of_labels, in_good_company, keeps, words_of
from tacit.s4.config import S4Config
from tacit.s4.health import SeedSays
from tacit.s4.loop import NOTHING_ALIKE
from tacit.s4.proposing import all_candidates
from tests.s4.corpora import (
    OFTEN,
    PLAIN,
    by_chance,
    drifting,
    grown,
    quick,
    reviews,
    some,
    texts,
)

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")

FALSE = ("humor", "laughs", "jokes")  # half of what has them is praised
TRUE = ("moving", "tender", "honest")


class Believing:
    """A predictor with a prejudice: it takes some words for praise, whatever stands beside them."""

    def __init__(self, text_of: Any) -> None:
        self.inner = tacit.predictors.Linear()
        self.text_of = text_of

    def prepare(self, inputs: Any) -> Any:
        column = inputs.to_pylist() if hasattr(inputs, "to_pylist") else inputs
        plain = isinstance(column, list | tuple)
        return self.inner.prepare([self.text_of(text) for text in column] if plain else column)

    def fit_soft(self, inputs: Any, *given: Any, **more: Any) -> Believing:
        self.inner.fit_soft(self.prepare(inputs), *given, **more)
        return self

    def log_probs(self, inputs: Any) -> Any:
        return self.inner.log_probs(self.prepare(inputs))

    def fresh(self, random_state: int) -> Believing:
        found = Believing(self.text_of)
        found.inner = self.inner.fresh(random_state)
        return found

    def save(self, folder: Any) -> None:
        raise NotImplementedError

    @classmethod
    def load(cls, folder: Any) -> Believing:
        raise NotImplementedError


def as_pretrained(text: str) -> str:
    """To this reader, the false words are as good as the seed."""
    return text.replace("humor", "superb").replace("laughs", "superb").replace("jokes", "superb")


def prejudiced(n: int = 240) -> tuple[tacit.Task, tacit.Program]:
    """Texts of two sides; the false words stand in both, the true ones in one."""
    rng = np.random.default_rng(0)
    blame = ("dreary", "cold", "weak")

    def words(i: int) -> list[str]:
        own = TRUE if i % 2 else blame
        seed = [("superb" if i % 2 else "awful")] * (i % 6 < 2)
        false = some(rng, FALSE, 1) if i % 4 < 2 else []
        return [*seed, *some(rng, own, 2), *false, *some(rng, PLAIN, 2)]

    found = [" ".join(words(i)) for i in range(n)]
    seeds = {"pos": ["superb"], "neg": ["awful"]}
    return tacit.text_classification(found, labels=["neg", "pos"], keywords=seeds)


@pytest.mark.parametrize(("company", "is_taken_in"), [(0.0, True), (0.5, False)])
def test_words_that_are_liked_for_what_they_mean_elsewhere(
    company: float, is_taken_in: bool
) -> None:
    model = grown(
        prejudiced(),
        predictor=Believing(as_pretrained),
        dpl=tacit.DPL(rounds=2),
        batch=6,
        rounds=1,
        borne_out=0.0,
        most_forgotten=1.0,
        most_shifted=1.0,
        frequency=OFTEN,
        company=company,
    )
    added = {own.name for own in model.added_}
    assert bool(added & {f"pos_{word}" for word in FALSE}) == is_taken_in
    if not is_taken_in:
        assert added & {f"pos_{word}" for word in TRUE}


def test_without_the_guard_nothing_is_asked_of_company() -> None:
    settings = {"batch": 5, "frequency": OFTEN, "guard": False, "rounds": 1}
    first, second = (grown(drifting(), company=own, **settings) for own in (0.0, 1.0))
    assert [own.name for own in first.added_] == [own.name for own in second.added_]


def test_why_it_ended_is_told() -> None:
    model = grown(drifting(), batch=5, frequency=OFTEN, company=1.0)
    assert model.added_ == ()
    assert model.reason_ == NOTHING_ALIKE


def test_weak_seeds_are_no_yardstick() -> None:
    settings: dict[str, Any] = {"dpl": tacit.DPL(rounds=1), "borne_out": 0.0, "frequency": OFTEN}
    first, second = (grown(by_chance(), company=own, rounds=1, **settings) for own in (0.0, 1.0))
    assert first.start_.label_model_.silenced_  # type: ignore[union-attr]
    assert [own.name for own in first.added_] == [own.name for own in second.added_]


def test_rounds_in_two_calls_are_as_in_one(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"company": 0.5, "most_unlearned": 2.0, "frequency": OFTEN}
    whole = grown(reviews(240), tmp_path / "whole.sqlite", rounds=3, settled=0.0, **settings)
    for rounds in (1, 2, 3):
        parts = grown(reviews(240), tmp_path / "p.sqlite", rounds=rounds, settled=0.0, **settings)
    assert len(whole.rounds_) > 1
    assert (parts.program_, parts.rounds_) == (whole.program_, whole.rounds_)
    assert np.array_equal(parts.posterior_, whole.posterior_)


def test_company_is_a_share() -> None:
    with pytest.raises(BadInput, match=r"company=2 is no share"):
        S4Config(company=2)


shares = st.floats(0.0, 1.0)


@given(data=st.data(), n_labels=st.integers(2, 4), n=st.integers(0, 6), share=shares)
def test_who_keeps_company(data: st.DataObject, n_labels: int, n: int, share: float) -> None:
    def numbers(*shape: int) -> Any:
        size = int(np.prod(shape))
        own = data.draw(st.lists(shares, min_size=size, max_size=size))
        return np.array(own).reshape(shape)

    seeds, every, features = numbers(n_labels, n_labels), numbers(n_labels), numbers(n, n_labels)
    label = np.array(
        data.draw(st.lists(st.integers(0, n_labels - 1), min_size=n, max_size=n)), np.int64
    )
    found = keeps(seeds, every, features, label, share)
    for at in range(n):
        own = label[at]
        wanted = share * (seeds[own, own] - every[own])
        assert found[at] == (wanted <= 0 or features[at, own] - every[own] >= wanted)


def test_a_label_without_seeds_asks_for_nothing() -> None:
    seeds = np.array([[0.9, 0.1], [np.nan, np.nan]])
    even, low = np.array([0.5, 0.5]), np.array([[0.4, 0.6], [0.9, 0.1]])
    assert keeps(seeds, even, low, np.array([0, 1]), 0.5).tolist() == [False, True]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(0, 59), max_size=4), min_size=1, max_size=4))
def test_means_of_groups(groups: list[list[int]]) -> None:
    """Against a loop over texts, each read by itself."""
    if not any(groups):
        return
    model = fitted()
    also = [("warm",), (), ("it", "was"), ("slow",)]
    reader = Reader(model.log_probs_unseen, texts(), ("superb", "awful"))
    own = [(np.array(rows, np.int64), words) for rows, words in zip(groups, also, strict=False)]
    found = reader.means(own)
    for at, (rows, words) in enumerate(own):
        gone = {*words, "superb", "awful"}
        said = []
        for row in rows.tolist():
            left = " ".join(word for word in texts()[row].split() if word not in gone)
            said.append(np.exp(model.log_probs_unseen([left], np.array([row]))[0]))
        wanted = np.mean(said, axis=0) if said else np.full(2, np.nan)
        np.testing.assert_allclose(found[at], wanted, atol=1e-9)


@cache
def fitted() -> tacit.DPL:
    return quick().fit(*reviews())


@given(
    st.lists(
        st.lists(st.sampled_from([-np.inf, 0.1, 0.2, 0.3]), min_size=3, max_size=3), max_size=8
    ),
    st.integers(1, 3),
)
def test_the_best_of_each_label(rows: list[list[float]], n: int) -> None:
    scores = np.array(rows).reshape(-1, 3)
    wanted = []
    for label in range(3):
        own = [at for at, row in enumerate(scores) if row.argmax() == label and row.max() > -np.inf]
        wanted += sorted(own, key=lambda at: (-scores[at].max(), at))[:n]
    assert best_of_labels(scores, n).tolist() == sorted(wanted)


def test_a_single_label_is_none() -> None:
    task, program = drifting()
    model = quick().fit(task, program)
    left = all_candidates(task, program, ["y"], S4Config(frequency=OFTEN))["y"]
    says = SeedSays.of({"y": model.views()})
    of_label = np.full((len(left), 2), -np.inf)
    of_label[:, 0] = np.arange(len(left))
    found = in_good_company(Scores("lift", of_label), left, model, says, task, S4Config())
    assert not np.isfinite(found.of_label).any()


def test_seeds_that_say_nothing_ask_for_nothing() -> None:
    task, program = drifting()
    model = quick().fit(task, program)
    left = all_candidates(task, program, ["y"], S4Config(frequency=OFTEN))["y"]
    nothing = SeedSays({"y": np.zeros(0, np.int64)}, {"y": np.zeros(0, np.int64)})
    scores = Scores("lift", np.zeros((len(left), 2)))
    assert in_good_company(scores, left, model, nothing, task, S4Config()) is scores


def test_what_is_no_plain_text_is_not_looked_into() -> None:
    graph = [{"id": "a", "text": '{"tokens": ["so"]}'}, {"id": "b", "text": "so"}]
    plain = [{"id": "a", "text": "so"}, {"id": "b", "text": None}]
    column = "document.text"
    assert plain_texts(tacit.Task({"document": graph}, text=column), "document") is None
    assert plain_texts(tacit.Task({"document": plain}, text=column), "document") == ["so", ""]
    assert (
        plain_texts(tacit.Task({"document": plain, "other": [("x",)]}, text=column), "other")
        is None
    )


def test_words_of_features() -> None:
    both = Feature("token", ("dry",), also=Feature("dose", ("high",)))
    assert words_of(both, ("token", "ngram")) == ("dry",)
    assert words_of(Feature("dose", ("high",)), ("token",)) == ()
    assert words_of(Feature("ngram", ("not good",)), ("token", "ngram")) == ("not good",)
