"""The chapter's tables on biomedical text: relations across sentences, gene linking, and both.

`python -m benchmarks.bio --data DATA --table re` prints a table; with `--json FILE`, what is
measured is written there as it comes, and a row that the file already has is not run again.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.bio_jobs import Job, Setting, Table
from benchmarks.bio_joint import JOINT
from benchmarks.bio_linking import LINKING
from benchmarks.bio_matching import MATCHING
from benchmarks.bio_relations import RELATIONS
from benchmarks.bio_text import as_text
from benchmarks.dpl import machine
from benchmarks.dpl_options import some_of
from benchmarks.inference import note
from benchmarks.inference_sides import Record
from benchmarks.s4 import reason
from tacit.app.written_files import file_aside

TABLES: dict[str, Table] = {"re": RELATIONS, "el": LINKING, "joint": JOINT, "matching": MATCHING}


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print."""
    options = parse_arguments(arguments)
    report = Report(options.json, quick=options.quick)
    setting = Setting(options.data, options.device, options.seeds, options.quick)
    jobs = {name: TABLES[name].jobs(setting) for name in options.table}
    known = [job.row for own in jobs.values() for job in own]
    wanted = set(known) if options.rows is None else some_rows(options.rows, known)
    for name, own in jobs.items():
        report.add(name, [job for job in own if job.row in wanted])
        print(as_text(TABLES[name], report.rows_of(name)), end="\n\n")
    if options.json == "-":
        print(json.dumps(report.content()))


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """The command line; a quick run has one seed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bio", description=__doc__)
    add = parser.add_argument
    add("--data", type=Path, default=os.environ.get("TACIT_DATA"), help="has bio/; else TACIT_DATA")
    add("--table", type=some_of("table", TABLES), default=tuple(TABLES), help=",".join(TABLES))
    add("--rows", help="names of rows, with commas between")
    add("--json", nargs="?", const="-", metavar="FILE", help="keep figures; nothing: print them")
    add("--device", default="auto", choices=("cpu", "cuda", "auto"), help="of networks")
    add("--seeds", type=int, default=3)
    add("--quick", action="store_true", help="a part of the data, one seed: does it run at all?")
    options = parser.parse_args(arguments)
    if not options.data or not (Path(options.data).expanduser() / "bio").is_dir():
        parser.error("name a folder with bio/ by --data or TACIT_DATA")
    options.data = Path(options.data).expanduser()
    if options.quick:
        options.seeds = 1
    return options


def some_rows(given: str, known: Sequence[str]) -> set[str]:
    """Names of rows with commas between them; a name may have commas itself."""
    found, left = set(), f",{given},"
    for row in sorted(known, key=len, reverse=True):  # "variants, ignore case" before "variants"
        if f",{row}," in left:
            found.add(row)
            left = left.replace(f",{row},", ",")
    if unknown := left.strip(","):
        raise SystemExit(f"no such rows: {unknown}; there are: {', '.join(dict.fromkeys(known))}")
    return found


class Report:
    """What was measured, also in its file."""

    def __init__(self, file: str | None, *, quick: bool = False) -> None:
        self.path = None if file in (None, "-") else Path(str(file))
        self.kind = "quick" if quick else "full"  # a quick run's figures are not a full one's
        self.load_before = os.getloadavg()[0]
        self.rows: list[Record] = []
        if self.path is not None and self.path.exists():
            try:
                self.rows = json.loads(self.path.read_text())["rows"]
            except (ValueError, KeyError, TypeError) as error:
                raise SystemExit(f"{self.path} holds no figures of this benchmark") from error

    def rows_of(self, table: str) -> list[Record]:
        """The rows of one table, one for each seed."""
        own = {"table": table, "kind": self.kind}
        return [row for row in self.rows if own.items() <= row.items()]

    def add(self, table: str, jobs: Iterable[Job]) -> None:
        """Run the jobs whose figures are not known."""
        known = {(row["row"], row["seed"]) for row in self.rows_of(table) if "figures" in row}
        jobs = [job for job in jobs if (job.row, job.seed) not in known]
        for job in jobs:
            job.begin()
        for job in jobs:
            self._run(table, job)

    def _run(self, table: str, job: Job) -> None:
        """Run a job; one that fails is told, and others go on."""
        own = {"table": table, "kind": self.kind, "row": job.row, "seed": job.seed}
        self.rows = [row for row in self.rows if not own.items() <= row.items()]
        note(f"{table}: {job.row}, seed {job.seed} ...")
        begin = perf_counter()
        try:
            row = own | {"figures": dict(job.run())}
        except Exception as why:
            row = own | {"failed": reason(why)}
        row["seconds"] = round(perf_counter() - begin, 2)
        note(f"  {row.get('figures') or row['failed']}, {row['seconds']} s")
        self.rows.append(row)
        if self.path is not None:
            with file_aside(self.path) as file:  # a run that is killed leaves the last one whole
                file.write((json.dumps(self.content(), indent=1) + "\n").encode())

    def content(self) -> Record:
        """Everything, as JSON has it."""
        return {"rows": self.rows, "machine": machine(self.load_before)}


if __name__ == "__main__":
    main()
