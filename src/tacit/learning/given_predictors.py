"""Predictors as users give them: a name, an object, one for each label function, or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.errors import BadInput, did_you_mean, listed
from tacit.logic.program import Program
from tacit.predictors.protocol import Predictor
from tacit.predictors.registry import as_predictor

Given = Any  # a predictor: its name, an object, a scikit-learn classifier, or None


def predictors_of(given: Given, program: Program, random_state: int) -> dict[str, Predictor]:
    """A predictor for each label function that is to have one."""
    names = list(program.labels)
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise BadInput(
                    f"there is no label function '{name}'; there are: {listed(names)}",
                    remedy=did_you_mean(name, names),
                )
    if isinstance(given, str):
        given = as_predictor(given, random_state)  # one for all: encoders are shared
    each = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    own = {name: each[name] for name in names if each.get(name) is not None}
    if not own:
        raise BadInput("no label function has a predictor", remedy="use LabelModel instead")
    return {name: _to_train(one, random_state) for name, one in own.items()}


def _to_train(given: Given, random_state: int) -> Predictor:
    """A predictor to train: what the user gave is left as it is."""
    if isinstance(given, str):
        return as_predictor(given, random_state)
    seed = getattr(given, "random_state", None)
    return as_predictor(given).fresh(random_state if seed is None else seed)


def begun_anew(predictor: Predictor) -> Predictor:
    """The same predictor, which has learned nothing; without a seed of its own, it takes 0."""
    return predictor.fresh(int(getattr(predictor, "random_state", None) or 0))
