"""The default predictor: logistic regression on the n-grams of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np

from tacit.data.tokens import check_ngrams
from tacit.errors import BadInput
from tacit.predictors.protocol import Attention, Floats, Longs, Report, checked_target
from tacit.predictors.regression import linear_files
from tacit.predictors.regression.linear_attention import linear_attention
from tacit.predictors.regression.ngrams import Vocabulary
from tacit.predictors.regression.prepared_texts import (
    MAX_FEATURES,
    MIN_COUNT,
    PreparedTexts,
    prepare_texts,
)
from tacit.predictors.regression.softmax_regression import log_softmax, softmax_regression


class Linear:
    """Softmax regression on n-grams: seconds for tens of thousands of texts, on any machine.

    An n-gram's value in a text is (1 + log of its count) x its rarity, and a text's values have the
    length 1. So the prior on weights says how sure texts are before anything is learned: their
    log-odds have the standard deviation sqrt(2 / l2), however many texts or words there are.
    Training has a single optimum and no chance in it; `random_state` changes nothing.
    """

    def __init__(
        self,
        *,
        ngrams: tuple[int, int] = (1, 2),
        min_count: int = MIN_COUNT,
        max_features: int = MAX_FEATURES,
        l2: float = 0.5,  # log-odds spread by 2: most texts somewhere between 12% and 88%
        max_steps: int = 50,  # half a dozen are usual; a ceiling, not a target
        random_state: int = 0,
    ) -> None:
        self.ngrams = (ngrams[0], ngrams[1])
        self.min_count = min_count
        self.max_features = max_features
        self.l2 = l2
        self.max_steps = max_steps
        self.random_state = random_state
        self.vocabulary_: Vocabulary | None = None
        self.coef_: Floats | None = None  # (columns, labels); rows add up to zero
        self.intercept_: Floats | None = None  # (labels)

    def prepare(self, inputs: Any) -> PreparedTexts:
        """Texts as features; the first ones give the vocabulary."""
        self._check()
        prepared = prepare_texts(
            inputs,
            self.vocabulary_,
            ngrams=self.ngrams,
            min_count=self.min_count,
            max_features=self.max_features,
        )
        self.vocabulary_ = prepared.vocabulary
        return prepared

    def fit_soft(
        self,
        inputs: Any,
        target: Floats,
        sample_weight: Floats | None = None,
        *,
        warm_start: bool = False,
        report: Report | None = None,
    ) -> Self:
        """Lower the cross-entropy to the targets, with the prior on weights."""
        matrix = self.prepare(inputs).matrix
        target, weight = checked_target(matrix.shape[0], target, sample_weight)
        rows = np.flatnonzero(weight)
        if len(rows) < len(weight):
            matrix, target, weight = matrix[rows], target[rows], weight[rows]
        # A feature that no text has keeps the weight that the prior prefers: 0.
        columns = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
        found = softmax_regression(
            matrix[:, columns],
            target,
            weight,
            l2=self.l2,
            max_steps=self.max_steps,
            start=self._start(columns, target.shape[1]) if warm_start else None,
            report=report,
        )
        self.coef_ = np.zeros((matrix.shape[1], target.shape[1]))
        self.coef_[columns] = found[:-1]
        self.intercept_ = found[-1]
        return self

    def _start(self, columns: Longs, n_labels: int) -> Floats | None:
        """Where the last training ended, if there was one with as many labels."""
        if self.coef_ is None or self.intercept_ is None or len(self.intercept_) != n_labels:
            return None
        return np.vstack([self.coef_[columns], self.intercept_])

    def log_probs(self, inputs: Any) -> Floats:
        """(texts, labels): the log-probability of each label."""
        coef, intercept = self._learned()
        return log_softmax(self.prepare(inputs).matrix @ coef + intercept)

    def _learned(self) -> tuple[Floats, Floats]:
        if self.coef_ is None or self.intercept_ is None:
            raise BadInput("this predictor has learned nothing yet", remedy="call fit_soft first")
        return self.coef_, self.intercept_

    def attention(self, inputs: Any) -> Attention:
        """How much each word of each text counted, as part of n-grams, for any label."""
        coef, _ = self._learned()
        prepared = self.prepare(inputs)
        return linear_attention(prepared.words, prepared.vocabulary, prepared.matrix, coef)

    def top_features(self, n: int = 10) -> dict[int, list[tuple[str, float]]]:
        """For each label, the n-grams that speak most for it, and their weights."""
        coef, _ = self._learned()
        assert self.vocabulary_ is not None
        names = self.vocabulary_.names
        order = np.argsort(-coef, axis=0, kind="stable")[:n]
        return {
            label: [(names[int(row)].as_py(), float(coef[row, label])) for row in order[:, label]]
            for label in range(coef.shape[1])
        }

    def fresh(self, random_state: int) -> Self:
        """The same settings and vocabulary, and nothing learned yet."""
        new = type(self)(**(self._settings() | {"random_state": random_state}))
        new.vocabulary_ = self.vocabulary_
        return new

    def save(self, folder: Path) -> None:
        """Write settings as JSON; vocabulary and weights, where there are any, as Parquet."""
        linear_files.write_settings(folder, self._settings())
        if self.vocabulary_ is not None:
            linear_files.write_vocabulary(folder, self.vocabulary_)
        if self.coef_ is not None and self.intercept_ is not None:
            linear_files.write_weights(folder, self.coef_, self.intercept_)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """What `save` has written."""
        found = cls(**linear_files.read_settings(folder))
        found.vocabulary_ = linear_files.read_vocabulary(folder)
        found.coef_, found.intercept_ = linear_files.read_weights(folder) or (None, None)
        return found

    def _check(self) -> None:
        """Refuse settings that mean nothing."""
        check_ngrams(self.ngrams)
        for name in ("min_count", "max_features", "l2", "max_steps"):
            if not getattr(self, name) > 0:
                raise BadInput(f"{name} must be above 0; it is {getattr(self, name)!r}")

    def _settings(self) -> dict[str, Any]:
        names = ("ngrams", "min_count", "max_features", "l2", "max_steps", "random_state")
        return {name: getattr(self, name) for name in names}
