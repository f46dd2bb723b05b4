"""What training in either mode shares: which rows each step sees, and how it tells how it goes."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from torch import Tensor

from tacit.errors import NotFinite
from tacit.predictors.protocol import Longs, Report

BETWEEN_REPORTS = 0.1  # seconds: a report waits for the device


def endless_rows(n_rows: int, batch_size: int, seed: int) -> Iterator[Longs]:
    """Batches without end, all of one size: pass after pass over all rows, each newly shuffled.

    A batch may hold the end of one pass and the begin of the next. Where there are no more rows
    than a batch takes, each batch is all of them.
    """
    rng = np.random.default_rng(seed)
    size = min(batch_size, n_rows)
    waiting = np.zeros(0, dtype=np.int64)
    while True:
        while len(waiting) < size:
            waiting = np.concatenate([waiting, rng.permutation(n_rows)])
        yield waiting[:size]
        waiting = waiting[size:]


def pace(step: int, n_steps: int, warm_up: float) -> float:
    """The share of the full learning rate at a step (from 0): up in a line, then down in a line."""
    rising = warm_up * n_steps
    if step + 1 < rising:
        return (step + 1) / rising
    return (n_steps - step) / max(n_steps - rising + 1, 1)


class Pulse:
    """Tells how training goes, now and then. It reads the loss from the device only to tell."""

    def __init__(self, report: Report | None, n_steps: int) -> None:
        self._report = report
        self._n_steps = n_steps
        self._told = 0
        self._at = time.monotonic()

    def beat(self, step: int, total: Tensor) -> None:
        """After `step` steps: `total` is the sum of losses since the last time, and is emptied."""
        last = step == self._n_steps
        if not last and (self._report is None or time.monotonic() - self._at < BETWEEN_REPORTS):
            return
        loss = float(total.item()) / max(1, step - self._told)
        if not np.isfinite(loss):
            raise NotFinite(
                f"the loss is {loss} after {step} of {self._n_steps} steps",
                remedy="a lower learning rate, or precision='float32'",
            )
        total.zero_()
        self._told, self._at = step, time.monotonic()
        if self._report is not None:
            self._report(step, self._n_steps, loss)
