"""The order of joins, chosen here: an engine knows nothing of tables that come from outside.

Without the number of distinct values, DuckDB takes the join of all reviews that share a word for a
small one, and begins with it. So that is counted, approximately, for joins of three relations or
more, and every relation is joined where the fewest rows are expected to come out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from tacit.grounding.join_graph import Edge, Source, in_turn, join_graph, ties

MANY = 3  # relations in one join: two can be joined in one way only


class Statistics:
    """Sizes of relations and numbers of distinct values, each asked for once."""

    def __init__(self, ask: Callable[[exp.Query], float]) -> None:
        self.ask = ask
        self.known: dict[tuple[str, str], float] = {}

    def forget(self, table: str) -> None:
        """Know nothing of a relation any more: another one has got its name."""
        self.known = {key: value for key, value in self.known.items() if key[0] != table}

    def rows(self, source: Source) -> float:
        """How many rows a source has left when its columns were compared with constants."""
        rows = self._asked(source, "", exp.Count(this=exp.Star()))
        for condition in source.filters:
            if isinstance(condition, exp.EQ):
                (column, *_) = condition.find_all(exp.Column)
                rows /= self.distinct(source, column.name)
        return rows

    def distinct(self, source: Source, column: str) -> float:
        """About how many values a column has."""
        quoted = exp.column(exp.to_identifier(column, quoted=True))
        return max(1.0, self._asked(source, column, exp.ApproxDistinct(this=quoted)))

    def _asked(self, source: Source, column: str, number: exp.Expr) -> float:
        key = (source.table.name, column)
        if key not in self.known:
            query = exp.select(exp.alias_(number, "n")).from_(source.table.copy())
            self.known[key] = self.ask(query)
        return self.known[key]


def ordered(query: exp.Query, statistics: Statistics) -> exp.Query:
    """The same query; the relations of each of its joins are in an order that keeps it small."""
    query = query.copy()
    for select in list(query.find_all(exp.Select)):
        _reorder(select, statistics)
    return query


def _reorder(select: exp.Select, statistics: Statistics) -> None:
    """Exchange the relations of a SELECT, if all of them are tables."""
    crossed = [join for join in select.args.get("joins") or () if join.kind == "CROSS"]
    if not crossed:
        return
    places = [select.args["from_"], *crossed]
    relations = {place.this.alias: place.this.copy() for place in places}
    sources, edges = join_graph(relations.values(), _conditions(select))
    if len(sources) < len(places):
        return
    for place, source in zip(places, _in_order(sources, edges, statistics), strict=True):
        place.set("this", relations[source.alias])


def _conditions(select: exp.Select) -> list[exp.Expr]:
    """What all rows of a SELECT satisfy."""
    where = select.args.get("where")
    if where is None:
        return []
    return list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]


def _in_order(
    sources: Sequence[Source], edges: Sequence[Edge], statistics: Statistics
) -> list[Source]:
    """Facts so that few rows are expected on the way; then what multiplies nothing."""
    facts = [source for source in sources if not source.is_key]
    keys = [source for source in sources if source.is_key]
    if len(facts) >= MANY:
        chains = [_chain(first, facts, edges, statistics) for first in facts]
        facts = min(chains, key=lambda chain: chain[0])[1]
    return [source for source, _ in in_turn([*facts, *keys], edges)]


def _chain(
    first: Source, facts: Sequence[Source], edges: Sequence[Edge], statistics: Statistics
) -> tuple[float, list[Source]]:
    """The facts from a first one on, next always the one that gives the fewest rows.

    Two relations tied by a column are expected to keep one combination in as many as the larger
    number of distinct values. Returns the rows of all the joins together, too.
    """
    rows = total = statistics.rows(first)
    done, waiting = [first], [source for source in facts if source is not first]
    by_alias = {source.alias: source for source in facts}

    def expected(source: Source) -> float:
        size = rows * statistics.rows(source)
        for edge in ties(source, done, edges):
            own, other, column = edge.seen_from(source.alias)
            size /= max(
                statistics.distinct(source, own), statistics.distinct(by_alias[other], column)
            )
        return size

    while waiting:
        tied = [source for source in waiting if ties(source, done, edges)]
        best = min(tied or waiting, key=expected)
        rows = expected(best)
        total += rows
        waiting.remove(best)
        done.append(best)
    return total, done
