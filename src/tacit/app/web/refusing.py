"""Refusals and mistakes as pages, and as JSON for those who asked for JSON."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from tacit.app.web.rendering import View, json_text, render
from tacit.app.web.site import Site
from tacit.errors import TacitError

# Each with its status, what is wrong and what to do.
REASONS = {
    "host": (
        403,
        "This is not the address of this page",
        "Use the address that tacit review printed, as it stands there.",
    ),
    "method": (405, "This page is only read, or answered", "Use GET or POST."),
    "elsewhere": (
        403,
        "This came from another page",
        "Answers are only taken from the pages of this server.",
    ),
    "read-only": (
        403,
        "These pages are only for looking",
        "The server was started with --read-only: nothing can be answered or changed.",
    ),
    "token": (
        403,
        "Use the printed address",
        "Open the whole address that tacit review printed, with its token. It is a new one each "
        "time that the server starts. If you have just done so, load this page again.",
    ),
    "csrf": (
        403,
        "This page is too old",
        "It was shown before the server started again. Go back to the question and answer there.",
    ),
    "length": (413, "This is too long", "An answer has at most 64 kilobytes."),
    "slow": (408, "This took too long to arrive", "Go back to the question and answer again."),
    "form": (400, "This is no form", "Forms are sent as application/x-www-form-urlencoded, UTF-8."),
    "bug": (
        500,
        "This is a mistake in tacit",
        "It is not in your files, and all answers are safe. The terminal tells more.",
    ),
    "missing": (404, "There is no such page", "The navigation has all pages."),
}


def refusal(request: Request, site: Site, reason: str) -> Response:
    """The answer to what is refused."""
    status, what, remedy = REASONS[reason]
    return told(request, site, status, what, remedy)


def mistake(request: Request, site: Site, error: TacitError, status: int) -> Response:
    """What the user can mend, as the error says it."""
    return told(request, site, status, error.message, error.remedy or "")


def told(request: Request, site: Site, status: int, what: str, remedy: str) -> Response:
    """What is wrong and what to do, as a page or as JSON."""
    if request.url.path.endswith(".json"):
        told = {"error": what, "remedy": remedy}
        return Response(json_text(told), status, media_type="application/json")
    view = View(
        title=what,
        site=site.name if _has_come_in(request) else "tacit",
        who="",
        csrf="",
        read_only=True,
        navigation=(),
        json="",
    )
    return HTMLResponse(render("told.html", view, {"what": what, "remedy": remedy}), status)


def _has_come_in(request: Request) -> bool:
    """Whether a visitor has come in: others are not told the project's name."""
    return "tacit.visit" in request.scope
