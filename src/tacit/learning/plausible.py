"""Plausible weights: what is said of most instances cannot be sure of a label that fewer have.

A word that speaks for a label holds of a share c of all instances; the label, of a share s. Even if
all instances of the label had the word, no more than s / c of those with the word would have the
label. So `and`, which is in 97 of 100 texts, is right about one of two labels that are alike common
in 52 of 100 cases at best, whatever weight it was given.

That labels are alike common is a guess, and where most instances are of one label it is wrong. So
this is asked only of weights that cannot be learned, as learning would silence a label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacit.learning.fitting import Priors
from tacit.learning.votes import Floats, Truths, Votes

ERRORS = 2.0  # standard errors of c that are taken off: of a few instances, any word may hold


def held_to_plausible(
    votes: Sequence[Votes], start: Floats, stays: Truths, priors: Priors
) -> tuple[Floats, Priors]:
    """Some of the weights no higher than plausible, and what is believed of them.

    What the program itself states of a weight is not touched.
    """
    most = np.full(len(start), np.inf)
    for own in votes:
        most = np.minimum(most, most_plausible(own, len(start)))
    too_sure = stays & (start > most)
    unstated = too_sure & (priors.mean == start)
    mean = np.where(unstated, most, priors.mean)
    return np.where(too_sure, most, start), replace(priors, mean=mean)


def most_plausible(votes: Votes, n_weights: int) -> Floats:
    """The largest weight of each that evidence for some labels can have, all labels alike common.

    Infinite where nothing speaks against any weight, and for sources that speak for different
    labels at different times: these are no signs of one of them.
    """
    parts, n_labels = votes.parts, votes.n_labels
    speaks_for = parts.add > 0
    n_for = np.bincount(parts.event[speaks_for], minlength=votes.n_events)
    most = _log_odds(n_for / n_labels, _surely_covered(votes))
    one_sided = ~votes.is_many_sided[votes.source_of_event[parts.event]]
    some = speaks_for & one_sided
    found = np.full(n_weights, np.inf)
    np.minimum.at(found, parts.weight[some], most[parts.event[some]] / parts.add[some])
    return found


def _surely_covered(votes: Votes) -> Floats:
    """The share of instances that each event holds of, as far as so many instances can tell."""
    share = votes.n_of_event / max(votes.n_instances, 1)
    return share - ERRORS * np.sqrt(share * (1 - share) / max(votes.n_instances, 1))


def _log_odds(share: Floats, covered: Floats) -> Floats:
    """How much more likely labels of this share can be where so much is covered, at most."""
    right = share / np.maximum(covered, share)  # the share of covered instances that can have them
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = right / (1 - right) * (1 - share) / share
    return np.where(right < 1, np.log(np.maximum(odds, 1.0)), np.inf)
