"""Normal forms against the definition of truth, and the shapes that they promise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import BadFormula, Place
from tacit.logic.formula import (
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Formula,
    Iff,
    Implies,
    LabelIs,
    LabelOf,
    Not,
    Or,
    SameLabel,
    Truth,
    Value,
    Variable,
)
from tacit.logic.normal import NormalForm, normal_form, simplify
from tacit.logic.traverse import is_hidden, walk
from tests.logic.strategies import bindings, formulas, small_formulas, worlds
from tests.oracles.semantics import World, holds

R, S, N, M = Variable("r"), Variable("s"), Variable("n"), Variable("m")


def fact(name: str, *terms: Variable | Constant) -> Atom:
    return Atom(name, terms or (R,))


def label(value: str, item: Variable = R, name: str = "y") -> LabelIs:
    return LabelIs(LabelOf(name, item), Constant(value))


def as_formula(form: NormalForm) -> Formula:
    """The formula that a normal form stands for."""
    conditions: list[Formula] = [And((Truth(True), Truth(True), *guard)) for guard in form.guards]
    return Implies(Or((Truth(False), Truth(False), *conditions)), form.hidden)


@settings(max_examples=150, deadline=None)
@given(small_formulas(), worlds(), bindings())
def test_simplify_keeps_the_truth(
    formula: Formula, world: World, binding: dict[str, Value]
) -> None:
    assert holds(simplify(formula), world, binding) == holds(formula, world, binding)


@settings(max_examples=150, deadline=None)
@given(small_formulas(), worlds(), bindings())
def test_normal_form_keeps_the_truth(
    formula: Formula, world: World, binding: dict[str, Value]
) -> None:
    form = as_formula(normal_form(formula))
    assert holds(form, world, binding) == holds(formula, world, binding)


@settings(max_examples=150, deadline=None)
@given(formulas())
def test_simplify_is_idempotent(formula: Formula) -> None:
    simple = simplify(formula)
    assert simplify(simple) == simple


@settings(max_examples=150, deadline=None)
@given(formulas())
def test_simplified_formulas_are_in_negation_normal_form(formula: Formula) -> None:
    simple = simplify(formula)
    for node in walk(simple):
        assert not isinstance(node, Implies | Iff)
        if isinstance(node, Not):
            assert isinstance(node.part, Atom | LabelIs | SameLabel)
        if isinstance(node, And | Or):
            assert not any(isinstance(part, type(node) | Truth) for part in node.parts)
            assert len(set(node.parts)) == len(node.parts)
        if isinstance(node, Truth):
            assert node is simple or any(
                isinstance(other, Count) and other.body is node for other in walk(simple)
            )


@settings(max_examples=150, deadline=None)
@given(formulas())
def test_guards_hold_observed_literals_only(formula: Formula) -> None:
    form = normal_form(formula)
    for literal in (literal for guard in form.guards for literal in guard):
        assert isinstance(literal, Atom | Not | Comparison | Count)
        assert not is_hidden(literal)
    assert simplify(form.hidden) == form.hidden
    assert is_hidden(form.hidden) or form.hidden == Truth(False)


def test_a_rule_is_one_guard_and_a_label() -> None:
    few = Comparison(N, "<", Constant(3))
    token = fact("token", R, Constant("x"))
    rule = Implies(And((token, Not(fact("b")), few)), label("pos"))
    assert normal_form(rule) == NormalForm(((token, Not(fact("b")), few),), label("pos"))


def test_labels_of_the_condition_stay_hidden() -> None:
    args, mention = fact("args", R, S), fact("mention_of", R, M)
    linked = Implies(And((args, mention, label("yes"))), label("yes", M, "link"))
    hidden = Or((Not(label("yes")), label("yes", M, "link")))
    assert normal_form(linked) == NormalForm(((args, mention),), hidden)


def test_a_prior_has_the_guard_that_always_holds() -> None:
    assert normal_form(label("pos")) == NormalForm(((),), label("pos"))


def test_alternatives_in_the_condition_are_guards_of_their_own() -> None:
    rule = Implies(And((fact("a"), Or((fact("b"), fact("c"))))), label("pos"))
    guards = ((fact("a"), fact("b")), (fact("a"), fact("c")))
    assert normal_form(rule) == NormalForm(guards, label("pos"))


def test_a_formula_about_evidence_only_has_nothing_hidden() -> None:
    rule = Implies(fact("a"), fact("b"))
    assert normal_form(rule) == NormalForm(((fact("a"), Not(fact("b"))),), Truth(False))
    assert normal_form(Truth(True)) == NormalForm((), Truth(False))
    assert normal_form(Truth(False)) == NormalForm(((),), Truth(False))


def test_an_impossible_condition_has_no_guards() -> None:
    rule = Implies(And((fact("a"), Not(fact("a")))), label("pos"))
    assert normal_form(rule) == NormalForm((), Truth(False))


def test_a_conjunction_is_not_taken_apart() -> None:
    both = And((fact("a"), label("pos")))
    assert normal_form(both) == NormalForm(((),), both)


def test_a_quantified_condition_stays_one_literal() -> None:
    some = Count("atleast", 1, (S,), fact("near", R, S))
    assert normal_form(Implies(some, label("pos"))).guards == ((some,),)
    none = Count("atmost", 0, (S,), fact("near", R, S))
    assert normal_form(Implies(Not(some), label("pos"))).guards == ((none,),)


def test_an_inner_variable_is_not_taken_for_the_outer_one() -> None:
    inner = Count("atleast", 1, (R,), fact("a"))
    rule = Implies(And((Not(fact("a")), inner)), label("pos"))
    assert normal_form(rule).guards == ((Not(fact("a")), inner),)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (Not(Comparison(N, "<", M)), Comparison(N, ">=", M)),
        (Not(Comparison(N, "=", M)), Comparison(N, "!=", M)),
        (Comparison(N, "=", N), Truth(True)),
        (Comparison(N, "<", Variable("n", per_value=True)), Truth(False)),
        (Comparison(Constant(2), "<", Constant(10)), Truth(True)),
        (Comparison(Constant("2"), "<", Constant("10")), Truth(False)),
        (Comparison(Constant("2"), "=", Constant(2)), Truth(False)),
        (Comparison(Constant("2"), "!=", Constant(2)), Truth(True)),
        (
            Comparison(Constant("2"), "<", Constant(3)),
            Comparison(Constant("2"), "<", Constant(3)),
        ),
        (And((fact("a"), fact("a"))), fact("a")),
        (And((fact("a"), And((fact("b"), fact("a"))))), And((fact("a"), fact("b")))),
        (And((fact("a"), Not(fact("a")))), Truth(False)),
        (Or((fact("a"), Not(fact("a")), label("pos"))), Truth(True)),
        (And((Comparison(N, "<", M), Comparison(N, ">=", M))), Truth(False)),
        (And((label("neg"), label("pos"))), Truth(False)),
        (Or((Not(label("neg")), Not(label("pos")))), Truth(True)),
        (Or((label("neg"), label("pos"))), Or((label("neg"), label("pos")))),
        (And((label("neg"), label("pos", S))), And((label("neg"), label("pos", S)))),
        (SameLabel(LabelOf("y", R), LabelOf("y", R)), Truth(True)),
        (
            SameLabel(LabelOf("y", R), LabelOf("z", R)),
            SameLabel(LabelOf("y", R), LabelOf("z", R)),
        ),
        (Iff(fact("a"), Truth(True)), fact("a")),
        (Iff(fact("a"), fact("a")), Truth(True)),
    ],
)
def test_what_is_plain_is_folded(formula: Formula, expected: Formula) -> None:
    assert simplify(formula) == expected


@pytest.mark.parametrize(
    ("quantifier", "number", "expected"),
    [
        ("atleast", 0, Truth(False)),
        ("atleast", 2, Count("atmost", 1, (S,), fact("a"))),
        ("atmost", 0, Count("atleast", 1, (S,), fact("a"))),
        ("atmost", 2, Count("atleast", 3, (S,), fact("a"))),
        ("exactly", 0, Count("atleast", 1, (S,), fact("a"))),
        (
            "exactly",
            2,
            Or((Count("atmost", 1, (S,), fact("a")), Count("atleast", 3, (S,), fact("a")))),
        ),
    ],
)
def test_a_negated_count_is_a_count(quantifier: str, number: int, expected: Formula) -> None:
    assert simplify(Not(Count(quantifier, number, (S,), fact("a")))) == expected  # type: ignore[arg-type]


@given(st.sampled_from(["atleast", "atmost", "exactly"]), st.integers(0, 2))
def test_a_count_of_the_impossible_is_a_count_of_none(quantifier: str, number: int) -> None:
    count = Count(quantifier, number, (S,), Truth(False))  # type: ignore[arg-type]
    assert simplify(count) == Truth(holds(count, World({"a": frozenset({("x",)})}), {}))


def test_places_are_kept() -> None:
    here, there = Place("rules.tacit", 3, 5), Place("rules.tacit", 3, 9)
    atom = Atom("a", (R,), place=there)
    assert simplify(Not(Not(atom, place=here))).place == there
    assert simplify(Not(atom, place=here)).place == here
    assert simplify(Not(And((atom, fact("b")), place=here))).place == here
    (guard,) = normal_form(Implies(atom, label("pos"))).guards
    assert guard[0].place == there


def test_too_many_alternatives_are_refused_with_a_remedy() -> None:
    pairs = [Or((fact(f"a{i}"), fact(f"b{i}"))) for i in range(7)]
    with pytest.raises(BadFormula, match="more than 64 alternatives") as caught:
        normal_form(Implies(And(tuple(pairs)), label("pos")))
    assert "split the formula" in str(caught.value)
    assert len(normal_form(Implies(And(tuple(pairs[:6])), label("pos"))).guards) == 64


def test_nested_equivalences_are_refused_before_they_explode() -> None:
    formula: Formula = label("pos")
    for i in range(38):
        formula = Iff(fact(f"a{i}"), formula)
    with pytest.raises(BadFormula, match="too large"):
        simplify(formula)
