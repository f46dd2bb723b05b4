"""Every shape of formula against nested loops, on tables made to tell right from nearly right."""

from __future__ import annotations

from typing import Any

import pytest

from tests.grounding.small import HEADER, check

NUMBERS = {"like": [("a", "b", 0.25), ("a", "b", 0.5), ("b", "a", 0.5), ("a", "c", 1.0)]}
LOST = {"near": [("a", "b"), ("a", "lost"), ("lost", "c"), ("b", "c")]}

PLAIN = [
    'says(r, "u") => y(r) = pos',
    "y(r) = pos",
    "y(r) = pos => z(r) = yes",
    "seen(r) & y(r) = pos",
    "near(r, s) => y(r) = y(s)",
    "near(r, s) => y(r) = z(s)",
    "item(r) & item(s) => y(r) = y(s)",
    "near(r, s) & !far(s, r) => y(r) = y(s)",
    "near(r, s) & near(s, t) => y(r) = pos | y(s) = pos | z(t) = no",
    "item(r) => (seen(r) <=> y(r) = pos)",
    "near(r, s) & r != s & s < t & near(s, t) => y(r) = y(t)",
    "gold(r, l) => y(r) = l",
    "gold(r, +l) => y(r) = l",
    "says(r, +w) => y(r) = +l",
    "says(r, +w) => (y(r) = pos <=> z(r) = +l)",
    "item(r) & (exists w: says(r, w)) => y(r) = pos",
    "item(r) & (atmost 1 w: says(r, w)) => y(r) = pos",
    "item(r) & (exactly 2 s: near(r, s)) => y(r) = pos",
    'y("a") = pos',
    'near("a", s) => y("a") = y(s)',
]
GROUPS = [
    "item(r) => exists s: near(r, s) & y(s) = pos",
    "exists s: item(s) & y(s) = pos",
    "atmost 1 s: item(s) & y(s) = pos",
    "exactly 2 s: item(s) & y(s) != pos",
    "item(r) => exactly 1 s: near(r, s) & y(s) = pos",
    "item(r) => atleast 2 s: near(r, s) & y(s) = pos",
    "item(r) => !(exists s: near(r, s) & y(s) = pos)",
    "item(r) & y(r) = pos => exists s: near(r, s) & y(s) = pos",
    "seen(r) & (atmost 1 s: near(r, s) & y(s) = pos)",
    "item(r) => atmost 1 s, w: near(r, s) & says(s, w) & y(s) = pos",
    "item(r) => exists r: near(r, r) & y(r) = pos",
    "says(r, +w) => exists s: near(r, s) & y(s) = pos",
    "item(r) => exists s, l: near(r, s) & gold(s, l) & y(s) = l",
    "near(r, q) => exactly 1 s: near(r, s) & s != q & y(s) = pos",
]


@pytest.mark.parametrize("formula", [*PLAIN, *GROUPS])
@pytest.mark.parametrize("tables", [{}, LOST], ids=["whole", "dangling"])
def test_ground_factors_equal_nested_loops(formula: str, tables: dict[str, Any]) -> None:
    check(f"e: 1.0 {formula}", **tables)


@pytest.mark.parametrize(
    "formula",
    [
        "(near(r, s) | far(r, s)) => y(r) = pos",
        "(near(r, s) | far(r, s)) => y(r) = y(s)",
        "(near(s, t) | far(s, t)) & item(r) => y(s) = pos",
        "(like(r, s, n) & n < 0.3 | like(r, s, n) & n > 0.4) => y(r) = y(s)",
        '(seen(r) | near(r, r)) => (y(r) = pos <=> says(r, "u"))',
        "(near(r, s) | far(s, r)) => exists t: near(r, t) & y(t) = pos",
    ],
)
def test_alternatives_count_each_binding_once(formula: str) -> None:
    check(f"e: 1.0 {formula}", **NUMBERS)


@pytest.mark.parametrize(
    "formula",
    [
        "exists s: near(r, s) & y(s) = pos",
        "atmost 1 s: near(r, s) & y(s) = pos",
        "!(exists s: near(r, s) & y(s) = pos)",
        "says(r, w) & y(r) = pos | says(r, w) & z(r) = yes",
        "(says(r, w) => y(r) = pos) & (says(r, w) => z(r) = yes)",
        "(near(r, r) => y(r) = pos) & !seen(r)",
    ],
)
def test_variables_that_only_the_hidden_part_binds(formula: str) -> None:
    check(f"e: 1.0 {formula}", near=[("a", "b"), ("a", "c"), ("b", "c"), ("b", "b")])


@pytest.mark.parametrize("formula", ['r != "a" => y(r) = pos', '(r = "a" | r = "b") => y(r) = pos'])
def test_priors_over_some_of_the_instances(formula: str) -> None:
    check(f"e: 1.0 {formula}")


@pytest.mark.parametrize(
    "formula",
    [
        "seen(r) => y(r) = pos & y(r) = neg",
        "seen(r) & y(r) = y(r)",
        "seen(r) => y(r) != y(r)",
        "says(r, +w) => y(r) = pos & y(r) = neg",
        "exists r: seen(r) & y(r) = y(r)",
    ],
)
def test_formulas_whose_labels_fold_away_say_nothing(formula: str) -> None:
    factors = check(f"e: 1.0 {formula}")
    assert [*factors.unary, *factors.tables, *factors.groups] == []


@pytest.mark.parametrize(
    "formula",
    [
        "item(r) => y(r) = l | z(r) = l",
        "item(r) & z(r) = l => y(r) = l",
        "item(r) & y(r) = l => z(r) = l",
        "item(r) & z(r) = l => exists s: near(r, s) & y(s) = l",
        "item(r) => exists s: near(r, s) & y(s) = +l",
        "item(r) & z(r) = +l => exists s: near(r, s) & y(s) = l",
    ],
)
def test_label_variables_range_over_every_label_they_are_compared_with(formula: str) -> None:
    check(f"e: 1.0 {formula}")


def test_a_label_variable_inside_a_group_can_come_from_data() -> None:
    check("e: 1.0 gold(r, l) => exists s: near(r, s) & y(s) = l")


@pytest.mark.parametrize(
    "formula",
    [
        "near(r, s_) => exists s: near(r, s) & y(s) = pos",
        'says(r, "u") => exists p0: near(r, p0) & y(p0) = pos',
        'seen(r) => exists s: near(r, s) & y(s) = pos & (exists s: says(s, "v"))',
        'seen(r) => atmost 1 s: near(r, s) & y(s) = pos & (exactly 1 s: says(s, "v"))',
    ],
)
def test_quantified_variables_meet_no_namesake(formula: str) -> None:
    check(f"e: 1.0 {formula}")


@pytest.mark.parametrize(
    "formula",
    [
        "like(r, s, n) => y(r) = pos",
        "like(r, s, n) => y(r) = y(s)",
        "like(r, q, n) => exists s: near(r, s) & y(s) = pos",
        "like(r, q, +n) => atmost 1 s: near(r, s) & y(s) = pos",
    ],
)
def test_a_scaled_grounding_counts_as_its_scale_says(formula: str) -> None:
    check(f"e: 1.0 * n {formula}", **NUMBERS)


def test_a_binding_without_an_instance_is_no_grounding_beside_a_quantifier_either() -> None:
    rule = "near(r, q) & y(q) = pos => exists s: near(r, s) & y(s) = pos"
    factors = check(f"e: 1.0 {rule}", near=[("a", "b"), ("a", "lost")])
    assert sum(len(group.weight) for group in factors.groups) <= 1


def test_names_that_differ_in_case_alone_are_different() -> None:
    check("e: 1.0 (near(x, X) | far(x, X)) => y(x) = pos & y(X) = neg")
    other = HEADER + "observed NEAR(item, item)\n"
    check("e: 1.0 near(x, w) & NEAR(w, x) => y(x) = pos", other, NEAR=[("b", "a")])


def test_rules_alike_but_for_constants_of_different_kinds() -> None:
    rules = [
        "a: 1.0 like(r, s, n) & n < 0.5 => y(r) = pos",
        "b: 1.0 like(r, s, n) & n < 1 => y(r) = pos",
        "c: 1.0 like(r, s, n) & n < 999999999999999999 => y(r) = neg",
        'd: 1.0 says(r, "u") => y(r) = pos',
        'e: 1.0 says(r, "it\'s") => z(r) = yes',
        'f: 1.0 says(r, "v") => z(r) = no',
    ]
    check("\n".join(rules))


def test_equal_numbers_are_one_fact() -> None:
    factors = check("e: 1.0 like(r, s, n) => y(r) = pos", like=[("a", "b", 0.0), ("a", "b", -0.0)])
    assert factors.counts.toarray().sum() == 1


def test_ids_and_columns_of_every_kind() -> None:
    tables: dict[str, Any] = {
        "item": [3, 1, 2],
        "seen": [(1,), (9,), (1,), (None,)],
        "near": [(1, 2), (2, 1), (3, 3), (9, 1)],
        "far": [(1, 2)],
        "says": [(1, True), (2, False), (3, None)],
        "like": [(1, 2, 2), (2, 3, 1)],
        "gold": [(1, "pos"), (2, None), (3, "stray")],
    }
    rules = [
        "a: 1.0 near(r, s) & r < 3 => y(r) = y(s)",
        "b: 1.0 says(r, true) => y(r) = pos",
        "c: 1.0 * n like(r, s, n) => z(r) = z(s)",
        "d: 1.0 gold(r, +l) => y(r) = l",
        "f: 1.0 seen(1) => y(2) = z(3)",
        "g: 1.0 like(r, s, +n) & n > 1.5 => y(r) = pos",
    ]
    check("\n".join(rules), **tables)


def test_whole_numbers_in_data_count_as_labels_of_that_text() -> None:
    header = HEADER + 'label stars(item) = "1" | "2"\n'
    factors = check("e: 1.0 gold(r, l) => stars(r) = l", header, gold=[("a", 1), ("b", 7)])
    assert factors.counts.toarray().sum() == 1


def test_groups_of_several_rules_keep_their_constants_apart() -> None:
    rules = [
        f'{name}: 1.0 near(r, s) => exists t: says(t, "{word}") & near(s, t) & y(t) = {label}'
        for name, word, label in [("a", "u", "pos"), ("b", "v", "neg"), ("c", "u", "neg")]
    ]
    words = [("a", "u"), ("c", "v"), ("b", "u"), ("c", "u")]
    factors = check("\n".join(rules), says=words)
    assert len(factors.parts) == 1
    assert [block.weight.tolist() for block in factors.groups] == [[0, 1, 2]]
