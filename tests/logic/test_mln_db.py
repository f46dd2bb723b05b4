"""Alchemy's databases: facts into tables."""

from __future__ import annotations

import pytest

from tacit.errors import (
    ArityMismatch,
    BadInput,
    ProgramSyntaxError,
    TacitError,
    UnknownLabel,
    UnknownPredicate,
)
from tacit.logic.formula import Value
from tacit.logic.mln import read_constants, read_db, read_mln
from tacit.logic.mln_signature import value_of

SMOKERS = """
person = {Anna, Bob, "Carl X"}
Friends(person, person)
Smokes(person)
Cancer(person)
1.1 Friends(x, y) => (Smokes(x) <=> Smokes(y))
"""

TOPICS = """
category = {Physics, Biology}
HasWord(word, paper)
Cites(paper, paper)
Topic(paper, category!)
0.5 !HasWord("cell", p) v Topic(p, Biology)
!HasWord(w, p) => Topic(p, Physics)
"""


def test_a_database_fills_the_tables() -> None:
    program = read_mln(SMOKERS, query=["Smokes", "Cancer"])
    text = "Friends(Anna, Bob)\nFriends(Anna, Bob)\n!Friends(Bob, Dora) // no\n" \
           'Smokes(Anna)\n!Smokes("Carl X")\n?Cancer(Eva)\n'  # fmt: skip
    tables = read_db(text, program, constants=read_constants(SMOKERS))
    assert [row["id"] for row in tables["person"]] == ["Anna", "Bob", "Carl X", "Dora", "Eva"]
    assert tables["friends"] == [{"person": "Anna", "person_2": "Bob"}]
    assert tables["known_smokes"] == [
        {"id": "Anna", "label": "true"},
        {"id": "Carl X", "label": "false"},
    ]
    assert set(tables) == {"person", "friends", "known_smokes"}


def test_a_database_fills_domains_and_numbers() -> None:
    program = read_mln(TOPICS)
    tables = read_db("HasWord(Cell, 7)\nHasWord(Atom, 8.5)\nTopic(9, Physics)", program)
    assert tables["paper"] == [{"id": 7}, {"id": 8.5}, {"id": 9}]
    assert tables["any_word"] == [{"word": "cell"}, {"word": "Cell"}, {"word": "Atom"}]
    assert tables["known_topic"] == [{"id": 9, "label": "Physics"}]
    assert "cites" not in tables


@pytest.mark.parametrize(
    ("fact", "error", "words"),
    [
        ("HasWord(Cell)", ArityMismatch, "takes 2"),
        ("HasWords(Cell, P)", UnknownPredicate, "did you mean 'has_word'"),
        ("?HasWord(Cell, P)", ProgramSyntaxError, "cannot be unknown"),
        ("HasWord(Cell, P", ProgramSyntaxError, "not a fact"),
        ("HasWord(Cell, P) v Cites(P, P)", ProgramSyntaxError, "not a fact"),
        ("Topic(P, Chemistry)", UnknownLabel, "Physics, Biology"),
        ("!Topic(P, Physics)", ProgramSyntaxError, "say what it is"),
        ("Topic(P, Physics)\nTopic(P, Biology)", BadInput, "contradicts"),
        ("Cites(P, Q)\n!Cites(P, Q)", BadInput, "contradicts"),
    ],
)
def test_bad_facts_are_refused(fact: str, error: type[TacitError], words: str) -> None:
    with pytest.raises(error) as caught:
        read_db(fact, read_mln(TOPICS))
    assert words in str(caught.value)
    assert caught.value.place is not None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Anna", "Anna"),
        ('"Anna B"', "Anna B"),
        ('"say \\"x\\""', 'say "x"'),
        ('"7"', "7"),
        ("7", 7),
        ("-7", -7),
        ("2.50", 2.5),
        ("1e3", 1000.0),
        ("12345678901234567890", "12345678901234567890"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_constants(text: str, value: Value) -> None:
    assert (value_of(text), type(value_of(text))) == (value, type(value))
