"""Random programs and random small tables that meet every shape of grounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from tacit.data import Task
from tacit.logic.evidence import Evidence, Fixed, Hard, LabelFunction, Learned, Observed, Weight
from tacit.logic.formula import (
    OPERATORS,
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Formula,
    Implies,
    LabelIs,
    Not,
    Or,
    SameLabel,
    Term,
    Variable,
)
from tacit.logic.program import Program
from tacit.logic.traverse import is_hidden, map_terms, variables, walk
from tacit.logic.vocabulary import Vocabulary
from tacit.logic.wellformed import evidence_problems
from tests.logic.formula_writer import Draw, FormulaWriter

DECLARATIONS = (
    LabelFunction("y", "item", ("neg", "pos")),
    LabelFunction("z", "item", ("no", "pos", "yes")),
    LabelFunction("kind", "thing", ("pos", "it's")),
    Observed("seen", ("item",)),
    Observed("says", ("item", "word")),
    Observed("near", ("item", "item")),
    Observed("like", ("item", "item", "number")),
    Observed("gold", ("item", "class")),
    Observed("has", ("item", "thing")),
    Observed("flag", ("item", "truth")),
)
VOCABULARY = Vocabulary.of(DECLARATIONS)
POOL = {
    "item": ("r", "s", "t"),
    "thing": ("m", "m_"),
    "word": ("w", "v"),
    "number": ("n",),
    "class": ("c",),
    "truth": ("b",),
}
ITEMS = {"text": ("a", "b", "c", "gone"), "integer": (3, 1, 2, 9)}  # the last is no instance
WORDS = ("good", "it's", "", "good\nnight")
NUMBERS = {"integer": (0, 1, 2), "number": (0.5, 1.0, 0.25)}


@dataclass(frozen=True)
class Kinds:
    """Which values stand in the columns of each domain."""

    item: str
    number: str

    def values(self, domain: str) -> tuple[Any, ...]:
        """The values of a domain, those that are no instance last."""
        return {
            "item": ITEMS[self.item],
            "thing": ("m1", "m2", "gone"),
            "word": WORDS,
            "number": NUMBERS[self.number],
            "class": ("pos", "neg", "no", "stray"),
            "truth": (True, False),
        }[domain]


ARROW = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64()}


def kinds() -> st.SearchStrategy[Kinds]:
    """Kinds of ids and numbers."""
    return st.builds(
        Kinds, st.sampled_from(["text", "integer"]), st.sampled_from(["integer", "number"])
    )


def _column_type(kinds: Kinds, domain: str) -> pa.DataType:
    named = {"item": kinds.item, "number": kinds.number, "truth": "truth"}
    kind = named.get(domain, "text")
    return pa.bool_() if kind == "truth" else ARROW[kind]


@st.composite
def tables(draw: Draw, kinds: Kinds, used: set[str], max_rows: int = 5) -> dict[str, Any]:
    """Two or three items, one or two things, and facts with nulls, repeats and dangling ids."""
    n_items, n_things = draw(st.integers(2, 3)), draw(st.integers(1, 2))
    items = draw(st.permutations(kinds.values("item")[:n_items]))
    made: dict[str, Any] = {
        "item": pa.table({"id": items, "note": ["x"] * n_items}),
        "thing": pa.table({"id": ["m1", "m2"][:n_things]}),
    }
    for declared in DECLARATIONS:
        if not isinstance(declared, Observed) or declared.name not in used:
            continue
        columns = [st.sampled_from(kinds.values(domain)) for domain in declared.domains]
        rows = draw(st.lists(st.tuples(*columns), min_size=1, max_size=max_rows))
        if draw(st.integers(0, 3)) == 0:  # a row with a null is no fact, and one fact twice is one
            rows += [rows[0], (*rows[0][:-1], None)]
        made[declared.name] = pa.table(
            [
                pa.array([row[i] for row in rows], _column_type(kinds, domain))
                for i, domain in enumerate(declared.domains)
            ],
            names=[f"c{i}" for i in range(declared.arity)],
        )
        if draw(st.integers(0, 4)) == 0:  # columns behind the arguments are not read
            extra = pa.array([None] * len(rows), pa.string())
            made[declared.name] = made[declared.name].append_column("extra", extra)
    return made


class Writer(FormulaWriter):
    """Writes formulas whose constants fit their columns, in every shape that grounding knows."""

    def __init__(self, draw: Draw, kinds: Kinds) -> None:
        super().__init__(draw, VOCABULARY, st.just("unused"))
        self.kinds = kinds
        self.pool = {domain: list(names) for domain, names in POOL.items()}
        self.domain = {name: domain for domain, names in POOL.items() for name in names}

    def term(self, domain: str, bound: set[str] | None = None, marks: bool = True) -> Term:
        """A variable of the domain or one of the domain's values."""
        pool = [name for name in self.pool[domain] if bound is None or name in bound]
        if not pool or self.draw(st.integers(0, 4)) == 0:
            return Constant(self.pick(self.kinds.values(domain)))
        return Variable(self.pick(pool), marks and self.draw(st.integers(0, 7)) == 0)

    def label_atom(self, bound: set[str]) -> Formula:
        """A label compared with a constant, with data, with a label variable, with a label."""
        function = self.pick(self.labels)
        subject = self.subject(bound, function)
        kind = self.draw(st.integers(0, 9))
        if kind <= 1:
            other = self.pick([function, *self.labels])
            return SameLabel(subject, self.subject(bound, other))
        if kind == 2 and bound:
            return LabelIs(subject, Variable(self.pick(sorted(bound))))
        if kind == 3:
            return LabelIs(subject, Variable("l", True))
        if kind == 4:
            other = self.subject(bound, self.pick(self.labels))
            pair = LabelIs(subject, Variable("l")), LabelIs(other, Variable("l"))
            return self.pick([Or, And])(pair) if self.draw(st.booleans()) else Implies(*pair)
        return LabelIs(subject, Constant(self.pick(function.labels)))

    def comparison(self, bound: set[str]) -> Formula:
        """Two values of one kind compared."""
        left = self.pick(sorted(bound))
        domain = self.domain[left]
        operators = OPERATORS if domain != "truth" else ("=", "!=")
        right = self.term(domain, bound, marks=False)
        return Comparison(Variable(left), self.pick(operators), right)

    def observed_test(self, bound: set[str], depth: int = 0) -> Formula:
        """Something observed about bound variables: it restricts but need not bind."""
        kind = self.draw(st.integers(0, 6))
        if kind <= 2 and bound:
            return self.comparison(bound)
        fact: Formula = self.fact(bound, marks=False)
        if kind == 3:
            return fact
        if kind == 4:
            return Or(
                (fact, self.comparison(bound) if bound else Not(self.fact(bound, marks=False)))
            )
        if kind == 5:
            return self.observed_count(bound)
        return Not(fact)

    def observed_count(self, bound: set[str]) -> Formula:
        """A quantifier over facts alone."""
        fact = self.fact(marks=False)
        own = sorted(variables(fact))
        if not own:
            return fact
        chosen = own if set(own) - bound else own[: self.draw(st.integers(1, len(own)))]
        body: Formula = fact
        if self.draw(st.booleans()):
            body = And((fact, self.observed_test(set(own) | bound)))
        quantifier = self.pick(["atleast", "atmost", "exactly"])
        return Count(quantifier, self.draw(st.integers(0, 2)), tuple(map(Variable, chosen)), body)

    def member(self, bound: set[str], own: set[str]) -> Formula:
        """What a quantifier says of the label of one member."""
        subjects = [f for f in self.labels if own & set(self.pool[f.domain])] or self.labels
        function = self.pick(subjects)
        inside = own if self.draw(st.integers(0, 5)) else bound | own
        subject = self.subject(inside, function)
        kind = self.draw(st.integers(0, 5))
        if kind == 0:
            return LabelIs(subject, Variable(self.pick(sorted(bound | own))))
        if kind == 1:
            return LabelIs(subject, Variable("l", True))
        if kind == 2:
            return Not(LabelIs(subject, Constant(function.labels[0])))
        return LabelIs(subject, Constant(self.pick(function.labels)))

    def group(self, bound: set[str]) -> Formula:
        """A quantifier over labels, one for each member."""
        fact = self.fact(marks=False)
        while not variables(fact):
            fact = self.fact(marks=False)
        names = sorted(variables(fact))
        chosen = [n for n in names if n not in bound or self.draw(st.integers(0, 2)) == 0] or names
        if self.draw(st.integers(0, 7)) == 0:
            chosen = names[:1]  # what is left may be bound by nothing else
        parts: list[Formula] = [fact, self.member(bound, set(chosen))]
        if self.draw(st.integers(0, 2)) == 0:
            parts.append(self.observed_test(bound | set(names)))
        quantifier = self.pick(["atleast"] * 3 + ["atmost", "exactly"])
        limit = 1 if self.draw(st.booleans()) else self.draw(st.integers(0, 3))
        return Count(quantifier, limit, tuple(map(Variable, chosen)), And(tuple(parts)))

    def grouped(self) -> Formula:
        """A rule whose conclusion counts labels, at times beside other labels."""
        condition, bound = self.condition()
        group = self.group(bound)
        kind = self.draw(st.integers(0, 5))
        if kind == 0:
            return self.pick([group, Not(group)])
        if kind == 1:
            return And((*condition, group))
        if kind == 2:
            group = Implies(self.label_atom(bound), group)
        return Implies(condition[0] if len(condition) == 1 else And(tuple(condition)), group)

    def condition(self) -> tuple[list[Formula], set[str]]:
        """Facts, some of them alternatives over the same variables, and tests."""
        facts: list[Formula] = [self.fact() for _ in range(self.draw(st.integers(1, 2)))]
        bound = {name for fact in facts for name in variables(fact)}
        if self.draw(st.integers(0, 3)) == 0 and isinstance(facts[0], Atom):
            others = [
                Atom(d.name, facts[0].terms)
                for d in self.observed
                if d.domains == VOCABULARY.observed[facts[0].predicate].domains
            ]
            tests = [self.observed_test(bound) for _ in range(2)]
            alternatives = [And((self.pick([facts[0], *others]), test)) for test in tests]
            facts[0] = Or(tuple(alternatives))
        tests = [self.observed_test(bound) for _ in range(self.draw(st.integers(0, 1)))]
        return [*facts, *tests], bound

    def rule(self) -> Formula:
        """An implication."""
        condition, bound = self.condition()
        left = condition[0] if len(condition) == 1 else And(tuple(condition))
        return Implies(left, self.hidden(bound))

    def formula(self) -> Formula:
        """A rule, a conjunction, a clause, a prior or something less usual."""
        shapes = ["rule", "group"] * 4 + ["conjunction", "clause", "prior", "free count", "odd"]
        shape = self.pick(shapes)
        if shape == "rule":
            return self.rule()
        if shape == "group":
            return self.grouped()
        condition, bound = self.condition()
        if shape == "conjunction":
            return And((*condition, self.hidden(bound)))
        if shape == "clause":
            return Or((*map(Not, condition), self.hidden(bound)))
        if shape == "free count":
            count = self.count(bound, 1)
            return self.pick([count, Not(count)])
        if shape == "odd":
            guard = And((*condition, self.hidden(bound, 1)))
            other = And((*condition, self.hidden(bound, 1)))
            return self.pick([Or((guard, other)), Not(guard), And((Not(guard), Not(other)))])
        names = {"r"} if self.draw(st.booleans()) else {"m"}
        prior = self.hidden(names, 1)
        if not names & set(variables(prior)):
            return prior  # a comparison of what nothing binds would be no condition on anything
        return Implies(self.comparison(names), prior) if self.draw(st.booleans()) else prior


def counts_labels(formula: Formula) -> bool:
    """Whether a quantifier counts labels."""
    return any(isinstance(node, Count) and is_hidden(node) for node in walk(formula))


@st.composite
def evidence(draw: Draw, kinds: Kinds, name: str, hard: bool = False) -> Evidence:
    """One piece of evidence; hard evidence is a rule."""
    writer = Writer(draw, kinds)
    formula = writer.rule() if hard else writer.formula()
    weight: Weight = Hard() if hard else draw(st.sampled_from([Learned(1.0), Fixed(2.0)]))
    scale = None
    if not hard and "n" in variables(formula) and draw(st.booleans()):
        scale = Variable("n")
    return Evidence(name, formula, weight, scale=scale)


def other_constants(draw: Draw, evidence: Evidence, kinds: Kinds, name: str) -> Evidence:
    """The same formula with other constants of the same domains."""

    def change(term: Term) -> Term:
        if isinstance(term, Variable):
            return term
        for domain in POOL:
            values = kinds.values(domain)
            if any(type(v) is type(term.value) and v == term.value for v in values):
                return Constant(draw(st.sampled_from(values)))
        return term

    formula = map_terms(evidence.formula, change)
    return Evidence(name, formula, evidence.weight, scale=evidence.scale)


@dataclass(frozen=True)
class Case:
    """A program and the tables that it is grounded on."""

    program: Program
    tables: dict[str, Any]

    @property
    def task(self) -> Task:
        """The tables as a task."""
        return Task(self.tables)

    def __repr__(self) -> str:
        lines = [self.program.show()]
        for name, table in self.tables.items():
            rows = list(zip(*(c.to_pylist() for c in table.columns), strict=True))
            lines.append(f"{name}: {rows}")
        return "\n".join(lines)


def well_formed(pieces: Sequence[Evidence]) -> bool:
    """Whether nothing is wrong with any of them."""
    return not any(evidence_problems(piece, VOCABULARY) for piece in pieces)


@st.composite
def grounding_cases(draw: Draw, hard: bool = False, max_evidence: int = 2) -> Case:
    """A program of one or two formulas, at times with others that differ in constants alone."""
    kind = draw(kinds())
    pieces: list[Evidence] = []
    for number in range(draw(st.integers(1, max_evidence))):
        one = draw(
            evidence(kind, f"e{number}", hard and number == 0).filter(lambda e: well_formed([e]))
        )
        pieces.append(one)
        if draw(st.integers(0, 2)) == 0:
            twin = other_constants(draw, one, kind, f"e{number}_twin")
            pieces += [twin] * well_formed([twin])
    used = {n.predicate for e in pieces for n in walk(e.formula) if isinstance(n, Atom)}
    return Case(Program(DECLARATIONS, tuple(pieces)), draw(tables(kind, used)))
