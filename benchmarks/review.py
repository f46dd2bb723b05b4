"""How long a reviewer waits: from the press of a key to the next question on the screen.

`python -m benchmarks.review` starts `tacit review` with its worker on 25,000 texts and answers by
keyboard in Chromium; with `--json` the last line is one JSON object. Only questions are measured
whose successor was ready: waiting for a fit is waiting for learning, not for the page.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.inference import note
from benchmarks.review_project import drawn_texts, imdb_texts, write_project
from tools.browser import Complaints, chromium
from tools.review_server import ReviewServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

Record = dict[str, Any]
GOAL_MS = 150.0  # at the 95th percentile
N_DOCUMENTS, N_QUESTIONS = 25_000, 60
WARM_UP = 3  # answers before those that count: a browser compiles what it runs often
LONG_MS = 1_200_000
MEANINGS = {
    "page_ms": "from the key to the next question being painted, in the browser",
    "server_ms": "of that, from the request to the whole answer: written to disk, next one found",
    "reload_ms": "the page of a question alone, asked for again",
    "first_question_s": "from the command to the first question: reading, and the first fit",
    "waited_s": "in all, for fits: time in which no next question was ready",
}

# Notes when a key is pressed, and when what it brings has been painted: behind the frame that shows
# it, since a task that a frame's callback posts runs after that frame.
CLOCK = """() => {
    window.measured = [];
    const asked = () => document.querySelector("#answers input[name=question]")?.value ?? null;
    let begun = 0, before = null;
    addEventListener("keydown", () => { begun = performance.now(); before = asked(); }, true);
    new MutationObserver(() => {
        if (!begun || asked() === null || asked() === before) return;
        const start = begun;
        begun = 0;
        requestAnimationFrame(() => {
            const behind = new MessageChannel();
            behind.port1.onmessage = () => measured.push(performance.now() - start);
            behind.port2.postMessage(0);
        });
    }).observe(document.getElementById("main"), { childList: true, subtree: true });
}"""
SERVED = """() => performance.getEntriesByType("resource")
    .filter(own => own.initiatorType === "fetch" && new URL(own.name).pathname === "/answer")
    .map(own => own.responseEnd - own.startTime)"""
RELOADED = """async () => {
    const begun = performance.now();
    await (await fetch("/")).text();
    return performance.now() - begun;
}"""


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print."""
    options = _parsed(arguments)
    report = measure(options)
    print(as_text(report))
    if options.json:
        print(json.dumps(report))


def measure(options: argparse.Namespace) -> Record:
    """All figures."""
    load = os.getloadavg()[0]
    n = options.documents
    texts = imdb_texts(options.data, n) if options.data else drawn_texts(n)
    with TemporaryDirectory(prefix="tacit-review-") as folder:
        project = Path(folder) / "reviews"
        write_project(project, texts)
        note(f"{len(texts):,} texts are written; the first fit begins")
        figures = _answered(project, options.questions)
    return {
        "documents": len(texts),
        "texts": "imdb" if options.data else "drawn",
        **figures,
        "goal_ms": GOAL_MS,
        "is_reached": figures["page_ms"]["p95"] < GOAL_MS,
        "machine": {
            "cores": os.cpu_count(),
            "load_average": {"before": load, "after": os.getloadavg()[0]},
            "python": platform.python_version(),
        },
        "meanings": MEANINGS,
    }


def _answered(project: Path, n_questions: int) -> Record:
    """Answer questions by keyboard, and time each."""
    total = WARM_UP + n_questions
    begun = time.perf_counter()
    complaints = Complaints()
    with (
        ReviewServer(project, "--budget", str(total + 1), "--predictor", "linear") as server,
        chromium() as browser,
    ):
        context = browser.new_context(viewport={"width": 1200, "height": 900})
        context.set_default_timeout(LONG_MS)
        complaints.listen(context)
        page = context.new_page()
        page.goto(server.address)
        page.wait_for_selector("#page[data-state=question]")
        first = time.perf_counter() - begun
        note(f"the first question is there after {first:.0f} s")
        page.evaluate(CLOCK)
        waited = 0.0
        for number in range(total):
            waited += _wait_until_ready(page)
            page.keyboard.press("12r"[number % 3])
            page.wait_for_function("n => window.measured.length > n", arg=number)
        painted, served = page.evaluate("measured"), page.evaluate(SERVED)
        reloaded = [page.evaluate(RELOADED) for _ in range(20)]
        context.close()
    if complaints.heard:
        raise RuntimeError(f"the page complained: {complaints.heard}")
    return {
        "page_ms": _summary(painted[WARM_UP:]),
        "server_ms": _summary(served[WARM_UP:]),
        "reload_ms": _summary(reloaded),
        "first_question_s": round(first, 1),
        "waited_s": round(waited, 1),
    }


def _wait_until_ready(page: Page) -> float:
    """Wait until another question stands behind this one; the seconds that it took."""
    begun = time.perf_counter()
    while True:
        state = page.evaluate("() => fetch('/state.json').then(answer => answer.json())")
        if state["progress"]["waiting"] >= 2:
            return time.perf_counter() - begun
        if state["state"] == "failed":
            raise RuntimeError(f"learning has stopped: {state['worker']}")
        page.wait_for_timeout(100)


def _summary(values: list[float]) -> Record:
    own = np.array(values)
    p50, p95 = np.percentile(own, [50, 95])
    return {
        "n": len(own),
        "p50": round(float(p50), 1),
        "p95": round(float(p95), 1),
        "max": round(float(own.max()), 1),
    }


def as_text(report: Record) -> str:
    """The figures for people."""
    lines = [
        f"{report['documents']:,} texts ({report['texts']}), load {os.getloadavg()[0]:.1f}",
        "",
        f"{'milliseconds':<14}{'n':>6}{'median':>10}{'95%':>10}{'most':>10}",
    ]
    for name in ("page_ms", "server_ms", "reload_ms"):
        own = report[name]
        lines.append(f"{name:<14}{own['n']:>6}{own['p50']:>10}{own['p95']:>10}{own['max']:>10}")
    goal = "reached" if report["is_reached"] else "missed"
    lines += ["", f"first question after {report['first_question_s']} s"]
    lines += [f"waited {report['waited_s']} s for fits, in all"]
    lines += [f"goal: page_ms below {GOAL_MS:.0f} at 95%: {goal}", ""]
    return "\n".join([*lines, *(f"{name}: {told}" for name, told in MEANINGS.items())])


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.review", description=__doc__)
    data = os.environ.get("TACIT_DATA")
    add = parser.add_argument
    add("--documents", type=int, default=N_DOCUMENTS, metavar="N", help="texts")
    add("--questions", type=int, default=N_QUESTIONS, metavar="N", help="answers that are timed")
    add("--data", type=Path, default=Path(data) if data else None, help="IMDb is in text/imdb")
    add("--quick", action="store_true", help="small sizes: does it run?")
    add("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args(arguments)
    if options.quick:
        options.documents, options.questions = 1000, 5
    return options


if __name__ == "__main__":
    main()
