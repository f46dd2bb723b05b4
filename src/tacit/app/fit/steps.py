"""How far the training of a project's model is, for a progress bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.app.console import percent
from tacit.app.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.learning.dpl import DPL
    from tacit.learning.rounds import Round

STEPS = 1000  # of the progress bar, in each round


def n_trainings(model: DPL, project: Project) -> int:
    """How many predictors learn in a round of a project's model."""
    from tacit.learning.predictor_step import folds_for

    labels = project.program.labels
    return sum(
        folds_for(own, model.folds, len(project.task.instances(labels[name].domain)))
        for name, own in model.predictor.items()
    )


class Steps:
    """Tells a progress bar how far a fit is, from what `DPL.fit` tells."""

    def __init__(self, tell: Callable[[int, int, str], None] | None, n_trainings: int) -> None:
        self.tell, self.n_trainings = tell, max(n_trainings, 1)
        self.seen: list[tuple[int, str]] = []  # the trainings of this round
        self.changed = ""

    def progress(
        self, number: int, rounds: int, what: str, done: int, total: int, loss: float
    ) -> None:
        """So many steps of a training are done."""
        if (number, what) not in self.seen:
            self.seen = [own for own in self.seen if own[0] == number] + [(number, what)]
        in_round = (len(self.seen) - 1 + done / max(total, 1)) / self.n_trainings
        if self.tell is not None:
            of_what = f"{what}, " if self.n_trainings > 1 else ""
            name = f"round {number} of {rounds}: {of_what}loss {loss:.3f}{self.changed}"
            self.tell(round(STEPS * (number - 1 + min(in_round, 1.0))), STEPS * rounds, name)

    def after_round(self, finished: Round) -> None:
        """Remember how many labels changed: it is told with the next round."""
        if finished.number > 1:
            self.changed = f", {percent(finished.changed)} of labels changed"
