"""`tacit check`: read a project or a program, and print what it holds or all that is wrong."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.app.console import (
    NAME,
    NUMBER,
    Column,
    counted,
    make_console,
    print_json,
    print_notes,
    print_table,
    print_title,
    warnings_as_notes,
)
from tacit.app.overview import (
    FormulaFacts,
    Overview,
    PredicateFacts,
    program_overview,
    project_overview,
)
from tacit.app.project import load_project, read_program
from tacit.errors import raise_all

if TYPE_CHECKING:
    from rich.console import Console


def run_check(path: Path, *, as_json: bool, strict: bool) -> int:
    """Check and print; 0 if all is well, 1 if only strictness objects. Mistakes are raised."""
    # What the user's own Python code prints must not mix with the answer.
    with redirect_stdout(sys.stderr), warnings_as_notes() as heard:
        overview = _overview(path)
    overview = replace(overview, notes=(*heard, *overview.notes))
    fine = not (strict and overview.notes)
    if as_json:
        print_json({"ok": fine, "errors": []} | overview.as_dict())
    else:
        print_overview(make_console(), overview)
    if not fine and not as_json:
        notes = counted(len(overview.notes), "note")
        make_console(stderr=True).print(f"--strict: {notes}, so the answer is no.", style="red")
    return 0 if fine else 1


def _overview(path: Path) -> Overview:
    """The overview of a project, or of a program file by itself."""
    if path.suffix != ".tacit":
        return project_overview(load_project(path))
    reading = read_program(str(path))
    raise_all(reading.problems)
    return program_overview(reading.program, str(path))


def print_overview(console: Console, overview: Overview) -> None:
    """All sections that have something to show, then one line that sums up."""
    from rich.text import Text

    print_title(console, overview.name, overview.file)
    if overview.tables:
        _print_tables(console, overview)
    if overview.predicates:
        _print_predicates(console, overview)
    if overview.labels:
        _print_labels(console, overview)
    if overview.formulas:
        _print_formulas(console, overview)
    print_notes(console, overview.notes)
    console.print(Text(_summary(overview), style="bold green"), soft_wrap=True)


def _print_tables(console: Console, overview: Overview) -> None:
    columns = (Column("name", style=NAME), _number("rows"), Column("from"), Column("columns"))
    rows = [
        (
            table.name,
            f"{table.rows:,}",
            f"derived: {table.origin}" if table.derived else table.source or "",
            _kinds(table.columns),
        )
        for table in overview.tables
    ]
    print_table(console, "Tables", columns, rows)


def _kinds(columns: Mapping[str, str]) -> str:
    """The columns in order, each run of one kind with that kind behind it."""
    runs = groupby(columns, key=columns.__getitem__)
    return "; ".join(f"{', '.join(names)} ({kind})" for kind, names in runs)


def _print_predicates(console: Console, overview: Overview) -> None:
    columns = [Column("predicate", style=NAME)]
    rows = [[predicate.declaration] for predicate in overview.predicates]
    if overview.tables:
        columns += [_number("rows"), Column("table")]
        rows = [[p.declaration, _count(p.rows), _bound(p)] for p in overview.predicates]
    print_table(console, "Predicates", columns, rows)


def _bound(predicate: PredicateFacts) -> str:
    """The table's columns that the arguments stand for."""
    if predicate.columns is None:
        return "none, and no formula needs it"
    return f"{predicate.name}({', '.join(predicate.columns)})"


def _print_labels(console: Console, overview: Overview) -> None:
    labels = overview.labels
    columns = [Column("label function", style=NAME), Column("labels")]
    rows = [[f"{label.name}({label.table})", " | ".join(label.labels)] for label in labels]
    if any(label.gold is not None for label in labels):
        _insert(columns, rows, "gold", [_count(label.gold) for label in labels])
    if overview.tables:
        _insert(columns, rows, "instances", [_count(label.instances) for label in labels])
    print_table(console, "Labels", columns, rows)


def _insert(columns: list[Column], rows: list[list[str]], header: str, cells: list[str]) -> None:
    """Put a column of numbers behind the first one."""
    columns.insert(1, _number(header))
    for row, cell in zip(rows, cells, strict=True):
        row.insert(1, cell)


def _print_formulas(console: Console, overview: Overview) -> None:
    # The formula comes last: it is the longest, and in a pipe nothing stands behind it.
    columns = [Column("name", style=NAME), Column("weight"), Column("formula")]
    rows = [[f.name, f.weight, f.formula] for f in overview.formulas]
    if overview.tables:
        columns[2:2] = [_number("groundings"), Column("touches")]
        totals = {label.name: label.instances or 0 for label in overview.labels}
        for row, formula in zip(rows, overview.formulas, strict=True):
            row[2:2] = [_count(formula.groundings), _touches(formula, totals)]
    silent = [i for i, formula in enumerate(overview.formulas) if formula.groundings == 0]
    print_table(console, "Formulas", columns, rows, marked=silent)


def _touches(formula: FormulaFacts, totals: Mapping[str, int]) -> str:
    """How many instances of each label function a formula touches."""
    if not formula.groundings:
        return "nothing"
    touched = {name: n for name, n in (formula.instances or {}).items() if n}
    if len(totals) == 1:
        return ", ".join(f"{n:,} of {totals[name]:,}" for name, n in touched.items())
    return ", ".join(f"{n:,} {name}" for name, n in touched.items())


def _summary(overview: Overview) -> str:
    """One line that says that all is well, and how much of it there is."""
    formulas = counted(len(overview.formulas), "formula")
    over = ", checked without data"
    if overview.tables:
        over = f" over {counted(len(overview.tables), 'table')}"
    notes = f"; {counted(len(overview.notes), 'note')} above" if overview.notes else ""
    return f"No mistakes in {formulas}{over}{notes}."


def _number(header: str) -> Column:
    return Column(header, right=True, style=NUMBER)


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
