"""`tacit compare`: the label model of a project beside the baselines that it must beat."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from tacit.app.fit.settings import fit_value, project_predictor
from tacit.app.progress import progress_bar
from tacit.app.project import Project, load_project, require_data
from tacit.app.settings import SettingsFile, find_settings, read_settings
from tacit.errors import BadInput, UnknownColumn, UnknownTable, did_you_mean, listed

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.logic import LabelFunction
    from tacit.report import Comparison

_NO_GOLD = (
    "there are no gold labels to score by; name a file of them under [gold] in tacit.toml, or a "
    "column by --gold TABLE.COLUMN"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """What the command line asks for."""

    gold: str | None = None
    hold_out: bool = True
    predictor: str | None = None
    gold_labels: int = 50


def run_compare(path: Path, options: CompareOptions, *, as_json: bool) -> int:
    """Fit, compare and print; mistakes are raised."""
    require_data(path, "label")
    begun = time.perf_counter()
    # What the user's own Python code prints must not mix with the answer.
    with redirect_stdout(sys.stderr), warnings_as_notes() as heard:
        project = load_project(path)
        known = _gold(project, options.gold)
        comparison = _compare(project, known, options, read_settings(find_settings(path)))
    notes = (
        *heard,
        *project.notes,
        *comparison.notes,
        *([] if any(known.values()) else [_NO_GOLD]),
    )
    if as_json:
        about = {"name": project.name, "file": project.file, "program": project.program_file}
        answer = about | comparison.as_dict() | {"notes": list(notes)}
        print_json({"ok": True, "errors": []} | answer)
    else:
        seconds = time.perf_counter() - begun
        print_comparison(make_console(), project, comparison, notes, seconds)
    return 0


def _compare(
    project: Project,
    gold: Mapping[str, Mapping[Any, str]],
    options: CompareOptions,
    file: SettingsFile,
) -> Comparison:
    """The comparison, with a progress bar where this takes long."""
    from tacit.report import compare

    if not project.program.labels:
        raise BadInput(
            f"{project.program_file} declares no label function, so there is nothing to label",
            remedy="declare one, such as: label sentiment(review) = neg | pos",
        )
    with progress_bar("comparing") as progress:
        return compare(
            project.task,
            project.program,
            gold,
            predictor=options.predictor and project_predictor(file, options.predictor),
            gold_labels=options.gold_labels,
            fit={key: fit_value(key, own) for key, own in file.settings.fit.items()},
            hold_out=options.hold_out,
            progress=progress,
        )


def _gold(project: Project, column: str | None) -> dict[str, dict[Any, str]]:
    """The true labels by label function and id: those of the project, or those in a column."""
    if column is not None:
        return _gold_in_column(project, column)
    found = {}
    for name, labels in project.gold.items():
        ids = project.task.instances(project.program.labels[name].domain).ids.to_pylist()
        known = {key: labels[str(key)] for key in ids if str(key) in labels}
        if known:
            found[name] = known
    return found


def _gold_in_column(project: Project, column: str) -> dict[str, dict[Any, str]]:
    """The true labels in a column of the table whose rows a label function labels."""
    table_name, _, name = column.partition(".")
    function = _function_over(project, table_name, column)
    table = project.task.table(table_name)
    if name not in table.columns:
        raise UnknownColumn(
            f"--gold {column}: {table.described} has no column '{name}'; there are: "
            f"{listed(table.columns)}",
            remedy=did_you_mean(name, table.columns),
        )
    codes = function.space.encode(table.column(name), missing=True)
    ids = project.task.instances(table_name).ids.to_pylist()
    pairs = zip(ids, codes.tolist(), strict=True)
    return {function.name: {key: function.labels[code] for key, code in pairs if code >= 0}}


def _function_over(project: Project, table: str, column: str) -> LabelFunction:
    """The one label function that labels the rows of a table."""
    functions = project.program.labels.values()
    found = [function for function in functions if function.domain == table]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(
            f"--gold {column}: {listed(f.name for f in found)} all label the table '{table}'",
            remedy="name a file for each of them under [gold] in tacit.toml",
        )
    labelled = sorted({function.domain for function in functions})
    raise UnknownTable(
        f"--gold {column}: no label function labels a table '{table}'; labelled are: "
        f"{listed(labelled)}",
        remedy=did_you_mean(table, labelled) or f"such as --gold {labelled[0]}.label",
    )


def print_comparison(
    console: Console,
    project: Project,
    comparison: Comparison,
    notes: tuple[str, ...],
    seconds: float,
) -> None:
    """The tables and the notes, then one line that sums up."""
    from rich.text import Text

    print_title(console, project.name, project.file)
    for table in comparison.tables():
        columns = [
            Column(header, right=right, style=NUMBER if right else "")
            for header, right in zip(table.columns, table.is_number, strict=True)
        ]
        columns[0] = Column(table.columns[0], style=NAME)
        print_table(console, table.title, columns, table.rows)
    print_notes(console, notes)
    n_methods = len({row.method for row in comparison.rows})
    n_instances = sum(own.n_instances for own in comparison.health.values())
    done = f"{counted(n_methods, 'method')} on {counted(n_instances, 'instance')}: {seconds:.1f} s."
    console.print(Text(done, style="bold green"), soft_wrap=True)
