"""What a model of deep probabilistic logic answers once it has learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from tacit.data import Task
from tacit.errors import BadInput, did_you_mean, listed
from tacit.learning.applying import labels_on
from tacit.learning.label_model import LabelModel
from tacit.learning.rounds import Round
from tacit.learning.trained import Trained
from tacit.learning.views import Views
from tacit.learning.votes import Floats, Longs
from tacit.logic.program import Program
from tacit.predictors.protocol import Adapting, Attending, Attention, Predictor, Prepared

if TYPE_CHECKING:
    from tacit.learning.evidence_table import EvidenceTable
    from tacit.learning.explanation import Explanation
    from tacit.learning.saved_evidence import SavedEvidence

Vectors = NDArray[np.float32]  # (instances, dimensions)


class FittedModel:
    """The evidence with its weights, the networks, and their labels; `DPL.fit` makes these.

    What needs the data that was learned from (views, attention, ...) is not there when a model was
    loaded, until it is put back onto them: `on(task)` of a `DPL`.
    """

    label_model: LabelModel | None
    label_model_: LabelModel | SavedEvidence
    sharpness: float | None
    predictors_: Mapping[str, Predictor]
    labels_: Mapping[str, tuple[str, ...]]
    program_: Program
    history_: tuple[Round, ...]
    shares_: Mapping[str, Floats]
    _trained: Trained | None = None  # of a model that was loaded there is nothing

    @property
    def posterior_(self) -> Floats | dict[str, Floats]:
        """The probability of each label by evidence and network, in instance order."""
        self._require_fitted()
        return self.label_model_.posterior_

    @property
    def weights_(self) -> dict[str, float]:
        """The weight of each piece of evidence, as learned."""
        self._require_fitted()
        return self.label_model_.weights_

    @property
    def errors_(self) -> dict[str, float]:
        """The standard error of each weight."""
        self._require_fitted()
        return self.label_model_.errors_

    @property
    def predictor_(self) -> Predictor:
        """The trained network; where there are several, see `predictors_`."""
        return self.predictors_[self._function(None)]

    def posterior_on(self, task: Task) -> Floats | dict[str, Floats]:
        """What `posterior_` would be on another task: evidence and network, nothing learned again.

        The task has the same tables with other rows. Weights of keys that were not seen before are
        those that the program gives; evidence on tables that this task does not have is left out,
        with a warning. Labels that tie each other are inferred together. A model that was loaded
        can do so too.
        """
        self._require_fitted()
        evidence = self.label_model_
        return labels_on(
            task,
            self.program_,
            weights=evidence.weights_,
            biases=evidence.bias_,
            method=(self.label_model or LabelModel()).method,
            predictors=self.predictors_,
        )

    def predict_proba(self, inputs: Any, function: str | None = None) -> Floats:
        """The probability of each label by the network alone, for new inputs."""
        name = self._function(function)
        return np.exp(self.predictors_[name].log_probs(inputs))

    def predict(self, inputs: Any, function: str | None = None) -> list[str]:
        """The most probable label by the network alone, for new inputs."""
        name = self._function(function)
        labels = self.labels_[name]
        return [labels[at] for at in self.predict_proba(inputs, name).argmax(axis=1)]

    def explain(self, instance: object, name: str | None = None, **settings: Any) -> Explanation:
        """Why an instance has its label, as a sum of parts; the network is one of them."""
        self._require_fitted()
        return self.label_model_.explain(instance, name, **settings)

    def analysis(self, gold: Any = None) -> EvidenceTable:
        """One row for each weight: how far its evidence reaches, and how far it is trusted."""
        self._require_fitted()
        return self.label_model_.analysis(gold)

    def views(self, function: str | None = None) -> Views:
        """What evidence and network say of the instances, each alone and both together."""
        name, trained = self._function(function), self._on_data("views()")
        return Views(
            trained.supervision.posterior({}).labels[name],
            np.exp(trained.state.log_probs[name]),
            trained.supervision.posterior(trained.state.votes(self.sharpness)).labels[name],
            trained.supervision.has_evidence(name),
        )

    def said(self) -> dict[str, Floats]:
        """What the networks think of the instances, as log-probabilities, for a later `fit`."""
        return dict(self._on_data("said()").state.log_probs)

    def votes(self) -> dict[str, Floats]:
        """The same as they vote: spread as far as `sharpness` says, and held to `shares_`."""
        votes = self._on_data("votes()").state.votes(self.sharpness)
        return {name: log_softmax(own, axis=1) for name, own in votes.items()}

    def first_shares(self) -> dict[str, Floats]:
        """How common labels were by networks with no votes to learn from yet, for a later `fit`."""
        return dict(self._on_data("first_shares()").state.first_shares)

    def votes_unseen(self, function: str | None = None) -> bool:
        """Whether a network was never trained on the instances of which it speaks; see `folds`."""
        return self._on_data("votes_unseen()").networks[self._function(function)].n_folds > 0

    def log_probs_unseen(
        self, altered: Sequence[Any], rows: Longs, function: str | None = None
    ) -> Floats:
        """What is thought of altered copies of instances, by networks that never saw these.

        `rows` says of which instance each is a copy. Where the network has learned from all of them
        (see `folds`), two are trained for this, each on one half, by what is believed at the end.
        """
        trained, name = self._on_data("log_probs_unseen()"), self._function(function)
        if len(altered) != len(rows):
            raise BadInput(f"there are {len(altered)} copies, but rows for {len(rows)}")
        if not len(rows):
            return np.zeros((0, len(self.labels_[name])))
        if name not in trained.unseen:
            network = trained.networks[name]
            trained.unseen[name] = (
                network if network.n_folds else network.dealt(trained.lesson(name))
            )
        return trained.unseen[name].log_probs_of(altered, rows)

    def states_shares(self, function: str | None = None) -> bool:
        """Whether the program says how common the labels of a label function are."""
        return self._on_data("states_shares()").supervision.states_shares(self._function(function))

    def attention(self, function: str | None = None) -> Attention:
        """Which words of the instances the network looked at."""
        name = self._function(function)
        predictor, prepared = self.predictors_[name], self._prepared(name, "attention()")
        if not isinstance(predictor, Attending):
            raise BadInput(
                f"the predictor of '{name}' cannot tell what it looked at",
                remedy="use the predictor linear or transformer, or another score",
            )
        return predictor.attention(prepared)

    def adapted(self, function: str | None = None) -> tuple[Vectors, Vectors]:
        """Where the network has placed the instances, and where its pretraining had."""
        name = self._function(function)
        predictor, prepared = self.predictors_[name], self._prepared(name, "adapted()")
        if not isinstance(predictor, Adapting):
            raise BadInput(
                f"the predictor of '{name}' cannot tell what the task has made of its pretraining",
                remedy="use the predictor transformer, or an ensemble with one",
            )
        return predictor.adapted(prepared)

    def _prepared(self, name: str, who: str) -> Prepared:
        """What the network of a label function reads, as long as there is the data."""
        return self._on_data(who).networks[name].prepared

    def _on_data(self, who: str) -> Trained:
        """What the fit has worked with, as long as there is the data."""
        self._require_fitted()
        if self._trained is None:
            raise BadInput(
                f"{who} needs the data, which is not saved with a model",
                remedy="put the model back onto its data: on(task)",
            )
        return self._trained

    def _function(self, name: str | None) -> str:
        """The label function that is meant: the only one that has a network, unless named."""
        self._require_fitted()
        names = list(self.predictors_)
        if name is None and len(names) == 1:
            return names[0]
        if name is None or name not in names:
            asked = "which label function is meant" if name is None else f"no network for '{name}'"
            raise BadInput(
                f"{asked}? There are networks for: {listed(names)}",
                remedy=did_you_mean(str(name), names) or f"such as function={names[0]!r}",
            )
        return name

    def _require_fitted(self) -> None:
        if not hasattr(self, "predictors_"):
            raise BadInput("nothing is learned yet", remedy="call fit(task, program) first")
