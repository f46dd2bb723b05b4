"""Programs of every kind grow: several labels, relations, ties, hard evidence, odd words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.logic.show import show_formula
from tacit.proposals.frequency import Frequency
from tacit.review import Answer, Question, replay
from tests.s4.corpora import NEG, NOON, POS, Asked, Knows, grown, sides, texts
from tests.s4.killed_growth import SORTS, TWO, two_functions

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
IDS = [f"r{i}" for i in range(60)]
REVIEW = {"id": IDS, "text": list(texts())}
ALL = Frequency(floor=1, ceiling=1.0)


def task(**tables: Any) -> tacit.Task:
    return tacit.Task({"review": REVIEW, **tables}, text="review.text")


class KnowsTopics(Knows):
    """An expert on both labels: what speaks for the other one is rejected."""

    def ask(self, question: Question) -> Answer:
        if question.function == "sentiment":
            return super().ask(question)
        known = {
            f"kind({sort})": {"neg": "war", "pos": "art"}[s] for s in SORTS for sort in SORTS[s]
        }
        return Answer(question.id, known.get(question.feature, "reject"), "ann", NOON)


def test_two_label_functions_grow_side_by_side() -> None:
    asked = Asked(KnowsTopics())
    model = grown(two_functions(), budget=3, borne_out=0.0, reviewer=asked)
    assert set(model.posterior_) == {"sentiment", "topic"}
    by_label = {"neg": "sentiment", "pos": "sentiment", "art": "topic", "war": "topic"}
    for own in model.added_:
        label, name = own.name.split("_", 1)
        assert f"{by_label[label]}(r) = {label}" in model.program_.show().split(own.name)[1]
        if by_label[label] == "sentiment" and own.origin.kind == "sst":
            assert name in {"neg": NEG, "pos": POS}[label] or name.startswith("kind")
    assert {by_label[own.name.split("_")[0]] for own in model.added_} == {"sentiment", "topic"}
    assert model.n_asked_ == 3
    assert {own.function for own in asked.questions} <= {"sentiment", "topic"}
    assert tacit.Program.parse(model.program_.show()) == model.program_
    right = model.posterior_["sentiment"].argmax(axis=1) == (np.array(sides()) == "pos")
    assert right.mean() > 0.9
    assert model.predict(["a gentle film"], "sentiment") == ["pos"]


def test_two_labels_of_one_table_share_its_words(tmp_path: Path) -> None:
    """No word is declared in the program, and both labels bring the same declaration."""
    lines = TWO.splitlines()
    seed = tacit.Program.parse(
        "\n".join(line for line in lines if "token" not in line)
        + '\nmore: 2.2 kind(r, "ink") => sentiment(r) = pos'
        + '\nless: 2.2 kind(r, "gun") => sentiment(r) = neg'
    )
    path = tmp_path / "ledger.sqlite"
    model = grown((two_functions()[0], seed), path, borne_out=0.0, budget=1, reviewer=Knows())
    declared = [one.name for one in model.program_.declarations]
    assert declared.count("token") == 1
    with tacit.Ledger(path) as ledger:
        assert replay(ledger) == model.program_


def test_one_of_two_labels_has_no_network() -> None:
    predictor = {"sentiment": "linear", "topic": None}
    model = grown(two_functions(), predictor=predictor, borne_out=0.0)
    assert {own.name.split("_")[0] for own in model.added_} <= {"neg", "pos"}
    assert set(model.model_.predictors_) == {"sentiment"}


DOSES = """
label    outcome(review) = neg | pos
observed dose(review, level)
observed drug(review, name, place)
observed known(review)
low:     2.2  dose(r, 1) => outcome(r) = neg
high:    2.2  dose(r, 6) => outcome(r) = pos
"""
LEVELS = [1 + i % 3 + 3 * (side == "pos") for i, side in enumerate(sides())]
DOSE = {"a": IDS, "b": LEVELS}


def test_a_relation_grows_by_its_constants() -> None:
    """The network reads texts; numbers, pairs of constants and facts without any are grown."""
    drug = {
        "a": IDS,
        "b": ["x" if side == "pos" else "y" for side in sides()],
        "c": [f"p{i % 2}" for i in range(60)],
    }
    known = [i for i, side in zip(IDS, sides(), strict=True) if side == "pos"]
    tables = {"dose": DOSE, "drug": drug, "known": known}
    seed = tacit.Program.parse(DOSES)
    settings = {"rounds": 3, "batch": 3, "frequency": ALL, "settled": 0.0}
    model = grown((task(**tables), seed), relations=("dose", "drug", "known"), **settings)
    assert {show_formula(own.formula) for own in model.added_} == {
        "dose(r, 2) => outcome(r) = neg",
        "dose(r, 3) => outcome(r) = neg",
        "dose(r, 4) => outcome(r) = pos",
        "dose(r, 5) => outcome(r) = pos",
        'drug(r, "x", "p0") => outcome(r) = pos',
        'drug(r, "x", "p1") => outcome(r) = pos',
        'drug(r, "y", "p0") => outcome(r) = neg',
        'drug(r, "y", "p1") => outcome(r) = neg',
        "known(r) => outcome(r) = pos",
    }
    assert model.reason_ == "nothing is left to propose"
    assert "token" not in model.program_.observed
    assert tacit.Program.parse(model.program_.show()) == model.program_
    with_words = grown((task(**tables), seed), **settings)
    assert "token" in with_words.program_.observed


def test_a_relation_is_asked_about_without_texts_to_mark() -> None:
    asked = Asked(Knows())
    tables = {"dose": DOSE, "drug": [("r0", "x", "y")], "known": ["r0"]}
    grown(
        (task(**tables), tacit.Program.parse(DOSES)),
        relations=("dose",),
        rounds=0,
        budget=1,
        frequency=ALL,
        reviewer=asked,
    )
    (question,) = asked.questions
    assert question.feature.startswith("dose(")
    assert all(own.text and not own.spans for own in question.examples)
    assert {own.instance for own in question.examples} <= set(IDS)


GOLD = """
label    sentiment(review) = neg | pos
observed token(review, word)
observed gold(review, class)
observed near(review, review)
praise:  2.2   token(r, "superb") => sentiment(r) = pos
blame:   2.2   token(r, "awful") => sentiment(r) = neg
agree:   0.5   near(r, s) => sentiment(r) = sentiment(s)
gold:    hard  gold(r, l) => sentiment(r) = l
"""


def test_gold_is_never_turned_into_evidence() -> None:
    tables = {
        "gold": {"a": IDS[:20], "b": list(sides()[:20])},
        "near": {"a": IDS[:40:2], "b": IDS[1:41:2]},
    }
    model = grown((task(**tables), tacit.Program.parse(GOLD)), frequency=ALL, borne_out=0.0)
    assert len(model.added_) == 4
    assert not any("gold" in own.name for own in model.added_)
    assert [line.count("gold(") for line in model.program_.show().splitlines()].count(1) == 2


def test_a_labelling_function_that_speaks_for_all_labels_is_not_grown() -> None:
    """`votes(r, l) => y = l` says all that could be said of its constants."""
    program = tacit.Program.parse(
        "label y(review) = neg | pos\n"
        "observed votes(review, class)\n"
        "lf: 1.5 votes(r, l) => y(r) = l"
    )
    votes = {"a": IDS[:30], "b": list(sides()[:30])}
    model = grown((task(votes=votes), program), frequency=ALL)
    assert model.added_
    assert not any("votes" in own.name for own in model.added_)


def test_three_labels() -> None:
    words = {
        "a": ("one", "two", "three"),
        "b": ("red", "blue", "green"),
        "c": ("cat", "dog", "cow"),
    }
    rng = np.random.default_rng(0)
    gold = [str(side) for side in rng.choice(list(words), 90)]
    found = [" ".join(rng.choice(words[side], 2)) + f" {rng.choice(['x', 'y'])}" for side in gold]
    seeds = {side: [own[0]] for side, own in words.items()}
    problem = tacit.text_classification(found, labels=list(words), keywords=seeds)
    model = grown(problem, rounds=1, frequency=ALL, borne_out=0.0)
    assert {own.name for own in model.added_} <= {
        f"{s}_{w}" for s, own in words.items() for w in own
    }
    assert len(model.added_) == 3
    right = [list(words)[at] for at in model.posterior_.argmax(axis=1)]
    assert np.mean([one == two for one, two in zip(right, gold, strict=True)]) > 0.9


def test_words_and_labels_that_need_quotes() -> None:
    odd = {"very good": ("d'accord", "naïve", "3d"), "not": ("mr.", "über", "c3po")}
    rng = np.random.default_rng(0)
    found = [" ".join(rng.choice(odd[side], 3)) + " and" for side in rng.choice(list(odd), 60)]
    seeds = {side: [own[1]] for side, own in odd.items()}
    problem = tacit.text_classification(found, labels=list(odd), keywords=seeds)

    class Agrees(Knows):
        def says(self, question: Question) -> str:
            return question.labels[0]

    model = grown(problem, frequency=ALL, borne_out=0.0, rounds=1, budget=1, reviewer=Agrees())
    assert len(model.added_) == 3
    assert tacit.Program.parse(model.program_.show()) == model.program_
