"""How far a program that grows itself gets: S4 beside DPL, Snorkel, self-training and gold.

`python -m benchmarks.s4 --data DATA` prints tables; with `--json` the last line is one JSON object,
with `--json FILE` the file holds it, also of a run that was ended early. See `MEANINGS`.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.dpl import machine
from benchmarks.dpl_files import TokensBySet, make_files, snorkel_labels
from benchmarks.dpl_methods import Bench, summary, watched
from benchmarks.dpl_options import add_options, network_of, parse, sizes, some_of
from benchmarks.dpl_predictors import BY_CHANCE
from benchmarks.dpl_problems import Problem
from benchmarks.dpl_sets import Corpus
from benchmarks.inference import note
from benchmarks.inference_sides import LeftOut, Record
from benchmarks.s4_curves import write_curves
from benchmarks.s4_rows import GROWN, ROWS, Rows
from benchmarks.s4_score import CHAPTER_DRAWS, MEANINGS, chapter_of, gaps, over_draws
from benchmarks.s4_sets import CHAPTERS, EACH, NAMES, drawn_problem, problems, read_set, sizes_of
from benchmarks.s4_text import as_text, block

SIZES = (6, 20, 40)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print."""
    options = parse_arguments(arguments)
    run = Run(options)
    if options.make_tokens or options.make_snorkel:
        run.make_files()
        return
    report = run.measure()
    print(as_text(report))
    if options.json == "-":
        print(json.dumps(report))


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.s4", description=__doc__)
    add_options(parser)
    add = parser.add_argument
    tables, rows = some_of("table", NAMES), some_of("row", ROWS)
    add("--table", type=tables, default=CHAPTERS, help=f"of {','.join(NAMES)}; or all")
    add("--sizes", type=sizes, default=SIZES, help=f"numbers of seeds of {' and '.join(CHAPTERS)}")
    add("--each", type=sizes, default=EACH, help="numbers of seeds for each label of all others")
    add("--rows", type=rows, default=ROWS, help=f"of {','.join(ROWS)}")
    add("--first-seed", type=int, default=0, metavar="N", help="to add seeds to a former run")
    add("--random-draws", type=int, default=0, metavar="N", help="runs from random oracle tokens")
    add("--first-draw", type=int, default=0, metavar="N", help="to add draws to a former run")
    add("--curves", type=Path, metavar="FOLDER", help="draw learning curves as SVG files")
    return parse(parser, arguments)


class Run:
    """One run of the benchmark."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = Path(options.data).expanduser() / "text"
        self.tokens = TokensBySet(options)
        self.load_before = os.getloadavg()[0]
        self.report: Record = {"sets": [], "left_out": []}

    def measure(self) -> Record:
        """Every figure."""
        for name in self.options.table:
            try:
                self._measure_set(self._corpus(name))
            except Exception as why:
                self.report["left_out"].append({"set": name, "why": reason(why)})
        self._kept()
        if self.options.curves:
            write_curves(self.report, self.options.curves)
        return self.report

    def make_files(self) -> None:
        """Write oracle tokens, or Snorkel's labels, of all sets that are wanted."""
        corpora = [self._corpus(name) for name in self.options.table]
        every = [problem for corpus in corpora for problem in self._problems(corpus)]
        make_files(self.options, every, self.tokens)

    def _corpus(self, name: str) -> Corpus:
        return read_set(name, self.folder, quick=self.options.quick)

    def _problems(self, corpus: Corpus) -> list[Problem]:
        options = self.options
        chosen = sizes_of(corpus, options.sizes, options.each, quick=options.quick)
        return list(problems(corpus, self.tokens.of(corpus), chosen))

    def _measure_set(self, corpus: Corpus) -> None:
        """The figures of one set, kept as they come."""
        options = self.options
        bench = Bench(
            network_of(options),
            network_of(options, at_once=True),
            BY_CHANCE[options.predictor],
            options.seeds,
            snorkel_labels(options),
            hide_words=not options.show_words,
        )
        record: Record = {
            "set": corpus.name,
            "predictor": options.predictor,
            "max_tokens": options.max_tokens,
            "by_chance": bench.by_chance,
            "n_seeds": bench.seeds if bench.by_chance else 1,
            "train": len(corpus.train),
            "test": len(corpus.test),
            "labels": len(corpus.labels),
            "problems": [],
            "random": None,
        }
        self.report["sets"].append(record)
        for problem in self._problems(corpus):
            record["problems"].append(_about(problem, options.quick))
            self._measure_problem(problem, bench, record["problems"])
        if options.random_draws and len(corpus.labels) == 2:
            self._measure_draws(corpus, bench, record)
        note("\n".join(block(record)))

    def _measure_problem(self, problem: Problem, bench: Bench, records: list[Record]) -> None:
        """Every row for one seed, then for the next; what is of a set alone is not run again."""
        own: dict[str, Record] = records[-1]["rows"]
        with TemporaryDirectory(prefix="tacit-") as folder:
            rows = Rows(problem, bench, self.tokens.of(problem.corpus), Path(folder))
            runs = rows.runs()
            for at in range(bench.seeds):
                seed = self.options.first_seed + at
                for row in in_order(self.options.rows):
                    n_seeds, run = runs[row]
                    if row == "supervised" and len(records) > 1:
                        own[row] = records[0]["rows"][row]
                    elif at < n_seeds and not own.get(row, {}).get("skipped"):
                        note(f"{problem.name}, {row}, seed {seed} ...")
                        own[row] = with_run(own.get(row), run, seed)
                        self._kept()

    def _measure_draws(self, corpus: Corpus, bench: Bench, record: Record) -> None:
        """Self-training from seeds that are drawn from the oracle's tokens, and DPL."""
        draws, failed = [], []
        tokens, first = self.tokens.of(corpus), self.options.first_draw
        for draw in range(first, first + self.options.random_draws):
            note(f"{corpus.name}, random tokens, draw {draw} ...")
            with TemporaryDirectory(prefix="tacit-") as folder:
                rows = Rows(drawn_problem(corpus, tokens, draw), bench, tokens, Path(folder)).runs()
                try:
                    found = watched(rows["sst"][1], draw)
                    draws.append(found | {"dpl": watched(rows["dpl"][1], draw)["accuracy"]})
                except Exception as why:
                    failed.append(f"draw {draw}: {reason(why)}")
            chapter = {} if self.options.quick else CHAPTER_DRAWS.get(corpus.name, {})
            found = over_draws(draws) if draws else {}
            record["random"] = found | {"failed": failed, "chapter": chapter}
            self._kept()

    def _kept(self) -> Record:
        """The report so far, also in its file."""
        self.report |= {
            "gaps": gaps(self.report["sets"]),
            "meanings": MEANINGS,
            "machine": machine(self.load_before),
        }
        if self.options.json not in (None, "-"):
            Path(self.options.json).write_text(json.dumps(self.report, indent=1) + "\n")
        return self.report


def in_order(rows: tuple[str, ...]) -> list[str]:
    """Rows as they run: S4 first, and DPL behind the first of them, which begins with it."""
    first = [row for row in GROWN if row in rows]
    dpl = ["dpl"] if "dpl" in rows else []
    return [*first[:1], *dpl, *first[1:], *(row for row in rows if row not in (*GROWN, "dpl"))]


def with_run(before: Record | None, run: Callable[[int], Record], seed: int) -> Record:
    """The figures of a row with one run more; if it fails, the reason beside what there is."""
    known = before or {}
    try:
        found = summary([*known.get("runs", []), watched(run, seed)])
    except LeftOut as why:
        return {"skipped": str(why)}
    except Exception as why:
        note(f"  failed: {reason(why)}")
        failed = {"failed": [*known.get("failed", []), f"seed {seed}: {reason(why)}"]}
        return known | failed
    return found | {"failed": known.get("failed", [])}


def reason(why: Exception) -> str:
    """An error in one line."""
    kind, text = type(why).__name__, " ".join(str(why).split())
    return text if text.startswith(kind) else f"{kind}: {text}"


def _about(problem: Problem, quick: bool) -> Record:
    """What is known, and how far it reaches."""
    corpus, n_tokens = problem.corpus, problem.votes.n_sources
    return {
        "problem": problem.name,
        "n_tokens": n_tokens,
        "coverage": float(problem.has_evidence.mean()),
        "chapter": {} if quick else chapter_of(corpus.name, n_tokens),
        "rows": {},
    }


if __name__ == "__main__":
    main()
