"""Reading program text: statements, then trees, then nodes; every mistake is reported at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import count

from lark import Lark, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from tacit.errors import ProgramSyntaxError, TacitError, in_order, raise_all
from tacit.logic.builder import Builder, Syntax
from tacit.logic.evidence import Declaration, Evidence
from tacit.logic.program import Program
from tacit.logic.statements import MAX_NESTING, Statement, statements
from tacit.logic.vocabulary import Vocabulary
from tacit.logic.wellformed import declaration_problems, evidence_problems, name_problems

_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "FIXED": "a fixed weight such as 2.2!",
    "STRING": 'a quoted text such as "superb"',
    "OPERATOR": "a comparison",
    "LPAR": "(",
    "RPAR": ")",
    "EQUAL": "=",
    "COLON": ":",
    "COMMA": ",",
    "VBAR": "|",
    "AMPERSAND": "&",
    "BANG": "!",
    "PLUS": "+",
    "AT": "@",
    "STAR": "*",
    "TILDE": "~",
    "HARD": "hard",
    "EXPECT": "expect",
    "$END": "the end of the line",
}
_UNSAID = {"NOT_FINITE", "TRUE", "FALSE", "ATLEAST", "ATMOST", "EXACTLY", "EXISTS"}
_NEEDS_WEIGHT = "write a weight before the formula: 2.2, 2.2! (fixed), hard, or expect 0.5:"


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be read of a program text, and everything that is wrong with the rest."""

    program: Program
    problems: tuple[TacitError, ...]


def parse(text: str, source: str = "<text>") -> Program:
    """The program that a text spells; raises all its mistakes together."""
    reading = read(text, source)
    raise_all(reading.problems)
    return reading.program


def read(text: str, source: str = "<text>") -> Reading:
    """Read as much of a program text as is right, and list the mistakes in the order of lines."""
    problems: list[TacitError] = []
    trees: list[tuple[Statement, Syntax]] = []
    presumed: set[str] = set()  # names of declarations that are malformed: their uses are not
    for statement in statements(text, source):
        try:
            trees.append((statement, _tree(statement)))
        except TacitError as error:
            problems.append(error)
            presumed.update(filter(None, [statement.declared_name]))
    declarations, evidence = _build(trees, problems, presumed)
    return Reading(Program(declarations, evidence), tuple(in_order(problems)))


def _build(
    trees: list[tuple[Statement, Syntax]], problems: list[TacitError], presumed: set[str]
) -> tuple[tuple[Declaration, ...], tuple[Evidence, ...]]:
    """Build declarations, then evidence; what has a problem is left out and its problem kept."""
    declarations: list[Declaration] = []
    for statement, tree in trees:
        if tree.data != "evidence":
            try:
                declarations.append(Builder(statement).declaration(tree))
            except TacitError as error:
                problems.append(error)
                presumed.update(filter(None, [statement.declared_name]))
    faults = declaration_problems(declarations)
    problems.extend(faults)
    places = {id(fault.place) for fault in faults}
    declarations = [d for d in declarations if id(d.place) not in places]

    vocabulary = Vocabulary.of(declarations, presumed)
    unnamed = count(1)
    evidence: list[Evidence] = []
    for statement, tree in trees:
        if tree.data == "evidence":
            try:
                built = Builder(statement, vocabulary).evidence(tree, unnamed)
            except TacitError as error:
                problems.append(error)
                continue
            faults = evidence_problems(built, vocabulary)
            problems.extend(faults)
            if not faults and not vocabulary.presumes(built):
                evidence.append(built)
    twice = name_problems(evidence)
    problems.extend(twice)
    seen: Counter[str] = Counter()
    kept = [e for e in evidence if not seen.update([e.name]) and seen[e.name] == 1]
    return tuple(declarations), tuple(kept)


@cache
def _lark() -> Lark:
    grammar = files("tacit.logic").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def _tree(statement: Statement) -> Syntax:
    """The syntax tree of one statement, or a syntax error that says what was expected."""
    if statement.is_too_deep:
        raise ProgramSyntaxError(
            f"this formula nests deeper than {MAX_NESTING} levels",
            place=statement.start,
            remedy="split it into several formulas",
        )
    try:
        tree = _lark().parse(statement.text)
    except UnexpectedInput as error:
        raise _syntax_error(statement, error) from None
    (child,) = tree.children
    assert isinstance(child, Tree)
    return child


def _syntax_error(statement: Statement, error: UnexpectedInput) -> ProgramSyntaxError:
    match error:
        case UnexpectedToken() if error.token.type != "$END":
            found, width = f"'{error.token}'", len(error.token)
            line, column = error.line, error.column
            expected = set(error.accepts or error.expected)
        case UnexpectedCharacters():
            line, column, width = error.line, error.column, 1
            found = f"'{statement.text.split(chr(10))[line - 1][column - 1]}'"
            expected = set(error.allowed or ())
        case _:
            last = statement.text.split("\n")
            line, column, width = len(last), len(last[-1].rstrip()) + 1, 1
            found = ""
            expected = set(getattr(error, "accepts", ()) or getattr(error, "expected", ()))
    return ProgramSyntaxError(
        f"cannot read {found} here" if found else "the statement ends too early",
        place=statement.place(line, column, width),
        remedy=_remedy(statement, found, expected),
    )


def _remedy(statement: Statement, found: str, expected: set[str]) -> str | None:
    """What could stand there instead, in words."""
    if {"NUMBER", "HARD", "EXPECT"} <= expected:
        return _NEEDS_WEIGHT
    if found in {"'\"'", '"\'"'}:
        return "this quote is never closed"
    if {"BANG", "LPAR", "NAME"} <= expected:
        return 'expected a formula, such as token(r, "superb")'
    if expected == {"COLON"} and statement.declared_name is None:
        return "begin with label, observed, or name: weight formula"
    words = sorted(_WORDS.get(name, name.lower()) for name in expected - _UNSAID)
    return f"expected {' or '.join(words)}" if 0 < len(words) <= 6 else None
