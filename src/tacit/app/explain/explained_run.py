"""A saved run on the data of its project, for whoever asks why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.app.explain.instances import LabelledInstances, texts_of
from tacit.app.project import Project, load_project
from tacit.app.saved_runs import find_project, find_run, meant_function
from tacit.app.settings import SettingsFile, shown
from tacit.errors import BadFile, BadInput, did_you_mean, listed
from tacit.logic.evidence import EXPERT
from tacit.logic.program import Program

if TYPE_CHECKING:
    from tacit.learning.dpl import DPL
    from tacit.learning.explanation import Explanation
    from tacit.learning.spoken import Traces


@dataclass(frozen=True, slots=True)
class Explained:
    """An instance with the reasons for its label."""

    explanation: Explanation
    text: str
    network: Mapping[str, float] | None  # what the network alone says
    gold: str | None

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        explanation = self.explanation.as_dict()
        return {
            "instance": explanation["instance"],
            "function": self.explanation.function,
            "text": self.text,
            "posterior": explanation["probabilities"],
            "network": self.network,
            "gold": self.gold,
            "explanation": explanation,
        }


@dataclass(frozen=True, slots=True)
class ExplainedRun:
    """A run that can say why each of its instances has its label."""

    project: Project
    folder: Path
    model: DPL
    traces: Traces  # what looks rows up, for all explanations
    _instances: dict[str, LabelledInstances] = field(default_factory=dict)

    @property
    def functions(self) -> list[str]:
        """The label functions."""
        return list(self.model.labels_)

    def instances(self, function: str) -> LabelledInstances:
        """The instances of a label function with their labels."""
        if function not in self._instances:
            task, domain = self.project.task, self.model.program_.labels[function].domain
            posterior = self.model.posterior_
            self._instances[function] = LabelledInstances(
                function,
                self.model.labels_[function],
                task.instances(domain).ids,
                texts_of(task, domain),
                posterior[function] if isinstance(posterior, dict) else posterior,
                self.project.gold.get(function, {}),
            )
        return self._instances[function]

    def function(self, asked: str | None, instance: object = None) -> str:
        """The label function that is meant: the only one, or the only one with this instance."""
        names = self.functions
        if asked is None and instance is not None and len(names) > 1:
            names = self._functions_with(instance)
        return meant_function(self.folder, names, asked)

    def _functions_with(self, instance: object) -> list[str]:
        """The label functions that have an instance, one at least."""
        found = [name for name in self.functions if self.instances(name).has(instance)]
        if not found:
            known = [own for name in self.functions for own in self.instances(name).written_ids]
            raise BadInput(
                f"there is no instance '{instance}' of {listed(self.functions)}",
                remedy=did_you_mean(str(instance), known),
            )
        return found

    def explain(
        self,
        instance: object,
        function: str | None = None,
        *,
        label: str | None = None,
        against: str | None = None,
    ) -> Explained:
        """Why an instance has its label."""
        name = self.function(function, instance)
        own = self.instances(name)
        row = own.row_of(instance)
        known = own.ids[row].as_py()
        return Explained(
            self.model.explain(known, name, label=label, against=against, traces=self.traces),
            own.texts[row].as_py(),
            self._network(name, row),
            own.gold.get(str(known)),
        )

    def _network(self, function: str, row: int) -> dict[str, float] | None:
        """What the network alone says of an instance."""
        from tacit.learning.label_model import LabelModel

        assert isinstance(self.model.label_model_, LabelModel)  # it is on its data
        said = self.model.label_model_.network_.get(function)
        if said is None:
            return None
        shares = np.exp(said[row] - said[row].max())
        labels = self.model.labels_[function]
        return dict(zip(labels, (shares / shares.sum()).tolist(), strict=True))


def explained_run(path: Path, run: str | None = None) -> ExplainedRun:
    """A run of a project, the newest unless named, put back onto the project's data."""
    from tacit.learning.label_model import LabelModel
    from tacit.learning.saving import load
    from tacit.learning.spoken import Traces

    file = find_project(path)
    folder = find_run(path, run)
    project = load_project(path)
    model = load(folder)
    remedy = f"learn it again: {_command(model.program_)} {file.project}"
    _require_same_program(project, model.program_, folder, remedy + _or_another(file))
    if getattr(model.label_model_, "task", None) != project.task.fingerprint():
        raise BadInput(
            f"the data of {project.name}, or its Python code, have changed since {shown(folder)} "
            "was learned",
            remedy=remedy,
        )
    try:
        model = model.on(project.task)
    except BadFile as error:
        error.remedy = remedy
        raise
    assert isinstance(model.label_model_, LabelModel)
    return ExplainedRun(project, folder, model, Traces(model.label_model_.factors_))


def _or_another(file: SettingsFile) -> str:
    """A folder may have several programs, each with its settings: the run may be another's."""
    names = {path.name for path in file.path.parent.glob("*.toml")}
    others = sorted(names - {file.path.name, "pyproject.toml"})
    return f"; or is it a run of {listed(others)}? Name that file then" if others else ""


def _command(program: Program) -> str:
    """What makes a run with this program."""
    return "tacit grow" if any(one.origin != EXPERT for one in program.evidence) else "tacit fit"


def _require_same_program(project: Project, then: Program, folder: Path, remedy: str) -> None:
    """Refuse a run of other rules; those that it has grown by itself may stand behind them."""
    now = project.program
    begins = now.evidence == then.evidence[: len(now.evidence)]
    declared = set(now.declarations) <= set(then.declarations)
    behind = then.evidence[len(now.evidence) :]
    if begins and declared and all(one.origin != EXPERT for one in behind):
        return
    before = {one.name: one for one in then.evidence}
    other = [one for one in now.evidence if before.get(one.name) != one]
    gone = set(before) - {one.name for one in now.evidence}
    told = [f"'{one.name}' {'was changed' if one.name in before else 'is new'}" for one in other]
    told += [
        f"'{name}' is gone" for name in before if name in gone and before[name].origin == EXPERT
    ]
    raise BadInput(
        f"{project.program_file} has changed since {shown(folder)} was learned: "
        + (listed(told, 3) if told else "its declarations, or the order of its rules"),
        place=other[0].place if other else None,
        remedy=remedy,
    )
