"""Records of runs: made when a project was fitted, and kept up to date while its program grows."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.app.grow.additions import additions, as_dicts, questions
from tacit.app.written_files import file_aside
from tacit.errors import BadFile
from tacit.review.questions import SKIP

if TYPE_CHECKING:
    from tacit.app.project import Project
    from tacit.learning.dpl import DPL
    from tacit.report.gold_scores import Gold
    from tacit.report.record import RunRecord
    from tacit.report.record_of import About
    from tacit.report.recording import Recorder
    from tacit.review.ledger import Ledger
    from tacit.s4.estimator import S4
    from tacit.s4.health import Health

BEGAN = "began"  # among the facts: when the ledger's run began, which tells it from all others


@dataclass(frozen=True, slots=True)
class Start:
    """When a command began, and how it was typed."""

    when: float = field(default_factory=time.time)  # seconds since 1970, UTC
    command: str = field(default_factory=lambda: command_line(sys.argv))
    _clock: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """How long ago that was."""
        return time.perf_counter() - self._clock


def command_line(argv: Sequence[str]) -> str:
    """A command as it was typed, without the folder of its program."""
    program, *rest = argv
    path = Path(program)
    begin = [path.name]
    if path.suffix == ".py" and "tacit" in path.parts:  # a module that was run by its name
        *folders, last = path.with_suffix("").parts
        inside = folders[len(folders) - 1 - folders[::-1].index("tacit") :]
        module = ".".join(inside if last == "__main__" else [*inside, last])
        begin = ["python", "-m", module]
    return shlex.join([*begin, *rest])


def live_record(ledger: Path) -> Path:
    """The record that is kept beside a ledger while its program grows."""
    return ledger.with_suffix(".record.json")


def move_record(ledger: Path, aside: Path) -> None:
    """Let the record beside a ledger go with it, where the ledger was moved aside."""
    with suppress(FileNotFoundError):
        live_record(ledger).rename(live_record(aside))


def write_record(path: Path, record: RunRecord) -> None:
    """Write a record, whole or not at all."""
    from tacit.report.record import record_text

    with file_aside(path) as file:
        file.write(record_text(record).encode())


def fit_record(
    project: Project, model: DPL, kind: str, start: Start, notes: Sequence[str] = ()
) -> RunRecord:
    """The record of a fitted project."""
    from tacit.report.record_of import record_of

    return record_of(model, _about(project, kind, start, _gold(project), notes))


def _about(
    project: Project, kind: str, start: Start, gold: Gold, notes: Sequence[str], **facts: object
) -> About:
    from tacit.report.record_of import About

    return About(
        name=project.name,
        predictor=kind,
        command=start.command,
        when=start.when,
        seconds=start.seconds,
        gold=gold,
        notes=tuple(notes),
        facts=facts,
    )


def _gold(project: Project) -> Gold:
    """The project's true labels, for looking only."""
    from tacit.report.gold_scores import gold_codes

    return gold_codes(project.program, project.task, project.gold)


class GrowRecorder:
    """Records a growing program: `tell` is a progress of S4, `finished` gives the last record.

    After each fit, a record lies beside the ledger. A run that resumes goes on with that record, if
    it is of this ledger; it is made anew where it was lost.
    """

    def __init__(
        self,
        project: Project,
        kind: str,
        ledger: Ledger,
        *,
        seeds: str,
        budget: int = 0,
        start: Start | None = None,
        traced: int | None = None,
    ) -> None:
        """`seeds` is the seed program's text, `traced` as of `record_of`, in the last record.

        Make it before the run begins with the ledger: a new one is known by its being empty.
        """
        self.project, self.kind, self.ledger = project, kind, ledger
        self.seeds, self.budget, self.traced = seeds, budget, traced
        self.start = start or Start()
        self.path = live_record(ledger.path)
        self.recorder = self._recorder()

    def tell(self, n_fits: int, health: Health, model: DPL) -> None:
        """A program was fitted: the record beside the ledger tells of it."""
        self.recorder.tell(n_fits, health, model)
        write_record(self.path, self._record(model, traced=0))

    def finished(self, model: S4, notes: Sequence[str] = ()) -> RunRecord:
        """The record of all that has grown, which now also lies beside the ledger."""
        self.recorder.complete(model.start_, model.model_)
        record = self._record(model.model_, notes, traced=self.traced)
        write_record(self.path, record)
        return record

    def _record(
        self, model: DPL, notes: Sequence[str] = (), *, traced: int | None = None
    ) -> RunRecord:
        from tacit.report.record_instances import TRACED
        from tacit.report.record_of import Growth, record_of

        asked = questions(self.ledger)
        payloads = [event.payload for event in self.ledger.history() if event.kind == "health"]
        reasons = [str(own["settled"]) for own in payloads if "settled" in own]
        facts = {
            "budget": self.budget,
            "asked": sum(one.answer != SKIP for one in asked),
            BEGAN: _began(self.ledger),
        }
        growth = Growth(
            recorder=self.recorder,
            seeds=self.seeds,
            additions=tuple(as_dicts(additions(self.ledger))),
            questions=tuple(asdict(one) for one in asked),
            reason=reasons[-1] if reasons else "",
        )
        gold = self.recorder.gold
        about = _about(self.project, self.kind, self.start, gold, notes, **facts)
        return record_of(model, about, growth=growth, traced=TRACED if traced is None else traced)

    def _recorder(self) -> Recorder:
        """One that goes on where the ledger's run was, or begins."""
        from tacit.report.recording import Recorder

        project = self.project
        known = project.program, project.task.fingerprint(), _gold(project)
        try:
            return Recorder(*known, self._before())
        except BadFile:
            return Recorder(*known)  # it only tells what the ledger knows: not worth a refusal

    def _before(self) -> RunRecord | None:
        """The record of this very run; none if its ledger is new, or is another's."""
        from tacit.report.record import read_record

        began = _began(self.ledger)
        if began is None or not self.path.exists():
            return None
        found = read_record(self.path)
        return found if found.facts.get(BEGAN) == began else None


def _began(ledger: Ledger) -> float | None:
    """When the run of a ledger began."""
    history = ledger.history()
    return history[0].stamp.when if history else None
