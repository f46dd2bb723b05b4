"""Deep probabilistic logic: evidence in, a trained network out."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import fields, replace
from inspect import signature
from typing import Literal

from tacit.data import Task
from tacit.errors import BadInput
from tacit.learning.cautions import warn_of_shares
from tacit.learning.checkpoints import Checkpoint
from tacit.learning.em import Progress, learn, n_to_tell, report_of
from tacit.learning.em_config import DEFAULT, EMConfig
from tacit.learning.fitted_model import FittedModel
from tacit.learning.given_predictors import Given, begun_anew, predictors_of
from tacit.learning.hidden_words import words_looked_for
from tacit.learning.identity import identity, model_settings
from tacit.learning.kept_predictors import KeptPredictors
from tacit.learning.label_model import LabelModel
from tacit.learning.predictor_step import Doubtful, Folds, Network
from tacit.learning.rounds import Round, State, as_arrays, first_state, held_to
from tacit.learning.shares import reaching
from tacit.learning.shares_of_texts import shares_of_texts
from tacit.learning.supervision import Supervision
from tacit.learning.trained import Trained
from tacit.learning.votes import Floats
from tacit.logic.program import Program
from tacit.predictors.protocol import Predictor


class DPL(FittedModel):
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
    - `hold_shares`: whether networks are held to how common labels are, by the texts that keywords
      speak of; see `shares_`.
    - `learn_weights`, `warm_start`: whether weights are learned again in each round, and whether
      the network goes on from the last round; one that learns by heart begins anew in any case.

    After `fit`: `posterior_` as in `LabelModel`, now with the network's vote; `predictor_` (or
    `predictors_`, by label function); `weights_`, `label_model_`, `history_`; `shares_`, by label
    function the least and the largest share of each label, where networks were held to any.
    """

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
        hold_shares: bool = DEFAULT.hold_shares,
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
        self.hold_shares = hold_shares
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
        first_shares: Mapping[str, Floats] | None = None,
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
        no network votes as if a label were rarer or more common, whatever texts tell of that
        (`hold_shares`). To say so in the program instead binds evidence and network together:
        `expect 0.3 +- 0.05: ...`.

        With `first_shares`, by label function the share of each label, (labels), these are what
        networks said when they had no votes to learn from yet: `first_shares()` of another model.
        Where texts tell of shares, networks may say so at least; else this model finds them itself.

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
        first = as_arrays(first_shares, "first_shares")
        kept = None
        if checkpoint is not None:
            made_from = identity(
                task, program, model_settings(self), predictors, heard, held, first
            )
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

        def hold(state: State) -> State:
            return self._held_to_texts(state, task, supervision, networks, given=held)

        state = None if kept is None else kept.restore(supervision, networks)
        state = state or held_to(first_state(heard, first, supervision), held, supervision)
        state = learn(
            supervision,
            networks,
            config,
            state=state,
            hold=hold,
            after_round=finish,
            progress=progress,
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

    def on(self, task: Task) -> DPL:
        """The model that was loaded, on the data that it was learned from.

        It explains, analyses and gives views as before it was saved; nothing is learned again.
        """
        self._require_fitted()
        from tacit.learning.restoring import restored

        return restored(self, task)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write all that was learned into a folder, for `tacit.load`; see `tacit.learning.saving`.

        A model that was saved there before is replaced.
        """
        self._require_fitted()
        from tacit.learning.saving import save

        save(self, folder)

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

    def _held_to_texts(
        self,
        state: State,
        task: Task,
        supervision: Supervision,
        networks: Mapping[str, Network],
        *,
        given: Collection[str],
    ) -> State:
        """A state by which networks are held to the shares that texts tell, where none are given.

        Texts are read behind the first round; and behind each, where folds vote: those are trained
        anew in each, and know labels better by then.
        """
        config = self.config()
        first, shares = dict(state.first_shares), dict(state.shares)
        for name, network in networks.items():
            is_time = len(state.history) == 1 or network.n_folds
            if config.holds_shares and is_time and name not in given:
                told = shares_of_texts(task, supervision, network, config, name)
                if told is not None:
                    first.setdefault(name, told.said)
                    shares[name] = reaching(told.bounds, first[name])
        return held_to(replace(state, first_shares=first), shares, supervision)

    def _keep(
        self, supervision: Supervision, predictors: Mapping[str, Predictor], state: State
    ) -> None:
        """Hold what was learned: the evidence with its weights, the network, and their labels.

        Here the network is taken at its word: a sharpened vote teaches well, but is far too sure.
        """
        model, network = supervision.model, state.at_their_word()
        posterior = supervision.posterior(network)
        model.take(supervision.point, posterior.labels, posterior.beliefs, network)
        self.label_model_, self.predictors_ = model, predictors
        self.labels_, self.program_ = model.labels_, model.program_
        self.history_, self.shares_ = state.history, state.shares

    def _warn(self, supervision: Supervision) -> None:
        """Say where the network has gone astray, as far as that shows without gold."""
        alone = supervision.posterior({}).labels
        for name, votes in supervision.model.network_.items():
            if not supervision.states_shares(name):
                told = alone[name][supervision.has_evidence(name)]
                warn_of_shares(name, self.labels_[name], told, votes)
