"""The entry points: texts with keywords, and matrices of votes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tacit.errors import BadInput, DuplicateIds, DuplicateName, TacitError
from tacit.logic import Program, check
from tacit.logic.quickstart import from_label_matrix, text_classification

LABELS = ["neg", "pos"]


def test_text_classification() -> None:
    task, program = text_classification(
        ["A superb film.", "awful"], labels=LABELS, keywords={"pos": ["superb"], "neg": ["awful"]}
    )
    assert program == Program.parse(
        """
        label    y(document) = neg | pos
        observed token(document, word)
        pos_superb: 2.2  token(d, "superb") => y(d) = pos
        neg_awful:  2.2  token(d, "awful") => y(d) = neg
        """
    )
    assert Program.parse(program.show()) == program
    assert check(program, task) == ()
    assert task.instances("document").ids.to_pylist() == ["0", "1"]
    assert task.inputs("document").to_pylist() == ["A superb film.", "awful"]


def test_functions_names_and_ids() -> None:
    def short(text: str) -> str | None:
        return "neg" if len(text) < 3 else None

    task, program = text_classification(
        ["ok", "long"], LABELS, functions=[short], name="mood", ids=[17, 18]
    )
    assert "short: 2.2  short(d, l) => mood(d) = l" in program.show()
    assert task.table("short").arrow.to_pylist() == [{"id": 17, "class": "neg"}]
    assert check(program, task) == ()


def test_nothing_but_texts() -> None:
    _, program = text_classification(["a"], LABELS)
    assert program.show() == "label    y(document) = neg | pos\n"


@pytest.mark.parametrize(
    "texts",
    [
        ("a", "b"),
        np.array(["a", "b"]),
        pd.Series(["a", "b"], index=[7, 9]),
        pa.array(["a", "b"]),
        (text for text in "ab"),
    ],
)
def test_every_kind_of_texts(texts: Any) -> None:
    task, _ = text_classification(texts, LABELS)
    assert task.inputs("document").to_pylist() == ["a", "b"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a", None], "row 2 is missing"),
        (pd.Series(["a", "b", np.nan]), "row 3 is missing"),
        (pd.Series(["a", None], dtype="string"), "row 2 is missing"),
        (["a", 3], r"row 2 is 3 \(int\)"),
        (["a", b"b"], "row 2 is b'b'"),
        ("abc", "not a sequence of texts"),
        ({"a": 1}, "not a sequence of texts"),
        ({"a", "b"}, "not a sequence of texts"),
        (pd.DataFrame({"text": ["a"]}), "one column of a table"),
        (None, "not a sequence of texts"),
        ([], "no texts"),
        (["a", "b\ud800"], "row 2 holds half a character"),
    ],
)
def test_texts_that_are_none(texts: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        text_classification(texts, LABELS)


def test_ids_are_checked() -> None:
    with pytest.raises(DuplicateIds, match="rows 1 and 2"):
        text_classification(["a", "b"], LABELS, ids=["x", "x"])
    with pytest.raises(DuplicateIds, match="row 2"):
        text_classification(["a", "b"], LABELS, ids=["x", None])
    with pytest.raises(BadInput, match="1 ids for 2 rows"):
        text_classification(["a", "b"], LABELS, ids=["x"])
    with pytest.raises(DuplicateIds):
        from_label_matrix([[0], [1]], LABELS, ids=[1, 1])


def test_labels_are_checked() -> None:
    with pytest.raises(BadInput, match="give a list"):
        text_classification(["a"], "pos")
    with pytest.raises(DuplicateName):
        text_classification(["a"], ["pos", "pos"])
    with pytest.raises(TacitError, match="label"):
        text_classification(["a"], LABELS, name="label")


@pytest.mark.parametrize(
    "labels", [["n", "y"], ["d", "l"], ["0", "1"], ["true", "a b"], ["i", "f"]]
)
def test_labels_that_look_like_something_else(labels: list[str]) -> None:
    words = {labels[0]: ["superb"]}
    vote = [lambda text: labels[1]]
    vote[0].__name__ = "vote"
    for task, program in (
        text_classification(["superb"], labels, words, functions=vote),
        from_label_matrix([[0, 1]], labels),
    ):
        assert Program.parse(program.show()) == program
        assert check(program, task) == ()
