"""What `tacit grow` has to tell: the program before and after, what was learned, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.app.grow.additions import Addition, Asked, additions, questions

if TYPE_CHECKING:
    from tacit.app.project import Project
    from tacit.learning.dpl import DPL
    from tacit.learning.views import Views
    from tacit.review.ledger import Ledger
    from tacit.s4.estimator import S4

SEEDS, DPL_STAGE, S4_STAGE = "seeds", "DPL", "S4"


@dataclass(frozen=True, slots=True)
class Stage:
    """A way of labelling: by the seeds alone, with a network, and with what was learned."""

    name: str
    rules: int
    coverage: float
    agreement: float | None = None
    remembered: float | None = None
    imbalance: float | None = None
    accuracy: Mapping[str, float] | None = None  # by label function, where there is gold


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowReport:
    """All that `tacit grow` tells."""

    name: str
    file: str
    program: str  # the seeds
    grown: str  # the grown program
    ledger: str
    run: str  # the model
    predictor: str
    functions: tuple[str, ...]  # the label functions
    stages: tuple[Stage, ...]
    rounds: int  # of self-training that hold
    additions: tuple[Addition, ...]  # also those that were taken out
    reason: str  # why self-training ended
    budget: int
    asked: int  # questions that were answered
    waiting: bool  # a question was put and has no answer
    questions: tuple[Asked, ...]
    resumed: int  # events that the ledger had already
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        return asdict(self)


def grow_report(
    project: Project, model: S4, ledger: Ledger, *, shown: Mapping[str, Any]
) -> GrowReport:
    """What there is to tell of a grown model; `shown` are the facts of the command."""
    found = additions(ledger)
    return GrowReport(
        name=project.name,
        file=project.file,
        program=project.program_file,
        functions=tuple(project.program.labels),
        stages=_stages(project, model),
        rounds=sum(not own.rolled_back for own in model.rounds_),
        additions=found,
        reason=model.reason_,
        budget=model.budget,
        asked=model.n_asked_,
        waiting=bool(ledger.pending()),
        questions=questions(ledger),
        **shown,
    )


def _stages(project: Project, model: S4) -> tuple[Stage, ...]:
    """The numbers before and after; those of gold for scoring only."""
    from tacit.s4.health import SeedSays, measure

    start, end = _views(model.start_), _views(model.model_)
    says = SeedSays.of(start)
    before, after = measure(start, says, None), measure(end, says, start)
    n_seeds, n_all = len(model.start_.program_.evidence), len(model.program_.evidence)
    scores = [
        _accuracy(project, {name: own.evidence for name, own in start.items()}),
        _accuracy(project, _posteriors(model.start_)),
        _accuracy(project, _posteriors(model.model_)),
    ]
    return (
        Stage(SEEDS, n_seeds, before.coverage, accuracy=scores[0]),
        *(
            Stage(name, n, own.coverage, own.agreement, own.remembered, own.imbalance, score)
            for name, n, own, score in (
                (DPL_STAGE, n_seeds, before, scores[1]),
                (S4_STAGE, n_all, after, scores[2]),
            )
        ),
    )


def _views(model: DPL) -> dict[str, Views]:
    return {name: model.views(name) for name in model.predictors_}


def _posteriors(model: DPL) -> dict[str, NDArray[np.float64]]:
    """The posteriors of label functions that have a network."""
    posterior = model.posterior_
    by_name = posterior if isinstance(posterior, dict) else {next(iter(model.labels_)): posterior}
    return {name: by_name[name] for name in model.predictors_}


def _accuracy(
    project: Project, posteriors: Mapping[str, NDArray[np.float64]]
) -> dict[str, float] | None:
    """The accuracy of each label function that has gold labels."""
    from tacit.report.metrics import accuracy

    gold = {name: _gold(project, name) for name in posteriors if name in project.gold}
    known = {name: own for name, own in gold.items() if (own >= 0).any()}
    return {name: accuracy(posteriors[name], own) for name, own in known.items()} or None


def _gold(project: Project, name: str) -> NDArray[np.int64]:
    """The true label of each instance, -1 where it is not known."""
    function, known = project.program.labels[name], project.gold[name]
    at = {label: code for code, label in enumerate(function.labels)}
    ids = project.task.instances(function.domain).ids.to_pylist()
    return np.array([at.get(known.get(str(key), ""), -1) for key in ids], dtype=np.int64)
