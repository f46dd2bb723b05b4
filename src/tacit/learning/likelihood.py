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

from tacit.learning.lists import Lists
from tacit.learning.patterns import alike
from tacit.learning.votes import Floats, Ints, Longs, Votes

STRETCHES = 16  # of patterns that are summed up at a time, whoever does it
STEEPEST = 500.0  # a rate beyond exp of this would be infinite in the end


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
        chooses = votes.is_many_sided & (not silence_tells)
        self.many_sided = np.flatnonzero(chooses)
        self.is_given = chooses[votes.source_of_event]
        self.choosing = np.ones_like(chooses) if silence_tells else chooses
        self._audiences()

    def _audiences(self) -> None:
        votes = self.votes
        spoke = votes.spoke
        if len(self.many_sided) < votes.n_sources:
            spoke = sparse.csr_array(spoke[:, self.many_sided])
        audiences = alike(spoke)
        self.audience_of_pattern = audiences.of_row
        self.n_of_audience = np.bincount(
            self.audience_of_pattern, votes.n_of_pattern, minlength=len(audiences.first)
        )
        self.listeners = sparse.csr_array(spoke[audiences.first])
        self.sources_of_audience = Lists.of(self.listeners)
        self.audiences_of_source = self.sources_of_audience.turned(len(self.many_sided))

    def seen(self, weights: Floats, bias: Floats) -> tuple[Floats, Floats]:
        """The probability of each label given the votes, by pattern, and the log of their sum."""
        return self.votes.posterior(weights, bias)

    def unseen(self, weights: Floats, log_rate: Floats, bias: Floats) -> Unseen:
        """What is said of labels by the network alone, by audience; nothing standing is in it."""
        from tacit.learning.kernels import add_rows

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
            log_labels = (log_choice.sum(axis=0) + bias)[None, :]
        else:
            chosen = np.log(np.maximum(rates[self.many_sided], 1e-300))
            log_choice[self.many_sided] = chosen
            rates[self.many_sided] = 0.0
            log_labels = np.tile(rates.sum(axis=0) + bias, (len(self.n_of_audience), 1))
            heard = self.sources_of_audience
            add_rows(heard.first, heard.member, chosen, log_labels)
        return Unseen(log_labels, log_rate, log_choice, worth, cells, votes.source_of_event)

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
        found = self.mass_of_parts(posterior)
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
            self.mass_of_labels(posterior) - np.einsum("iy->y", alone),
        )

    def mass_of_parts(self, mass: Floats) -> Floats:
        """For each part, the mass of its label where it is said, in a pattern's instances each."""
        from tacit.learning.kernels import label_mass

        votes, at = self.votes, self.votes.patterns_of_part
        found = np.empty(len(votes.parts.event))
        label_mass(at.first, at.member, votes.parts.label, mass, votes.n_of_pattern, found)
        return found

    def mass_of_labels(self, mass: Floats) -> Floats:
        """The mass of each label, in a pattern's instances each."""
        from tacit.learning.kernels import label_totals

        totals = np.empty((STRETCHES, mass.shape[1]))
        label_totals(mass, self.votes.n_of_pattern, totals)
        return np.asarray(totals.sum(axis=0))

    def reach(self, alone: Floats) -> Floats:
        """For each event, of how many instances with each label its source could have spoken."""
        return self.reach_of_sources(alone)[self.votes.source_of_event]

    def reach_of_sources(self, alone: Floats) -> Floats:
        """Of how many instances with each label each source could have spoken."""
        from tacit.learning.kernels import add_rows

        reach = np.tile(np.einsum("iy->y", alone), (self.votes.n_sources, 1))
        audiences = self.audiences_of_source
        heard = np.zeros((len(self.many_sided), self.votes.n_labels))
        add_rows(audiences.first, audiences.member, alone, heard)
        reach[self.many_sided] = heard
        return reach

    def alone(self, log_labels: Floats) -> tuple[Floats, float]:
        """How many instances have each label by the network alone, and the log-partition."""
        from tacit.learning.kernels import label_shares

        shares, log_total = np.empty_like(log_labels), np.empty(len(log_labels))
        label_shares(log_labels, shares, log_total)
        shares *= self.n_of_audience[:, None]
        return shares, float((self.n_of_audience * log_total).sum())  # see `Apart.seen`

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
