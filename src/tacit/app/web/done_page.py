"""The page at the end: what was learned, what it changed, and where it is."""

from __future__ import annotations

from starlette.requests import Request

from tacit.app.web.pages import Data, Page
from tacit.app.web.question_page import progress
from tacit.app.web.site import Site
from tacit.app.web.summary import summary


def done_data(site: Site, _request: Request) -> Data:
    """The summary, at any time."""
    return {"progress": progress(site), "summary": summary(site)}


def _is_for_learning(site: Site) -> bool:
    return site.sample is None


DONE = Page("/done", "done.html", "Results", done_data, shown=_is_for_learning)
