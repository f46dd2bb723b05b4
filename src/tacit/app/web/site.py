"""What every page is made from: the ledger, the record of the run, and who works on it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tacit.report.record import RunRecord, read_record

if TYPE_CHECKING:
    from tacit.review.ledger import Ledger


class Working(Protocol):
    """Whoever learns behind the pages, as they see it."""

    def status(self) -> dict[str, Any]:
        """What it does now: "state" is working, done or failed, "line" says it in words."""
        ...

    def finish(self) -> None:
        """Ask nothing more; learn from the answers that there are."""
        ...

    def wake(self) -> None:
        """Something was answered or taken back: go on if it has ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One project as the pages show it."""

    name: str
    ledger: Ledger
    record_file: Path | None = None  # a RunRecord as JSON, or the folder of a run
    budget: int = 0  # questions to people, in all
    read_only: bool = False
    token: str = ""  # in the address that is printed; whoever has it may look and answer
    once: str = ""  # the same, but it lets in only one browser, which other users could see opened
    explainer: Any = None  # a tacit.app.explainer.Explainer
    worker: Working | None = None
    sample: Any = None  # a judging sample, where extractions are judged
    clock: Callable[[], float] = time.time
    origin: str = "http://127.0.0.1:8642"  # the address, without a path, that the server answers to
    first_reviewer: str = "reviewer"  # the name of the first browser
    files: tuple[tuple[str, str], ...] = ()  # what is where, for people: ("ledger", "a/b.sqlite")

    def record(self) -> RunRecord | None:
        """The record of the run as it is now; None while there is none."""
        file = self.record_file
        if file is None:
            return None
        try:
            found = file.stat()
        except OSError:
            return None
        return _record(file, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)
def _record(file: Path, _changed: int, _size: int) -> RunRecord:
    """A record, read once for as long as its file stays as it is."""
    return read_record(file)
