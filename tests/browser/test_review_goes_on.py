"""`tacit review` with its real worker: twenty questions, an undo, and a kill in between."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tacit.review import Ledger
from tools.review_server import ReviewServer
from tools.small_sample import make_small_sample

from .asking import Shown, by_key, by_mouse, open_review, shown, undo, wait_for
from .conftest import Contexts

if TYPE_CHECKING:
    from playwright.sync_api import Page

BUDGET = "20"


def answer(page: Page, given: dict[str, str], at: int) -> Shown:
    """Answer the next question, by key and by mouse in turn; what was said goes into `given`."""
    wait_for(page, "question")
    question = shown(page)
    choice = (*question.labels, "reject")[at % 3]
    assert question.id not in given, "no question comes twice"
    given[question.id] = choice
    (by_key if at % 2 else by_mouse)(page, choice)
    return question


def test_twenty_answers_survive_a_kill(tmp_path: Path, contexts: Contexts) -> None:
    project = make_small_sample(tmp_path / "films")
    given: dict[str, str] = {}
    with ReviewServer(project, "--budget", BUDGET) as server:
        page = contexts().new_page()
        open_review(page, server.address)
        for at in range(11):
            last = answer(page, given, at)
        undo(page)
        assert shown(page) == last, "what is taken back is asked again"
        del given[last.id]
        before_kill = shown(page)
        page.context.close()
        server.kill()
    assert _answers(project) == given, "all that the page confirmed is on the disk"

    with ReviewServer(project, "--budget", BUDGET) as server:
        page = contexts().new_page()
        assert open_review(page, server.address) == before_kill, "it goes on where it stood"
        for at in range(len(given), 20):
            answer(page, given, at)
        wait_for(page, "done")
        assert page.inner_text(".progress-words").startswith("20 of 20 answered")
    assert _answers(project) == given
    with Ledger(project / "ledger.sqlite", create=False) as ledger:
        history = ledger.history()
        said = [event.question for event in history if event.kind == "answered"]
        assert len(said) == 21
        assert len(set(said)) == 20
        assert sum(event.kind == "undone" for event in history) == 1
        yes = {key for key, choice in given.items() if choice != "reject"}
        added = [event.question for event in ledger.in_force().values() if event.question]
        assert sorted(added) == sorted(yes), "each yes has joined the program, once"


def _answers(project: Path) -> dict[str, str]:
    with Ledger(project / "ledger.sqlite", create=False) as ledger:
        return {key: answer.choice for key, answer in ledger.answers().items()}
