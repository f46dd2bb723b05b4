"""Writing random formulas that are well formed: every variable has one domain and is bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from tacit.logic.evidence import LabelFunction
from tacit.logic.formula import (
    OPERATORS,
    RESERVED,
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Formula,
    Iff,
    Implies,
    LabelIs,
    LabelOf,
    Not,
    Or,
    SameLabel,
    Term,
    Truth,
    Value,
    Variable,
)
from tacit.logic.traverse import variables
from tacit.logic.vocabulary import Vocabulary

Draw = Callable[[st.SearchStrategy[Any]], Any]


class FormulaWriter:
    """Draws formulas over a vocabulary in which every variable has one domain."""

    def __init__(
        self, draw: Draw, vocabulary: Vocabulary, constants: st.SearchStrategy[Value]
    ) -> None:
        self.draw = draw
        names = [n for n in ("x", "y", "z", "größe", "_w", "X1") if n not in vocabulary.label_names]
        domains = sorted({d for o in vocabulary.observed.values() for d in o.domains})
        self.pool = {
            domain: [f"{name}{i or ''}" for name in names if name not in RESERVED]
            for i, domain in enumerate(domains)
        }
        self.labels = sorted(vocabulary.labels.values(), key=lambda f: f.name)
        self.observed = sorted(vocabulary.observed.values(), key=lambda o: o.name)
        # `true` in text would be the label of that name, not the truth value
        plain = not {"true", "false"} & vocabulary.label_names
        self.constants = constants.filter(lambda v: plain or not isinstance(v, bool))

    def pick(self, options: Sequence[Any]) -> Any:
        """One of several."""
        return self.draw(st.sampled_from(options))

    def term(self, domain: str, bound: set[str] | None = None, marks: bool = True) -> Term:
        """A variable of the domain (one of those bound, where given) or a constant."""
        pool = [name for name in self.pool[domain] if bound is None or name in bound]
        if not pool or self.draw(st.integers(0, 4)) == 0:
            return Constant(self.draw(self.constants))
        return Variable(self.pick(pool), marks and self.draw(st.integers(0, 5)) == 0)

    def fact(self, bound: set[str] | None = None, marks: bool = True) -> Atom:
        """An observed atom."""
        declared = self.pick(self.observed)
        return Atom(declared.name, tuple(self.term(d, bound, marks) for d in declared.domains))

    def subject(self, bound: set[str] | None, function: LabelFunction) -> LabelOf:
        """The label of something."""
        return LabelOf(function.name, self.term(function.domain, bound, marks=False))

    def label_atom(self, bound: set[str]) -> Formula:
        """A label is a constant, a bound value, or the label of something else."""
        function = self.pick(self.labels)
        subject = self.subject(bound, function)
        kind = self.draw(st.integers(0, 5))
        if kind == 0:
            return SameLabel(subject, self.subject(bound, self.pick([function, *self.labels])))
        if kind == 1 and bound:
            return LabelIs(subject, Variable(self.pick(sorted(bound))))
        if kind == 2:
            return LabelIs(subject, Variable(self.pick(self.pool[function.domain]) + "_l", True))
        return LabelIs(subject, Constant(self.pick(function.labels)))

    def count(self, bound: set[str], depth: int) -> Formula:
        """A quantifier over the variables of a fact that its body asserts; it may shadow."""
        fact = self.fact(marks=False)
        own = sorted(variables(fact))
        if not own:
            return self.label_atom(bound)
        chosen = [*self.draw(st.permutations(own))][: self.draw(st.integers(1, len(own)))]
        if any(name not in bound for name in set(own) - set(chosen)):
            chosen = own
        quantifier = self.pick(["atleast", "atmost", "exactly"])
        body = And((fact, self.hidden(bound | set(chosen), depth - 1)))
        return Count(quantifier, self.draw(st.integers(0, 3)), tuple(map(Variable, chosen)), body)

    def hidden(self, bound: set[str], depth: int = 2) -> Formula:
        """A formula about labels whose variables are all bound."""
        kind = self.pick(["atom"] * 4 + ["not", "and", "or", "if", "iff", "count"] * (depth > 0))
        if kind == "atom":
            return self.label_atom(bound)
        if kind == "count":
            return self.count(bound, depth)
        first = self.hidden(bound, depth - 1)
        if kind == "not":
            return Not(first)
        other = self.hidden if self.draw(st.booleans()) else self.observed_test
        second = other(bound, depth - 1)
        if kind == "and":
            return And((first, second))
        if kind == "or":
            return Or((second, first))
        return Implies(second, first) if kind == "if" else Iff(first, second)

    def observed_test(self, bound: set[str], depth: int = 0) -> Formula:
        """Something observed about bound variables: it restricts but need not bind."""
        del depth
        if not bound or self.draw(st.booleans()):
            fact = self.fact(bound)
            either = Or((fact, Not(self.fact(bound))))
            test: Formula = self.pick([fact, Not(fact), either, Truth(True)])
            return test
        left = Variable(self.pick(sorted(bound)))
        right = self.pick([Constant(self.draw(self.constants)), Variable(self.pick(sorted(bound)))])
        return Comparison(left, self.pick(OPERATORS), right)

    def formula(self) -> Formula:
        """A rule, a conjunction, a clause or a prior."""
        facts: list[Formula] = [self.fact() for _ in range(self.draw(st.integers(1, 3)))]
        bound = {name for fact in facts for name in variables(fact)}
        tests = [self.observed_test(bound) for _ in range(self.draw(st.integers(0, 2)))]
        condition = [*facts, *tests]
        shape = self.pick(["rule"] * 4 + ["conjunction", "clause", "prior"])
        if shape == "conjunction":
            return And((*condition, self.hidden(bound)))
        if shape == "clause":
            return Or((*map(Not, condition), self.hidden(bound)))
        if shape == "prior":
            function = self.pick(self.labels)
            item = self.pick(self.pool[function.domain])
            return LabelIs(LabelOf(function.name, Variable(item)), Constant(function.labels[-1]))
        left = condition[0] if len(condition) == 1 else And(tuple(condition))
        return Implies(left, self.hidden(bound))
