"""The data and the Python code that a `tacit.toml` names, read with every mistake kept."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tacit.app.settings import SettingsFile, shown
from tacit.app.toml_places import Part
from tacit.data import Predicate, Table, Task, as_table, load_predicates
from tacit.data.derivations import table_name
from tacit.errors import BadFile, Place, TacitError
from tacit.logic.functions import LabellingFunction

_TEXT_TABLES = ("token", "ngram")  # what a task derives from its text


@dataclass(slots=True)
class Sources:
    """What could be read of a project's data, and what is wrong with the rest.

    `presumed` are tables that would be there but for an error that is reported already, so that
    nobody is told twice. `presumes_all` says that they cannot even be named.
    """

    tables: dict[str, Table] = field(default_factory=dict)
    task: Task | None = None
    functions: tuple[LabellingFunction, ...] = ()
    errors: list[TacitError] = field(default_factory=list)
    presumed: set[str] = field(default_factory=set)
    presumes_all: bool = False

    def presumes(self, table: str) -> bool:
        """Whether the absence of this table follows from another error."""
        has = self.task is not None and self.task.has(table)
        return not has and (self.presumes_all or table in self.presumed)


def read_sources(file: SettingsFile) -> Sources:
    """Read tables, text columns and predicates; go on after each mistake."""
    sources = Sources()
    settings = file.settings
    for name in settings.tables:
        _read_table(file, name, sources)
    if not settings.tables:
        sources.errors.append(
            BadFile(
                f"{file.shown} names no tables",
                place=file.place("tables"),
                remedy='add a line under [tables], such as review = "data/review.csv"',
            )
        )
    predicates = _read_predicates(file, sources)
    if sources.tables:
        task = Task(sources.tables, text=_text_columns(file, sources))
        sources.task = _with_predicates(task, predicates, sources)
    return sources


def _read_table(file: SettingsFile, name: str, sources: Sources) -> None:
    """Read one table into the sources, or its mistake."""
    part: Part = "key"
    try:
        table_name(name)
        part = "value"
        sources.tables[name] = as_table(name, file.file(file.settings.tables[name]))
    except TacitError as error:
        if error.place is None:
            error.place = file.place("tables", name, part=part)
            error.remedy = file.as_written(error.remedy)
        sources.errors.append(error)
        sources.presumed.add(name)


def _text_columns(file: SettingsFile, sources: Sources) -> list[str]:
    """The text columns that are there; those of tables that failed are passed over."""
    kept: list[str] = []
    for column in file.settings.text:
        if column.partition(".")[0] in sources.presumed:
            sources.presumed.update(_TEXT_TABLES)
            continue
        try:
            Task(sources.tables, text=[*kept, column])
        except TacitError as error:
            error.place = file.place("text")
            sources.errors.append(error)
            sources.presumed.update(_TEXT_TABLES)
        else:
            kept.append(column)
    return kept


def _read_predicates(file: SettingsFile, sources: Sources) -> tuple[Predicate, ...]:
    """The predicates of the project's Python file; none, and an error, if it cannot be run."""
    if file.settings.python is None:
        return ()
    path = file.file(file.settings.python)
    try:
        predicates = load_predicates(path)
        sources.functions = _labelling_functions(path)
        return predicates
    except TacitError as error:
        error.place = error.place or file.place("python")
        failure = error
    except SystemExit:
        failure = BadFile(
            f"{path} ends the program",
            place=file.place("python"),
            remedy="remove the call of exit() from it: it is run whenever the project is read",
        )
    sources.errors.append(with_line(failure))
    sources.presumes_all = True
    return ()


def _labelling_functions(path: str) -> tuple[LabellingFunction, ...]:
    """The labelling functions of a Python file that was run already, in order of declaration."""
    file = str(Path(path).resolve())
    ran = [m for m in sys.modules.values() if getattr(m, "__file__", None) == file]
    values = [value for module in ran for value in vars(module).values()]
    found = {id(v): v for v in values if isinstance(v, LabellingFunction)}
    return tuple(found.values())


def _with_predicates(task: Task, predicates: Iterable[Predicate], sources: Sources) -> Task:
    """The task with all predicates that fit it; the rest become errors.

    A predicate may read the relation of another one that is declared later, so the attempt is
    repeated while it brings the task further.
    """
    waiting = list(predicates)
    failed: Mapping[str, TacitError] = {}
    while waiting:
        failed = {}
        for predicate in waiting:
            try:
                task = task.with_predicates(predicate)
            except TacitError as error:
                failed[predicate.name] = error
        if len(failed) == len(waiting):
            break
        waiting = [predicate for predicate in waiting if predicate.name in failed]
    for predicate in waiting:
        if predicate.table not in sources.presumed:
            failure = at_function(failed[predicate.name], predicate.function)
            sources.errors.append(with_line(failure))
        sources.presumed.add(predicate.name)
    return task


def at_function(error: TacitError, function: object) -> TacitError:
    """The error at the function that led to it, unless it names a place of its own."""
    code = getattr(function, "__code__", None)
    if error.place is None and code is not None:
        error.place = Place(code.co_filename, code.co_firstlineno)
    return error


def with_line(error: TacitError) -> TacitError:
    """The error with its Python file as other messages call it, and the line that it names."""
    place = error.place
    if place is not None and not place.text and place.source.endswith(".py"):
        linecache.checkcache(place.source)  # the file may have changed since it was last read
        line = linecache.getline(place.source, place.line)
        error.place = replace(place, source=shown(Path(place.source)), text=line)
    return error
