"""How right label models are, how fast, and in how much memory: ours beside others.

`python -m benchmarks.label_model` prints tables; with `--json` the last line is one JSON object.
Majority vote, Snorkel's label model, and crowd-kit's Dawid-Skene and GLAD are given the same votes,
drawn ones and those of published sets, each in a process of its own; see `MEANINGS`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.inference import note, processor
from benchmarks.inference_sides import LeftOut, Record, n_cores, peer_python
from benchmarks.label_model_real import real_sets
from benchmarks.label_model_run import (
    GLAD_VOTES,
    MORE_TURNS,
    SHORT,
    SLOW,
    Plan,
    measure_set,
)
from benchmarks.label_model_score import summary
from benchmarks.label_model_sets import SPECS, LabelledSet, draw, quick
from benchmarks.label_model_text import as_text, block

REAL_NAMES = tuple(real_sets(Path(), quick=False))
NAMES = (*(spec.name for spec in SPECS), *REAL_NAMES)

MEANINGS = {
    "models": "tacit: LabelModel().fit_matrix(votes), as it comes. majority: the label with the "
    "most votes. Snorkel: LabelModel, 100 epochs, class balance not given, mean over seeds. "
    "Dawid-Skene and GLAD: crowd-kit. All settings are the defaults, on every set; no model sees "
    f"gold labels. GLAD is tried up to {GLAD_VOTES:,} votes. Dawid-Skene does not count silence: "
    "it learns nothing from a function that only ever votes for one label, such as a token's",
    "sets": "synthetic ones are drawn with accuracies of 0.55 to 0.9 and known truth; real ones "
    "are label matrices of published sets. imdb and sst2: 6, 20 or 40 tokens chosen by a model of "
    "gold labels, which stands for an expert; each votes for its label where it occurs. Fitted "
    "and scored on the same rows, but for sets that end in _test: fitted on train rows, scored on "
    "test rows; Dawid-Skene and GLAD, which label only what they learn from, are fitted there on "
    "train and test rows together",
    "accuracy": "per cent of all rows; where n labels tie, or a model makes no statement (n: all "
    "labels), a row counts 1/n, as a coin would do on average. crowd-kit makes no statement about "
    "rows without votes",
    "covered": "the same over rows with at least one vote (accuracy_covered)",
    "balanced": "the same, the mean over labels of the accuracy on rows of that label",
    "oracle": "the true posterior, by the probabilities that the votes were drawn with",
    "fit s, predict s": "the quickest run (fit + predict) of one in a fresh process and one for "
    f"each seed, and {MORE_TURNS} more of what takes less than {SHORT:g} s; models take turns. "
    "predict: the posterior of the rows that are asked about; ours by predict_matrix, though "
    "posterior_ has it after fitting. crowd-kit: the posterior comes with the fit, and its input "
    "is a data frame of votes that is made beforehand",
    "first s": "fit and predict of the first run in a process, after imports; it may compile. A "
    f"model whose first run takes more than {SLOW:g} s is run once, and that is what is shown",
    "MB": "how far resident memory rises while fitting and predicting, in any run but the first, "
    "over what the process, its libraries and its input take before (memory_mb); first_memory_mb: "
    "in the first run",
    "times as fast as Snorkel": "seconds of Snorkel's fit + predict over ours "
    "(fit_speedup_vs_snorkel). Two threads each, or as many as OMP_NUM_THREADS and "
    "NUMBA_NUM_THREADS say; on a busy machine it may differ several times from run to run, so see "
    "the load average",
    "gap": "our accuracy less that of the best of majority vote, Snorkel and Dawid-Skene, in "
    "points; worst_gap: the lowest on a real set",
    "mean_accuracy": "the mean over sets; a model that lacks a figure on any of them has none",
}


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print."""
    options = parse_arguments(arguments)
    if not Path("/proc/self/clear_refs").exists():
        raise SystemExit("peak memory is measured by Linux's /proc, which is not there")
    report = measure(options)
    print(as_text(report))
    if options.json:
        print(json.dumps(report))


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.label_model", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run at all?")
    parser.add_argument("--sets", nargs="+", choices=NAMES, metavar="SET", help=", ".join(NAMES))
    parser.add_argument("--seeds", type=int, default=3, help="seeds of Snorkel, and warm runs")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a run may take")
    parser.add_argument("--glad-limit", type=float, default=120, help="the same, of GLAD")
    parser.add_argument("--memory", type=float, default=12, help="GB that a process may take")
    parser.add_argument(
        "--data",
        default=os.environ.get("TACIT_DATA"),
        help="a folder whose folder text/ has the real sets; else TACIT_DATA",
    )
    parser.add_argument(
        "--peer-python",
        default=os.environ.get("TACIT_PEERS"),
        help="a Python (or its virtual environment) with the peers; else TACIT_PEERS",
    )
    return parser.parse_args(arguments)


def measure(options: argparse.Namespace) -> Record:
    """Every figure."""
    plan, load_before = planned(options), os.getloadavg()[0]
    makers, left_out = chosen_sets(options)
    records: list[Record] = []
    for name, make in makers.items():
        note(f"{name} ...")
        try:
            records.append(measure_set(make(), plan))
            note("\n".join(block(records[-1])))
        except OSError as why:
            left_out.append({"set": name, "why": str(why)})
    return summary(records) | {
        "sets": records,
        "left_out": left_out,
        "peers_skipped": plan.why_not or None,
        "meanings": MEANINGS,
        "machine": machine(records, load_before),
    }


def planned(options: argparse.Namespace) -> Plan:
    """How to measure; without peers where there are none."""
    python, why_not = None, ""
    try:
        python = peer_python(options.peer_python)
    except LeftOut as why:
        why_not = str(why)
    return Plan(
        python=python,
        why_not=why_not,
        seeds=1 if options.quick else options.seeds,
        more_turns=0 if options.quick else MORE_TURNS,
        limit=options.limit,
        glad_limit=min(options.glad_limit, 10) if options.quick else options.glad_limit,
        memory=options.memory,
    )


def chosen_sets(
    options: argparse.Namespace,
) -> tuple[dict[str, Callable[[], LabelledSet]], list[Record]]:
    """How to make each set that is wanted; and those that cannot be had."""
    wanted = options.sets or NAMES
    specs = [quick(spec) if options.quick else spec for spec in SPECS]
    makers: dict[str, Callable[[], LabelledSet]] = {
        spec.name: partial(draw, spec) for spec in specs if spec.name in wanted
    }
    real = [name for name in REAL_NAMES if name in wanted]
    folder = Path(options.data or ".").expanduser() / "text"
    if not options.data or not folder.is_dir():
        why = (
            f"there is no folder text in {options.data}"
            if options.data
            else "no --data and no TACIT_DATA"
        )
        return makers, [{"set": name, "why": why} for name in real]
    sources = real_sets(folder, quick=options.quick)
    return makers | {name: sources[name] for name in real}, []


def machine(records: list[Record], load_before: float) -> Record:
    """Where the figures come from."""
    versions: Record = {}
    for record in records:
        for figures in record["models"].values():
            versions |= figures.get("versions", {})
    return {
        "cores": n_cores(),
        "load_average": {"before": load_before, "after": os.getloadavg()[0]},
        "python": platform.python_version(),
        "processor": processor(),
        **versions,
    }


if __name__ == "__main__":
    main()
