"""The rows of the benchmark of S4, all with one predictor."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from benchmarks.dpl_methods import Bench, Runs, scores
from benchmarks.dpl_predictors import Remembering
from benchmarks.dpl_problems import Problem
from benchmarks.dpl_tokens import Tokens
from benchmarks.inference_sides import LeftOut, Record
from benchmarks.s4_told import with_pairs, with_shares
from benchmarks.s4_watch import Watched
from tacit.predictors.protocol import Adapting, first_stage_of
from tacit.report.gold_training import self_trained
from tacit.review import OracleReviewer

PAIRS = 100  # a round: as many as the chapter's oracle of pairs has
# What each row of S4 has instead of the defaults.
GROWN: dict[str, dict[str, Any]] = {
    "sst": {},
    "sst_attention": {"score": "attention"},
    "sst_entropy": {"score": "entropy"},
    "sst_cold": {"warm_start": "never"},
    "sst_no_guard": {"guard": False},
    "fal5": {"rounds": 0, "budget": 5},
    "fal10": {"rounds": 0, "budget": 10},
    "fal20": {"rounds": 0, "budget": 20},
    "fal20_entropy": {"rounds": 0, "budget": 20, "ask": "entropy"},
    "s4": {"budget": 20},
    "sst_pairs": {"pairs": PAIRS},
    "s4_pairs": {"pairs": PAIRS, "budget": 20},
    "sst_even": {},
    "sst_told_pairs": {},
}
# Rows of an expert who knows more than words: what of.
KNOWS = {"sst_even": "shares", "dpl_even": "shares", "sst_told_pairs": "pairs"}
# Rows that differ from another by a larger budget only: they go on where that one has ended.
FOLLOWS = {"s4": "sst", "s4_pairs": "sst_pairs", "fal10": "fal5", "fal20": "fal10"}
ROWS = ("snorkel", "dpl", "dpl_longer", "dpl_even", *GROWN, "self_training", "supervised")


class Rows:
    """The rows of one problem; ledgers are kept in a folder while it is being solved."""

    def __init__(self, problem: Problem, bench: Bench, tokens: Tokens, folder: Path) -> None:
        self.problem, self.bench, self.folder = problem, bench, folder
        self.expert = OracleReviewer(tokens)
        self._ended: dict[tuple[str, int], Watched] = {}
        self._starts: dict[tuple[str, int], Record] = {}  # by what the expert knows, and seed

    def runs(self) -> Runs:
        """How each row runs, for a seed, and how many seeds it has."""
        own = self.bench.seeds if self.bench.by_chance else 1
        grown: Runs = {row: (own, partial(self._grown, row)) for row in GROWN}
        others: Runs = {
            "snorkel": self.bench.taught_runs(self.problem)["snorkel"],
            "dpl_longer": (own, self._dpl_longer),
            "self_training": (self.bench.seeds, self._self_trained),
            "supervised": self.bench.supervised_runs(self.problem.corpus)["supervised"],
        }
        starts: Runs = {row: (own, partial(self._dpl, row)) for row in ("dpl", "dpl_even")}
        return grown | starts | others

    def _grown(self, row: str, seed: int) -> Record:
        """S4, from where a row with a smaller budget has ended, if any."""
        pairs = "pairs" in (*GROWN.get(row, {}), KNOWS.get(row))
        if pairs and not isinstance(self.bench.predictor.inner, Adapting):
            raise LeftOut("only a predictor that was pretrained can tell similar pairs")
        before: str | None = FOLLOWS.get(row)
        while before is not None and (before, seed) not in self._ended:
            before = FOLLOWS.get(before)
        if before is None:
            run = Watched(self._told(row, seed), self.folder / f"{row}_{seed}.sqlite")
        else:
            run = self._ended.pop((before, seed))  # it has one ledger, on which only one goes on
        try:
            predictor = self.bench.predictor.fresh(seed)
            settings = {"dpl": self.bench.dpl(seed)} | GROWN.get(row, {"rounds": 0})
            found = run.grow(predictor, self.expert, seed, settings)
        finally:
            if run.points:
                self._starts.setdefault((KNOWS.get(row, ""), seed), run.start)
        self._ended[row, seed] = run
        return found

    def _dpl(self, row: str, seed: int) -> Record:
        """DPL, which every run of S4 begins with, unless its predictor learns in stages."""
        key = KNOWS.get(row, ""), seed
        if first_stage_of(self.bench.predictor) is not None:
            return self.bench.by_dpl(self._told(row, seed), seed)
        if key not in self._starts:
            self._grown(row, seed)
        return self._starts[key]

    def _dpl_longer(self, seed: int) -> Record:
        """DPL with a round more: an encoder is trained as often as at the end of S4."""
        longer = self.bench.dpl(seed)
        longer.rounds += 1
        return self.bench.by_dpl(self.problem, seed, longer)

    def _told(self, row: str, seed: int) -> Problem:
        """The problem, with all that the expert of a row knows."""
        if KNOWS.get(row) == "shares":
            return with_shares(self.problem)
        if KNOWS.get(row) == "pairs":
            return with_pairs(self.problem, self.bench.at_once.fresh(seed))
        return self.problem

    def _self_trained(self, seed: int) -> Record:
        """The predictor, from as many gold labels as there are seeds, alike many of each label."""
        corpus = self.problem.corpus
        n_each = len(self.problem.program.evidence) // len(corpus.labels)
        order = np.random.default_rng(seed).permutation(len(corpus.train))
        gold = np.full(len(corpus.train), -1)
        for label in range(len(corpus.labels)):
            told = order[corpus.train.gold[order] == label][:n_each]
            gold[told] = label
        predictor = Begun(self.bench.at_once.inner, self.bench.at_once.known)
        inputs = predictor.prepare(corpus.train.texts)
        self_trained(predictor, inputs, gold, len(corpus.labels), seed)
        return scores(corpus, predictor, None) | {"labels": int((gold >= 0).sum())}


class Begun(Remembering):
    """A predictor that begins anew in its place, so that the one trained last can be had."""

    def fresh(self, random_state: int) -> Self:
        """The same, with nothing learned."""
        self.inner = self.inner.fresh(random_state)
        return self
