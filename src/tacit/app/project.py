"""A project: a `tacit.toml` with the program, the data and the Python code that it names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tacit.app.functions import with_functions
from tacit.app.gold import GoldLabels, read_gold
from tacit.app.settings import SettingsFile, find_settings, read_settings, read_text
from tacit.app.sources import Sources, read_sources, with_line
from tacit.data import Task
from tacit.errors import (
    BadFile,
    BadInput,
    TacitError,
    UnknownTable,
    did_you_mean,
    in_order,
    listed,
    raise_all,
)
from tacit.logic import LabelFunction, Program, Reading, examine, read


@dataclass(frozen=True, slots=True)
class Project:
    """A project whose parts were read and fit together."""

    name: str
    file: str  # the tacit.toml
    program_file: str
    program: Program
    task: Task
    gold: Mapping[str, Mapping[str, str]]  # label function -> {instance id: label}
    notes: tuple[str, ...]  # what still deserves a look


def require_data(path: Path, purpose: str) -> None:
    """Refuse a program file where a project is needed; `purpose` is what its data are for."""
    if path.suffix == ".tacit" and path.is_file():
        raise BadInput(
            f"{path} is a program without data, so there is nothing to {purpose}",
            remedy="give the folder of its project, the one with tacit.toml",
        )


def load_project(path: str | os.PathLike[str] = ".") -> Project:
    """The project in a folder or in the nearest one above it, or of a given `tacit.toml`.

    Everything that is wrong with its tables, its Python file and its program is raised together.
    """
    file = read_settings(find_settings(path))
    program_file = file.file(file.settings.program)
    problems: list[TacitError] = []
    try:
        reading = read_program(program_file)
    except TacitError as error:
        error.place = error.place or file.place("program")
        problems.append(error)
        reading = Reading(Program(()), (error,))
    else:
        problems.extend(reading.problems)
    sources = read_sources(file)
    problems.extend(sources.errors)
    reading = _with_votes(reading, sources, problems)
    gold, notes = _examined(file, reading, sources, problems)
    raise_all(in_order(problems))
    assert sources.task is not None  # without tables there is a problem
    name = file.settings.name or file.path.absolute().parent.name
    return Project(
        name, file.shown, program_file, reading.program, sources.task, gold.labels, notes
    )


def read_program(path: str) -> Reading:
    """As much of a program file as is right, and all that is wrong with the rest."""
    file = Path(path)
    if not file.is_file():
        names = sorted(entry.name for entry in file.parent.glob("*.tacit"))
        remedy = f"there are: {listed(names)}" if names else "write the program into that file"
        raise BadFile(f"{path} is not there", remedy=did_you_mean(file.name, names) or remedy)
    return read(read_text(path, file), path)


def _with_votes(reading: Reading, sources: Sources, problems: list[TacitError]) -> Reading:
    """The program with the votes of the Python file's functions; the task gets their relations."""
    if sources.task is None or not sources.functions:
        return reading
    sources.task, program, errors = with_functions(
        sources.task, reading.program, sources.functions, partial=bool(reading.problems)
    )
    problems.extend(
        with_line(error)
        for error in errors
        if not (isinstance(error, UnknownTable) and sources.presumed)
    )
    return replace(reading, program=program)


def _examined(
    file: SettingsFile, reading: Reading, sources: Sources, problems: list[TacitError]
) -> tuple[GoldLabels, tuple[str, ...]]:
    """The true labels and the notes; what program and data do not agree on goes to the problems."""
    if sources.task is None:
        return GoldLabels(), ()
    program = reading.program
    findings = examine(program, sources.task)
    excused = {d.place for d in program.declarations if sources.presumes(_table_of(d))}
    problems.extend(
        with_line(error)
        for error in findings.errors
        if not (isinstance(error, UnknownTable) and error.place in excused)
    )
    gold = read_gold(file, program, sources.task, partial=bool(reading.problems))
    problems.extend(gold.errors)
    return gold, (*findings.notes, *gold.notes)


def _table_of(declaration: object) -> str:
    """The table that a declaration needs."""
    if isinstance(declaration, LabelFunction):
        return declaration.domain
    return str(getattr(declaration, "name", ""))
