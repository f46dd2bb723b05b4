"""Chromium, driven by playwright: for the browser tests, the screenshots and the benchmark."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

NAMES = ("chromium", "chromium-browser", "google-chrome")
VARIABLE = "TACIT_CHROMIUM"
# It runs as root in containers, where it has no sandbox, and asks for nothing on its own.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class NoBrowser(Exception):
    """There is no Chromium, or no playwright to drive it; the message says how to install it."""


def chromium_path() -> str:
    """Where Chromium is."""
    given = os.environ.get(VARIABLE)
    found = next(filter(None, map(shutil.which, [given] if given else NAMES)), None)
    if found is None:
        missing = f"{VARIABLE}={given} is no program" if given else "Chromium is not installed"
        raise NoBrowser(f"{missing}; on Debian: apt install chromium; or set {VARIABLE} to one")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium without a window."""
    path = chromium_path()
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError as error:
        raise NoBrowser("playwright is not installed; pip install playwright") from error
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass  # without slots: playwright keeps notes on whatever listens
class Complaints:
    """All that must not happen in a page: errors, and requests to other machines."""

    heard: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)  # every address, whatever its host

    def listen(self, context: BrowserContext) -> None:
        """Hear what every page of a context complains of, from now on."""
        context.on("console", self._console)
        context.on("weberror", lambda error: self.heard.append(f"page error: {error.error}"))
        context.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.heard.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, request: Request) -> None:
        self.requested.append(request.url)
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname not in LOOPBACK:
            self.heard.append(f"request to another host: {request.url}")


def painted(page: Page) -> None:
    """Wait until the browser has painted what the page holds now."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
