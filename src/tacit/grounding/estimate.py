"""How large a join will be, before it is run.

First a bound from sizes alone, then one from the most frequent value of the smaller side, and only
where both exceed the limit the exact size of each pairwise join. So small joins cost nothing to
check, and large ones are known by their skew and not by an average.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from sqlglot import exp

from tacit.grounding.sql import Join

Run = Callable[[exp.Query], pa.Table]


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of rows of a join: a bound that holds, or a guess."""

    rows: float
    is_bound: bool


@dataclass(frozen=True, slots=True)
class _Source:
    """A relation in a join, with the conditions on it alone."""

    alias: str
    table: exp.Table
    filters: tuple[exp.Expr, ...]
    is_key: bool  # instances and labels: joining them multiplies nothing


@dataclass(frozen=True, slots=True)
class _Edge:
    """An equality between columns of two sources."""

    left: str
    left_column: str
    right: str
    right_column: str

    def seen_from(self, alias: str) -> tuple[str, str, str]:
        """This side's column, then the other side's source and column."""
        if alias == self.left:
            return self.left_column, self.right, self.right_column
        return self.right_column, self.left, self.left_column


class Estimator:
    """Estimates joins by asking an engine for counts; remembers what it was told."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.known: dict[str, float] = {}

    def estimate(self, join: Join, enough: float) -> Estimate:
        """The size of a join: a bound if that is at most `enough`, else the best guess."""
        sources, edges = _graph(join)
        facts = [source for source in sources if not source.is_key]
        whole = [replace(source, filters=()) for source in facts or sources]
        bound = self._product(whole)  # filters are only looked at where it matters
        if bound > enough and facts:
            bound = min(self._product(facts), self._by_most_frequent(facts, edges))
        if bound <= enough or len(facts) == 1:
            return Estimate(bound, True)
        return Estimate(self._by_pairs(facts, edges), len(facts) <= 2)

    def _product(self, sources: list[_Source]) -> float:
        rows = 1.0
        for source in sources:
            rows *= self._size(source)
        return rows

    def _size(self, source: _Source) -> float:
        counted = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(
            exp.alias_(source.table.copy(), source.alias, table=True)
        )
        return self._number(counted.where(*(f.copy() for f in source.filters)))

    def _by_most_frequent(self, facts: list[_Source], edges: list[_Edge]) -> float:
        """Each source joined multiplies the rows by at most its most frequent value."""
        rows = 1.0
        for source, ties in _joined_in_turn(self._largest_first(facts), edges):
            if not ties:
                rows *= self._size(source)
            else:
                rows *= min(
                    self._most_frequent(source, edge.seen_from(source.alias)[0]) for edge in ties
                )
        return rows

    def _by_pairs(self, facts: list[_Source], edges: list[_Edge]) -> float:
        """Each tie keeps the share of combinations that it keeps in the join of its two alone."""
        by_alias = {source.alias: source for source in facts}
        rows = 1.0
        for source, ties in _joined_in_turn(self._largest_first(facts), edges):
            rows *= self._size(source)
            for edge in ties:
                own, other_alias, other_column = edge.seen_from(source.alias)
                other = by_alias[other_alias]
                combinations = max(1.0, self._size(source) * self._size(other))
                rows *= self._pairs(source, own, other, other_column) / combinations
        return rows

    def _largest_first(self, facts: list[_Source]) -> list[_Source]:
        return sorted(facts, key=self._size, reverse=True)

    def _most_frequent(self, source: _Source, name: str) -> float:
        histogram = self._histogram(source, name).subquery("h")
        return self._number(
            exp.select(exp.alias_(exp.Max(this=exp.column("n")), "n")).from_(histogram)
        )

    def _pairs(self, left: _Source, left_name: str, right: _Source, right_name: str) -> float:
        product = exp.Mul(
            this=exp.cast(exp.column("n", "x"), "double"), expression=exp.column("n", "y")
        )
        joined = (
            exp.select(exp.alias_(exp.Sum(this=product), "n"))
            .from_(self._histogram(left, left_name).subquery("x"))
            .join(
                self._histogram(right, right_name).subquery("y"),
                on=exp.EQ(this=exp.column("v", "x"), expression=exp.column("v", "y")),
            )
        )
        return self._number(joined)

    def _histogram(self, source: _Source, name: str) -> exp.Select:
        value = exp.column(exp.to_identifier(name, quoted=True), table=source.alias)
        number = exp.alias_(exp.Count(this=exp.Star()), "n")
        counted = exp.select(exp.alias_(value, "v"), number).from_(
            exp.alias_(source.table.copy(), source.alias, table=True)
        )
        return counted.where(*(f.copy() for f in source.filters)).group_by(value.copy())

    def _number(self, query: exp.Query) -> float:
        text = query.sql()
        if text not in self.known:
            self.known[text] = float(self.run(query).column("n")[0].as_py() or 0.0)
        return self.known[text]


def _graph(join: Join) -> tuple[list[_Source], list[_Edge]]:
    """The sources of a join, and the equalities between them."""
    edges: list[_Edge] = []
    filters: dict[str, list[exp.Expr]] = {}
    for condition in join.conditions:
        columns = list(condition.find_all(exp.Column))
        aliases = {column.table for column in columns}
        plain = not list(condition.find_all(exp.Query))
        if isinstance(condition, exp.EQ) and len(aliases) == 2 and len(columns) == 2:
            left, right = columns
            edges.append(_Edge(left.table, left.name, right.table, right.name))
        elif len(aliases) == 1 and plain:
            filters.setdefault(aliases.pop(), []).append(condition)
    sources: list[_Source] = []
    for source in join.sources:
        if isinstance(source, exp.Alias | exp.Table):
            table = source.this if isinstance(source, exp.Alias) else source
            is_key = table.name.startswith(("rows of ", "labels of "))
            own = tuple(filters.get(source.alias, ()))
            plain_table = exp.Table(this=exp.to_identifier(table.name, quoted=True))
            sources.append(_Source(source.alias, plain_table, own, is_key))
    return sources, edges


def _joined_in_turn(
    facts: list[_Source], edges: list[_Edge]
) -> Iterator[tuple[_Source, list[_Edge]]]:
    """Sources in an order that keeps the join connected, each with its ties to those before."""
    waiting, done = list(facts), set[str]()
    while waiting:
        tied = [s for s in waiting if _ties(s, done, edges)]
        source = (tied or waiting)[0]
        waiting.remove(source)
        yield source, _ties(source, done, edges)
        done.add(source.alias)


def _ties(source: _Source, done: set[str], edges: list[_Edge]) -> list[_Edge]:
    return [
        edge
        for edge in edges
        if source.alias in (edge.left, edge.right)
        and ({edge.left, edge.right} - {source.alias}) & done
    ]
