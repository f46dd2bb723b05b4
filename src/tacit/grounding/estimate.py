"""How large a join will be, before it is run.

First a bound from sizes alone, then one from the most frequent value of the smaller side, and only
where both exceed the limit the exact size of each pairwise join. So small joins cost nothing to
check, and large ones are known by their skew and not by an average.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
from sqlglot import exp

from tacit.grounding.join_graph import Edge, Source, in_turn, join_graph
from tacit.grounding.sql import Join

Run = Callable[[exp.Query], pa.Table]


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of rows of a join: a bound that holds, or a guess."""

    rows: float
    is_bound: bool


class Estimator:
    """Estimates joins by asking an engine for counts; remembers what it was told.

    `sizes` are those of relations that are known without asking.
    """

    def __init__(self, run: Run, sizes: Mapping[str, int]) -> None:
        self.run = run
        self.sizes = sizes
        self.known: dict[str, float] = {}

    def estimate(self, join: Join, enough: float) -> Estimate:
        """The size of a join: a bound if that is at most `enough`, else the best guess."""
        sources, edges = join_graph(join.sources, join.conditions)
        facts = [source for source in sources if not source.is_key]
        whole = [replace(source, filters=()) for source in facts or sources]
        bound = self._product(whole)  # filters are only looked at where it matters
        if bound > enough and facts:
            bound = min(self._product(facts), self._by_most_frequent(facts, edges))
        if bound <= enough or len(facts) == 1:
            return Estimate(bound, True)
        return Estimate(self._by_pairs(facts, edges), len(facts) <= 2)

    def _product(self, sources: list[Source]) -> float:
        rows = 1.0
        for source in sources:
            rows *= self._size(source)
        return rows

    def _size(self, source: Source) -> float:
        if not source.filters and source.table.name in self.sizes:
            return self.sizes[source.table.name]
        counted = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(
            exp.alias_(source.table.copy(), source.alias, table=True)
        )
        return self._number(counted.where(*(f.copy() for f in source.filters)))

    def _by_most_frequent(self, facts: list[Source], edges: list[Edge]) -> float:
        """Each source joined multiplies the rows by at most its most frequent value."""
        rows = 1.0
        for source, tied in in_turn(self._largest_first(facts), edges):
            if not tied:
                rows *= self._size(source)
            else:
                rows *= min(
                    self._most_frequent(source, edge.seen_from(source.alias)[0]) for edge in tied
                )
        return rows

    def _by_pairs(self, facts: list[Source], edges: list[Edge]) -> float:
        """Each tie keeps the share of combinations that it keeps in the join of its two alone."""
        by_alias = {source.alias: source for source in facts}
        rows = 1.0
        for source, tied in in_turn(self._largest_first(facts), edges):
            rows *= self._size(source)
            for edge in tied:
                own, other_alias, other_column = edge.seen_from(source.alias)
                other = by_alias[other_alias]
                combinations = max(1.0, self._size(source) * self._size(other))
                rows *= self._pairs(source, own, other, other_column) / combinations
        return rows

    def _largest_first(self, facts: list[Source]) -> list[Source]:
        return sorted(facts, key=self._size, reverse=True)

    def _most_frequent(self, source: Source, name: str) -> float:
        histogram = self._histogram(source, name).subquery("h")
        return self._number(
            exp.select(exp.alias_(exp.Max(this=exp.column("n")), "n")).from_(histogram)
        )

    def _pairs(self, left: Source, left_name: str, right: Source, right_name: str) -> float:
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

    def _histogram(self, source: Source, name: str) -> exp.Select:
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
