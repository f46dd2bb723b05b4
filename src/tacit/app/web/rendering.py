"""Templates: Jinja with autoescape on, so that every text of a corpus is shown as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tacit.app.web.marking import marked
from tacit.app.web.wording import short


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of the navigation."""

    path: str
    title: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a template knows beside its page's data."""

    title: str
    site: str  # the project's name
    who: str  # the reviewer
    csrf: str  # goes into every form
    read_only: bool
    navigation: tuple[Link, ...]
    json: str  # where the page's data is


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates, with what they may call."""
    made = Environment(
        loader=PackageLoader("tacit.app.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(percent=percent, number=number, time=shown_time, iso_time=iso_time)
    made.filters["short"] = short
    made.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    made.globals.update(marked=marked, **_pictures())
    return made


def render(template: str, view: View, data: Mapping[str, Any]) -> str:
    """A page as HTML."""
    return environment().get_template(template).render(view=view, **data)


def json_text(data: Mapping[str, Any]) -> str:
    """A page as JSON; numbers must be finite, as JSON has no others."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def percent(share: float | None, digits: int = 0) -> str:
    """A share as people read it: "83%"."""
    return "" if share is None else f"{100 * share:.{digits}f}%"


def number(value: float | None) -> str:
    """A count or a measure: "12,000", "0.713"."""
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def shown_time(when: float) -> str:
    """A time on this machine's clock: "31 Jan 2026, 12:00"."""
    return datetime.fromtimestamp(when, UTC).astimezone().strftime("%-d %b %Y, %H:%M")


def iso_time(when: float) -> str:
    """A time as the element <time> wants it."""
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _pictures() -> dict[str, Any]:
    """The functions that draw, by name; what they draw is safe to be shown as it is."""
    from tacit.report import pictures

    return {name: getattr(pictures, name) for name in pictures.__all__}
