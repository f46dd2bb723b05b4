"""The driver's end of the label model's benchmark: one process for each model, which take turns."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np

from benchmarks.inference_sides import LeftOut, Record, Side
from benchmarks.label_model_jobs import write
from benchmarks.label_model_score import (
    MODELS,
    is_covered,
    mean_scores,
    scores,
    speedup,
)
from benchmarks.label_model_sets import LabelledSet

OURS_MODULE = "benchmarks.label_model_ours"
PEERS_MODULE = "benchmarks.label_model_peers"
OUR_MODELS = ("tacit", "majority")
SLOW = 60.0  # seconds: what takes longer is run once
SHORT = 2.0  # seconds: what takes less is run more often, since a busy machine disturbs it most
MORE_TURNS = 5
GLAD_VOTES = 50_000  # more would take longer than its limit
RUN_KEYS = ("fit_s", "predict_s", "memory_mb")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How to measure."""

    python: str | None  # that has the peers
    why_not: str  # there is none
    seeds: int
    more_turns: int  # of what is quick, after each seed has had its turn
    limit: float  # seconds that a run may take
    glad_limit: float
    memory: float  # GB that a process may take

    def limit_of(self, model: str) -> float:
        """Seconds that a run of a model may take."""
        return self.glad_limit if model == "glad" else self.limit


def measure_set(labelled: LabelledSet, plan: Plan) -> Record:
    """Every figure of every model on one set."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        given = Path(folder) / "input.npz"
        write(labelled, given)
        runners = [Runner(model, labelled, plan, given, stack) for model in MODELS]
        for turn in range(plan.seeds + 1 + plan.more_turns):
            for runner in runners:
                runner.take(turn)
        models = {runner.model: runner.figures() for runner in runners}
    oracle = labelled.true_posterior
    return {
        "set": labelled.name,
        "about": labelled.about,
        "kind": "real" if labelled.is_real else "synthetic",
        "rows": len(labelled.votes),
        "asked_rows": len(labelled.gold),
        "functions": labelled.votes.shape[1],
        "labels": labelled.n_labels,
        "coverage": float(is_covered(labelled).mean()),
        "votes_a_row": float((labelled.asked_votes >= 0).sum(axis=1).mean()),
        "oracle": None if oracle is None else scores(oracle, labelled),
        "models": models,
        "fit_speedup_vs_snorkel": speedup(models),
        "load_average": os.getloadavg()[0],
    }


@dataclass
class Runner:
    """One model on one set: a process, and what came of its turns."""

    model: str
    labelled: LabelledSet
    plan: Plan
    given: Path
    stack: ExitStack
    side: Side | None = None
    answers: list[Record] = field(default_factory=list)
    found: list[Record] = field(default_factory=list)
    loaded: Record = field(default_factory=dict)
    why_not: str = ""

    def __post_init__(self) -> None:
        self.why_not = self._reason()
        if self.why_not:
            return
        ours = self.model in OUR_MODELS
        python = sys.executable if ours else str(self.plan.python)
        module = OURS_MODULE if ours else PEERS_MODULE
        side = Side(python, module, self.given, self.plan.memory)
        self.side = self.stack.enter_context(side)
        self.loaded = self._ask("load", model=self.model)

    def _reason(self) -> str:
        """Why this model is not even tried here; nothing when it is."""
        if self.model not in OUR_MODELS and self.plan.python is None:
            return self.plan.why_not
        n_votes = int((self.labelled.votes >= 0).sum())
        if self.model == "glad" and n_votes > GLAD_VOTES:
            return f"not tried: more than {GLAD_VOTES:,} votes"
        return ""

    def take(self, turn: int) -> None:
        """Learn and label once more; turn 0 is the first call, and then each seed has a turn."""
        if self.side is None or self._is_done(turn):
            return
        seed = max(turn - 1, 0) % self.plan.seeds
        posterior = self.given.with_name(f"{self.model}.npy")
        answer = self._ask("run", seed=seed, posterior=str(posterior))
        if not answer:
            return
        self.answers.append(answer)
        if turn == 1:
            self.found.clear()  # the first call had the same seed
        if turn <= self.plan.seeds:
            self.found.append(scores(np.load(posterior), self.labelled))

    def _is_done(self, turn: int) -> bool:
        """Whether a turn would take too long for what it tells."""
        most = SHORT if turn > self.plan.seeds else SLOW
        return bool(self.answers) and seconds(self._quickest()) > most

    def _quickest(self) -> Record:
        return min(self.answers, key=seconds)

    def _ask(self, job: str, **arguments: Any) -> Record:
        """What comes of a job; nothing when it fails or takes too long, which ends the process."""
        assert self.side is not None
        limit = self.plan.limit_of(self.model)
        timer = Timer(limit, self.side.process.kill)
        timer.start()
        try:
            return self.side.ask(job, **arguments)
        except LeftOut as why:
            late = not timer.is_alive()
            self.why_not = f"takes more than {limit:g} s" if late else str(why)
            self.side.process.kill()
            self.side = None
            return {}
        finally:
            timer.cancel()

    def figures(self) -> Record:
        """The figures of this model."""
        if not self.answers:
            return {"skipped": self.why_not}
        first, warm = self.answers[0], self.answers[1:]
        best = self._quickest()
        return {
            **mean_scores(self.found),
            "fit_s": best["fit_s"],
            "predict_s": best["predict_s"],
            "memory_mb": max(one["memory_mb"] for one in warm or [first]),
            "first_s": seconds(first),
            "first_memory_mb": first["memory_mb"],
            "n_warm_runs": len(warm),
            "stopped": self.why_not or None,
            **{key: value for key, value in first.items() if key not in RUN_KEYS},
            **self.loaded,
        }


def seconds(answer: Record) -> float:
    """To learn and to label, in one run."""
    return float(answer["fit_s"] + answer["predict_s"])
