"""Several reviewers: each browser has a name of its own, and questions of its own."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from tacit.app.web.application import make_app
from tacit.app.web.names import LONGEST, Names, Reviewer, clean_name
from tacit.errors import BadInput
from tests.app.web.visiting import Browser, feature, site_of


def who(browser: Browser) -> str:
    return browser.question()["who"]


def test_browsers_have_different_names_and_questions(tmp_path: Path) -> None:
    app = make_app(site_of(tmp_path, *map(feature, ("superb", "awful", "dull"))))
    ann, other, third = (Browser(app).enter() for _ in range(3))
    assert [who(ann), who(other), who(third)] == ["ann", "ann-2", "ann-3"]
    shown = {own.question()["question"]["feature"] for own in (ann, other, third)}
    assert shown == {"superb", "awful", "dull"}
    assert who(ann) == "ann"  # and stays so


def test_a_browser_keeps_its_name_when_the_server_starts_again(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"))
    app = make_app(site)
    Browser(app).enter().get("/")
    second = Browser(app).enter()
    assert who(second) == "ann-2"
    later = Browser(make_app(site))
    later.cookies.set("tacit-reviewer", second.cookies["tacit-reviewer"])
    later.enter()
    assert who(later) == "ann-2"


def test_a_browser_without_cookies_is_the_first_after_a_restart(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), feature("awful"))
    first = Browser(site).enter()
    assert first.question()["question"]["feature"] == "superb"
    again = Browser(site).enter()  # another server, another browser
    assert who(again) == "ann"
    assert again.question()["question"]["feature"] == "superb"  # the one that was shown before


def test_a_browser_is_not_given_a_name_that_another_has_now(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), feature("awful"))
    before = Browser(site).enter()
    assert who(before) == "ann"
    app = make_app(site)
    fresh = Browser(app).enter()
    assert who(fresh) == "ann"
    back = Browser(app)
    back.cookies.set("tacit-reviewer", before.cookies["tacit-reviewer"])
    back.enter()
    assert who(back) == "ann-2"


def test_a_name_can_be_changed(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"))
    browser = Browser(site).enter()
    page = browser.fill("/name", name="  Zoë \n <b>K.</b>  ")
    assert "You are Zoë &lt;b&gt;K.&lt;/b&gt; now." in page.text
    assert who(browser) == "Zoë <b>K.</b>"
    browser.fill("/answer", question=browser.question()["question"]["id"], choice="pos")
    assert [own.who for own in site.ledger.answers().values()] == ["Zoë <b>K.</b>"]


def test_a_name_is_shared_only_if_asked(tmp_path: Path) -> None:
    app = make_app(site_of(tmp_path, feature("superb")))
    ann, other = Browser(app).enter(), Browser(app).enter()
    ann.get("/")
    page = other.fill("/name", name="ann")
    assert "ann is the name of another browser" in page.text
    assert who(other) == "ann-2"
    other.fill("/name", name="ann", share="yes")
    assert who(other) == "ann"
    assert who(ann) == "ann"


def test_an_empty_name_is_refused(tmp_path: Path) -> None:
    browser = Browser(site_of(tmp_path, feature("superb"))).enter()
    assert browser.fill("/name", name=" \u200b ").status_code == 400
    assert who(browser) == "ann"


@pytest.mark.parametrize("cookie", ["", "!!", "W10=", "bnVsbA==", "WzEsIDJd", "WyJhIiwgIiJd"])
def test_a_spoiled_cookie_is_a_new_browser(tmp_path: Path, cookie: str) -> None:
    app = make_app(site_of(tmp_path, feature("superb")))
    browser = Browser(app)
    browser.cookies.set("tacit-reviewer", cookie)
    browser.enter()
    assert who(browser) in ("ann", "2")  # [1, 2] happens to be a browser and a name


def test_names_are_cleaned() -> None:
    assert clean_name("a\tb\x00c") == "a b c"
    assert len(clean_name("x" * 200)) == LONGEST
    with pytest.raises(BadInput):
        clean_name("\n")


def test_a_cookie_is_read_as_it_was_written() -> None:
    reviewer = Reviewer("id", "Zoë 北")
    assert Reviewer.from_cookie(reviewer.as_cookie()) == reviewer
    assert reviewer.as_cookie().isascii()


def test_a_script_that_keeps_no_name_has_one(tmp_path: Path) -> None:
    app = make_app(site_of(tmp_path, feature("superb")))
    Browser(app).enter().get("/")
    script = Browser(app).enter()
    for _ in range(3):
        script.cookies.delete("tacit-reviewer")
        assert who(script) == "ann-2"


def test_long_names_leave_room_for_a_number() -> None:
    names = Names("x" * LONGEST)
    given = [names.welcome(None, f"session {n}").name for n in range(12)]
    assert len(set(given)) == 12
    assert max(map(len, given)) <= LONGEST


def test_two_browsers_at_once_never_see_the_same_question(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(24)]
    site = site_of(tmp_path, *map(feature, words))
    app = make_app(site)
    seen: dict[str, list[str]] = {}

    def review(browser: Browser) -> None:
        name, csrf = who(browser), browser.csrf()
        while (shown := browser.question()["question"]) is not None:
            seen.setdefault(name, []).append(shown["feature"])
            form = {"csrf": csrf, "question": shown["id"], "choice": "pos"}
            browser.post("/answer", data=form)

    browsers = [Browser(app).enter() for _ in range(2)]
    for browser in browsers:
        browser.get("/")
    threads = [Thread(target=review, args=(browser,)) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(word for own in seen.values() for word in own) == sorted(words)
    assert set(seen) == {"ann", "ann-2"}
    assert len(site.ledger.answers()) == 24
