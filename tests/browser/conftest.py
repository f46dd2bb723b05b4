"""Chromium for tests: a new context for each, and no test passes whose page complained."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tools.browser import Complaints, NoBrowser, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

    from tacit.app.web.site import Site
    from tacit.review import Question

Contexts = Callable[..., "BrowserContext"]
Serve = Callable[..., str]


# One for each file: playwright's event loop must not be there when tests of others begin.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium; where there is none the test is skipped, with how to install it."""
    try:
        with chromium() as found:
            yield found
    except NoBrowser as why:
        pytest.skip(str(why))


@pytest.fixture
def complaints() -> Complaints:
    """What pages complained of; a test that provokes an error takes it out again."""
    return Complaints()


@pytest.fixture
def contexts(browser: Browser, complaints: Complaints) -> Iterator[Contexts]:
    """Makes contexts: browsers of several people, who share no cookies."""
    made: list[BrowserContext] = []

    def make(**settings: Any) -> BrowserContext:
        context = browser.new_context(**settings)
        context.set_default_timeout(15_000)
        complaints.listen(context)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    assert complaints.heard == []


@pytest.fixture
def page(contexts: Contexts) -> Page:
    """A page in a context of its own."""
    return contexts().new_page()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serves a site of questions in a thread, and answers its address; no one learns behind it."""
    from tests.app.web.visiting import site_of

    stops: list[Callable[[], None]] = []

    def begin(*questions: Question, **more: Any) -> str:
        site = site_of(tmp_path, *questions, **{"clock": time.time, **more})
        address, stop = _serving(site)
        stops.append(stop)
        return address

    yield begin
    for stop in stops:
        stop()


def _serving(site: Site) -> tuple[str, Callable[[], None]]:
    """A site on any free port: its address, and how to stop it."""
    import uvicorn

    from tacit.app.web.application import make_app
    from tacit.app.web.server import address_of, listen, origin_of

    listening = listen("127.0.0.1", 0)
    origin = origin_of("127.0.0.1", listening)
    config = uvicorn.Config(
        make_app(replace(site, origin=origin)), log_level="error", lifespan="off", ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()

    def stop() -> None:
        server.should_exit = True
        thread.join(10)
        listening.close()
        site.ledger.close()

    return address_of(origin, site.token), stop
