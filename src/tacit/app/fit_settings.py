"""The sections [predictor] and [fit] of a `tacit.toml`: what is trained, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol

from tacit.app.toml_places import Part
from tacit.errors import BadFile, Place, TacitError, did_you_mean, listed

if TYPE_CHECKING:
    from tacit.app.settings import SettingsFile
    from tacit.predictors.protocol import Predictor

SECTIONS = {
    "predictor": 'lines such as kind = "linear"',
    "fit": "lines such as rounds = 5",
}
NONE = "none"  # TOML has no word for it
NOT_IN_A_FILE = "sklearn"  # a predictor that is made from an object

_IN_WORDS = {
    str: "a text",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a section",
}
_WANTED = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}


class Places(Protocol):
    """Where a key, or its value, stands in the file."""

    def __call__(self, *key: str, part: Part = "value") -> Place:
        """The place of a key."""


def in_words(value: object) -> str:
    """What a value of a TOML file is."""
    return _IN_WORDS.get(type(value), "a date or time")


def section_problems(
    predictor: Mapping[str, Any], fit: Mapping[str, Any], place: Places
) -> Iterator[TacitError]:
    """Everything that is wrong with the two sections, each at its place."""
    if predictor:
        yield from _predictor_problems(predictor, place)
    for key in fit:
        error = _fit_problem(key, fit[key])
        if error is not None:
            unknown = key not in fit_keys()
            error.place = place("fit", key, part="key" if unknown else "value")
            yield error


def _predictor_problems(predictor: Mapping[str, Any], place: Places) -> Iterator[TacitError]:
    """A kind that does not exist; other settings are looked at when the predictor is made."""
    kind = predictor.get("kind", "linear")
    if kind not in predictor_kinds():
        yield BadFile(
            f"there is no predictor {kind!r}; there are: {listed(predictor_kinds())}",
            place=place("predictor", "kind"),
            remedy=did_you_mean(str(kind), predictor_kinds()),
        )


def predictor_kinds() -> list[str]:
    """The predictors that a word can name."""
    from tacit.predictors.registry import KINDS

    return [kind for kind in KINDS if kind != NOT_IN_A_FILE]


def fit_keys() -> dict[str, Any]:
    """What may stand under [fit], with its default."""
    from tacit.learning.em_config import DEFAULT

    return {field.name: getattr(DEFAULT, field.name) for field in fields(DEFAULT)} | {
        "random_state": 0
    }


def _fit_problem(key: str, value: Any) -> TacitError | None:
    """What is wrong with one line under [fit]."""
    from tacit.learning.em_config import EMConfig

    known = fit_keys()
    if key not in known:
        return BadFile(
            f"[fit] has the unknown key '{key}'; the keys are: {listed(known, 20)}",
            remedy=did_you_mean(key, known),
        )
    value = fit_value(key, value)
    wanted = type(known[key])
    fits = type(value) is wanted or (wanted is float and type(value) in (int, type(None)))
    if not fits:
        return BadFile(f"'fit.{key}' is {in_words(value)}", remedy=f"it must be {_WANTED[wanted]}")
    try:
        if key != "random_state":
            EMConfig(**{key: value})
    except TacitError as error:
        return BadFile(f"[fit] {error.message}", remedy=error.remedy)
    return None


def fit_value(key: str, value: Any) -> Any:
    """A value of [fit] as `DPL` takes it."""
    return None if key == "sharpness" and value == NONE else value


def project_predictor(file: SettingsFile, kind: str, seed: int = 0) -> Predictor:
    """A predictor of a kind, with the settings of [predictor] where these are for this kind."""
    from tacit.predictors.registry import predictor_named

    given: dict[str, Any] = dict(file.settings.predictor)
    if given.pop("kind", "linear") != kind:
        given = {}
    try:
        return predictor_named(kind, **({"random_state": seed} | given))
    except TacitError as error:
        named = [key for key in given if f"'{key}'" in error.message or f"{key}=" in error.message]
        if named:
            error.place = file.place("predictor", named[0], part="key")
        raise
