"""True labels, as they are given: arrays of indices, or mappings from ids to labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import BadInput, UnknownLabel, did_you_mean, listed
from tacit.learning.votes import Longs

if TYPE_CHECKING:
    from tacit.learning.label_model import LabelModel


def gold_by_function(model: LabelModel, gold: Any) -> dict[str, Longs]:
    """Label indices for every instance of each label function; -1 where nothing is known."""
    found = {name: np.full(model.votes_[name].n_instances, -1) for name in model.labels_}
    if gold is None:
        return found
    if not _is_by_name(model, gold):
        if len(found) > 1:
            raise BadInput(
                f"there are several label functions: {listed(found)}",
                remedy=f"give gold by name: {{{next(iter(found))!r}: ...}}",
            )
        gold = {next(iter(found)): gold}
    for name, own in gold.items():
        if isinstance(own, Mapping):
            _fill(model, name, own, found[name])
        else:
            found[name] = _indices(name, own, len(found[name]), len(model.labels_[name]))
    return found


def _is_by_name(model: LabelModel, gold: Any) -> bool:
    """Whether gold is given by label function."""
    return (
        isinstance(gold, Mapping)
        and all(name in model.labels_ for name in gold)
        and not any(isinstance(own, str) for own in gold.values())
    )


def _indices(name: str, given: Any, n_instances: int, n_labels: int) -> Longs:
    found = np.asarray(given)
    if found.shape != (n_instances,) or found.dtype.kind not in "iu":
        raise BadInput(
            f"gold of {name} is {found.dtype} of shape {found.shape}",
            remedy=f"give {n_instances} label indices, -1 where a label is not known",
        )
    if len(found) and (found.min() < -1 or found.max() >= n_labels):
        raise UnknownLabel(
            f"gold of {name} holds indices from {found.min()} to {found.max()}",
            remedy=f"use 0 to {n_labels - 1}, and -1 where a label is not known",
        )
    return found.astype(np.int64)


def _fill(model: LabelModel, name: str, given: Mapping[Any, Any], into: Longs) -> None:
    """Write labels by id; ids that the model has not seen are passed over."""
    labels = {label: at for at, label in enumerate(model.labels_[name])}
    wrong = [label for label in given.values() if label not in labels]
    if wrong:
        raise UnknownLabel(
            f"gold of {name} has the label {wrong[0]!r}; there are: {listed(labels)}",
            remedy=did_you_mean(str(wrong[0]), labels),
        )
    rows = _rows(model, name, list(given))
    seen = rows >= 0
    if len(given) and not seen.any():
        raise BadInput(
            f"gold of {name} knows none of the instances: {listed(given, most=4)}",
            remedy="use the ids of the instances that the model was fitted on",
        )
    into[rows[seen]] = np.array([labels[label] for label in given.values()], dtype=np.int64)[seen]


def _rows(model: LabelModel, name: str, ids: list[Any]) -> Longs:
    """The row of each id, -1 where there is none."""
    if model.graph_ is None:
        n = model.votes_[name].n_instances
        numbers = [int(one) if str(one).isdecimal() else -1 for one in ids]
        return np.array([number if number < n else -1 for number in numbers], dtype=np.int64)
    return model.factors_.variables.instances[list(model.labels_).index(name)].indices_of(ids)
