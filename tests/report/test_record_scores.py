"""Scores of labels against gold, as records hold them, beside a loop from the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.report import accuracy, macro_f1
from tacit.report.gold_scores import gold_codes, gold_scores
from tacit.report.metrics import choices

# Few different values, so that ties, sure labels and full bins all occur.
SHARES = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0])


@st.composite
def labelled(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Posteriors and gold codes, some unknown."""
    n, n_labels = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    rows = []
    for _ in range(n):
        raw = draw(st.lists(SHARES, min_size=n_labels, max_size=n_labels))
        total = sum(raw)
        rows.append([x / total for x in raw] if total else [1 / n_labels] * n_labels)
    gold = draw(st.lists(st.integers(-1, n_labels - 1), min_size=n, max_size=n))
    return np.array(rows), np.array(gold)


def by_loops(posterior: np.ndarray, gold: np.ndarray) -> dict[str, object]:
    """The same scores, instance by instance; a tie gives each of its labels a part."""
    n_labels = posterior.shape[1]
    confusion = [[0] * n_labels for _ in range(n_labels)]
    right, given_, known = [0.0] * n_labels, [0.0] * n_labels, [0] * n_labels
    bins: dict[int, list[tuple[float, float]]] = {}
    shares = choices(posterior)
    n = 0
    for row, own in enumerate(gold):
        if own < 0:
            continue
        n += 1
        known[own] += 1
        best = 0
        for label in range(n_labels):
            given_[label] += shares[row, label]
            if posterior[row, label] > posterior[row, best]:
                best = label
        right[own] += shares[row, own]
        confusion[own][best] += 1
        sure = max(posterior[row])
        bins.setdefault(min(int(sure * 10), 9), []).append((sure, shares[row, own]))
    told = []
    for at in sorted(bins):
        sures, rights = zip(*bins[at], strict=True)
        told.append((len(sures), sum(sures) / len(sures), sum(rights) / len(rights)))
    return {
        "n": n,
        "confusion": tuple(map(tuple, confusion)),
        "precision": [r / g if g else None for r, g in zip(right, given_, strict=True)],
        "recall": [r / k if k else None for r, k in zip(right, known, strict=True)],
        "f1": [
            2 * r / (g + k) if k else None for r, g, k in zip(right, given_, known, strict=True)
        ],
        "bins": told,
        "error": sum(size * abs(sure - hit) for size, sure, hit in told) / n,
    }


@given(labelled())
def test_scores_are_those_of_a_loop(case: tuple[np.ndarray, np.ndarray]) -> None:
    posterior, gold = case
    found = gold_scores(posterior, gold)
    if (gold < 0).all():
        assert found is None
        return
    assert found is not None
    expected = by_loops(posterior, gold)
    assert found.n == expected["n"]
    assert found.confusion == expected["confusion"]
    assert found.accuracy == accuracy(posterior, gold)
    for name in ("precision", "recall", "f1"):
        assert list(getattr(found, name)) == pytest.approx(expected[name]), name
    bins = [(one.n, one.confidence, one.accuracy) for one in found.calibration]
    assert np.array(bins) == pytest.approx(np.array(expected["bins"]))
    assert found.calibration_error == pytest.approx(expected["error"])


@given(labelled())
def test_parts_agree_with_the_whole(case: tuple[np.ndarray, np.ndarray]) -> None:
    posterior, gold = case
    found = gold_scores(posterior, gold)
    if found is None:
        return
    hits = sum(one.n * one.accuracy for one in found.calibration)
    assert hits == pytest.approx(found.accuracy * found.n)
    assert sum(map(sum, found.confusion)) == sum(one.n for one in found.calibration) == found.n
    known = [own for own in found.f1 if own is not None]
    assert np.mean(known) == pytest.approx(macro_f1(posterior, gold))


def test_gold_is_brought_into_instance_order() -> None:
    ids = [10, 11, 12, 13]
    task = tacit.Task({"item": {"id": ids}, "other": {"id": [1]}})
    program = tacit.Program.parse("label y(item) = a | b | c\nlabel z(other) = no | yes")
    found = gold_codes(program, task, {"y": {"12": "c", "10": "b", "99": "a"}, "z": {"7": "no"}})
    assert {name: own.tolist() for name, own in found.items()} == {"y": [1, -1, 2, -1]}
