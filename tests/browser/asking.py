"""The page of questions as a person uses it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

LONG_MS = 90_000  # a fit on a busy machine
QUESTION = "#answers input[name=question]"
LEFT = f'old => document.querySelector("{QUESTION}")?.value !== old'


@dataclass(frozen=True, slots=True)
class Shown:
    """A question on a page."""

    id: str
    heading: str
    labels: tuple[str, ...]


def open_review(page: Page, address: str) -> Shown:
    """Come in by the printed address, and wait for the first question."""
    page.goto(address)
    page.wait_for_selector("#page[data-state=question]", timeout=LONG_MS)
    return shown(page)


def shown(page: Page) -> Shown:
    """The question that is shown now."""
    return Shown(
        page.get_attribute(QUESTION, "value") or "",
        page.inner_text("#heading"),
        tuple(own.get_attribute("value") or "" for own in page.query_selector_all("button.offer")),
    )


def by_key(page: Page, choice: str) -> None:
    """Answer by the key that the page names; this question is gone when this returns."""
    key = page.get_attribute(f'#answers button[value="{choice}"]', "data-key")
    _leaving(page, lambda: page.keyboard.press(str(key)))


def by_mouse(page: Page, choice: str) -> None:
    """Answer by a click; this question is gone when this returns."""
    _leaving(page, lambda: page.click(f'#answers button[value="{choice}"]'))


def undo(page: Page) -> None:
    """Take the last answer back; the question before is there when this returns."""
    _leaving(page, lambda: page.keyboard.press("u"))


def wait_for(page: Page, *states: str) -> str:
    """Wait until the page is in one of these states, and tell in which."""
    either = ", ".join(f"#page[data-state={state}]" for state in states)
    page.wait_for_selector(either, timeout=LONG_MS)
    return state_of(page)


def state_of(page: Page) -> str:
    """The state of the page: "question", "waiting", "done" and others."""
    return page.get_attribute("#page", "data-state") or ""


def _leaving(page: Page, act: Callable[[], None]) -> None:
    before = shown(page).id
    act()
    page.wait_for_function(LEFT, arg=before, timeout=LONG_MS)
