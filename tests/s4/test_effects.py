"""What accepting an offer would change is what the definition says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.learning.views import Views
from tacit.s4.asking import effects
from tests.oracles.effects import effect
from tests.s4.corpora import Asked, Knows, grown, reviews

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


@st.composite
def believed(draw: Any) -> tuple[list[bool], list[list[float]], list[bool]]:
    """Which instances have a feature, what is believed of all, and which have evidence."""
    n, n_labels = draw(st.integers(0, 12)), draw(st.integers(2, 4))
    row = st.lists(st.integers(0, 9), min_size=n_labels, max_size=n_labels).filter(any)
    together = [[own / sum(shares) for own in shares] for shares in [draw(row) for _ in range(n)]]
    truths = st.lists(st.booleans(), min_size=n, max_size=n)
    return draw(truths), together, draw(truths)


@given(believed(), st.sampled_from([0.3, 1.7, 2.2, 40.0, 800.0]))
def test_effects_are_as_defined(
    given: tuple[list[bool], list[list[float]], list[bool]], weight: float
) -> None:
    has_feature, shares, has_evidence = given
    n_labels = len(shares[0]) if shares else 2
    together = np.array(shares, dtype=float).reshape(len(shares), n_labels)
    views = Views(together, together, together, np.array(has_evidence, dtype=bool))
    found = effects(np.flatnonzero(has_feature), views, weight)
    least = min(weight, 700.0)  # of the definition's own arithmetic
    expected = [effect(has_feature, shares, has_evidence, k, least) for k in range(n_labels)]
    assert [(own.touched, own.flipped, own.covered) for own in found] == expected


def test_a_question_tells_what_each_answer_would_change() -> None:
    asked = Asked(Knows())
    model = grown(reviews(), rounds=1, budget=1, reviewer=asked, asked_weight=1.1)
    (question,) = asked.questions
    grown_before = grown(reviews(), rounds=1).model_.views()
    texts = reviews()[0].table("document").column("text").to_pylist()
    has_feature = [question.feature in str(text).split() for text in texts]
    for k, offer in enumerate(question.offers):
        own = effect(
            has_feature, grown_before.together.tolist(), grown_before.has_evidence.tolist(), k, 1.1
        )
        assert offer.effect is not None
        assert (offer.effect.touched, offer.effect.flipped, offer.effect.covered) == own
        assert offer.effect.touched == question.touched
    assert question.guess == Knows().says(question)
    assert model.n_asked_ == 1
