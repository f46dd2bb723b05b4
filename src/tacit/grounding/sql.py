"""From templates to SQL: one tree a formula, for any engine that joins and compares.

Relations are known to SQL by name with columns c0, c1, ...; the instances of a label function's table
as (id, row), its labels as (label, code).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from tacit.errors import BadFormula
from tacit.grounding.template import Template
from tacit.logic.formula import (
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Formula,
    LabelOf,
    Not,
    Term,
    Variable,
    is_hidden,
)
from tacit.logic.normal import Literal

_COMPARE: dict[str, type[exp.Expression]] = {
    "=": exp.EQ,
    "!=": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_COUNTS: dict[str, type[exp.Expression]] = {"atleast": exp.GTE, "atmost": exp.LTE, "exactly": exp.EQ}


def relation(predicate: str) -> str:
    """The SQL name of an observed predicate's relation."""
    return f"fact {predicate}"


def instances(domain: str) -> str:
    """The SQL name of the relation (id, row) of a table's instances."""
    return f"rows {domain}"


def labels(function: str) -> str:
    """The SQL name of the relation (label, code) of a label function's labels."""
    return f"labels {function}"


class Join:
    """A conjunction on its way to a SELECT: sources, conditions and where each variable is bound."""

    def __init__(self, outer: dict[str, exp.Expression] | None = None, prefix: str = "a") -> None:
        self.sources: list[exp.Expression] = []
        self.conditions: list[exp.Expression] = []
        self.bound: dict[str, exp.Expression] = dict(outer or {})
        self.prefix = prefix

    def source(self, name: str) -> str:
        """Add a relation under a new alias."""
        alias = f"{self.prefix}{len(self.sources)}"
        self.sources.append(exp.alias_(exp.to_table(exp.to_identifier(name, quoted=True)), alias))
        return alias

    def match(self, term: Term, column: exp.Expression) -> None:
        """Bind a variable to a column, or require that the column equals what the term is."""
        if isinstance(term, Variable) and term.name not in self.bound:
            self.bound[term.name] = column
        else:
            self.conditions.append(exp.EQ(this=column, expression=self.value(term)))

    def value(self, term: Term) -> exp.Expression:
        """The SQL of a bound variable or a constant."""
        if isinstance(term, Constant):
            return exp.convert(term.value)
        return self.bound[term.name].copy()

    def literals(self, guard: Iterable[Literal]) -> Join:
        """Add the literals of a guard: facts first, so that they bind what the others compare."""
        for literal in sorted(guard, key=lambda part: not isinstance(part, Atom)):
            match literal:
                case Atom():
                    self.fact(literal)
                case Not(Atom() as absent):
                    self.conditions.append(exp.not_(exp.Exists(this=self.inner([absent]).rows())))
                case Comparison(left, operator, right):
                    sides = {"this": self.value(left), "expression": self.value(right)}
                    self.conditions.append(_COMPARE[operator](**sides))
                case Count():
                    self.conditions.append(self.counted(literal))
                case _:
                    raise TypeError(f"no literal of a guard: {literal!r}")
        return self

    def fact(self, atom: Atom) -> None:
        """Join an observed atom's relation."""
        alias = self.source(relation(atom.predicate))
        for position, term in enumerate(atom.terms):
            self.match(term, column(alias, f"c{position}"))

    def inner(self, guard: Iterable[Literal], hide: Sequence[Variable] = ()) -> Join:
        """A join inside this one, which sees what is bound here but for the hidden names."""
        names = {variable.name for variable in hide}
        outer = {name: sql for name, sql in self.bound.items() if name not in names}
        return Join(outer, prefix=f"{self.prefix}{len(self.conditions)}_").literals(guard)

    def counted(self, count: Count) -> exp.Expression:
        """How many bindings of a quantifier's variables satisfy an observed body."""
        inner = self.inner(conjunction(count.body), hide=count.variables)
        if count.quantifier == "atleast" and count.count == 1:
            return exp.Exists(this=inner.rows())
        distinct = [inner.bound[variable.name] for variable in count.variables]
        tuples = exp.select(exp.Count(this=exp.Star())).from_(
            inner.select([exp.alias_(sql, f"x{i}") for i, sql in enumerate(distinct)])
            .distinct()
            .subquery("counted")
        )
        return _COUNTS[count.quantifier](
            this=tuples.subquery(), expression=exp.Literal.number(count.count)
        )

    def row_of(self, slot: LabelOf, domain: str) -> exp.Expression:
        """The row of a slot's instance in its table; an unbound item ranges over the table."""
        alias = self.source(instances(domain))
        self.match(slot.item, column(alias, "id"))
        return column(alias, "row")

    def code_of(self, variable: str, function: str) -> exp.Expression:
        """The code of a label value; an unbound variable ranges over the labels."""
        alias = self.source(labels(function))
        self.match(Variable(variable), column(alias, "label"))
        return column(alias, "code")

    def rows(self) -> exp.Select:
        """A SELECT for its rows only."""
        return self.select([exp.Literal.number(1)])

    def select(self, columns: Sequence[exp.Expression]) -> exp.Select:
        """The SELECT of this conjunction."""
        query = exp.select(*columns)
        if self.sources:
            query = query.from_(self.sources[0].copy())
        for source in self.sources[1:]:
            query = query.join(source.copy(), join_type="cross")
        return query.where(*(condition.copy() for condition in self.conditions))


def column(alias: str, name: str) -> exp.Expression:
    """A column of an aliased relation."""
    return exp.column(exp.to_identifier(name, quoted=True), table=alias)


def conjunction(formula: Formula) -> tuple[Literal, ...]:
    """The literals of a conjunction inside a quantifier."""
    parts = formula.parts if isinstance(formula, And) else (formula,)
    for part in parts:
        if not isinstance(part, Atom | Not | Comparison | Count):
            raise BadFormula(
                "a quantifier's body must be a conjunction of facts and labels",
                place=formula.place,
                remedy="put the alternatives into formulas of their own",
            )
    return tuple(part for part in parts if isinstance(part, Atom | Not | Comparison | Count))


def bindings(template: Template, domains: dict[str, str]) -> Join:
    """The distinct bindings of a template's free variables, as a join that can be extended."""
    joins = [Join().literals(guard) for guard in template.guards]
    if len(joins) == 1:
        return joins[0]
    slots = {slot.item.name: slot for slot in template.slots if isinstance(slot.item, Variable)}
    union: exp.Expression | None = None
    for join in joins:
        for name in template.free:
            if name not in join.bound and name in slots:
                join.row_of(slots[name], domains[slots[name].label])
        names = [name for name in template.free if name in join.bound]
        query = join.select([exp.alias_(join.bound[n].copy(), n, quoted=True) for n in names])
        union = query if union is None else exp.union(union, query, distinct=True)
    assert union is not None
    merged = Join()
    merged.sources.append(exp.Subquery(this=union, alias=exp.TableAlias(this=exp.to_identifier("u"))))
    merged.bound = {name: column("u", name) for name in template.free if name in joins[0].bound}
    return merged


def hidden_parts(formula: Formula) -> tuple[Formula, ...]:
    """The parts of a quantifier's body that speak of labels."""
    parts = formula.parts if isinstance(formula, And) else (formula,)
    return tuple(part for part in parts if is_hidden(part))
