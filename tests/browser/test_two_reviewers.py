"""Two browsers on one queue: forty questions, each shown to one of them only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tacit.review import Ledger
from tools.review_server import ReviewServer
from tools.small_sample import make_small_sample

from .asking import by_key, open_review, shown, state_of
from .conftest import Contexts

if TYPE_CHECKING:
    from playwright.sync_api import Page

N_QUESTIONS = 40


def test_forty_questions_and_none_is_shown_twice(tmp_path: Path, contexts: Contexts) -> None:
    project = make_small_sample(tmp_path / "films")
    with ReviewServer(project, "--budget", str(N_QUESTIONS)) as server:
        pages = [contexts().new_page() for _ in range(2)]
        for page in pages:
            open_review(page, server.address)
        names = [page.text_content(".who summary") or "" for page in pages]
        seen = _answered_in_turns(pages)
        for page in pages:
            page.context.close()  # before the server, for which they would look in vain
    every = [key for own in seen for key in own]
    assert len(set(every)) == len(every) == N_QUESTIONS
    assert min(map(len, seen)) >= N_QUESTIONS // 4, "both had their share"
    with Ledger(project / "ledger.sqlite", create=False) as ledger:
        who = {key: answer.who for key, answer in ledger.answers().items()}
        shown_to = [
            (str(event.question), event.stamp.who)
            for event in ledger.history()
            if event.kind == "asked"
        ]
    assert who.keys() == set(every)
    for name, own in zip(names, seen, strict=True):
        assert {who[key] for key in own} == {name.removeprefix("You are ")}
    assert len({key for key, _ in shown_to}) == len(set(shown_to)), "no one saw another's question"


def _answered_in_turns(pages: list[Page]) -> list[list[str]]:
    """Two people answer whatever they are shown; the questions of each."""
    seen: list[list[str]] = [[] for _ in pages]
    while sum(map(len, seen)) < N_QUESTIONS:
        for page, own in zip(pages, seen, strict=True):
            if state_of(page) == "question":
                own.append(shown(page).id)
                by_key(page, "reject")
            else:
                page.wait_for_timeout(50)  # the page looks by itself whether one has come
    return seen
