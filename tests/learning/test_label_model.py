"""The label model: weights learned, labels inferred, and what bad input gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tacit
from tacit.errors import Contradiction, TacitError, TacitWarning
from tacit.learning.baselines import majority_vote
from tacit.report import accuracy

MATRICES = (
    st.integers(1, 12)
    .flatmap(
        lambda n: st.integers(1, 4).flatmap(
            lambda m: st.lists(
                st.lists(st.integers(-1, 2), min_size=m, max_size=m), min_size=n, max_size=n
            )
        )
    )
    .filter(lambda matrix: max(map(max, matrix)) >= 0)
)  # without a single vote there is no relation


def planted(
    accuracies: list[float], n: int = 4000, coverage: float = 0.7, seed: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Votes of independent functions with known accuracies, and the true labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    votes = np.full((n, len(accuracies)), -1)
    for j, right in enumerate(accuracies):
        fires = rng.random(n) < coverage
        vote = np.where(rng.random(n) < right, truth, 1 - truth)
        votes[fires, j] = vote[fires]
    return votes, truth


def posterior(model: tacit.LabelModel) -> NDArray[np.float64]:
    assert isinstance(model.posterior_, np.ndarray)
    return model.posterior_


def plain_vote(model: tacit.LabelModel) -> NDArray[np.float64]:
    return majority_vote(model.votes_["y"])


quiet = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


def test_it_finds_out_whom_to_trust() -> None:
    accuracies = [0.9, 0.8, 0.7, 0.6, 0.6]
    votes, truth = planted(accuracies)
    task, program = tacit.from_label_matrix(votes, labels=["a", "b"])
    model = tacit.LabelModel().fit(task, program)
    learned = 1 / (1 + np.exp(-np.array(list(model.weights_.values()))))
    assert np.abs(learned - accuracies).max() < 0.05
    gold = truth.astype(np.int32)
    vote = plain_vote(model)
    assert accuracy(posterior(model), gold) > accuracy(vote, gold) + 0.02
    errors = np.array(list(model.errors_.values()))
    assert (errors > 0.02).all()
    assert (errors < 0.2).all()
    assert np.abs(np.asarray(model.class_prior_) - 0.5).max() < 0.05


@given(st.integers(0, 1000), st.booleans())
@settings(max_examples=15)
@quiet
def test_a_matrix_is_quicker_but_no_different(seed: int, per_class: bool) -> None:
    votes, _ = planted([0.9, 0.8, 0.85, 0.75], n=150, seed=seed)
    task, program = tacit.from_label_matrix(votes, labels=["a", "b"], per_class=per_class)
    slow = tacit.LabelModel(tolerance=1e-6).fit(task, program)
    quick = tacit.LabelModel(tolerance=1e-6).fit_matrix(votes, ["a", "b"], per_class=per_class)
    assert np.allclose(posterior(quick), posterior(slow), atol=1e-3)
    assert np.allclose(quick.predict_matrix(votes), posterior(quick), atol=1e-12)
    assert quick.weights_ == pytest.approx(slow.weights_, abs=5e-3)


@given(MATRICES)
@settings(max_examples=30)
@quiet
def test_posteriors_are_distributions(matrix: list[list[int]]) -> None:
    found = posterior(tacit.LabelModel(class_prior="even").fit_matrix(matrix, ["a", "b", "c"]))
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1)
    silent = np.all(np.array(matrix) == -1, axis=1)
    assert np.allclose(found[silent], 1 / 3)


@given(MATRICES)
@settings(max_examples=30)
@quiet
def test_fixed_equal_weights_are_a_majority_vote(matrix: list[list[int]]) -> None:
    task, program = tacit.from_label_matrix(matrix, labels=["a", "b", "c"])
    fixed = tacit.Program.parse(program.show().replace("2.2", "2.2!"))
    model = tacit.LabelModel().fit(task, fixed)
    found, vote = posterior(model), plain_vote(model)
    best = np.isclose(found, found.max(axis=1, keepdims=True))
    assert np.array_equal(best, vote > 0)


@given(st.integers(0, 1000))
@settings(max_examples=15)
@quiet
def test_permuting_permutes(seed: int) -> None:
    votes, _ = planted([0.9, 0.8, 0.85, 0.75], n=150, seed=seed)
    order = np.random.default_rng(seed).permutation(len(votes))
    turned = np.array([1, 0, -1])[votes][order]
    results = [posterior(tacit.LabelModel(tolerance=1e-6).fit_matrix(m)) for m in (votes, turned)]
    assert np.allclose(results[1][:, [1, 0]], results[0][order], atol=1e-3)


TEXT = """
label    y(item) = no | yes
observed p(item)
observed q(item, class)
"""
TASK = tacit.Task({"item": ["a", "b", "c"], "p": ["a"], "q": [("b", "yes"), ("c", "no")]})


def fitted(*lines: str) -> NDArray[np.float64]:
    program = tacit.Program.parse(TEXT + "\n".join(lines))
    return posterior(tacit.LabelModel().fit(TASK, program))


@quiet
def test_weights_mean_what_they_say() -> None:
    assert fitted("f: 2.0! p(i) => y(i) = yes")[0, 1] == pytest.approx(1 / (1 + np.exp(-2)))
    base = fitted("f: 2.0! p(i) => y(i) = yes")
    assert np.allclose(base, fitted("f: 2.0! p(i) & y(i) = yes"))
    assert np.allclose(base, fitted("f: 2.0! p(i) => y(i) = yes", "g: 0.0! q(i, l) => y(i) = l"))
    assert np.allclose(base, fitted("f: 1.0! p(i) => y(i) = yes", "g: 1.0! p(i) => y(i) = yes"))
    sure = fitted("f: hard q(i, l) => y(i) = l")
    assert np.allclose(sure, [[0.5, 0.5], [0, 1], [1, 0]], atol=1e-9)
    leaning = fitted("f: 2.0! p(i) => y(i) = yes", "b: 0.7! y(i) = yes")
    assert np.allclose(leaning[1:, 1], 1 / (1 + np.exp(-0.7)))


def test_one_function_alone_keeps_its_opinion_and_says_so() -> None:
    with pytest.warns(TacitWarning, match="nothing can be learned about weights"):
        found = fitted("f: 1.0 p(i) => y(i) = yes", "g: 1.0 q(i, l) => y(i) = l")
    assert np.allclose(found.max(axis=1), 1 / (1 + np.exp(-1)), atol=0.03)


def test_two_functions_never_give_a_silent_half() -> None:
    votes, truth = planted([0.8, 0.8], n=500, coverage=1.0)
    model = tacit.LabelModel().fit_matrix(votes)
    agree = votes[:, 0] == votes[:, 1]
    assert posterior(model)[agree].max(axis=1).min() > 0.75
    assert (posterior(model).argmax(axis=1) == truth)[agree].mean() > 0.9


@quiet
def test_expected_shares_are_met() -> None:
    found = fitted("f: 1.0! p(i) => y(i) = yes", "e: expect 0.3: y(i) = yes")
    assert found[:, 1].mean() == pytest.approx(0.3, abs=1e-6)


@quiet
def test_several_label_functions_are_a_dict() -> None:
    text = "label y(item) = no | yes\nlabel z(item) = a | b | c\nobserved p(item)\n"
    program = tacit.Program.parse(text + "f: 2.0! p(i) => y(i) = yes\ng: 2.0! p(i) => z(i) != a")
    model = tacit.LabelModel().fit(TASK, program)
    found = model.posterior_
    assert isinstance(found, dict)
    assert {name: value.shape for name, value in found.items()} == {"y": (3, 2), "z": (3, 3)}
    assert found["z"][0, 1] == pytest.approx(found["z"][0, 2])
    shares = model.class_prior_
    assert isinstance(shares, dict)
    assert all(np.isclose(own.sum(), 1) for own in shares.values())


@quiet
def test_soft_votes_are_trusted_as_given_and_learned_about() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(800) < 0.5
    sure = np.where(rng.random(800) < 0.9, truth, ~truth)
    noise = rng.random(800)
    words = [
        " ".join(["good"] * int(s) + ["fine"] * int(n > 0.5))
        for s, n in zip(sure, noise, strict=True)
    ]

    @tacit.labelling_function(soft=True)
    def guess(text: str) -> dict[str, float] | None:
        return {"pos": 0.8, "neg": 0.2} if "good" in text else {"pos": 0.3, "neg": 0.7}

    @tacit.labelling_function(soft=True)
    def wild(text: str) -> dict[str, float] | None:
        return {"pos": 0.7, "neg": 0.3} if "fine" in text else {"pos": 0.3, "neg": 0.7}

    @tacit.labelling_function
    def echo(text: str) -> str:
        return "pos" if "good" in text else "neg"

    task, program = tacit.text_classification(
        words, labels=["neg", "pos"], functions=[guess, wild, echo]
    )
    fixed = tacit.Program.parse(program.without("wild", "echo").show().replace("1.0", "1.0!"))
    found = posterior(tacit.LabelModel().fit(task, fixed))
    assert np.allclose(found[:, 1], np.where(sure, 0.8, 0.3))
    model = tacit.LabelModel().fit(task, program)
    assert model.weights_["wild"] < 0.3 < model.weights_["guess"]


def test_joint_evidence_is_learned_with_the_rest() -> None:
    """Pairs that agree by design get a larger weight than pairs drawn at random."""
    votes, truth = planted([0.75, 0.75, 0.75], n=600, coverage=0.8, seed=3)
    same = [(int(a), int(b)) for a, b in np.argsort(truth).reshape(-1, 2)]
    mixed = [(int(a), int(b)) for a, b in np.random.default_rng(0).permutation(600).reshape(-1, 2)]
    task, program = tacit.from_label_matrix(votes, labels=["a", "b"])
    task = task.with_tables(
        {"near": [(str(a), str(b)) for a, b in same], "far": [(str(a), str(b)) for a, b in mixed]}
    )
    joint = tacit.Program.parse(
        program.show()
        + "observed near(item, item)\nobserved far(item, item)\n"
        + "near: 1.0 ~ 1.0 +- 2.0  near(i, j) => y(i) = y(j)\n"
        + "far: 1.0 ~ 1.0 +- 2.0  far(i, j) => y(i) = y(j)"
    )
    with pytest.warns(TacitWarning, match="contradicts far"):
        model = tacit.LabelModel().fit(task, joint)
    alone = tacit.LabelModel().fit(task, program)
    assert model.weights_["near"] > 2.0 > 0.6 > model.weights_["far"]
    assert 0 < model.errors_["near"] < 2.0
    gold = truth.astype(np.int32)
    assert accuracy(posterior(model), gold) > accuracy(posterior(alone), gold) + 0.03


def test_learning_with_exact_joint_inference_never_falls() -> None:
    votes, _ = planted([0.8, 0.7], n=40, coverage=0.9, seed=4)
    task, program = tacit.from_label_matrix(votes, labels=["a", "b"])
    chain = [(str(i), str(i + 1)) for i in range(39)]
    joint = tacit.Program.parse(
        program.show() + "observed next(item, item)\nnext: 0.5  next(i, j) => y(i) = y(j)"
    )
    model = tacit.LabelModel(method="exact").fit(task.with_table("next", chain), joint)
    heights = np.array(model.fitted_.heights)
    assert (np.diff(heights) >= -1e-7).all()


def test_gold_labels_are_hard_evidence_and_teach() -> None:
    votes, truth = planted([0.9, 0.6], n=400, coverage=1.0, seed=5)
    task, program = tacit.from_label_matrix(votes, labels=["a", "b"])
    known = [(str(i), "ab"[truth[i]]) for i in range(200)]
    both = tacit.Program.parse(
        program.show() + "observed gold(item, class)\ngold: hard gold(i, l) => y(i) = l"
    )
    model = tacit.LabelModel().fit(task.with_table("gold", known), both)
    assert np.array_equal(posterior(model)[:200].argmax(axis=1), truth[:200])
    assert model.weights_["votes[f0]"] > model.weights_["votes[f1]"] + 0.8


@quiet
def test_learned_weights_carry_over_to_other_data() -> None:
    task, program = tacit.text_classification(
        ["superb", "superb film", "awful"], labels=["neg", "pos"], keywords={"pos": ["superb"]}
    )
    model = tacit.LabelModel().fit(task, program)
    other = task.with_table("document", [{"id": "x", "text": "a superb one"}])
    assert np.allclose(model.predict_proba(other), posterior(model)[:1])


def test_it_must_be_fitted_and_the_data_must_fit() -> None:
    with pytest.raises(TacitError, match="not fitted"):
        tacit.LabelModel().predict_proba(TASK)
    with pytest.raises(TacitError, match="not fitted"):
        _ = tacit.LabelModel().posterior_
    with pytest.raises(TacitError, match="weight=nan is not a finite number"):
        tacit.LabelModel().fit_matrix([[0, 1], [1, 0]], weight=float("nan"))
    with pytest.raises(TacitError, match="no table"):
        tacit.LabelModel().fit(
            TASK, tacit.Program.parse(TEXT + "observed s(item)\nf: 1 s(i) => y(i) = yes")
        )
    votes, _ = planted([0.9, 0.8, 0.8], n=50)
    model = tacit.LabelModel().fit_matrix(votes)
    with pytest.raises(TacitError, match="2 columns, but the label model was fitted on 3"):
        model.predict_matrix(votes[:, :2])
    with pytest.raises(TacitError, match="fitted on a label matrix"):
        model.predict_proba(TASK)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_prior": "uniform"}, "none of: auto, learned, even"),
        ({"abstention": "informativ"}, "did you mean 'informative'"),
        ({"prior_deviation": 0.0}, "no room"),
        ({"tolerance": 10.0}, "too coarse"),
        ({"tolerance": "fine"}, "tolerance='fine' is not a finite number"),
        ({"max_steps": 0}, "allows no step"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], message: str) -> None:
    votes, _ = planted([0.9, 0.8, 0.8], n=50)
    with pytest.raises(TacitError, match=message):
        tacit.LabelModel(**settings).fit_matrix(votes)


def test_functions_that_mislead_are_held_at_nothing_and_named() -> None:
    votes, truth = planted([0.85, 0.8, 0.8, 0.2], n=3000)
    with pytest.warns(TacitWarning, match=r"contradicts votes\[f3\], whose weight is held at 0"):
        model = tacit.LabelModel().fit_matrix(votes)
    assert model.weights_["votes[f3]"] == 0
    with pytest.warns(TacitWarning, match=r"votes\[f3\], whose weight has turned"):
        free = tacit.LabelModel(polarity="free").fit_matrix(votes)
    assert free.weights_["votes[f3]"] < -1
    right = [(posterior(m).argmax(axis=1) == truth).mean() for m in (model, free)]
    assert right[1] > right[0] > 0.83


@quiet
def test_evidence_that_says_nothing_is_told() -> None:
    votes, truth = planted([0.8, 0.8, 0.7], n=500)
    with pytest.warns(TacitWarning, match="equally likely"):
        empty = tacit.LabelModel().fit_matrix(np.full((4, 2), -1), ["a", "b"])
    assert np.allclose(posterior(empty), 0.5)
    with pytest.warns(TacitWarning, match=r"the same of every instance.*votes\[f3\]"):
        model = tacit.LabelModel().fit_matrix(np.column_stack([votes, np.zeros(500, int)]))
    assert model.weights_["votes[f3]"] < 0.5
    assert (posterior(model).argmax(axis=1) == truth).mean() > 0.75
    with pytest.warns(TacitWarning, match="speaks for: c"):
        three = tacit.LabelModel().fit_matrix(votes, ["a", "b", "c"])
    assert np.allclose(posterior(three).sum(axis=1), 1)
    with pytest.warns(TacitWarning, match="nothing is said of any instance of y"):
        nothing = fitted()
    assert np.allclose(nothing, 0.5)


def test_hard_evidence_that_contradicts_itself_is_an_error() -> None:
    with pytest.raises(Contradiction):
        fitted("f: hard p(i) => y(i) = yes", "g: hard p(i) => y(i) = no")


@quiet
def test_abstention_is_information_when_asked_for() -> None:
    """A function that speaks of one class only: its silence speaks for the other."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 4000)
    votes = np.full((4000, 4), -1)
    for j, right in enumerate([0.9, 0.8, 0.85, 0.9]):
        votes[(truth == 1) & (rng.random(4000) < right), j] = 1
        votes[(truth == 0) & (rng.random(4000) < 0.2), j] = 1
    model = tacit.LabelModel(abstention="informative").fit_matrix(votes)
    assert (posterior(model).argmax(axis=1) == truth).mean() > 0.9


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_the_class_prior_is_learned_where_votes_tell_it(share: float) -> None:
    rng = np.random.default_rng(7)
    truth = (rng.random(6000) < share).astype(int)
    votes = np.stack(
        [np.where(rng.random(6000) < a, truth, 1 - truth) for a in (0.8, 0.75, 0.7, 0.85)], axis=1
    )
    votes[rng.random(votes.shape) < 0.3] = -1
    model = tacit.LabelModel().fit_matrix(votes)
    assert np.asarray(model.class_prior_)[1] == pytest.approx(share, abs=0.04)
    even = tacit.LabelModel(class_prior="even").fit_matrix(votes)
    assert np.allclose(even.bias_["y"], 0)


@quiet
def test_many_classes_and_many_functions() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 300, 600)
    noise = rng.integers(0, 300, (600, 25))
    votes = np.where(rng.random((600, 25)) < 0.6, truth[:, None], noise)
    votes[rng.random(votes.shape) < 0.5] = -1
    model = tacit.LabelModel().fit_matrix(votes, [f"c{k}" for k in range(300)])
    assert (posterior(model).argmax(axis=1) == truth).mean() > 0.98
