"""Labelling functions: hard votes, soft votes, Snorkel's functions, and what goes wrong."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

from tacit.data import Task, predicate
from tacit.errors import (
    BadInput,
    DuplicateName,
    FunctionFailed,
    TacitWarning,
    TypeMismatch,
    UnknownColumn,
    UnknownLabel,
)
from tacit.logic import Fixed, Program, check
from tacit.logic.forms import label
from tacit.logic.functions import LabellingFunction, labelling_function, labelling_functions
from tacit.logic.knowledge import assemble

SENTIMENT = label("sentiment", on="review", labels=["neg", "pos"])
HEAD = "label sentiment(review) = neg | pos\n"


def task() -> Task:
    """Three reviews."""
    texts = ["superb", "awful, awful", "so-so"]
    return Task({"review": {"id": ["r1", "r2", "r3"], "text": texts, "stars": [5, 1, 3]}})


def run(*functions: Any) -> tuple[Task, Program]:
    """The task and the program of some functions, the program's text checked."""
    result, program = assemble(task(), labelling_functions(functions, label=SENTIMENT))
    assert Program.parse(program.show()) == program
    check(program, result)
    return result, program


def rows(of: Task, table: str) -> list[tuple[Any, ...]]:
    """The rows of a table."""
    return [tuple(row.values()) for row in of.table(table).arrow.to_pylist()]


@labelling_function
def rant(text: str) -> str | None:
    """Votes neg for awful reviews."""
    return "neg" if "awful" in text else None


def test_the_decorated_function_is_still_a_function() -> None:
    assert isinstance(rant, LabellingFunction)
    assert (rant.name, rant.parameters) == ("rant", ("text",))
    assert rant("awful") == "neg"
    assert rant(text="fine") is None


def test_hard_votes() -> None:
    @labelling_function(per_class=True, weight=2, name="by_stars")
    def stars(stars: int, limit: int = 3) -> str | None:
        return None if stars == limit else "pos" if stars > limit else "neg"

    result, program = run(rant, stars)
    assert program == Program.parse(
        HEAD
        + """
        observed rant(review, class)
        observed by_stars(review, class)
        rant:     2.2  rant(r, l) => sentiment(r) = l
        by_stars: 2.0  by_stars(r, l) => sentiment(r) = +l
        """
    )
    assert rows(result, "rant") == [("r2", "neg")]
    assert rows(result, "by_stars") == [("r1", "pos"), ("r2", "neg")]


def test_hard_votes_follow_the_task_to_other_rows() -> None:
    result, _ = run(rant)
    other = result.with_tables({"review": {"id": ["x"], "text": ["awful"], "stars": [1]}})
    assert rows(other, "rant") == [("x", "neg")]
    assert task().with_predicates(*result.predicates).table("rant").columns == ("id", "class")


def test_soft_votes_follow_the_task_to_other_rows() -> None:
    calls: list[int] = []

    @labelling_function(soft=True)
    def model(stars: int) -> dict[str, float] | None:
        calls.append(stars)
        return {"pos": 1.0} if stars == 5 else None

    result, _ = assemble(task(), labelling_functions([model], label=SENTIMENT))
    assert calls == []
    assert [row[:2] for row in rows(result, "model")] == [("r1", "neg"), ("r1", "pos")]
    other = result.with_tables({"review": {"id": ["x", "y"], "text": ["", ""], "stars": [1, 5]}})
    assert [row[:2] for row in rows(other, "model")] == [("y", "neg"), ("y", "pos")]
    worse = result.with_tables({"review": {"id": ["x"], "text": [""], "stars": [1]}})
    assert rows(worse, "model") == []
    assert worse.table("model").kinds == {"id": "text", "class": "text", "log_p": "number"}


def test_votes_on_other_rows_are_checked_too() -> None:
    def guess(stars: int) -> str:
        return "pos" if stars < 9 else "best"

    result, _ = run(guess)
    other = result.with_tables({"review": {"id": ["x"], "text": [""], "stars": [9]}})
    with pytest.raises(
        UnknownLabel, match=r"'guess' votes 'best' at 'x' \(row 1 of table"
    ) as error:
        other.table("guess")
    assert error.value.place is not None


def test_the_fingerprint_covers_labels_and_softness() -> None:
    def fingerprint(labels: list[str], soft: bool = False) -> str:
        function = labelling_function(name="f", soft=soft)(lambda text: None)
        on = label("sentiment", on="review", labels=labels)
        return assemble(task(), labelling_functions([function], label=on))[0].fingerprint()

    prints = [fingerprint(["neg", "pos"]), fingerprint(["pos", "neg"])]
    prints += [fingerprint(["neg", "pos"], soft=True)]
    assert len(set(prints)) == 3
    assert fingerprint(["neg", "pos"]) == prints[0]


def test_plain_functions_whole_rows_and_columns() -> None:
    def whole(row: dict[str, Any]) -> str | None:
        return "pos" if row["stars"] == 5 else None

    @labelling_function(vectorised=True, weight=Fixed(1.5))
    def columns(stars: Any) -> list[str | None]:
        return ["neg" if star == 1 else None for star in stars.to_pylist()]

    result, program = run(whole, columns)
    assert rows(result, "whole") == [("r1", "pos")]
    assert rows(result, "columns") == [("r2", "neg")]
    assert program["columns"].weight == Fixed(1.5)


def test_a_function_that_always_abstains_is_an_empty_relation() -> None:
    @labelling_function(soft=True)
    def silent_too(text: str) -> None:
        return None

    def silent(text: str) -> None:
        return None

    result, _ = run(silent, silent_too)
    assert rows(result, "silent") == []
    assert rows(result, "silent_too") == []


@pytest.mark.parametrize(
    ("vote", "remedy"), [("positive", "did you mean 'pos'"), (1, "the name of"), (True, "None")]
)
def test_votes_outside_the_labels(vote: object, remedy: str) -> None:
    @labelling_function(on_error="abstain")
    def guess(stars: int) -> object:
        return vote if stars == 1 else None

    with pytest.raises(UnknownLabel, match=rf"'guess' votes {vote!r} at 'r2' \(row 2") as caught:
        run(guess)
    assert remedy in str(caught.value)


def test_probabilities_need_soft() -> None:
    def guess(text: str) -> object:
        return {"pos": 1.0}

    with pytest.raises(FunctionFailed, match="soft=True"):
        run(guess)
    with pytest.raises(FunctionFailed, match=r"function 'both' votes for several.*'r1' \(row 1 of"):
        run(labelling_function(name="both")(lambda text: ["pos", "neg"]))


def test_functions_that_raise() -> None:
    def divide(stars: int) -> str | None:
        return "pos" if 1 / (stars - 1) > 0.3 else None

    message = (
        r"labelling function 'divide' raised ZeroDivisionError.*id 'r2' \(row 2.*1 of 3 rows fail"
    )
    with pytest.raises(FunctionFailed, match=message):
        run(divide)
    with pytest.raises(FunctionFailed, match=message):
        run(labelling_function(soft=True)(divide))
    with pytest.warns(TacitWarning, match=message):
        result, _ = run(labelling_function(on_error="abstain")(divide))
    assert rows(result, "divide") == [("r3", "pos")]


def test_soft_votes_that_raise_can_abstain() -> None:
    @labelling_function(soft=True, on_error="abstain")
    def divide(stars: int) -> dict[str, float]:
        return {"pos": 1 / (stars - 1), "neg": 1 - 1 / (stars - 1)}

    with pytest.warns(TacitWarning, match="left out"):
        result, _ = run(divide)
    assert {row[0] for row in rows(result, "divide")} == {"r1", "r3"}


def test_soft_votes() -> None:
    @labelling_function(soft=True)
    def model(stars: int) -> dict[str, float] | None:
        return {5: {"pos": 0.8, "neg": 0.2}, 1: {"neg": 1.0}}.get(stars)

    result, program = run(model)
    assert program == Program.parse(
        HEAD
        + """
        observed model(review, class, log_p)
        model: 1.0 * s  model(r, l, s) => sentiment(r) = l
        """
    )
    assert rows(result, "model") == [
        ("r1", "neg", pytest.approx(math.log(0.2))),
        ("r1", "pos", pytest.approx(math.log(0.8))),
        ("r2", "neg", 0.0),
        ("r2", "pos", pytest.approx(math.log(1e-6))),
    ]


def test_vectorised_soft_votes() -> None:
    @labelling_function(soft=True, vectorised=True)
    def model(stars: Any) -> np.ndarray[Any, Any]:
        return np.array([[0.25, 0.75], [np.nan, np.nan], [1.0, 0.0]])

    result, _ = run(model)
    assert [row[:2] for row in rows(result, "model")] == [
        ("r1", "neg"), ("r1", "pos"), ("r3", "neg"), ("r3", "pos"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("vote", "error", "message"),
    [
        ({"pos": 0.5}, FunctionFailed, "sum to 1"),
        ({"pos": 1.5, "neg": -0.5}, FunctionFailed, "sum to 1"),
        ({"pos": math.nan}, FunctionFailed, "numbers"),
        ({"pos": math.inf}, FunctionFailed, "sum to 1"),
        ({"pos": "much"}, FunctionFailed, "numbers"),
        ({}, FunctionFailed, "sum to 1"),
        ("pos", FunctionFailed, "a dict"),
        ({"poss": 1.0}, UnknownLabel, "did you mean 'pos'"),
    ],
)
def test_soft_votes_refuse(vote: object, error: type[Exception], message: str) -> None:
    @labelling_function(soft=True)
    def model(stars: int) -> object:
        return vote if stars == 1 else None

    with pytest.raises(error, match=r"(?s)'model'.*'r2' \(row 2.*" + message):
        run(model)


@pytest.mark.parametrize("answer", [np.zeros((2, 2)), [{"pos": 1.0}] * 3, "pos", [0.5, 0.5, 0.5]])
def test_vectorised_soft_votes_refuse(answer: object) -> None:
    @labelling_function(soft=True, vectorised=True)
    def model(stars: Any) -> object:
        return answer

    with pytest.raises(FunctionFailed, match=r"shape \(3, 2\)"):
        run(model)


def test_declarations_that_cannot_be() -> None:
    with pytest.raises(BadInput, match="no name"):
        run(lambda text: "pos")
    with pytest.raises(BadInput, match="no name"):
        run(functools.partial(str, "x"))
    with pytest.raises(BadInput, match="already"):
        labelling_function(rant)
    with pytest.raises(BadInput, match="is a predicate already"):
        run(predicate(table="review", name="p")(lambda text: True))
    with pytest.raises(BadInput, match="not a function"):
        run(3)
    with pytest.raises(BadInput, match=r'@labelling_function\(label="sentiment"\)'):
        labelling_function("sentiment")  # type: ignore[call-overload]
    with pytest.raises(BadInput, match=r"label=LabelFunction.*is no name"):
        labelling_function(label=SENTIMENT)  # type: ignore[call-overload]
    with pytest.raises(BadInput, match="labelling function 'f' reads no column"):
        run(labelling_function(name="f")(lambda: None))
    with pytest.raises(BadInput, match="cannot be a labelling function's name"):
        labelling_function(name="a b")(lambda text: None)
    with pytest.raises(BadInput, match="list of functions"):
        labelling_functions(rant, label=SENTIMENT)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="on_error"):
        labelling_function(on_error="ignore")  # type: ignore[call-overload]
    with pytest.raises(DuplicateName, match="two functions are called 'rant'"):
        run(rant, rant)


def test_functions_go_where_they_belong() -> None:
    with pytest.raises(TypeMismatch, match="votes on 'topic', not 'sentiment'"):
        run(labelling_function(label="topic", name="f")(lambda text: None))
    with pytest.raises(TypeMismatch, match="leave table= out"):
        run(labelling_function(table="topic", name="f")(lambda text: None))
    run(labelling_function(label="sentiment", table="review", name="f")(lambda text: None))
    with pytest.raises(UnknownColumn, match=r"labelling function 'f' reads.*no column 'texts'"):
        run(labelling_function(name="f")(lambda texts: None))


def test_labels_that_are_variables_elsewhere() -> None:
    letters = label("y", on="review", labels=["l", "s", "r"])
    soft = labelling_function(soft=True, name="soft")(lambda text: {"l": 1.0})
    hard = labelling_function(name="hard_votes")(lambda text: "r")
    result, program = assemble(task(), labelling_functions([soft, hard], label=letters))
    assert Program.parse(program.show()) == program
    assert "soft(r2, l2, s2) => y(r2) = l2" in program.show()
    assert check(program, result) == ()


def test_snorkel_functions() -> None:
    labeling = pytest.importorskip("snorkel.labeling", reason="snorkel is not installed")
    preprocess = pytest.importorskip("snorkel.preprocess", reason="snorkel is not installed")

    @preprocess.preprocessor(memoize=True)
    def shouted(x: Any) -> Any:
        x.shout = x.text.upper()
        return x

    @labeling.labeling_function(pre=[shouted])
    def loud(x: Any) -> int:
        return 1 if "SUPERB" in x.shout else -1

    by_stars = labeling.LabelingFunction(
        "by stars-2", lambda x, limit: 0 if x.stars < limit else -1, resources={"limit": 3}
    )
    result, program = run(loud, by_stars, rant)
    assert rows(result, "loud") == [("r1", "pos")]
    assert rows(result, "by_stars_2") == [("r2", "neg")]
    assert [e.name for e in program.evidence] == ["loud", "by_stars_2", "rant"]

    wrong = labeling.LabelingFunction("wrong", lambda x: 2)
    with pytest.raises(UnknownLabel, match="'wrong' votes 'index 2' at 'r1'"):
        run(wrong)
    with pytest.raises(FunctionFailed, match="'named' raised TypeError"):
        run(labeling.LabelingFunction("named", lambda x: "pos"))
