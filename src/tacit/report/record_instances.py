"""Instances that were picked to be looked at, with their texts and the reasons for their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tacit.data import Task
from tacit.learning.dpl import DPL
from tacit.learning.explain import MOST_TRACED
from tacit.learning.explanation import Explanation, Part
from tacit.report.gold_scores import Gold, Longs
from tacit.report.record import InstanceRecord
from tacit.report.record_functions import Said, fitted_evidence
from tacit.report.record_picks import others_tied, picked

MOST = 12  # instances of one label function
LONGEST = 600  # characters of a text: what a person reads in half a minute
TRACED = 40  # parts of all explanations whose rows are looked up: some 20 ms each
PARTS, ROWS, NEIGHBOURS = 40, 10, 30  # that an explanation holds at most
_WITHOUT_ROWS = ("predictor", "bias", "expectation", "loops")


def instance_records(
    model: DPL,
    said: Mapping[str, Said],
    gold: Gold,
    *,
    most: int = MOST,
    traced: int = TRACED,
) -> tuple[InstanceRecord, ...]:
    """A few instances of each label function, the same ones for the same model.

    Of the first explanations, some parts show the rows that made their evidence speak: `traced` in
    all, shared by the label functions.
    """
    task, graph = fitted_evidence(model).task_, fitted_evidence(model).graph_
    assert graph is not None  # a label matrix alone has no network
    found = []
    for name, own in said.items():
        function = model.program_.labels[name]
        read, left = _Texts(task, function.domain), traced // len(said)
        for row, why in picked(own, function.labels, others_tied(graph, name), most):
            explanation, cost = _explained(model, read.ids[row].as_py(), name, left)
            left -= cost
            found.append(
                InstanceRecord(
                    function=name,
                    id=str(read.ids[row].as_py()),
                    text=read.text(row),
                    posterior=tuple(own.posterior[row].tolist()),
                    why=why,
                    explanation=_short(explanation).as_dict(),
                    gold=_gold(gold.get(name), row, function.labels),
                )
            )
    return tuple(found)


def _explained(model: DPL, instance: object, name: str, left: int) -> tuple[Explanation, int]:
    """Why an instance has its label, and how many parts had their rows looked up."""
    plain = model.explain(instance, name, rows=False)
    cost = min(sum(part.kind not in _WITHOUT_ROWS for part in plain.parts), MOST_TRACED)
    if not 0 < cost <= left:
        return plain, 0
    return model.explain(instance, name), cost


def _short(explanation: Explanation) -> Explanation:
    """The explanation with its largest parts and one for all others, so that it still adds up."""
    shown, left = explanation.parts[: PARTS - 1], explanation.parts[PARTS - 1 :]
    if len(left) > 1:
        rest = sum(part.contribution for part in left)
        left = (Part(kind="evidence", name=f"{len(left)} smaller parts", contribution=rest),)
    parts = tuple(
        replace(part, rows=part.rows[:ROWS], neighbours=part.neighbours[:NEIGHBOURS])
        for part in (*shown, *left)
    )
    return replace(explanation, parts=parts)


def _gold(codes: Longs | None, row: int, labels: tuple[str, ...]) -> str | None:
    return labels[codes[row]] if codes is not None and codes[row] >= 0 else None


class _Texts:
    """What people read of the instances of a table."""

    def __init__(self, task: Task, domain: str) -> None:
        self.table, self.ids = task.table(domain), task.instances(domain).ids
        has_text = any(reference.table == domain for reference in task.text)
        self.inputs = task.inputs(domain) if has_text else None

    def text(self, row: int) -> str:
        """What the network reads of an instance; without a network, all that its row says."""
        given = _words(self.inputs[row].as_py()) if self.inputs is not None else self._row(row)
        return given if len(given) <= LONGEST else given[: LONGEST - 3] + "..."

    def _row(self, row: int) -> str:
        return ", ".join(f"{name}: {value}" for name, value in self._values(row))

    def _values(self, row: int) -> Iterator[tuple[str, Any]]:
        for name in self.table.columns[1:]:
            value = self.table.column(name)[row].as_py()
            if value is not None:
                yield name, value


def _words(given: Any) -> str:
    """A text, or the words of what a network reads in its place."""
    if isinstance(given, Mapping):
        given = given.get("tokens", given)
    if isinstance(given, list):
        return " ".join(map(str, given))
    return "" if given is None else str(given)
