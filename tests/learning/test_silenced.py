"""Labels that learning would silence: their keywords keep the weights that the expert gave."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import TacitWarning
from tacit.learning.silenced import as_given, silenced
from tacit.learning.votes import Votes

from .fitted_models import fitted, fitted_matrix, programs, task_of

WEIGHT = 2.2


def long_texts(n_words: int, *, n: int = 300, seed: int = 0) -> tuple[list[str], dict[str, Any]]:
    """Texts of some forty words, some long and some short, and keywords that are mere chance."""
    rng = np.random.default_rng(seed)
    keywords = {side: [f"{side}{k}" for k in range(n_words)] for side in ("neg", "pos")}
    every = [*keywords["neg"], *keywords["pos"], *(f"w{k}" for k in range(60))]
    texts = [" ".join(rng.choice(every, rng.integers(10, 80))) for _ in range(n)]
    return texts, keywords


def learned(texts: list[str], words: Any, **how: Any) -> tuple[tacit.LabelModel, list[str]]:
    """A label model and its warnings."""
    task, program = tacit.text_classification(texts, labels=["neg", "pos"], keywords=words)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TacitWarning)
        model = tacit.LabelModel(**how).fit(task, program)
    return model, [str(one.message) for one in caught]


def given_weights(task: tacit.Task, program: tacit.Program) -> tacit.LabelModel:
    """What the evidence says when every weight stays as it is."""
    fixed = tacit.Program.parse(program.show().replace(f"{WEIGHT}  ", f"{WEIGHT}!  "))
    return fitted(task, fixed)


@cache
def chance() -> tuple[list[str], dict[str, Any]]:
    return long_texts(4)


def telling() -> tuple[list[str], dict[str, Any]]:
    """Texts in which keywords of one label stand together, and never beside the others."""
    rng = np.random.default_rng(0)
    keywords = {side: [f"{side}{k}" for k in range(4)] for side in ("neg", "pos")}
    fill = [f"w{k}" for k in range(20)]
    texts = [
        " ".join([*rng.choice(keywords[side], 3), *rng.choice(fill, 10)])
        for side in rng.choice(["neg", "pos"], 300)
    ]
    return texts, keywords


def test_weights_stay_as_given_where_learning_would_silence_a_label() -> None:
    model, told = learned(*chance())
    assert any("explain away all that speaks for" in one for one in told)
    assert set(model.weights_.values()) == {WEIGHT}
    as_written = given_weights(model.task_, model.program_)
    assert np.array_equal(model.posterior_, as_written.posterior_)
    shares = model.posterior_.mean(axis=0)
    assert shares.min() > 0.3  # neither label is lost


def test_the_labels_are_named() -> None:
    model, _ = learned(*chance())
    assert model.silenced_ == {"y": ("pos",)}
    clear, _ = learned(*telling())
    assert clear.silenced_ == {}


def test_weights_that_stay_as_given_have_no_error() -> None:
    model, _ = learned(*chance())
    assert all(np.isnan(error) for error in model.errors_.values())


def test_keywords_may_always_stay_as_given() -> None:
    texts, keywords = telling()
    model, told = learned(texts, keywords, keywords="given")
    assert not told
    assert set(model.weights_.values()) == {WEIGHT}
    votes = np.random.default_rng(0).integers(-1, 2, size=(100, 3))
    many_sided = fitted_matrix(votes, ["neg", "pos"], keywords="given")
    assert len({*many_sided.weights_.values()}) == 3


def test_left_alone_learning_would_silence_it(monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = np.array([], dtype=np.int64)
    monkeypatch.setattr("tacit.learning.label_model.silenced", lambda *_: nobody)
    model, _ = learned(*chance())
    weights = np.array(list(model.weights_.values()))
    sides = [weights[[side in name for name in model.weights_]].mean() for side in ("neg", "pos")]
    assert min(sides) < 0.1 * WEIGHT < 0.5 * WEIGHT < max(sides)
    assert model.posterior_.mean(axis=0).min() < 0.2


def test_a_weight_that_may_turn_is_not_kept() -> None:
    model, told = learned(*chance(), polarity="free")
    assert not any("explain away" in one for one in told)
    assert set(model.weights_.values()) != {WEIGHT}


def test_words_that_tell_labels_apart_are_learned() -> None:
    model, told = learned(*telling())
    assert not told
    assert WEIGHT not in model.weights_.values()


@pytest.mark.parametrize("n_words", [1, 2])
def test_a_single_word_for_a_label_may_well_be_wrong(n_words: int) -> None:
    """Wherever three words of one label stand, so do the only ones of the other."""
    keywords = {
        "neg": [f"neg{k}" for k in range(3)],
        "pos": [f"pos{k}" for k in range(n_words)],
    }
    together = " ".join([*keywords["neg"], *keywords["pos"]])
    model, told = learned(["a b", "b c", together, f"{together} a"] * 75, keywords)
    if n_words == 1:
        assert model.weights_["pos_pos0"] == 0
        assert ["contradicts pos_pos0" in one for one in told] == [True]
    else:
        assert set(model.weights_.values()) == {WEIGHT}
        assert ["explain away all that speaks for pos" in one for one in told] == [True]


@pytest.mark.parametrize("per_class", [False, True])
def test_sources_that_vote_for_several_labels_are_always_learned(per_class: bool) -> None:
    votes = np.random.default_rng(0).integers(-1, 2, size=(400, 8))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TacitWarning)
        model = tacit.LabelModel().fit_matrix(votes, ["neg", "pos"], per_class=per_class)
    assert not any("explain away" in str(one.message) for one in caught)
    (own,) = model.votes_.values()
    start = np.ones(len(model.weight_names_))
    assert len(silenced(own, start, 0 * start)) == 0
    assert not as_given(own, len(start)).any()


def slow_sides(votes: Votes) -> list[bool]:
    """Of each source, whether its events speak for different labels."""
    found = []
    for source in range(votes.n_sources):
        said = set()
        for event in np.flatnonzero(votes.source_of_event == source):
            parts = votes.parts
            chosen = (parts.event == event) & (parts.add > 0)
            said.add(frozenset(parts.label[chosen].tolist()))
        found.append(len(said) > 1)
    return found


def slow_silenced(votes: Votes, start: np.ndarray, end: np.ndarray) -> list[int]:
    """Labels with two weights or more of one-sided evidence, of which little is left.

    That is less than a tenth, or less than 0.8 of an even share (a tenth, with more than eight
    labels) of what is left to the label that has kept most.
    """
    parts, many_sided = votes.parts, slow_sides(votes)
    left: dict[int, float] = {}
    for label in range(votes.n_labels):
        own = set()
        for event, about, weight, add in zip(
            parts.event, parts.label, parts.weight, parts.add, strict=True
        ):
            speaks = about == label and add > 0 and start[weight] > 0
            if speaks and not many_sided[votes.source_of_event[event]]:
                own.add(int(weight))
        weights = sorted(weight for weight in own if np.isfinite(start[weight]))
        if len(weights) >= 2:
            left[label] = sum(end[w] for w in weights) / sum(start[w] for w in weights)
    fair = max(0.1, 0.8 / votes.n_labels)
    most = max(left.values(), default=0.0)
    return [label for label, own in left.items() if own < 0.1 or own < fair * most]


@given(st.integers(0, 10**6), programs())
@settings(max_examples=25)
def test_what_is_silenced_is_its_definition(seed: int, program: tacit.Program) -> None:
    model = fitted(task_of(seed), program, max_steps=1)
    rng = np.random.default_rng(seed)
    n = len(model.weight_names_)
    start = rng.choice([-1.0, 0.0, 1.0, 2.0, np.inf], n)
    end = np.where(np.isfinite(start), start, 0) * rng.choice([0.0, 0.05, 0.3, 1.0], n)
    for votes in model.votes_.values():
        assert silenced(votes, start, end).tolist() == slow_silenced(votes, start, end)
        sides = slow_sides(votes)
        one_sided = {
            int(weight)
            for event, weight in zip(votes.parts.event, votes.parts.weight, strict=True)
            if not sides[votes.source_of_event[event]]
        }
        assert set(np.flatnonzero(as_given(votes, n)).tolist()) == one_sided


def test_other_label_functions_go_on_learning() -> None:
    texts, keywords = chance()
    rows = {"id": [f"r{i}" for i in range(len(texts))], "text": texts}
    rng = np.random.default_rng(1)
    kind = {"a": rows["id"], "b": rng.choice(["x", "y"], len(texts)).tolist()}
    seen = {"a": rows["id"], "b": [k if rng.random() < 0.9 else "x" for k in kind["b"]]}
    task = tacit.Task({"review": rows, "kind": kind, "seen": seen}, text="review.text")
    lines = [
        f'{w}: {WEIGHT} token(r, "{w}") => sentiment(r) = {side}'
        for side, own in keywords.items()
        for w in own
    ]
    program = tacit.Program.parse(
        "\n".join(
            [
                "label sentiment(review) = neg | pos",
                "label topic(review) = x | y",
                "observed token(review, word)",
                "observed kind(review, class)",
                "observed seen(review, class)",
                *lines,
                "kinds: 1.0 kind(r, k) => topic(r) = k",
                "seen_as: 1.0 seen(r, k) => topic(r) = k",
            ]
        )
    )
    with pytest.warns(TacitWarning, match="explain away all that speaks for pos of sentiment"):
        model = tacit.LabelModel().fit(task, program)
    assert {model.weights_[w] for own in keywords.values() for w in own} == {WEIGHT}
    assert model.weights_["kinds"] != 1.0
    assert model.weights_["seen_as"] != 1.0
