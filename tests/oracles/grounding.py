"""Grounding by definition: nested loops over all bindings, one ground formula for each.

A variable ranges over the values of its domain: everything in columns declared with that domain,
and the ids of the table of that name. A variable that stands only for label values ranges over the
labels of the label functions that it is compared with. Rows with a null are no facts, repeated rows
are one.

A label atom about something that is no instance is not defined. A binding that leaves a label atom
outside every quantifier undefined is no grounding; one that leaves a label atom inside a quantifier
undefined is no member of what the quantifier counts.

What is compared is how the number of true groundings of each weight moves with the labels: the
compiler may drop groundings whose truth no label can change.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from tacit.data import Task
from tacit.grounding.factors import GroundFactors
from tacit.logic.evidence import Evidence
from tacit.logic.formula import (
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
    Variable,
)
from tacit.logic.normal import simplify
from tacit.logic.program import Program
from tacit.logic.traverse import per_value_variables, variables, walk
from tacit.logic.vocabulary import Vocabulary

Instance = tuple[str, int]  # label function, row
Assignment = Mapping[Instance, str]
WeightKey = tuple[str, tuple[object, ...]]
Binding = Mapping[str, Any]
Ground = Any  # True, False, or a tuple: see `_ground`

_COMPARE = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class GroundFormula:
    """One grounding: which weight it counts for, how often, and its truth given the labels."""

    weight: WeightKey
    times: float
    formula: Ground

    @property
    def depends_on_labels(self) -> bool:
        """Whether the formula still holds a label atom."""
        return not isinstance(self.formula, bool)


@dataclass(frozen=True)
class Oracle:
    """A program on a task's tables, grounded by nested loops."""

    program: Program
    task: Task

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary.of(self.program.declarations)

    @cached_property
    def facts(self) -> dict[str, set[tuple[Any, ...]]]:
        """The tuples of each predicate."""
        found: dict[str, set[tuple[Any, ...]]] = {}
        for declared in self.vocabulary.observed.values():
            if not self.task.has(declared.name):
                continue
            columns = self.task.table(declared.name).arrow.columns[: declared.arity]
            rows = zip(*(column.to_pylist() for column in columns), strict=True)
            found[declared.name] = {row for row in rows if None not in row}
        return found

    @cached_property
    def domains(self) -> dict[str, tuple[Any, ...]]:
        """The values of each domain."""
        values: dict[str, dict[Any, None]] = defaultdict(dict)
        for function in self.program.labels.values():
            values[function.domain].update(
                dict.fromkeys(self.task.instances(function.domain).ids.to_pylist())
            )
        for declared in self.vocabulary.observed.values():
            for row in sorted(self.facts.get(declared.name, ()), key=repr):
                for domain, value in zip(declared.domains, row, strict=True):
                    values[domain][value] = None
        return {domain: tuple(found) for domain, found in values.items()}

    @cached_property
    def row_of(self) -> dict[tuple[str, Any], int]:
        """The row of each instance of each label function."""
        return {
            (function.name, instance): row
            for function in self.program.labels.values()
            for row, instance in enumerate(self.task.instances(function.domain).ids.to_pylist())
        }

    @property
    def instances(self) -> list[Instance]:
        """Every label variable."""
        return [(function, row) for (function, _), row in self.row_of.items()]

    def range_of(self, name: str, formula: Formula) -> tuple[Any, ...]:
        """The values that a variable of a formula ranges over."""
        labels: dict[str, None] = {}
        for node in walk(formula):
            match node:
                case Atom(predicate, terms):
                    declared = self.vocabulary.observed[predicate]
                    for term, domain in zip(terms, declared.domains, strict=True):
                        if isinstance(term, Variable) and term.name == name:
                            return self.domains.get(domain, ())
                case LabelIs(subject, value):
                    function = self.program.labels[subject.label]
                    if isinstance(value, Variable) and value.name == name:
                        labels.update(dict.fromkeys(function.labels))
                    if isinstance(subject.item, Variable) and subject.item.name == name:
                        return self.domains[function.domain]
                case SameLabel(left, right):
                    for side in (left, right):
                        if isinstance(side.item, Variable) and side.item.name == name:
                            return self.domains[self.program.labels[side.label].domain]
                case _:
                    pass
        return tuple(labels)

    def bindings(self, names: Sequence[str], formula: Formula) -> Iterator[dict[str, Any]]:
        """Every way to give values to some variables of a formula."""
        ranges = [self.range_of(name, formula) for name in names]
        for values in product(*ranges):
            yield dict(zip(names, values, strict=True))

    def groundings(self, evidence: Evidence) -> Iterator[GroundFormula]:
        """Every grounding of a piece of evidence, with those that no label can change."""
        formula = evidence.formula
        simple = simplify(formula)  # y(r) = y(r) says nothing about r, not even that it is there
        keys = per_value_variables(formula)
        names = tuple(dict.fromkeys([*variables(simple), *keys]))
        for binding in self.bindings(names, formula):
            if not self._is_defined(simple, binding):
                continue
            ground = self.ground(simple, binding)
            times = float(binding[evidence.scale.name]) if evidence.scale else 1.0
            weight = evidence.name, tuple(binding[key] for key in keys)
            yield GroundFormula(weight, times, ground)

    @cached_property
    def ground_formulas(self) -> list[GroundFormula]:
        """All groundings that depend on labels."""
        return [
            ground
            for evidence in self.program.evidence
            for ground in self.groundings(evidence)
            if ground.depends_on_labels
        ]

    def counts(self, assignment: Assignment) -> dict[WeightKey, float]:
        """How many groundings of each weight are true."""
        found: dict[WeightKey, float] = defaultdict(float)
        for one in self.ground_formulas:
            found[one.weight] += one.times * holds(one.formula, assignment)
        return found

    def ground(self, formula: Formula, binding: Binding) -> Ground:
        """A formula with its variables replaced and every fact decided."""
        match formula:
            case Truth(value):
                return value
            case Atom(predicate, terms):
                return tuple(_value(term, binding) for term in terms) in self.facts[predicate]
            case Comparison(left, operator, right):
                return bool(_COMPARE[operator](_value(left, binding), _value(right, binding)))
            case LabelIs(subject, value):
                return ("is", self._instance(subject, binding), as_label(_value(value, binding)))
            case SameLabel(left, right):
                return ("same", self._instance(left, binding), self._instance(right, binding))
            case Not(part):
                return _not(self.ground(part, binding))
            case And(parts):
                return _all([self.ground(part, binding) for part in parts])
            case Or(parts):
                return _not(_all([_not(self.ground(part, binding)) for part in parts]))
            case Implies(condition, conclusion):
                return self.ground(Or((Not(condition), conclusion)), binding)
            case Iff(left, right):
                both = And((left, right))
                neither = And((Not(left), Not(right)))
                return self.ground(Or((both, neither)), binding)
            case Count(quantifier, count, bound, body):
                names = [variable.name for variable in bound]
                members = [{**binding, **own} for own in self.bindings(names, body)]
                inside = [self.ground(body, m) for m in members if self._is_defined(body, m)]
                return _count(quantifier, count, inside)
            case _:
                raise TypeError(f"no such formula: {formula!r}")

    def _instance(self, subject: LabelOf, binding: Binding) -> Instance:
        return subject.label, self.row_of[subject.label, _value(subject.item, binding)]

    def _is_defined(self, formula: Formula, binding: Binding) -> bool:
        """Whether every label atom outside quantifiers is about an instance."""
        subjects = outer_subjects(formula)
        return all((s.label, _value(s.item, binding)) in self.row_of for s in subjects)


def outer_subjects(formula: Formula) -> Iterator[LabelOf]:
    """Whose labels a formula speaks of outside its quantifiers."""
    match formula:
        case LabelIs(subject, _):
            yield subject
        case SameLabel(left, right):
            yield from (left, right)
        case Not(part):
            yield from outer_subjects(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from outer_subjects(part)
        case Implies(first, second) | Iff(first, second):
            yield from outer_subjects(first)
            yield from outer_subjects(second)
        case _:
            pass


def as_label(value: object) -> str:
    """A value as a label: whole numbers and truth values count as their text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def holds(ground: Ground, assignment: Assignment) -> bool:
    """The truth of a ground formula under an assignment of labels."""
    match ground:
        case bool():
            return ground
        case ("is", instance, label):
            return assignment[instance] == label
        case ("same", first, second):
            return assignment[first] == assignment[second]
        case ("not", part):
            return not holds(part, assignment)
        case ("and", parts):
            return all(holds(part, assignment) for part in parts)
        case ("count", quantifier, limit, members):
            number = sum(holds(member, assignment) for member in members)
            return bool({"atleast": ge, "atmost": le, "exactly": eq}[quantifier](number, limit))
        case _:
            raise TypeError(f"no such ground formula: {ground!r}")


def mentioned(ground: Ground) -> set[Instance]:
    """The instances whose labels a ground formula names."""
    match ground:
        case ("is", instance, _):
            return {instance}
        case ("same", first, second):
            return {first, second}
        case ("not", part):
            return mentioned(part)
        case ("and", parts) | ("count", _, _, parts):
            return set().union(*(mentioned(part) for part in parts))
        case _:
            return set()


def _value(term: Term, binding: Binding) -> Any:
    return term.value if isinstance(term, Constant) else binding[term.name]


def _not(part: Ground) -> Ground:
    return not part if isinstance(part, bool) else ("not", part)


def _all(parts: list[Ground]) -> Ground:
    if any(part is False for part in parts):
        return False
    left = [part for part in parts if part is not True]
    return ("and", left) if left else True


def _count(quantifier: str, limit: int, members: list[Ground]) -> Ground:
    if all(isinstance(member, bool) for member in members):
        return holds(("count", quantifier, limit, members), {})
    return ("count", quantifier, limit, members)


# -- what the ground factors say -------------------------------------------------------------------


@dataclass(frozen=True)
class FactorCounts:
    """Reads ground factors back as the number of true groundings of each weight."""

    factors: GroundFactors

    @cached_property
    def keys(self) -> list[WeightKey]:
        """The evidence and the key of each weight."""
        weights = self.factors.weights
        return [
            (block.evidence.name, block.key_of(i))
            for block in weights.blocks
            for i in range(block.n_weights)
        ]

    @cached_property
    def variable(self) -> list[Instance]:
        """The instance behind each label variable."""
        variables = self.factors.variables
        return [
            (function.name, row)
            for function, instances in zip(variables.functions, variables.instances, strict=True)
            for row in range(len(instances))
        ]

    def codes(self, assignment: Assignment) -> list[int]:
        """The code of the label of each variable."""
        labels = self.factors.variables.labels
        return [labels[name].index(assignment[name, row]) for name, row in self.variable]

    def counts(self, assignment: Assignment) -> dict[WeightKey, float]:
        """How many groundings of each weight are true, but for those that were dropped."""
        factors = self.factors
        code = self.codes(assignment)
        sizes = [len(factors.variables.labels[name]) for name, _ in self.variable]
        state_of = [sum(sizes[:i]) + code[i] for i in range(len(code))]
        chosen = set(state_of)
        total = [0.0] * factors.weights.n_weights
        matrix = factors.counts.tocoo()
        for state, weight, count in zip(matrix.row, matrix.col, matrix.data, strict=True):
            total[weight] += count * (int(state) in chosen)
        for block in factors.tables:
            for members, weight, count in zip(
                block.variables.tolist(), block.weight, block.count, strict=True
            ):
                total[weight] += count * bool(block.truth[tuple(code[v] for v in members)])
        for group in factors.groups:
            counts = getattr(group, "count", None)
            for i, weight in enumerate(group.weight):
                inside = range(group.first_member[i], group.first_member[i + 1])
                number = sum(
                    bool(
                        group.state_sets[group.set_of_member[j]][code[group.variable_of_member[j]]]
                    )
                    for j in inside
                )
                compare = {"atleast": ge, "atmost": le, "exactly": eq}[group.quantifier]
                times = 1.0 if counts is None else float(counts[i])
                total[weight] += times * bool(compare(number, group.limit))
        assert len(set(self.keys)) == len(self.keys)
        return dict(zip(self.keys, total, strict=True))


def assignments(oracle: Oracle) -> Iterator[dict[Instance, str]]:
    """Every way to label everything."""
    spaces = [oracle.program.labels[function].labels for function, _ in oracle.instances]
    for labels in product(*spaces):
        yield dict(zip(oracle.instances, labels, strict=True))


def n_assignments(oracle: Oracle) -> int:
    """How many ways there are to label everything."""
    return math.prod(len(oracle.program.labels[f].labels) for f, _ in oracle.instances)


def some_assignments(oracle: Oracle, most: int = 24) -> list[dict[Instance, str]]:
    """All assignments where they are few, else random ones."""
    if n_assignments(oracle) <= most:
        return list(assignments(oracle))
    rng = random.Random(7)
    spaces = {name: function.labels for name, function in oracle.program.labels.items()}
    return [{i: rng.choice(spaces[i[0]]) for i in oracle.instances} for _ in range(most)]


def differences(
    oracle: Oracle, factors: GroundFactors, chosen: Sequence[Assignment]
) -> list[tuple[WeightKey, Assignment, float, float]]:
    """Where the counts move differently from the first assignment to another: expected, actual."""
    reader = FactorCounts(factors)
    found = []
    wanted, given = ([side.counts(a) for a in chosen] for side in (oracle, reader))
    for at in range(1, len(chosen)):
        for key in {*wanted[at], *given[at]}:
            expected = wanted[at].get(key, 0.0) - wanted[0].get(key, 0.0)
            actual = given[at].get(key, 0.0) - given[0].get(key, 0.0)
            if not math.isclose(expected, actual, abs_tol=1e-9):
                found.append((key, chosen[at], expected, actual))
    return found
