"""Rounds of Algorithm 1: what each hands to the next, and what is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tacit.errors import BadInput
from tacit.learning.predictor_step import network_vote, within_shares
from tacit.learning.supervision import Posterior, Supervision
from tacit.learning.votes import Floats, Longs


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

    log_probs: Mapping[str, Floats] = field(default_factory=dict)  # what the networks say
    choices: Mapping[str, Longs] = field(default_factory=dict)  # the most probable labels
    history: tuple[Round, ...] = ()
    # The least and the largest share of each label, where networks are held to them; (2, labels).
    shares: Mapping[str, Floats] = field(default_factory=dict)
    # The share of each label by networks that had no votes to learn from yet; (labels).
    first_shares: Mapping[str, Floats] = field(default_factory=dict)

    def votes(self, sharpness: float | None) -> dict[str, Floats]:
        """What the networks add to each label: nothing before they have learned anything."""
        found = {name: network_vote(own, sharpness) for name, own in self.log_probs.items()}
        held = self.shares.keys() & found
        return found | {name: within_shares(found[name], self.shares[name]) for name in held}

    def at_their_word(self) -> dict[str, Floats]:
        """What the networks think, neither sharpened nor held to any shares."""
        return {name: network_vote(own, None) for name, own in self.log_probs.items()}


def as_arrays(given: Mapping[str, object] | None, name: str) -> dict[str, Floats]:
    """What was given by label function, as arrays of numbers."""
    try:
        return {key: np.asarray(own, np.float64) for key, own in (given or {}).items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise BadInput(
            f"{name}={given!r} has no arrays of numbers",
            remedy=f"{name}={{label function: array}}",
        ) from error


def first_state(
    said: Mapping[str, Floats], first_shares: Mapping[str, Floats], supervision: Supervision
) -> State:
    """Where learning begins: with what networks have said before, if they have."""
    shapes = {own.name: (own.n_variables, len(own.labels)) for own in supervision.graph.spans}
    for name, log_probs in said.items():
        if shapes.get(name) != log_probs.shape:
            raise BadInput(
                f"said[{name!r}] has the shape {log_probs.shape}",
                remedy=f"(instances, labels), by label function: {shapes}",
            )
        if not np.isfinite(log_probs).all():
            raise BadInput(f"said[{name!r}] has log-probabilities that are not finite")
    n_labels = {name: n for name, (_, n) in shapes.items()}
    for name, own in first_shares.items():
        if own.shape != (n_labels.get(name),) or not (own > 0).all():
            raise BadInput(
                f"first_shares[{name!r}] is no share above 0 of each label: {own}",
                remedy=f"(labels), by label function; labels: {n_labels}",
            )
    return State(log_probs=dict(said), first_shares=dict(first_shares))


def held_to(state: State, shares: Mapping[str, Floats], supervision: Supervision) -> State:
    """A state by which networks are held to shares of labels, once these are checked."""
    n_labels = {own.name: len(own.labels) for own in supervision.graph.spans}
    for name, own in shares.items():
        if own.shape != (2, n_labels.get(name)):
            raise BadInput(
                f"shares[{name!r}] has the shape {own.shape}",
                remedy=f"(2, labels): the least and the largest share of each; labels: {n_labels}",
            )
        least, largest = own
        if not ((least > 0).all() and (least <= largest).all() and np.isfinite(largest).all()):
            raise BadInput(
                f"shares[{name!r}] has shares that are not above 0, or no least below the largest"
            )
        if not least.sum() <= 1 <= largest.sum():
            raise BadInput(f"no shares of '{name}' between the least and the largest add up to 1")
    return replace(state, shares=dict(shares))


def next_state(
    state: State,
    supervision: Supervision,
    posterior: Posterior,
    log_probs: Mapping[str, Floats],
    seconds: float,
) -> State:
    """The state after a round, and what that round has done."""
    record = Round(
        number=len(state.history) + 1,
        changed=_changed(state.choices, posterior),
        agreement=_agreement(supervision, log_probs),
        loss=_loss(log_probs, posterior),
        log_likelihood=supervision.log_likelihood(posterior),
        seconds=seconds,
    )
    choices = {name: own.argmax(axis=1) for name, own in posterior.labels.items()}
    return replace(state, log_probs=log_probs, choices=choices, history=(*state.history, record))


def _loss(log_probs: Mapping[str, Floats], posterior: Posterior) -> float:
    """The mean cross-entropy of the networks with the labels."""
    each = [-(posterior.labels[name] * own).sum(axis=1).mean() for name, own in log_probs.items()]
    return float(np.mean(each))


def _changed(before: Mapping[str, Longs], posterior: Posterior) -> float:
    """The share of labels that are others than before."""
    if not before:
        return 1.0
    changed = [own.argmax(axis=1) != before[name] for name, own in posterior.labels.items()]
    return float(np.concatenate(changed).mean())


def _agreement(supervision: Supervision, log_probs: Mapping[str, Floats]) -> float:
    """How often evidence alone and network alone prefer the same label, where there is evidence."""
    alone = supervision.posterior({}).labels
    same = [
        (alone[name].argmax(axis=1) == own.argmax(axis=1))[supervision.has_evidence(name)]
        for name, own in log_probs.items()
    ]
    every = np.concatenate(same)
    return float(every.mean()) if len(every) else 1.0
