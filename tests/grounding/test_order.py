"""The order of joins: few rows on the way, whatever the order in which a formula was written."""

from __future__ import annotations

from itertools import permutations

import pytest
from sqlglot import exp, parse_one

from tacit.grounding.order import Statistics, ordered

ROWS = {"facts of near": 1e3, "facts of token": 1e4, "rules 0": 5.0}
VALUES = {
    ("facts of near", "c0"): 500.0,
    ("facts of near", "c1"): 500.0,
    ("facts of token", "c0"): 500.0,
    ("facts of token", "c1"): 20.0,
    ("rules 0", "p0"): 5.0,
}
SHARED = {
    "near": '"facts of near" AS near',
    "one": '"facts of token" AS one',
    "other": '"facts of token" AS other',
}
SAME_WORD = "one.c0 = near.c0 AND other.c0 = near.c1 AND other.c1 = one.c1"


def known(query: exp.Query) -> float:
    """What an engine would answer."""
    (table,) = query.find_all(exp.Table)
    column = query.find(exp.Column)
    return ROWS[table.name] if column is None else VALUES[table.name, column.name]


def unasked(query: exp.Query) -> float:
    """An engine that must not be asked."""
    raise AssertionError(query.sql())


def order_of(sql: str, statistics: Statistics) -> list[str]:
    """The aliases of a query's relations in the order in which they are joined."""
    query = parse_one(sql, dialect="duckdb")
    assert isinstance(query, exp.Query)
    return [table.alias for table in ordered(query, statistics).find_all(exp.Table)]


@pytest.mark.parametrize("written", list(permutations(SHARED)))
def test_words_are_compared_last_however_it_is_written(written: tuple[str, ...]) -> None:
    tables = " CROSS JOIN ".join(SHARED[name] for name in written)
    order = order_of(f"SELECT 1 FROM {tables} WHERE {SAME_WORD}", Statistics(known))
    assert order[0] == "near"


def test_a_constant_makes_a_table_small() -> None:
    tables = " CROSS JOIN ".join(SHARED.values())
    conditions = "one.c0 = near.c0 AND other.c0 = near.c1 AND one.c0 = 'r' AND one.c1 = 'w'"
    order = order_of(f"SELECT 1 FROM {tables} WHERE {conditions}", Statistics(known))
    assert order == ["one", "near", "other"]


def test_instances_come_behind_facts_and_labels_behind_instances() -> None:
    sql = """SELECT 1 FROM "labels of y" AS l CROSS JOIN "rows of item" AS i
        CROSS JOIN "facts of near" AS near WHERE i.id = near.c0"""
    assert order_of(sql, Statistics(unasked)) == ["near", "i", "l"]


def test_two_relations_stay_as_they_are() -> None:
    sql = """SELECT 1 FROM "rules 0" AS r CROSS JOIN "facts of token" AS one WHERE one.c1 = r.p0"""
    assert order_of(sql, Statistics(unasked)) == ["r", "one"]


def test_a_relation_that_was_replaced_is_counted_again() -> None:
    asked: list[str] = []

    def ask(query: exp.Query) -> float:
        asked.append(query.sql())
        return known(query)

    statistics = Statistics(ask)
    sql = f"SELECT 1 FROM {' CROSS JOIN '.join(SHARED.values())} WHERE {SAME_WORD}"
    order_of(sql, statistics)
    once = len(asked)
    order_of(sql, statistics)
    assert len(asked) == once
    statistics.forget("facts of near")
    order_of(sql, statistics)
    assert len(asked) == once + 3  # its rows, and the values of its two columns
