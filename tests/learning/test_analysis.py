"""The table of evidence against a twin written with plain loops."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import BadInput, UnknownLabel
from tacit.learning.described import posteriors
from tests.learning.fitted_models import (
    DECLARATIONS,
    ITEMS,
    fitted,
    fitted_matrix,
    programs,
    task_of,
)


def stance(counts: np.ndarray, start: float) -> set[int]:
    """The labels for which a weight adds most."""
    said = np.round(counts * 64) * (-1 if start < 0 else 1)  # votes are told apart in 64ths
    return {label for label in range(len(said)) if said[label] == said.max()}


def twin(model: tacit.LabelModel, gold: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Coverage, overlap, conflict and accuracies of each weight, instance by instance."""
    graph, factors = model.graph_, model.factors_
    assert graph is not None
    asked = set(graph.expectations.weight.tolist())
    counts = factors.counts.toarray()
    names = factors.weights.n_weights
    total = {w: dict.fromkeys(("n", "covers", "overlap", "conflict"), 0.0) for w in range(names)}
    right: dict[int, list[float]] = {w: [] for w in range(names)}
    correct: dict[int, list[bool]] = {w: [] for w in range(names)}
    for name, posterior in posteriors(model).items():
        k = len(model.labels_[name])
        low = factors.variables.first_state[name]
        own = counts[low : low + len(posterior) * k].reshape(len(posterior), k, names)
        spoken = [w for w in range(names) if own[:, :, w].any() and w not in asked]
        always = [w for w in spoken if model.weight_names_[w] == "prior"]  # reads no data
        for w in spoken:
            total[w]["n"] += len(posterior)
            for i in range(len(posterior)):
                if not own[i, :, w].any():
                    continue
                mine = stance(own[i, :, w], graph.weights[w])
                others = [
                    stance(own[i, :, v], graph.weights[v])
                    for v in spoken
                    if v != w and v not in always and own[i, :, v].any()
                ]
                total[w]["covers"] += 1
                total[w]["overlap"] += bool(others)
                total[w]["conflict"] += any(not (mine & other) for other in others)
                right[w].append(sum(posterior[i, label] for label in mine))
                if gold[name][i] >= 0:
                    correct[w].append(gold[name][i] in mine)
    return {
        model.weight_names_[w]: {
            key: own[key] / own["n"] if own["n"] else math.nan
            for key in ("covers", "overlap", "conflict")
        }
        | {"implied": float(np.mean(right[w])) if right[w] else math.nan}
        | {"correct": float(sum(correct[w])), "known": float(len(correct[w]))}
        for w, own in total.items()
    }


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs(), st.integers(0, 2**32 - 1))
def test_it_equals_its_twin(program: tacit.Program, seed: int) -> None:
    model = fitted(task_of(seed), program, max_steps=3)
    rng = np.random.default_rng(seed)
    gold = {"y": rng.integers(-1, 2, len(ITEMS)), "z": rng.integers(-1, 3, len(ITEMS))}
    table = model.analysis(gold)
    json.dumps(table.as_dict(), allow_nan=False)
    slow = twin(model, gold)
    assert [row.name for row in table.rows] == list(slow)
    for row in table.rows:
        wanted = slow[row.name]
        found = (row.coverage, row.overlap, row.conflict, row.implied_accuracy)
        asked = [wanted[key] for key in ("covers", "overlap", "conflict", "implied")]
        assert found == pytest.approx(asked, abs=1e-9, nan_ok=True), row
        if not row.n_groundings and wanted["known"]:
            assert row.n_gold == wanted["known"]
            assert row.empirical_accuracy == pytest.approx(wanted["correct"] / wanted["known"])


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(1, 5), st.booleans(), st.integers(0, 2**32 - 1))
def test_matrices(n: int, m: int, per_class: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-1, 3, (n, m))
    gold = rng.integers(-1, 3, n)
    model = fitted_matrix(matrix, ["a", "b", "c"], per_class=per_class)
    posterior = posteriors(model)["y"]
    table = model.analysis(gold)
    for j in range(m):
        for label in range(3) if per_class else (None,):
            name = f"votes[f{j}]" if label is None else f"votes[f{j}, {'abc'[label]}]"
            row = table[name]
            rows = [i for i in range(n) if matrix[i, j] >= 0 and label in (None, int(matrix[i, j]))]
            if not rows:
                assert math.isnan(row.coverage)
                continue
            others = [
                {int(matrix[i, v]) for v in range(m) if v != j and matrix[i, v] >= 0} for i in rows
            ]
            own = [int(matrix[i, j]) for i in rows]
            conflict = [bool(o - {mine}) for o, mine in zip(others, own, strict=True)]
            assert row.coverage == pytest.approx(len(rows) / n)
            assert row.overlap == pytest.approx(sum(map(bool, others)) / n)
            assert row.conflict == pytest.approx(sum(conflict) / n)
            implied = np.mean([posterior[i, matrix[i, j]] for i in rows])
            assert row.implied_accuracy == pytest.approx(implied)
            known = [i for i in rows if gold[i] >= 0]
            assert row.n_gold == len(known)
            if known:
                right = np.mean([gold[i] == matrix[i, j] for i in known])
                assert row.empirical_accuracy == pytest.approx(right)


def test_ties_and_shares() -> None:
    text = "\n".join(
        [
            "f: 1.0! p(i) => y(i) = yes",
            "z: 1.0! p(i) => z(i) = a",
            "agree: 0.9! near(i, j) => y(i) = y(j)",
            "once: 1.5! topic(t) => exists i: about(i, t) & y(i) = yes",
            "share: expect 0.4: y(i) = yes",
            "truth: hard gold(i, l) => y(i) = l",
        ]
    )
    model = fitted(task_of(3), tacit.Program.parse(DECLARATIONS + text))
    gold = dict(zip(ITEMS, ["yes", "yes", "no", "no", "yes"], strict=True))
    table = model.analysis({"y": gold})
    near = model.task_.table("near").arrow.to_pylist()
    pairs = [tuple(row.values()) for row in near]
    assert table["agree"].n_groundings == len(pairs)
    assert table["agree"].empirical_accuracy == pytest.approx(
        np.mean([gold[i] == gold[j] for i, j in pairs])
    )
    assert 0 < table["agree"].holds < 1
    assert table["share"].holds == pytest.approx(0.4, abs=1e-5)
    assert table["once"].functions == ("y",)
    states = {row.name: row.state for row in table.rows}
    assert states == dict.fromkeys(("f", "z", "agree", "once"), "fixed") | {
        "share": "expected",
        "truth": "hard",
    }
    assert table["truth"].weight == math.inf
    assert table["truth"].as_dict()["weight"] is None
    assert table["truth"].implied_accuracy == pytest.approx(1)


def test_states_and_origins() -> None:
    matrix = np.array([[0, 0, 1, -1], [1, 1, 1, -1], [0, 0, 1, -1], [1, 1, 1, -1], [0, -1, 1, -1]])
    table = fitted_matrix(matrix, ["a", "b"]).analysis()
    assert [row.state for row in table.rows] == ["learned", "learned", "constant", "unused"]
    assert (table["votes[f2]"].coverage, table["votes[f2]"].labels) == (1.0, ("b",))
    program = tacit.Program.parse(
        DECLARATIONS + "f: 1.0 p(i) => y(i) = yes @ sst round=3\ng: -1.0! p(i) => z(i) = a"
    )
    found = fitted(task_of(0), program).analysis()
    assert (found["f"].origin, found["g"].origin) == ("sst", "expert")
    assert (found["f"].labels, found["g"].labels) == (("yes",), ("b", "c"))
    assert "sst" in str(found)


def test_the_table_is_readable_and_sortable() -> None:
    rng = np.random.default_rng(0)
    table = fitted_matrix(rng.integers(-1, 2, (50, 4)), ["a", "b"]).analysis()
    ranked = [row.coverage for row in table.sorted("coverage").rows]
    assert ranked == sorted(ranked, reverse=True)
    text = table.text(most=2)
    assert "covers" in text
    assert "gold" not in text
    assert "2 more" in text
    assert list(table.to_pandas()["name"]) == [row.name for row in table.rows]
    with pytest.raises(BadInput, match="did you mean 'coverage'"):
        table.sorted("coverag")
    with pytest.raises(BadInput, match="no weight"):
        table["f9"]


def test_gold_that_does_not_fit_is_refused() -> None:
    model = fitted_matrix([[0, 1], [1, 1], [0, 0]], ["a", "b"])
    assert model.analysis({"0": "a", 2: "b", "77": "a"})["votes[f0]"].n_gold == 2
    with pytest.raises(UnknownLabel, match="'c'"):
        model.analysis({"0": "c"})
    with pytest.raises(UnknownLabel, match="from 0 to 2"):
        model.analysis([0, 1, 2])
    with pytest.raises(BadInput, match="3 label indices"):
        model.analysis([0, 1])
    with pytest.raises(BadInput, match="none of the instances"):
        model.analysis({"x": "a"})
    several = fitted(task_of(0), tacit.Program.parse(DECLARATIONS + "f: 1.0! p(i) => y(i) = yes"))
    with pytest.raises(BadInput, match="by name"):
        several.analysis([0, 1, 1, 0, -1])
