"""Ready forms: what each says in program text, and what it refuses."""

from __future__ import annotations

import math

import pytest

from tacit.data import Task
from tacit.errors import (
    ArityMismatch,
    BadInput,
    BadWeight,
    TypeMismatch,
    UnknownLabel,
)
from tacit.logic import (
    Atom,
    Constant,
    Fixed,
    Hard,
    Learned,
    Observed,
    Program,
    Variable,
    check,
)
from tacit.logic.facts import at_least_one, at_most_one, how_many, knowledge_base
from tacit.logic.forms import agreement, class_prior, expectation, label
from tacit.logic.knowledge import Knowledge, assemble

SENTIMENT = label("sentiment", on="review", labels=["neg", "pos"])
TREATS = label("treats", on="candidate", labels=["no", "yes"])
KB = Observed("kb", ("drug", "gene", "variant"))
ARGS = Observed("args", ("candidate", "drug", "gene", "variant"))
REVIEWS = {"id": ["r1", "r2"], "text": ["superb", "awful"]}


def program_of(knowledge: Knowledge) -> Program:
    """The program of some knowledge alone, after a round through its text."""
    program = Program(knowledge.declarations, knowledge.evidence)
    assert Program.parse(program.show()) == program
    return program


def assert_says(knowledge: Knowledge, text: str) -> None:
    """The knowledge is, node for node, what the text parses to."""
    assert program_of(knowledge) == Program.parse(text)


def test_label_refuses_one_text_for_many() -> None:
    assert SENTIMENT.labels == ("neg", "pos")
    with pytest.raises(BadInput, match="give a list"):
        label("sentiment", on="review", labels="pos")


def test_knowledge_base() -> None:
    knowledge = knowledge_base(KB, ARGS, label=TREATS, value="yes", negative="no")
    assert_says(
        knowledge,
        """
        label    treats(candidate) = no | yes
        observed args(candidate, drug, gene, variant)
        observed kb(drug, gene, variant)
        in_kb:     1.5  args(c, d, g, v) & kb(d, g, v) => treats(c) = yes
        not_in_kb: 1.0  args(c, d, g, v) & !kb(d, g, v) => treats(c) = no
        """,
    )
    one_declared = knowledge_base(KB, "args", label=TREATS, value="yes", negative="no")
    assert one_declared == knowledge
    assert knowledge_base("kb", ARGS, label=TREATS, value="yes", negative="no") == knowledge


def test_knowledge_base_by_names() -> None:
    knowledge = knowledge_base("kb", "args", label=TREATS, value="yes", arity=2, name="known")
    assert_says(
        knowledge,
        """
        label    treats(candidate) = no | yes
        observed args(candidate, argument1, argument2)
        observed kb(argument1, argument2)
        known: 1.5  args(c, a, a2) & kb(a, a2) => treats(c) = yes
        """,
    )
    with pytest.raises(BadInput, match="arity="):
        knowledge_base("kb", "args", label=TREATS, value="yes")


def test_knowledge_base_must_fit_its_arguments() -> None:
    with pytest.raises(ArityMismatch, match="one argument more"):
        knowledge_base(KB, Observed("args", ("candidate", "drug")), label=TREATS, value="yes")
    swapped = Observed("args", ("candidate", "gene", "drug", "variant"))
    with pytest.raises(TypeMismatch, match=r"args\(candidate, drug, gene, variant\)"):
        knowledge_base(KB, swapped, label=TREATS, value="yes")
    with pytest.raises(UnknownLabel, match="did you mean 'yes'"):
        knowledge_base(KB, ARGS, label=TREATS, value="yess")


def test_counts_over_a_tuple() -> None:
    knowledge = (
        at_least_one(KB, ARGS, label=TREATS, value="yes", name="once")
        + at_most_one(KB, ARGS, label=TREATS, value="yes", weight=Hard())
        + how_many("exactly", 2, KB, ARGS, label=TREATS, value="yes", weight=Fixed(1.0))
    )
    assert_says(
        knowledge,
        """
        label    treats(candidate) = no | yes
        observed args(candidate, drug, gene, variant)
        observed kb(drug, gene, variant)
        once:         3.0   kb(d, g, v) => exists c: args(c, d, g, v) & treats(c) = yes
        atmost_1_kb:  hard  kb(d, g, v) => atmost 1 c: args(c, d, g, v) & treats(c) = yes
        exactly_2_kb: 1.0!  kb(d, g, v) => exactly 2 c: args(c, d, g, v) & treats(c) = yes
        """,
    )
    with pytest.raises(BadInput, match="'atleast', 'atmost' or 'exactly'"):
        how_many("about", 2, KB, ARGS, label=TREATS, value="yes")  # type: ignore[arg-type]


def test_class_prior() -> None:
    knowledge = class_prior({"pos": 0.3, "neg": 0.7}, label=SENTIMENT)
    assert_says(
        knowledge,
        f"""
        label sentiment(review) = neg | pos
        prior_neg: {math.log(0.7)!r}!  sentiment(r) = neg
        prior_pos: {math.log(0.3)!r}!  sentiment(r) = pos
        """,
    )


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"pos": 0.3}, "leaves out: neg"),
        ({"pos": 0.3, "neg": 0.6}, "sums to 0.9"),
        ({"pos": 1.0, "neg": 0.0}, "no chance"),
        ({"pos": 1.5, "neg": -0.5}, "from 0 to 1"),
        ({"pos": math.nan, "neg": 0.5}, "from 0 to 1"),
        ({"pos": "0.5", "neg": 0.5}, "from 0 to 1"),
        ({}, "give a dict"),
        ([0.3, 0.7], "give a dict"),
    ],
)
def test_class_prior_refuses(shares: dict[str, float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        class_prior(shares, label=SENTIMENT)


def test_agreement_over_a_declared_relation() -> None:
    assert_says(
        agreement("near", label=SENTIMENT),
        """
        label    sentiment(review) = neg | pos
        observed near(review, review)
        agree_near: 1.0  near(r, r2) => sentiment(r) = sentiment(r2)
        """,
    )
    with pytest.raises(TypeMismatch, match=r"near\(review, review\)"):
        agreement(Observed("near", ("review", "word")), label=SENTIMENT)


def test_agreement_over_pairs() -> None:
    task = Task({"review": REVIEWS})
    knowledge = agreement("near", [("r1", "r2")], label=SENTIMENT, weight=0.5, name="agree")
    task, program = assemble(task, knowledge)
    assert check(program, task) == ()
    assert task.table("near").arrow.to_pylist() == [{"c0": "r1", "c1": "r2"}]
    with pytest.raises(ArityMismatch, match="3 columns"):
        agreement("near", [("r1", "r2", 0.5)], label=SENTIMENT)


def test_expectation() -> None:
    assert_says(
        expectation({"pos": 0.5}, margin=0.05, label=SENTIMENT),
        """
        label sentiment(review) = neg | pos
        expect_pos: expect 0.5 +- 0.05: sentiment(r) = pos
        """,
    )


def test_expectation_given_a_condition() -> None:
    given = Atom("token", (Variable("x"), Constant("superb")))
    token = Knowledge((SENTIMENT, Observed("token", ("review", "word"))))
    assert_says(
        token + expectation({"pos": 0.9}, label=SENTIMENT, given=given),
        """
        label    sentiment(review) = neg | pos
        observed token(review, word)
        expect_pos: expect 0.9: token(x, "superb") => sentiment(x) = pos
        """,
    )
    two = Atom("token", (Variable("x"), Variable("w")))
    with pytest.raises(BadInput, match="item="):
        expectation({"pos": 0.9}, label=SENTIMENT, given=two)
    assert program_of(token + expectation({"pos": 0.9}, label=SENTIMENT, given=two, item="x"))


def test_expectation_refuses_what_cannot_be() -> None:
    with pytest.raises(BadInput, match=r"sum to 1\.4"):
        expectation({"pos": 0.7, "neg": 0.7}, label=SENTIMENT)
    with pytest.raises(BadInput, match=r"sum to 0\.4"):
        expectation({"pos": 0.2, "neg": 0.2}, label=SENTIMENT)
    assert expectation({"pos": 0.7, "neg": 0.5}, 0.1, label=SENTIMENT)
    with pytest.raises(UnknownLabel):
        expectation({"poss": 0.7}, label=SENTIMENT)


def test_weights_may_be_numbers_or_weights() -> None:
    numpy = pytest.importorskip("numpy", reason="NumPy's numbers are no Python floats")
    for given in (2, numpy.float32(2.0), numpy.int64(2), Learned(2.0)):
        knowledge = agreement("near", label=SENTIMENT, weight=given)
        assert program_of(knowledge).evidence[0].weight == Learned(2.0)
    for wrong in ("2", True, None):
        with pytest.raises(BadWeight):
            agreement("near", label=SENTIMENT, weight=wrong)  # type: ignore[arg-type]
