"""What a mistake in a program is told: the thing, the place and the remedy."""

import pytest

from tacit.errors import (
    ArityMismatch,
    BadFormula,
    BadWeight,
    DuplicateName,
    ProgramSyntaxError,
    SeveralErrors,
    TacitError,
    TypeMismatch,
    UnknownLabel,
    UnknownPredicate,
    UnsafeFormula,
)
from tacit.logic import (
    Atom,
    Constant,
    Evidence,
    Expect,
    Fixed,
    LabelFunction,
    LabelIs,
    LabelOf,
    Learned,
    Normal,
    Observed,
    Program,
    Variable,
    parse,
    read,
)

HEAD = "label sentiment(review) = neg | pos\nobserved token(review, word)\n"
LINE = HEAD.count("\n") + 1
GOOD = 'token(r, "superb") => sentiment(r) = pos'

CASES = [
    (f"a: 2.2 {GOOD} extra", ProgramSyntaxError, "extra", None),
    (f"a: {GOOD}", ProgramSyntaxError, "token", "write a weight"),
    ("a: 2.2 token(r, superb", ProgramSyntaxError, " ", ")"),
    ('a: 2.2 token(r, "superb) => sentiment(r) = pos', ProgramSyntaxError, '"', "never closed"),
    ("a: 2.2 token(r, w) =>", ProgramSyntaxError, "", "expected a formula"),
    (f"nan: 2.2 {GOOD}", ProgramSyntaxError, ":", None),
    (f"a: nan {GOOD}", BadWeight, "nan", "finite"),
    (f"a: -inf {GOOD}", BadWeight, "-inf", "finite"),
    (f"a: 1e999 {GOOD}", BadWeight, "1e999", "finite"),
    (f"a: expect 1.5: {GOOD}", BadWeight, "expect 1.5:", "0 to 1"),
    (f"a: 1 ~ 0 +- 0 {GOOD}", BadWeight, "~ 0 +- 0", None),
    ("a: 1 tokn(r, w) => sentiment(r) = pos", UnknownPredicate, "tokn", "did you mean 'token'?"),
    ("a: 1 token(r, w) => sentimnt(r) = pos", UnknownPredicate, "sentimnt", "'sentiment'"),
    ("a: 1 token(r, w) => sentiment(r) = postive", UnknownLabel, "postive", "'pos'"),
    ('a: 1 token(r, w) => sentiment(r) = "POS"', UnknownLabel, '"POS"', "'pos'"),
    ("a: 1 token(r) => sentiment(r) = pos", ArityMismatch, "token(r)", "token(review, word)"),
    ("a: 1 token(r, w) => sentiment(r, w) = pos", ArityMismatch, "sentiment(r, w)", None),
    ("a: 1 token(r, r) => sentiment(r) = pos", TypeMismatch, "r", "two variables"),
    ('a: 1 !token(r, "x") => sentiment(r) = pos', UnsafeFormula, "r", "review(r)"),
    ("a: 1 token(r, w) => sentiment(s) = pos", UnsafeFormula, "s", "review(s)"),
    ("a: 1 token(r, w) & n < 3 => sentiment(r) = pos", UnsafeFormula, "n", "add a fact"),
    ('a: 1 token(r, "x") | sentiment(r) = pos', UnsafeFormula, "r", "review(r)"),
    ("a: 1 * k token(r, w) => sentiment(r) = pos", UnsafeFormula, "k", "numeric argument"),
    ("a: 1 token(r, w) => token(r, w)", BadFormula, "a", "=> sentiment(r) = pos"),
    (f"a: 1 {GOOD} | sentiment(r) != pos", BadFormula, "a", None),
    ("a: 1 token(r, w) => sentiment(r)", BadFormula, "sentiment(r)", "compare it"),
    ("a: 1 token(r, w) = pos => sentiment(r) = pos", BadFormula, "token(r, w)", "!token"),
    ("a: 1 token(r, w) => sentiment(r) < pos", BadFormula, "sentiment(r) < pos", "use = or !="),
    ("a: 1 token(r, w) => exists s: sentiment(r) = pos", UnsafeFormula, "s", None),
    (
        'a: 1 token(r, "x") & token(s, "y") => sentiment(r) = sentiment(s)',
        UnsafeFormula,
        "s",
        "both",
    ),
    ("observed token(review)", DuplicateName, "token", "keep one"),
    ("label other(review) = a | a", DuplicateName, "other", None),
    ("label hard(review) = a | b", BadFormula, "hard", "reserved word"),
    ("nonsense", ProgramSyntaxError, "", None),
]


@pytest.mark.parametrize(("line", "kind", "underlined", "remedy"), CASES)
def test_one_mistake_one_message(
    line: str, kind: type[TacitError], underlined: str, remedy: str | None
) -> None:
    with pytest.raises(kind) as caught:
        parse(HEAD + line, "rules.tacit")
    error = caught.value
    assert type(error) is kind
    assert error.place is not None
    assert (error.place.source, error.place.line) == ("rules.tacit", LINE)
    start = error.place.column - 1
    if underlined.strip():
        assert line[start : start + error.place.width] == underlined
    if remedy is not None:
        assert remedy in (error.remedy or "")
    shown = str(error).split("\n")
    assert "^" in shown[-1]
    assert line.strip() in shown[-2]


def test_the_caret_stands_under_the_word() -> None:
    with pytest.raises(UnknownLabel) as caught:
        parse(HEAD + "praise: 2.2  token(r, w) => sentiment(r) = postive", "rules.tacit")
    assert str(caught.value) == (
        "UnknownLabel: formula 'praise' uses label 'postive'; sentiment has: neg, pos\n"
        "  rules.tacit:3   praise: 2.2  token(r, w) => sentiment(r) = postive\n"
        "                                                             ^^^^^^^  did you mean 'pos'?"
    )


def test_five_mistakes_are_five_messages_in_one_go() -> None:
    text = HEAD + (
        "observed near(review, review\n"  # never closed; its uses are not blamed
        f"a: 2.2 {GOOD} )\n"
        "b: 2.2 tokn(r, w) => sentiment(r) = pos\n"
        "agree: 1 near(r, s) => sentiment(r) = sentiment(s)\n"
        "c: nan token(r, w) => sentiment(r) = pos\n"
        "d: 2.2 sentiment(r) = sentiment(s)\n"
        f"good: 2.2 {GOOD}\n"
    )
    reading = read(text, "rules.tacit")
    assert [type(problem) for problem in reading.problems] == [
        ProgramSyntaxError,
        ProgramSyntaxError,
        UnknownPredicate,
        BadWeight,
        UnsafeFormula,
        UnsafeFormula,
    ]
    assert [p.place.line for p in reading.problems if p.place] == [3, 4, 5, 7, 8, 8]
    assert [evidence.name for evidence in reading.program.evidence] == ["good"]
    with pytest.raises(SeveralErrors) as caught:
        parse(text)
    assert str(caught.value).count("^") >= 6


def test_two_formulas_of_one_name() -> None:
    with pytest.raises(DuplicateName, match="two formulas are called 'a'"):
        parse(HEAD + f"a: 1 {GOOD}\na: 2 {GOOD}")


Y = LabelFunction("y", "item", ("no", "yes"))
I = Variable("i")
IS = LabelIs(LabelOf("y", I), Constant("yes"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Learned(float("nan")),
        lambda: Fixed(float("inf")),
        lambda: Learned("2"),  # type: ignore[arg-type]
        lambda: Expect(-0.1),
        lambda: Normal(0.0, -1.0),
        lambda: Evidence("f", IS, Fixed(1.0), Normal(0.0, 1.0)),
        lambda: Variable("a b"),
        lambda: Variable("hard"),
        lambda: Atom("p", ()),
        lambda: Atom("p", ("x",)),  # type: ignore[arg-type]
        lambda: Constant(float("nan")),
        lambda: Constant(None),  # type: ignore[arg-type]
        lambda: LabelFunction("y", "item", ()),
        lambda: Observed("p", ()),
        lambda: IS & "text",  # type: ignore[operator]
        lambda: Program((Y,), (Evidence("f", IS, Learned(1)), Evidence("f", IS, Learned(1)))),
        lambda: Program((Y,), (Evidence("f", Atom("p", (I,)) >> IS, Learned(1.0)),)),
        lambda: Program(
            (Y,), (Evidence("f", LabelIs(LabelOf("y", I), Variable("yes")), Learned(1.0)),)
        ),
    ],
)
def test_nodes_are_checked_at_birth(make: object) -> None:
    with pytest.raises(TacitError):
        make()  # type: ignore[operator]


def test_nodes_combine_like_text() -> None:
    atom = Atom("p", (I,))
    program = Program(
        (Y, Observed("p", ("item",))),
        (Evidence("f", (atom & ~Atom("p", (Constant("a"),))) >> (IS | ~IS & atom), Learned(1.0)),),
    )
    assert parse(program.show()) == program
    assert 'p(i) & !p("a") => y(i) = yes | y(i) != yes & p(i)' in program.show()


def test_a_program_grows_by_making_a_larger_one() -> None:
    program = parse(HEAD + f"a: 1 {GOOD}")
    larger = program.with_evidence(Evidence("b", program["a"].formula, Learned(2.0)))
    assert [e.name for e in program.evidence] == ["a"]
    assert [e.name for e in larger.evidence] == ["a", "b"]
    assert larger.without("b") == program
    assert program + Program(program.declarations) == program
    with pytest.raises(TacitError, match="no formula 'c'; it has: a, b"):
        larger.without("c")


@pytest.mark.parametrize("labels", [(), ("",), (" ",), ("a", "a"), (1,)])
def test_label_functions_take_just_what_label_spaces_take(labels: tuple[str, ...]) -> None:
    with pytest.raises(TacitError, match="label function 'y': "):
        LabelFunction("y", "item", labels)
