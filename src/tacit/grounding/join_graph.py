"""A join as a graph: its relations, and the equalities that tie them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Source:
    """A relation in a join, with the conditions on it alone."""

    alias: str
    table: exp.Table
    filters: tuple[exp.Expr, ...]
    is_key: bool  # instances and labels: joining them multiplies nothing


@dataclass(frozen=True, slots=True)
class Edge:
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


def join_graph(
    relations: Iterable[exp.Expr], conditions: Iterable[exp.Expr]
) -> tuple[list[Source], list[Edge]]:
    """The tables of a join, and the equalities between them; what else is joined is left out."""
    edges: list[Edge] = []
    filters: dict[str, list[exp.Expr]] = {}
    for condition in conditions:
        columns = list(condition.find_all(exp.Column))
        aliases = {column.table for column in columns}
        plain = not list(condition.find_all(exp.Query))
        if isinstance(condition, exp.EQ) and len(aliases) == 2 and len(columns) == 2:
            left, right = columns
            edges.append(Edge(left.table, left.name, right.table, right.name))
        elif len(aliases) == 1 and plain:
            filters.setdefault(aliases.pop(), []).append(condition)
    sources: list[Source] = []
    for relation in relations:
        if isinstance(relation, exp.Alias | exp.Table):
            table = relation.this if isinstance(relation, exp.Alias) else relation
            is_key = table.name.startswith(("rows of ", "labels of "))
            own = tuple(filters.get(relation.alias, ()))
            plain_table = exp.Table(this=exp.to_identifier(table.name, quoted=True))
            sources.append(Source(relation.alias, plain_table, own, is_key))
    return sources, edges


def ties(source: Source, done: Iterable[Source], edges: Sequence[Edge]) -> list[Edge]:
    """The equalities between a source and those that were joined before it."""
    before = {one.alias for one in done}
    return [
        edge
        for edge in edges
        if source.alias in (edge.left, edge.right)
        and ({edge.left, edge.right} - {source.alias}) & before
    ]


def in_turn(
    sources: Sequence[Source], edges: Sequence[Edge]
) -> Iterator[tuple[Source, list[Edge]]]:
    """Sources with their ties to those before; one that has none waits for those that have."""
    waiting, done = list(sources), list[Source]()
    while waiting:
        tied = [source for source in waiting if ties(source, done, edges)]
        source = (tied or waiting)[0]
        waiting.remove(source)
        yield source, ties(source, done, edges)
        done.append(source)
