"""From syntax trees to nodes: names become predicates, labels, variables or constants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from lark import Token, Tree

from tacit.errors import ArityMismatch, BadFormula, BadWeight, Place
from tacit.logic.evidence import (
    Declaration,
    Evidence,
    Expect,
    Fixed,
    Hard,
    LabelFunction,
    Learned,
    Normal,
    Observed,
    Origin,
)
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
    Quantifier,
    SameLabel,
    Term,
    Truth,
    Variable,
)
from tacit.logic.statements import Statement
from tacit.logic.vocabulary import Vocabulary

Syntax = Any  # a tree of the parser's; its shape is what grammar.lark says
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_MAX_DIGITS = 18  # every such integer fits a 64-bit column


class Builder:
    """Builds the nodes of one statement; the vocabulary tells labels from observed predicates."""

    def __init__(self, statement: Statement, vocabulary: Vocabulary | None = None) -> None:
        self.statement = statement
        self.vocabulary = vocabulary or Vocabulary.of(())

    # -- places ---------------------------------------------------------------------------------

    def place(self, node: Syntax) -> Place:
        """Where a token or a tree was written."""
        at = node if isinstance(node, Token) else node.meta
        line, column = cast(int, at.line), cast(int, at.column)
        same_line = at.end_line == line
        width = cast(int, at.end_column) - column if same_line else 10_000
        return self.statement.place(line, column, width)

    # -- declarations ---------------------------------------------------------------------------

    def declaration(self, tree: Syntax) -> Declaration:
        """A label function or an observed predicate."""
        if tree.data == "label_declaration":
            name, domain, *labels = tree.children
            names = tuple(_text(label.children[0]) for label in labels)
            return LabelFunction(str(name), str(domain), names, place=self.place(name))
        name, *domains = tree.children
        return Observed(str(name), tuple(map(str, domains)), place=self.place(name))

    # -- evidence -------------------------------------------------------------------------------

    def evidence(self, tree: Syntax, unnamed: Iterator[int]) -> Evidence:
        """A weighted formula; without a name it is called rule1, rule2, ..."""
        children = list(tree.children)
        token = children.pop(0) if isinstance(children[0], Token) else None
        name = str(token) if token is not None else f"rule{next(unnamed)}"
        place = self.place(token) if token is not None else self.statement.start
        strength, body, *rest = children
        weight, prior, scale = self.strength(strength)
        origin = self.origin(rest[0]) if rest else Origin()
        formula = self.formula(body)
        return Evidence(name, formula, weight, prior, scale, origin, place=place)

    def strength(
        self, tree: Syntax
    ) -> tuple[Learned | Fixed | Hard | Expect, Normal | None, Variable | None]:
        """The weight, its prior and its scale."""
        place = self.place(tree) if tree.children else None
        if tree.data == "hard":
            return Hard(), None, None
        if tree.data == "expect":
            share, *margin = (self.number(child) for child in tree.children)
            return Expect(share, *margin, place=place), None, None
        prior, scale = None, None
        for extra in tree.children[1:]:
            if extra.data == "scale":
                (variable,) = extra.children
                scale = Variable(str(variable), place=self.place(variable))
            else:
                mean, deviation = (self.number(child) for child in extra.children)
                prior = Normal(mean, deviation, place=self.place(extra))
        first = tree.children[0]
        if tree.data == "fixed":
            return Fixed(float(first[:-1]), place=self.place(first)), prior, scale
        return Learned(self.number(first), place=self.place(first)), prior, scale

    def number(self, tree: Syntax) -> float:
        """A number of a weight, prior or expectation."""
        (token,) = tree.children
        if token.type == "NOT_FINITE":
            raise BadWeight(
                f"a weight cannot be {token}",
                place=self.place(token),
                remedy="use a finite number, or 'hard' for a formula that must hold",
            )
        return float(token)

    def origin(self, tree: Syntax) -> Origin:
        """Where the evidence came from."""
        kind, *facts = tree.children
        pairs = tuple((str(fact.children[0]), self.value(fact.children[1])) for fact in facts)
        return Origin(str(kind), pairs)

    # -- formulas -------------------------------------------------------------------------------

    def formula(self, tree: Syntax) -> Formula:
        """A formula node and everything below it."""
        place = self.place(tree)
        parts = tree.children
        match tree.data:
            case "and":
                return And(tuple(self.formula(part) for part in parts), place=place)
            case "or":
                return Or(tuple(self.formula(part) for part in parts), place=place)
            case "implies":
                return Implies(self.formula(parts[0]), self.formula(parts[1]), place=place)
            case "iff":
                return Iff(self.formula(parts[0]), self.formula(parts[1]), place=place)
            case "not":
                return Not(self.formula(parts[0]), place=place)
            case "truth":
                return Truth(parts[0] == "true", place=place)
            case "count":
                return self.count(tree)
            case "call":
                return self.atom(tree)
            case _:
                return self.comparison(tree)

    def count(self, tree: Syntax) -> Count:
        """`exists c: ...` and its relatives."""
        quantifier, *names, body = tree.children
        kind, number = "atleast", 1
        if quantifier.children:
            kind, digits = str(quantifier.children[0]), quantifier.children[1]
            number = self.whole_number(digits)
        variables = tuple(Variable(str(name), place=self.place(name)) for name in names)
        place = self.place(tree)
        return Count(cast(Quantifier, kind), number, variables, self.formula(body), place=place)

    def whole_number(self, token: Token) -> int:
        """How many, after atleast, atmost and exactly."""
        if not token.isdecimal() or len(token) > _MAX_DIGITS:
            raise BadFormula(f"cannot count to {token}", place=self.place(token))
        return int(token)

    def atom(self, tree: Syntax) -> Atom:
        """An observed atom."""
        name, *arguments = tree.children
        if name in self.vocabulary.labels:
            first = self.vocabulary.labels[name].labels[0]
            raise BadFormula(
                f"'{name}' is a label function; alone it is neither true nor false",
                place=self.place(tree),
                remedy=f"compare it, such as {name}(...) = {first}",
            )
        terms = tuple(self.term(argument) for argument in arguments)
        return Atom(str(name), terms, place=self.place(tree))

    def comparison(self, tree: Syntax) -> Formula:
        """A label compared with a label or a value, or two observed values compared."""
        place = self.place(tree)
        operator = {"equal": "=", "unequal": "!="}.get(tree.data)
        if operator is None:
            left, token, right = tree.children
            operator = str(token)
        else:
            left, right = tree.children
        if left.data == "term" and right.data == "call":
            left, right = right, left  # pos = sentiment(r)
            operator = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(operator, operator)
        if left.data == "term":
            pair = self.term(left), self.term(right)
            return Comparison(pair[0], cast(Operator, operator), pair[1], place=place)
        if operator not in ("=", "!="):
            raise BadFormula(
                f"labels have no order: '{operator}' cannot compare them",
                place=place,
                remedy="use = or !=",
            )
        equal = self.label_equality(left, right, place)
        return equal if operator == "=" else Not(equal, place=place)

    def label_equality(self, left: Syntax, right: Syntax, place: Place) -> Formula:
        """`sentiment(r) = sentiment(s)` or `sentiment(r) = value`."""
        subject = self.label_of(left)
        if right.data == "call":
            return SameLabel(subject, self.label_of(right), place=place)
        return LabelIs(subject, self.term(right, label=True), place=place)

    def label_of(self, tree: Syntax) -> LabelOf:
        """The hidden label of an instance."""
        name, *arguments = tree.children
        if name in self.vocabulary.observed:
            raise BadFormula(
                f"'{name}' is observed, true or false; it has no label to compare",
                place=self.place(tree),
                remedy=f"write {name}(...) alone, or !{name}(...)",
            )
        if len(arguments) != 1:
            raise ArityMismatch(
                f"label function '{name}' takes 1 argument, here it has {len(arguments)}",
                place=self.place(tree),
            )
        return LabelOf(str(name), self.term(arguments[0]), place=self.place(tree))

    def term(self, tree: Syntax, *, label: bool = False) -> Term:
        """A variable or a constant; a bare name that is a label is that constant."""
        (child,) = tree.children
        place = self.place(tree)
        if isinstance(child, Tree):
            return Variable(str(child.children[0]), per_value=True, place=place)
        if child.type == "NAME" and child not in self.vocabulary.label_names:
            return Variable(str(child), place=place)
        if label:
            return Constant(_text(child), place=place)
        return Constant(self.value(child), place=place)

    def value(self, token: Token) -> str | int | float | bool:
        """The value of a constant."""
        if token.type in ("TRUE", "FALSE"):
            return str(token) == "true"
        if token.type != "NUMBER":
            return _text(token)
        if re.fullmatch(r"-?\d+", token):
            if len(token.lstrip("-")) > _MAX_DIGITS:
                raise BadFormula(
                    f"the number {token[:20]}... is too large",
                    place=self.place(token),
                    remedy="quote it if it is an identifier",
                )
            return int(token)
        return float(token)


def _text(token: Token) -> str:
    """The text that a token stands for: quotes gone, escapes resolved."""
    if token.type != "STRING":
        return str(token)
    return _ESCAPE.sub(_unescape, token[1:-1])


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPES.get(code, match[0])  # an unknown escape, as in "\d+", stays as it is
