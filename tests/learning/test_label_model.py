"""The label model on evidence about single labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tacit
from tacit.errors import TacitError, TacitWarning
from tacit.grounding import ground_factors
from tacit.report import accuracy, majority_vote

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


def test_it_finds_out_whom_to_trust() -> None:
    accuracies = [0.9, 0.8, 0.7, 0.6, 0.6]
    votes, truth = planted(accuracies)
    task, program = tacit.from_label_matrix(votes, labels=["a", "b"])
    model = tacit.LabelModel().fit(task, program)
    learned = 1 / (1 + np.exp(-np.array(list(model.weights_.values()))))
    assert np.abs(learned - accuracies).max() < 0.05
    vote = majority_vote(ground_factors(program, task))["y"]
    gold = truth.astype(np.int32)
    assert accuracy(posterior(model), gold) > accuracy(vote, gold) + 0.02


@given(MATRICES)
@settings(max_examples=40)
def test_posteriors_are_distributions(matrix: list[list[int]]) -> None:
    task, program = tacit.from_label_matrix(matrix, labels=["a", "b", "c"])
    found = posterior(tacit.LabelModel().fit(task, program))
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1)
    silent = np.all(np.array(matrix) == -1, axis=1)
    assert np.allclose(found[silent], 1 / 3)


@given(MATRICES)
@settings(max_examples=40)
def test_fixed_equal_weights_are_a_majority_vote(matrix: list[list[int]]) -> None:
    task, program = tacit.from_label_matrix(matrix, labels=["a", "b", "c"])
    fixed = tacit.Program.parse(program.show().replace("1.0", "1.0!"))
    found = posterior(tacit.LabelModel().fit(task, fixed))
    vote = majority_vote(ground_factors(fixed, task))["y"]
    best = np.isclose(found, found.max(axis=1, keepdims=True))
    assert np.array_equal(best, vote > 0)


@given(MATRICES, st.permutations(range(3)), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_permuting_permutes(matrix: list[list[int]], labels: list[int], random: object) -> None:
    votes = np.array(matrix)
    order = np.random.default_rng(len(matrix)).permutation(len(votes))
    turned = np.array([*labels, -1])[votes][order]
    results = [
        posterior(tacit.LabelModel().fit(*tacit.from_label_matrix(m, labels=["a", "b", "c"])))
        for m in (votes, turned)
    ]
    assert np.allclose(results[1][:, labels], results[0][order], atol=1e-6)


TEXT = """
label    y(item) = no | yes
observed p(item)
observed q(item, class)
"""
TASK = tacit.Task({"item": ["a", "b", "c"], "p": ["a"], "q": [("b", "yes"), ("c", "no")]})


def fitted(*lines: str) -> NDArray[np.float64]:
    program = tacit.Program.parse(TEXT + "\n".join(lines))
    return posterior(tacit.LabelModel().fit(TASK, program))


def test_weights_mean_what_they_say() -> None:
    assert fitted("f: 2.0! p(i) => y(i) = yes")[0, 1] == pytest.approx(1 / (1 + np.exp(-2)))
    base = fitted("f: 2.0! p(i) => y(i) = yes")
    assert np.allclose(base, fitted("f: 2.0! p(i) & y(i) = yes"))
    assert np.allclose(base, fitted("f: 2.0! p(i) => y(i) = yes", "g: 0.0! q(i, l) => y(i) = l"))
    assert np.allclose(base, fitted("f: 1.0! p(i) => y(i) = yes", "g: 1.0! p(i) => y(i) = yes"))
    sure = fitted("f: hard q(i, l) => y(i) = l")
    assert np.allclose(sure, [[0.5, 0.5], [0, 1], [1, 0]], atol=1e-9)


def test_one_function_alone_keeps_its_opinion() -> None:
    assert fitted("f: 1.0 p(i) => y(i) = yes")[0, 1] == pytest.approx(
        1 / (1 + np.exp(-1)), abs=0.02
    )


def test_expected_shares_are_met() -> None:
    found = fitted("f: 1.0! p(i) => y(i) = yes", "e: expect 0.3: y(i) = yes")
    assert found[:, 1].mean() == pytest.approx(0.3, abs=1e-6)


def test_several_label_functions_are_a_dict() -> None:
    text = "label y(item) = no | yes\nlabel z(item) = a | b | c\nobserved p(item)\n"
    program = tacit.Program.parse(text + "f: 2.0! p(i) => y(i) = yes\ng: 2.0! p(i) => z(i) != a")
    found = tacit.LabelModel().fit(TASK, program).posterior_
    assert isinstance(found, dict)
    assert {name: value.shape for name, value in found.items()} == {"y": (3, 2), "z": (3, 3)}
    assert found["z"][0, 1] == pytest.approx(found["z"][0, 2])


def test_soft_votes_are_trusted_as_given() -> None:
    @tacit.labelling_function(soft=True)
    def guess(text: str) -> dict[str, float] | None:
        return {"pos": 0.8, "neg": 0.2} if "good" in text else None

    task, program = tacit.text_classification(
        ["good one", "no idea"], labels=["neg", "pos"], functions=[guess]
    )
    fixed = tacit.Program.parse(program.show().replace("1.0", "1.0!"))
    found = posterior(tacit.LabelModel().fit(task, fixed))
    assert np.allclose(found, [[0.2, 0.8], [0.5, 0.5]])


def test_joint_evidence_is_named_as_unused() -> None:
    program = tacit.Program.parse(
        TEXT + "observed r(item, item)\nf: 1 r(i, j) => y(i) = y(j)\ng: 1 p(i) => y(i) = yes"
    )
    with pytest.warns(TacitWarning, match="joint evidence yet: f"):
        model = tacit.LabelModel().fit(TASK.with_table("r", [("a", "b")]), program)
    assert model.unused_ == ("f",)


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
    with pytest.raises(TacitError, match="no table"):
        tacit.LabelModel().fit(
            TASK, tacit.Program.parse(TEXT + "observed s(item)\nf: 1 s(i) => y(i) = yes")
        )
