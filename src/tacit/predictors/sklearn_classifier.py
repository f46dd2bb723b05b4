"""Any scikit-learn classifier as a predictor.

Such classifiers learn one label an input. Probabilities of labels are put to them by giving each
input once for each label, weighted by its probability; to those that know no weights, by drawing
pairs of input and label in proportion. Their answers come back as they give them: from
`predict_proba`; as the softmax of `decision_function`, a margin that nobody has calibrated; or as a
label alone, taken to be right nine times in ten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from tacit.errors import BadInput
from tacit.predictors.protocol import Floats, Longs, Prepared, Report, checked_target
from tacit.predictors.regression.ngrams import Vocabulary
from tacit.predictors.regression.prepared_texts import PreparedTexts, prepare_texts
from tacit.predictors.regression.softmax_regression import log_softmax
from tacit.predictors.regression.words import is_missing

NEGLIGIBLE = 1e-4  # a label less probable is not put to the classifier
DOUBT = 1e-3  # mixed into every answer: trees and neighbours know no middle between 0 and 1
SURE = 0.9  # the probability of a label given without one


@dataclass(frozen=True, slots=True)
class PreparedInputs:
    """Inputs that the classifier reads as they are."""

    rows: Any  # a list, or something with a shape of which the first axis is inputs

    def __len__(self) -> int:
        """How many inputs there are."""
        return int(self.rows.shape[0]) if hasattr(self.rows, "shape") else len(self.rows)

    def take(self, rows: Longs) -> PreparedInputs:
        """Some of the inputs, in this order."""
        if hasattr(self.rows, "iloc"):
            return PreparedInputs(self.rows.iloc[rows])
        if hasattr(self.rows, "shape"):
            return PreparedInputs(self.rows[rows])
        return PreparedInputs([self.rows[row] for row in rows])


class Shares:
    """Stands in where there is nothing to tell inputs apart by: labels as often as they were."""

    def fit(self, values: Any, label: Longs, **weights: Floats) -> None:
        """Count labels, with the weights under whatever name they come."""
        (worth,) = weights.values() or (np.ones(len(label)),)
        self.classes_ = np.unique(label)
        self.share = np.bincount(label, worth)[self.classes_] / worth.sum()

    def predict_proba(self, values: Any) -> Floats:
        """The shares of labels, the same for all inputs."""
        return np.tile(self.share, (len(PreparedInputs(values)), 1))


class SklearnClassifier:
    """A scikit-learn classifier or pipeline that learns from probabilities of labels.

    `features` says what it is given: "inputs", as they are; "ngrams", the features of `Linear`; or
    a function from inputs to a matrix. A pipeline that begins with a text vectoriser gets inputs,
    everything else n-grams. The classifier is copied before it is trained. One that came trained
    can be asked at once; its classes are the labels, in their order.
    """

    def __init__(
        self,
        estimator: Any,
        *,
        features: str | Callable[[Any], Any] | None = None,
        random_state: int = 0,  # also given to whatever in the classifier has none of its own
    ) -> None:
        if features not in (None, "inputs", "ngrams") and not callable(features):
            raise BadInput(
                f"features={features!r} is not known",
                remedy='"inputs", "ngrams" or a function from inputs to a matrix',
            )
        self.estimator = estimator
        self.features = features
        self.random_state = random_state
        self.vocabulary_: Vocabulary | None = None
        self.estimator_: Any = None
        self.n_labels_: int | None = None

    def prepare(self, inputs: Any) -> Prepared:
        """Inputs as features; the first texts give the vocabulary."""
        if isinstance(inputs, PreparedInputs):
            return inputs
        if callable(self.features):
            return PreparedInputs(self.features(inputs))
        if self.features == "inputs" or (self.features is None and reads_texts(self.estimator)):
            return PreparedInputs(_as_rows(inputs))
        prepared = prepare_texts(inputs, self.vocabulary_)
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
        """Train on pairs of input and label, weighted or drawn by their probability.

        `warm_start` goes on from the last training where the classifier has weights that it can
        start from; anything else begins anew.
        """
        prepared = self.prepare(inputs)
        target, weight = checked_target(len(prepared), target, sample_weight)
        row, label, worth = pairs_of(target, weight)
        route = weight_parameter(self.estimator)
        if route is None:
            chosen = draw(worth, len(np.unique(row)), self.random_state)
            row, label = row[chosen], label[chosen]
        values = _values(prepared.take(row))
        estimator = self._to_train(values, label, warm_start)
        estimator.fit(values, label, **({} if route is None else {route: worth}))
        self.estimator_, self.n_labels_ = estimator, target.shape[1]
        if report is not None:
            loss = -(weight[:, None] * target * self.log_probs(prepared)).sum()
            report(1, 1, float(loss / weight.sum()))
        return self

    def _to_train(self, values: Any, label: Longs, warm_start: bool) -> Any:
        """The classifier of the last training, told to go on, or a new copy."""
        from sklearn.base import clone  # type: ignore[import-untyped]

        if (label == label[0]).all() or 0 in getattr(values, "shape", ()):  # refused by most
            return Shares()
        if warm_start and self.estimator_ is not None:
            path, last = last_step(self.estimator_)
            refines = hasattr(last, "coef_") or hasattr(last, "coefs_")  # forests only grow
            alike = np.array_equal(self.estimator_.classes_, np.unique(label))
            if refines and alike and "warm_start" in last.get_params():
                return self.estimator_.set_params(**{f"{path}warm_start": True})
        copy = clone(self.estimator)
        unset = [name for name, value in copy.get_params().items() if value is None]
        seeds = [name for name in unset if name.split("__")[-1] == "random_state"]
        return copy.set_params(**dict.fromkeys(seeds, self.random_state))

    def log_probs(self, inputs: Any) -> Floats:
        """(inputs, labels): the log-probability of each label, none of them 0."""
        estimator = self.estimator if self.estimator_ is None else self.estimator_
        classes = getattr(estimator, "classes_", None)
        if classes is None:
            raise BadInput("this predictor has learned nothing yet", remedy="call fit_soft first")
        # One that came trained has its own names for labels: they are taken in their order.
        columns = np.arange(len(classes)) if self.estimator_ is None else np.asarray(classes)
        n_labels = self.n_labels_ or len(classes)
        prepared = self.prepare(inputs)
        probs = np.zeros((len(prepared), n_labels))
        if len(prepared):
            probs[:, columns] = probabilities(estimator, _values(prepared))
        return np.asarray(np.log((1 - DOUBT) * probs + DOUBT / n_labels))

    def fresh(self, random_state: int) -> Self:
        """The same settings and vocabulary, and nothing learned yet."""
        from sklearn.base import clone

        new = type(self)(clone(self.estimator), features=self.features, random_state=random_state)
        new.vocabulary_ = self.vocabulary_
        return new

    def save(self, folder: Path) -> None:
        """Refused: scikit-learn has no format but pickle, which runs whatever it holds."""
        raise BadInput(
            f"a scikit-learn {type(self.estimator).__name__} cannot be saved without pickle",
            remedy="use the predictor 'linear', or write `estimator_` yourself, with skops.io say",
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Refused, as `save` is."""
        raise BadInput("scikit-learn classifiers are not saved, so there is none to load")


def pairs_of(target: Floats, weight: Floats) -> tuple[Longs, Longs, Floats]:
    """Input, label and weight of every pair that is worth giving."""
    row, label = np.nonzero((target > NEGLIGIBLE) & (weight[:, None] > 0))
    return row, label, target[row, label] * weight[row]


def draw(worth: Floats, n: int, random_state: int) -> Longs:
    """Which of some things to take, n in all: each as often as it is worth, give or take one.

    Equal steps along the sum of worths, from a random start: an input of average weight is taken
    exactly once, with one of its labels.
    """
    start = np.random.default_rng(random_state).random()
    ends = np.cumsum(worth)
    steps = (np.arange(n) + start) * (ends[-1] / n)
    return np.asarray(np.searchsorted(ends[:-1], steps, side="right"))


def last_step(estimator: Any) -> tuple[str, Any]:
    """The classifier at the end of a pipeline, and how its parameters' names begin."""
    path = ""
    while getattr(estimator, "steps", None):
        name, estimator = estimator.steps[-1]
        path += f"{name}__"
    return path, estimator


def weight_parameter(estimator: Any) -> str | None:
    """What `fit` calls the weights of inputs, if it takes any."""
    from sklearn.utils.validation import has_fit_parameter  # type: ignore[import-untyped]

    path, last = last_step(estimator)
    return f"{path}sample_weight" if has_fit_parameter(last, "sample_weight") else None


def reads_texts(estimator: Any) -> bool:
    """Whether a pipeline begins with a text vectoriser."""
    for several in ("steps", "transformer_list"):  # pipelines; unions of transformers
        parts = getattr(estimator, several, None)
        if parts:
            return reads_texts(parts[0][1])
    return hasattr(estimator, "build_analyzer")


def probabilities(estimator: Any, values: Any) -> Floats:
    """(inputs, classes): what a classifier gives in place of probabilities, as such."""
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(values), dtype=np.float64)
    classes = np.asarray(estimator.classes_)
    if hasattr(estimator, "decision_function"):
        margin = np.asarray(estimator.decision_function(values), dtype=np.float64)
        if margin.ndim == 1:
            margin = np.stack([np.zeros_like(margin), margin], axis=1)
        return np.exp(log_softmax(margin))
    said = np.asarray(estimator.predict(values))[:, None] == classes
    other = (1 - SURE) / max(len(classes) - 1, 1)
    return np.where(said, SURE if len(classes) > 1 else 1.0, other)


def _as_rows(inputs: Any) -> Any:
    """Tables of numbers as they are; sequences as lists, with an empty text for what is missing."""
    if getattr(inputs, "ndim", 1) == 2:
        return inputs
    values = inputs.to_pylist() if hasattr(inputs, "to_pylist") else inputs
    return ["" if is_missing(value) else value for value in values]


def _values(prepared: Prepared) -> Any:
    """What the classifier itself is given."""
    if isinstance(prepared, PreparedTexts):
        return prepared.matrix
    assert isinstance(prepared, PreparedInputs)
    return prepared.rows
