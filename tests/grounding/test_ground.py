"""What grounding promises besides the right counts: queries, names, messages, touches, shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit.data import Task
from tacit.errors import Contradiction, TacitError
from tacit.grounding import ground_factors, touches
from tacit.logic.program import Program
from tests.grounding.small import HEADER, TABLES, check, ground
from tests.oracles.grounding import Oracle, differences, some_assignments


def sql(text: str, **tables: Any) -> str:
    """The one query of a program, in one line."""
    (part,) = ground(text, **tables).parts
    (query,) = part.step.queries
    return " ".join(query.split())


# -- queries ---------------------------------------------------------------------------------------


def test_two_hundred_rules_are_one_query() -> None:
    rules = [
        f'w{i}: 1.0 says(r, "word {i}") => y(r) = {"pos" if i % 2 else "neg"}' for i in range(200)
    ]
    words = [("a", f"word {i}") for i in range(0, 200, 3)]
    factors = check("\n".join(rules), says=words)
    (part,) = factors.parts
    assert len(part.step.queries) == 1
    assert part.step.rows == len(words)
    assert factors.weights.n_weights == 200


def test_the_query_of_a_keyword_rule() -> None:
    query = sql('e: 1.0 says(r, "u") => y(r) = pos')
    assert query.count("JOIN") == 1
    assert "'u'" in query


def test_absence_is_an_anti_join() -> None:
    assert "NOT EXISTS" in sql("e: 1.0 near(r, s) & !far(s, r) => y(r) = y(s)")


def test_alternatives_are_united() -> None:
    assert sql("e: 1.0 (near(r, s) | far(r, s)) => y(r) = y(s)").count("UNION") == 1


# -- merging ---------------------------------------------------------------------------------------


def test_symmetric_pairs_are_one_factor_that_counts_twice() -> None:
    factors = check("e: 1.0 near(r, s) => y(r) = y(s)", near=[("a", "b"), ("b", "a"), ("c", "a")])
    (table,) = factors.tables
    assert table.variables.tolist() == [[0, 1], [0, 2]]
    assert table.count.tolist() == [2.0, 1.0]


def test_pairs_that_are_not_alike_stay_two_factors() -> None:
    pairs = [("a", "b"), ("b", "a")]
    (table,) = check("e: 1.0 near(r, s) & y(r) = pos => y(s) = pos", near=pairs).tables
    assert len(table.variables) == 2


def test_a_pair_of_an_instance_with_itself_says_nothing() -> None:
    factors = check("e: 1.0 near(r, s) => y(r) = y(s)", near=[("a", "a"), ("b", "b")])
    assert not factors.tables
    assert factors.counts.nnz == 0


def test_a_pair_of_an_instance_with_itself_can_become_unary() -> None:
    factors = check("e: 1.0 near(r, s) => y(r) = pos & y(s) = pos", near=[("a", "a"), ("a", "b")])
    (table,) = factors.tables
    assert table.variables.tolist() == [[0, 1]]
    assert factors.counts.toarray()[:, 0].tolist() == [0.0, 1.0] + [0.0] * 13


def test_repeated_rows_are_one_fact_and_rows_with_nulls_are_none() -> None:
    rows = [("a", "u"), ("a", "u"), ("a", None), (None, "u")]
    factors = check("e: 1.0 says(r, w) => y(r) = pos", says=rows)
    assert factors.counts.toarray().sum() == 1


def test_a_label_variable_that_was_folded_away_multiplies_nothing() -> None:
    never = "(y(r) = pos => (y(s) = l => y(r) = l) & r != r)"
    factors = check(f"e: 1.0 near(r, s) => {never}", near=[("a", "b")])
    assert factors.counts.toarray().max() == 1


def test_columns_behind_the_arguments_are_not_read() -> None:
    rows = [("a", "u", 1), ("a", "u", 2), ("b", "u", None)]
    factors = check("e: 1.0 says(r, w) => y(r) = pos", says=rows)
    assert factors.counts.toarray().sum() == 2


def test_sums_of_scales_do_not_depend_on_the_order_of_rows() -> None:
    scales = [0.1, 0.2, 0.3, 0.7, 1e-9, 0.05]
    rows = [("a", s, n) for n in scales for s in ("b", "c")]
    sums = {
        tuple(ground("e: 1.0 * n like(r, s, n) => y(r) = pos", like=order).counts.data.tolist())
        for order in (rows, rows[::-1], sorted(rows, key=lambda row: row[2]))
    }
    assert len(sums) == 1


# -- weights ---------------------------------------------------------------------------------------


def test_weights_are_named_by_their_evidence_and_their_key() -> None:
    weights = ground(
        "e: 1.0 says(r, +w) & gold(r, +l) => y(r) = l\nf: 2.0! seen(r) => y(r) = pos"
    ).weights
    names = [weights.name_of(i) for i in range(weights.n_weights)]
    assert names == ["e[u, neg]", "e[u, pos]", "e[v, pos]", "f"]
    assert weights.start.tolist() == [1.0, 1.0, 1.0, 2.0]
    assert weights.is_learned.tolist() == [True, True, True, False]


def test_a_formula_without_groundings_keeps_its_weight() -> None:
    weights = ground('e: 1.0 says(r, "never") => y(r) = pos').weights
    assert [weights.name_of(i) for i in range(weights.n_weights)] == ["e"]


# -- hard evidence ---------------------------------------------------------------------------------

GOLD = "gold: hard gold(r, l) => y(r) = l"


def test_hard_gold_that_contradicts_itself_names_formula_and_instance() -> None:
    with pytest.raises(Contradiction, match=r"'gold'.*y\('a'\)"):
        ground(GOLD, gold=[("a", "neg"), ("a", "pos")])


def test_two_hard_formulas_that_contradict_each_other_are_both_named() -> None:
    with pytest.raises(Contradiction, match="'gold' and 'other'"):
        ground(GOLD + '\nother: hard says(r, "u") => y(r) = pos', gold=[("a", "neg")])


def test_a_hard_exists_without_members_is_a_contradiction() -> None:
    with pytest.raises(Contradiction, match=r"'once'.*\b1 grounding"):
        ground("once: hard item(r) => exists s: near(r, s) & y(s) = pos")


def test_hard_gold_that_is_no_label_is_a_contradiction() -> None:
    with pytest.raises(Contradiction, match="'gold'"):
        ground(GOLD)  # c is 'stray'


def test_hard_evidence_that_can_hold_is_no_contradiction() -> None:
    check(GOLD, gold=[("a", "neg"), ("b", "pos"), ("a", "neg")])


# -- touches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "groundings", "instances"),
    [
        ("says(r, w) => y(r) = pos", 3, {"y": 2}),
        ("y(r) = pos", 3, {"y": 3}),
        ("near(r, s) => y(r) = z(s)", 3, {"y": 2, "z": 2}),
        ("near(r, s) => y(r) = y(s)", 3, {"y": 3}),
        ("(near(r, s) | far(r, s)) => y(r) = pos", 4, {"y": 3}),
        ("seen(r) & item(q) => y(r) = pos", 3, {"y": 1}),
        ("seen(r) => y(r) = +l", 2, {"y": 1}),
        ('says(r, "never") => y(r) = pos', 0, {"y": 0}),
        ("item(r) => exists s: near(r, s) & y(s) = pos", 3, {"y": 2}),
        ("near(r, q) => atmost 1 s: near(r, s) & y(s) = pos", 3, {"y": 2}),
    ],
)
def test_touches_count_bindings_and_instances(
    formula: str, groundings: int, instances: dict[str, int]
) -> None:
    tables = {**TABLES, "says": [*TABLES["says"], ("b", "u"), ("lost", "u"), (None, "u")]}
    (touch,) = touches(Program.parse(f"{HEADER}e: 1.0 {formula}"), Task(tables))
    assert touch.name == "e"
    assert touch.groundings == groundings
    assert {name: n for name, n in touch.instances.items() if n or name in instances} == instances


def test_touches_come_in_the_order_of_the_program() -> None:
    rules = 'a: 1.0 says(r, "u") => y(r) = pos\nb: 1.0 seen(r) => y(r) = pos\n'
    rules += 'c: 1.0 says(r, "v") => y(r) = pos'
    found = touches(Program.parse(HEADER + rules), Task(TABLES))
    assert [(t.name, t.groundings) for t in found] == [("a", 2), ("b", 1), ("c", 1)]


# -- expectations ----------------------------------------------------------------------------------


def test_an_expectation_is_a_share_of_all_its_groundings() -> None:
    factors = ground("e: expect 0.5: gold(r, l) => y(r) = l")
    (block,) = factors.expectations
    assert block.n_groundings.tolist() == [3.0]
    assert sorted(block.state.tolist()) == [0, 3]
    assert block.count.tolist() == [1.0, 1.0]
    assert factors.counts.nnz == 0


def test_an_expectation_of_a_prior() -> None:
    (block,) = ground("e: expect 0.5 +- 0.05: y(r) = pos").expectations
    assert block.n_groundings.tolist() == [3.0]
    assert block.state.tolist() == [1, 3, 5]


def test_expectations_of_one_shape_keep_apart() -> None:
    rules = 'a: expect 0.5: says(r, "u") => y(r) = pos\nb: expect 0.1: says(r, "v") => y(r) = neg'
    factors = ground(rules)
    total = {
        factors.weights.name_of(int(weight)): float(number)
        for block in factors.expectations
        for weight, number in zip(block.constrained, block.n_groundings, strict=True)
    }
    assert total == {"a": 2.0, "b": 1.0}


def test_an_expectation_of_groups_or_pairs_is_refused() -> None:
    for formula in ("near(r, s) => y(r) = y(s)", "item(r) => exists s: near(r, s) & y(s) = pos"):
        with pytest.raises(TacitError, match="e"):
            ground(f"e: expect 0.5: {formula}")


# -- the design's programs -------------------------------------------------------------------------

SENTIMENT = """
label    sentiment(review) = neg | pos
observed token(review, word)
observed near(review, review)
observed seed(word, class)
observed gold(review, class)
praise:  2.2   token(r, "superb") => sentiment(r) = pos
seeds:   2.2   token(r, +w) & seed(w, +l) => sentiment(r) = +l
agree:   1.0   near(r, s) => sentiment(r) = sentiment(s)
balance: expect 0.5 +- 0.05: sentiment(r) = pos
gold:    hard  gold(r, l) => sentiment(r) = l
"""
ONCOLOGY = """
label    treats(candidate) = no | yes
label    link(mention) = no | yes
observed args(candidate, drug, gene, variant)
observed mention_of(candidate, mention)
observed kb(drug, gene, variant)
observed looks_like_citation(candidate)
in_kb:   1.5   args(c, d, g, v) & kb(d, g, v) => treats(c) = yes
cite:    1.0   looks_like_citation(c) => treats(c) = no
once:    3.0   kb(d, g, v) => exists c: args(c, d, g, v) & treats(c) = yes
linked:  2.0   args(c, d, g, v) & mention_of(c, m) & treats(c) = yes => link(m) = yes
"""


def test_the_sentiment_program_of_the_design() -> None:
    tables: dict[str, Any] = {
        "review": ["r1", "r2", "r3"],
        "token": [("r1", "superb"), ("r2", "awful"), ("r3", "superb"), ("r3", "dull")],
        "near": [("r1", "r3"), ("r3", "r1")],
        "seed": [("superb", "pos"), ("awful", "neg"), ("dull", "neg")],
        "gold": [("r2", "neg")],
    }
    factors = ground_factors(Program.parse(SENTIMENT), Task(tables))
    oracle = Oracle(factors.program.without("balance"), factors.task)
    assert differences(oracle, factors, some_assignments(oracle, 80)) == []
    weights = factors.weights
    seeds = [n for n in map(weights.name_of, range(weights.n_weights)) if n.startswith("seeds")]
    assert seeds == ["seeds[awful, neg]", "seeds[dull, neg]", "seeds[superb, pos]"]
    (agree,) = factors.tables
    assert agree.count.tolist() == [2.0]
    assert np.isinf(weights.start).sum() == 1


def test_the_oncology_program_of_the_design() -> None:
    tables: dict[str, Any] = {
        "candidate": ["c1", "c2", "c3"],
        "mention": ["m1", "m2"],
        "args": [("c1", "d", "g", "v"), ("c2", "d", "g", "v"), ("c3", "d", "g", "w")],
        "mention_of": [("c1", "m1"), ("c2", "m1"), ("c2", "m2")],
        "kb": [("d", "g", "v"), ("d", "g", "x")],
        "looks_like_citation": [("c3",)],
    }
    factors = ground_factors(Program.parse(ONCOLOGY), Task(tables))
    oracle = Oracle(factors.program, factors.task)
    assert differences(oracle, factors, some_assignments(oracle, 80)) == []
    (group,) = factors.groups
    assert group.first_member.tolist() == [0, 2]
    assert group.variable_of_member.tolist() == [0, 1]
    (linked,) = factors.tables
    assert linked.functions == ("treats", "link")
    assert linked.variables.tolist() == [[0, 3], [1, 3], [1, 4]]
    assert linked.truth.tolist() == [[True, True], [False, True]]
