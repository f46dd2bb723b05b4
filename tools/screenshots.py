"""The pictures of the pages in the documentation: `python -m tools.screenshots`.

It starts `tacit review` on a fresh sample project, answers its questions as an expert would who
knows the true labels, and takes a picture of every page. No picture is made by hand.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tools.browser import Complaints, NoBrowser, chromium, painted
from tools.review_server import ReviewServer, run_tacit
from tools.small_png import small_png

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OUT = Path(__file__).parents[1] / "docs" / "pictures"
DESK, PHONE = {"width": 1100, "height": 760}, {"width": 390, "height": 760}
TALLEST = 1250  # of a picture: what is below the fold is more of the same
MOST_BYTES = 150_000
BUDGET = 10
SURE = 0.75  # the share of a label among texts with a word, from which the expert says yes
LONG_MS = 300_000
PAGES = {
    "results": "/done",
    "history": "/history",
    "evidence": "/evidence",
    "instances": "/instances?find=camera",
    "rounds": "/rounds",
    "scores": "/scores",
    "program": "/program",
    "ledger": "/ledger",
}


@dataclass(frozen=True, slots=True)
class Camera:
    """Takes pictures of pages, into a folder; no page may complain."""

    browser: Browser
    folder: Path
    complaints: Complaints

    def open(self, address: str, size: Mapping[str, int], **settings: Any) -> Page:
        """A page in a browser of its own."""
        context = self.browser.new_context(
            viewport={"width": size["width"], "height": size["height"]}, **settings
        )
        context.set_default_timeout(LONG_MS)
        self.complaints.listen(context)
        page = context.new_page()
        page.goto(address)
        return page

    def take(self, page: Page, name: str) -> None:
        """One picture of a page, whole but for what is far below."""
        painted(page)
        width = page.evaluate("innerWidth")
        height = page.evaluate("document.documentElement.scrollHeight")
        path = self.folder / f"{name}.png"
        clip: Any = {"x": 0, "y": 0, "width": width, "height": min(height, TALLEST)}
        taken = page.screenshot(clip=clip, full_page=True, animations="disabled")
        path.write_bytes(small_png(taken))
        if path.stat().st_size > MOST_BYTES:
            raise RuntimeError(
                f"{path} has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}"
            )
        if self.complaints.heard:
            raise RuntimeError(f"{name}: {self.complaints.heard}")


class Expert:
    """Knows the true label of every review, and so what a word says."""

    def __init__(self, project: Path) -> None:
        self.gold = dict(_rows(project / "data" / "gold.csv"))
        self.texts = {row[0]: row[1].casefold() for row in _rows(project / "data" / "review.csv")}

    def choice(self, question: Mapping[str, Any]) -> str:
        """A label that most texts with the word have, or a rejection."""
        word = str(question["feature"]).casefold()
        own = [self.gold[key] for key, text in self.texts.items() if word in text]
        best = max(set(own), key=own.count)
        return best if own.count(best) >= SURE * len(own) else "reject"

    def judgement(self, question: Mapping[str, Any], label: str) -> str:
        """Whether a review has the label that a system gave it."""
        text = str(question["examples"][0]["text"]).casefold()
        key = next(key for key, own in self.texts.items() if own == text)
        return "right" if self.gold[key] == label else "wrong"


def main(arguments: list[str] | None = None) -> int:
    """Make all pictures."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="the folder of the pictures")
    out = parser.parse_args(arguments).out
    out.mkdir(parents=True, exist_ok=True)
    try:
        with chromium() as browser, TemporaryDirectory(prefix="tacit-pictures-") as folder:
            project = Path(folder) / "films"
            run_tacit("new", str(project))
            _ask_about_words(project / "tacit.toml")
            camera = Camera(browser, out, Complaints())
            review(camera, project)
            judge(camera, project)
            report(camera, project)
    except NoBrowser as why:
        print(f"no pictures were made: {why}", file=sys.stderr)
        return 1
    names = sorted(path.name for path in out.glob("*.png"))
    print(f"{len(names)} pictures in {out}: {', '.join(names)}")
    return 0


def review(camera: Camera, project: Path) -> None:
    """The pages of `tacit review`: before, while and after questions are answered."""
    expert = Expert(project)
    with ReviewServer(project, "--budget", str(BUDGET)) as server:
        page = camera.open(server.address, DESK)
        page.wait_for_selector("#page[data-state=question]")
        camera.take(page, "question")
        page.emulate_media(color_scheme="dark")
        camera.take(page, "question-dark")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
        camera.take(page, "question-phone")
        page.set_viewport_size({"width": DESK["width"], "height": DESK["height"]})
        for _ in range(BUDGET):
            page.wait_for_selector("#page[data-state=question]")
            question = _data(page, "/question.json")["question"]
            _answer(page, expert.choice(question))
        page.wait_for_selector("#page[data-state=done]")
        _wait_for_all_instances(page, server.origin)
        for name, path in PAGES.items():
            page.goto(server.origin + path)
            camera.take(page, name)
        page.goto(server.origin + _tied_instance(page))
        camera.take(page, "instance")
        page.context.close()  # before the server, for which it would look in vain


def judge(camera: Camera, project: Path) -> None:
    """The pages on which extractions are judged, blind, and what comes of it."""
    expert, label, n_sample = Expert(project), "pos", 20
    run_tacit("fit", str(project), "--out", str(project / "runs" / "seeds"))
    systems = {"grown": "s4-linear", "seeds": "seeds"}
    options = [f"--judge={name}={project / 'runs' / run}" for name, run in systems.items()]
    options += ["--label", label, "--sample", str(n_sample)]
    with ReviewServer(project, *options) as server:
        page = camera.open(server.address, DESK)
        page.wait_for_selector("#page[data-state=question]")
        camera.take(page, "judging")
        while page.get_attribute("#page", "data-state") == "question":
            question = _data(page, "/question.json")["question"]
            _answer(page, expert.judgement(question, label))
        page.goto(f"{server.origin}/sample")
        camera.take(page, "sample")
        page.context.close()


def report(camera: Camera, project: Path) -> None:
    """The report, opened from disk."""
    file = project / "report.html"
    run_tacit("report", project.name, "--run", "s4-linear", "--out", str(file), cwd=project.parent)
    page = camera.open(file.as_uri(), DESK)
    camera.take(page, "report")
    page.context.close()


def _answer(page: Page, choice: str) -> None:
    """Answer by mouse, and wait until the question is gone."""
    question = "#answers input[name=question]"
    before = page.get_attribute(question, "value")
    page.click(f'#answers button[value="{choice}"]')
    gone = f'old => document.querySelector("{question}")?.value !== old'
    page.wait_for_function(gone, arg=before)


def _data(page: Page, path: str) -> Any:
    """The JSON twin of a page."""
    return page.evaluate("path => fetch(path).then(answer => answer.json())", path)


def _wait_for_all_instances(page: Page, origin: str) -> None:
    """The run is loaded when its instances are first looked at."""
    page.goto(f"{origin}/instances")
    page.wait_for_function("() => !document.querySelector('#results[data-loading]')")


def _tied_instance(page: Page) -> str:
    """An instance that others have a say in, and words too."""
    found = "/instances"
    for row in _data(page, "/instances.json?order=row")["rows"]:
        data = _data(page, f"{row['href']}.json")
        if len(data["neighbours"]) >= 2 and data["spans"]:
            return str(row["href"])
        found = row["href"] if data["spans"] else found
    return found


def _ask_about_words(settings: Path) -> None:
    """Questions about words say more in a picture than those about names of things."""
    text = settings.read_text(encoding="utf-8")
    changed = text.replace("# relations = []", 'relations = ["token"]')
    if changed == text:
        raise RuntimeError(f"{settings} has no line '# relations = []'")
    settings.write_text(changed, encoding="utf-8")


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


if __name__ == "__main__":
    sys.exit(main())
