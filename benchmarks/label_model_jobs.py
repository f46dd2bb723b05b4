"""A worker's end of the label model's benchmark: one model in a process of its own; numpy alone.

A worker is asked to `load` a model with its input, and then to `run` it some times. It never sees
gold labels.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from benchmarks.inference_serve import Answer, forget_peak, resident, serve, timed
from benchmarks.label_model_sets import Floats, LabelledSet, Longs


@dataclass(frozen=True, slots=True)
class Given:
    """What a model is given."""

    votes: Longs  # (rows, functions) to learn from
    asked: Longs  # (rows, functions) to be labelled; often the same array
    n_labels: int

    @property
    def asks_others(self) -> bool:
        """Whether other rows are asked about than those to learn from."""
        return self.asked is not self.votes


def write(labelled: LabelledSet, path: Path) -> None:
    """Put what models are given into a file."""
    asked = labelled.votes[:0] if labelled.asked is None else labelled.asked
    np.savez(path, votes=labelled.votes, asked=asked, n_labels=np.array(labelled.n_labels))


def read(path: Path) -> Given:
    """What `write` wrote."""
    with np.load(path) as arrays:
        votes, asked = arrays["votes"], arrays["asked"]
        return Given(votes, asked if len(asked) else votes, int(arrays["n_labels"]))


class Model(Protocol):
    """A model that has been given its input, in the form that it wants."""

    versions: Mapping[str, str]

    def fit(self, seed: int) -> None:
        """Learn from the votes."""

    def predict(self) -> Floats:
        """Label the rows that are asked about: (rows, labels), nan where nothing is said."""

    def check(self, posterior: Floats) -> Answer:
        """What else is worth reporting; not timed."""


class Worker:
    """One model, run as often as it is asked to."""

    def __init__(self, models: Mapping[str, Callable[[Given], Model]], path: Path) -> None:
        self.models, self.path = models, path
        self.model: Model

    def load(self, model: str) -> Answer:
        """Import a model's library, and give it its input."""
        self.model = self.models[model](read(self.path))
        return {"versions": dict(self.model.versions)}

    def run(self, seed: int, posterior: str) -> Answer:
        """Learn and label once: how long it takes, how far memory rises, what comes of it."""
        before = forget_peak()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit_s, _ = timed(lambda: self.model.fit(seed))
            predict_s, found = timed(self.model.predict)
        peak = resident("VmHWM") - before
        np.save(posterior, found)
        said = [str(w.message) for w in caught if w.category.__name__ == "TacitWarning"]
        measured = {"fit_s": fit_s, "predict_s": predict_s, "memory_mb": peak / 1e6}
        return {**measured, "warnings": said, **self.model.check(found)}


def work(models: Mapping[str, Callable[[Given], Model]]) -> None:
    """Wait for jobs on the input that the command line names."""
    worker = Worker(models, Path(sys.argv[1]))
    serve({"load": worker.load, "run": worker.run})
