"""Program text: what can be written, and that it prints back to what it says."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.logic import (
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Expect,
    Fixed,
    Formula,
    Hard,
    Iff,
    Implies,
    LabelIs,
    LabelOf,
    Learned,
    Normal,
    Not,
    Or,
    Origin,
    Program,
    SameLabel,
    Variable,
    parse,
    show_formula,
)
from tests.logic.strategies import programs

SENTIMENT = """
    # sentiment
    label    sentiment(review) = neg | pos
    observed token(review, word)
    observed near(review, review)
    observed seed(word, class)
    observed gold(review, class)
    praise:  2.2   token(r, "superb") => sentiment(r) = pos
    seeds:   2.2   token(r, +w) & seed(w, +l) => sentiment(r) = +l      # + : one weight for each
    agree:   1.0   near(r, s) => sentiment(r) = sentiment(s)
    balance: expect 0.5 +- 0.05: sentiment(r) = pos
    gold:    hard  gold(r, l) => sentiment(r) = l
"""

ONCOLOGY = """
    # precision oncology
    label    treats(candidate) = no | yes
    label    link(mention) = no | yes
    observed args(candidate, drug, gene, variant)
    observed mention_of(candidate, mention)
    observed kb(drug, gene, variant)
    observed looks_like_citation(candidate)
    in_kb:   1.5   args(c, d, g, v) & kb(d, g, v) => treats(c) = yes
    cite:    1.0   looks_like_citation(c) => treats(c) = no             # a Python predicate
    once:    3.0   kb(d, g, v) => exists c: args(c, d, g, v) & treats(c) = yes
    linked:  2.0   args(c, d, g, v) & mention_of(c, m) & treats(c) = yes => link(m) = yes
"""

HEAD = """
label    y(item) = neg | pos | "so-so"
label    z(item) = pos | other
observed p(item)
observed q(item, item)
observed n(item, count)
observed w(item, word)
"""

I, J = Variable("i"), Variable("j")
Y = LabelOf("y", I)
P, POS = Atom("p", (I,)), LabelIs(Y, Constant("pos"))


def formula(text: str) -> Formula:
    return parse(f"{HEAD}\nf: 1 {text}").evidence[0].formula


@pytest.mark.parametrize("text", [SENTIMENT, ONCOLOGY])
def test_the_designs_programs_print_and_parse_back(text: str) -> None:
    program = parse(text)
    assert parse(program.show()) == program
    assert Program.parse(program.show()).show() == program.show()


@given(programs())
@settings(max_examples=100)
def test_every_program_prints_and_parses_back(program: Program) -> None:
    assert parse(program.show()) == program


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(i) => y(i) = pos", Implies(P, POS)),
        ("p(i) & y(i) = pos", And((P, POS))),
        ("p(i) => y(i) != pos", Implies(P, Not(POS))),
        ("p(i) => pos = y(i)", Implies(P, POS)),
        ('p(i) => y(i) = "so-so"', Implies(P, LabelIs(Y, Constant("so-so")))),
        ("p(i) => y(i) = 'so-so'", Implies(P, LabelIs(Y, Constant("so-so")))),
        (
            "q(i, j) => y(i) = z(j)",
            Implies(Atom("q", (I, J)), SameLabel(Y, LabelOf("z", J))),
        ),
        ("p(i) <=> y(i) = pos", Iff(P, POS)),
        (
            "n(i, k) & k >= 3 & k < 1e2 => y(i) = pos",
            Implies(
                And(
                    (
                        Atom("n", (I, Variable("k"))),
                        Comparison(Variable("k"), ">=", Constant(3)),
                        Comparison(Variable("k"), "<", Constant(100.0)),
                    )
                ),
                POS,
            ),
        ),
        (
            "p(i) => atmost 2 j: q(i, j) & y(j) = pos",
            Implies(
                P,
                Count(
                    "atmost",
                    2,
                    (J,),
                    And((Atom("q", (I, J)), LabelIs(LabelOf("y", J), Constant("pos")))),
                ),
            ),
        ),
        (r'w(i, "a \"b\" \u00e9\n") => y(i) = pos', None),
        ("w(i, '#') => y(i) = pos  # a comment with \"quotes\"", None),
    ],
)
def test_what_formulas_mean(text: str, expected: Formula | None) -> None:
    found = formula(text)
    if expected is not None:
        assert found == expected
    assert formula(show_formula(found)) == found


def test_operators_bind_as_in_logic() -> None:
    assert formula("p(i) & y(i) = pos | p(i) & z(i) = pos => y(i) = neg") == Implies(
        Or((And((P, POS)), And((P, LabelIs(LabelOf("z", I), Constant("pos")))))),
        LabelIs(Y, Constant("neg")),
    )
    chained = formula("p(i) => y(i) = pos => z(i) = pos")
    assert isinstance(chained, Implies)
    assert isinstance(chained.conclusion, Implies)
    assert formula("p(i) & !p(i) | y(i) = pos") == Or((And((P, Not(P))), POS))


def test_a_quantifier_reaches_to_the_end_unless_bracketed() -> None:
    whole = formula("p(i) => exists j: q(i, j) & y(j) = pos | q(j, i) & y(i) = pos")
    part = formula("p(i) => (exists j: q(i, j) & y(j) = pos) | y(i) = pos")
    assert isinstance(whole, Implies)
    assert isinstance(whole.conclusion, Count)
    assert isinstance(part, Implies)
    assert isinstance(part.conclusion, Or)
    assert formula(show_formula(part)) == part


@pytest.mark.parametrize(
    ("strength", "weight", "prior", "scale"),
    [
        ("2.2", Learned(2.2), None, None),
        ("-1e-3", Learned(-0.001), None, None),
        ("2.2!", Fixed(2.2), None, None),
        ("hard", Hard(), None, None),
        ("expect 0.5:", Expect(0.5), None, None),
        ("expect 0.5 +- 0.05:", Expect(0.5, 0.05), None, None),
        ("2.2 ~ 1 +- 0.5", Learned(2.2), Normal(1.0, 0.5), None),
        ("1.0 * k", Learned(1.0), None, Variable("k")),
        ("1.0! * k", Fixed(1.0), None, Variable("k")),
        ("1.0 * k ~ 1 +- 2", Learned(1.0), Normal(1.0, 2.0), Variable("k")),
    ],
)
def test_weights(strength: str, weight: object, prior: object, scale: object) -> None:
    program = parse(f"{HEAD}\nf: {strength} n(i, k) => y(i) = pos")
    (evidence,) = program.evidence
    assert (evidence.weight, evidence.prior, evidence.scale) == (weight, prior, scale)
    assert parse(program.show()) == program


def test_a_fixed_weight_is_not_a_negation() -> None:
    program = parse(f"{HEAD}\na: 2! p(i) => y(i) = pos\nb: 2 !p(i) & q(i, i) => y(i) = pos")
    assert program["a"].weight == Fixed(2.0)
    assert program["b"].weight == Learned(2.0)


def test_origins_stay_with_their_line() -> None:
    text = 'f: 2.2 p(i) => y(i) = pos  @ sst round=3 score=0.91 by="a person"'
    program = parse(f"{HEAD}\n{text}")
    facts = (("round", 3), ("score", 0.91), ("by", "a person"))
    assert program["f"].origin == Origin("sst", facts)
    assert parse(program.show()) == program


def test_statements_go_on_over_lines() -> None:
    program = parse(
        f"{HEAD}\nf: 2.2 p(i) &\n  q(i,   # the pair\n j)\n  => y(i) = pos\n"
        "2.2 p(i) => y(i) = neg\nobserved last(item)"
    )
    assert [evidence.name for evidence in program.evidence] == ["f", "rule1"]
    assert "last" in program.observed


def test_a_label_is_a_constant_wherever_it_stands() -> None:
    text = "observed gold(item, class)\nf: 1 gold(i, pos) => y(i) = pos"
    (evidence,) = parse(HEAD + text).evidence
    assert evidence.formula == Implies(Atom("gold", (I, Constant("pos"))), POS)


def test_windows_line_ends_and_tabs() -> None:
    assert parse(SENTIMENT.replace("\n", "\r\n").replace("   ", "\t")) == parse(SENTIMENT)


# -- anything at all ------------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["label", "observed", "y(i)", "=", "pos", "|", "&", "=>", "<=>", "!", "(", ")", "exists", "i:"]
    + ["atmost", "2", "2.2!", "hard", "expect", "+-", "~", "*", ":", "f:", "+l", '"', "'", "#"]
    + ["p(i)", "q(i, j)", "\n", " ", "@", "nan", "inf", "1e999", "9" * 30, "\\", "é", "\x00", "<"]
)


@given(st.lists(PIECES, max_size=30).map(" ".join) | st.text(max_size=80))
@example("f: 1 " + "(" * 5000)
@example("f: 1 " + "!" * 5000 + "p(i)")
@example("f: 1 " + "p(i) => " * 3000 + "y(i) = pos")
@example("f: 1 " + "exists i: " * 3000 + "p(i)")
@example("f: 1 " + "!(" * 39 + "p(i)" + ")" * 39)
@settings(max_examples=200)
def test_the_parser_answers_a_program_or_an_error(text: str) -> None:
    try:
        program = parse(HEAD + text)
    except TacitError as error:
        assert str(error)
        assert error.as_dict()["message"]
    else:
        assert parse(program.show()) == program


@given(st.data())
@settings(max_examples=200)
def test_a_damaged_program_is_reported_with_its_place(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(SENTIMENT) - 1))
    text = SENTIMENT[:at] + data.draw(PIECES | st.just("")) + SENTIMENT[at + 1 :]
    try:
        parse(text, "rules.tacit")
    except TacitError as error:
        problems = getattr(error, "errors", [error])
        assert all(problem.place is not None for problem in problems)
        assert "rules.tacit:" in str(error)
