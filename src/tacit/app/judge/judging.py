"""Judging what systems extracted: `tacit review --judge NAME=FILE`, and the table of precision."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.console import (
    NAME,
    NUMBER,
    Column,
    counted,
    make_console,
    percent,
    print_json,
    print_notes,
    print_table,
    print_title,
)
from tacit.app.judge.runs import run_source
from tacit.app.judge.tables import Columns, Source, extractions_of, file_source, with_parts
from tacit.app.settings import shown
from tacit.errors import BadFile, BadInput, DuplicateName, did_you_mean
from tacit.report.sample_precision import precision_table
from tacit.review.sample_file import judging_questions, read_sample, require_same, sample_path
from tacit.review.sampling import N_SAMPLE, Sample, draw_sample

if TYPE_CHECKING:
    from rich.console import Console

JUDGEMENTS = "judgements.sqlite"  # the ledger, unless another is named


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingOptions:
    """What the command line asks for."""

    judge: tuple[str, ...] = ()  # NAME=FILE or NAME=RUN
    text: str | None = None
    parts: str | None = None  # of the tuple: COLUMN,COLUMN
    id: str | None = None
    probability: str | None = None
    label: str | None = None  # of runs
    function: str | None = None
    sample: int = N_SAMPLE
    seed: int = 0

    @property
    def columns(self) -> Columns:
        """The columns that were named."""
        given = [] if self.parts is None else [part.strip() for part in self.parts.split(",")]
        if "" in given or len(set(given)) < len(given):
            raise BadInput(
                f"--tuple '{self.parts}' does not name columns, each once",
                remedy="separate them by commas: --tuple drug,gene,variant",
            )
        return Columns(text=self.text, parts=tuple(given), id=self.id, probability=self.probability)


@dataclass(frozen=True, slots=True)
class Judging:
    """A sample to be judged, and what deserves a look before."""

    sample: Sample
    notes: tuple[str, ...]


def prepare_judging(options: JudgingOptions) -> Judging:
    """Read what the systems extracted, and draw of each."""
    sources, claim = _sources(options)
    sources = with_parts(sources)
    parts = tuple(part.rpartition(".")[2] for part in sources[0].columns.parts)
    systems = {source.system: extractions_of(source) for source in sources}
    sample = draw_sample(systems, options.sample, options.seed, parts=parts, claim=claim)
    return Judging(sample, tuple(_notes(sources, sample)))


def open_judging(options: JudgingOptions, ledger: Path, *, now: float | None = None) -> Judging:
    """A ledger with the questions of a sample in it: a new one, or one to go on with.

    Without systems, the sample is the one that the ledger began with.
    """
    from tacit.review.ledger import Ledger

    if options.judge:
        judging = prepare_judging(options)
    else:
        judging = Judging(read_sample(sample_path(ledger)), ())
    with Ledger(ledger) as opened:
        judging_questions(judging.sample, opened, now=time.time() if now is None else now)
    return judging


def run_precision(ledger: Path, options: JudgingOptions, *, as_json: bool) -> int:
    """Print the precision of each system, by what was judged so far; mistakes are raised."""
    from tacit.review.ledger import Ledger

    sample = read_sample(sample_path(ledger))
    notes: tuple[str, ...] = ()
    if options.judge:
        judging = prepare_judging(options)
        require_same(sample, judging.sample, ledger)
        notes = judging.notes
    with Ledger(ledger, create=False) as opened:
        table = precision_table(sample, opened)
    if as_json:
        print_json({"ok": True, "errors": [], "ledger": shown(ledger), **table, "notes": notes})
    else:
        print_precision(make_console(), shown(ledger), table, notes)
    return 0


def print_precision(
    console: Console, ledger: str, table: dict[str, Any], notes: Sequence[str]
) -> None:
    """The table, then a line in words for each system."""
    from rich.text import Text

    rows = table["systems"]
    print_title(console, ledger, f"seed {table['seed']}, {table['n']} of each system")
    claimed = any(row["mean_probability"] is not None for row in rows)
    headers = ["judged right", "precision", "interval"]
    headers += ["extracted", "right", "unique", "unique right"]
    headers += ["claims"] * claimed
    columns = [
        Column("system", style=NAME),
        *(Column(h, right=True, style=NUMBER) for h in headers),
    ]
    what = " of ".join(filter(None, [table["claim"], ", ".join(table["parts"])]))
    cells = [[row["system"], *_cells(row, claimed)] for row in rows]
    print_table(
        console, f"Sample precision: {what}" if what else "Sample precision", columns, cells
    )
    for row in rows:
        console.print(Text.assemble((row["system"], NAME), f": {row['words']}"), soft_wrap=True)
    for pair in table["agreement"]:
        console.print(Text(_agreement(pair)), soft_wrap=True)
    console.print()
    print_notes(console, notes)
    left = f"{counted(table['left'], 'question')} left." if table["left"] else "All is judged."
    done = f"{table['answered']:,} of {counted(table['questions'], 'question')} answered. {left}"
    console.print(Text(done, style="bold green"), soft_wrap=True)


def _cells(row: dict[str, Any], claimed: bool) -> Iterator[str]:
    """A row of the table, behind the system's name."""
    interval = row["precision_interval"]
    yield f"{row['right']:,} of {row['judged']:,}"
    yield _percent(row["precision"])
    yield "" if interval is None else f"{100 * interval[0]:.0f} to {100 * interval[1]:.0f} %"
    yield f"{row['extractions']:,}"
    yield _number(row["absolute_recall"])
    yield f"{row['unique_tuples']:,}"
    yield _number(row["unique_recall"])
    if claimed:
        yield _percent(row["mean_probability"])


def _agreement(pair: dict[str, Any]) -> str:
    kappa = "" if pair["kappa"] is None else f" (kappa {pair['kappa']:.2f})"
    common = counted(pair["n"], "extraction")
    return f"{pair['one']} and {pair['other']} agree on {pair['share']:.0%} of {common}{kappa}"


def _percent(share: float | None) -> str:
    return "" if share is None else percent(share)


def _number(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}"


def _sources(options: JudgingOptions) -> tuple[list[Source], str]:
    """The table of each system, and what the runs among them claim of each instance."""
    if not options.judge:
        raise BadInput("no system is given to be judged", remedy="such as --judge mine=mine.csv")
    found: dict[str, Source] = {}
    claims: dict[str, str] = {}
    columns = options.columns
    for given in options.judge:
        name, path = _name_and_path(given)
        if name in found:
            raise DuplicateName(
                f"two systems are called '{name}'", remedy="give each a name of its own"
            )
        if path.is_dir():
            source, chosen = run_source(name, path, columns, options.label, options.function)
            claims[chosen.claim] = name
        else:
            source = file_source(name, path, columns)
        found[name] = source
    if len(claims) > 1:
        raise BadInput(
            f"the runs speak of different things: {', '.join(claims)}",
            remedy="judge one label function at a time: --function NAME",
        )
    if options.label is not None and not claims:
        raise BadInput(
            f"--label {options.label} is for saved runs, and none is given",
            remedy="leave it out: a file holds extractions and nothing else",
        )
    return list(found.values()), next(iter(claims), "")


def _name_and_path(given: str) -> tuple[str, Path]:
    """NAME=FILE taken apart."""
    name, sign, file = given.partition("=")
    name, path = name.strip(), Path(file.strip()).expanduser()
    if not (name and sign and file.strip()):
        raise BadInput(
            f"--judge '{given}' does not say which file and which name",
            remedy=f"write NAME=FILE, such as --judge {Path(given).stem or 'mine'}={given}",
        )
    if not path.exists():
        entries = path.parent.iterdir() if path.parent.is_dir() else ()
        names = [entry.name for entry in entries if not entry.name.startswith(".")]
        raise BadFile(
            f"{path}, the extractions of '{name}', is not there",
            remedy=did_you_mean(path.name, names) or "name a file, or the folder of a saved run",
        )
    return name, path


def _notes(sources: Sequence[Source], sample: Sample) -> Iterator[str]:
    """What was guessed, and what is odd."""
    for source in sources:
        columns = source.columns
        guessed = f"texts from '{columns.text}', the tuple from {', '.join(columns.parts)}"
        ids = f", ids from '{columns.id}'" if columns.id else ", no ids"
        yield f"{source.where}: {guessed}{ids}"
    for system in sample.systems:
        if system.repeated:
            rows = counted(system.repeated, "repeated row")
            yield f"{system.name}: {rows} left out"
        if len(system.drawn) < sample.n:
            yield f"{system.name} has only {counted(system.extractions, 'extraction')}: all drawn"
