"""The likelihood of votes, with the labels hidden: a Markov network over labels and votes.

An instance's label y and what is said of it have the potential

    exp(b_y + sum of w_e a_e(y)) * product of r_e      over the events e that happened,

where event e adds a_e(y) to label y, times the weight w_e, and happens at the base rate r_e. Given
the votes, labels follow by plain addition of weights: nothing else is asked of supervision. What
makes votes likely or not is the sum of the potential over all labels and all votes that could have
been cast. There, two kinds of sources differ:

- one that speaks for different labels at different times (a labelling function with several
  outcomes) is taken as given to speak when it did, and chooses among its events: Z_s(y) = sum of
  r_e exp(w_e a_e(y));
- one that always says the same (a keyword) tells something only by speaking at all. Its events
  come as a Poisson process: log Z_s(y) = sum of r_e exp(w_e a_e(y)).

With `silence_tells`, every source chooses among its events and silence: log Z_s(y) = log(1 + sum
of r_e exp(w_e a_e(y))).

So log P(votes) = sum over instances of log sum_y exp(b_y + what was said), less the same of b_y +
sum of log Z_s(y), plus n_e log r_e. Its gradient in a weight is how often its evidence holds under
the posterior, less how often under the network alone: E_q[f] - E_Phi[f].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from tacit.learning.votes import Floats, Ints, Longs, Votes, alike

STEEPEST = 500.0  # a rate beyond exp of this would be infinite in the end
CROWDED = 0.05  # a matrix fuller than this is quicker as a plain array


@dataclass(frozen=True)
class Cells:
    """The labels to which events add anything, each pair of event and label once."""

    event: Ints
    label: Ints
    source: Ints
    of_part: Longs

    @staticmethod
    def of(votes: Votes) -> Cells:
        """The cells of the parts of votes."""
        key = votes.parts.event.astype(np.int64) * votes.n_labels + votes.parts.label
        cells, of_part = np.unique(key, return_inverse=True)
        event = (cells // votes.n_labels).astype(np.int32)
        label = (cells % votes.n_labels).astype(np.int32)
        return Cells(event, label, votes.source_of_event[event], of_part.reshape(-1))


@dataclass(frozen=True)
class Unseen:
    """What the network says of labels before any vote is seen.

    Given label y, event e of source s happens at the rate
    exp(log_rate_e + worth_e(y) - log_choice_s(y)), where the worth is 0 but in the cells.
    """

    log_labels: Floats  # (audiences, labels) not normalised
    log_rate: Floats  # (events)
    log_choice: Floats  # (sources, labels) what a source chooses from; 0 where it does not choose
    worth_of_cell: Floats
    cells: Cells
    source_of_event: Ints

    @cached_property
    def log_rates(self) -> Floats:
        """The log of how often each event would happen, given the label: (events, labels)."""
        found = self.log_rate[:, None] - self.log_choice[self.source_of_event]
        found[self.cells.event, self.cells.label] += self.worth_of_cell
        return np.asarray(found)


@dataclass(frozen=True)
class Slope:
    """The gradient of the log-likelihood."""

    parts: Floats  # by part of an event, to be summed by weight
    log_rates: Floats  # by event
    bias: Floats  # by label


class VoteLikelihood:
    """The likelihood of one label function's votes, as a function of weights, rates and bias.

    Instances of which the same many-sided sources spoke are one audience: before the votes are seen
    nothing tells them apart.
    """

    def __init__(self, votes: Votes, *, silence_tells: bool = False) -> None:
        self.votes = votes
        self.silence_tells = silence_tells
        self.cells = Cells.of(votes)
        parts = votes.parts
        spread = sparse.csr_array(
            (np.ones(len(parts.event)), (parts.event, np.arange(len(parts.event)))),
            shape=(votes.n_events, len(parts.event)),
        )
        self.parts_of_pattern = _indexed(sparse.csr_array(votes.cast @ spread))
        self.patterns_of_part = _indexed(sparse.csc_array(self.parts_of_pattern))
        chooses = votes.is_many_sided & (not silence_tells)
        self.many_sided = np.flatnonzero(chooses)
        self.is_given = chooses[votes.source_of_event]
        self.choosing = np.ones_like(chooses) if silence_tells else chooses
        self._audiences()

    def _audiences(self) -> None:
        votes = self.votes
        spoke = sparse.csr_array(votes.spoke[:, self.many_sided])
        spoke.sort_indices()
        self.audience_of_pattern, first = alike(spoke)
        self.n_of_audience = np.bincount(
            self.audience_of_pattern, votes.n_of_pattern, minlength=len(first)
        )
        listeners = spoke[first]
        full = listeners.nnz > CROWDED * np.prod(listeners.shape)
        self.listeners = listeners.toarray() if full else listeners

    def seen(self, weights: Floats, bias: Floats) -> tuple[Floats, Floats]:
        """The probability of each label given the votes, by pattern, and the log of their sum."""
        from tacit.learning.kernels import label_odds

        votes = self.votes
        posterior = np.empty((votes.cast.shape[0], votes.n_labels))
        log_total = np.empty(len(posterior))
        label_odds(
            self.parts_of_pattern.indptr,
            self.parts_of_pattern.indices,
            votes.parts.label,
            weights[votes.parts.weight] * votes.parts.add,
            bias + votes.standing_worth(weights),
            posterior,
            log_total,
        )
        return posterior, log_total

    def unseen(self, weights: Floats, log_rate: Floats, bias: Floats) -> Unseen:
        """What is said of labels by the network alone, by audience; nothing standing is in it."""
        votes, cells = self.votes, self.cells
        worth = self._worth(weights)
        # By source and label: the rates of all its events, of which few depend on the label.
        rate = np.exp(log_rate)
        shape = (votes.n_sources, votes.n_labels)
        rates = np.zeros(shape)
        np.add.at(rates, (cells.source, cells.label), rate[cells.event] * np.expm1(worth))
        rates += np.bincount(votes.source_of_event, rate, minlength=votes.n_sources)[:, None]
        log_choice = np.zeros(shape)
        if self.silence_tells:
            log_choice = np.log1p(rates)
            log_labels = log_choice.sum(axis=0)[None, :]
        else:
            chosen = np.log(np.maximum(rates[self.many_sided], 1e-300))
            log_choice[self.many_sided] = chosen
            rates[self.many_sided] = 0.0
            log_labels = self.listeners @ chosen + rates.sum(axis=0)
        return Unseen(log_labels + bias, log_rate, log_choice, worth, cells, votes.source_of_event)

    def _worth(self, weights: Floats) -> Floats:
        """What each cell adds to its label, within reason."""
        parts = self.votes.parts
        worth = weights[parts.weight] * parts.add
        total = np.bincount(self.cells.of_part, worth, minlength=len(self.cells.event))
        return np.minimum(total, STEEPEST).astype(np.float64)

    def slope(self, posterior: Floats, unseen: Unseen, alone: Floats) -> Slope:
        """The gradient, from instances by label: given the votes, and by the network alone.

        `posterior` is by pattern; `alone` (audiences, labels) says how many instances of each
        audience have each label before the votes are seen.
        """
        votes, parts = self.votes, self.votes.parts
        held = posterior * votes.n_of_pattern[:, None]
        found = self.mass_of_parts(held)
        # How often events would have happened: at their rates wherever their sources could speak.
        cells = self.cells
        room = self.reach_of_sources(alone) * np.exp(-unseen.log_choice)
        rate = np.exp(unseen.log_rate)
        in_cell = rate[cells.event] * room[cells.source, cells.label]
        worth = unseen.worth_of_cell
        expected = rate * room.sum(axis=1)[votes.source_of_event]
        expected += np.bincount(cells.event, in_cell * np.expm1(worth), minlength=votes.n_events)
        return Slope(
            (found - (in_cell * np.exp(worth))[cells.of_part]) * parts.add,
            votes.n_of_event - expected,
            np.einsum("iy->y", held) - alone.sum(axis=0),  # far quicker than a sum over rows
        )

    def mass_of_parts(self, mass: Floats) -> Floats:
        """For each part, the mass (patterns, labels) of its label where it is said."""
        from tacit.learning.kernels import label_mass

        found = np.empty(len(self.votes.parts.event))
        at = self.patterns_of_part
        label_mass(at.indptr, at.indices, self.votes.parts.label, mass, found)
        return found

    def reach(self, alone: Floats) -> Floats:
        """For each event, of how many instances with each label its source could have spoken."""
        return self.reach_of_sources(alone)[self.votes.source_of_event]

    def reach_of_sources(self, alone: Floats) -> Floats:
        """Of how many instances with each label each source could have spoken."""
        reach = np.tile(alone.sum(axis=0), (self.votes.n_sources, 1))
        reach[self.many_sided] = self.listeners.T @ alone
        return reach

    def alone(self, log_labels: Floats) -> tuple[Floats, float]:
        """How many instances have each label by the network alone, and the log-partition."""
        from tacit.learning.kernels import label_shares

        shares, log_total = np.empty_like(log_labels), np.empty(len(log_labels))
        label_shares(log_labels, shares, log_total)
        shares *= self.n_of_audience[:, None]
        return shares, float(self.n_of_audience @ log_total)

    @cached_property
    def free_rates(self) -> Longs:
        """The events whose base rates are free: of those to be chosen among, all but the first."""
        _, first = np.unique(self.votes.source_of_event, return_index=True)
        is_free = np.ones(self.votes.n_events, dtype=bool)
        is_free[first[self.many_sided]] = False
        return np.flatnonzero(is_free)

    def rates_for(self, weights: Floats) -> Floats:
        """Log-rates at which events would be as frequent as they are, were labels all as common."""
        votes = self.votes
        frequency = votes.n_of_event / max(1, votes.n_instances)
        gain = np.expm1(self._worth(weights))
        gain = np.bincount(self.cells.event, gain, minlength=votes.n_events)
        worth = np.log1p(gain / votes.n_labels)
        log_rate = np.log(np.maximum(frequency, 1e-12)) - worth
        _, first = np.unique(votes.source_of_event, return_index=True)
        log_rate[self.is_given] -= log_rate[first[votes.source_of_event[self.is_given]]]
        return np.asarray(log_rate)


def _indexed(matrix: sparse.csr_array | sparse.csc_array) -> sparse.csr_array | sparse.csc_array:
    """A sparse matrix whose indices are all of one type, as the kernels are compiled for."""
    matrix.sort_indices()
    matrix.indptr = matrix.indptr.astype(np.int64)
    matrix.indices = matrix.indices.astype(np.int32)
    return matrix
