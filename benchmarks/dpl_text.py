"""The benchmark of deep probabilistic logic as tables."""

from __future__ import annotations

import json
import textwrap

from benchmarks.dpl_methods import SUPERVISED, TAUGHT
from benchmarks.inference_sides import Record
from benchmarks.inference_text import rounded

NAMES = {
    "majority": "majority vote + predictor",
    "label_model": "label model + predictor",
    "snorkel": "Snorkel labels + predictor",
    "snorkel_all": "  the same, on all texts",
    "dpl": "DPL",
    "supervised": "supervised predictor",
    "bag_of_words": "supervised bag of words",
}
NAME_WIDTH, WIDTH = 30, 20


def as_text(report: Record) -> str:
    """The report as tables, with what every figure means."""
    lines = [line for record in report["sets"] for line in [*block(record), ""]]
    lines += [f"left out: {one['set']}: {one['why']}" for one in report["left_out"]]
    lines += [*_single(report), ""]
    for key, meaning in report["meanings"].items():
        lines += textwrap.wrap(f"{key}: {meaning}", 100, subsequent_indent="    ")
    return "\n".join([*lines, f"machine: {json.dumps(rounded(report['machine']))}"])


def block(record: Record) -> list[str]:
    """One set: a line for each method, a column for each body of knowledge."""
    problems = record["problems"]
    sizes = (
        f"{record['train']:,} train and {record['test']:,} test texts, {record['labels']} labels"
    )
    lines = [f"{record['set']}: test accuracy, predictor {record['predictor']}", f"  {sizes}"]
    lines.append(_line("", [_heading(each) for each in problems]))
    lines.append(
        _line("train texts with evidence", [f"{each['coverage']:.1%}" for each in problems])
    )
    run = {method for each in problems for method in each["methods"]}
    for method in TAUGHT:
        if method in run:
            cells = [_cell(each["methods"][method]) for each in problems]
            lines.append(_line(NAMES[method], cells))
    for name in ("snorkel", "dpl"):
        if any(each["chapter"] for each in problems):
            shown = [_percent(each["chapter"].get(name)) for each in problems]
            lines.append(_line(f"  the chapter's {NAMES[name].split()[0]}", shown))
    for method in SUPERVISED:
        if method in record["supervised"]:
            lines.append(_line(NAMES[method], [_cell(record["supervised"][method])]))
        if method in record["chapter"]:
            lines.append(_line("  the chapter's", [_percent(record["chapter"][method])]))
    return [*lines, *_labels(problems), *_remarks(problems)]


def _labels(problems: list[Record]) -> list[str]:
    """How right the labels are that each method has taught."""
    lines = ["  labels of train texts"]
    for method in ("majority", "label_model", "snorkel", "dpl"):
        cells = []
        for each in problems:
            runs = each["methods"].get(method, {}).get("runs", [])
            found = [run["labels_accuracy"] for run in runs]
            cells.append(_percent(sum(found) / len(found) if found else None))
        lines.append(_line(f"  {NAMES[method].removesuffix(' + predictor')}", cells))
    return lines


def _remarks(problems: list[Record]) -> list[str]:
    """Why cells are empty, and what methods warned of."""
    found = []
    for each in problems:
        for method, figures in each["methods"].items():
            if "skipped" in figures:
                found.append(f"{NAMES[method].strip()}: left out ({figures['skipped']})")
            found += [f"{method} warned: {text}" for text in figures.get("warnings", [])]
    return [
        line
        for text in dict.fromkeys(found)
        for line in textwrap.wrap(text, 98, initial_indent="  ", subsequent_indent="      ")
    ]


def _single(report: Record) -> list[str]:
    """The figures that stand for themselves."""
    lines = []
    for name, found in report["gaps"].items():
        if found is not None:
            lines.append(f"{name}: {100 * found:+.2f} points")
    speed, dpl = report["speed"], report["linear_dpl"]
    if speed:
        ours, plain = speed["ours"]["tokens_per_second"], speed["plain"]["tokens_per_second"]
        lines.append(
            f"fine-tuning on {speed['device']}: {ours:,.0f} tokens/s, a plain loop {plain:,.0f}: "
            f"train_speedup_vs_hf {speed['train_speedup_vs_hf']:.2f}"
        )
    if dpl:
        lines.append(
            f"linear DPL on {dpl['set']}: {dpl['fit']:.1f} s to fit {dpl['texts']:,} texts, "
            f"{dpl['predict']:.1f} s to label the test texts"
        )
    return lines


def _heading(problem: Record) -> str:
    n_tokens = problem["n_tokens"]
    return problem["knowledge"] if n_tokens is None else f"|I| = {n_tokens}"


def _cell(figures: Record) -> str:
    """A mean; over several seeds with the lowest and the highest."""
    if "skipped" in figures:
        return "n/a"
    if figures["n_seeds"] == 1 or figures["lowest"] == figures["highest"]:
        return f"{100 * figures['accuracy']:.1f}"
    low, high = 100 * figures["lowest"], 100 * figures["highest"]
    return f"{100 * figures['accuracy']:.1f} ({low:.1f}-{high:.1f})"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _line(name: str, cells: list[str]) -> str:
    return f"  {name:<{NAME_WIDTH}}" + "".join(cell.rjust(WIDTH) for cell in cells)
