"""Whether networks recognise the texts of the seeds when they do not see the seeds' words.

The seeds say of some texts which label they have. Networks that have not learned from these texts
read them without the words by which the seeds know, and are right or wrong by the seeds' account:
as near to a test on gold as can be had without it. Seeds are wrong now and then, but not more
often for one network than for another. So of two programs the one is better whose networks
recognise more, if the difference is larger than chance makes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import isfinite

import numpy as np

from tacit.data import Task
from tacit.learning.dpl import DPL
from tacit.learning.hidden_words import words_looked_for
from tacit.learning.reading import Reader, evenly_spread, plain_texts
from tacit.learning.votes import Floats
from tacit.logic.program import Program
from tacit.s4.health import SeedSays

MOST = 2000  # texts of the seeds that are read: they tell a difference within a point or so
ROUNDING = 1e-9  # shares that differ by less are the same
LITTLE = 0.02  # of the seeds' texts: of many, chance alone is less than what matters


@dataclass(frozen=True, slots=True)
class Recognition:
    """What networks recognise of the seeds' texts; those of a program are asked once."""

    seed: Program
    says: SeedSays
    task: Task
    functions: tuple[str, ...]
    _by_program: dict[tuple[Program, str], Floats | None] = field(default_factory=dict)

    def share(self, model: DPL) -> float | None:
        """The share of the texts that is recognised, a mean; None where nothing can be read."""
        found = [self._of(model, name) for name in self.functions]
        shares = [float(own.sum()) for own in found if own is not None]
        return sum(shares) / len(shares) if shares else None

    def lost(self, model: DPL, before: DPL, most: float) -> str | None:
        """What is no longer recognised, in words, if it is more than so many standard errors."""
        if not isfinite(most):
            return None  # whatever it is, it may be: nothing need be read
        for name in self.functions:
            then, now = self._of(before, name), self._of(model, name)
            if then is None or now is None:
                continue
            less, error = fall(then, now)
            if less > (max(most * error, LITTLE) if most else ROUNDING):
                return (
                    f"{less:.1%} of the seeds' texts are no longer recognised without their words"
                )
        return None

    def _of(self, model: DPL, name: str) -> Floats | None:
        key = model.program_, name
        if key not in self._by_program:
            self._by_program[key] = recognised(model, self.seed, self.says, self.task, name)
        return self._by_program[key]


def recognised(model: DPL, seed: Program, says: SeedSays, task: Task, name: str) -> Floats | None:
    """Of each text that the seeds speak of, its weight where it is recognised, and else 0.

    All labels that the seeds speak of weigh the same, and all texts together 1. None if instances
    are no plain texts, or the seeds speak of none.
    """
    texts, rows = plain_texts(task, seed.labels[name].domain), says.rows[name]
    if texts is None or not len(rows):
        return None
    some = evenly_spread(np.arange(len(rows)), MOST)
    rows, told = rows[some], says.label[name][some]
    hidden = words_looked_for(task, seed, name)
    reader = Reader(partial(model.log_probs_unseen, function=name), texts, hidden)
    said = reader.log_probs([(rows, ())]).argmax(axis=1)
    labels, of_row, count = np.unique(told, return_inverse=True, return_counts=True)
    return np.asarray((said == told) / (len(labels) * count[of_row]))


def fall(before: Floats, now: Floats) -> tuple[float, float]:
    """How much less is recognised now than before, and the standard error of that difference."""
    change = before - now
    return float(change.sum()), float(np.sqrt((change**2).sum()))
