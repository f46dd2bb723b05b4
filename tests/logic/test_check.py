"""A program against its data."""

import pytest

import tacit
from tacit.errors import (
    ArityMismatch,
    BadInput,
    DuplicateIds,
    TacitError,
    TypeMismatch,
    UnknownLabel,
    UnknownTable,
)
from tacit.logic import Program, check, examine, parse
from tests.logic.test_language import ONCOLOGY, SENTIMENT

REVIEWS = [{"id": "a", "text": "a superb film"}, {"id": "b", "text": "awful"}]
TABLES = {
    "review": REVIEWS,
    "near": [("a", "b")],
    "seed": [{"word": "awful", "class": "neg"}],
    "gold": [{"review": "a", "class": "pos"}],
    "stars": [{"review": "a", "stars": 5}],
    "listed": [{"review": "a", "words": ["x", "y"]}],
}
HEAD = "label y(review) = neg | pos\nobserved token(review, word)\n"


def task(**changes: object) -> tacit.Task:
    return tacit.Task(TABLES | changes, text="review.text")  # type: ignore[operator]


def test_the_designs_programs_check_against_sample_tables() -> None:
    assert check(parse(SENTIMENT), task()) == ()
    check(parse(ONCOLOGY), tacit.data.sample("oncology").task)
    for name in tacit.data.SAMPLES:
        sample = tacit.data.sample(name)
        assert check(Program.parse(sample.rules), sample.task) == ()


@pytest.mark.parametrize(
    ("text", "changes", "kind", "words"),
    [
        ("observed missing(review)\nf: 1 missing(r) => y(r) = pos", {}, UnknownTable, "missing"),
        ("observed nears(review)\nf: 1 nears(r) => y(r) = pos", {}, UnknownTable, "'near'"),
        (
            "observed near(review, review, n)\nf: 1 near(r, s, n) => y(r) = pos",
            {},
            ArityMismatch,
            "2 columns",
        ),
        (
            "observed listed(review, word)\nf: 1 listed(r, w) => y(r) = pos",
            {},
            BadInput,
            "column 'words'",
        ),
        ("f: 1 token(r, 3) => y(r) = pos", {}, TypeMismatch, "looks for 3 in token.word"),
        (
            'observed stars(review, stars)\nf: 1 stars(r, "5") => y(r) = pos',
            {},
            TypeMismatch,
            "holds integer",
        ),
        (
            'observed stars(review, stars)\nf: 1 stars(r, n) & n > "3" => y(r) = pos',
            {},
            TypeMismatch,
            "compares",
        ),
        (
            "observed stars(review, word)\nf: 1 stars(r, w) & token(r, w) => y(r) = pos",
            {},
            TypeMismatch,
            "joins",
        ),
        ("f: 1 * w token(r, w) => y(r) = pos", {}, TypeMismatch, "not a number"),
        (
            "observed gold(review, class)\nf: 1 gold(r, l) => y(r) = l",
            {"gold": [("a", "positive"), ("b", "neg")]},
            UnknownLabel,
            "'positive'",
        ),
        ("f: 1 y(r) = pos", {"review": [{"id": "a"}, {"id": "a"}]}, DuplicateIds, "rows 1 and 2"),
        (
            'f: 1 token(r, "x") => y(r) = pos',
            {"review": [{"id": 1, "text": "x"}, {"id": 1, "text": "y"}]},
            DuplicateIds,
            "1",
        ),
    ],
)
def test_what_does_not_fit_the_data(
    text: str, changes: dict[str, object], kind: type[TacitError], words: str
) -> None:
    if "review" in changes:
        data = tacit.Task(TABLES | changes)  # type: ignore[operator]
        data = data.with_table("token", [("a", "x")]) if kind is DuplicateIds else data
    else:
        data = task(**changes)
    findings = examine(parse(HEAD + text, "rules.tacit"), data)
    assert [type(error) for error in findings.errors][:1] == [kind]
    error = findings.errors[0]
    assert words in str(error)
    assert error.place is not None
    assert error.place.source == "rules.tacit"


def test_a_missing_label_table_is_one_error_not_many() -> None:
    program = parse("label y(film) = neg | pos\nobserved near(film, film)\nf: 1 y(r) = pos\n")
    findings = examine(program, task())
    assert [type(error) for error in findings.errors] == [UnknownTable]


def test_odd_but_possible_things_are_notes() -> None:
    text = (
        HEAD
        + "observed never(review)\nobserved near(review, review)\nf: 1 near(r, s) => y(r) = y(s)"
    )
    notes = check(parse(text), task(near=[("a", "b"), ("a", "zz")]))
    assert any("never" in note for note in notes)
    assert any("1 of 2 rows of 'near'" in note for note in notes)


def test_integers_and_numbers_join() -> None:
    data = tacit.Task({"item": [1, 2], "score": [{"item": 1.0, "s": 0.5}]})
    program = parse(
        "label y(item) = a | b\nobserved score(item, s)\nf: 1 * s score(i, s) => y(i) = a"
    )
    assert check(program, data) == ()


def test_a_label_value_is_no_cross_product() -> None:
    program = parse(
        HEAD + 'observed seed(word, class)\nf: 1 token(r, "x") & seed("x", l) => y(r) = l'
    )
    assert check(program, task()) == ()
