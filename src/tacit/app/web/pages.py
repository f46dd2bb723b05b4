"""Pages: each is one JSON-able dict, its HTML rendered from it and its JSON twin equal to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from tacit.app.web.site import Site
from tacit.errors import TacitError

Data = dict[str, Any]


class NotThere(TacitError):
    """Something that a page was asked for and that does not exist."""


def _always(_site: Site) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its HTML at `path`, the dict behind it at `path` + ".json".

    Templates see the dict's keys, and `view`: title, who, csrf, read_only, navigation, site.
    """

    path: str
    template: str
    title: str
    data: Callable[[Site, Request], Data | Awaitable[Data]]
    shown: Callable[[Site], bool] = _always  # whether the navigation has it

    @property
    def json_path(self) -> str:
        """Where the dict itself is."""
        return "/question.json" if self.path == "/" else f"{self.path}.json"

    @property
    def in_navigation(self) -> bool:
        """Whether it stands for itself; a page of one instance is reached from others."""
        return "{" not in self.path
