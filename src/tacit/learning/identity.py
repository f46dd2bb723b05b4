"""What a model is made from, as plain values: written beside it, and compared when it goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import __version__
from tacit.data import Task
from tacit.data.fingerprint import digest_of
from tacit.errors import BadInput
from tacit.inference.choosing import facts_of, is_config
from tacit.logic.evidence import Declaration, Evidence
from tacit.logic.program import Program
from tacit.logic.show import show_program
from tacit.predictors.protocol import Predictor
from tacit.predictors.registry import KINDS, name_of

Facts = dict[str, Any]


def settings_of(thing: object) -> Facts:
    """What the constructor of something was given, as values that JSON can hold."""
    names = signature(type(thing)).parameters
    return {name: plain(getattr(thing, name)) for name in names}


def model_settings(model: Any) -> Facts:
    """The settings of a `DPL`, with those of its label model and without its predictor."""
    from tacit.learning.label_model import LabelModel

    settings = settings_of(model) | {"label_model": settings_of(model.label_model or LabelModel())}
    del settings["predictor"]
    return settings


def plain(value: object) -> Any:
    """A value as JSON can hold it; what is no plain value is told by its type."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [plain(own) for own in value]
    if isinstance(value, Predictor):
        return {"kind": name_of(value)} | settings_of(value)
    if is_config(value):
        return plain(facts_of(value))
    return f"{type(value).__module__}.{type(value).__qualname__}"


def program_fingerprint(program: Program) -> str:
    """32 hexadecimal digits that change with whatever the program says."""
    return fingerprint_of(program.declarations, program.evidence)


def fingerprint_of(declarations: Sequence[Declaration], evidence: Sequence[Evidence]) -> str:
    """The fingerprint of the program of these parts, which need not be made for it."""
    return digest_of([show_program(declarations, evidence)])


def identity(
    task: Task,
    program: Program,
    settings: Facts,
    predictors: Mapping[str, Predictor],
    said: Mapping[str, NDArray[np.float64]],
    shares: Mapping[str, NDArray[np.float64]],
    first_shares: Mapping[str, NDArray[np.float64]],
) -> Facts:
    """All that decides what a run learns; `said` is what networks have said before."""
    return {
        "tacit": __version__,
        "task": task.fingerprint(),
        "program": program_fingerprint(program),
        "settings": settings,
        "predictor": plain(predictors),
        "said": {name: digest_of([own.tobytes().hex()]) for name, own in said.items()},
        "shares": {name: own.tolist() for name, own in shares.items()},
        "first_shares": {name: own.tolist() for name, own in first_shares.items()},
    }


def differences(one: object, other: object, name: str = "") -> Iterator[str]:
    """In words, in what two identities differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            inner = f"{name}.{key}" if name not in ("", "settings") else key
            yield from differences(one.get(key), other.get(key), inner)
    elif one != other:
        told = name in ("task", "program")
        yield f"another {name}" if told else f"{name}={one!r}, not {other!r}"


def require_savable(predictor: Predictor) -> None:
    """Refuse a predictor that has no format to be written in, before it is trained for hours."""
    for member in getattr(predictor, "members", ()):
        require_savable(member)
    kind = name_of(predictor)
    if kind == "sklearn":
        predictor.save(Path())  # says why not
    if kind not in KINDS:
        raise BadInput(
            f"a {kind} is not one of tacit's predictors, so it cannot be written and read back",
            remedy="fit without checkpoint=, and save the predictor yourself",
        )
