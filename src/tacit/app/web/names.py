"""The names of reviewers: each browser has its own, so that leases keep their questions apart.

A browser keeps its name in a cookie, also when the server starts again. Two browsers share a name
only where somebody has asked for it.
"""

from __future__ import annotations

import base64
import json
import threading
import unicodedata
from dataclasses import dataclass, replace
from itertools import count

from tacit.errors import BadInput

LONGEST = 60  # characters of a name
COOKIE = "tacit-reviewer"  # of this machine, whatever the port: a person has one name
COOKIE_AGE_S = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A browser and the name of whoever sits before it."""

    browser: str  # an id
    name: str

    def as_cookie(self) -> str:
        """As the browser keeps it."""
        text = json.dumps([self.browser, self.name], ensure_ascii=False)
        return base64.urlsafe_b64encode(text.encode()).decode()

    @staticmethod
    def from_cookie(text: str) -> Reviewer | None:
        """The inverse; None where the cookie is not of ours."""
        try:
            browser, name = json.loads(base64.urlsafe_b64decode(text.encode()))
            return Reviewer(str(browser)[:LONGEST], clean_name(str(name)))
        except (ValueError, TypeError, BadInput):
            return None


class Names:
    """Who has which name on this server; threads may share it."""

    def __init__(self, first: str) -> None:
        self._first = first
        self._browsers: dict[str, set[str]] = {}  # by name
        self._by_session: dict[str, str] = {}  # the names of those that keep none
        self._turn = threading.Lock()

    def welcome(self, known: Reviewer | None, session: str) -> Reviewer:
        """A browser with its own name: the one that it had before, or the first that is free.

        What keeps no names, such as a script, goes by its session.
        """
        with self._turn:
            reviewer = known or Reviewer(session, self._by_session.get(session, self._first))
            if not self._is_free(reviewer.name, reviewer.browser):
                reviewer = replace(reviewer, name=self._free_name(reviewer.name))
            self._browsers.setdefault(reviewer.name, set()).add(reviewer.browser)
            if known is None:
                self._by_session[session] = reviewer.name
        return reviewer

    def is_free(self, name: str, browser: str) -> bool:
        """Whether no other browser has the name."""
        with self._turn:
            return self._is_free(name, browser)

    def rename(self, reviewer: Reviewer, name: str) -> Reviewer:
        """The browser under another name; to take a name that is in use is to share it."""
        renamed = replace(reviewer, name=clean_name(name))
        with self._turn:
            self._browsers.get(reviewer.name, set()).discard(reviewer.browser)
            self._browsers.setdefault(renamed.name, set()).add(renamed.browser)
        return renamed

    def _is_free(self, name: str, browser: str) -> bool:
        owners = self._browsers.get(name)
        return not owners or browser in owners

    def _free_name(self, name: str) -> str:
        stem = name[: LONGEST - 6]
        return next(own for n in count(2) if not self._browsers.get(own := f"{stem}-{n}"))


def clean_name(given: str) -> str:
    """A name on one line, without what cannot be seen; an empty one is refused."""
    shown = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in given)
    name = " ".join(shown.split())[:LONGEST].strip()
    if not name:
        raise BadInput("a reviewer needs a name", remedy="write one letter at least")
    return name
