"""Forms that are sent back: read within a limit, and only from this session's own pages."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from tacit.app.web.safety import MOST_BYTES

KIND = "application/x-www-form-urlencoded"
MOST_FIELDS = 100
PATIENCE_S = 10.0  # for all of a form: a browser sends it at once


class Refused(Exception):
    """A form that is not taken; the reason is one of `tacit.app.web.refusing.REASONS`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form; of fields that occur twice, the last."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != KIND:
        raise Refused("form")
    try:
        async with asyncio.timeout(PATIENCE_S):
            body = await _body(request)
    except TimeoutError:
        raise Refused("slow") from None
    except ClientDisconnect:  # nobody is there to be told
        raise Refused("form") from None
    try:
        fields = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            max_num_fields=MOST_FIELDS,
            errors="strict",
        )
    except ValueError:  # of which a decoding error is one
        raise Refused("form") from None
    return dict(fields)


async def _body(request: Request) -> bytes:
    """All that was sent; what says that it is too long is not waited for."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > MOST_BYTES:
        raise Refused("length")
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise Refused("length")
    return body
