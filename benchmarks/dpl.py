"""How well deep probabilistic logic teaches a predictor: beside votes, label models and gold.

`python -m benchmarks.dpl --data DATA` prints tables; with `--json` the last line is one JSON
object, with `--json FILE` the file holds it, also of a run that was ended early. See `MEANINGS`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.dpl_files import TokensBySet, make_files, snorkel_labels
from benchmarks.dpl_methods import METHODS, Bench
from benchmarks.dpl_options import add_options, network_of, parse, sizes, some_of
from benchmarks.dpl_predictors import BY_CHANCE
from benchmarks.dpl_problems import Problem, given_problem, problem_of_tokens
from benchmarks.dpl_score import CHAPTER, CHAPTER_SUPERVISED, MEANINGS, gaps
from benchmarks.dpl_sets import SOURCES, Corpus, read_corpus
from benchmarks.dpl_speed import dpl_seconds, training_speed
from benchmarks.dpl_text import as_text, block
from benchmarks.inference import note, processor
from benchmarks.inference_sides import Record, n_cores
from tacit.errors import MissingExtra

MAIN_SETS = ("imdb", "sst2")
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
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dpl", description=__doc__)
    add_options(parser)
    add = parser.add_argument
    sets, methods = some_of("set", SOURCES), some_of("method", METHODS)
    add("--sets", type=sets, default=MAIN_SETS, help=f"of {','.join(SOURCES)}; or all")
    add("--sizes", type=sizes, default=SIZES, help="numbers of oracle tokens, such as 6,20,40")
    add("--methods", type=methods, default=METHODS, help=f"of {','.join(METHODS)}")
    add("--no-speed", action="store_true", help="leave out the speed of training")
    add("--speed-only", action="store_true", help="nothing but the speed of training")
    return parse(parser, arguments)


class Run:
    """One run of the benchmark."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = Path(options.data).expanduser() / "text"
        self.tokens = TokensBySet(options)
        self.load_before = os.getloadavg()[0]
        self.report: Record = {"sets": [], "left_out": [], "speed": None, "linear_dpl": None}

    def measure(self) -> Record:
        """Every figure."""
        options = self.options
        if not options.speed_only:
            for name in options.sets:
                try:
                    self._measure_set(self._corpus(name))
                except OSError as why:
                    self.report["left_out"].append({"set": name, "why": str(why)})
        if options.speed_only or not (options.no_speed or options.quick):
            self._measure_speed()
        return self._kept()

    def make_files(self) -> None:
        """Write oracle tokens, or Snorkel's labels, of all sets that are wanted."""
        corpora = [self._corpus(name) for name in self.options.sets]
        problems = [problem for corpus in corpora for problem in self._problems(corpus)]
        make_files(self.options, problems, self.tokens)

    def _measure_set(self, corpus: Corpus) -> None:
        """The figures of one set, kept as they come."""
        options = self.options
        bench = Bench(
            network_of(options),
            network_of(options, at_once=True),
            BY_CHANCE[options.predictor],
            options.seeds,
            snorkel_labels(options),
            options.methods,
            hide_words=not options.show_words,
        )
        record: Record = {
            "set": corpus.name,
            "predictor": options.predictor,
            "max_tokens": options.max_tokens,
            "train": len(corpus.train),
            "test": len(corpus.test),
            "labels": len(corpus.labels),
            "problems": [],
            "supervised": {},
            "chapter": {} if options.quick else CHAPTER_SUPERVISED.get(corpus.name, {}),
        }
        self.report["sets"].append(record)
        for problem in self._problems(corpus):
            note(f"{problem.name} ...")
            record["problems"].append(
                _about(problem, options.quick) | {"methods": bench.taught(problem)}
            )
            self._kept()
        record["supervised"] = bench.supervised(corpus)
        note("\n".join(block(record)))
        self._kept()

    def _measure_speed(self) -> None:
        corpus = self._corpus("imdb")
        note("speed ...")
        self.report["linear_dpl"] = dpl_seconds(corpus, self.tokens.of(corpus))
        self._kept()
        try:
            self.report["speed"] = training_speed(corpus, self.options.device)
        except (ImportError, MissingExtra) as why:
            self.report["left_out"].append({"set": "speed of training", "why": str(why)})

    def _corpus(self, name: str) -> Corpus:
        return read_corpus(name, self.folder, quick=self.options.quick)

    def _problems(self, corpus: Corpus) -> Iterator[Problem]:
        """A set with each body of knowledge that is wanted."""
        if corpus.knowledge != "oracle tokens":
            yield given_problem(corpus)
            return
        for size in self.options.sizes:
            yield problem_of_tokens(corpus, self.tokens.of(corpus), size)

    def _kept(self) -> Record:
        """The report so far, also in its file."""
        speed = self.report["speed"]
        self.report |= {
            "gaps": gaps(self.report["sets"]),
            "train_speedup_vs_hf": speed and speed["train_speedup_vs_hf"],
            "meanings": MEANINGS,
            "machine": machine(self.load_before),
        }
        if self.options.json not in (None, "-"):
            Path(self.options.json).write_text(json.dumps(self.report, indent=1) + "\n")
        return self.report


def _about(problem: Problem, quick: bool) -> Record:
    """What is known, and how far it reaches."""
    corpus, n_sources = problem.corpus, problem.votes.n_sources
    n_tokens = n_sources if corpus.knowledge == "oracle tokens" else None
    return {
        "problem": problem.name,
        "knowledge": corpus.knowledge,
        "n_tokens": n_tokens,
        "sources": n_sources,
        "coverage": float(problem.has_evidence.mean()),
        "chapter": {} if quick else CHAPTER.get((corpus.name, n_tokens or 0), {}),
    }


def machine(load_before: float) -> Record:
    """Where the figures come from."""
    versions: Record = {}
    for name in ("tacit", "numpy", "torch", "transformers"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return {
        "cores": n_cores(),
        "load_average": {"before": load_before, "after": os.getloadavg()[0]},
        "python": platform.python_version(),
        "processor": processor(),
        **versions,
    }


if __name__ == "__main__":
    main()
