"""`tacit review`: pages on which people answer the questions of a growing program, or judge."""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.console import make_console, print_note
from tacit.app.fit.settings import predictor_kind
from tacit.app.grow.files import GrowFiles, check_files
from tacit.app.grow.reviewer import user_name
from tacit.app.judge.judging import JUDGEMENTS, JudgingOptions, open_judging, run_precision
from tacit.app.one_at_a_time import only_one
from tacit.app.project import require_data
from tacit.app.records import live_record
from tacit.app.settings import find_settings, read_settings, shown
from tacit.app.web.server import address_of, is_loopback, listen, origin_of, require_web, serve
from tacit.errors import BadFile
from tacit.review.sample_file import sample_path

if TYPE_CHECKING:
    from tacit.app.explain.explainer import Explainer
    from tacit.app.web.site import Site
    from tacit.app.web.worker import Worker
    from tacit.review.ledger import Ledger
    from tacit.review.sampling import Sample

BUDGET = 20  # questions, where neither the command nor tacit.toml says: some ten minutes
WHAT = "tacit review"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """What the command line asks for."""

    budget: int | None = None
    predictor: str | None = None
    host: str = "127.0.0.1"
    port: int | None = None
    opens_browser: bool = True
    read_only: bool = False
    ledger: Path | None = None
    judging: JudgingOptions = field(default_factory=JudgingOptions)
    table: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be served."""

    name: str
    ledger: Path
    again: str  # the command that goes on
    record: Path | None = None
    run: Path | None = None  # the folder of the saved run
    project: Path | None = None
    budget: int = 0
    sample: Sample | None = None
    learning: tuple[str, ...] | None = None  # the arguments of the worker, if there is one
    files: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def run_review(path: Path, options: ReviewOptions, *, as_json: bool) -> int:
    """Serve until stopped; mistakes are raised."""
    judgements = options.ledger or _folder(path) / JUDGEMENTS
    if options.table:
        return run_precision(judgements, options.judging, as_json=as_json)
    require_web()
    is_judging = options.judging.judge or (options.ledger and sample_path(judgements).exists())
    plan = _judging(path, judgements, options) if is_judging else _learning(path, options)
    if options.read_only and not plan.ledger.exists():
        raise BadFile(
            f"there is no ledger {shown(plan.ledger)} to look at", remedy="leave out --read-only"
        )
    _serve(plan, options, as_json=as_json)
    return 0


def _learning(path: Path, options: ReviewOptions) -> Plan:
    """Pages for the questions of a growing program."""
    require_data(path, "learn from")
    file = read_settings(find_settings(path))
    files = GrowFiles.of(file, options.ledger, None)
    check_files(files)
    kind = predictor_kind(file, options.predictor)
    budget = options.budget
    if budget is None:
        budget = int(file.settings.grow.get("budget", BUDGET))
    run = Path(file.file(f"runs/s4-{kind}"))
    live = live_record(files.ledger)
    learning = [str(file.path), "--ledger", str(files.ledger)]
    learning += ["--budget", str(budget), "--predictor", kind]
    return Plan(
        name=file.settings.name or file.path.absolute().parent.name,
        ledger=files.ledger,
        again=f"tacit review {file.project}",
        record=run if options.read_only and not live.exists() else live,
        run=run,
        project=file.path,
        budget=budget,
        learning=None if options.read_only else tuple(learning),
        files=(
            ("ledger", shown(files.ledger)),
            ("grown program", shown(files.grown)),
            ("saved run", shown(run)),
        ),
    )


def _judging(path: Path, ledger: Path, options: ReviewOptions) -> Plan:
    """Pages on which extractions are judged."""
    judging = open_judging(options.judging, ledger)
    return Plan(
        name=ledger.stem,
        ledger=ledger,
        again=f"tacit review {shown(_folder(path))} --ledger {shown(ledger)}",
        sample=judging.sample,
        files=(("judgements", shown(ledger)), ("sample", shown(sample_path(ledger)))),
        notes=judging.notes,
    )


def _serve(plan: Plan, options: ReviewOptions, *, as_json: bool) -> None:
    """Serve a plan's pages, with whoever learns behind them, until someone stops it."""
    from tacit.app.web.application import make_app
    from tacit.review.ledger import Ledger

    token, once = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
    with ExitStack() as stack:
        listening = stack.enter_context(closing(listen(options.host, options.port)))
        origin = origin_of(options.host, listening)
        address = address_of(origin, token)
        stack.enter_context(only_one(plan.ledger, "review", what=WHAT, address=address))
        most = plan.budget or None  # judging has none
        opened = Ledger(plan.ledger, create=not options.read_only, most_answers=most)
        ledger = stack.enter_context(opened)
        stack.callback(_say_how_to_go_on, plan, as_json=as_json)
        worker = _worker(plan, stack)
        explainer = _explainer(plan, stack)
        site = replace(
            _site(plan, options, ledger, worker, explainer),
            token=token,
            once=once,
            origin=origin,
        )
        app = make_app(site)
        _tell(plan, options, address, as_json=as_json)
        if options.opens_browser and _has_a_screen():
            _open_browser(address_of(origin, once))
        with _until_stopped():
            serve(app, listening)


def _site(
    plan: Plan,
    options: ReviewOptions,
    ledger: Ledger,
    worker: Worker | None,
    explainer: Explainer | None,
) -> Site:
    from tacit.app.web.site import Site

    return Site(
        name=plan.name,
        ledger=ledger,
        record_file=plan.record,
        budget=plan.budget,
        read_only=options.read_only,
        worker=worker,
        explainer=explainer,
        sample=plan.sample,
        first_reviewer=user_name(),
        files=plan.files,
    )


def _worker(plan: Plan, stack: ExitStack) -> Worker | None:
    """The process that learns, which ends with the server."""
    from tacit.app.web.worker import Worker

    if plan.learning is None:
        return None
    worker = Worker(plan.learning, failed=_tell_of_failure)
    stack.callback(worker.stop)
    return worker


def _explainer(plan: Plan, stack: ExitStack) -> Explainer | None:
    """The process that explains labels, started when a page first asks for one."""
    from tacit.app.explain.explainer import Explainer

    if plan.project is None or plan.run is None:
        return None
    explainer = Explainer(plan.project, plan.run)
    stack.callback(explainer.close)
    return explainer


@contextmanager
def _until_stopped() -> Iterator[None]:
    """Ctrl-C is how a server is stopped, and no failure; so is a plain `kill`."""

    def stop(_signal: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def _tell(plan: Plan, options: ReviewOptions, address: str, *, as_json: bool) -> None:
    """The address, and how to stop; before, what deserves a look."""
    notes = make_console(stderr=True)
    if not is_loopback(options.host):
        print_note(
            notes,
            f"{options.host} can be reached from other machines. Whoever has the address below can "
            "read and answer, and what is sent is not encrypted",
        )
    for note in plan.notes:
        print_note(notes, note)
    if as_json:
        ready = {"ok": True, "errors": [], "address": address, "ledger": shown(plan.ledger)}
        sys.stdout.write(json.dumps(ready | {"pid": os.getpid()}) + "\n")
        sys.stdout.flush()
    else:
        console = make_console()
        console.print(f"{plan.name} can be reviewed at", style="bold")
        console.print(f"\n  {address}\n", soft_wrap=True)
        console.print("Each browser is a reviewer of its own. Stop with Ctrl-C.", style="dim")


def _open_browser(address: str) -> None:
    """Show a page; its address is in the list of processes, so its token must open only once."""
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _tell_of_failure(status: dict[str, Any]) -> None:
    """What made learning stop; the pages say it too."""
    first = next((own["place"] for own in status["problems"] if own["place"]), "")
    told = f"{first}: {status['line']}" if first else status["line"]
    remedy = f" ({status['remedy']})" if status["remedy"] else ""
    more = f", and {n - 1} more: tacit check" if (n := len(status["problems"])) > 1 else ""
    told = f"learning has stopped: {told}{remedy}{more}. All answers are safe."
    print_note(make_console(stderr=True), told)


def _say_how_to_go_on(plan: Plan, *, as_json: bool) -> None:
    if not as_json:
        told = f"stopped. All answers are in {shown(plan.ledger)}; go on with: {plan.again}"
        print_note(make_console(stderr=True), told)


def _has_a_screen() -> bool:
    """Whether a browser can be shown; without a screen, one in the terminal would take it over."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent
