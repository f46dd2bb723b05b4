"""Belief propagation: variables and factors tell each other what they believe, until they agree.

Exact on trees, and usually good on graphs with cycles. A sweep lets every factor send once; under
the flooding schedule they all speak before anyone listens, under the sequential one each batch of
factors hears what the batches before it have said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numba
import numpy as np

from tacit.errors import BadInput, Contradiction, MissingExtra, NotFinite
from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats
from tacit.inference.kernels.maths import HARD
from tacit.inference.kernels.sums import add_changes, normalise, normalise_binary
from tacit.inference.links import Measured, Sweep
from tacit.inference.messages import Messages, Spoken
from tacit.inference.odds_of_pairs import Odds, measured
from tacit.inference.potentials import LogPotentials, name_of_variable
from tacit.inference.scores import at_best, most_likely
from tacit.inference.settling import OFTEN, Damping, Settling
from tacit.inference.solution import Solution
from tacit.inference.wires import first_odds_of, odds_of, wires_of

EVERY_MESSAGE = np.ones(1)  # in a variable's sum, each message counts in full
FAVOUR = 1e-8  # log-odds by which one of several equally good states is preferred to others


@dataclass(frozen=True, slots=True, kw_only=True)
class BPConfig:
    """How belief propagation runs."""

    max_sweeps: int = 200  # the chapter saw 2 to 4; a ceiling, not a target
    tolerance: float = 1e-5  # largest change of a log-odds message; marginals are then good to 1e-5
    damping: float = 0.0  # share of the old message kept; raised by itself if sweeps oscillate
    schedule: Literal["flooding", "sequential"] = "flooding"  # the first uses all the cores
    at_least_one: Literal["exact", "noisy_or"] = "exact"  # the second is the chapter's

    def __post_init__(self) -> None:
        if not 0.0 <= self.damping < 1.0:
            raise BadInput(f"damping is {self.damping}", remedy="use a number from 0 up to 1")
        if self.max_sweeps < 1:
            raise BadInput(f"max_sweeps is {self.max_sweeps}", remedy="use 1 or more")
        if self.schedule not in ("flooding", "sequential"):
            raise BadInput(f"schedule is {self.schedule!r}", remedy="flooding or sequential")
        if self.at_least_one not in ("exact", "noisy_or"):
            raise BadInput(f"at_least_one is {self.at_least_one!r}", remedy="exact or noisy_or")


class Passing:
    """Message passing on one graph under one set of potentials."""

    def __init__(
        self,
        graph: FactorGraph,
        potentials: LogPotentials,
        *,
        shares: Sequence[Floats] | None = None,  # by potential; what a message counts in its sum
        maximise: bool = False,
        noisy_or: bool = False,
        start: Messages | None = None,
    ) -> None:
        self.graph = graph
        self.maximise = maximise
        self.log_unary, self.log_values = potentials.unary, potentials.blocks
        log_values = potentials.blocks
        sent = log_values
        if shares is not None:
            sent = tuple(v / share for v, share in zip(log_values, shares, strict=True))
        wires = wires_of(graph, sent, noisy_or=noisy_or)
        self.links = wires.links
        self.values = [link.values(v) for link, v in zip(self.links, sent, strict=True)]
        self.shares = [EVERY_MESSAGE] * len(self.links)
        if shares is not None:
            self.shares = [s[link.potential] for s, link in zip(shares, self.links, strict=True)]
        self.log_odds, self.constant = self._from_unary()
        self.said = Spoken(self.links, self.values, is_plain=shares is None and not maximise)
        if start is not None:
            self.said.begin_with(start, self.log_odds)
        self.settling = Settling(wires.links, wires.stretches, wires.n_components)

    def _from_unary(self) -> tuple[Floats, float]:
        """The log-odds of variables that have heard nothing, and what is constant."""
        log_odds, constant = odds_of(self.graph, self.log_unary)
        for link, values in zip(self.links, self.log_values, strict=True):
            constant += link.add_unary(values, log_odds)
        return log_odds, constant

    @property
    def unary(self) -> Floats:
        """The log-odds of variables that have heard nothing: made anew, for memory is dearer."""
        return self._from_unary()[0]

    @property
    def messages(self) -> list[Floats]:
        """The messages as log-odds, link by link."""
        return self.said.log_odds

    def run(self, config: BPConfig) -> tuple[int, float, bool]:
        """Sweep until messages settle; returns the sweeps, the last residual and if it settled."""
        if not self.links:
            return 0, 0.0, True
        damping = Damping(config.damping)
        odds = None
        if config.schedule == "flooding" and not config.damping:
            odds = self.said.as_odds(self.log_odds, config.tolerance)
        changes = None if odds else self._no_changes(config)
        residual = np.inf
        for sweep in range(1, config.max_sweeps + 1):
            if odds is not None:
                changed = self._sweep_odds(odds)
            else:
                assert changes is not None
                how = Sweep(self.log_odds, changes, damping.share, self.maximise)
                changed = self.sweep(how, sweep)
            residual = max(float(step.max(initial=0.0)) for step in changed)
            settled = residual <= config.tolerance
            if sweep % OFTEN == 0 or settled or sweep == config.max_sweeps:
                self.settling.note(changed, config.tolerance)
            if settled:
                break
            damping.note(sweep, residual)
            if damping.share and odds is not None:  # only log-odds are damped
                odds.end()
                odds, changes = None, self._no_changes(config)
        if odds is not None:
            odds.end()
        return sweep, residual, residual <= config.tolerance

    def _no_changes(self, config: BPConfig) -> Floats:
        """Where messages add their changes: copies of the log-odds, or these themselves."""
        if config.schedule == "sequential":
            return self.log_odds.reshape(1, -1)
        return np.zeros((numba.get_num_threads(), len(self.log_odds)))

    def _sweep_odds(self, odds: Odds) -> list[Floats]:
        changed, total = odds.sweep([self.settling.chunks(at) for at in range(len(self.links))])
        if not np.isfinite(total):
            raise self._not_finite()
        return changed

    def sweep(self, how: Sweep, number: int) -> list[Floats]:
        """Let every factor send once that still moves; returns the largest change in each chunk."""
        at_once = how.changes.base is self.log_odds
        order = -1 if at_once and number % 2 == 0 else 1  # there and back again
        changed = []
        for at, link in enumerate(self.links):
            chunks = np.ascontiguousarray(self.settling.chunks(at)[::order])
            step = link.sweep(self.values[at], self.shares[at], self.messages[at], chunks, how)
            changed.append(step[::order])
        total = self.log_odds.sum() if at_once else add_changes(self.log_odds, how.changes)
        if not np.isfinite(total):
            raise self._not_finite()
        return changed

    def measure(self, *, settled: bool = True) -> tuple[float, Floats, list[Measured]]:
        """What the messages amount to: the log-partition, the marginals, and each block's say."""
        n_slots = numba.get_num_threads()
        marginals, log_sums = np.empty(self.graph.n_states), np.empty(n_slots)
        room = marginals[: len(self.log_odds)]  # to work in, before the marginals take it
        found = [self._measured(at, room, n_slots) for at in range(len(self.links))]
        if settled and min((one.least for one in found), default=0.0) < -HARD / 2:
            self.refuse_contradiction()
        if self.graph.is_binary:
            normalise_binary(self.log_odds, marginals, log_sums)
        else:
            normalise(self.log_odds, self.graph.first_state, marginals, log_sums)
        total = self.constant + float(log_sums.sum()) + sum(one.log_sum for one in found)
        return total, marginals, found

    def _measured(self, at: int, room: Floats, n_slots: int) -> Measured:
        link, values = self.links[at], self.values[at]
        if self.said.kept is not None:
            return measured(link, values, self.said.kept[at], self.log_odds, room, n_slots)
        return link.measure(values, self.shares[at], self.messages[at], self.log_odds, n_slots)

    def result(self) -> Messages:
        """The messages, for a later run; this one is over, and its log-odds are given up."""
        if self.said.kept is not None:
            return Messages(tuple(self.said.kept), None)
        total = np.subtract(self.log_odds, self.unary, out=self.log_odds)
        return Messages(tuple(self.messages), total)

    def _not_finite(self) -> NotFinite:
        first_odds = first_odds_of(self.graph)
        at = int(np.searchsorted(first_odds, np.argmin(np.isfinite(self.log_odds)), "right"))
        return NotFinite(
            f"a message to {name_of_variable(self.graph, at - 1)} is no finite number",
            remedy="this should not happen: please report the graph that does it",
        )

    def refuse_contradiction(self) -> None:
        """Raise if hard evidence alone proves that some hard formula cannot hold.

        Around cycles of hard formulas, soft evidence can grow as strong as hard evidence; so the
        proof is made without any.
        """
        unary = np.where(self.log_unary == -np.inf, -np.inf, 0.0)
        worth = [np.where(np.isinf(v), np.inf, 0.0) for v in self.log_values]
        n_tables = len(self.graph.tables)
        hard = LogPotentials(unary, tuple(worth[:n_tables]), tuple(worth[n_tables:]))
        proof = Passing(self.graph, hard, maximise=True)
        proof.run(BPConfig())
        found = proof.measure(settled=False)[2]
        at = min(range(len(found)), key=lambda i: found[i].least)
        if found[at].least < -HARD / 2:
            raise self._contradiction(at, int(proof.links[at].potential[found[at].least_factor]))

    def _contradiction(self, block: int, potential: int) -> Contradiction:
        weight = int(self.graph.blocks[block].potentials.weight[potential])
        names = self.graph.weight_names
        formula = f"'{names[weight]}'" if names else f"of weight {weight}"
        return Contradiction(
            f"hard formula {formula} cannot hold together with other hard evidence",
            remedy="correct the rows that it is about, or give one of the formulas a finite weight",
        )


def solve_bp(
    graph: FactorGraph,
    potentials: LogPotentials,
    *,
    config: BPConfig = BPConfig(),  # noqa: B008
    maximise: bool = False,
    start: Messages | None = None,
    device: str = "cpu",
) -> Solution:
    """Belief propagation: sum-product, or max-product when the best assignment is wanted."""
    if device != "cpu":
        return _on_device(graph, potentials, config, maximise, start, device)
    noisy_or = config.at_least_one == "noisy_or"
    worth = favouring(potentials) if maximise else potentials
    passing = Passing(graph, worth, maximise=maximise, noisy_or=noisy_or, start=start)
    return solution_of(passing, potentials, *passing.run(config))


def favouring(potentials: LogPotentials) -> LogPotentials:
    """The same potentials with a trace of preference among states.

    Of several best assignments, all variables must then choose the same one.
    """
    trace = FAVOUR * np.random.default_rng(0).random(len(potentials.unary))
    return replace(potentials, unary=potentials.unary + trace)


def _on_device(
    graph: FactorGraph,
    potentials: LogPotentials,
    config: BPConfig,
    maximise: bool,
    start: Messages | None,
    device: str,
) -> Solution:
    try:
        from tacit.inference.device import solve_on_device
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"device={device!r} needs {error.name}", remedy="pip install 'tacit[neural]'"
        ) from error
    return solve_on_device(
        graph, potentials, config=config, device=device, maximise=maximise, start=start
    )


def solution_of(
    passing: Passing, potentials: LogPotentials, sweeps: int, residual: float, converged: bool
) -> Solution:
    """What messages amount to, once they have settled or time is up."""
    graph = passing.graph
    log_partition, marginals, found = passing.measure(settled=converged)
    solution = Solution(
        marginals=marginals,
        tables=tuple(one.holds for one in found[: len(graph.tables)]),
        groups=tuple(one.holds for one in found[len(graph.tables) :]),
        log_partition=log_partition,
        meaning="estimate",
        converged=converged,
        sweeps=sweeps,
        residual=residual,
        residuals=passing.settling.residuals,
        messages=passing.result(),
    )
    if not passing.maximise:
        return solution
    return at_best(graph, potentials, most_likely(graph, marginals), solution)
