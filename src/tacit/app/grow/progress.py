"""What is told while a program grows: of each program that was fitted, to whoever looks on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from tacit.app.grow.additions import Addition, additions, in_force

if TYPE_CHECKING:
    from tacit.learning.dpl import DPL
    from tacit.logic.program import Program
    from tacit.review.ledger import Ledger
    from tacit.s4.health import Health
    from tacit.s4.run import Progress


@dataclass(frozen=True, slots=True)
class Grown:
    """A program that was fitted on the way."""

    rules: int  # of the program, with those of the expert
    learned: tuple[Addition, ...]  # what was added and is in force
    new: tuple[Addition, ...]  # of these, what was not told of before
    health: Health

    @property
    def round(self) -> int:
        """The latest round of self-training whose rules are in force; 0 before the first."""
        return max((one.round for one in self.learned if one.round is not None), default=0)


class Show(Protocol):
    """Where growth is shown: on a terminal, or as lines that another process reads."""

    def begin(self, ledger: Ledger, budget: int) -> None:
        """The rules as they are will be fitted."""

    def fitting(self, program: Program) -> None:
        """A program is being fitted, which takes time."""

    def grown(self, grown: Grown) -> None:
        """A program was fitted."""

    def learning(self, done: int, total: int, what: str) -> None:
        """A network learns that is kept in the end: so many steps are done."""

    def asking(self, n_waiting: int) -> None:
        """So many questions wait for someone's answer."""

    def answered(self) -> None:
        """An answer has come."""

    def left(self) -> None:
        """No more answers will come."""

    def end(self) -> None:
        """All is done, or something went wrong."""


class GrowProgress:
    """Tells of a growing program: to a show, and to `listeners`, each a progress of S4."""

    def __init__(
        self,
        ledger: Ledger,
        heard: list[str],
        show: Show,
        budget: int,
        listeners: Iterable[Progress] = (),
    ) -> None:
        self.ledger, self.heard, self.show, self.budget = ledger, heard, show, budget
        self.listeners = list(listeners)
        self._known = {one.name for one in in_force(additions(ledger))}
        self._heard_of: dict[Program, list[str]] = {}

    def __enter__(self) -> GrowProgress:
        self.show.begin(self.ledger, self.budget)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.show.end()

    def tell(self, n_fits: int, health: Health, model: DPL) -> None:
        """A program was fitted: what it has learned, and how it is."""
        self._heard_of[model.program_] = list(self.heard)
        self.heard.clear()
        found = in_force(additions(self.ledger))
        new = tuple(one for one in found if one.name not in self._known)
        self._known = {one.name for one in found}
        self.show.grown(Grown(len(model.program_.evidence), found, new, health))
        for listener in self.listeners:
            listener(n_fits, health, model)

    def notes_on(self, program: Program) -> list[str]:
        """What the library has warned of when it fitted a program, and since the last line."""
        return list(dict.fromkeys([*self._heard_of.get(program, ()), *self.heard]))
