"""From Alchemy's formulas to tacit's: atoms of query predicates become label atoms."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from lark import Token, Tree

from tacit.errors import (
    ArityMismatch,
    Place,
    ProgramSyntaxError,
    UnknownPredicate,
    did_you_mean,
    listed,
)
from tacit.logic.evidence import LabelFunction
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
    Operator,
    Or,
    Term,
    Variable,
    is_identifier,
)
from tacit.logic.mln_signature import Predicate, table_name, value_of
from tacit.logic.mln_syntax import Node, place_of
from tacit.logic.statements import Statement


@dataclass(frozen=True, slots=True)
class Roles:
    """Which declared predicates are observed, and which are labels."""

    predicates: Mapping[str, Predicate]  # all of them, by written name
    labels: Mapping[str, LabelFunction]  # the query predicates, by written name

    @property
    def label_names(self) -> frozenset[str]:
        """The labels of all label functions: names that no variable may have."""
        return frozenset(name for function in self.labels.values() for name in function.labels)

    @property
    def tables(self) -> frozenset[str]:
        """The tables whose rows have labels."""
        return frozenset(function.domain for function in self.labels.values())


@dataclass(slots=True)
class MlnBuilder:
    """Builds the formula of one statement."""

    statement: Statement
    roles: Roles
    names: Mapping[str, str] = field(default_factory=dict)  # of variables: written -> allowed

    def build(self, tree: Tree[Any]) -> Formula:
        """A whole formula; `FORALL` around all of it says nothing new and is dropped."""
        self.names = _variable_names(tree, self.roles.label_names)
        parts: list[Any] = tree.children
        while tree.data == "quantified" and parts[0].lower() == "forall":
            tree = parts[-1]
            parts = tree.children
        return self.formula(tree)

    def formula(self, tree: Tree[Any]) -> Formula:
        """A formula node and everything below it."""
        place = self.place(tree)
        parts: list[Any] = tree.children
        match tree.data:
            case "and" | "or":
                kind = And if tree.data == "and" else Or
                return kind(tuple(self.formula(part) for part in parts), place=place)
            case "implies" | "iff":
                arrow = Implies if tree.data == "implies" else Iff
                return arrow(self.formula(parts[0]), self.formula(parts[1]), place=place)
            case "not":
                return Not(self.formula(parts[0]), place=place)
            case "quantified":
                return self.quantified(tree)
            case "comparison":
                left, operator, right = parts
                sides = self.term(left), self.term(right)
                return Comparison(sides[0], cast(Operator, str(operator)), sides[1], place=place)
            case "star":
                raise ProgramSyntaxError(
                    "'*' before a predicate, for the formula and its negation, is not read",
                    place=place,
                    remedy="write the two formulas out",
                )
            case _:
                return self.atom(tree)

    def quantified(self, tree: Tree[Any]) -> Formula:
        """`EXIST x f`; `FORALL x f` within a formula is `!(EXIST x !f)`."""
        parts: list[Any] = tree.children
        quantifier, *names, body = parts
        place = self.place(tree)
        bound = tuple(self.variable(name) for name in dict.fromkeys(names))
        part = self.formula(body)
        if quantifier.lower() == "forall":
            return Not(Count("atleast", 1, bound, Not(part), place=place), place=place)
        return Count("atleast", 1, bound, part, place=place)

    def atom(self, tree: Tree[Any]) -> Formula:
        """An observed atom, or a label atom where the predicate is a query."""
        parts: list[Any] = tree.children
        token, *arguments = parts
        predicate = self.predicate(token)
        if len(arguments) != len(predicate.types):
            raise ArityMismatch(
                f"'{token}' has {len(arguments)} arguments here; it takes {len(predicate.types)}",
                place=self.place(tree),
                remedy=f"it is declared as {token}({', '.join(predicate.types)})",
            )
        terms = tuple(self.term(argument) for argument in arguments)
        place = self.place(tree)
        if token not in self.roles.labels:
            return Atom(table_name(token), terms, place=place)
        if len(terms) == 1:
            subject = LabelOf(table_name(token), terms[0], place=place)
            return LabelIs(subject, Constant("true"), place=place)
        (position,) = predicate.exclusive
        subject = LabelOf(table_name(token), terms[1 - position], place=place)
        return LabelIs(subject, _as_label(terms[position]), place=place)

    def predicate(self, token: Token) -> Predicate:
        """The declared predicate of that name."""
        declared = self.roles.predicates
        if token not in declared:
            raise UnknownPredicate(
                f"'{token}' is not declared; declared: {listed(declared)}",
                place=self.place(token),
                remedy=did_you_mean(token, declared) or f"declare it: {token}(type, ...)",
            )
        return declared[token]

    def term(self, tree: Tree[Any]) -> Term:
        """A variable where the name begins in lower case, else a constant."""
        child: Any = tree.children[0]
        if tree.data == "call":
            raise function_error(str(child), self.place(tree))
        if tree.data == "exclusive":
            raise ProgramSyntaxError(
                "'!' behind an argument belongs to a predicate's declaration",
                place=self.place(tree),
                remedy=f"write {child} alone",
            )
        if isinstance(child, Tree):
            name: Any = child.children[0]
            return replace(self.variable(name), per_value=True)
        if is_variable(child):
            return self.variable(child)
        return Constant(value_of(child), place=self.place(child))

    def variable(self, token: Token) -> Variable:
        """A variable under a name that programs allow."""
        name = self.names.get(token, token)
        return Variable(str(name), place=self.place(token))

    def place(self, node: Node) -> Place:
        """Where a token or a tree was written."""
        return place_of(self.statement, node)


def is_variable(token: Token) -> bool:
    """Whether a token is a name that does not begin with a capital."""
    return token.type == "NAME" and not token[0].isupper()


def function_error(name: str, place: Place) -> ProgramSyntaxError:
    """The refusal of a function, whether declared or used."""
    return ProgramSyntaxError(
        f"'{name}' is used as a function; functions are not read",
        place=place,
        remedy="declare a predicate with one argument more for the function's value",
    )


def _as_label(term: Term) -> Term:
    """A label's name is always a text."""
    return Constant(str(term.value), place=term.place) if isinstance(term, Constant) else term


def _variable_names(tree: Tree[Any], taken: Collection[str]) -> dict[str, str]:
    """Names that programs allow for all variables of a formula; most stay as they are."""
    tokens = tree.scan_values(lambda token: isinstance(token, Token) and is_variable(token))
    names: dict[str, str] = {str(token): str(token) for token in tokens}
    for written in names:
        new = written.replace("'", "_")
        while not is_identifier(new) or new in taken or (new != written and _used(new, names)):
            new += "_"
        names[written] = new
    return names


def _used(name: str, names: Mapping[str, str]) -> bool:
    return name in names or name in names.values()
