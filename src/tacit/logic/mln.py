"""Reading Markov logic as Alchemy writes it: `.mln` files into programs, `.db` files into tables.

Names are mapped predictably (`table_name`): `HasWord(doc, word)` becomes `has_word(doc, word)`. A
query predicate becomes a label function: `Smokes(person)` is `label smokes(person) = false | true`,
and `Topic(paper, category!)` is `label topic(paper) = ...` with the constants of `category`. All
other predicates are observed. Formulas are called f1, f2, ... in the order of the file. Each keeps
its weight as one formula, where Alchemy would split it over the clauses of a conjunction.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from lark import Token, Tree

from tacit.errors import (
    DuplicateName,
    ProgramSyntaxError,
    TacitError,
    TacitWarning,
    raise_all,
)
from tacit.logic.evidence import Declaration, Evidence, Hard, Learned, Observed, Weight
from tacit.logic.formula import Atom, Formula, Value
from tacit.logic.mln_db import read_db
from tacit.logic.mln_domains import bound_to_domains
from tacit.logic.mln_formula import MlnBuilder, Roles, function_error, is_variable
from tacit.logic.mln_signature import (
    Predicate,
    check_names,
    chosen_query,
    domain_predicate,
    label_function,
    observed,
    read_predicate,
    read_type,
    table_name,
    value_of,
)
from tacit.logic.mln_syntax import place_of, statements, text_and_source, tree_of
from tacit.logic.program import Program
from tacit.logic.statements import Statement
from tacit.logic.traverse import is_hidden, walk

__all__ = ["read_constants", "read_db", "read_mln"]


@dataclass(slots=True)
class _File:
    """What was read of a file so far."""

    types: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    predicates: dict[str, Predicate] = field(default_factory=dict)
    formulas: list[tuple[Statement, Tree[Any]]] = field(default_factory=list)


def read_mln(
    text_or_path: str | PathLike[str], *, query: Sequence[str] = (), source: str | None = None
) -> Program:
    """The program that a `.mln` file spells; raises its mistakes together.

    `query` names the hidden predicates; without it they are those declared with `!`. A formula
    about observed predicates only cannot change any label: it is left out, with a warning.
    """
    file = _read(*text_and_source(text_or_path, ".mln", source))
    chosen = chosen_query(file.predicates, query)
    constants = _constants(file)
    labels = {name: label_function(file.predicates[name], constants[name]) for name in chosen}
    roles = Roles(file.predicates, labels)
    declarations: list[Declaration] = [
        labels[name] if name in labels else observed(predicate)
        for name, predicate in file.predicates.items()
    ]
    check_names(file.predicates, declarations)
    evidence = _evidence(file, roles)
    return Program((*declarations, *_domain_declarations(evidence, roles)), tuple(evidence))


def read_constants(
    text_or_path: str | PathLike[str], *, source: str | None = None
) -> dict[str, tuple[Value, ...]]:
    """The constants that a `.mln` file declares for each type, by the type's name in a program."""
    file = _read(*text_and_source(text_or_path, ".mln", source))
    return {table_name(name): constants for name, constants in file.types.items()}


def _read(text: str, source: str) -> _File:
    """Sort the statements of a file into types, predicates and formulas."""
    file = _File()
    problems: list[TacitError] = []
    for statement in statements(text, source):
        try:
            _add(file, statement, tree_of(statement))
        except TacitError as error:
            problems.append(error)
    raise_all(problems)
    return file


def _add(file: _File, statement: Statement, tree: Tree[Any]) -> None:
    place = place_of(statement, tree)
    if tree.data == "include":
        raise ProgramSyntaxError(
            "#include is not read", place=place, remedy="copy the included file into this one"
        )
    if tree.data == "function":
        raise function_error(str(tree.children[1].children[0]), place)
    if tree.data == "type_declaration":
        name, constants = read_type(statement, tree)
        file.types[name] = tuple(dict.fromkeys((*file.types.get(name, ()), *constants)))
    elif _is_declaration(tree, file.predicates):
        predicate = read_predicate(statement, tree.children[0])
        if predicate.name in file.predicates:
            raise DuplicateName(
                f"'{predicate.name}' is declared twice",
                place=place,
                remedy="keep one; for a formula, name its variables differently from the types",
            )
        file.predicates[predicate.name] = predicate
    else:
        file.formulas.append((statement, tree))


def _is_declaration(tree: Tree[Any], declared: Mapping[str, Predicate]) -> bool:
    """Whether a statement declares a predicate: one atom of bare names, not seen before.

    Of a declared predicate the same text is a formula, unless it repeats the declaration.
    """
    first: Any = tree.children[0]
    if len(tree.children) > 1 or not isinstance(first, Tree) or first.data != "call":
        return False
    parts: list[Any] = first.children
    name, *arguments = parts
    if any(argument.data == "exclusive" for argument in arguments):
        return True
    tokens = [argument.children[0] for argument in arguments]
    if not all(isinstance(token, Token) and is_variable(token) for token in tokens):
        return False
    known = declared.get(name)
    return known is None or known.types == tuple(map(str, tokens))


def _constants(file: _File) -> dict[str, tuple[Value, ...]]:
    """For each predicate with labels, their constants: those declared, then those in formulas."""
    by_type: dict[str, dict[Value, None]] = {
        name: dict.fromkeys(constants) for name, constants in file.types.items()
    }
    for _, tree in file.formulas:
        for call in tree.find_data("call"):
            parts: list[Any] = call.children
            name, *arguments = parts
            kinds = file.predicates[name].types if name in file.predicates else ()
            for argument, kind in zip(arguments, kinds, strict=False):
                token = argument.children[0]
                if argument.data == "term" and isinstance(token, Token) and not is_variable(token):
                    by_type.setdefault(kind, {})[value_of(token)] = None
    return {
        name: tuple(by_type.get(predicate.types[position], ()))
        for name, predicate in file.predicates.items()
        for position in predicate.exclusive or (0,)
    }


def _evidence(file: _File, roles: Roles) -> list[Evidence]:
    """The formulas about labels as evidence; all mistakes are raised together."""
    found: list[Evidence] = []
    problems: list[TacitError] = []
    for number, (statement, tree) in enumerate(file.formulas, start=1):
        try:
            weight, formula = _weighted(statement, tree, roles)
        except TacitError as error:
            problems.append(error)
            continue
        if is_hidden(formula):
            piece = Evidence(f"f{number}", formula, weight, place=statement.start)
            found.append(piece)
        else:
            _warn_about_observed(number, statement)
    raise_all(problems)
    return found


def _weighted(statement: Statement, tree: Tree[Any], roles: Roles) -> tuple[Weight, Formula]:
    """The weight and the formula of one statement."""
    marks = {child.type: child for child in tree.children if isinstance(child, Token)}
    (body,) = (child for child in tree.children if isinstance(child, Tree))
    if len(marks) == 2:
        raise ProgramSyntaxError(
            "a formula with a weight cannot end in a period as well",
            place=place_of(statement, marks["PERIOD"]),
            remedy="drop the weight if it must always hold, else the period",
        )
    weight: Weight = Learned(0.0)  # neither a weight nor a period: to be learned from nothing
    if "WEIGHT" in marks:
        token = marks["WEIGHT"]
        weight = Learned(float(token), place=place_of(statement, token))
    elif "PERIOD" in marks:
        weight = Hard()
    formula = MlnBuilder(statement, roles).build(body)
    return weight, bound_to_domains(formula, roles) if is_hidden(formula) else formula


def _warn_about_observed(number: int, statement: Statement) -> None:
    place = statement.start
    warnings.warn(
        f"formula f{number} ({place.source}:{place.line}) speaks of no query predicate, so it says "
        "nothing about a label and is left out; add its predicates to `query` if they are hidden",
        TacitWarning,
        stacklevel=4,  # the caller of read_mln
    )


def _domain_declarations(evidence: Sequence[Evidence], roles: Roles) -> list[Observed]:
    """Declarations of the domain predicates that formulas needed."""
    used = {n.predicate for e in evidence for n in walk(e.formula) if isinstance(n, Atom)}
    kinds = dict.fromkeys(kind for p in roles.predicates.values() for kind in p.types)
    return [
        Observed(domain_predicate(kind), (table_name(kind),))
        for kind in kinds
        if domain_predicate(kind) in used
    ]
