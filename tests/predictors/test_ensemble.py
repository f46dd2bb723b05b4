"""Votes of several predictors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB

from tacit.errors import BadInput
from tacit.predictors.ensemble import Ensemble
from tacit.predictors.linear import Linear
from tacit.predictors.protocol import Adapting, Attending, Embedding, Predictor, Prepared
from tests.predictors.test_linear import Floats, some_texts

TEXTS, SOFT = some_texts(900)


def words_and_pairs() -> list[Linear]:
    return [Linear(ngrams=(1, 1)), Linear(ngrams=(2, 2), l2=0.1)]


def test_the_vote_is_written_from_its_definition() -> None:
    model = Ensemble(words_and_pairs()).fit_soft(TEXTS, SOFT)
    assert model.mean_ is not None
    assert model.spread_ is not None
    scores: Floats = np.zeros_like(SOFT)
    for member, mean, spread in zip(model.members, model.mean_, model.spread_, strict=True):
        log_probs = member.log_probs(TEXTS)
        odds = log_probs - log_probs.mean(axis=1, keepdims=True)
        scores += (mean + model.scale_ * (odds - mean) / spread) / 2
    wanted = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert np.exp(model.log_probs(TEXTS)) == pytest.approx(wanted)


def test_loudness_is_the_spread_of_what_was_measured() -> None:
    model = Ensemble(words_and_pairs(), held_out=0).fit_soft(TEXTS, SOFT)
    assert model.spread_ is not None
    for member, spread in zip(model.members, model.spread_, strict=True):
        log_probs = member.log_probs(TEXTS)
        odds = log_probs - log_probs.mean(axis=1, keepdims=True)
        assert spread == pytest.approx(np.sqrt(odds.var(axis=0).mean()))


def test_a_member_twice_is_that_member_at_another_scale() -> None:
    model = Ensemble([Linear(), Linear()], held_out=0).fit_soft(TEXTS, SOFT)
    assert model.spread_ is not None
    model.scale_ = float(model.spread_[0])
    assert model.log_probs(TEXTS) == pytest.approx(model.members[0].log_probs(TEXTS))


def test_no_other_scale_is_likelier_on_what_was_kept_aside() -> None:
    model = Ensemble(words_and_pairs()).fit_soft(TEXTS, SOFT)
    trained, measured = model._split(np.ones(900))
    assert len(measured) == 90
    assert not trained[measured].any()
    own = model.prepare(TEXTS).take(measured)

    def likelihood(scale: float) -> float:
        model.scale_ = scale
        return float((SOFT[measured] * model.log_probs(own)).sum())

    best = model.scale_
    assert likelihood(best) >= max(likelihood(best * 1.05), likelihood(best / 1.05))


def test_few_inputs_are_all_learned_from() -> None:
    model = Ensemble(words_and_pairs())
    trained, measured = model._split(np.ones(100))
    assert trained.all()
    assert len(measured) == 100
    model.fit_soft(TEXTS[:100], SOFT[:100])
    assert model.spread_ is not None
    assert model.scale_ <= model.spread_.max()
    assert len(Ensemble(words_and_pairs(), held_out=0)._split(np.ones(9000))[1]) == 5000


def test_a_member_that_knows_nothing_does_no_harm() -> None:
    knowing = Linear(ngrams=(1, 1))
    silent = Linear(ngrams=(9, 9), min_count=900)
    model = Ensemble([knowing, silent]).fit_soft(TEXTS, SOFT)
    truth = SOFT.argmax(axis=1)
    alone = (knowing.log_probs(TEXTS).argmax(axis=1) == truth).mean()
    together = (model.log_probs(TEXTS).argmax(axis=1) == truth).mean()
    assert together > alone - 0.05


def test_two_views_are_at_least_as_good_as_one() -> None:
    new, truth = some_texts(900, seed=1)
    members = [Linear(ngrams=(1, 1)), MultinomialNB()]
    model = Ensemble(members).fit_soft(TEXTS, SOFT)
    right = [
        (found.log_probs(new).argmax(axis=1) == truth.argmax(axis=1)).mean()
        for found in (model, *model.members)
    ]
    assert right[0] >= min(right[1:])
    mean = (truth * model.log_probs(new)).sum(axis=1).mean()
    assert mean > np.log(1 / 3)


def test_it_keeps_the_contract(tmp_path: Path) -> None:
    model = Ensemble(["linear", Linear(ngrams=(1, 1))], random_state=3)
    assert isinstance(model, Predictor)
    assert isinstance(model, Attending)
    assert not isinstance(model, Embedding)
    assert not isinstance(Ensemble([MultinomialNB()]), Attending)
    with pytest.raises(BadInput, match="nothing"):
        model.log_probs(TEXTS)
    prepared = model.prepare(iter(TEXTS))
    assert isinstance(prepared, Prepared)
    assert len(prepared) == 900
    found = model.fit_soft(prepared, SOFT).log_probs(prepared)
    assert (model.fresh(3).fit_soft(TEXTS, SOFT).log_probs(TEXTS) == found).all()
    rows = np.array([7, 7, 1])
    assert model.log_probs(prepared.take(rows)) == pytest.approx(found[rows])
    attention = model.attention(prepared)
    own = model.members[0].attention(TEXTS)  # type: ignore[attr-defined]
    assert (attention.share == own.share).all()
    model.save(tmp_path)
    loaded = Ensemble.load(tmp_path)
    assert (loaded.log_probs(TEXTS) == found).all()
    assert isinstance(loaded, Attending)


def test_progress_is_told_in_one_piece() -> None:
    told: list[tuple[int, int, float]] = []
    Ensemble(words_and_pairs()).fit_soft(TEXTS, SOFT, report=lambda *step: told.append(step))
    steps = [step for step, _, _ in told]
    assert steps == sorted(steps)
    assert {total for _, total, _ in told} == {1000}


@pytest.mark.parametrize("settings", [{"members": []}, {"members": "linear"}, {"held_out": 1.0}])
def test_what_makes_no_ensemble_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        Ensemble(**({"members": ["linear"]} | settings))  # type: ignore[arg-type]


def test_both_embeddings_are_those_of_one_member() -> None:
    class Placing(Linear):
        def adapted(self, inputs: Any) -> tuple[Any, Any]:
            before = self.prepare(inputs).matrix.toarray()
            return 2 * before, before

    model = Ensemble([Linear(), Placing()]).fit_soft(TEXTS, SOFT)
    own, before = model.adapted(TEXTS)  # type: ignore[attr-defined]
    assert isinstance(model, Adapting)
    assert (own == 2 * before).all()
    assert len(own) == len(TEXTS)
    assert not isinstance(Ensemble([Linear()]), Adapting)
