"""Deep probabilistic logic: evidence in, a trained network out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.data import Task
from tacit.errors import BadInput, did_you_mean, listed
from tacit.grounding import GroundFactors
from tacit.learning.applying import labels_on
from tacit.learning.cautions import warn_of_shares
from tacit.learning.checkpoints import Checkpoint
from tacit.learning.em import Progress, infer_labels, learn, lesson_of, n_to_tell, report_of
from tacit.learning.em_config import DEFAULT, EMConfig
from tacit.learning.given_predictors import Given, begun_anew, predictors_of
from tacit.learning.hidden_words import words_looked_for
from tacit.learning.identity import identity, model_settings
from tacit.learning.kept_predictors import KeptPredictors
from tacit.learning.label_model import LabelModel
from tacit.learning.predictor_step import Doubtful, Folds, Lesson, Network
from tacit.learning.rounds import Round, State, as_arrays, first_state, held_to
from tacit.learning.supervision import Supervision
from tacit.learning.views import Views
from tacit.learning.votes import Floats, Longs
from tacit.logic.program import Program
from tacit.predictors.protocol import Adapting, Attending, Attention, Predictor, Prepared

if TYPE_CHECKING:
    from tacit.learning.evidence_table import EvidenceTable
    from tacit.learning.explanation import Explanation
    from tacit.learning.saved_evidence import SavedEvidence

Vectors = NDArray[np.float32]  # (instances, dimensions)


@dataclass(frozen=True, slots=True)
class Trained:
    """What a fit has worked with, for the fit that comes after it."""

    supervision: Supervision
    networks: Mapping[str, Network]
    state: State
    config: EMConfig
    unseen: dict[str, Network] = field(default_factory=dict)  # found when they are asked for

    def factors_for(self, program: Program) -> GroundFactors | None:
        """The factors, if a program begins with the one that they are of."""
        factors = self.supervision.model.factors_
        known = factors.program
        begins = known.evidence == program.evidence[: len(known.evidence)]
        return factors if begins and set(known.declarations) <= set(program.declarations) else None

    def lesson(self, name: str) -> Lesson:
        """What a network would learn next: the labels by evidence and votes as they are now."""
        believed = infer_labels(self.supervision, self.state, self.config)
        return lesson_of(self.supervision, believed, name, self.config)


class DPL:
    """Trains a network on what the evidence says, and lets the network correct the evidence.

    - `predictor`: its name ("linear", "transformer", "bilstm_attention", "graph_lstm"), a
      predictor object, or a scikit-learn classifier. With several label functions, each has one of
      its own; a dict by label function gives them different ones, or None to some.
    - `label_model`: how the weights of evidence are learned; see `LabelModel`.
    - `rounds`, `settled`: of learning; it ends early when less than this share of labels changes.
    - `labels`: what the network learns, "soft" probabilities or "hard" labels, of instances whose
      label is at least as probable as `hard_above`.
    - `sharpness`: how far the network's log-odds are spread when it votes on what it learns next;
      None takes them as they are, which is the algorithm to the letter.
    - `doubtful`: instances whose label is in doubt count "less", and those of which nothing is
      known not at all; or they count "alike". With "leave_out", an instance without evidence is
      never learned from, whatever the network thinks of it.
    - `balance`: whether all labels weigh the same in training; "auto" does so unless the program
      says how common they are.
    - `folds`: with several, no network votes on what it was trained on. "auto": two for networks
      that learn by heart, which are encoders that are trained along, from 2,000 instances on.
    - `hide_words`: whether such networks learn without the words that evidence looks for; what they
      predict, they predict from all words.
    - `learn_weights`, `warm_start`: whether weights are learned again in each round, and whether
      the network goes on from the last round; one that learns by heart begins anew in any case.

    After `fit`: `posterior_` as in `LabelModel`, now with the network's vote; `predictor_` (or
    `predictors_`, by label function); `weights_`, `label_model_`, `history_`.
    """

    _trained: Trained | None = None  # of a model that was loaded there is nothing

    def __init__(
        self,
        predictor: Given = "linear",
        *,
        label_model: LabelModel | None = None,
        rounds: int = DEFAULT.rounds,
        settled: float = DEFAULT.settled,
        learn_weights: bool = DEFAULT.learn_weights,
        labels: Literal["soft", "hard"] = "soft",
        hard_above: float = DEFAULT.hard_above,
        sharpness: float | None = DEFAULT.sharpness,
        doubtful: Doubtful = "less",
        balance: Literal["auto", "always", "never"] = "auto",
        folds: Folds = DEFAULT.folds,
        hide_words: bool = DEFAULT.hide_words,
        warm_start: bool = DEFAULT.warm_start,
        random_state: int = 0,
    ) -> None:
        self.predictor = predictor
        self.label_model = label_model
        self.rounds = rounds
        self.settled = settled
        self.learn_weights = learn_weights
        self.labels = labels
        self.hard_above = hard_above
        self.sharpness = sharpness
        self.doubtful = doubtful
        self.balance = balance
        self.folds = folds
        self.hide_words = hide_words
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(
        self,
        task: Task,
        program: Program,
        *,
        previous: DPL | None = None,
        said: Mapping[str, Floats] | None = None,
        shares: Mapping[str, Floats] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        after_round: Callable[[Round], None] | None = None,
        progress: Progress | None = None,
    ) -> DPL:
        """Learn weights and network from a task's data, without labels.

        With `previous`, a model that was fitted to the same task, its inputs are not prepared
        again, and its predictor is the one that begins anew; where this program begins with that
        model's, only what is new is grounded. What is learned is the same.

        With `said`, by label function what networks think of the instances already (see `said()`),
        that is heard in the first round. The predictor begins anew, but learns as one that goes on,
        since labels of most instances are known. Where folds vote, the predictor that is kept
        learns when it is first asked for, unless there is a checkpoint to keep it.

        With `shares`, by label function the least and the largest share of each label, (2, labels),
        no network votes as if a label were rarer or more common. To say so in the program instead
        binds evidence and network together: `expect 0.3 +- 0.05: ...`.

        With `checkpoint`, a folder, every finished round is kept there. Called again with the same
        arguments, it goes on behind the last one, and ends as if it had never been interrupted. The
        folder stays: once all is learned, fitting again only reads it.
        """
        config = self.config()
        trained = None if previous is None else previous._trained
        if trained is not None and trained.supervision.model.task_ != task:
            raise BadInput(
                "the previous model was fitted to another task",
                remedy="fit without previous=, or to the task that it was fitted to",
            )
        predictors = self._predictors(program, trained)
        heard, held = as_arrays(said, "said"), as_arrays(shares, "shares")
        kept = None
        if checkpoint is not None:
            made_from = identity(task, program, model_settings(self), predictors, heard, held)
            kept = Checkpoint(checkpoint, made_from, predictors, self.rounds)
        model = LabelModel() if self.label_model is None else copy(self.label_model)
        known = None if trained is None else trained.factors_for(program)
        supervision = Supervision(model.fit(task, program, previous=known))
        networks = self._networks(task, program, predictors, trained, anew=bool(heard))

        def finish(state: State) -> None:
            if kept is not None:
                kept.write(state, supervision, networks)
            if after_round is not None:
                after_round(state.history[-1])

        state = None if kept is None else kept.restore(supervision, networks)
        state = held_to(state or first_state(heard, supervision), held, supervision)
        state = learn(
            supervision, networks, config, state=state, after_round=finish, progress=progress
        )
        self._trained = Trained(supervision, networks, state, config)
        last = n_to_tell(networks, config)
        predictors_ = KeptPredictors(
            networks, self._trained.lesson, lambda name: report_of(progress, last, last, name)(0)
        )
        if predictors_.are_waiting and (kept is not None or not heard):
            dict(predictors_)
            if kept is not None:
                kept.write(state, supervision, networks)
        self._keep(supervision, predictors_, state)
        self._warn(supervision)
        return self

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

    def on(self, task: Task) -> DPL:
        """The model that was loaded, on the data that it was learned from.

        It explains, analyses and gives views as before it was saved; nothing is learned again.
        """
        self._require_fitted()
        from tacit.learning.restoring import restored

        return restored(self, task)

    def clone(self) -> DPL:
        """A model with the same settings that has learned nothing."""
        return DPL(**{name: getattr(self, name) for name in signature(DPL).parameters})

    def config(self) -> EMConfig:
        """The settings of Algorithm 1, checked."""
        return EMConfig(**{own.name: getattr(self, own.name) for own in fields(EMConfig)})

    def _predictors(self, program: Program, trained: Trained | None) -> dict[str, Predictor]:
        """A predictor for each label function that is to have one."""
        if trained is None:
            return predictors_of(self.predictor, program, self.random_state)
        return {name: begun_anew(own.predictor) for name, own in trained.networks.items()}

    def _networks(
        self,
        task: Task,
        program: Program,
        predictors: Mapping[str, Predictor],
        trained: Trained | None,
        *,
        anew: bool = False,
    ) -> dict[str, Network]:
        """The networks of label functions, their inputs prepared.

        Those that learn from what others have said are dealt `anew`, into other folds than theirs.
        """
        seed = self.random_state + (len(program.evidence) if anew else 0)
        return {
            name: Network(
                predictor,
                task.inputs(program.labels[name].domain)
                if trained is None
                else trained.networks[name].prepared,
                self.folds,
                seed,
                words_looked_for(task, program, name) if self.hide_words else (),
                warm_start=self.warm_start,
            )
            for name, predictor in predictors.items()
        }

    def _keep(
        self, supervision: Supervision, predictors: Mapping[str, Predictor], state: State
    ) -> None:
        """Hold what was learned: the evidence with its weights, the network, and their labels.

        Here the network is taken at its word: a sharpened vote teaches well, but is far too sure.
        """
        model, network = supervision.model, state.at_their_word()
        posterior = supervision.posterior(network)
        model.take(supervision.point, posterior.labels, posterior.beliefs, network)
        self.label_model_: LabelModel | SavedEvidence = model
        self.predictors_: Mapping[str, Predictor] = predictors
        self.labels_, self.program_ = model.labels_, model.program_
        self.history_ = state.history

    def _warn(self, supervision: Supervision) -> None:
        """Say where the network has gone astray, as far as that shows without gold."""
        alone = supervision.posterior({}).labels
        for name, votes in supervision.model.network_.items():
            if not supervision.states_shares(name):
                told = alone[name][supervision.has_evidence(name)]
                warn_of_shares(name, self.labels_[name], told, votes)

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

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write all that was learned into a folder, for `tacit.load`; see `tacit.learning.saving`.

        A model that was saved there before is replaced.
        """
        self._require_fitted()
        from tacit.learning.saving import save

        save(self, folder)

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
