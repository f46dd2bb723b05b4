"""The peers' side of the label model's benchmark; runs in the peers' Python.

`python -m benchmarks.label_model_peers INPUT` waits for jobs (see `label_model_jobs`). Needs numpy,
and snorkel, or crowd-kit with pandas. Every model has its own default settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks.inference_serve import Answer
from benchmarks.label_model_jobs import Given, work
from benchmarks.label_model_sets import Floats


class Snorkel:
    """Snorkel's label model: 100 epochs, class balance not given."""

    versions: Mapping[str, str]

    def __init__(self, given: Given) -> None:
        self.given = given
        self.library: Any = import_module("snorkel.labeling.model")
        self.versions = {name: version(name) for name in ("snorkel", "torch")}

    def fit(self, seed: int) -> None:
        """Learn from a seed."""
        self.model = self.library.LabelModel(cardinality=self.given.n_labels, verbose=False)
        self.model.fit(self.given.votes, seed=seed, progress_bar=False)

    def predict(self) -> Floats:
        """Label by the learned parameters."""
        return np.asarray(self.model.predict_proba(self.given.asked), dtype=np.float64)

    def check(self, posterior: Floats) -> Answer:
        """How many rows came out as no number."""
        return {"n_nan": int(np.isnan(posterior).any(axis=1).sum())}


class Crowd:
    """A model of crowd-kit, which labels only what it learns from: rows that are asked join in."""

    versions: Mapping[str, str]
    name: str

    def __init__(self, given: Given) -> None:
        self.library: Any = import_module("crowdkit.aggregation")
        frame: Any = import_module("pandas").DataFrame
        votes = np.vstack([given.votes, given.asked]) if given.asks_others else given.votes
        row, function = np.nonzero(votes >= 0)
        self.votes = frame({"task": row, "worker": function, "label": votes[row, function]})
        self.n_rows, self.n_asked, self.n_labels = len(votes), len(given.asked), given.n_labels
        self.versions = {"crowd-kit": version("crowd-kit")}

    def fit(self, seed: int) -> None:
        """Learn; there is nothing random in it."""
        self.model = getattr(self.library, self.name)().fit(self.votes)

    def predict(self) -> Floats:
        """Put what was found when learning into the order of rows."""
        found = self.model.probas_
        posterior = np.full((self.n_rows, self.n_labels), np.nan)
        posterior[found.index.to_numpy()] = 0.0
        posterior[np.ix_(found.index.to_numpy(), found.columns.to_numpy())] = found.to_numpy()
        return posterior[self.n_rows - self.n_asked :]

    def check(self, posterior: Floats) -> Answer:
        """How often it went over the votes."""
        return {"n_rounds": len(self.model.loss_history_)}


class DawidSkene(Crowd):
    """A table of errors for each function, by EM."""

    name = "DawidSkene"


class Glad(Crowd):
    """One ability for each function and one difficulty for each row, by EM."""

    name = "GLAD"


if __name__ == "__main__":
    work({"snorkel": Snorkel, "dawid_skene": DawidSkene, "glad": Glad})
