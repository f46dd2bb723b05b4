"""The guard before all pages: it lets in who may come in, and sends the headers that keep it so."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tacit.app.web.names import COOKIE, COOKIE_AGE_S, Names, Reviewer
from tacit.app.web.refusing import refusal
from tacit.app.web.safety import (
    SECURITY_HEADERS,
    Keys,
    clean_target,
    is_own_host,
    is_same_site,
)
from tacit.app.web.site import Site

STATIC = "/static/"  # styles and scripts of ours: nothing to hide, and a refusal needs them too
METHODS = ("GET", "HEAD", "POST")


@dataclass(frozen=True, slots=True)
class Visit:
    """Who asks for a page."""

    reviewer: Reviewer
    session: str
    csrf: str


def visit_of(request: Request) -> Visit:
    """Who asks for a page; every request that passed the guard has one."""
    found = request.scope["tacit.visit"]
    assert isinstance(found, Visit)
    return found


class Guard:
    """Lets a request through to the pages, or answers it itself."""

    def __init__(self, app: ASGIApp, site: Site, keys: Keys, names: Names) -> None:
        self.app, self.site, self.keys, self.names = app, site, keys, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return  # neither websockets nor anything else is served
        request = Request(scope, receive)
        cookies: list[str] = []
        answer = self._refused(request) or self._entering(request)
        app = answer or self.app
        if answer is None and not scope["path"].startswith(STATIC):
            app = self._visited(request, cookies) or self.app
        await app(scope, receive, _with_headers(send, cookies))

    def _refused(self, request: Request) -> Response | None:
        """What no page is given for, whoever asks."""
        headers = request.headers
        if not is_own_host(headers.get("host", ""), self.site.origin):
            return refusal(request, self.site, "host")
        if request.method not in METHODS:
            return refusal(request, self.site, "method")
        if request.method != "POST":
            return None
        if not is_same_site(headers):
            return refusal(request, self.site, "elsewhere")
        return refusal(request, self.site, "read-only") if self.site.read_only else None

    def _entering(self, request: Request) -> Response | None:
        """The way in: the token becomes a cookie, and leaves the address."""
        query = parse_qs(request.scope["query_string"].decode("latin-1"))
        given = query.get("token", [""])[0]
        if request.method != "GET" or not given or not self.keys.opens(given):
            return None
        answer = RedirectResponse(clean_target(request.scope["path"]), status_code=303)
        if not self.keys.is_session(request.cookies.get(self.keys.cookie, "")):
            session = self.keys.new_session()
            answer.set_cookie(self.keys.cookie, session, httponly=True, samesite="strict")
        return answer

    def _visited(self, request: Request, cookies: list[str]) -> Response | None:
        """Note who asks; a refusal if they did not come in by the printed address."""
        session = request.cookies.get(self.keys.cookie, "")
        if not self.keys.is_session(session):
            return refusal(request, self.site, "token")
        known = Reviewer.from_cookie(request.cookies.get(COOKIE, ""))
        reviewer = self.names.welcome(known, session.partition(".")[0])
        if reviewer != known:
            cookies.append(name_cookie(reviewer))
        request.scope["tacit.visit"] = Visit(reviewer, session, self.keys.csrf(session))
        return None


def name_cookie(reviewer: Reviewer) -> str:
    """The header by which a browser keeps its reviewer's name."""
    answer = Response()
    answer.set_cookie(
        COOKIE, reviewer.as_cookie(), max_age=COOKIE_AGE_S, httponly=True, samesite="strict"
    )
    return answer.headers["set-cookie"]


def _with_headers(send: Send, cookies: list[str]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
            # Whoever has just chosen a name is not given another one.
            if not any(COOKIE in own for own in headers.getlist("set-cookie")):
                for cookie in cookies:
                    headers.append("set-cookie", cookie)
        await send(message)

    return sending
