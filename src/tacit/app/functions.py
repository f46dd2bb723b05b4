"""Labelling functions of a project's Python file, as evidence in its program."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.app.sources import at_function
from tacit.data import Task
from tacit.errors import BadInput, TacitError, UnknownPredicate, did_you_mean, listed
from tacit.logic import LabelFunction, Program
from tacit.logic.functions import LabellingFunction, labelling_functions
from tacit.logic.knowledge import assemble


def with_functions(
    task: Task, program: Program, functions: Iterable[LabellingFunction], *, partial: bool
) -> tuple[Task, Program, list[TacitError]]:
    """Task and program with the votes of all functions that fit, and what is wrong with the rest.

    In a partial program, a function whose label function is absent is passed over.
    """
    errors: list[TacitError] = []
    for function in functions:
        try:
            label = _label_of(function, program)
            votes = labelling_functions([function], label=label)
            task, program = assemble(task, program, votes)
        except UnknownPredicate as error:
            if not partial:
                errors.append(at_function(error, function.function))
        except TacitError as error:
            errors.append(at_function(error, function.function))
    return task, program, errors


def _label_of(function: LabellingFunction, program: Program) -> LabelFunction:
    """The label function that a labelling function votes on."""
    labels = program.labels
    if function.label is None and len(labels) > 1:
        raise BadInput(
            f"labelling function '{function.name}' does not say which of {listed(labels)} it "
            "votes on",
            remedy=f'declare it with @tacit.labelling_function(label="{next(iter(labels))}")',
        )
    name = function.label or next(iter(labels), "")
    if name not in labels:
        raise UnknownPredicate(
            f"labelling function '{function.name}' votes on '{name}', which is no label function; "
            f"there are: {listed(labels)}",
            remedy=did_you_mean(name, labels),
        )
    return labels[name]
