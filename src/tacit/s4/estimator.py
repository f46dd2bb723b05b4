"""S4 as an estimator: a seed program in, a larger program and a trained network out."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from tacit.data import Task
from tacit.errors import BadInput
from tacit.learning.checkpoints import AnotherRun, remove_checkpoint
from tacit.learning.dpl import DPL
from tacit.learning.em import Progress as Training
from tacit.learning.given_predictors import Given, predictors_of
from tacit.learning.votes import Floats
from tacit.logic.evidence import Evidence
from tacit.logic.program import Program
from tacit.predictors.protocol import Predictor, first_stage_of
from tacit.proposals.frequency import Frequency
from tacit.review.ledger import Ledger
from tacit.review.reviewers import Reviewer
from tacit.s4.book import Book
from tacit.s4.config import DEFAULT, Ask, S4Config, Score, WarmStart
from tacit.s4.health import Health
from tacit.s4.loop import grow
from tacit.s4.run import BeforeFit, Progress, Run
from tacit.s4.standing import Round

if TYPE_CHECKING:
    from tacit.learning.evidence_table import EvidenceTable
    from tacit.learning.explanation import Explanation


class S4:
    """Learns a network from a few seeds, and new evidence from the network; and asks a person.

    - `predictor`: as of `DPL`.
    - `budget`, `reviewer`: how many questions may be asked, and who answers them.
    - `dpl`: how a program and a network teach each other; a `DPL` whose settings are taken.
    - `final`: another predictor, which learns when all is done, from labels by what has grown and
      what the network that it grew with says: that may be a quick one. A predictor that learns in
      stages (an encoder that is trained along) needs no other: its first stage grows the program.
    - `rounds`, `batch`, `score`, `weight`: of structured self-training: how many rounds at most,
      how many features each adds for a label, how they are chosen, and the weight they start with.
    - `guard`, `borne_out`, `company`, `most_forgotten`, `most_unlearned`, `most_shifted`: what may
      be added, when self-training ends, and when a round is taken back.
    - `warm_start`: whether a larger program begins with what the network has learned before.
    - `pairs`: how many similar pairs of instances a round adds beside its words; needs a predictor
      that was pretrained, such as "transformer".
    - all others: see `S4Config`.

    After `fit`: `program_`, the seeds and all that was added, each line with its origin; `added_`,
    what was added; `model_`, the `DPL` of that program, with `posterior_`, `predictor_` and all
    else that it has; `start_`, the `DPL` of the seeds alone; `rounds_`, `health_`, `reason_`.
    """

    def __init__(
        self,
        predictor: Given = "linear",
        *,
        budget: int = DEFAULT.budget,
        reviewer: Reviewer | None = None,
        dpl: DPL | None = None,
        final: Given = None,
        rounds: int = DEFAULT.rounds,
        batch: int = DEFAULT.batch,
        score: Score = DEFAULT.score,
        weight: float = DEFAULT.weight,
        asked_weight: float = DEFAULT.asked_weight,
        borne_out: float = DEFAULT.borne_out,
        company: float = DEFAULT.company,
        settled: float = DEFAULT.settled,
        ask: Ask = DEFAULT.ask,
        at_once: int = DEFAULT.at_once,
        guard: bool = DEFAULT.guard,
        most_forgotten: float | Literal["auto"] = DEFAULT.most_forgotten,
        most_unlearned: float | Literal["auto"] = DEFAULT.most_unlearned,
        most_shifted: float = DEFAULT.most_shifted,
        warm_start: WarmStart = DEFAULT.warm_start,
        relations: tuple[str, ...] | None = None,
        frequency: Frequency = DEFAULT.frequency,
        conjunctions: int = DEFAULT.conjunctions,
        pairs: int = DEFAULT.pairs,
        random_state: int = 0,
    ) -> None:
        self.predictor = predictor
        self.budget = budget
        self.reviewer = reviewer
        self.dpl = dpl
        self.final = final
        self.rounds = rounds
        self.batch = batch
        self.score = score
        self.weight = weight
        self.asked_weight = asked_weight
        self.borne_out = borne_out
        self.company = company
        self.settled = settled
        self.ask = ask
        self.at_once = at_once
        self.guard = guard
        self.most_forgotten = most_forgotten
        self.most_unlearned = most_unlearned
        self.most_shifted = most_shifted
        self.warm_start = warm_start
        self.relations = relations
        self.frequency = frequency
        self.conjunctions = conjunctions
        self.pairs = pairs
        self.random_state = random_state

    def fit(
        self,
        task: Task,
        program: Program,
        *,
        ledger: str | os.PathLike[str] | Ledger | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
        before_fit: BeforeFit | None = None,
        last_training: Training | None = None,
        clock: Callable[[], float] | None = None,
    ) -> S4:
        """Grow a program from a task's data, without labels.

        With `ledger`, a file, every step is kept there. Called again with the same arguments, it
        goes on where it was; when all is done, it only fits the grown program again.

        Where another predictor learns in the end, that may take longer than all growth. With
        `checkpoint`, a folder, each of its rounds is kept there, as by `DPL.fit`, and
        `last_training` is told of its steps. What was kept of a program that has grown since goes.
        """
        config = self.config()
        growing, final = self._stages(program)
        with ExitStack() as stack:
            if ledger is None:
                folder = stack.enter_context(TemporaryDirectory(prefix="tacit-"))
                ledger = Path(folder) / "ledger.sqlite"
            if not isinstance(ledger, Ledger):
                ledger = stack.enter_context(Ledger(ledger))
            book = Book(ledger, program, task, **({} if clock is None else {"clock": clock}))
            run = Run(
                task,
                self._dpl(growing),
                book,
                config,
                reviewer=self.reviewer,
                progress=progress,
                before_fit=before_fit,
                another_learns_last=final is not None,
            )
            model = grow(run)
            self._keep(run, model)
            if final is not None:
                self.model_ = self._finished(run, model, final, checkpoint, last_training)
        dict(self.model_.predictors_)  # what is kept learns now, not when it is first asked
        return self

    def config(self) -> S4Config:
        """The settings of Algorithm 2, checked."""
        return S4Config(**{field.name: getattr(self, field.name) for field in fields(S4Config)})

    def _stages(self, program: Program) -> tuple[Given, Given]:
        """With what a program grows, and what learns in the end, if that is another.

        The first stage of an encoder takes seconds a round, and is not yet able to learn its labels
        by heart: what grows with it can be trusted when the encoder learns.
        """
        if self.final is not None:
            return self.predictor, self.final
        whole = predictors_of(self.predictor, program, self.random_state)
        found = {name: first_stage_of(own) for name, own in whole.items()}
        first = {name: own for name, own in found.items() if own is not None}
        return (whole | first, whole) if first else (self.predictor, None)

    def _finished(
        self,
        run: Run,
        model: DPL,
        final: Given,
        checkpoint: str | os.PathLike[str] | None,
        progress: Training | None,
    ) -> DPL:
        """What another predictor learns in the end: it begins with what the one that grew says."""
        if run.before_fit is not None:
            run.before_fit(model.program_)
        fit = partial(
            self._dpl(final).fit,
            run.task,
            model.program_,
            said=model.votes(),
            shares={name: own for name, own in run.bounds.items() if name not in run.held},
            first_shares=self.start_.first_shares(),
            checkpoint=checkpoint,
            progress=progress,
        )
        try:
            return fit()
        except AnotherRun:  # the program has grown since, or learns otherwise
            assert checkpoint is not None
            remove_checkpoint(Path(checkpoint))
            return fit()

    def _dpl(self, predictor: Given) -> DPL:
        """A `DPL` with the settings that were given."""
        found = DPL(random_state=self.random_state) if self.dpl is None else self.dpl.clone()
        found.predictor = predictor
        return found

    def _keep(self, run: Run, model: DPL) -> None:
        """Hold what has grown, and how."""
        book = run.book
        self.model_, self.start_ = model, run.fit(book.seed)
        self.program_: Program = model.program_
        seeds = {one.name for one in book.seed.evidence}
        self.added_: tuple[Evidence, ...] = tuple(
            one for one in self.program_.evidence if one.name not in seeds
        )
        self.rounds_: tuple[Round, ...] = book.rounds
        self.health_: tuple[Health, ...] = book.health
        self.reason_: str = book.reason
        self.n_asked_: int = book.n_asked

    @property
    def posterior_(self) -> Floats | dict[str, Floats]:
        """The probability of each label by evidence and network, in instance order."""
        return self._fitted().posterior_

    @property
    def weights_(self) -> dict[str, float]:
        """The weight of each piece of evidence, as learned."""
        return self._fitted().weights_

    @property
    def predictor_(self) -> Predictor:
        """The trained network."""
        return self._fitted().predictor_

    def posterior_on(self, task: Task) -> Floats | dict[str, Floats]:
        """The probability of each label by evidence and network, on another task."""
        return self._fitted().posterior_on(task)

    def predict_proba(self, inputs: Any, function: str | None = None) -> Floats:
        """The probability of each label by the network alone, for new inputs."""
        return self._fitted().predict_proba(inputs, function)

    def predict(self, inputs: Any, function: str | None = None) -> list[str]:
        """The most probable label by the network alone, for new inputs."""
        return self._fitted().predict(inputs, function)

    def explain(self, instance: object, name: str | None = None, **settings: Any) -> Explanation:
        """Why an instance has its label, as a sum of parts; the network is one of them."""
        return self._fitted().explain(instance, name, **settings)

    def analysis(self, gold: Any = None) -> EvidenceTable:
        """One row for each weight: how far its evidence reaches, and how far it is trusted."""
        return self._fitted().analysis(gold)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the grown model for `tacit.load`: a `DPL` with the larger program."""
        self._fitted().save(folder)

    def _fitted(self) -> DPL:
        """What was learned last."""
        if not hasattr(self, "model_"):
            raise BadInput("nothing is learned yet", remedy="call fit(task, program) first")
        return self.model_
