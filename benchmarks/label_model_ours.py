"""Our side of the label model's benchmark, and majority vote, each in a process of its own.

`python -m benchmarks.label_model_ours INPUT` waits for jobs (see `label_model_jobs`).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

import numpy as np

from benchmarks.inference_serve import Answer
from benchmarks.label_model_jobs import Given, work
from benchmarks.label_model_sets import Floats
from tacit import LabelModel


class Tacit:
    """This library's label model, as it comes."""

    versions: Mapping[str, str]

    def __init__(self, given: Given) -> None:
        self.given = given
        self.labels = [str(label) for label in range(given.n_labels)]
        self.versions = {name: version(name) for name in ("tacit", "numpy", "numba")}

    def fit(self, seed: int) -> None:
        """Learn; there is nothing random in it."""
        self.model = LabelModel().fit_matrix(self.given.votes, self.labels)

    def predict(self) -> Floats:
        """Label by the learned weights."""
        return self.model.predict_matrix(self.given.asked)

    def check(self, posterior: Floats) -> Answer:
        """How far labelling is from what was found when learning, where rows are the same."""
        learned = self.model.posterior_
        if self.given.asks_others or isinstance(learned, dict):
            return {}
        return {"differs_by": float(np.abs(posterior - learned).max())}


class Majority:
    """The label with the most votes."""

    versions: Mapping[str, str] = {}

    def __init__(self, given: Given) -> None:
        self.given = given

    def fit(self, seed: int) -> None:
        """Learn nothing."""

    def predict(self) -> Floats:
        """Count the votes for each label."""
        counts = np.zeros((len(self.given.asked), self.given.n_labels))
        rows = np.arange(len(counts))
        for votes in self.given.asked.T:
            voted = votes >= 0
            counts[rows[voted], votes[voted]] += 1.0
        return counts

    def check(self, posterior: Floats) -> Answer:
        """Nothing."""
        return {}


if __name__ == "__main__":
    work({"tacit": Tacit, "majority": Majority})
