"""Sections of a `tacit.toml` that hold plain values: what is wrong with them, each at its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tacit.app.toml_places import Part
from tacit.errors import BadFile, Place, TacitError, did_you_mean, listed

_IN_WORDS = {
    str: "a text",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a section",
}
_WANTED = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}
_WANTED_SEVERAL = {str: "a list of texts", int: "a list of whole numbers"}
AUTO = "auto"
_MOST_KEYS = 20  # that a message names


class Places(Protocol):
    """Where a key, or its value, stands in the file."""

    def __call__(self, *key: str, part: Part = "value") -> Place:
        """The place of a key."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its keys with their defaults, and what refuses a value that means nothing."""

    name: str
    defaults: Mapping[str, Any]
    check: Callable[[str, Any], None]


def in_words(value: object) -> str:
    """What a value of a TOML file is."""
    return _IN_WORDS.get(type(value), "a date or time")


def value_problems(
    section: Section, given: Mapping[str, Any], place: Places
) -> Iterator[TacitError]:
    """Everything that is wrong with the lines of a section."""
    for key, value in given.items():
        error = _problem(section, key, value)
        if error is not None:
            unknown = key not in section.defaults
            error.place = place(section.name, key, part="key" if unknown else "value")
            yield error


def _problem(section: Section, key: str, value: Any) -> TacitError | None:
    """What is wrong with one line."""
    known, name = section.defaults, section.name
    if key not in known:
        return BadFile(
            f"[{name}] has the unknown key '{key}'; the keys are: {listed(known, _MOST_KEYS)}",
            remedy=did_you_mean(key, known),
        )
    if not _fits(value, known[key]):
        return BadFile(
            f"'{name}.{key}' is {in_words(value)}", remedy=f"it must be {_wanted(known[key])}"
        )
    try:
        section.check(key, value)
    except TacitError as error:
        return BadFile(f"[{name}] {error.message}", remedy=error.remedy)
    return None


def _fits(value: Any, default: Any) -> bool:
    """Whether a value is of the kind that its key needs; a whole number is a number too.

    Where the default is "auto", other values may be numbers: `Section.check` knows which.
    """
    wanted = type(default)
    if default == AUTO and type(value) in (int, float):
        return True
    if wanted is list:
        return isinstance(value, list) and all(type(own) is _of_elements(default) for own in value)
    return type(value) is wanted or (wanted is float and type(value) in (int, type(None)))


def _wanted(default: Any) -> str:
    """What the value of a key must be, in words."""
    if isinstance(default, list):
        return _WANTED_SEVERAL[_of_elements(default)]
    if default == AUTO:
        return "a text or a number"
    return _WANTED[type(default)]


def _of_elements(default: list[Any]) -> type:
    """What a list holds; an empty one is for texts."""
    return type(default[0]) if default else str
