"""The benchmark of S4 as tables."""

from __future__ import annotations

import json
import re
import textwrap

import numpy as np

from benchmarks.inference_sides import Record
from benchmarks.inference_text import rounded
from benchmarks.s4_rows import GROWN, ROWS
from benchmarks.s4_score import deviation

NAMES = {
    "snorkel": "Snorkel labels + predictor",
    "dpl": "DPL",
    "dpl_longer": "  with a round more",
    "dpl_even": "  told that labels are alike common",
    "sst": "S4, self-training",
    "sst_attention": "  by attention",
    "sst_entropy": "  by entropy",
    "sst_cold": "  beginning anew",
    "sst_no_guard": "  without the guard",
    "fal5": "S4, 5 questions only",
    "fal10": "S4, 10 questions only",
    "fal20": "S4, 20 questions only",
    "fal20_entropy": "  by entropy",
    "s4": "S4, self-training, 20 questions",
    "sst_pairs": "S4, self-training, similar pairs",
    "s4_pairs": "  20 questions",
    "sst_even": "S4, self-training, told of shares",
    "sst_told_pairs": "S4, self-training, told of pairs",
    "self_training": "self-training of the predictor",
    "supervised": "supervised predictor",
}
LONG = {
    "dpl_longer": "DPL with a round more",
    "sst_attention": "S4, self-training by attention",
    "sst_entropy": "S4, self-training by entropy",
    "sst_cold": "S4, self-training that begins anew",
    "sst_no_guard": "S4, self-training without the guard",
    "dpl_even": "DPL, told that labels are alike common",
    "fal20_entropy": "S4, 20 questions by entropy",
    "s4_pairs": "S4, similar pairs, 20 questions",
}
NAME_WIDTH, OURS, THEIRS, GAP = 36, 13, 9, 8
DETAILS = (  # heading, width, key, format
    ("F1: start", 11, "start_f1", "{:.1%}"),
    ("S4", 7, "f1", "{:.1%}"),
    ("words", 7, "words", "{:.0f}"),
    ("right", 8, "precision", "{:.1%}"),
    ("pairs", 7, "pairs", "{:.0f}"),
    ("alike", 8, "alike", "{:.1%}"),
    ("rounds", 8, "rounds", "{:.0f}"),
    ("asked", 7, "asked", "{:.0f}"),
    ("yes", 5, "yes", "{:.0f}"),
    ("seconds", 9, "seconds", "{:.1f}"),
)
ROUNDS = [key for _, _, key, _ in DETAILS].index("rounds")


def as_text(report: Record) -> str:
    """The report as tables, with what every figure means."""
    lines = [line for record in report["sets"] for line in [*block(record), ""]]
    lines += [f"left out: {one['set']}: {one['why']}" for one in report["left_out"]]
    lines += [*_gaps(report["gaps"]), ""]
    for key, meaning in report["meanings"].items():
        lines += textwrap.wrap(f"{key}: {meaning}", 100, subsequent_indent="    ")
    return "\n".join([*lines, f"machine: {json.dumps(rounded(report['machine']))}"])


def block(record: Record) -> list[str]:
    """One set: a line for each row, a column for each number of seeds; then how programs grew."""
    problems = record["problems"]
    seeds = f"{record['n_seeds']} seeds" if record["n_seeds"] > 1 else "one seed"
    by = f"predictor {record['predictor']}, {seeds}"
    why = "" if record["by_chance"] else ", as there is no chance in it"
    lines = [
        f"{record['set']}: test accuracy in per cent, {by}{why}",
        f"  {record['train']:,} train and {record['test']:,} test texts, {record['labels']} labels",
        _line("", [_part(f"|I| = {each['n_tokens']}", each) for each in problems]),
        _line("", [_part("ours", each, "chapter", "gap") for each in problems]),
        _line(
            "train texts with a seed", [_part(f"{each['coverage']:.1%}", each) for each in problems]
        ),
    ]
    for row in ROWS:
        if any(row in each["rows"] for each in problems):
            lines.append(_line(NAMES[row], [_cells(each, row) for each in problems]))
    for each in problems:
        lines += _growth(each)
    return [*lines, *_draws(record["random"]), *_remarks(problems)]


def _cells(problem: Record, row: str) -> str:
    """Our figure, the chapter's, and how much ours is above it."""
    figures, chapter = problem["rows"].get(row, {}), problem["chapter"].get(row)
    if "accuracy" not in figures:
        ours = "n/a" if figures else "-"
    else:
        ours = _spread([run["accuracy"] for run in figures["runs"]])
    theirs = "-" if chapter is None else f"{100 * chapter:.1f}"
    known = chapter is not None and "accuracy" in figures
    gap = f"{100 * (figures['accuracy'] - chapter):+.1f}" if known else "-"
    return _part(ours, problem, theirs, gap)


def _part(ours: str, problem: Record, theirs: str = "", gap: str = "") -> str:
    """One column; where the chapter has no figures, nothing is left free for them."""
    both = theirs.rjust(THEIRS) + gap.rjust(GAP) if problem["chapter"] else ""
    return ours.rjust(OURS) + both


def _growth(problem: Record) -> list[str]:
    """How the programs of each row of S4 grew, and why they ended; means over seeds."""
    rows = [row for row in GROWN if problem["rows"].get(row, {}).get("runs")]
    if not rows:
        return []
    heads = "".join(heading.rjust(width) for heading, width, *_ in DETAILS)
    lines = [_line(f"how it grew, |I| = {problem['n_tokens']}", [heads + "  ended because"])]
    for row in rows:
        runs = problem["rows"][row]["runs"]
        cells = [_mean(runs, key, shape).rjust(width) for _, width, key, shape in DETAILS]
        taken_back = sum(run["taken_back"] for run in runs) / len(runs)
        if taken_back:
            told = f"{_mean(runs, 'rounds', '{:.0f}')}-{taken_back:.2g}"
            cells[ROUNDS] = told.rjust(DETAILS[ROUNDS][1])
        seed = f" (seed {runs[0]['seed']})" if len(runs) > 1 else ""
        lines.append(_line(NAMES[row], ["".join(cells), f"  {_why(row, runs[0])}{seed}"]))
    return lines


def _why(row: str, run: Record) -> str:
    """Why it ended; where there was no self-training, by questions."""
    if GROWN[row].get("rounds") != 0:
        return str(run["reason"])
    enough = run["asked"] >= GROWN[row]["budget"]
    return "all questions are asked" if enough else "nothing is left to ask about"


def _mean(runs: list[Record], key: str, shape: str) -> str:
    found = [run[key] for run in runs if run[key] is not None]
    return shape.format(float(np.mean(found))) if found else "-"


def _draws(found: Record | None) -> list[str]:
    """What random seeds do."""
    if not found or "draws" not in found:
        return [f"  random tokens: {text}" for text in (found or {}).get("failed", [])]
    lines = [_line(f"{found['n_draws']} draws of random tokens", ["ours".rjust(OURS)])]
    for row in ("dpl", "sst"):
        cell = _spread([run["dpl" if row == "dpl" else "accuracy"] for run in found["draws"]])
        if row in found["chapter"]:
            mean, spread = found["chapter"][row]
            cell = f"{cell.rjust(OURS)}   the chapter's {100 * mean:.1f} +-{100 * spread:.1f}"
        lines.append(_line(NAMES[row], [cell.rjust(OURS)]))
    pairs = [f"{100 * run['start']:.1f} -> {100 * run['accuracy']:.1f}" for run in found["draws"]]
    lines += textwrap.wrap(
        f"by draw: {', '.join(pairs)}", 98, initial_indent="  ", subsequent_indent="    "
    )
    below = f"  below their own start end {found['n_below_start']} of {found['n_draws']}"
    worst = f", the worst by {100 * found['most_lost']:.1f} points" * bool(found["n_below_start"])
    below += f"{worst}; below DPL {found['n_below_dpl']}"
    return [*lines, below, *(f"  failed: {text}" for text in found["failed"])]


def _remarks(problems: list[Record]) -> list[str]:
    """Why cells are empty, and what rows warned of: of warnings alike in all but numbers, one."""
    found: list[str] = []
    failed: dict[str, list[str]] = {}
    warned: dict[str, list[str]] = {}
    for each in problems:
        for row, figures in each["rows"].items():
            where = f"{_name(row)}, |I| = {each['n_tokens']}"
            if "skipped" in figures:
                found.append(f"{_name(row)}: left out ({figures['skipped']})")
            for text in figures.get("failed", []):
                failed.setdefault(text, []).append(where)
            for text in figures.get("warnings", []):
                warned.setdefault(re.sub(r"\d+", "", text), []).append(text)
    found += [f"failed: {text} ({'; '.join(where)})" for text, where in failed.items()]
    for alike in warned.values():
        more = f" (and {len(alike) - 1} more like this)" if len(alike) > 1 else ""
        found.append(f"warned: {alike[0]}{more}")
    return [
        line
        for text in dict.fromkeys(found)
        for line in textwrap.wrap(text, 98, initial_indent="  ", subsequent_indent="      ")
    ]


def _gaps(found: Record) -> list[str]:
    """The mean gaps, a line for each row."""
    if not found:
        return []
    heads = [head.rjust(20) for head in ("less DPL", "less the chapter's")]
    lines = [_line("mean gap in points (of problems)", heads)]
    for row in ROWS:
        if row in found:
            own = [found[row][rival] for rival in ("dpl", "chapter")]
            cells = [f"{100 * gap['mean']:+.1f} ({gap['n']})" if gap["n"] else "-" for gap in own]
            lines.append(_line(_name(row), [cell.rjust(20) for cell in cells]))
    return lines


def _name(row: str) -> str:
    """What a row is called where it stands alone."""
    return LONG.get(row, NAMES[row])


def _spread(accuracies: list[float]) -> str:
    """A mean, and where there are several the standard deviation."""
    mean, spread = 100 * float(np.mean(accuracies)), deviation(accuracies)
    return f"{mean:.1f}" + ("" if spread is None else f" +-{100 * spread:.1f}")


def _line(name: str, cells: list[str]) -> str:
    return f"  {name:<{NAME_WIDTH}}{''.join(cells)}".rstrip()
