"""What a fitted model says of the instances of each label function, and that as a record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from tacit.errors import BadInput
from tacit.learning.described import posteriors
from tacit.learning.dpl import DPL
from tacit.learning.label_model import LabelModel
from tacit.learning.supervision import Supervision
from tacit.learning.votes import Floats, Truths
from tacit.logic.evidence import LabelFunction
from tacit.report.gold_scores import Longs, gold_scores
from tacit.report.record import FunctionRecord

SURENESS_BINS = 20  # of 5% each


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of a label function's instances; arrays are (instances, labels)."""

    posterior: Floats  # by evidence and network: what counts
    evidence: Floats  # by the evidence alone
    network: Floats | None  # by the network alone; None where there is none
    has_evidence: Truths  # (instances)

    @property
    def agrees(self) -> Truths | None:
        """Where evidence and network prefer the same label; None without a network."""
        if self.network is None:
            return None
        return np.asarray(self.evidence.argmax(axis=1) == self.network.argmax(axis=1))


def fitted_evidence(model: DPL) -> LabelModel:
    """The label model of a model that has its data."""
    evidence = model.label_model_
    if not isinstance(evidence, LabelModel):
        raise BadInput(
            "a model that was loaded is without its data, so no record can be made of it",
            remedy="put it back onto its data: on(task)",
        )
    return evidence


def said_by(model: DPL) -> dict[str, Said]:
    """What is said of all instances, by label function."""
    evidence = fitted_evidence(model)
    supervision = Supervision(evidence)
    alone, together = supervision.posterior({}).labels, posteriors(evidence)
    network = {name: softmax(own, axis=1) for name, own in evidence.network_.items()}
    return {
        name: Said(
            together[name],
            alone[name],
            network.get(name),
            supervision.has_evidence(name),
        )
        for name in model.labels_
    }


def function_record(
    function: LabelFunction, said: Said, gold: Longs | None = None
) -> FunctionRecord:
    """The record of one label function."""
    posterior, agrees = said.posterior, said.agrees
    told = None if agrees is None else agrees[said.has_evidence]
    sure = np.minimum(posterior.max(axis=1), 1.0)  # a rounded 1 may lie above
    bins, _ = np.histogram(sure, SURENESS_BINS, (0.0, 1.0))
    return FunctionRecord(
        name=function.name,
        domain=function.domain,
        labels=tuple(function.labels),
        n_instances=len(posterior),
        counts=label_counts(posterior),
        coverage=float(said.has_evidence.mean()),
        agreement=float(told.mean()) if told is not None and len(told) else None,
        sureness=tuple(bins.tolist()),
        gold=None if gold is None else gold_scores(posterior, gold),
    )


def label_counts(posterior: Floats) -> tuple[int, ...]:
    """How many instances have each label as their most probable one."""
    counts = np.bincount(posterior.argmax(axis=1), minlength=posterior.shape[1])
    return tuple(counts.tolist())
