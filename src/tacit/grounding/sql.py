"""Conjunctions as SQL: facts are joined, their absence is an anti-join, counts are subqueries.

SQL knows a predicate's relation by name, with columns c0, c1, ...; the instances of a table as
(id, row), the labels of a label function as (label, code).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from tacit.errors import BadFormula
from tacit.logic.formula import (
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Formula,
    Not,
    Term,
    Variable,
)
from tacit.logic.normal import Literal

_COMPARE: dict[str, type[exp.Binary]] = {
    "=": exp.EQ,
    "!=": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_QUANTIFIERS: dict[str, type[exp.Binary]] = {
    "atleast": exp.GTE,
    "atmost": exp.LTE,
    "exactly": exp.EQ,
}


def facts(predicate: str, *, distinct: bool = True) -> str:
    """The SQL name of a predicate's relation: a set, or its table's rows with repetitions."""
    return _cased(f"facts of {predicate}" if distinct else f"rows for {predicate}")


def instances(domain: str) -> str:
    """The SQL name of the relation (id, row) of a table's instances."""
    return _cased(f"rows of {domain}")


def labels(*functions: str) -> str:
    """The SQL name of the relation (label, code) of a label function's labels.

    Of several functions: the labels that any of them has, their codes being of no use.
    """
    return _cased(f"labels of {', '.join(functions)}")


def _cased(name: str) -> str:
    """A name that stays apart from others where SQL does not tell a from A."""
    return "".join(f"^{letter}" if letter != letter.lower() else letter for letter in name)


def column(alias: str, name: str) -> exp.Expr:
    """A column of an aliased relation."""
    return exp.column(exp.to_identifier(name, quoted=True), table=alias)


def _aliased(name: str, alias: str) -> exp.Expr:
    return exp.alias_(exp.Table(this=exp.to_identifier(name, quoted=True)), alias, table=True)


class Join:
    """A conjunction on its way to a SELECT: sources, conditions, and what binds each variable."""

    def __init__(
        self,
        bound: Mapping[str, exp.Expr] | None = None,
        *,
        prefix: str = "t",
        distinct: bool = True,
    ) -> None:
        """Start with what is bound; `distinct` tells whether repeated rows would do harm."""
        self.sources: list[exp.Expr] = []
        self.optional: list[tuple[exp.Expr, exp.Expr]] = []  # left joins: source, condition
        self.conditions: list[exp.Expr] = []
        self.bound: dict[str, exp.Expr] = dict(bound or {})
        self.prefix = prefix
        self.distinct = distinct

    def source(self, name: str) -> str:
        """Add a relation; returns its alias."""
        alias = self._alias()
        self.sources.append(_aliased(name, alias))
        return alias

    def _alias(self) -> str:
        return f"{self.prefix}{len(self.sources) + len(self.optional)}"

    def match(self, term: Term, sql: exp.Expr) -> None:
        """Bind a variable to a column, or require that the column equals what the term is."""
        if isinstance(term, Variable) and term.name not in self.bound:
            self.bound[term.name] = sql
        else:
            self.conditions.append(exp.EQ(this=sql, expression=self.value(term)))

    def value(self, term: Term) -> exp.Expr:
        """The SQL of a bound variable or a constant."""
        if isinstance(term, Constant):
            return exp.convert(term.value)
        return self.bound[term.name].copy()

    def add(self, literals: Iterable[Literal]) -> Join:
        """Add literals: facts first, since they bind what the others compare."""
        for literal in sorted(literals, key=lambda part: not isinstance(part, Atom)):
            match literal:
                case Atom(predicate, terms):
                    alias = self.source(facts(predicate, distinct=self.distinct))
                    for position, term in enumerate(terms):
                        self.match(term, column(alias, f"c{position}"))
                case Not(Atom() as absent):
                    self.conditions.append(exp.not_(exp.Exists(this=self.inner([absent]).rows())))
                case Comparison():
                    self.conditions.append(self.compared(literal))
                case Count():
                    self.conditions.append(self.counted(literal))
                case _:
                    raise TypeError(f"not a literal of a guard: {literal!r}")
        return self

    def compared(self, comparison: Comparison) -> exp.Expr:
        """A comparison of bound variables and constants."""
        left, right = self.value(comparison.left), self.value(comparison.right)
        return _COMPARE[comparison.operator](this=left, expression=right)

    def inner(self, literals: Iterable[Literal], shadowed: Sequence[Variable] = ()) -> Join:
        """A join inside this one; it sees what is bound here but for the shadowed variables."""
        names = {variable.name for variable in shadowed}
        visible = {name: sql for name, sql in self.bound.items() if name not in names}
        prefix = f"{self.prefix}{len(self.conditions)}_"
        return Join(visible, prefix=prefix, distinct=False).add(literals)

    def counted(self, count: Count) -> exp.Expr:
        """A condition on how many bindings of a quantifier's variables satisfy an observed body."""
        inner = self.inner(conjunction(count.body), shadowed=count.variables)
        if count.quantifier == "atleast" and count.count == 1:
            return exp.Exists(this=inner.rows())
        bound = [inner.bound[variable.name] for variable in count.variables]
        tuples = inner.select({f"x{i}": sql for i, sql in enumerate(bound)}).distinct()
        number = exp.select(exp.Count(this=exp.Star())).from_(tuples.subquery("counted"))
        limit = exp.Literal.number(count.count)
        return _QUANTIFIERS[count.quantifier](this=number.subquery(), expression=limit)

    def row_of(self, item: Term, domain: str) -> exp.Expr:
        """The row of an instance in its table; an unbound variable ranges over the table."""
        alias = self.source(instances(domain))
        self.match(item, column(alias, "id"))
        return column(alias, "row")

    def range_over_labels(self, variable: str, functions: Sequence[str]) -> None:
        """Let a variable take each label of some label functions."""
        alias = self.source(labels(*functions))
        self.match(Variable(variable), column(alias, "label"))

    def code_of(self, variable: str, function: str) -> exp.Expr:
        """The code of a label value, null if it is no label."""
        alias = self._alias()
        text = exp.cast(self.bound[variable].copy(), "text")
        found = exp.EQ(this=column(alias, "label"), expression=text)
        self.optional.append((_aliased(labels(function), alias), found))
        return column(alias, "code")

    def flag_of(self, literal: Atom | Comparison) -> exp.Expr:
        """Whether a fact or a comparison holds, as a column."""
        if isinstance(literal, Comparison):
            return self.compared(literal)
        alias = self._alias()
        found = [
            exp.EQ(this=column(alias, f"c{position}"), expression=self.value(term))
            for position, term in enumerate(literal.terms)
        ]
        self.optional.append(
            (_aliased(facts(literal.predicate, distinct=self.distinct), alias), exp.and_(*found))
        )
        return exp.not_(exp.Is(this=column(alias, "c0"), expression=exp.Null()))

    def rows(self) -> exp.Select:
        """A SELECT of nothing but rows."""
        return self._from(exp.select(exp.Literal.number(1)))

    def select(self, columns: Mapping[str, exp.Expr]) -> exp.Select:
        """The SELECT of these columns by name."""
        named = [exp.alias_(sql.copy(), name, quoted=True) for name, sql in columns.items()]
        return self._from(exp.select(*named))

    def _from(self, query: exp.Select) -> exp.Select:
        if self.sources:
            query = query.from_(self.sources[0].copy())
        for source in self.sources[1:]:
            query = query.join(source.copy(), join_type="cross")
        for source, condition in self.optional:
            query = query.join(source.copy(), on=condition.copy(), join_type="left")
        return query.where(*(condition.copy() for condition in self.conditions))


def conjunction(formula: Formula) -> tuple[Literal, ...]:
    """The literals of a quantifier's observed body."""
    return as_literals(formula.parts if isinstance(formula, And) else (formula,))


def as_literals(parts: Sequence[Formula]) -> tuple[Literal, ...]:
    """The parts of a conjunction, none of which may be an alternative."""
    literals = tuple(part for part in parts if isinstance(part, Atom | Not | Comparison | Count))
    if len(literals) < len(parts):
        raise BadFormula(
            "the body of a quantifier must be a conjunction",
            place=parts[0].place,
            remedy="put alternatives into formulas of their own",
        )
    return literals
