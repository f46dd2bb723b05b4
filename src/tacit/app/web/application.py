"""The application: every page with its JSON twin, what can be sent back, and the guard."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast
from urllib.parse import quote, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from tacit.app.web.actions import ACTIONS, Action
from tacit.app.web.done_page import DONE
from tacit.app.web.forms import Refused, read_form
from tacit.app.web.guard import Guard, visit_of
from tacit.app.web.history_page import HISTORY
from tacit.app.web.names import Names
from tacit.app.web.opinions_page import OPINIONS
from tacit.app.web.pages import Data, NotThere, Page
from tacit.app.web.question_page import QUESTION, state
from tacit.app.web.refusing import mistake, refusal
from tacit.app.web.rendering import Link, View, json_text, render
from tacit.app.web.safety import Keys
from tacit.app.web.sample_page import SAMPLE
from tacit.app.web.site import Site
from tacit.app.web.workbench import PAGES as WORKBENCH
from tacit.errors import TacitError

STATIC = Path(__file__).parent / "static"
PAGES: tuple[Page, ...] = (QUESTION, HISTORY, OPINIONS, DONE, SAMPLE, *WORKBENCH)

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(site: Site) -> ASGIApp:
    """The pages of a site, ready to be served."""
    keys = Keys(site.token, urlsplit(site.origin).port or 80, {site.once} - {""})
    names = Names(site.first_reviewer)
    routes: list[BaseRoute] = []
    for page in PAGES:
        # The twin first: the id of an instance may match anything, also what ends with .json.
        routes.append(Route(page.json_path, _json(page, site), methods=["GET"]))
        routes.append(Route(page.path, _html(page, site), methods=["GET"]))
    routes.append(Route("/state.json", _state(site), methods=["GET"]))
    routes += [
        Route(path, _taken(action, site, keys, names), methods=["POST"])
        for path, action in ACTIONS.items()
    ]
    routes.append(Route("/static/colours.css", _colours, methods=["GET"]))
    routes.append(Mount("/static", StaticFiles(directory=STATIC)))

    async def missing(request: Request, _error: Exception) -> Response:
        return refusal(request, site, "missing")

    async def wrong_method(request: Request, _error: Exception) -> Response:
        return refusal(request, site, "method")

    async def bug(request: Request, _error: Exception) -> Response:
        return refusal(request, site, "bug")

    handlers = {404: missing, 405: wrong_method, 500: bug}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), site, keys, names)


def navigation(site: Site, path: str) -> tuple[Link, ...]:
    """The pages that stand for themselves, with the one that is shown."""
    own = [page for page in PAGES if page.in_navigation and page.shown(site)]
    if site.sample is not None:  # there is no program to look at
        own = [page for page in own if page not in WORKBENCH or page.path == "/ledger"]
    return tuple(Link(page.path, page.title, page.path == path) for page in own)


def view_of(site: Site, request: Request, page: Page) -> View:
    """What a page's template knows beside its data."""
    visit = visit_of(request)
    return View(
        title=page.title,
        site=site.name,
        who="" if site.read_only else visit.reviewer.name,
        csrf=visit.csrf,
        read_only=site.read_only,
        navigation=navigation(site, page.path),
        json=_twin(request, page),
    )


def _twin(request: Request, page: Page) -> str:
    """The address of the same page as JSON."""
    path = page.json_path if page.in_navigation else f"{quote(request.scope['path'])}.json"
    return f"{path}?{request.url.query}" if request.url.query else path


async def _data(page: Page, site: Site, request: Request) -> Data:
    """A page's data; what waits for a disk does so in a thread."""
    if inspect.iscoroutinefunction(page.data):
        return cast(Data, await page.data(site, request))
    return cast(Data, await run_in_threadpool(page.data, site, request))


def _html(page: Page, site: Site) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            data = await _data(page, site, request)
        except TacitError as error:
            return mistake(request, site, error, 404 if isinstance(error, NotThere) else 500)
        return HTMLResponse(render(page.template, view_of(site, request, page), data))

    return answer


def _json(page: Page, site: Site) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            data = await _data(page, site, request)
        except TacitError as error:
            return mistake(request, site, error, 404 if isinstance(error, NotThere) else 500)
        return Response(json_text(data), media_type="application/json")

    return answer


def _state(site: Site) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            data = await run_in_threadpool(state, site, visit_of(request).reviewer.name)
        except TacitError as error:
            return mistake(request, site, error, 500)
        return Response(json_text(data), media_type="application/json")

    return answer


def _taken(action: Action, site: Site, keys: Keys, names: Names) -> Endpoint:
    async def answer(request: Request) -> Response:
        visit = visit_of(request)
        try:
            form = await read_form(request)
            if not keys.is_csrf(visit.session, form.pop("csrf", "")):
                raise Refused("csrf")
            return await run_in_threadpool(action, site, names, visit.reviewer, form)
        except Refused as error:
            return refusal(request, site, error.reason)
        except TacitError as error:
            return mistake(request, site, error, 400)

    return answer


async def _colours(_request: Request) -> Response:
    from tacit.report.pictures import colours

    return Response(colours(), media_type="text/css")
