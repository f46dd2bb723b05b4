"""Recording a program as it grows: a snapshot of each program that was fitted, in their order.

What a snapshot tells of labels that flowed from one to another needs the labels of the one before.
A record keeps those of its last snapshot, packed, so that a run that resumes records as if it had
never been interrupted.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tacit.errors import BadFile
from tacit.learning.described import plain, posteriors
from tacit.learning.dpl import DPL
from tacit.learning.identity import program_fingerprint
from tacit.logic.program import Program
from tacit.report.gold_scores import Gold, cross_counts
from tacit.report.metrics import accuracy
from tacit.report.record import RunRecord, Snapshot, Stage
from tacit.report.record_functions import fitted_evidence, label_counts
from tacit.s4.health import Health, SeedSays, measure

Labels = Mapping[str, NDArray[np.int64]]  # by label function, the label of each instance
_PACKED = np.dtype("<u2")


class Recorder:
    """Keeps a snapshot of each program that a run has fitted; its `tell` is a progress of S4.

    It goes on from `before`, a record of the same seed program and data; any other is passed over.
    """

    def __init__(
        self, seed: Program, data: str, gold: Gold | None = None, before: RunRecord | None = None
    ) -> None:
        self.seed, self.gold = seed, gold or {}
        self.snapshots: tuple[Snapshot, ...] = ()
        self.labels: Labels | None = None  # at the last snapshot
        run = program_fingerprint(seed), data
        if before is not None and before.snapshots and run == (before.made.seeds, before.made.data):
            self.snapshots, self.labels = before.snapshots, unpacked(before.last_labels)

    def knows(self, program: Program) -> bool:
        """Whether there is a snapshot of a program."""
        own = program_fingerprint(program)
        return any(one.program == own for one in self.snapshots)

    def tell(self, _n_fits: int, health: Health, model: DPL) -> None:
        """A program was fitted: keep a snapshot of it, unless there is one."""
        if self.knows(model.program_):
            return
        stage, number = stage_of(model.program_, self.seed)
        new = snapshot_of(stage, number, model, health, self.labels, self.gold)
        self.snapshots = (*self.snapshots, new)
        self.labels = labels_of(model)

    def complete(self, start: DPL, end: DPL) -> None:
        """Keep the last program too, and the seeds if nothing was told of this run.

        A run that had ended before it was resumed tells of nothing: its record may have been lost.
        """
        if self.knows(end.program_):
            return
        first = {name: start.views(name) for name in start.predictors_}
        last = {name: end.views(name) for name in end.predictors_}
        seeds = SeedSays.of(first)
        if not self.snapshots:
            self.tell(0, measure(first, seeds, None), start)
        self.tell(0, measure(last, seeds, first), end)


def stage_of(program: Program, seed: Program) -> tuple[Stage, int]:
    """What was done last to a program that grows, by the origin of what it has more."""
    known = {one.name for one in seed.evidence}
    added = [dict(one.origin.facts) for one in program.evidence if one.name not in known]
    if not added:
        return "seeds", 0
    if "round" in added[-1]:
        return "round", int(added[-1]["round"])
    return "answers", sum("round" not in facts for facts in added)


def snapshot_of(
    stage: Stage,
    number: int,
    model: DPL,
    health: Health,
    previous_labels: Labels | None,
    gold: Gold,
) -> Snapshot:
    """A fitted program at one point of its growth."""
    own = posteriors(fitted_evidence(model))
    return Snapshot(
        stage=stage,
        number=number,
        rules=len(model.program_.evidence),
        program=program_fingerprint(model.program_),
        health=plain(health.as_dict()),
        counts={name: label_counts(posterior) for name, posterior in own.items()},
        flow=None
        if previous_labels is None
        else {
            name: cross_counts(previous_labels[name], now, len(model.labels_[name]))
            for name, now in labels_of(model).items()
        },
        accuracy={name: accuracy(own[name], codes) for name, codes in gold.items()} or None,
    )


def labels_of(model: DPL) -> dict[str, NDArray[np.int64]]:
    """The most probable label of each instance, by label function."""
    return {
        name: posterior.argmax(axis=1)
        for name, posterior in posteriors(fitted_evidence(model)).items()
    }


def packed(labels: Labels) -> dict[str, str]:
    """Labels as short texts."""
    return {
        name: base64.b64encode(zlib.compress(own.astype(_PACKED).tobytes())).decode("ascii")
        for name, own in labels.items()
    }


def unpacked(texts: Mapping[str, str]) -> dict[str, NDArray[np.int64]]:
    """The inverse of `packed`."""
    try:
        return {
            name: np.frombuffer(zlib.decompress(base64.b64decode(text)), _PACKED).astype(np.int64)
            for name, text in texts.items()
        }
    except (ValueError, zlib.error) as error:
        raise BadFile(f"the labels in a record are damaged: {error}") from error
