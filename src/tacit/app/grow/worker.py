"""The worker of `tacit review`: it learns in the background while people answer on a page.

    python -m tacit.app.grow.worker PATH --budget 20

It grows a project as `tacit grow --reviewer queue` does. On its output it tells what it does, one
JSON object a line. The line "finish" on its input ends the questions: it learns from the answers
that there are. Where its input ends, whoever started it is gone, and it ends at once.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from tacit.app.choices import Reviewing
from tacit.app.console import counted, flat, warnings_as_notes
from tacit.app.failures import BAD_INPUT, BUG, FINE, INTERRUPTED, is_interrupt
from tacit.app.grow.files import GrowFiles
from tacit.app.grow.run import GrowOptions, GrowSetting, grow_project
from tacit.app.one_at_a_time import holder
from tacit.app.project import load_project, require_data
from tacit.app.records import Start
from tacit.app.settings import find_settings, read_settings
from tacit.errors import TacitError

if TYPE_CHECKING:
    from tacit.app.grow.progress import Grown
    from tacit.app.grow.report import GrowReport
    from tacit.logic.program import Program
    from tacit.review.ledger import Ledger

State = Literal["reading", "fitting", "asking", "finishing", "done", "failed"]
FINISH = "finish"


class WorkerLines:
    """Tells what goes on, one JSON object a line."""

    def __init__(self, output: IO[str]) -> None:
        self.output = output
        names = ("answered", "waiting", "budget", "rules", "learned", "round")
        self.facts: dict[str, Any] = dict.fromkeys(names, 0)
        self.ledger: Ledger | None = None
        self.is_over = False  # nobody is asked any more
        self.learned = ""  # how far the last training is

    def say(self, state: State, text: str, **more: Any) -> None:
        """One line: the state, its words, and the numbers so far."""
        self._count()
        line = {"state": state, "text": text, "time": time.time()} | self.facts | more
        told = json.dumps(line, allow_nan=False)
        try:
            self.output.write(f"{told}\n")
            self.output.flush()
        except BrokenPipeError:
            os._exit(INTERRUPTED)  # nobody reads it any more

    def begin(self, ledger: Ledger, budget: int) -> None:
        """The ledger is there, from which the numbers are read."""
        self.ledger = ledger
        self.facts["budget"] = budget

    def fitting(self, program: Program) -> None:
        """A program is being fitted."""
        self._count()
        self.facts["rules"], n_answered = len(program.evidence), self.facts["answered"]
        answers = f" and {counted(n_answered, 'answer')}" if n_answered else ""
        self.say(self._at_work(), f"learning from your rules{answers}")

    def grown(self, grown: Grown) -> None:
        """A program was fitted."""
        self.facts |= {
            "rules": grown.rules,
            "learned": len(grown.learned),
            "round": grown.round,
            "health": grown.health.as_dict(),
        }
        self.say(self._at_work(), "choosing what comes next", new=[one.words for one in grown.new])

    def learning(self, done: int, total: int, what: str) -> None:
        """The last training goes on: a line for each hundredth of it."""
        if self.learned != (learned := f"{done / total:.0%}"):
            self.learned = learned
            self.say("finishing", f"learning from all that has grown, {learned}")

    def asking(self, n_waiting: int) -> None:
        """Questions wait."""
        self.say("asking", f"{counted(n_waiting, 'question')} waiting for an answer")

    def answered(self) -> None:
        """Nothing is told: if it takes time to go on, a fit begins."""

    def left(self) -> None:
        """No more answers will come."""
        self.is_over = True

    def end(self) -> None:
        """The ledger is about to be closed: keep the numbers."""
        self._count()
        self.ledger = None

    def _count(self) -> None:
        """Read the numbers of the queue."""
        if self.ledger is not None:
            self.facts |= {"answered": self.ledger.n_answered, "waiting": self.ledger.n_pending}

    def _at_work(self) -> State:
        """Whether more questions will follow."""
        budget = self.facts["budget"]
        is_last = self.is_over or (0 < budget <= self.facts["answered"])
        return "finishing" if is_last else "fitting"


def work(path: Path, options: GrowOptions, lines: WorkerLines, stop: Callable[[], bool]) -> None:
    """Grow a project with the answers of a queue, and tell of it; mistakes are raised."""
    lines.say("reading", "reading the project")
    require_data(path, "learn from")
    begun = time.perf_counter()
    file = read_settings(find_settings(path))
    files = GrowFiles.of(file, options.ledger, options.program)
    page = holder(files.ledger, "review")
    setting = GrowSetting(
        show=lines,
        stop=stop,
        what="tacit review",
        address=page.address if page else None,
        start=Start(command=_as_typed(path, options)),
    )
    with warnings_as_notes() as heard:
        report = grow_project(load_project(path), file, files, options, heard, setting)
    report = replace(report, seconds=time.perf_counter() - begun)
    lines.say("done", _summary(report), report=report.as_dict())


def main(arguments: Sequence[str] | None = None) -> int:
    """Work until all is done, and answer an exit code."""
    path, options = _parsed(arguments)
    lines = WorkerLines(_own_output())
    stop = threading.Event()
    threading.Thread(target=_listen, args=(stop,), daemon=True).start()
    try:
        work(path, options, lines, stop.is_set)
    except TacitError as error:
        errors = flat(error)
        told = [one.as_dict() for one in errors]
        lines.say("failed", errors[0].message, remedy=errors[0].remedy, errors=told)
        return BAD_INPUT
    except (Exception, KeyboardInterrupt) as error:
        if is_interrupt(error):
            return INTERRUPTED
        traceback.print_exception(error)
        remedy = "this is a mistake in tacit, not in your files; please report it"
        lines.say("failed", f"{type(error).__name__}: {error}", remedy=remedy, errors=[])
        return BUG
    return FINE


def _own_output() -> IO[str]:
    """The output, for these lines alone: what the user's own code prints goes to the errors."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


def _listen(stop: threading.Event) -> None:
    """Wait for word from whoever started this; end with them."""
    said = b""
    while piece := os.read(0, 4096):  # not sys.stdin: a thread that reads it cannot be left behind
        *whole, said = (said + piece).split(b"\n")
        if FINISH.encode() in map(bytes.strip, whole):
            stop.set()
    os._exit(INTERRUPTED)


def _parsed(arguments: Sequence[str] | None) -> tuple[Path, GrowOptions]:
    parser = argparse.ArgumentParser(prog="python -m tacit.app.grow.worker", description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--budget", type=int)
    parser.add_argument("--predictor")
    parser.add_argument("--rounds", type=int)
    for name in ("--ledger", "--out", "--program"):
        parser.add_argument(name, type=Path)
    given = vars(parser.parse_args(arguments))
    return given.pop("path"), GrowOptions(reviewer=Reviewing.QUEUE, **given)


def _as_typed(path: Path, options: GrowOptions) -> str:
    """The command that does the same without a page."""
    given = {"reviewer": "queue"}
    for name in ("budget", "predictor", "rounds", "ledger", "out", "program"):
        if (value := getattr(options, name)) is not None:
            given[name] = str(value)
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    return shlex.join(["tacit", "grow", str(path), *words])


def _summary(report: GrowReport) -> str:
    learned = sum(one.state == "in force" for one in report.additions)
    return f"{counted(learned, 'rule')} learned; the model is in {report.run}"


if __name__ == "__main__":
    sys.exit(main())
