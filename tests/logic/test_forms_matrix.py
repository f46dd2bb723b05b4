"""Label matrices: every accepted form, one relation, one formula."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tacit.errors import BadInput, DuplicateName, UnknownLabel
from tacit.logic import Program, check
from tacit.logic.forms import label
from tacit.logic.knowledge import Knowledge, assemble
from tacit.logic.matrix import label_matrix
from tacit.logic.quickstart import from_label_matrix, text_classification

SPAM = label("y", on="item", labels=["ham", "spam"])
VOTES = [[0, 1, -1], [-1, -1, 1]]


def votes(knowledge: Knowledge) -> list[tuple[Any, ...]]:
    """The rows of the relation `vote`."""
    return [tuple(row.values()) for row in knowledge.tables["vote"].arrow.to_pylist()]


EXPECTED = [("0", "f0", "ham"), ("0", "f1", "spam"), ("1", "f2", "spam")]


@pytest.mark.parametrize(
    "matrix",
    [
        VOTES,
        np.array(VOTES),
        np.array(VOTES, dtype=np.int8),
        np.array(VOTES, dtype=np.float32),
        np.asfortranarray(VOTES),
        pd.DataFrame(VOTES),
        pd.DataFrame(VOTES, dtype="Int64").astype("int64"),
    ],
)
def test_every_kind_of_matrix(matrix: Any) -> None:
    assert votes(label_matrix(matrix, label=SPAM)) == EXPECTED


def test_the_program() -> None:
    task, program = from_label_matrix(VOTES, labels=["ham", "spam"])
    assert program == Program.parse(
        """
        label    y(item) = ham | spam
        observed vote(item, function, class)
        votes: 2.2  vote(i, +f, l) => y(i) = l
        """
    )
    assert Program.parse(program.show()) == program
    assert check(program, task) == ()
    assert task.instances("item").ids.to_pylist() == ["0", "1"]
    _, program = from_label_matrix(VOTES, ["ham", "spam"], per_class=True)
    assert "vote(i, +f, l) => y(i) = +l" in program.show()
    assert Program.parse(program.show()) == program


def test_names_and_ids() -> None:
    named = label_matrix(VOTES, label=SPAM, functions=["a", "b", "c"], ids=["x", "y"])
    assert votes(named) == [("x", "a", "ham"), ("x", "b", "spam"), ("y", "c", "spam")]
    frame = pd.DataFrame(VOTES, columns=["a", "b", "c"])
    assert votes(label_matrix(frame, label=SPAM, ids=[7, 8]))[0] == (7, "a", "ham")
    task, _ = from_label_matrix(frame, ["ham", "spam"], ids=[7, 8])
    assert task.instances("item").ids.to_pylist() == [7, 8]
    for wrong in (["a", "b"], [1, 2, 3], "abc"):
        with pytest.raises(BadInput):
            label_matrix(VOTES, label=SPAM, functions=wrong)  # type: ignore[arg-type]
    with pytest.raises(DuplicateName, match="'a'"):
        label_matrix(VOTES, label=SPAM, functions=["a", "b", "a"])
    with pytest.raises(BadInput, match="1 ids for 2 rows"):
        label_matrix(VOTES, label=SPAM, ids=["x"])


@pytest.mark.parametrize("wrong", [2, -2, 2**63 - 1])
def test_votes_that_index_no_label(wrong: int) -> None:
    matrix = np.array(VOTES)
    matrix[1, 2] = wrong
    with pytest.raises(
        UnknownLabel, match=rf"L\[1, 2\] is {wrong}.*row 1.*'f2' in column 2.*1 spam"
    ):
        label_matrix(matrix, label=SPAM)
    with pytest.raises(UnknownLabel, match=r"L\[0, 0\] is 18446744073709551615"):
        label_matrix(np.array([[2**64 - 1]], dtype=np.uint64), label=SPAM)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([0, 1], r"shape \(2,\)"),
        (np.zeros((2, 2, 2), int), r"shape \(2, 2, 2\)"),
        ([], "shape"),
        (np.zeros((0, 3), int), "shape"),
        ([[], []], "shape"),
        ([[0, np.nan]], r"L\[0, 1\] is nan"),
        ([[0.0, np.inf]], r"L\[0, 1\] is inf"),
        ([[0, 0.5]], r"L\[0, 1\] is 0.5"),
        ([[0, None]], "-1 for abstain"),
        ([[0], [0, 1]], "equal length"),
        ([["spam"]], "holds text"),
        ([[True]], "truth values"),
        ("spam", "holds text"),
        (None, "objects"),
        ([[-1, -1]], "every function abstains"),
    ],
)
def test_matrices_that_are_none(matrix: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        label_matrix(matrix, label=SPAM)


def test_sparse_matrices_cannot_abstain() -> None:
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    with pytest.raises(BadInput, match="would count as label 0"):
        label_matrix(sparse.csr_matrix(np.array(VOTES)), label=SPAM)


@given(
    arrays(np.int64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(-1, 1))
)
def test_the_relation_is_the_matrix(matrix: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    if (matrix == -1).all():
        return
    expected = [
        (str(i), f"f{j}", SPAM.labels[matrix[i, j]])
        for i in range(matrix.shape[0])
        for j in range(matrix.shape[1])
        if matrix[i, j] != -1
    ]
    assert votes(label_matrix(matrix, label=SPAM)) == expected


def test_ten_million_cells_take_seconds() -> None:
    matrix = np.random.default_rng(0).integers(-1, 3, (1_000_000, 10), dtype=np.int8)
    start = time.perf_counter()
    task, _ = from_label_matrix(matrix, ["a", "b", "c"])
    assert time.perf_counter() - start < 6  # about one second on an idle machine
    assert task.table("vote").n_rows == int((matrix >= 0).sum())


def test_votes_join_a_text_classification() -> None:
    task, program = text_classification(["a", "b"], ["ham", "spam"], {"spam": ["b"]})
    task, program = assemble(task, program, label_matrix(VOTES, label=program.labels["y"]))
    assert [e.name for e in program.evidence] == ["spam_b", "votes"]
    assert check(program, task) == ()
