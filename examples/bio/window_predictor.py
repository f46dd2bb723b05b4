"""A predictor that reads the words around a mention by their vectors: seconds on any machine.

What the chapter's BiLSTM reads, without a network: the vectors of the three words on either side,
each in its place, and the means of all ten before and behind; then softmax regression. The mention
itself is not read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from examples.bio.mention_facts import WINDOW
from tacit.predictors.protocol import Floats, Longs, Report, checked_target
from tacit.predictors.recurrent.mentions import passage
from tacit.predictors.regression.softmax_regression import log_softmax, softmax_regression

Vectors = NDArray[np.float32]
PLACES = 3  # words on either side that count by their place


@dataclass(frozen=True, slots=True)
class Windows:
    """Mentions as numbers."""

    matrix: Vectors  # (mentions, columns)

    def __len__(self) -> int:
        return len(self.matrix)

    def take(self, rows: Longs) -> Windows:
        """Some of the mentions, in this order."""
        return Windows(self.matrix[rows])


class WindowRegression:
    """Softmax regression on the vectors of the words around a mention; see the module."""

    def __init__(
        self,
        vectors: Mapping[str, Vectors],  # by word, of the length 1: see `grammar_vectors`
        *,
        l2: float = 1.0,  # vectors have the length 1, and eight of them are read
        max_steps: int = 50,
        random_state: int = 0,  # there is no chance in it
    ) -> None:
        self.vectors, self.l2, self.max_steps = vectors, l2, max_steps
        self.random_state = random_state
        self.weights_: Floats | None = None  # (columns + 1, labels)

    def prepare(self, inputs: Any) -> Windows:
        """What is read of each mention: `Mention`s, or their JSON."""
        if isinstance(inputs, Windows):
            return inputs
        given = inputs.to_pylist() if hasattr(inputs, "to_pylist") else inputs  # Arrow has its own
        return Windows(np.array([self._numbers(each) for each in given], np.float32))

    def fit_soft(
        self,
        inputs: Any,
        target: Floats,
        sample_weight: Floats | None = None,
        *,
        warm_start: bool = False,
        report: Report | None = None,
    ) -> Self:
        """Lower the cross-entropy to the targets, with a prior on weights."""
        matrix = self.prepare(inputs).matrix
        target, weight = checked_target(len(matrix), target, sample_weight)
        self.weights_ = softmax_regression(
            matrix,  # type: ignore[arg-type]  # a full matrix will do
            target,
            weight,
            l2=self.l2,
            max_steps=self.max_steps,
            start=self.weights_ if warm_start else None,
            report=report,
        )
        return self

    def log_probs(self, inputs: Any) -> Floats:
        """(mentions, labels): the log-probability of each label."""
        assert self.weights_ is not None
        return log_softmax(self.prepare(inputs).matrix @ self.weights_[:-1] + self.weights_[-1])

    def fresh(self, random_state: int) -> Self:
        """The same settings and vectors, and nothing learned yet."""
        return type(self)(
            self.vectors, l2=self.l2, max_steps=self.max_steps, random_state=random_state
        )

    def save(self, folder: Path) -> None:
        """Write settings, vectors and weights."""
        settings = {"l2": self.l2, "max_steps": self.max_steps, "words": list(self.vectors)}
        (folder / "window.json").write_text(json.dumps(settings))
        np.save(folder / "vectors.npy", np.array(list(self.vectors.values())))
        np.save(folder / "weights.npy", np.asarray(self.weights_))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """What `save` has written."""
        settings = json.loads((folder / "window.json").read_text())
        table = np.load(folder / "vectors.npy")
        found = cls(
            dict(zip(settings["words"], table, strict=True)),
            l2=settings["l2"],
            max_steps=settings["max_steps"],
        )
        found.weights_ = np.load(folder / "weights.npy")
        return found

    def _numbers(self, given: Any) -> Vectors:
        read = passage(given)
        first, behind = read.mention or (0, 0)
        before = read.words[max(first - WINDOW, 0) : first][::-1]  # the nearest first
        after = read.words[behind : behind + WINDOW]
        nothing = np.zeros_like(next(iter(self.vectors.values())))
        sides = [[self.vectors.get(word, nothing) for word in side] for side in (before, after)]
        nearest = [(side + [nothing] * PLACES)[:PLACES] for side in sides]
        means = [np.mean(side, axis=0) if side else nothing for side in sides]
        return np.concatenate([*nearest[0], *nearest[1], *means])
