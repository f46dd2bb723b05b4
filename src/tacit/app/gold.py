"""True labels of a project, kept for evaluation only: read, and checked against the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tacit.app.settings import SettingsFile
from tacit.data import Table, Task, as_table
from tacit.errors import (
    ArityMismatch,
    TacitError,
    TypeMismatch,
    UnknownPredicate,
    did_you_mean,
    listed,
)
from tacit.logic import LabelFunction, Program


@dataclass(slots=True)
class GoldLabels:
    """Label function -> {instance id: label}, with what is wrong or odd about the files."""

    labels: dict[str, Mapping[str, str]] = field(default_factory=dict)
    errors: list[TacitError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_gold(file: SettingsFile, program: Program, task: Task, *, partial: bool) -> GoldLabels:
    """Read every file under [gold]; in a partial program, unknown functions are passed over."""
    gold = GoldLabels()
    for name, path in file.settings.gold.items():
        try:
            if name not in program.labels:
                if not partial:
                    raise _unknown(name, program)
                continue
            table = as_table("gold", file.file(path))
            function = program.labels[name]
            gold.labels[name] = _labels(table, function)
            if task.has(function.domain):
                gold.notes.extend(_strangers(table, function, task))
        except TacitError as error:
            error.place = error.place or file.place("gold", name)
            gold.errors.append(error)
    return gold


def _unknown(name: str, program: Program) -> TacitError:
    """The error for labels of a function that the program does not declare."""
    return UnknownPredicate(
        f"[gold] names '{name}', which is no label function; there are: {listed(program.labels)}",
        remedy=did_you_mean(name, program.labels),
    )


def _labels(table: Table, function: LabelFunction) -> Mapping[str, str]:
    """The labels in the second column by the ids in the first."""
    if len(table.columns) < 2:
        raise ArityMismatch(
            f"{table.source} has one column, '{table.columns[0]}'",
            remedy="true labels need two: the id of an instance, and its label",
        )
    ids, labels = table.arrow.columns[:2]
    try:
        codes = function.space.encode(labels, missing=True)
    except TacitError as error:
        raise type(error)(f"{table.source}: {error.message}", remedy=error.remedy) from None
    names = function.labels
    pairs = zip(ids.to_pylist(), codes, strict=True)
    return {str(key): names[code] for key, code in pairs if code >= 0}


def _strangers(table: Table, function: LabelFunction, task: Task) -> list[str]:
    """A note where true labels are given for ids that are no instances."""
    instances, ids = task.table(function.domain), table.arrow.column(0)
    kinds = instances.kinds[instances.columns[0]], table.kinds[table.columns[0]]
    if kinds[0] is not kinds[1]:
        raise TypeMismatch(
            f"{table.source} has {kinds[1]} ids, but those of {instances.described} are {kinds[0]}",
            remedy="its first column must hold the ids of the instances",
        )
    lost = int((task.instances(function.domain).indices_of(ids) < 0).sum())
    if not lost:
        return []
    return [f"{lost} of {table.n_rows} rows of {table.source} name no {function.domain}"]
