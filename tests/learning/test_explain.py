"""Explanations: the parts add up to the answer, and say where they come from."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import BadInput, UnknownFunction, UnknownLabel
from tacit.learning.described import posteriors
from tacit.learning.explanation import Explanation
from tests.learning.fitted_models import (
    DECLARATIONS,
    ITEMS,
    fitted,
    fitted_matrix,
    programs,
    task_of,
)

MATRICES = st.tuples(st.integers(2, 9), st.integers(1, 5), st.integers(0, 2**32 - 1))


def votes(n: int, m: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-1, 3, (n, m))


def check_sum(model: tacit.LabelModel, found: Explanation, row: int) -> None:
    """The parts add up to the log-odds, which is that of the posterior."""
    labels = model.labels_[found.function]
    posterior = posteriors(model)[found.function][row]
    first, second = (posterior[labels.index(one)] for one in (found.label, found.against))
    if min(first, second) > 1e-300:
        assert found.log_odds == pytest.approx(math.log(first) - math.log(second), abs=1e-9)
        total = sum(part.contribution for part in found.parts)
        assert total == pytest.approx(found.log_odds, abs=1e-6)
    else:
        assert not math.isfinite(found.log_odds)
        assert found.note
        if not math.isnan(found.log_odds):
            assert any(part.contribution == found.log_odds for part in found.parts)
    json.dumps(found.as_dict(), allow_nan=False)
    assert found.label in found.text()


@settings(max_examples=25, deadline=None)
@given(MATRICES, st.booleans(), st.sampled_from(["auto", "learned"]))
def test_votes_add_up(size: tuple[int, int, int], per_class: bool, prior: str) -> None:
    matrix = votes(*size)
    model = fitted_matrix(matrix, ["a", "b", "c"], per_class=per_class, class_prior=prior)
    for row in range(len(matrix)):
        check_sum(model, model.explain(row), row)
        check_sum(model, model.explain(str(row), label="c", against="a"), row)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs(), st.integers(0, 2**32 - 1), st.sampled_from(["auto", "auto", "bp", "mean_field"]))
def test_every_kind_of_evidence_adds_up(program: tacit.Program, seed: int, method: str) -> None:
    prior = ("auto", "learned")[seed % 2]
    model = fitted(task_of(seed), program, method=method, class_prior=prior, max_steps=3)
    for row, item in enumerate(ITEMS):
        for name in ("y", "z"):
            check_sum(model, model.explain(item, name, rows=(row, name) == (0, "y")), row)
    check_sum(model, model.explain("i2", "z", label="a", against="c"), 1)


def test_on_a_tree_messages_leave_nothing_over() -> None:
    task = tacit.Task(
        {
            "item": list(ITEMS),
            "p": ["i1", "i4"],
            "near": [("i1", "i2"), ("i2", "i3"), ("i3", "i4")],
            "topic": ["t"],
            "about": [("i3", "t"), ("i5", "t")],
        }
    )
    program = tacit.Program.parse(
        """
        label    y(item) = no | yes
        observed p(item)
        observed near(item, item)
        observed topic(group)
        observed about(item, group)
        f:     1.5! p(i) => y(i) = yes
        agree: 1.0! near(i, j) => y(i) = y(j)
        once:  2.0! topic(t) => exists i: about(i, t) & y(i) = yes
        """
    )
    for method in ("auto", "exact", "bp"):
        model = fitted(task, program, method=method)
        for row, item in enumerate(ITEMS):
            found = model.explain(item)
            check_sum(model, found, row)
            assert sum(abs(part.contribution) for part in found.of_kind("loops")) < 1e-4
    third = fitted(task, program).explain("i3")
    names = [tuple(one.instance for one in part.neighbours) for part in third.of_kind("neighbours")]
    assert sorted(names) == [("i2",), ("i4",), ("i5",)]
    (group,) = [part for part in third.parts if part.name == "once"]
    assert group.rows == ({"t": "t"},)
    # log of 1 - P + P e^w, where i5 alone is yes or no with even odds
    worth = math.log(math.e**2 / (0.5 + 0.5 * math.e**2))
    assert group.contribution == pytest.approx(worth, abs=1e-6)


def test_neighbours_that_are_tied_to_each_other_are_told_apart() -> None:
    task = tacit.Task(
        {"item": list(ITEMS), "p": ["i2"], "near": [("i1", "i2"), ("i2", "i3"), ("i1", "i3")]}
    )
    program = tacit.Program.parse(
        "label y(item) = no | yes\nobserved p(item)\nobserved near(item, item)\n"
        "f: 1.5! p(i) => y(i) = yes\nagree: 1.0! near(i, j) => y(i) = y(j)"
    )
    found = fitted(task, program).explain("i1")
    (loops,) = found.of_kind("loops")
    assert loops.contribution < 0  # what i2 says reaches i1 twice
    assert all(part.contribution > 0 for part in found.of_kind("neighbours"))


def test_hard_evidence_is_no_number() -> None:
    task = tacit.Task(
        {
            "item": list(ITEMS),
            "p": ["i1"],
            "gold": [("i1", "no"), ("i2", "yes")],
            "near": [("i2", "i3")],
        }
    )
    program = tacit.Program.parse(
        "label y(item) = no | yes | maybe\nobserved p(item)\nobserved gold(item, class)\n"
        "observed near(item, item)\nf: 2.0! p(i) => y(i) = yes\n"
        "truth: hard gold(i, l) => y(i) = l\nalike: hard near(i, j) => y(i) = y(j)"
    )
    model = fitted(task, program)
    found = model.explain("i1")
    assert (found.label, found.log_odds) == ("no", math.inf)
    assert "impossible" in found.text()
    (truth,) = found.of_kind("hard")
    assert (truth.name, truth.contribution) == ("truth", math.inf)
    assert truth.rows == ({"i": "i1", "l": "no"},)
    assert found.as_dict()["log_odds"] is None
    neither = model.explain("i1", label="yes", against="maybe")
    assert math.isnan(neither.log_odds)
    assert "neither" in neither.note
    tied = model.explain("i3", against="no")  # known through i2 alone
    assert (tied.label, tied.log_odds) == ("yes", math.inf)
    assert [part.name for part in tied.parts if math.isinf(part.contribution)] == ["alike"]


def test_evidence_too_strong_for_a_float_still_has_a_number() -> None:
    task = tacit.Task({"item": list(ITEMS), "p": ["i1"], "near": [("i1", "i2")]})
    program = tacit.Program.parse(
        "label y(item) = no | yes\nobserved p(item)\nobserved near(item, item)\n"
        "f: 400.0! p(i) => y(i) = yes\ng: 500.0! p(i) => y(i) = yes\n"
        "agree: 1.0! near(i, j) => y(i) = y(j)"
    )
    found = fitted(task, program).explain("i1")
    assert found.log_odds == pytest.approx(900)
    assert found.note == ""


def test_soft_votes_and_rows() -> None:
    task = tacit.Task(
        {"item": ["i1", "i2"], "likes": [("i1", "no", 0.25), ("i1", "yes", 1.0)], "p": ["i2"]}
    )
    program = tacit.Program.parse(
        "label y(item) = no | yes\nobserved p(item)\nobserved likes(item, class, number)\n"
        "soft: 2.0! * s likes(i, l, s) => y(i) = l\nf: 1.0! p(i) => y(i) = no"
    )
    found = fitted(task, program).explain("i1")
    (part,) = found.parts
    assert part.contribution == pytest.approx(1.5)
    assert (part.weight, part.count) == (2.0, 0.75)
    assert sorted(str(row["l"]) for row in part.rows) == ["no", "yes"]


def test_a_predictor_has_its_own_line() -> None:
    model = fitted_matrix([[0, 0], [1, 1], [0, 1], [1, 0]], ["a", "b"])
    plain = model.explain(0)
    log_psi = np.log([0.01, 0.99])
    found = model.explain(0, log_psi=log_psi, label="a")
    assert plain.label == "a"
    assert found.log_odds == pytest.approx(plain.log_odds + log_psi[0] - log_psi[1])
    assert sum(part.contribution for part in found.parts) == pytest.approx(found.log_odds)
    assert [part.name for part in found.of_kind("predictor")] == ["predictor"]
    assert sum(found.probabilities.values()) == pytest.approx(1)
    assert model.explain(0, log_psi=[0.0, -np.inf]).log_odds == math.inf
    with pytest.raises(BadInput, match="shape"):
        model.explain(0, log_psi=[0.0])
    with pytest.raises(BadInput, match="no log-probability"):
        model.explain(0, log_psi=[np.nan, 0.0])


def test_votes_are_named() -> None:
    model = fitted_matrix([[0, 1], [1, 1], [0, -1]], ["a", "b"], per_class=True)
    found = {part.name: part for part in model.explain(0).of_kind("evidence")}
    assert found["votes[f1, b]"].rows == ({"function": "f1", "label": "b"},)
    assert found["votes[f1, b]"].formula == 'vote(i, "f1", b) => y(i) = b'


def test_standing_evidence_and_shares_are_kinds_of_their_own() -> None:
    text = DECLARATIONS + "\n".join(
        [
            "f: 1.0! p(i) => y(i) = yes",
            "z: 1.0! p(i) => z(i) = a",
            "prior: 0.4! y(i) = yes",
            "share: expect 0.2: y(i) = yes",
        ]
    )
    found = fitted(task_of(1), tacit.Program.parse(text)).explain("i1", "y")
    kinds = {part.name: part.kind for part in found.parts}
    assert (kinds["prior"], kinds["share"]) == ("standing", "expectation")


def test_mistakes_are_named() -> None:
    model = fitted(task_of(0), tacit.Program.parse(DECLARATIONS + "f: 1.0! p(i) => y(i) = yes"))
    with pytest.raises(BadInput, match="no instance 'i11'"):
        model.explain("i11", "y")
    with pytest.raises(UnknownFunction, match="several label functions"):
        model.explain("i1")
    with pytest.raises(UnknownFunction, match="no label function 'x'"):
        model.explain("i1", "x")
    with pytest.raises(UnknownLabel, match="did you mean 'yes'"):
        model.explain("i1", "y", label="yess")
    with pytest.raises(BadInput, match="itself"):
        model.explain("i1", "y", label="yes", against="yes")
    with pytest.raises(BadInput, match="rows are called 0 to 1"):
        fitted_matrix([[0], [1]], ["a", "b"]).explain(2)
    with pytest.raises(BadInput, match="not fitted"):
        tacit.LabelModel().explain("i1")
