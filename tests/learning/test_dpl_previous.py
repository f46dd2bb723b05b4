"""A fit that takes over what the fit before has worked out learns the same, bit by bit."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.data import Task
from tacit.errors import BadInput
from tacit.learning.trained import Trained
from tacit.logic.evidence import Observed

from .killed_run import model, problem

TEXTS = ["superb and warm", "an awful plot", "it was clever", ""]
MORE = """
warm: 1.0  token(r, "warm") => sentiment(r) = pos
slow: 1.0  token(r, "slow") => sentiment(r) = neg
"""
SECOND = """
label    topic(review) = art | war
bright:  1.0  token(r, "bright") => topic(r) = art
cold:    1.0  token(r, "cold") => topic(r) = war
"""

# Formulas alike are numbered together, unless some come later: sums are then rounded otherwise.
NUMBERED = pytest.mark.xfail(strict=True, reason="grounding numbers the weights in another order")

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


def with_lines(program: tacit.Program, lines: str) -> tacit.Program:
    return tacit.Program.parse(program.show() + lines)


def with_declaration(program: tacit.Program) -> tacit.Program:
    """The same evidence, and some more about a relation that was not spoken of before."""
    declared = (*program.declarations, Observed("ngram", ("review", "words")))
    return with_lines(
        tacit.Program(declared, program.evidence),
        'it_was: 1.0  ngram(r, "it was") => sentiment(r) = neg\n',
    )


def first_lines_gone(program: tacit.Program) -> tacit.Program:
    return program.without("praise", "dull")


def other_weight(program: tacit.Program) -> tacit.Program:
    return tacit.Program.parse(program.show().replace("1.5", "0.7"))


PROGRAMS = {
    "the same": lambda own: own,
    "grown": lambda own: with_lines(own, MORE),
    "shrunk": lambda own: own.without("dull"),
    "shrunk from the front": first_lines_gone,
    "more declared": with_declaration,
    "another weight": other_weight,
    "shrunk and grown": lambda own: with_lines(own.without("fine"), MORE),
}


@cache
def fitted(kind: str) -> tacit.DPL:
    return model().fit(*problem(kind))


def same(one: tacit.DPL, other: tacit.DPL, function: str | None = None) -> bool:
    """Whether two models are alike bit by bit: labels, weights, errors, network, views."""
    views = [
        np.array_equal(getattr(one.views(function), part), getattr(other.views(function), part))
        for part in ("evidence", "network", "together", "has_evidence")
    ]
    return (
        np.array_equal(labels(one, function), labels(other, function))
        and one.weights_ == other.weights_
        and one.errors_ == pytest.approx(other.errors_, nan_ok=True, rel=0, abs=0)
        and np.array_equal(one.predict_proba(TEXTS, function), other.predict_proba(TEXTS, function))
        and [own.log_likelihood for own in one.history_]
        == [own.log_likelihood for own in other.history_]
        and all(views)
    )


def labels(own: tacit.DPL, function: str | None) -> Any:
    found = own.posterior_
    return found[function] if function is not None and isinstance(found, dict) else found


@pytest.mark.parametrize("change", PROGRAMS)
def test_the_same_is_learned_as_without_a_previous_fit(change: str) -> None:
    task, program = problem("free")
    changed = PROGRAMS[change](program)
    alone = fitted("free") if changed == program else model().fit(task, changed)
    assert same(alone, model().fit(task, changed, previous=fitted("free")))


@pytest.mark.parametrize(
    "change", ["shrunk", "more declared", pytest.param("grown", marks=NUMBERED)]
)
def test_the_same_is_learned_where_labels_are_tied(change: str) -> None:
    task, program = problem("tied")
    changed = PROGRAMS[change](program)
    assert same(model().fit(task, changed), model().fit(task, changed, previous=fitted("tied")))


@pytest.mark.parametrize(
    "settings",
    [
        {"random_state": 7},
        {"folds": 3, "random_state": 5},
        {"warm_start": False, "labels": "hard"},
        {"predictor": "linear", "label_model": tacit.LabelModel(dependencies="ignored")},
    ],
)
def test_settings_do_not_matter(settings: dict[str, Any]) -> None:
    task, program = problem("free")
    larger = with_lines(program, MORE)
    first = model(**settings).fit(task, program)
    assert same(
        model(**settings).fit(task, larger), model(**settings).fit(task, larger, previous=first)
    )


@pytest.mark.parametrize("seed", [None, 0, 3])
def test_a_predictor_object_keeps_its_seed(seed: int | None) -> None:
    from tacit.predictors.linear import Linear

    task, program = problem("free")
    larger = with_lines(program, MORE)

    def own() -> tacit.DPL:
        predictor = Linear() if seed is None else Linear(random_state=seed)
        return model(predictor=predictor, random_state=4)

    assert same(own().fit(task, larger), own().fit(task, larger, previous=own().fit(task, program)))


def test_a_chain_of_fits_learns_what_the_last_alone_would() -> None:
    task, program = problem("free")
    larger = with_lines(program, MORE)
    latest = None
    for each in (program, larger, larger.without("slow"), program, with_declaration(larger)):
        latest = model().fit(task, each, previous=latest)
    assert latest is not None
    assert same(model().fit(task, with_declaration(larger)), latest)


@pytest.mark.parametrize("exactly", [pytest.param(True, marks=NUMBERED), False])
def test_two_label_functions(exactly: bool) -> None:
    task, program = problem("free")
    both = with_lines(program, SECOND)
    larger = with_lines(both, MORE)
    alone = model().fit(task, larger)
    after = model().fit(task, larger, previous=model().fit(task, both))
    for function in ("sentiment", "topic"):
        if exactly:
            assert same(alone, after, function)
        assert labels(alone, function) == pytest.approx(labels(after, function), abs=1e-6)


def test_the_previous_model_is_left_as_it_was() -> None:
    task, program = problem("free")
    first = model().fit(task, program)
    before, network = first.views(), first.predictor_
    weights, attention = dict(first.weights_), first.attention().share.copy()
    model().fit(task, with_lines(program, MORE), previous=first)
    assert same(first, fitted("free"))
    assert first.predictor_ is network
    assert first.weights_ == weights
    assert np.array_equal(first.attention().share, attention)
    assert np.array_equal(first.views().network, before.network)


def test_factors_are_taken_over_only_by_a_program_that_begins_alike() -> None:
    _, program = problem("free")
    trained = fitted("free")._trained
    assert isinstance(trained, Trained)
    taken = {
        change: trained.factors_for(make(program)) is not None for change, make in PROGRAMS.items()
    }
    assert taken == {
        "the same": True,
        "grown": True,
        "shrunk": False,
        "shrunk from the front": False,
        "more declared": True,
        "another weight": False,
        "shrunk and grown": False,
    }


def test_views_are_what_evidence_and_network_say() -> None:
    task, _ = problem("free")
    own = fitted("free")
    views = own.views()
    (has_text,) = {reference.column for reference in task.text}
    texts = [str(text) for text in task.table("review").column(has_text).to_pylist()]
    keywords = ("superb", "fine", "awful", "dull")
    assert views.has_evidence.tolist() == [any(w in t.split() for w in keywords) for t in texts]
    assert np.array_equal(views.network, own.predict_proba(texts))
    silent = ~views.has_evidence
    assert views.evidence[silent] == pytest.approx(np.full((silent.sum(), 2), 0.5))
    for part in (views.evidence, views.network, views.together):
        assert part.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(views.by_network.argmax(axis=1), views.network.argmax(axis=1))
    assert set(np.unique(views.by_network)) <= {0.0, 1.0}
    assert (views.by_network.sum(axis=1) == 1).all()


def test_without_sharpness_both_together_are_the_posterior() -> None:
    own = model(sharpness=None).fit(*problem("free"))
    assert own.views().together == pytest.approx(own.posterior_)
    odds = np.log(own.views().evidence) + np.log(own.views().network)
    product = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    assert product == pytest.approx(own.posterior_)


def test_attention_is_over_the_words_of_each_text() -> None:
    task, _ = problem("free")
    attention = fitted("free").attention()
    texts = task.table("review").column("text").to_pylist()
    assert len(attention.first) == len(texts) + 1
    for i in (0, 17, 79):
        low, high = attention.first[i], attention.first[i + 1]
        assert {attention.words[w] for w in attention.word[low:high]} <= set(texts[i].split())
        assert attention.share[low:high].sum() == pytest.approx(1.0, abs=1e-5)


def test_a_predictor_that_cannot_tell_what_it_looks_at_says_so() -> None:
    pytest.importorskip("sklearn")
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    own = model(predictor=pipeline, rounds=1).fit(*problem("free"))
    with pytest.raises(BadInput, match="cannot tell what it looked at"):
        own.attention()


def test_which_function_is_meant() -> None:
    task, program = problem("free")
    own = model(rounds=1).fit(task, with_lines(program, SECOND))
    with pytest.raises(BadInput, match="which label function is meant"):
        own.views()
    with pytest.raises(BadInput, match="did you mean 'topic'"):
        own.attention("topics")
    assert own.views("topic").network.shape == (80, 2)


def test_a_model_that_was_loaded_has_no_views_and_helps_no_fit(tmp_path: Any) -> None:
    fitted("free").save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert isinstance(loaded, tacit.DPL)
    with pytest.raises(BadInput, match="needs the data"):
        loaded.views()
    with pytest.raises(BadInput, match="needs the data"):
        loaded.attention()
    task, program = problem("free")
    assert same(fitted("free"), model().fit(task, program, previous=loaded))


def test_nothing_is_learned_yet() -> None:
    for ask in (tacit.DPL().views, tacit.DPL().attention):
        with pytest.raises(BadInput, match="nothing is learned yet"):
            ask()


def test_a_clone_has_the_settings_and_nothing_else() -> None:
    own = model(random_state=3, folds=2, sharpness=2.0, doubtful="alike", rounds=1)
    first = own.fit(*problem("free"))
    clone = own.clone()
    assert vars(clone) == {name: getattr(own, name) for name in vars(tacit.DPL())}
    assert not hasattr(clone, "predictors_")
    assert same(first, clone.fit(*problem("free")))


def test_texts_are_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    task, program = problem("free")
    first = model(hold_shares=False).fit(task, program)
    monkeypatch.setattr(Task, "inputs", lambda *_: pytest.fail("the texts are known"))
    model(hold_shares=False).fit(task, with_lines(program, MORE), previous=first)


def test_a_previous_model_of_another_task_is_refused() -> None:
    words = {"pos": ["superb"], "neg": ["awful"]}
    some = ["superb film", "awful film"] * 6
    task, program = tacit.text_classification(some, labels=["neg", "pos"], keywords=words)
    more, _ = tacit.text_classification([*some, "dull"], labels=["neg", "pos"], keywords=words)
    before = tacit.DPL().fit(task, program)
    with pytest.raises(BadInput, match="another task"):
        tacit.DPL().fit(more, program, previous=before)
