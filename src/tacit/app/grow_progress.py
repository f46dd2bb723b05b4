"""What `tacit grow` tells while it works: a line for each program that it has fitted."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from tacit.app.console import make_console, percent
from tacit.app.grow_additions import Addition, additions, in_force
from tacit.review.reviewers import ReviewerLeft

if TYPE_CHECKING:
    from rich.progress import Progress

    from tacit.learning.dpl import DPL
    from tacit.logic.program import Program
    from tacit.review.ledger import Ledger
    from tacit.review.questions import Answer, Question
    from tacit.review.reviewers import Reviewer
    from tacit.s4.health import Health

SEEDS, ANSWERS = "seeds", "answers"
_HEADER = "    round  rules  coverage  agreement  remembered  learned"


class GrowProgress:
    """Lines on the error stream; on a terminal, also a clock that shows that work goes on."""

    def __init__(self, ledger: Ledger, heard: list[str], *, quiet: bool) -> None:
        self.ledger, self.heard = ledger, heard
        self.console = make_console(stderr=True)
        self.quiet = quiet and not self.console.is_terminal
        self.clock: Progress | None = None
        self._lines = 0
        self._known = {one.name for one in in_force(additions(ledger))}
        self._heard_of: dict[Program, list[str]] = {}

    def __enter__(self) -> GrowProgress:
        self.start_clock("fitting the rules as they are")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop_clock()
        if self._lines:
            self.console.print()

    def tell(self, _n_fits: int, health: Health, model: DPL) -> None:
        """A program was fitted: what it has learned, and how it is."""
        self._heard_of[model.program_] = list(self.heard)
        self.heard.clear()
        found = in_force(additions(self.ledger))
        new = [one for one in found if one.name not in self._known]
        self._known = {one.name for one in found}
        if not self.quiet:
            self._print(_line(found, new, health))
        self.stop_clock()
        self.start_clock("learning more")

    def notes_on(self, program: Program) -> list[str]:
        """What the library has warned of when it fitted a program, and since the last line."""
        return list(dict.fromkeys([*self._heard_of.get(program, ()), *self.heard]))

    def start_clock(self, what: str) -> None:
        """Show that work goes on."""
        if not self.console.is_terminal:
            return
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self.clock = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self.clock.add_task(what, total=None)
        self.clock.start()

    def stop_clock(self) -> None:
        """Leave the terminal to others."""
        if self.clock is not None:
            self.clock.stop()
        self.clock = None

    def head_anew(self) -> None:
        """Print the names of the columns again above the next line."""
        self._lines = 0

    def _print(self, line: str) -> None:
        from rich.text import Text

        if not self._lines:
            self.console.print(Text(_HEADER, style="dim"), no_wrap=True, overflow="ellipsis")
        self._lines += 1
        self.console.print(Text(line), no_wrap=True, overflow="ellipsis")


class Undisturbed:
    """A reviewer who has the terminal to themselves while they are asked."""

    def __init__(self, reviewer: Reviewer, progress: GrowProgress) -> None:
        self.reviewer, self.progress = reviewer, progress

    def ask(self, question: Question) -> Answer:
        """The reviewer's answer."""
        self.progress.stop_clock()
        self.progress.head_anew()  # a question clears the screen
        try:
            answer = self.reviewer.ask(question)
        except ReviewerLeft:
            self.progress.start_clock("learning from the answers")
            raise
        self.progress.start_clock("learning from the answer")
        return answer


def _line(found: tuple[Addition, ...], new: list[Addition], health: Health) -> str:
    """The latest round, how many rules there are, their health, and those that are new."""
    rounds = [one.round for one in found if one.round is not None]
    last = new[-1] if new else None
    name = str(max(rounds)) if rounds else SEEDS
    name = ANSWERS if last is not None and last.round is None else name
    numbers = (health.coverage, health.agreement, health.remembered)
    told = "".join(f"{percent(n):>{w}}" for n, w in zip(numbers, (10, 11, 12), strict=True))
    words = ", ".join(one.words for one in new)
    return f"  {name:>7}{len(found):>7}{told}  {words}".rstrip()
