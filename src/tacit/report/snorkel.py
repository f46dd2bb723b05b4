"""Snorkel's label model, where that package is installed too: a peer to compare with."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from tacit.learning.baselines import stands_for
from tacit.learning.votes import Floats, Votes

ABSTAIN = -1
FEWEST = 3  # columns: with fewer, Snorkel refuses
LARGEST = 200_000_000  # cells of a label matrix


NOT_INSTALLED = "Snorkel is not installed; with `pip install snorkel` it would be compared too"


def missing(votes: Votes) -> str | None:
    """Why Snorkel cannot be compared with, if it cannot."""
    if find_spec("snorkel") is None:
        return NOT_INSTALLED
    if votes.n_sources < FEWEST:
        return f"Snorkel needs {FEWEST} sources at least, and there are {votes.n_sources}"
    if votes.n_instances * votes.n_sources > LARGEST:
        shape = f"{votes.n_instances:,} x {votes.n_sources:,}"
        return f"Snorkel would need a label matrix of {shape} cells"
    return None


def label_matrix(votes: Votes, weights: Floats) -> NDArray[np.int64]:
    """The votes as Snorkel has them: a row an instance, a column a source, -1 = abstain.

    What stands for several labels at once is lost: a label matrix cannot say it.
    """
    labels = stands_for(votes, weights)
    label_of_event = np.where(labels.sum(axis=1) == 1, labels.argmax(axis=1), ABSTAIN)
    pattern = np.repeat(np.arange(votes.cast.shape[0]), np.diff(votes.cast.indptr))
    event = votes.cast.indices
    matrix = np.full((votes.cast.shape[0], votes.n_sources), ABSTAIN)
    matrix[pattern, votes.source_of_event[event]] = label_of_event[event]
    return np.asarray(matrix[votes.pattern_of_instance])


def snorkel(votes: Votes, weights: Floats, *, random_state: int = 0) -> Floats:
    """The labels by Snorkel's label model at its defaults: it takes labels as equally common."""
    from snorkel.labeling.model import LabelModel

    matrix = label_matrix(votes, weights)
    model = LabelModel(cardinality=votes.n_labels, verbose=False)
    model.fit(matrix, seed=random_state, progress_bar=False)
    return np.asarray(model.predict_proba(matrix), dtype=np.float64)
