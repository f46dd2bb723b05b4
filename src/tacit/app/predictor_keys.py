"""The section [predictor] of a `tacit.toml`: keys and values that its kind of network takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tacit.app.documented_keys import PREDICTORS
from tacit.app.section_values import Places, Section, value_problems
from tacit.errors import TacitError, listed

KIND, DEFAULT = "kind", "linear"


def key_problems(given: Mapping[str, Any], place: Places) -> Iterator[TacitError]:
    """Everything that is wrong with the section, but for a kind that does not exist."""
    kind = given.get(KIND, DEFAULT)
    if not isinstance(kind, str) or kind not in PREDICTORS:
        return
    defaults = {key: own.value for key, own in PREDICTORS[kind].items()}
    section = Section("predictor", {KIND: DEFAULT} | defaults, _any_value)
    for key in given:
        for error in value_problems(section, {key: given[key]}, place):
            if key not in section.defaults:
                error.message = f'{error.message} (of kind = "{kind}")'
                error.remedy = error.remedy or _other_kind(key)
            yield error


def _any_value(key: str, value: Any) -> None:
    """Which values mean something is known when the network is made: most kinds need torch."""


def _other_kind(key: str) -> str | None:
    """The kinds of network that do have such a key."""
    kinds = [f'kind = "{kind}"' for kind, keys in PREDICTORS.items() if key in keys]
    return f"it is a key with {listed(kinds)}" if kinds else None
