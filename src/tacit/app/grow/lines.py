"""What `tacit grow` shows while it works: a line for each program that it has fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.app.console import counted, make_console, percent, print_note

if TYPE_CHECKING:
    from rich.progress import Progress

    from tacit.app.grow.progress import Grown
    from tacit.logic.program import Program
    from tacit.review.ledger import Ledger

SEEDS, ANSWERS = "seeds", "answers"
_HEADER = "    round  rules  coverage  agreement  remembered  learned"


class TerminalLines:
    """Lines on the error stream; on a terminal, also a clock that shows that work goes on.

    `elsewhere` is the command with which others answer; without it, the questions are asked here.
    """

    def __init__(self, *, quiet: bool, elsewhere: str | None = None) -> None:
        self.console = make_console(stderr=True)
        self.quiet = quiet and not self.console.is_terminal
        self.elsewhere = elsewhere
        self.clock: Progress | None = None
        self._lines, self._has_told_where = 0, False

    def begin(self, ledger: Ledger, budget: int) -> None:
        """Show that work goes on."""
        self.start_clock("fitting the rules as they are")

    def fitting(self, program: Program) -> None:
        """Show that nobody is waited for."""
        if self._has_told_where:
            self.start_clock("learning from the answers; others may go on answering")

    def grown(self, grown: Grown) -> None:
        """A line of what was learned."""
        if not self.quiet:
            self._print(_line(grown))
        self.start_clock("learning more")

    def learning(self, done: int, total: int, what: str) -> None:
        """Show how far the last training is."""
        if self.clock is not None:
            self.clock.update(
                self.clock.task_ids[0],
                description=f"learning from all that has grown, {done / total:.0%}: {what}",
            )

    def asking(self, n_waiting: int) -> None:
        """Leave the terminal to whoever is asked here; or say where the questions are."""
        if self.elsewhere is None:
            self.stop_clock()
            self._lines = 0  # a question clears the screen
            return
        waiting = f"{counted(n_waiting, 'question')} in the queue"
        if not (self._has_told_where or self.quiet):
            self.stop_clock()
            print_note(self.console, f"{waiting}; answer them with {self.elsewhere}")
        self._has_told_where = True
        self.start_clock(f"waiting for answers: {waiting}")

    def answered(self) -> None:
        """Show that work goes on."""
        if self.elsewhere is None:
            self.start_clock("learning from the answer")

    def left(self) -> None:
        """Show that work goes on, with what there is."""
        self.start_clock("learning from the answers")

    def end(self) -> None:
        """An empty line below the last."""
        self.stop_clock()
        if self._lines:
            self.console.print()

    def start_clock(self, what: str) -> None:
        """Show what goes on."""
        self.stop_clock()
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

    def _print(self, line: str) -> None:
        from rich.text import Text

        if not self._lines:
            self.console.print(Text(_HEADER, style="dim"), no_wrap=True, overflow="ellipsis")
        self._lines += 1
        self.console.print(Text(line), no_wrap=True, overflow="ellipsis")


def _line(grown: Grown) -> str:
    """The latest round, how many rules there are, their health, and those that are new."""
    last = grown.new[-1] if grown.new else None
    name = str(grown.round) if grown.round else SEEDS
    name = ANSWERS if last is not None and last.round is None else name
    health = grown.health
    numbers = (health.coverage, health.agreement, health.remembered)
    told = "".join(f"{percent(n):>{w}}" for n, w in zip(numbers, (10, 11, 12), strict=True))
    words = ", ".join(one.words for one in grown.new)
    return f"  {name:>7}{len(grown.learned):>7}{told}  {words}".rstrip()
