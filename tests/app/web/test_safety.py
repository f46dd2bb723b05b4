"""Who gets in, what is refused, and what a browser is told to forbid."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tacit.app.web import forms
from tacit.app.web.application import make_app
from tacit.app.web.safety import Keys, clean_target, is_own_host
from tests.app.web.visiting import ORIGIN, TOKEN, Browser, feature, site_of

PATHS = ("/", "/question.json", "/state.json", "/history", "/history.json", "/done", "/answer")


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(site_of(tmp_path, feature("superb"), feature("awful")))


@pytest.mark.parametrize("path", PATHS)
def test_without_the_token_nothing_is_shown(browser: Browser, path: str) -> None:
    answer = browser.post(path) if path == "/answer" else browser.get(path)
    assert answer.status_code == 403
    assert "superb" not in answer.text
    assert "reviews" not in answer.text  # not even the project's name
    assert "address" in answer.text  # says what to do


def test_the_token_becomes_a_cookie_and_leaves_the_address(browser: Browser) -> None:
    answer = browser.get(f"/history?token={TOKEN}", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/history"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("tacit-8642=")
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert TOKEN not in cookie
    assert browser.get("/history").status_code == 200


def test_the_way_in_keeps_the_id_of_an_instance(browser: Browser) -> None:
    answer = browser.get(f"/instance/f/100%25%20x?token={TOKEN}", follow_redirects=False)
    assert answer.headers["location"] == "/instance/f/100%25%20x"


def test_the_token_of_the_opened_browser_opens_once(tmp_path: Path) -> None:
    app = make_app(site_of(tmp_path, feature("superb"), once="seen-by-others"))
    first, second = Browser(app), Browser(app)
    assert first.get("/?token=seen-by-others").status_code == 200
    assert second.get("/?token=seen-by-others").status_code == 403
    assert first.get("/?token=seen-by-others").status_code == 200  # it has its cookie
    assert second.enter().get("/").status_code == 200  # the printed one opens always


def test_no_empty_token_opens(browser: Browser) -> None:
    assert browser.get("/?token=").status_code == 403


def test_a_second_visit_with_the_token_keeps_the_session(browser: Browser) -> None:
    browser.enter()
    again = browser.get(f"/?token={TOKEN}", follow_redirects=False)
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "é"])
def test_a_wrong_token_is_refused(browser: Browser, token: str) -> None:
    answer = browser.get("/", params={"token": token}, follow_redirects=False)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("cookie", ["", "x", "x.", ".x", "a.b", f"{TOKEN}.{TOKEN}"])
def test_a_made_up_cookie_is_refused(browser: Browser, cookie: str) -> None:
    answer = browser.get("/", headers={"cookie": f"tacit-8642={cookie}"})
    assert answer.status_code == 403


def test_a_cookie_of_another_server_is_refused(browser: Browser) -> None:
    other = Keys("another token", 8642).new_session()
    answer = browser.get("/", headers={"cookie": f"tacit-8642={other}"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8642", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8642.evil", ""],
)
def test_another_host_is_refused_even_with_the_token(browser: Browser, host: str) -> None:
    browser.enter()
    assert browser.get("/", headers={"host": host}).status_code == 403
    told = browser.get(f"/?token={TOKEN}", headers={"host": host}, follow_redirects=False)
    assert told.status_code == 403


@pytest.mark.parametrize(
    ("host", "origin", "own"),
    [
        ("127.0.0.1:8642", ORIGIN, True),
        ("localhost:8642", ORIGIN, True),
        ("LOCALHOST:8642", ORIGIN, True),
        ("[::1]:8642", ORIGIN, True),
        ("localhost:8643", ORIGIN, False),
        ("a@localhost:8642", ORIGIN, False),
        ("localhost:8642/x", ORIGIN, False),
        ("localhost:x", ORIGIN, False),
        ("[::1", ORIGIN, False),
        ("[x]:8642", ORIGIN, False),
        ("192.168.1.7:8642", ORIGIN, False),
        ("192.168.1.7:8642", "http://0.0.0.0:8642", True),
        ("evil.example:8642", "http://0.0.0.0:8642", False),
        ("192.168.1.7:8642", "http://192.168.1.7:8642", True),
        ("192.168.1.8:8642", "http://192.168.1.7:8642", False),
        ("lab.example:8642", "http://lab.example:8642", True),
        ("127.0.0.1", "http://127.0.0.1:80", True),
    ],
)
def test_own_hosts(host: str, origin: str, own: bool) -> None:
    assert is_own_host(host, origin) is own


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("//evil.example/x", "/evil.example/x"),
        ("/\\evil.example", "/evil.example"),
        ("/history", "/history"),
        ("/instance/f/100% a/b", "/instance/f/100%25%20a/b"),
        ("", "/"),
    ],
)
def test_no_redirect_leaves_the_server(path: str, target: str) -> None:
    assert clean_target(path) == target


def test_a_form_needs_its_own_token(browser: Browser) -> None:
    browser.enter()
    question = browser.question()["question"]["id"]
    form = {"question": question, "choice": "pos"}
    for csrf in ({}, {"csrf": ""}, {"csrf": "0" * 64}, {"csrf": TOKEN}):
        assert browser.post("/answer", data=form | csrf).status_code == 403
    assert browser.question()["question"]["id"] == question
    assert browser.fill("/answer", **form).status_code == 200


def test_the_token_of_another_session_is_refused(tmp_path: Path) -> None:
    ann = Browser(site_of(tmp_path, feature("superb"))).enter()
    bob = Browser(ann.app).enter()
    answer = bob.post("/undo", data={"csrf": ann.csrf()})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8643"},
        {"origin": "https://127.0.0.1:8642"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
    ],
)
def test_forms_of_other_sites_are_refused(browser: Browser, headers: dict[str, str]) -> None:
    browser.enter()
    question = browser.question()["question"]["id"]
    form = {"csrf": browser.csrf(), "question": question, "choice": "pos"}
    assert browser.post("/answer", data=form, headers=headers).status_code == 403
    own = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}
    assert browser.post("/answer", data=form, headers=own).status_code == 200


def test_headers_of_every_answer(browser: Browser) -> None:
    refused = browser.get("/")
    browser.enter()
    answers = [refused, browser.get("/"), browser.get("/question.json"), browser.get("/nothing")]
    answers += [browser.get("/static/page.js"), browser.fill("/answer", question="", choice="")]
    answers.append(browser.get(f"/?token={TOKEN}", follow_redirects=False))
    for answer in answers:
        policy = answer.headers["content-security-policy"].split("; ")
        assert policy == [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
    for answer in answers[:4]:
        assert answer.headers["cache-control"] == "no-store"


def test_long_and_malformed_bodies_are_refused(browser: Browser) -> None:
    browser.enter()
    csrf = browser.csrf()
    form = {"content-type": "application/x-www-form-urlencoded"}
    long = f"csrf={csrf}&note={'x' * 70_000}"
    assert browser.post("/answer", content=long, headers=form).status_code == 413
    pieces = (b"x" * 1000 for _ in range(100))  # without a length that could be looked at
    assert browser.post("/answer", content=pieces, headers=form).status_code == 413
    many = "&".join(["a=1"] * 200)
    for body in (b"\xff\xfe", b"csrf=%ff", many.encode()):
        assert browser.post("/answer", content=body, headers=form).status_code == 400
    assert browser.post("/answer", json={"csrf": csrf}).status_code == 400
    files = {"file": ("a.txt", b"text")}
    assert browser.post("/answer", data={"csrf": csrf}, files=files).status_code == 400


def status_of(browser: Browser, receive: Callable[[], Any]) -> int:
    """The answer to a form of which so much arrives."""
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    headers = {
        "host": "127.0.0.1:8642",
        "cookie": cookies,
        "content-type": "application/x-www-form-urlencoded",
    }
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/undo", "query_string": b""}
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(browser.app(scope | {"headers": raw}, receive, send))  # type: ignore[arg-type]
    return int(sent[0]["status"])


def test_a_form_that_does_not_arrive_is_not_waited_for(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.enter()
    kind = {"content-type": "application/x-www-form-urlencoded", "content-length": "1000000"}
    assert browser.post("/undo", content=b"a", headers=kind).status_code == 413
    monkeypatch.setattr(forms, "PATIENCE_S", 0.05)

    async def slowly() -> dict[str, Any]:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    assert status_of(browser, slowly) == 408


def test_who_leaves_in_the_middle_of_a_form_leaves_no_error(browser: Browser) -> None:
    async def gone() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    assert status_of(browser.enter(), gone) == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(browser: Browser, method: str) -> None:
    browser.enter()
    assert browser.request(method, "/").status_code == 405


def test_get_does_not_answer(browser: Browser) -> None:
    browser.enter()
    assert browser.get("/answer").status_code == 405
    assert browser.get("/undo").status_code == 405
    assert browser.post("/history", data={"csrf": browser.csrf()}).status_code == 405


def test_read_only(tmp_path: Path) -> None:
    site = site_of(tmp_path, feature("superb"), read_only=True)
    browser = Browser(site).enter()
    page = browser.get("/").text
    assert "superb" in page
    assert "<form" not in page
    assert "<button" not in page
    question = browser.question()["question"]["id"]
    before = len(site.ledger.history())
    csrf = Keys(TOKEN, 8642).csrf(browser.cookies["tacit-8642"])
    form = {"csrf": csrf, "question": question, "choice": "pos"}
    for path in ("/answer", "/undo", "/name"):
        assert browser.post(path, data=form).status_code == 403
    browser.get("/history")
    assert len(site.ledger.history()) == before  # to look writes nothing, not even a lease


def test_static_files_stay_in_their_folder(browser: Browser) -> None:
    assert browser.get("/static/style.css").status_code == 200
    for path in ("/static/../site.py", "/static/%2e%2e/site.py", "/static/..%2fsite.py"):
        assert "ledger" not in browser.get(path).text


def test_no_template_has_inline_script_or_style() -> None:
    folder = Path(__file__).parents[3] / "src/tacit/app/web/templates"
    for template in folder.rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        assert "style=" not in text, template
        assert "<style" not in text, template
        assert " on" + "click" not in text, template
        assert "|safe" not in text.replace(" ", ""), template
        for script in text.split("<script")[1:]:
            assert script.startswith(' src="/static/'), template
