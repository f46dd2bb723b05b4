"""The page of questions in a browser: keys alone, no script at all, hostile texts, phones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.app.web.visiting import feature, of_kind
from tools.browser import Complaints

from .asking import by_key, open_review, shown, undo
from .conftest import Contexts, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = (
    "<script>document.title = 'broken'</script><img src=x onerror=\"document.title='broken'\">"
)
WORDS = ("good", "bad", "odd", "new")
FITS = "document.documentElement.scrollWidth <= innerWidth"


def test_tab_and_enter_are_enough(serve: Serve, page: Page) -> None:
    open_review(page, serve(*map(feature, WORDS)))
    first = shown(page)
    page.keyboard.press("Tab")
    for _ in range(30):
        if page.evaluate("document.activeElement.matches('button.offer')"):
            break
        page.keyboard.press("Tab")
    label = page.evaluate("document.activeElement.value")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "id => document.querySelector('#answers input[name=question]').value !== id", arg=first.id
    )
    assert page.evaluate("document.activeElement.id") == "heading", "focus goes to the new question"
    assert label == first.labels[0]
    assert "Saved" in page.inner_text("#page")


def test_keys_answer_reject_skip_and_undo(serve: Serve, page: Page) -> None:
    open_review(page, serve(*map(feature, WORDS)))
    headings = []
    for choice in ("pos", "reject", "skip"):
        headings.append(shown(page).heading)
        by_key(page, choice)
    assert len(set(headings)) == 3
    last = shown(page)
    undo(page)
    assert shown(page).heading == headings[-1]
    by_key(page, "neg")
    assert shown(page) == last


def test_keys_in_a_note_are_text(serve: Serve, page: Page) -> None:
    open_review(page, serve(*map(feature, WORDS)))
    first = shown(page)
    page.keyboard.press("n")
    page.keyboard.type("1 r s u")
    assert shown(page) == first
    assert page.input_value("#note") == "1 r s u"


def test_a_script_in_a_text_is_text(serve: Serve, page: Page) -> None:
    question = feature("bad", text=f"A bad one: {HOSTILE}")
    address = serve(question, feature(HOSTILE), feature("good"))
    open_review(page, address)
    assert HOSTILE in page.inner_text(".example-text")
    by_key(page, "neg")
    assert HOSTILE in page.inner_text("#heading")
    by_key(page, "reject")
    for path in ("/history", "/ledger"):
        page.goto(address.partition("/?")[0] + path)
        assert HOSTILE in page.inner_text("main")
    assert "broken" not in page.title()


def test_it_works_without_script(serve: Serve, contexts: Contexts) -> None:
    page = contexts(java_script_enabled=False).new_page()
    page.goto(serve(*map(feature, WORDS)))
    seen = []
    for _ in WORDS[:-1]:
        seen.append(page.inner_text("#heading"))
        page.click('#answers button[value="pos"]')
    assert len(set(seen)) == 3
    page.click("button[form=undo]")
    assert page.inner_text("#heading") == seen[-1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_fits_a_phone(serve: Serve, contexts: Contexts, scheme: str) -> None:
    page = contexts(viewport={"width": 360, "height": 740}, color_scheme=scheme).new_page()
    long = "incomprehensibilities" * 8
    kinds = [
        feature("good"),
        feature(long),
        feature("many", tuple(f"label {n}" for n in range(40))),
    ]
    kinds += [of_kind("pair", "one text", long), of_kind("group", "a", "b", long)]
    open_review(page, serve(*kinds))
    for _ in kinds:
        assert page.evaluate(FITS), shown(page).heading
        by_key(page, "skip")


def test_an_answer_that_the_server_refuses_is_not_called_saved(
    serve: Serve, contexts: Contexts, complaints: Complaints
) -> None:
    address = serve(feature("good"))
    page = contexts().new_page()
    open_review(page, address)
    page.evaluate("document.querySelectorAll('[name=csrf]').forEach(own => { own.value = 'x' })")
    page.click('#answers button[value="pos"]')
    page.wait_for_selector("text=too old")
    assert [told for told in complaints.heard if "403" not in told] == []
    complaints.heard.clear()
