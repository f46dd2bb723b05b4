"""What a label model has learned, without the data that it learned from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.errors import BadFile, BadInput
from tacit.learning.applying import single
from tacit.learning.checkpoints import Arrays, arrays_under
from tacit.learning.identity import program_fingerprint
from tacit.learning.label_model import LabelModel
from tacit.learning.votes import Floats
from tacit.logic.evidence import Evidence, Learned
from tacit.logic.program import Program


@dataclass(frozen=True, slots=True)
class SavedEvidence:
    """Takes the place of the label model in a model that was loaded."""

    program_: Program
    labels_: dict[str, tuple[str, ...]]
    weights: pa.Table  # name, formula, key, weight, error
    posteriors: dict[str, pa.Table]  # by label function: the ids, then a column for each label
    reads: dict[str, str]  # by label function: the column that its network read
    task: str  # the fingerprint of the data
    program: str
    # What puts it onto data; folders of early versions have none. See `restoring`.
    numbers: Arrays | None = field(default=None, compare=False, repr=False)

    @property
    def posterior_(self) -> Floats | dict[str, Floats]:
        """The probability of each label, in instance order."""
        found = {
            name: np.column_stack([column.to_numpy() for column in table.columns[1:]])
            for name, table in self.posteriors.items()
        }
        return single(found)

    @property
    def weights_(self) -> dict[str, float]:
        """The weight of each piece of evidence, as learned."""
        return self._by_name("weight")

    @property
    def bias_(self) -> dict[str, Floats]:
        """The bias of each label, by label function."""
        if self.numbers is None:
            raise of_early_version()
        return arrays_under(self.numbers, "biases")

    @property
    def errors_(self) -> dict[str, float]:
        """The standard error of each weight."""
        return self._by_name("error")

    def _by_name(self, column: str) -> dict[str, float]:
        names, values = self.weights["name"].to_pylist(), self.weights[column].to_pylist()
        return dict(zip(names, values, strict=True))

    def explain(self, *_: Any, **__: Any) -> Any:
        """Refused: it needs the data."""
        raise _without_data("explain")

    def analysis(self, *_: Any, **__: Any) -> Any:
        """Refused: it needs the data."""
        raise _without_data("analysis")


def _without_data(method: str) -> BadInput:
    return BadInput(
        f"{method}() needs the data, which is not saved with a model",
        remedy="put the model back onto its data, model.on(task), or call fit(task, program) again",
    )


def of_early_version() -> BadFile:
    """Says that a folder lacks what later versions write."""
    return BadFile(
        "this model was saved by an earlier version of tacit, which did not keep all that it takes "
        "to put it onto data",
        remedy="fit and save it again: with the same data it learns the same",
    )


def evidence_of(model: LabelModel | SavedEvidence) -> SavedEvidence:
    """All of a fitted label model that can be kept."""
    if isinstance(model, SavedEvidence):
        return model
    task = model.task_
    reads = {reference.table: reference.column for reference in task.text}
    variables = model.factors_.variables
    posteriors = model.posterior_
    if not isinstance(posteriors, dict):
        posteriors = {next(iter(model.labels_)): posteriors}
    return SavedEvidence(
        model.program_,
        dict(model.labels_),
        _weights(model),
        {
            function.name: _posterior(instances.ids, function.labels, posteriors[function.name])
            for function, instances in zip(variables.functions, variables.instances, strict=True)
        },
        {f.name: reads[f.domain] for f in variables.functions if f.domain in reads},
        task.fingerprint(),
        program_fingerprint(model.program_),
    )


def _weights(model: LabelModel) -> pa.Table:
    """Every weight: the formula and the values that it belongs to, and what was learned."""
    blocks = model.factors_.weights.blocks
    keys = [tuple(map(str, b.key_of(at))) for b in blocks for at in range(b.n_weights)]
    table = {
        "name": pa.array(model.weight_names_, pa.string()),
        "formula": pa.array([b.evidence.name for b in blocks for _ in range(b.n_weights)]),
        "key": pa.array(keys, pa.list_(pa.string())),
        "weight": pa.array([model.weights_[name] for name in model.weight_names_], pa.float64()),
        "error": pa.array([model.errors_[name] for name in model.weight_names_], pa.float64()),
    }
    return pa.table(table)


def _posterior(ids: pa.Array, labels: tuple[str, ...], posterior: Floats) -> pa.Table:
    """The ids of instances beside the probability of each label."""
    first = "id" if "id" not in labels else "instance_id"
    columns = [ids, *(pa.array(column) for column in posterior.T)]
    return pa.Table.from_arrays(columns, names=[first, *labels])


def learned_program(evidence: SavedEvidence) -> Program:
    """The program with weights as learned; those that have one for each of several values stay."""
    weights = evidence.weights_

    def learned(one: Evidence) -> Evidence:
        if not isinstance(one.weight, Learned) or one.name not in weights:
            return one
        return replace(one, weight=Learned(float(f"{weights[one.name]:.6g}")))

    program = evidence.program_
    return replace(program, evidence=tuple(map(learned, program.evidence)))
