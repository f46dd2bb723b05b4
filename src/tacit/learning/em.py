"""Algorithm 1 (deep probabilistic logic): supervision and network teach each other.

Round by round: the labels are inferred from the evidence and the network (E-step), the weights of
the evidence are learned from the labels (supervision step), and the network is trained on them
(predictor step). In the first round the network has no say, unless networks have said something of
the instances before: then it learns as one that goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from tacit.errors import BadInput
from tacit.learning.em_config import EMConfig
from tacit.learning.predictor_step import Lesson, Network, lesson
from tacit.learning.rounds import State, next_state
from tacit.learning.supervision import Posterior, Supervision
from tacit.predictors.protocol import Report

# Told while networks train: the round, of how many, what is trained, steps done, in all, loss.
Progress = Callable[[int, int, str, int, int, float], None]


def learn(
    supervision: Supervision,
    networks: Mapping[str, Network],
    config: EMConfig,
    *,
    state: State | None = None,
    hold: Callable[[State], State] | None = None,
    after_round: Callable[[State], None] | None = None,
    progress: Progress | None = None,
) -> State:
    """Alternate label inference, weight learning and predictor training, until labels settle.

    What is learned is left in `supervision` and `networks`; `state` goes on behind a round, or
    begins with what networks have said before. `hold` sees the state behind each round, and says to
    which shares of labels networks are held from then on.
    """
    state = state or State()
    while not is_over(state, config):
        begun = time.perf_counter()
        posterior = infer_labels(supervision, state, config)
        if config.learn_weights and state.log_probs:  # without a network they are learned already
            fit_weights(supervision, state)
        fit_networks(networks, supervision, posterior, state, config, progress)
        said = {name: network.log_probs() for name, network in networks.items()}
        state = next_state(state, supervision, posterior, said, time.perf_counter() - begun)
        if hold is not None:
            state = hold(state)
        if after_round is not None:
            after_round(state)
    return state


def is_over(state: State, config: EMConfig) -> bool:
    """Whether all rounds are done, or labels have settled since the network has a say."""
    done = len(state.history)
    return done >= config.rounds or (done > 1 and state.history[-1].changed < config.settled)


def infer_labels(supervision: Supervision, state: State, config: EMConfig) -> Posterior:
    """E-step: the labels by evidence and network."""
    return supervision.posterior(state.votes(config.sharpness))


def fit_weights(supervision: Supervision, state: State) -> None:
    """Supervision step: the weights that suit the labels, with the network taken at its word.

    The sharpened vote would do here as well, but weights then follow a network that is too sure.
    """
    supervision.fit_weights(supervision.posterior(state.at_their_word()))


def fit_networks(
    networks: Mapping[str, Network],
    supervision: Supervision,
    posterior: Posterior,
    state: State,
    config: EMConfig,
    progress: Progress | None,
) -> None:
    """Predictor step: every network learns the labels of its own label function."""
    number = len(state.history) + 1
    for name, network in networks.items():
        told = lesson_of(supervision, posterior, name, config)
        report = report_of(progress, number, n_to_tell(networks, config), name)
        network.fit(told, number=number, goes_on=name in state.log_probs, report=report)


def lesson_of(
    supervision: Supervision, posterior: Posterior, name: str, config: EMConfig
) -> Lesson:
    """What the network of a label function is to learn in this round."""
    told = lesson(
        posterior.labels[name],
        supervision.has_evidence(name),
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


def n_to_tell(networks: Mapping[str, Network], config: EMConfig) -> int:
    """Of how many rounds is told: where folds vote, what is kept learns in one more."""
    return config.rounds + any(network.n_folds for network in networks.values())


def report_of(
    progress: Progress | None, number: int, rounds: int, name: str
) -> Callable[[int], Report | None]:
    """What the k-th training of a round is to tell; 0 is that of the predictor that is kept."""

    def of_training(k: int) -> Report | None:
        if progress is None:
            return None
        what = name if k == 0 else f"{name}, fold {k}"
        tell = progress
        return lambda done, total, loss: tell(number, rounds, what, done, total, loss)

    return of_training
