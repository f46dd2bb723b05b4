"""`tacit report`: what a run has learned, as one file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.console import make_console, print_json, print_note, print_title
from tacit.app.project import require_data
from tacit.app.saved_runs import find_run
from tacit.app.settings import shown
from tacit.app.written_files import file_aside, require_writable
from tacit.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.report.record import RunRecord

REPORT = "report.html"
LONGEST_HEAD = 1000  # bytes of a report in which its mark stands
KINDS = (".html", ".htm", ".md", ".markdown")


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

    require_data(path, "report")
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
    """The record that is meant: a file, the one in a folder, or that of a run."""
    from tacit.report.record import RECORD

    if path.is_file() and path.suffix == ".json":
        return path
    if run is None and (path / RECORD).is_file():
        return path / RECORD
    return find_run(path, run) / RECORD


def _check_out(out: Path) -> None:
    """Refuse what is no report: a folder, another kind of file, something of the user's own."""
    if out.is_dir():
        raise BadInput(f"{out} is a folder", remedy=f"name a file in it: --out {out / REPORT}")
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
    require_writable(out)


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
