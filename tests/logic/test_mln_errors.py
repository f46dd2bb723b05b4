"""Alchemy's files: how what cannot be read is refused."""

from __future__ import annotations

import re

import pytest

from tacit.errors import (
    ArityMismatch,
    BadFormula,
    BadInput,
    BadWeight,
    DuplicateName,
    ProgramSyntaxError,
    SeveralErrors,
    TacitError,
    UnknownPredicate,
)
from tacit.logic.mln import read_mln
from tacit.logic.program import Program


def smokers(*formulas: str) -> Program:
    """The smokers' declarations with some formulas, the first of them in line 5."""
    head = "Friends(person, person)\nSmokes(person)\nCancer(person)\nAge(person, year)\n"
    return read_mln(head + "\n".join(formulas), query=["Smokes", "Cancer"])


@pytest.mark.parametrize(
    ("statement", "error", "words"),
    [
        ("1 Smokes(x", ProgramSyntaxError, "the end of the statement"),
        ("1 Smokes(x) & Cancer(x)", ProgramSyntaxError, "cannot read '&'"),
        ('1 Friends(x, "Anna) => Smokes(x)', ProgramSyntaxError, "never closed"),
        ("/* open", ProgramSyntaxError, "never closed"),
        ('#include "other.mln"', ProgramSyntaxError, "#include"),
        ("1 *Smokes(x) => Cancer(x)", ProgramSyntaxError, "write the two formulas out"),
        ("person MotherOf(person)", ProgramSyntaxError, "MotherOf.*function"),
        ("person = MotherOf(person)", ProgramSyntaxError, "MotherOf.*function"),
        ("1 Smokes(MotherOf(x))", ProgramSyntaxError, "MotherOf.*function"),
        ("1 MotherOf(x) = y => Smokes(x)", ProgramSyntaxError, "MotherOf.*function"),
        ("1.5 Smokes(x).", ProgramSyntaxError, "period"),
        ("1 Smokes(x!)", ProgramSyntaxError, "declaration"),
        ("1e999 Smokes(x)", BadWeight, "finite"),
        ("1 Smoke(x) => Cancer(x)", UnknownPredicate, "did you mean 'Smokes'"),
        ("1 Friends(x) => Smokes(x)", ArityMismatch, "Friends\\(person, person\\)"),
        ("1 Smokes(x, y)", ArityMismatch, "takes 1"),
        ("Smokes(person)", DuplicateName, "declared twice"),
        ("smokes(person)", DuplicateName, "both be called 'smokes'"),
        ("Person(person)", DuplicateName, "both be called 'person'"),
        ("Likes(perSon, year)\nMeets(per_son)", DuplicateName, "both be called 'per_son'"),
        ("AnyYear(year)", DuplicateName, "both be called 'any_year'"),
        ("day = {1, ..., Z}", ProgramSyntaxError, "two whole numbers"),
        ("day = {1, ..., 99999999999}", ProgramSyntaxError, "cannot list"),
    ],
)
def test_mistakes_are_refused_at_their_place(
    statement: str, error: type[TacitError], words: str
) -> None:
    with pytest.raises(error) as caught:
        smokers(statement)
    assert re.search(words, str(caught.value))
    assert caught.value.place is not None
    assert caught.value.place.line >= 5


def test_the_caret_stands_under_the_mistake() -> None:
    with pytest.raises(UnknownPredicate) as caught:
        smokers("1 Friends(x, y) => Smoks(x)   // a slip")
    lines = str(caught.value).splitlines()
    assert lines[1].startswith("  <text>:5   1 Friends(x, y) => Smoks(x)")
    assert lines[1].index("Smoks") == lines[2].index("^^^^^")


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(SeveralErrors) as caught:
        smokers("1 Smoke(x)", "1 Smokes(x)", "1 Friends(x) => Smokes(x)")
    assert [error.place and error.place.line for error in caught.value.errors] == [5, 7]


@pytest.mark.parametrize(
    "formula",
    [
        "!" * 2000 + "Smokes(x)",
        "(" * 2000 + "Smokes(x)" + " => Smokes(x))" * 2000,
        " => ".join(["Smokes(x)"] * 2000),
        "Smokes(x) v " + "EXIST y " * 2000 + "Smokes(y)",
        "Smokes(" + "F(" * 2000 + "x" + ")" * 2000 + ")",
    ],
)
def test_deep_nesting_is_refused(formula: str) -> None:
    with pytest.raises(ProgramSyntaxError, match="deeper than 40"):
        smokers(f"1 {formula}")


def test_the_query_must_be_known() -> None:
    with pytest.raises(BadInput, match="Friends, Smokes") as caught:
        read_mln("Friends(person, person)\nSmokes(person)\n1 Smokes(x)")
    assert "query=[" in str(caught.value)
    with pytest.raises(UnknownPredicate, match="Smoke"):
        read_mln("Smokes(person)\n1 Smokes(x)", query=["Smoke"])
    with pytest.raises(BadInput, match="give a list"):
        read_mln("Smokes(person)\n1 Smokes(x)", query="Smokes")
    assert read_mln("Smokes(person)\n1 Smokes(x)", query=["smokes"]).labels


def test_a_query_about_pairs_is_refused_with_a_remedy() -> None:
    with pytest.raises(BadFormula, match="2 arguments") as caught:
        read_mln("Friends(person, person)\n1 Friends(x, y)", query=["Friends"])
    assert "give each tuple an id" in str(caught.value)
    with pytest.raises(BadFormula, match="names 0"):
        read_mln("Topic(paper, category!)\n")
