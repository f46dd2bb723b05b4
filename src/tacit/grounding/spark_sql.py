"""Rewriting queries into what every Spark session reads alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

_HARMLESS = re.compile(r"[A-Za-z0-9_ .,-]*")


def spelled_out(node: exp.Expr) -> exp.Expr:
    """A text with anything but letters, digits and blanks as its bytes.

    How Spark reads quotes and backslashes in a literal depends on the session's settings.
    """
    if not isinstance(node, exp.Literal) or not node.is_string or _HARMLESS.fullmatch(node.this):
        return node
    return exp.cast(exp.HexString(this=node.this.encode().hex()), "text")


def within_reach(query: exp.Expr) -> exp.Expr:
    """The query without subqueries that look further out than the query around them.

    Spark resolves a column only one level out. What a subquery wants from beyond is handed on by
    the query between: it gets one more source, `(SELECT t0.c AS o0) AS outer0`.
    """
    for number, middle in enumerate(list(query.find_all(exp.Select))):  # the outer ones first
        wanted: dict[str, exp.Column] = {}
        for column in _out_of_reach(middle):
            name = wanted.setdefault(column.sql(), column.copy()).sql()
            at = list(wanted).index(name)
            column.replace(exp.column(f"o{at}", table=f"outer{number}"))
        if wanted:
            columns = [exp.alias_(column, f"o{i}") for i, column in enumerate(wanted.values())]
            handed_on = exp.select(*columns).subquery(f"outer{number}")
            if _sources(middle):
                middle.join(handed_on, join_type="cross", copy=False)
            else:
                middle.from_(handed_on, copy=False)
    return query


def _out_of_reach(middle: exp.Select) -> Iterator[exp.Column]:
    """The columns in a query's subqueries that neither they nor the query itself define."""
    where = middle.args.get("where")
    for subquery in list(where.find_all(exp.Exists, exp.Subquery)) if where else []:
        if subquery.parent_select is middle:
            inside = {one.alias for one in subquery.find_all(exp.Table, exp.Subquery)}
            near = inside.union(_sources(middle))
            yield from [c for c in subquery.find_all(exp.Column) if c.table not in near]


def _sources(query: exp.Select) -> set[str]:
    """The names of what a query selects from."""
    found = [query.args.get("from_"), *query.args.get("joins", [])]
    return {one.this.alias for one in found if one is not None}
