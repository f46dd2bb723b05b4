"""Algorithm 1 (deep probabilistic logic): supervision and network teach each other.

Round by round: the labels are inferred from the evidence and the network (E-step), the weights of
the evidence are learned from the labels (supervision step), and the network is trained on them
(predictor step). In the first round the network has no say.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.errors import BadInput
from tacit.learning.predictor_step import Doubtful, Lesson, Network, lesson, network_vote
from tacit.learning.supervision import Posterior, Supervision
from tacit.learning.votes import Floats
from tacit.predictors.protocol import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class EMConfig:
    """Settings of Algorithm 1. The measurements behind the defaults are in docs/dpl.md."""

    rounds: int = 3  # as in the chapter; more gain on long texts and lose on short ones
    settled: float = 0.01  # it ends when a smaller share of labels changes
    learn_weights: bool = True
    labels: Literal["soft", "hard"] = "soft"  # hard ones went astray where labels are skewed
    hard_above: float = 0.5  # with hard labels: those that are at least so probable
    # Spread of the network's log-odds: 4 to 8 are alike, and taking it at its word gains little.
    sharpness: float | None = 6.0
    # An instance counts as far as its label is known, and so not at all where nothing is said of
    # it. To learn doubt from it as well costs 2 points.
    doubtful: Doubtful = "less"
    # Keywords speak of some labels more often than these are: the network must not learn that.
    # "auto": unless the program says how common labels are.
    balance: Literal["auto", "always", "never"] = "auto"
    folds: int = 1  # cross-fitting: no gain with networks that are held back by a prior
    warm_start: bool = True  # each round goes on with the network of the last

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        choices = {
            "labels": ("soft", "hard"),
            "doubtful": ("less", "alike", "leave_out"),
            "balance": ("auto", "always", "never"),
        }
        for name, known in choices.items():
            if getattr(self, name) not in known:
                raise BadInput(f"{name}={getattr(self, name)!r}", remedy=f"use one of {known}")
        for name, low, high in (("rounds", 1, 10**6), ("folds", 1, 1000), ("settled", 0, 1)):
            if not low <= getattr(self, name) <= high:
                raise BadInput(f"{name}={getattr(self, name)!r} must be from {low} to {high}")
        if not 0 <= self.hard_above <= 1:
            raise BadInput(f"hard_above={self.hard_above!r} is no probability")
        if self.sharpness is not None and not self.sharpness > 0:
            raise BadInput(f"sharpness={self.sharpness!r} must be above 0, or None")


DEFAULT = EMConfig()


@dataclass(frozen=True, slots=True)
class Round:
    """What one round has done; nothing in it needs gold."""

    number: int  # from 1
    changed: float  # the share of labels that are others than in the round before
    agreement: float  # of evidence alone and network, where there is evidence
    loss: float  # the network's cross-entropy with the labels, after its training
    log_likelihood: float  # of the evidence, given the network; penalised
    seconds: float


@dataclass(frozen=True, slots=True)
class State:
    """All that one round hands to the next, beside the networks."""

    network: Mapping[str, Floats]  # what it adds to each label: by label function
    log_probs: Mapping[str, Floats]
    history: tuple[Round, ...] = ()
    choices: Mapping[str, Floats] | None = None  # the labels of the last round


# Told while networks train: the round, of how many, what is trained, steps done, in all, loss.
Progress = Callable[[int, int, str, int, int, float], None]


def learn(
    supervision: Supervision,
    networks: Mapping[str, Network],
    config: EMConfig,
    *,
    state: State | None = None,
    after_round: Callable[[State], None] | None = None,
    progress: Progress | None = None,
) -> State:
    """Alternate label inference, weight learning and predictor training, until labels settle."""
    state = state or State({}, {})
    while not _is_over(state, config):
        begun = time.perf_counter()
        number = len(state.history) + 1
        posterior = supervision.posterior(state.network)  # E-step
        if config.learn_weights and number > 1:  # at first they are learned already
            plain = {name: network_vote(own, None) for name, own in state.log_probs.items()}
            supervision.fit_weights(supervision.posterior(plain))  # supervision step
        loss = 0.0
        for name, network in networks.items():  # predictor step
            told = _lesson(supervision, posterior, name, config)
            warm = config.warm_start and number > 1
            network.fit(told, warm_start=warm, report=_report(progress, number, config, name))
        said = {name: network.log_probs() for name, network in networks.items()}
        votes = {name: network_vote(own, config.sharpness) for name, own in said.items()}
        loss = _loss(said, posterior)
        record = Round(
            number,
            _changed(state.choices, posterior),
            _agreement(supervision, votes),
            loss,
            supervision.log_likelihood(posterior),
            time.perf_counter() - begun,
        )
        choices = {name: own.argmax(axis=1) for name, own in posterior.labels.items()}
        state = State(votes, said, (*state.history, record), choices)
        if after_round is not None:
            after_round(state)
    return state


def _is_over(state: State, config: EMConfig) -> bool:
    """Whether all rounds are done, or labels have settled since the network has a say."""
    done = len(state.history)
    return done >= config.rounds or (done > 1 and state.history[-1].changed < config.settled)


def _lesson(supervision: Supervision, posterior: Posterior, name: str, config: EMConfig) -> Lesson:
    """What the network of a label function is to learn in this round."""
    has_evidence = supervision.has_evidence(name)
    told = lesson(
        posterior.labels[name],
        has_evidence,
        doubtful=config.doubtful,
        hard_above=config.hard_above if config.labels == "hard" else None,
        balanced=config.balance == "always"
        or (config.balance == "auto" and not supervision.states_shares(name)),
    )
    if not told.weight.any():
        raise BadInput(
            f"there is nothing to train the network of '{name}' on: no instance has evidence",
            remedy="look at what each rule touches with `tacit check`",
        )
    return told


def _loss(said: Mapping[str, Floats], posterior: Posterior) -> float:
    """The mean cross-entropy of the networks with the labels."""
    if not said:
        return 0.0
    each = [-(posterior.labels[name] * own).sum(axis=1).mean() for name, own in said.items()]
    return float(np.mean(each))


def _changed(before: Mapping[str, Floats] | None, posterior: Posterior) -> float:
    """The share of labels that are others than before."""
    if before is None:
        return 1.0
    changed = [own.argmax(axis=1) != before[name] for name, own in posterior.labels.items()]
    return float(np.concatenate(changed).mean())


def _agreement(supervision: Supervision, votes: Mapping[str, Floats]) -> float:
    """How often evidence alone and network alone prefer the same label, where there is evidence."""
    alone = supervision.posterior({}).labels
    same = [
        (alone[name].argmax(axis=1) == own.argmax(axis=1))[supervision.has_evidence(name)]
        for name, own in votes.items()
    ]
    every = np.concatenate(same) if same else np.zeros(0)
    return float(every.mean()) if len(every) else 1.0


def _report(
    progress: Progress | None, number: int, config: EMConfig, name: str
) -> Callable[[int], Report | None]:
    """What the k-th training of a round is to tell."""

    def of_training(k: int) -> Report | None:
        if progress is None:
            return None
        what = name if k == 0 else f"{name}, fold {k}"
        tell = progress
        return lambda done, total, loss: tell(number, config.rounds, what, done, total, loss)

    return of_training
