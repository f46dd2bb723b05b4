"""A trained network as a scikit-learn classifier, for pipelines, scores and all that takes one.

This module needs scikit-learn, and nothing else of the library needs this module.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tacit import __version__
from tacit.errors import BadFile, BadInput, MissingExtra, listed
from tacit.learning.saving import PREDICTORS, RUN, read_about
from tacit.learning.whole_folders import bring_back, whole_folder
from tacit.predictors.protocol import Floats, Longs, Predictor
from tacit.predictors.registry import load_predictor, name_of, predictor_named, save_predictor
from tacit.predictors.saved_json import read_json, write_json

try:
    from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
    from sklearn.exceptions import NotFittedError  # type: ignore[import-untyped]
except ImportError as error:
    raise MissingExtra(
        "a scikit-learn classifier needs scikit-learn, which is not installed",
        remedy="pip install scikit-learn; or use tacit.load(RUN).predict(texts)",
    ) from error

FORMAT = 1  # raised when what is written changes
ABOUT, PREDICTOR = "classifier.json", "predictor"


class TacitClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A predictor of tacit's behind scikit-learn's methods; inputs are texts.

    `TacitClassifier.from_run(folder)` has learned what the network of a saved run has, without a
    label. `fit(texts, labels)` trains a new network of the same kind and settings on labels, as a
    clone does in cross-validation; to score the one from a run there, wrap it into scikit-learn's
    `FrozenEstimator`. `classes_` are sorted, as scikit-learn has it, and so are the columns of
    `predict_proba`.

    - `predictor`: the name of a kind, such as "linear".
    - `settings`: of that kind; None: its defaults.
    """

    def __init__(
        self,
        predictor: str = "linear",
        *,
        settings: Mapping[str, Any] | None = None,
        random_state: int = 0,
    ) -> None:
        self.predictor = predictor
        self.settings = settings
        self.random_state = random_state

    @classmethod
    def from_run(cls, folder: str | os.PathLike[str], function: str | None = None) -> Self:
        """What the network of a saved run has learned, of the label function that is meant."""
        path = Path(folder)
        bring_back(path)
        about = read_about(path)
        name = _function(path, about["predictors"], function)
        trained = load_predictor(path / PREDICTORS / name)
        return cls._of(trained, about["labels"][name], name, about["reads"].get(name))

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """What `save`, or `tacit export --format sklearn`, has written."""
        path = Path(folder)
        bring_back(path)
        if not (path / ABOUT).is_file():
            is_run = (path / RUN).is_file()
            raise BadFile(
                f"{path} is not a saved classifier: it has no {ABOUT}",
                remedy="it is a run: use TacitClassifier.from_run" if is_run else None,
            )
        about = read_json(path / ABOUT, FORMAT)
        trained = load_predictor(path / PREDICTOR)
        return cls._of(trained, about["labels"], about["function"], about["column"])

    @classmethod
    def _of(
        cls, trained: Predictor, labels: list[str], function: str | None, column: str | None
    ) -> Self:
        """A classifier that has learned already."""
        seed = int(getattr(trained, "random_state", 0))
        names = [name for name in signature(type(trained)).parameters if name != "random_state"]
        settings = {name: _untrained(getattr(trained, name), seed) for name in names}
        made = cls(name_of(trained), settings=settings, random_state=seed)
        made._learned(trained, np.asarray(labels), function, column)
        return made

    def _learned(
        self,
        trained: Predictor,
        labels: NDArray[Any],
        function: str | None = None,
        column: str | None = None,
    ) -> None:
        """Hold what was learned; `labels` are in the order that the predictor has them in."""
        self.predictor_ = trained
        self.order_: Longs = np.argsort(labels, kind="stable")
        self.classes_ = labels[self.order_]
        self.function_, self.column_ = function, column

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """Train a new network on texts and their labels."""
        inputs = self._inputs(X)
        labels = np.asarray(y)
        if labels.shape != (len(inputs),):
            raise BadInput(
                f"there are {len(inputs)} texts and labels of the shape {labels.shape}",
                remedy="one label for each text",
            )
        classes, numbers = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise BadInput(
                f"there is only one class, {listed(classes)}", remedy="give texts of two at least"
            )
        settings = {"random_state": self.random_state} | dict(self.settings or {})
        trained = predictor_named(self.predictor, **settings)
        target = np.eye(len(classes))[numbers]
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        self._learned(trained.fit_soft(inputs, target, weight), classes)
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """(texts, classes): the probability of each class, in the order of `classes_`."""
        if not hasattr(self, "predictor_"):
            raise NotFittedError(
                "this TacitClassifier has learned nothing yet: call fit, or begin with from_run"
            )
        return np.exp(self.predictor_.log_probs(self._inputs(X))[:, self.order_])

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The most probable class of each text."""
        chosen = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[chosen])

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write all that was learned into a folder, without pickle; a classifier is replaced."""
        target = Path(os.path.abspath(folder))  # noqa: PTH100 - `resolve` would follow links
        ours = target.is_dir() and (not any(target.iterdir()) or (target / ABOUT).is_file())
        if target.exists() and not ours:
            raise BadInput(
                f"{target} is there already, and is not a saved classifier",
                remedy="give the name of a new folder",
            )
        with whole_folder(target) as aside:
            self.write(aside)

    def write(self, folder: Path) -> None:
        """Write all that was learned into a folder that is there."""
        if not hasattr(self, "predictor_"):
            raise NotFittedError("this TacitClassifier has learned nothing that could be saved")
        if self.classes_.dtype.kind not in "OUS":
            raise BadInput("only classes that are texts can be saved", remedy="name the classes")
        save_predictor(self.predictor_, folder / PREDICTOR)
        labels = np.empty(len(self.order_), dtype=object)
        labels[self.order_] = self.classes_  # in the order that the predictor has them in
        about = {
            "tacit": __version__,
            "function": self.function_,
            "column": self.column_,
            "labels": [str(label) for label in labels],
        }
        write_json(folder / ABOUT, FORMAT, about)

    def _inputs(self, X: Any) -> list[Any]:  # noqa: N803
        """Texts from a list, an array, a column, or a table of which one column is meant."""
        columns, column = getattr(X, "columns", ()), getattr(self, "column_", None)
        given = X[column] if column is not None and column in columns else X
        if isinstance(given, str) or not hasattr(given, "__len__"):
            raise BadInput(f"a {type(given).__name__} is no list of texts", remedy="give a list")
        values = given.to_pylist() if hasattr(given, "to_pylist") else given
        shape: tuple[int, ...] = getattr(values, "shape", (len(values),))
        if len(shape) == 2 and shape[1] == 1:
            values = np.asarray(values)[:, 0]
        elif len(shape) != 1:
            raise BadInput(
                f"inputs of the shape {shape} are no texts", remedy="give one column of texts"
            )
        return list(values)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn should know: inputs are texts, one for each row."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        return tags


def _function(folder: Path, known: list[str], asked: str | None) -> str:
    """The label function whose network is meant."""
    if asked is None and len(known) == 1:
        return known[0]
    if asked not in known:
        which = f"no network for '{asked}'" if asked else "several networks"
        raise BadInput(
            f"{folder} has {which}; there are: {listed(known)}",
            remedy=f"such as {known[0]!r}" if known else "fit with a predictor",
        )
    return asked


def _untrained(setting: Any, seed: int) -> Any:
    """A setting as it was given: members of an ensemble have learned something meanwhile."""
    if isinstance(setting, tuple):
        return tuple(_untrained(own, seed) for own in setting)
    return setting.fresh(seed) if isinstance(setting, Predictor) else setting
