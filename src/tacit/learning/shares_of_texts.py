"""To which shares of labels the networks of a fit are held, by the texts that evidence speaks of.

A network that knows little likes a label more than others, learns its own votes, and likes it
better still. Behind the first round, networks that have learned from the evidence alone read texts
that they have not seen, without the words of the evidence: those that it speaks of, and any. What
they say of any is a mixture of what they say of each label's, in the proportions of the labels.

That is off now and then, as the evidence's texts are no fair sample of their labels. So networks
may always say what those of the first round said of all texts, which had no votes to learn from:
they are kept from going on, and never pushed beyond where they began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from tacit.data import Task
from tacit.data.tokens import without_words
from tacit.learning.em import lesson_of
from tacit.learning.em_config import EMConfig
from tacit.learning.hidden_words import words_looked_for
from tacit.learning.predictor_step import FOLDS, Network
from tacit.learning.reading import evenly_spread, plain_texts
from tacit.learning.shares import (
    MANY,
    OF_TWO,
    by_mixture,
    shares_told,
    variance_left,
)
from tacit.learning.supervision import Supervision
from tacit.learning.views import is_told
from tacit.learning.votes import Floats, Longs

OF_LABEL = 400  # texts of each label that are read: a mean is known within 0.02 or so
OF_ALL = 2000


@dataclass(frozen=True, slots=True)
class Told:
    """What texts tell of how common labels are."""

    said: Floats  # (labels): the shares by what networks say of all texts
    bounds: Floats  # (2, labels): the least and the largest, by what that is a mixture of


def shares_of_texts(
    task: Task,
    supervision: Supervision,
    network: Network,
    config: EMConfig,
    function: str,
) -> Told | None:
    """How common labels are by texts that networks have not seen, without the evidence's words.

    None if instances are no plain texts, or evidence looks for no words in them, or does not speak
    of all labels, or only weakly; or where the program itself says how common these are.
    """
    model = supervision.model
    hidden = words_looked_for(task, model.program_, function)
    if not hidden or supervision.states_shares(function):
        return None
    if model.silenced_.get(function):  # what such evidence says of texts is no yardstick
        return None
    texts = plain_texts(task, model.program_.labels[function].domain)
    alone = supervision.posterior({})
    labels, has_evidence = alone.labels[function], supervision.has_evidence(function)
    rows = np.flatnonzero(is_told(labels, has_evidence))
    told = labels[rows].argmax(axis=1)
    n_labels = labels.shape[1]
    if texts is None or len(np.unique(told)) < n_labels:
        return None
    place = places(texts)
    if not network.n_folds:
        network = network.dealt(lesson_of(supervision, alone, function, config), place % FOLDS)
    of_label = [(rows[told == label], OF_LABEL) for label in range(n_labels)]
    groups = [
        evenly_spread(own[np.argsort(place[own], kind="stable")], most)
        for own, most in (*of_label, (np.arange(len(texts)), OF_ALL))
    ]
    said = _said(network, [_left(texts, own, hidden) for own in groups])
    if said is None:
        return None
    *by_label, by_all = said
    before = _before(supervision, function, labels[has_evidence])
    return Told(by_all.mean(axis=0), by_mixture(by_label, by_all, *before))


def places(texts: Sequence[str]) -> Longs:
    """The place of each text in an order by chance, in which copies share one.

    It follows from the texts alone: who learns and who is read must not depend on the rows' order.
    """
    digests = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8) for text in texts]
    found = np.array([int.from_bytes(own.digest(), "big") for own in digests], dtype=np.uint64)
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _left(texts: Sequence[str], rows: Longs, hidden: tuple[str, ...]) -> dict[int, str | None]:
    """What is left of texts without these words, where anything is; None where that is all."""
    left = {row: without_words(texts[row], hidden) for row in rows.tolist()}
    return {
        row: None if text == texts[row] else text
        for row, text in left.items()
        if text and not text.isspace()
    }


def _said(network: Network, groups: Sequence[Mapping[int, str | None]]) -> list[Floats] | None:
    """What is said of the texts of each group; (texts, labels). None if a group has no text."""
    if not all(groups):
        return None
    texts = [text for own in groups for text in own.values()]
    rows = np.array([row for own in groups for row in own])
    every = np.exp(network.log_probs_of(texts, rows))
    return np.split(every, np.cumsum([len(own) for own in groups])[:-1])


def _before(supervision: Supervision, function: str, told: Floats) -> tuple[Floats, float]:
    """What is known of shares before texts are read: the likeliest, and their variance."""
    n_labels = told.shape[1]
    if n_labels < MANY:
        return np.full(n_labels, 1 / n_labels), OF_TWO
    n_pieces = supervision.model.votes_[function].n_sources
    return shares_told(told, n_pieces), variance_left(n_pieces, n_labels)
