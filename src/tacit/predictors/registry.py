"""Predictors by name: made, told apart, written to a folder and read back.

What a name stands for is loaded when it is first asked for: most need packages of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

from tacit import __version__
from tacit.errors import BadFile, BadInput, MissingExtra, did_you_mean, listed
from tacit.predictors.protocol import Predictor
from tacit.predictors.saved_json import read_json, write_json

FORMAT = 1  # raised when what is written changes
ABOUT = "predictor.json"


@dataclass(frozen=True, slots=True)
class Kind:
    """Where a kind of predictor lives, and the package it needs with the way to get that."""

    module: str
    name: str
    package: str | None = None
    install: str = 'pip install "tacit[neural]"'


KINDS = {
    "linear": Kind("linear", "Linear"),
    "transformer": Kind("transformer", "Transformer", "torch"),
    "bilstm_attention": Kind("bilstm_attention", "BiLSTMAttention", "torch"),
    "graph_lstm": Kind("graph_lstm", "GraphLSTM", "torch"),
    "ensemble": Kind("ensemble", "Ensemble"),
    "sklearn": Kind(
        "sklearn_classifier", "SklearnClassifier", "sklearn", "pip install scikit-learn"
    ),
}


def predictor_named(name: str, **settings: Any) -> Predictor:
    """A new predictor of a kind, with these settings."""
    made = _class_named(name)
    known = [key for key in signature(made).parameters if key != "self"]
    for setting in settings:
        if setting not in known:
            raise BadInput(
                f"the predictor '{name}' has no setting '{setting}'; it has: {listed(known, 30)}",
                remedy=did_you_mean(setting, known),
            )
    needed = [key for key, it in signature(made).parameters.items() if it.default is it.empty]
    for setting in needed:
        if setting not in settings:
            raise BadInput(
                f"the predictor '{name}' needs the setting '{setting}'",
                remedy=f"{KINDS[name].name}({setting}=...)",
            )
    predictor: Predictor = made(**settings)
    return predictor


def as_predictor(given: Any, random_state: int = 0) -> Predictor:
    """A predictor from its name, from a scikit-learn classifier, or as it is."""
    if isinstance(given, str):
        return predictor_named(given, random_state=random_state)
    if isinstance(given, type):
        raise BadInput(
            f"{given.__name__} is a class; a predictor is an object",
            remedy=f"{given.__name__}(...)",
        )
    if isinstance(given, Predictor):
        return given
    if all(hasattr(given, name) for name in ("fit", "predict", "get_params")):
        return predictor_named("sklearn", estimator=given, random_state=random_state)
    raise BadInput(
        f"a {type(given).__name__} is no predictor",
        remedy=f"give one of {listed(KINDS)}, a predictor object or a scikit-learn classifier",
    )


def name_of(predictor: Predictor) -> str:
    """What a predictor is called here; one that is not from here is called by its class."""
    own = type(predictor)
    for name, kind in KINDS.items():
        if (own.__module__, own.__name__) == (f"tacit.predictors.{kind.module}", kind.name):
            return name
    return own.__name__


def save_predictor(predictor: Predictor, folder: Path | str) -> None:
    """Write a predictor, and what kind it is, so that `load_predictor` can read it."""
    kind, folder = name_of(predictor), Path(folder)
    if kind not in KINDS:
        raise BadInput(
            f"a {kind} is not one of tacit's predictors; it cannot be loaded by kind",
            remedy="call its own `save`, and its class's `load`",
        )
    predictor.save(folder / kind)
    write_json(folder / ABOUT, FORMAT, {"kind": kind, "tacit": __version__})


def is_predictor(folder: Path) -> bool:
    """Whether `save_predictor` has written a predictor there."""
    return (folder / ABOUT).is_file()


def load_predictor(folder: Path | str) -> Predictor:
    """What `save_predictor` has written."""
    path = Path(folder) / ABOUT
    about = read_json(path, FORMAT)
    kind = str(about.get("kind"))
    if kind not in KINDS:
        raise BadFile(
            f"{path}, written by tacit {about.get('tacit')}, holds a predictor of the kind "
            f"'{kind}'; known are: {listed(KINDS)}",
            remedy="pip install --upgrade tacit",
        )
    predictor: Predictor = _class_named(kind).load(Path(folder) / kind)
    return predictor


def _class_named(name: str) -> Any:
    """The class of a kind, loaded now."""
    if name not in KINDS:
        raise BadInput(
            f"there is no predictor '{name}'; there are: {listed(KINDS)}",
            remedy=did_you_mean(name, KINDS),
        )
    kind = KINDS[name]
    if kind.package is not None and find_spec(kind.package) is None:
        raise MissingExtra(
            f"the predictor '{name}' needs {kind.package}, which is not installed",
            remedy=kind.install,
        )
    return getattr(import_module(f"tacit.predictors.{kind.module}"), kind.name)
