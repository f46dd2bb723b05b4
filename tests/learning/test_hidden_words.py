"""Words that evidence looks for: which they are, and that networks are told to do without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.learning.hidden_words import words_looked_for
from tacit.predictors.linear import Linear
from tacit.predictors.protocol import Prepared

TEXTS = ["good fun film", "bad dull film", "not good plot", "dull", "fun and good", "a film"] * 4
KEYWORDS = {"pos": ["Good", "fun"], "neg": ["bad", "not good"]}


class Shy(Linear):
    """A network that notes what it is not to see."""

    hid: tuple[tuple[str, ...], ...] = ()

    def hiding(self, inputs: Any, words: Sequence[str]) -> Prepared:
        Shy.hid = (*Shy.hid, tuple(words))
        return self.prepare(inputs)


@pytest.fixture(autouse=True)
def _nothing_hidden_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shy, "hid", ())


def problem() -> tuple[tacit.Task, tacit.Program]:
    return tacit.text_classification(TEXTS, labels=["neg", "pos"], keywords=KEYWORDS)


def test_words_and_ngrams_of_evidence_on_this_label_function() -> None:
    task = tacit.Task(
        {
            "review": {"id": ["a", "b"], "text": ["superb film", "awful film"]},
            "author": {"review": ["a", "b"], "name": ["superb", "ann"]},
        },
        text="review.text",
    )
    program = tacit.Program.parse(
        """
        label sentiment(review) = neg | pos
        label long(review) = no | yes
        observed token(review, word)
        observed ngram(review, words)
        observed author(review, name)

        superb: 2.2  token(r, "superb") => sentiment(r) = pos
        both:   2.2  token(r, "awful") & ngram(r, "the end") => sentiment(r) = neg
        again:  1.0  token(r, "superb") & sentiment(r) = pos
        ann:    1.0  author(r, "ann") => sentiment(r) = pos
        words:  1.0  token(r, "chapter") => long(r) = yes
        any:    0.1  token(r, w) => long(r) = yes
        """
    )
    assert words_looked_for(task, program, "sentiment") == ("superb", "awful", "the end")
    assert words_looked_for(task, program, "long") == ("chapter",)


def test_networks_are_told_what_not_to_see() -> None:
    tacit.DPL(predictor=Shy()).fit(*problem())
    (hidden,) = Shy.hid
    assert sorted(hidden) == ["bad", "fun", "good", "not good"]


def test_unless_they_are_to_see_all() -> None:
    tacit.DPL(predictor=Shy(), hide_words=False).fit(*problem())
    assert Shy.hid == ((),)


def test_a_program_that_has_grown_hides_more() -> None:
    task, program = problem()
    before = tacit.DPL(predictor=Shy()).fit(task, program)
    (name, label), *_ = program.labels.items()
    line = f'more: 2.2  token(x, "dull") => {name}(x) = {label.labels[0]}\n'
    grown = tacit.Program.parse(program.show() + line)
    tacit.DPL(predictor=Shy()).fit(task, grown, previous=before)
    assert Shy.hid[1] == (*Shy.hid[0], "dull")


def test_a_network_that_cannot_hide_words_is_left_alone() -> None:
    one, other = (tacit.DPL(hide_words=hide).fit(*problem()) for hide in (True, False))
    assert np.array_equal(np.asarray(one.posterior_), np.asarray(other.posterior_))
