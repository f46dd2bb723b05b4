"""Where a key stands in a TOML text, since the standard reader does not say."""

from __future__ import annotations

import re
import tomllib
from typing import Literal

from tacit.errors import BadFile, Place

_SECTION = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")
_VALUE = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^#]*[^#\s])""")
_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_AT_END = " (at end of document)"

Part = Literal["key", "value"]


def place_of(text: str, source: str, path: tuple[str, ...], part: Part = "value") -> Place:
    """The place of a key or of its value; of the nearest enclosing section if it is not found."""
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _SECTION.match(line):
            section = _parts(header[1])
            if section == path:
                return Place(source, number, header.start(1) + 1, len(header[1]), line)
        elif (key := _KEY.match(line)) and (*section, *_parts(key[1])) == path:
            value = _VALUE.match(line, key.end())
            match = value if part == "value" and value else key
            return Place(source, number, match.start(1) + 1, len(match[1]), line)
    return place_of(text, source, path[:-1], part) if path else Place(source, 1)


def _parts(dotted: str) -> tuple[str, ...]:
    """The names of a dotted key, without quotes."""
    return tuple(next(filter(None, match.groups()), "") for match in _PART.finditer(dotted))


def syntax_error(text: str, source: str, error: tomllib.TOMLDecodeError) -> BadFile:
    """The reader's complaint with the offending line and a caret."""
    message = str(error)
    lines = text.splitlines() or [""]
    if at := _AT_LINE.search(message):
        number, column = int(at[1]), int(at[2])
        message = message[: at.start()]
    else:
        number, message = len(lines), message.removesuffix(_AT_END)
        column = len(lines[-1]) + 1
    line = lines[number - 1] if number <= len(lines) else ""
    return BadFile(
        f"{source} is not valid TOML: {message[:1].lower()}{message[1:]}",
        place=Place(source, number, column if line else 0, 1, line),
        remedy="put its lines under the one that is there"
        if message.endswith("twice")
        else 'texts stand in quotes, such as name = "reviews"',
    )
