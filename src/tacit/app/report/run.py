"""`tacit report`: what a run has learned, as one file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.batches import file_aside
from tacit.app.console import make_console, print_json, print_note, print_title
from tacit.app.settings import find_settings, read_settings, shown
from tacit.errors import BadFile, BadInput, did_you_mean, listed

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.report.record import RunRecord

RUNS = "runs"  # the folder of a project's runs
REPORT = "report.html"
LONGEST_HEAD = 1000  # bytes of a report in which its mark stands
KINDS = (".html", ".htm", ".md", ".markdown")
_AGAIN = "fit or grow it again with this version of tacit, which writes one"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """What the command line asks for."""

    run: str | None = None
    out: Path | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Reported:
    """What was written."""

    name: str  # of the project
    kind: str  # of the run
    run: str
    out: str
    bytes: int
    opened: bool

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return asdict(self)


def run_report(path: Path, options: ReportOptions, *, as_json: bool) -> int:
    """Write the report and print where it is; mistakes are raised."""
    from tacit.report.record import read_record

    found = find_record(path, options.run)
    out = options.out or found.parent / REPORT
    _check_out(out)
    record = read_record(found)
    text = report_text(record, out)
    with file_aside(out) as file:
        file.write(text)
    opened = options.open and _open(out)
    reported = Reported(
        record.name, record.kind, shown(found.parent), shown(out), len(text), opened
    )
    if as_json:
        print_json({"ok": True, "errors": []} | reported.as_dict())
    else:
        _print_reported(make_console(), reported)
    if options.open and not opened:
        print_note(make_console(stderr=True), f"no browser was found; open it yourself: {out}")
    return 0


def report_text(record: RunRecord, out: Path) -> bytes:
    """The report as a file of this name holds it."""
    if out.suffix.lower() in (".md", ".markdown"):
        from tacit.report.as_markdown import markdown_report

        return markdown_report(record).encode()
    from tacit.report.as_html import html_report

    return html_report(record).encode()


def find_record(path: Path, run: str | None) -> Path:
    """The record that is meant: of the run in a folder, of a run by name, or of the newest."""
    from tacit.report.record import RECORD

    if path.is_file() and path.suffix == ".json":
        return path
    if run is None and _is_run(path):
        return path / RECORD
    file = read_settings(find_settings(path))
    folder = Path(file.file(RUNS))
    if run is not None:
        return _named(folder, run) / RECORD
    entries = [own for own in _runs(folder) if (own / RECORD).is_file()]
    if entries:
        return max(entries, key=lambda own: ((own / RECORD).stat().st_mtime_ns, own.name)) / RECORD
    if saved := sorted(own.name for own in _runs(folder)):
        raise BadFile(f"no run in {shown(folder)} has a record: {listed(saved)}", remedy=_AGAIN)
    raise BadFile(
        f"there is no run in {shown(folder)} yet",
        remedy=f"make one with: tacit fit {shown(file.path.parent)}",
    )


def _is_run(folder: Path) -> bool:
    """Whether a folder is a saved run, with a record or without."""
    from tacit.learning.saving import RUN
    from tacit.report.record import RECORD

    return (folder / RECORD).is_file() or (folder / RUN).is_file()


def _runs(folder: Path) -> list[Path]:
    """The runs in a folder; those half written have names with a dot."""
    entries = folder.iterdir() if folder.is_dir() else ()
    return [own for own in entries if own.name[0] != "." and _is_run(own)]


def _named(folder: Path, run: str) -> Path:
    """The folder of a run by its name in `runs`, or by its path."""
    for own in (folder / run, Path(run)):
        if _is_run(own):
            return own
    names = sorted(own.name for own in _runs(folder))
    known = f"; there are: {listed(names)}" if names else ""
    raise BadInput(
        f"there is no run '{run}' in {shown(folder)}{known}", remedy=did_you_mean(run, names)
    )


def _check_out(out: Path) -> None:
    """Refuse what is no report: a folder, another kind of file, something of the user's own."""
    if out.is_dir():
        raise BadInput(f"{out} is a folder", remedy=f"name a file in it: --out {out / REPORT}")
    if file := next((own for own in out.parents if own.is_file()), None):
        raise BadInput(f"{file} is a file, not a folder", remedy="name another: --out FILE")
    if out.suffix.lower() not in KINDS:
        raise BadInput(
            f"{out} has the ending '{out.suffix}', and a report is HTML or Markdown",
            remedy="end its name in .html or .md",
        )
    if out.exists() and not _is_report(out):
        raise BadInput(
            f"{out} is there already, and was not written by tacit report",
            remedy="write the report to another file: --out FILE",
        )


def _is_report(path: Path) -> bool:
    """Whether a file is a report, which may be replaced."""
    from tacit.report.wording import MARK

    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK.encode() in file.read(LONGEST_HEAD)


def _open(out: Path) -> bool:
    """Show a file in the user's browser, if there is one."""
    import webbrowser

    return webbrowser.open(out.absolute().as_uri())


def _print_reported(console: Console, reported: Reported) -> None:
    """Where the report is."""
    from rich.text import Text

    print_title(console, reported.name, reported.run)
    size = f"{max(1, round(reported.bytes / 1024)):,} kB"
    done = f"Report of tacit {reported.kind} in {reported.out}: {size}."
    console.print(Text(done, style="bold green"), soft_wrap=True)
