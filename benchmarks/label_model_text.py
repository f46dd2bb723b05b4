"""The label model's benchmark as tables."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from benchmarks.inference_text import rounded
from benchmarks.label_model_score import FIGURES, MODELS, gap

Record = dict[str, Any]

NAMES = {
    "tacit": "tacit",
    "majority": "majority",
    "snorkel": "Snorkel",
    "dawid_skene": "Dawid-Skene",
    "glad": "GLAD",
}
COLUMNS = (  # heading, key, factor, format
    ("accuracy", "accuracy", 100.0, "{:.2f}"),
    ("covered", "accuracy_covered", 100.0, "{:.2f}"),
    ("balanced", "accuracy_balanced", 100.0, "{:.2f}"),
    ("fit s", "fit_s", 1.0, "{:.3f}"),
    ("predict s", "predict_s", 1.0, "{:.3f}"),
    ("first s", "first_s", 1.0, "{:.3f}"),
    ("MB", "memory_mb", 1.0, "{:.0f}"),
)
WIDTH = 9
NAME_WIDTH = 24


def as_text(report: Record) -> str:
    """The report as tables, with what every figure means."""
    lines = [line for record in report["sets"] for line in [*block(record), ""]]
    for key, heading in zip(FIGURES, ("all rows", "covered rows"), strict=True):
        lines += [*overview(report, key, heading), ""]
    lines += [f"left out: {one['set']}: {one['why']}" for one in report["left_out"]]
    for key, meaning in report["meanings"].items():
        lines += textwrap.wrap(f"{key}: {meaning}", 100, subsequent_indent="    ")
    return "\n".join([*lines, f"machine: {json.dumps(rounded(report['machine']))}"])


def block(record: Record) -> list[str]:
    """One set: a line for each model."""
    heading = f"{record['set']}: {record['about']}"
    size = f"{record['rows']:,} rows x {record['functions']:,} functions, {record['labels']} labels"
    if record["asked_rows"] != record["rows"]:
        size += f", {record['asked_rows']:,} rows asked about"
    size += f"; {record['coverage']:.1%} covered, {record['votes_a_row']:.3g} votes a row"
    cells = "".join(heading.rjust(WIDTH + 2) for heading, *_ in COLUMNS)
    lines = [heading, f"  {size}", f"  {'':<13}{cells}"]
    lines += [line for model in MODELS for line in model_lines(model, record["models"][model])]
    if record["oracle"]:
        lines.append(f"  {'oracle':<13}{row(record['oracle'])}")
    load = f"load average {record['load_average']:.1f}"
    if record["fit_speedup_vs_snorkel"]:
        return [
            *lines,
            f"  {record['fit_speedup_vs_snorkel']:.3g} times as fast as Snorkel; {load}",
        ]
    return [*lines, f"  {load}"]


def model_lines(model: str, figures: Record) -> list[str]:
    """One model on one set, and what it warned of."""
    name = f"  {NAMES[model]:<13}"
    if "skipped" in figures:
        return [f"{name}  n/a ({figures['skipped']})"]
    warned = [f"  {'':<15}warned: {text}" for text in figures["warnings"]]
    return [f"{name}{row(figures)}  {'; '.join(notes(figures))}".rstrip(), *warned]


def row(figures: Record) -> str:
    """The figures in their columns."""
    cells = []
    for _, key, factor, form in COLUMNS:
        value = figures.get(key)
        cells.append(("-" if value is None else form.format(factor * value)).rjust(WIDTH + 2))
    return "".join(cells)


def notes(figures: Record) -> list[str]:
    """What is worth a word about a model's run."""
    found = []
    if figures["accuracy_spread"]:
        spread = 100 * figures["accuracy_spread"]
        found.append(f"accuracy +- {spread / 2:.2f} over {figures['n_seeds']} seeds")
    if figures.get("n_nan"):
        found.append(f"{figures['n_nan']:,} rows are not a number")
    if figures.get("differs_by", 0.0) > 1e-6:
        found.append(f"predict_matrix differs from posterior_ by {figures['differs_by']:.2g}")
    if not figures["n_warm_runs"]:
        found.append("run once")
    if figures["stopped"]:
        found.append(f"stopped: {figures['stopped']}")
    return found


def overview(report: Record, key: str, heading: str) -> list[str]:
    """All sets in one table of accuracies, with the gap to the best rival."""
    names = [NAMES[model] for model in MODELS]
    title = f"accuracy, {heading}"
    head = title.ljust(NAME_WIDTH + 2) + "".join(name.rjust(WIDTH + 3) for name in names)
    lines = [f"{head}{'gap to best of three':>26}{'x Snorkel':>{WIDTH + 3}}"]
    for record in report["sets"]:
        accuracies = [record["models"][model].get(key) for model in MODELS]
        known, speed = gap(record, key), record["fit_speedup_vs_snorkel"]
        told = f"{100 * known[0]:+.2f} ({NAMES[known[1]]})" if known else "-"
        fast = f"{speed:.3g}" if speed else "-"
        lines.append(f"{accuracy_row(record['set'], accuracies)}{told:>26}{fast:>{WIDTH + 3}}")
    for name, found in report["mean_accuracy"].items():
        shown = [found[key][model] for model in MODELS]
        title = f"mean of {found['n_sets']} {name.replace('_', ' ')}"
        lines.append(accuracy_row(title.replace("sets of all four", "sets (a)"), shown))
    worst = report["worst_gap"][key]
    if worst:
        lines.append(
            f"worst gap on a real set: {100 * worst['gap']:+.2f} points on {worst['set']}, "
            f"where {NAMES[worst['best']]} is the best of the three"
        )
    four = ", ".join(NAMES[model] for model in MODELS[:4])
    return [*lines, f"*: the best of a row; (a): those with a figure of each of {four}"]


def accuracy_row(title: str, accuracies: list[float | None]) -> str:
    """Accuracies in per cent; the best of each row has a star."""
    shown = [value for value in accuracies if value is not None]
    best = max(shown, default=0.0)
    cells = [
        "-" if value is None else f"{100 * value:.2f}{'*' if value >= best - 5e-5 else ' '}"
        for value in accuracies
    ]
    return f"  {title:<{NAME_WIDTH}}" + "".join(cell.rjust(WIDTH + 3) for cell in cells)
