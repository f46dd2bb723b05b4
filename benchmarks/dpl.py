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

from benchmarks import dpl_snorkel
from benchmarks.dpl_methods import METHODS, Bench
from benchmarks.dpl_predictors import BY_CHANCE, NAMES, make_predictor
from benchmarks.dpl_problems import Problem, given_problem, problem_of_tokens
from benchmarks.dpl_score import CHAPTER, CHAPTER_SUPERVISED, MEANINGS, gaps
from benchmarks.dpl_sets import SOURCES, Corpus, read_corpus
from benchmarks.dpl_speed import dpl_seconds, training_speed
from benchmarks.dpl_text import as_text, block
from benchmarks.dpl_tokens import Tokens, oracle_tokens, read_tokens, write_tokens
from benchmarks.inference import note, processor
from benchmarks.inference_sides import LeftOut, Record, n_cores, peer_python

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
    add = parser.add_argument
    add("--data", default=os.environ.get("TACIT_DATA"), help="a folder with text/; else TACIT_DATA")
    add("--json", nargs="?", const="-", metavar="FILE", help="write JSON; - or nothing: print it")
    add("--device", default="auto", choices=("cpu", "cuda", "auto"), help="of transformers")
    add("--predictor", default="linear", choices=NAMES)
    add("--max-tokens", type=int, default=256, help="of a text that transformers read")
    add("--sets", type=_names, default=MAIN_SETS, help=f"of {','.join(SOURCES)}; or all")
    add("--sizes", type=_sizes, default=SIZES, help="numbers of oracle tokens, such as 6,20,40")
    add("--seeds", type=int, default=3, help="of predictors that have chance in them, and Snorkel")
    add("--quick", action="store_true", help="some texts, one size, one seed: does it run at all?")
    add("--methods", type=_methods, default=METHODS, help=f"of {','.join(METHODS)}")
    add("--no-speed", action="store_true", help="leave out the speed of training")
    add("--speed-only", action="store_true", help="nothing but the speed of training")
    add("--tokens", type=Path, metavar="FILE", help="read oracle tokens instead of choosing them")
    add("--make-tokens", type=Path, metavar="FILE", help="choose oracle tokens, write them, stop")
    add("--snorkel", type=Path, metavar="FILE", help="read Snorkel's labels instead of running it")
    add("--make-snorkel", type=Path, metavar="FILE", help="write Snorkel's labels for it, stop")
    add(
        "--peer-python", default=os.environ.get("TACIT_PEERS"), help="has Snorkel; else TACIT_PEERS"
    )
    options = parser.parse_args(arguments)
    if options.quick:
        options.sizes, options.seeds = options.sizes[:1], 1
    if not options.data or not (Path(options.data).expanduser() / "text").is_dir():
        parser.error("name a folder with text/ by --data or TACIT_DATA")
    return options


def _names(given: str) -> tuple[str, ...]:
    names = tuple(SOURCES) if given == "all" else tuple(given.split(","))
    for name in names:
        if name not in SOURCES:
            raise argparse.ArgumentTypeError(f"no set '{name}'; there are {', '.join(SOURCES)}")
    return names


def _methods(given: str) -> tuple[str, ...]:
    for name in given.split(","):
        if name not in METHODS:
            raise argparse.ArgumentTypeError(f"no method '{name}'; there are {', '.join(METHODS)}")
    return tuple(given.split(","))


def _sizes(given: str) -> tuple[int, ...]:
    return tuple(int(size) for size in given.split(","))


class Run:
    """One run of the benchmark."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = Path(options.data).expanduser() / "text"
        self.tokens: dict[str, Tokens] = read_tokens(options.tokens) if options.tokens else {}
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
        options = self.options
        corpora = [self._corpus(name) for name in options.sets]
        problems = [problem for corpus in corpora for problem in self._problems(corpus)]
        if options.make_tokens:
            write_tokens(self.tokens, options.make_tokens)
        if options.make_snorkel:
            labels = dpl_snorkel.by_peers(peer_python(options.peer_python))
            seeds, path = options.seeds, options.make_snorkel
            for line in dpl_snorkel.write_labels(labels, problems, seeds, path):
                note(f"left out: {line}")

    def _measure_set(self, corpus: Corpus) -> None:
        """The figures of one set, kept as they come."""
        options = self.options
        bench = Bench(
            make_predictor(options.predictor, options.device, options.max_tokens),
            make_predictor(options.predictor, options.device, options.max_tokens, at_once=True),
            BY_CHANCE[options.predictor],
            options.seeds,
            self._snorkel(),
            options.methods,
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
        self.report["linear_dpl"] = dpl_seconds(corpus, self._tokens(corpus))
        self._kept()
        try:
            self.report["speed"] = training_speed(corpus, self.options.device)
        except ImportError as why:
            self.report["left_out"].append({"set": "speed of training", "why": str(why)})

    def _corpus(self, name: str) -> Corpus:
        return read_corpus(name, self.folder, quick=self.options.quick)

    def _problems(self, corpus: Corpus) -> Iterator[Problem]:
        """A set with each body of knowledge that is wanted."""
        if corpus.knowledge != "oracle tokens":
            yield given_problem(corpus)
            return
        for size in self.options.sizes:
            yield problem_of_tokens(corpus, self._tokens(corpus), size)

    def _tokens(self, corpus: Corpus) -> Tokens:
        if corpus.name not in self.tokens:
            self.tokens[corpus.name] = oracle_tokens(corpus)
        return self.tokens[corpus.name]

    def _snorkel(self) -> dpl_snorkel.Labels:
        """Where Snorkel's labels come from."""
        if self.options.snorkel:
            return dpl_snorkel.by_file(self.options.snorkel)
        try:
            return dpl_snorkel.by_peers(peer_python(self.options.peer_python))
        except LeftOut as why:
            return dpl_snorkel.absent(str(why))

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
