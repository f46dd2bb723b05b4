"""The messages of a run: log-odds, or what is kept of them where all is passed as odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.graph.factor_graph import Floats
from tacit.inference.links import Link
from tacit.inference.odds_of_pairs import (
    Kept,
    Odds,
    add_said,
    can_speak_odds,
    kept_of,
    said_by,
    silent,
)


@dataclass(frozen=True, slots=True)
class Messages:
    """What a later run on the same graph may start from."""

    values: tuple[Kept, ...]  # block by block
    total: Floats | None  # what they add to each log-odds; None: `values` are what is kept of odds


class Spoken:
    """What the factors of some links have said so far; nothing takes memory before it is needed."""

    def __init__(self, links: Sequence[Link], values: Sequence[Floats], *, is_plain: bool) -> None:
        self.links, self.values = links, values
        self.is_plain = is_plain  # sums, and every message counts in full: odds could be passed
        self.kept: list[Kept] | None = None
        self._log_odds: list[Floats] | None = None

    @property
    def log_odds(self) -> list[Floats]:
        """The messages as log-odds, link by link; from here on they are that."""
        if self.kept is not None:
            told = zip(self.links, self.values, self.kept, strict=True)
            self._log_odds, self.kept = [said_by(*one) for one in told], None
        if self._log_odds is None:
            self._log_odds = [link.start() for link in self.links]
        return self._log_odds

    def begin_with(self, start: Messages, beliefs: Floats) -> None:
        """Take up earlier messages, and add them to what is believed; if they fit these links."""
        shapes = [values.shape for values in start.values]
        if start.total is not None:
            if shapes == [link.message_shape for link in self.links]:
                self._log_odds = [values.copy() for values in start.values]
                beliefs += start.total
            return
        fits = shapes == [(2, len(link.potential)) for link in self.links]
        if fits and self.is_plain and can_speak_odds(self.links, self.values):
            self.kept = [values.copy() for values in start.values]
            for link, values, kept in zip(self.links, self.values, self.kept, strict=True):
                add_said(link, values, kept, beliefs)

    def as_odds(self, beliefs: Floats, tolerance: float) -> Odds | None:
        """Go on by odds, in the place of beliefs; None where that would give another answer."""
        if not self.is_plain or not can_speak_odds(self.links, self.values):
            return None
        if self.kept is None and self._log_odds is None:
            self.kept = silent(self.links, self.values, tolerance)
        elif self.kept is None:
            told = zip(self.links, self.values, self.log_odds, strict=True)
            kept = [own for one in told if (own := kept_of(*one)) is not None]
            if len(kept) < len(self.links):
                return None
            self.kept, self._log_odds = kept, None
        return Odds(self.links, self.values, self.kept, beliefs)
