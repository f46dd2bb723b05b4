"""The files of a growing program: its ledger, and the program as it has grown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.app.settings import SettingsFile, read_text
from tacit.app.written_files import file_aside
from tacit.errors import BadFile, BadInput
from tacit.logic.evidence import Evidence
from tacit.logic.program import Program
from tacit.logic.show import show_declaration, show_evidence

if TYPE_CHECKING:
    from tacit.app.project import Project

LEDGER, GROWN = "ledger.sqlite", "grown.tacit"
MARK = "# Grown by `tacit grow`"  # how a file begins that may be written anew
_SIDECARS = ("-wal", "-shm")  # what SQLite keeps beside a file in use


@dataclass(frozen=True, slots=True)
class GrowFiles:
    """Where a growing program is kept."""

    seed: Path
    ledger: Path
    grown: Path

    @staticmethod
    def of(file: SettingsFile, ledger: Path | None, grown: Path | None) -> GrowFiles:
        """Those that were asked for, or else beside tacit.toml and beside the seed program."""
        seed = Path(file.file(file.settings.program))
        beside = Path(file.file(LEDGER))
        return GrowFiles(seed, ledger or beside, grown or seed.with_name(GROWN))


def check_files(files: GrowFiles) -> None:
    """Refuse files that must not be written, before anything is learned."""
    grown, ledger = files.grown, files.ledger
    if _same(grown, files.seed):
        raise BadInput(
            f"{grown} is the program that grows, which stays as you wrote it",
            remedy="write the grown program to another file: --program FILE",
        )
    if _same(grown, ledger):
        raise BadInput(
            f"{grown} cannot be both the ledger and the program",
            remedy="name another file: --program FILE",
        )
    if grown.exists() and not (grown.is_file() and _is_grown(grown)):
        raise BadInput(
            f"{grown} is there already, and was not written by tacit grow",
            remedy="write the grown program to another file: --program FILE",
        )
    if not ledger.parent.is_dir():
        raise BadFile(
            f"there is no folder {ledger.parent} for the ledger",
            remedy="make it, or name another file: --ledger FILE",
        )


def move_aside(ledger: Path) -> Path | None:
    """Move a ledger to the first free name, such as ledger-1.sqlite; None if there is none."""
    from tacit.review.ledger import Ledger

    if not ledger.exists():
        return None
    Ledger(ledger).close()  # refuses what is no ledger; SQLite puts all into the one file
    names = (ledger.with_name(f"{ledger.stem}-{n}{ledger.suffix}") for n in count(1))
    aside = next(path for path in names if not path.exists())
    try:
        ledger.rename(aside)
        for end in _SIDECARS:
            beside = ledger.with_name(ledger.name + end)
            if beside.exists():
                beside.rename(aside.with_name(aside.name + end))
    except OSError as error:
        raise BadFile(f"{ledger} cannot be moved aside: {error.strerror or error}") from error
    return aside


@contextmanager
def another_run_is_a_choice(ledger: Path) -> Iterator[None]:
    """Where a ledger is of other rules or data, say what a user of the command can do."""
    try:
        yield
    except BadInput as error:
        if f"the ledger {ledger} is of a run on another" in error.message:
            error.remedy = "tacit grow --fresh begins anew and keeps it, or name another: --ledger"
        raise


def write_grown(files: GrowFiles, project: Project, seed_text: str, grown: Program) -> None:
    """Write the grown program, whole or not at all."""
    with file_aside(files.grown) as file:
        file.write(grown_text(files.seed.name, seed_text, project.program, grown).encode())


def seed_text(files: GrowFiles) -> str:
    """The seed program as it was written, with its comments."""
    return read_text(str(files.seed), files.seed)


def grown_text(name: str, text: str, seed: Program, grown: Program) -> str:
    """The seed program as it was written, and below it all that was added, round by round."""
    known = {one.name for one in seed.evidence}
    added = [one for one in grown.evidence if one.name not in known]
    declared = [show_declaration(d) for d in grown.declarations if d not in seed.declarations]
    lines = [
        f"{MARK} from {name}, and written anew whenever it runs: change {name}, not this file.",
        "",
        text.rstrip("\n"),
        "",
        "",
        f"# Learned, beside what {name} says. Take a rule out: tacit grow --undo NAME",
        *declared,
    ]
    return "\n".join([*lines, *_in_parts(added), ""])


def _in_parts(added: Iterable[Evidence]) -> list[str]:
    """A line for each rule, with a heading for each round and for answers."""
    lines: list[str] = []
    before = ""
    for one in added:
        facts = dict(one.origin.facts)
        by = f"said by {facts['by']}" if "by" in facts else f"proposed by {one.origin.kind}"
        heading = f"round {facts['round']}" if "round" in facts else by
        if heading != before:
            lines += ["", f"# {heading}"]
        before = heading
        lines.append(show_evidence(one))
    return lines


def _is_grown(path: Path) -> bool:
    with path.open("rb") as file:
        return file.readline().startswith(MARK.encode())


def _same(one: Path, other: Path) -> bool:
    """Whether two paths are of one file, there or not."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.absolute() == other.absolute()
