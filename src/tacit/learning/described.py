"""What the weights of a fitted label model are called, say and come to."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import BadInput, UnknownFunction, did_you_mean, listed
from tacit.grounding.factors import WeightBlock
from tacit.learning.votes import Floats
from tacit.logic.evidence import EXPERT, Origin
from tacit.logic.show import show_formula, show_label

if TYPE_CHECKING:
    from tacit.learning.label_model import LabelModel


class Described:
    """The weights of a fitted model by number: names, formulas, origins, values and errors."""

    def __init__(self, model: LabelModel) -> None:
        if not hasattr(model, "weights_"):
            raise BadInput("the label model is not fitted", remedy="call fit(task, program) first")
        self.names = tuple(model.weight_names_)
        self.values: Floats = model.fitted_.point.weights
        if model.beliefs_ is not None:  # where expectations have found their weights
            self.values = model.beliefs_.weights
        known = model.errors_
        self.errors: Floats = np.array([known.get(name, math.nan) for name in self.names])
        self._weights = None if model.graph_ is None else model.factors_.weights
        self._labels = next(iter(model.labels_.values()))
        self._formulas: dict[int, str] = {}  # by block

    def formula(self, weight: int) -> str:
        """What the evidence says, as program text."""
        if self._weights is None:
            return self._vote(weight)
        at = int(self._weights.block_of_weight[weight])
        if at not in self._formulas:
            self._formulas[at] = show_formula(self._weights.blocks[at].evidence.formula)
        return self._formulas[at]

    def origin(self, weight: int) -> Origin:
        """Who or what proposed the evidence."""
        return EXPERT if self._weights is None else self._block(weight)[0].evidence.origin

    def key(self, weight: int) -> dict[str, object]:
        """The values that key the weight: a word, a function."""
        if self._weights is None:
            return {"function": self._function(weight)}
        from tacit.grounding.template import template

        block, index = self._block(weight)
        values = block.key_of(index)
        return dict(zip(template(block.evidence).shape.keys, values, strict=True)) if values else {}

    def _block(self, weight: int) -> tuple[WeightBlock, int]:
        assert self._weights is not None
        at = int(self._weights.block_of_weight[weight])
        return self._weights.blocks[at], weight - int(self._weights.first[at])

    def _vote(self, weight: int) -> str:
        """The formula that a column of a label matrix stands for."""
        function = json.dumps(self._function(weight), ensure_ascii=False)
        label = show_label(self._labels[weight % len(self._labels)]) if self._by_class else "l"
        return f"vote(i, {function}, {label}) => y(i) = {label}"

    def _function(self, weight: int) -> str:
        """The name of the column of a label matrix that a weight belongs to."""
        called = self.names[weight].partition("[")[2].removesuffix("]")
        if not self._by_class:
            return called
        return called.removesuffix(f", {self._labels[weight % len(self._labels)]}")

    @property
    def _by_class(self) -> bool:
        """Whether a label matrix has a weight for each function and label."""
        labels = self._labels
        if len(self.names) % len(labels):
            return False
        first = zip(self.names, labels, strict=False)  # those of the first function
        return all(name.endswith(f", {label}]") for name, label in first)


def function_name(model: LabelModel, name: str | None) -> str:
    """The label function of this name; the only one when no name is given."""
    known = list(model.labels_)
    if name is None and len(known) == 1:
        return known[0]
    if name in known:
        return str(name)
    if name is None:
        raise UnknownFunction(
            f"there are several label functions: {listed(known)}", remedy="name one of them"
        )
    raise UnknownFunction(
        f"no label function {name!r}; there are: {listed(known)}",
        remedy=did_you_mean(str(name), known),
    )


def posteriors(model: LabelModel) -> dict[str, Floats]:
    """The probability of each label, for each label function."""
    found = model.posterior_
    return found if isinstance(found, dict) else {next(iter(model.labels_)): found}


def plain(value: Any) -> Any:
    """A value that JSON can hold: what is not finite is null, what is no number or text is text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value if value is None or isinstance(value, str | int | bool) else str(value)
