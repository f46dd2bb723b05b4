"""Who may use the pages, and what a browser may do with them.

Whoever has the address that was printed has the token in it; it becomes a cookie that no other site
can make a browser send. The Host header is checked, so that no other name can be made to lead here,
and every form carries a second token that other sites cannot read.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from hashlib import sha256
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
ANYWHERE = ("0.0.0.0", "[::]")
MOST_BYTES = 64 * 1024  # of a form: an answer has some hundred

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    # Not "no-referrer": with it, browsers send "Origin: null" with the forms of these very pages.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Keys:
    """What is derived from the token of one server."""

    token: str
    port: int
    once: set[str] = field(default_factory=set)  # tokens that open once

    @property
    def cookie(self) -> str:
        """The name of the cookie: ports of one machine share cookies, so it names the port."""
        return f"tacit-{self.port}"

    def opens(self, given: str) -> bool:
        """Whether this is the token in the printed address, or one that is used up by this."""
        if given in self.once:
            self.once.discard(given)
            return True
        return hmac.compare_digest(given.encode(), self.token.encode())

    def new_session(self) -> str:
        """The value of a cookie for a browser that came with the token."""
        name = secrets.token_urlsafe(12)
        return f"{name}.{self._sign('session', name)}"

    def is_session(self, cookie: str) -> bool:
        """Whether a cookie is one that this server has given."""
        name, _, signature = cookie.partition(".")
        return hmac.compare_digest(signature.encode(), self._sign("session", name).encode())

    def csrf(self, session: str) -> str:
        """What every form of a session carries."""
        return self._sign("form", session)

    def is_csrf(self, session: str, given: str) -> bool:
        """Whether a form is one of this session's pages."""
        return hmac.compare_digest(given.encode(), self.csrf(session).encode())

    def _sign(self, what: str, text: str) -> str:
        return hmac.new(self.token.encode(), f"{what}:{text}".encode(), sha256).hexdigest()


def is_own_host(host: str, origin: str) -> bool:
    """Whether a Host header names this server: the address it is bound to, and no other.

    On all addresses, any number and this machine's name are right: a stranger's site that is led
    here has a name of its own.
    """
    bound = urlsplit(origin)
    try:
        given = urlsplit(f"//{host}")
        if (given.port or 80) != (bound.port or 80) or not given.hostname:
            return False
        if host != given.netloc or "@" in host:
            return False
    except ValueError:
        return False
    own, name = _written(bound.hostname or ""), _written(given.hostname)
    if own in LOOPBACK:
        return name in LOOPBACK
    if own in ANYWHERE:
        return _is_number(given.hostname) or name in (*LOOPBACK, *_machine_names())
    return name == own


def is_same_site(headers: Headers) -> bool:
    """Whether a form was sent by a page of this server, as far as the browser tells."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if site is not None and site != "same-origin":
        return False
    return origin is None or origin == f"http://{headers.get('host')}"


def clean_target(path: str) -> str:
    """A path on this server to go to: never another server's address."""
    return "/" + quote(path.lstrip("/\\"))


def _written(host: str) -> str:
    """A host as it stands in an address."""
    return f"[{host}]" if ":" in host else host.lower()


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _machine_names() -> tuple[str, ...]:
    return (socket.gethostname().lower(),)
