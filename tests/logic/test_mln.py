"""Alchemy's files: what they become."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import (
    BadFile,
    TacitError,
    TacitWarning,
)
from tacit.logic.evidence import Hard, Learned
from tacit.logic.formula import (
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Iff,
    Implies,
    LabelIs,
    LabelOf,
    Variable,
)
from tacit.logic.mln import read_db, read_mln
from tacit.logic.mln_signature import table_name
from tacit.logic.program import Program
from tacit.logic.show import show_formula
from tacit.logic.traverse import walk

SMOKERS = """
// The example that everyone knows.
person = {Anna, Bob, "Carl X"}

Friends(person, person)     // observed
Smokes(person)
Cancer(person)

/* Smoking causes cancer,
   and friends have similar habits. */
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) => (Smokes(x) <=> Smokes(y))
-0.7 Smokes(x)
Cancer(x)
FORALL x (Friends(x, x) => !Smokes(x)).
"""

TOPICS = """
category = {Physics, Biology}
HasWord(word, paper)
Cites(paper, paper)
Topic(paper, category!)

HasWord(+w, p) => Topic(p, +c)
1 Cites(p, q) ^ Topic(p, c)
  => Topic(q, c)
0.5 !HasWord("cell", p) v Topic(p, Biology)
!HasWord(w, p) => Topic(p, Physics)
"""

CITATIONS = """
// Which records of a citation speak of the same paper: each candidate pair has an id.
InPair(pair, record, record)
Title(record, title)
Venue(record, venue)
SimilarTitle(title, title)
Year(record, year)
SameRecord(pair)

2.2 InPair(p, a, b) ^ Title(a, t) ^ Title(b, u) ^ SimilarTitle(t, u) => SameRecord(p)
1.0 InPair(p, a, b) ^ Year(a, y) ^ Year(b, z) ^ y < z => !SameRecord(p)
InPair(p, a, b) ^ InPair(q, b, c) ^ InPair(s, a, c) ^ SameRecord(p) ^ SameRecord(q)
    => SameRecord(s).
0.3 EXIST q InPair(q, a, b) ^ SameRecord(q)
"""

SMOKES_X = LabelIs(LabelOf("smokes", Variable("x")), Constant("true"))
CANCER_X = LabelIs(LabelOf("cancer", Variable("x")), Constant("true"))


def smokers(*formulas: str) -> Program:
    """The smokers' declarations with other formulas."""
    head = "Friends(person, person)\nSmokes(person)\nCancer(person)\nAge(person, year)\n"
    return read_mln(head + "\n".join(formulas), query=["Smokes", "Cancer"])


def shown(formula: str) -> str:
    """A formula about smokers as a program says it."""
    (evidence,) = smokers(formula).evidence
    return show_formula(evidence.formula)


@pytest.mark.parametrize(
    ("text", "query"),
    [(SMOKERS, ["Smokes", "Cancer"]), (TOPICS, []), (CITATIONS, ["SameRecord"])],
)
def test_what_was_read_can_be_shown_and_parsed(text: str, query: list[str]) -> None:
    program = read_mln(text, query=query)
    assert Program.parse(program.show()) == program
    assert len(program.evidence) >= 4


def test_smokers() -> None:
    program = read_mln(SMOKERS, query=["Smokes", "Cancer"])
    assert program.labels["smokes"].labels == ("false", "true")
    assert program.labels["smokes"].domain == "person"
    assert program.observed["friends"].domains == ("person", "person")
    assert program["f1"].formula == Implies(SMOKES_X, CANCER_X)
    assert program["f1"].weight == Learned(1.5)
    friends = program["f2"].formula
    assert isinstance(friends, Implies)
    assert isinstance(friends.conclusion, Iff)
    assert (program["f3"].formula, program["f3"].weight) == (SMOKES_X, Learned(-0.7))
    assert (program["f4"].formula, program["f4"].weight) == (CANCER_X, Learned(0.0))
    assert program["f5"].weight == Hard()
    assert not any(isinstance(node, Count) for node in walk(program["f5"].formula))


def test_exclusive_arguments_are_labels() -> None:
    program = read_mln(TOPICS)
    assert program.labels["topic"].labels == ("Physics", "Biology")
    label = LabelIs(LabelOf("topic", Variable("p")), Variable("c", per_value=True))
    word = Atom("has_word", (Variable("w", per_value=True), Variable("p")))
    assert program["f1"].formula == Implies(word, label)
    assert "topic(p) = c => topic(q) = c" in program.show()
    assert Atom("has_word", (Constant("cell"), Variable("p"))) in walk(program["f3"].formula)


def test_the_exclusive_argument_may_come_first() -> None:
    program = read_mln("kind = {A, B}\nIs(kind!, thing)\nSeen(thing)\n1 Seen(x) => Is(A, x)")
    assert show_formula(program["f1"].formula) == "seen(x) => is(x) = A"


def test_labels_may_be_named_by_formulas_only() -> None:
    program = read_mln("Seen(thing)\nIs(thing, kind!)\n1 Seen(x) => Is(x, B)\n1 Is(x, A)")
    assert program.labels["is"].labels == ("B", "A")


def test_numbered_labels_are_texts() -> None:
    program = read_mln("star = {1, ..., 3}\nRated(film, star!)\n1 Rated(f, 2)")
    assert program.labels["rated"].labels == ("1", "2", "3")
    assert program["f1"].formula == LabelIs(LabelOf("rated", Variable("f")), Constant("2"))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("1 !Smokes(x) v Cancer(x)", "smokes(x) != T | cancer(x) = T"),
        ("1 Smokes(x) ^ Cancer(x) v Smokes(x)", "smokes(x) = T & cancer(x) = T | smokes(x) = T"),
        (
            "1 Friends(x, y) => Smokes(x) => Cancer(x)",
            "person(x) & person(y) & (friends(x, y) => smokes(x) = T) => cancer(x) = T",
        ),
        ("1 Friends(x, y) ^ x != y => Smokes(y)", "friends(x, y) & x != y => smokes(y) = T"),
        ("1 Age(x, n) ^ n >= 18 => Smokes(x)", "age(x, n) & n >= 18 => smokes(x) = T"),
        ("1 Friends(x, Anna) => Smokes(x)", 'friends(x, "Anna") => smokes(x) = T'),
        ('1 Friends(x, "a b") => Smokes(x)', 'friends(x, "a b") => smokes(x) = T'),
        ("1 Friends(x, v) => Smokes(v)", "friends(x, v) => smokes(v) = T"),
        ("1 Friends(x, x') => Smokes(x')", "friends(x, x_) => smokes(x_) = T"),
        ("1 Friends(label, hard) => Smokes(hard)", "friends(label_, hard_) => smokes(hard_) = T"),
        ("1 Friends(x, +y) => Smokes(x)", "friends(x, +y) => smokes(x) = T"),
        (
            "1 Smokes(x) => EXIST y Friends(x, y) ^ Cancer(y)",
            "person(x) & smokes(x) = T => exists y: friends(x, y) & cancer(y) = T",
        ),
        (
            "1 Smokes(x) => (FORALL y Friends(x, y) => Smokes(y))",
            "smokes(x) = T => !(exists y: !(friends(x, y) => smokes(y) = T))",
        ),
        ("1 forall x exist y Friends(x,y)^Smokes(y)", "exists y: friends(x, y) & smokes(y) = T"),
    ],
)
def test_formulas(formula: str, expected: str) -> None:
    assert shown(formula).replace('"true"', "T").replace("true", "T") == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("1 !Friends(x, Anna) => Smokes(x)", 'person(x) & !friends(x, "Anna") => smokes(x) = T'),
        ("1 Smokes(x) => Smokes(y)", "person(x) & person(y) & smokes(x) = T => smokes(y) = T"),
        (
            "1 Smokes(x) v EXIST y Smokes(y)",
            "person(x) => smokes(x) = T | (exists y: person(y) & smokes(y) = T)",
        ),
        ("1 Smokes(x) ^ !Age(x, 3)", "person(x) & smokes(x) = T & !age(x, 3)"),
        ("1 !Age(x, n) => Smokes(x)", "person(x) & any_year(n) & !age(x, n) => smokes(x) = T"),
    ],
)
def test_variables_that_no_fact_binds_get_their_domain(formula: str, expected: str) -> None:
    assert shown(formula).replace('"true"', "T").replace("true", "T") == expected


def test_a_type_without_labels_gets_a_domain_predicate() -> None:
    program = read_mln(TOPICS)
    assert program.observed["any_word"].domains == ("word",)
    assert isinstance(program["f4"].formula, Implies)
    assert isinstance(program["f4"].formula.condition, And)


def test_statements_go_on_over_lines() -> None:
    program = smokers(
        "1 Friends(x, y) ^", "   Smokes(x)", "// between", "  => Smokes(y)", "Smokes(x)"
    )
    assert [e.name for e in program.evidence] == ["f1", "f2"]
    split = read_mln(
        "person = {\n  Anna, // one\n  Bob\n}\nSmokes(person)\nSmokes(x)", query=["Smokes"]
    )
    assert len(split.evidence) == 1


@pytest.mark.parametrize(
    ("weight", "start"),
    [("2", 2.0), ("2.", 2.0), (".5", 0.5), ("-1.2e-3", -0.0012), ("+3", 3.0), ("", 0.0)],
)
def test_weights(weight: str, start: float) -> None:
    assert smokers(f"{weight} Smokes(x)").evidence[0].weight == Learned(start)


def test_a_comparison_may_come_first() -> None:
    (evidence,) = smokers("3 < n v !Age(x, n) v Smokes(x)").evidence
    assert evidence.weight == Learned(0.0)
    assert Comparison(Constant(3), "<", Variable("n")) in walk(evidence.formula)


def test_a_period_after_a_number_is_not_part_of_it() -> None:
    (evidence,) = smokers("!Age(x, n) v Smokes(x) v n < 3.").evidence
    assert evidence.weight == Hard()


def test_long_and_flat_formulas_are_fine() -> None:
    assert len(smokers("1 " + " v ".join(["Smokes(x)", "!Cancer(x)"] * 500)).evidence) == 1
    assert shown("1 " + "(" * 500 + "Smokes(x)" + ")" * 500)


def test_formulas_about_evidence_are_left_out_with_a_warning() -> None:
    with pytest.warns(TacitWarning, match="f1"):
        program = smokers("1 Friends(x, y) => Friends(y, x)", "1 Smokes(x)")
    assert [evidence.name for evidence in program.evidence] == ["f2"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Friends", "friends"),
        ("HasWord", "has_word"),
        ("IBMOffice", "ibm_office"),
        ("SameBib2", "same_bib2"),
        ("snake_case", "snake_case"),
        ("Label", "label_"),
        ("P'", "p_"),
    ],
)
def test_names(written: str, name: str) -> None:
    assert table_name(written) == name
    assert table_name(name) == name


def test_files_are_read_by_path(tmp_path: Path) -> None:
    rules, facts = tmp_path / "smoking.mln", tmp_path / "smoking.db"
    rules.write_text(SMOKERS, encoding="utf-8")
    facts.write_text("Friends(Anna, Bob)\r\nSmokes(Bob)\r\n", encoding="utf-8")
    program = read_mln(rules, query=["Smokes", "Cancer"])
    assert program == read_mln(str(rules), query=["Smokes", "Cancer"])
    assert program["f1"].place is not None
    assert program["f1"].place.source == str(rules)
    assert read_db(facts, program)["friends"]
    with pytest.raises(BadFile, match="absent"):
        read_mln(tmp_path / "absent.mln")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="Ab x(),!^v=><.\"'1+*/#{}\n", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(TacitError, TacitWarning):
        read_mln("A(b)\nB(b, b)\n" + text, query=["A"])


PIECES = [
    *("Smokes(x)", "Friends(x,y)", "EXIST y ", "FORALL x ", "x = y", "1.5 "),
    *("!", "^", " v ", "=>", "<=>", "(", ")", ".", "\n"),
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_what_is_read_can_be_parsed_again(pieces: list[str]) -> None:
    try:
        program = smokers("".join(pieces))
    except (TacitError, TacitWarning):
        return
    assert Program.parse(program.show()) == program
