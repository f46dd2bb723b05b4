"""The surface of Alchemy's files: comments, statements and syntax trees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from tacit.errors import BadFile, Place, ProgramSyntaxError
from tacit.logic.statements import MAX_NESTING, Statement

Node = Tree[Any] | Token

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_OPERATOR_AT_END = re.compile(r"(?:[\^,=<>!+*]|=>|(?<![\w'])v)\s*\Z")
_OPERATOR_AT_START = re.compile(r"\s*(?:[\^,)}]|=>|<=>|v(?![\w']|\s*[<>=!]))")
_NESTING = frozenset({"iff", "implies", "or", "and", "not", "quantified", "call"})


def text_and_source(
    text_or_path: str | PathLike[str], ending: str, source: str | None
) -> tuple[str, str]:
    """The text and what to call it: a path object, or one line ending like a file name, is read."""
    if isinstance(text_or_path, str):
        one_line = "\n" not in text_or_path and text_or_path.endswith(ending)
        if not one_line:
            return text_or_path, source or "<text>"
    path = Path(text_or_path)
    try:
        return path.read_text(encoding="utf-8"), source or str(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"cannot read {path}: {error}") from None


def statements(text: str, source: str) -> Iterator[Statement]:
    """The statements of a file in order, without comments.

    A statement is one line. It goes on while a bracket is open, after an operator at the end of a
    line and before one at the start of the next; an empty line always ends it.
    """
    written = text.replace("\r\n", "\n").replace("\r", "\n")
    bare = _without_comments(written, source).split("\n")
    current: list[str] = []
    first = depth = 0
    said = ""  # the last line that is not a comment
    for number, (line, original) in enumerate(zip(bare, written.split("\n"), strict=True), 1):
        is_comment = bool(original.strip()) and not line.strip()
        goes_on = is_comment or (bool(original.strip()) and (depth > 0 or _continues(said, line)))
        if current and not goes_on:
            yield Statement("\n".join(current).rstrip(), source, first)
            current, depth = [], 0
        if current or line.strip():
            first = first if current else number
            current.append(line)
            depth += _open_brackets(line)
            said = said if is_comment else line
    if current:
        yield Statement("\n".join(current).rstrip(), source, first)


def tree_of(statement: Statement) -> Tree[Any]:
    """The syntax tree of one statement, or a syntax error at its place."""
    try:
        tree = _lark().parse(statement.text)
    except UnexpectedInput as error:
        raise _syntax_error(statement, error) from None
    (child,) = tree.children
    assert isinstance(child, Tree)
    if _is_too_deep(child):
        raise ProgramSyntaxError(
            f"this formula nests deeper than {MAX_NESTING} levels",
            place=statement.start,
            remedy="split it into several formulas",
        )
    return child


def place_of(statement: Statement, node: Node) -> Place:
    """Where a token or a tree was written."""
    at = node if isinstance(node, Token) else node.meta
    line, column = cast(int, at.line), cast(int, at.column)
    width = cast(int, at.end_column) - column if at.end_line == line else 10_000
    return statement.place(line, column, width)


@cache
def _lark() -> Lark:
    grammar = files("tacit.logic").joinpath("mln.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def _without_comments(text: str, source: str) -> str:
    """The text with each comment turned into blanks, so that places stay where they are."""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        if found.startswith('"'):
            return found
        if found.startswith("/*") and not (found.endswith("*/") and len(found) >= 4):
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - text.rfind("\n", 0, match.start())
            place = Place(source, line, column, 2, text.split("\n")[line - 1])
            raise ProgramSyntaxError("this comment is never closed", place=place, remedy="add */")
        return re.sub(r"[^\n]", " ", found)

    return _STRING_OR_COMMENT.sub(blank, text)


def _open_brackets(line: str) -> int:
    """How many more brackets a line opens than it closes."""
    bare = _STRING.sub("", line)
    return sum(bare.count(c) for c in "({") - sum(bare.count(c) for c in ")}")


def _continues(said: str, line: str) -> bool:
    """Whether an operator ties a line to the one before it."""
    return bool(_OPERATOR_AT_END.search(said) or _OPERATOR_AT_START.match(line))


def _is_too_deep(tree: Tree[Any]) -> bool:
    """Whether formulas nest too deep to be built by recursion; found without recursion."""
    waiting = [(tree, 0)]
    while waiting:
        node, above = waiting.pop()
        depth = above + (node.data in _NESTING)
        if depth > MAX_NESTING:
            return True
        waiting.extend((child, depth) for child in node.children if isinstance(child, Tree))
    return False


def _syntax_error(statement: Statement, error: UnexpectedInput) -> ProgramSyntaxError:
    lines = statement.text.split("\n")
    match error:
        case UnexpectedToken() if error.token.type != "$END":
            place = place_of(statement, error.token)
            found = f"'{error.token}'"
        case UnexpectedCharacters():
            place = statement.place(error.line, error.column)
            found = f"'{lines[error.line - 1][error.column - 1]}'"
        case _:
            place = statement.place(len(lines), len(lines[-1]) + 1)
            found = "the end of the statement"
    remedy = "this quote is never closed" if found == "'\"'" else _expected(error)
    return ProgramSyntaxError(f"cannot read {found} here", place=place, remedy=remedy)


def _expected(error: UnexpectedInput) -> str | None:
    """A short remedy for the commonest slips."""
    names = set(getattr(error, "accepts", None) or getattr(error, "allowed", None) or ())
    if "CIRCUMFLEX" in names:
        return "expected ^, v, =>, <=> or the end of the formula"
    return "expected a formula" if {"BANG", "LPAR"} <= names else None
