"""The programs of a run, read from what its ledger added; what was read is not read again."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tacit.learning.identity import fingerprint_of
from tacit.logic.evidence import Declaration, Evidence
from tacit.logic.program import Program
from tacit.review.events import Event

LINES = 65_536  # of a ledger that are read once only: more than a run adds
KEPT = 4  # programs: of now, for questions, before the last round, of what people said

Key = tuple[tuple[int, str], ...]


class Programs:
    """Seed programs with additions. To read and check a long one takes longer than an answer."""

    def __init__(self, seed: Program) -> None:
        self.seed = seed
        self._declares = Program(seed.declarations).show().splitlines()
        self._made: dict[Key, Program] = {(): seed}  # by events, the latest last
        self._fingerprint: tuple[Key, str] | None = None  # the latest

    def of(self, added: Iterable[Event]) -> Program:
        """The seed program with these additions."""
        added = tuple(added)
        key = _key(added)
        found = self._made.pop(key, None)
        if found is None:
            found = Program(self._declarations(added), self.evidence(added))
        self._made[key] = found
        for old in list(self._made)[:-KEPT]:
            del self._made[old]
        return found

    def fingerprint(self, added: Iterable[Event]) -> str:
        """The fingerprint of that program, for which it is neither made nor checked."""
        added = tuple(added)
        key = _key(added)
        if self._fingerprint is None or self._fingerprint[0] != key:
            self._fingerprint = key, fingerprint_of(self._declarations(added), self.evidence(added))
        return self._fingerprint[1]

    def evidence(self, added: Iterable[Event]) -> tuple[Evidence, ...]:
        """The evidence of that program."""
        return (*self.seed.evidence, *map(self.line, added))

    def line(self, added: Event) -> Evidence:
        """An addition, read under the declarations with which it was recorded."""
        lines = [*self._declares, *self._new_declarations(added)]
        return _evidence(str(added.payload["text"]), "\n".join(lines))

    def _declarations(self, added: Iterable[Event]) -> tuple[Declaration, ...]:
        """The declarations of the seed program, and those that additions brought along."""
        new = [line for event in added for line in self._new_declarations(event)]
        every = _declarations("\n".join([*self._declares, *dict.fromkeys(new)]))
        own = self.seed.declarations
        return (*own, *(d for d in every if d not in own))

    def _new_declarations(self, added: Event) -> list[str]:
        return [line for line in added.payload["declarations"] if line not in self._declares]


def _key(added: Iterable[Event]) -> Key:
    # A number alone would not do: what a turn of writing takes back leaves its number to others.
    return tuple((event.sequence, str(event.payload["text"])) for event in added)


@lru_cache(maxsize=LINES)
def _declarations(text: str) -> tuple[Declaration, ...]:
    """Declarations from their program text."""
    return Program.parse(text, source="the ledger").declarations


@lru_cache(maxsize=LINES)
def _evidence(text: str, declared: str) -> Evidence:
    """Evidence from its line of program text."""
    (found,) = Program.parse(f"{declared}\n{text}", source="the ledger").evidence
    return found
