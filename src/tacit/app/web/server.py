"""The server: where it listens, what its address is, and how it runs until it is stopped."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
from typing import TYPE_CHECKING

from tacit.errors import BadInput, MissingExtra

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PORT = 8642
TRIES = 20  # ports behind the usual one
GRACE_S = 2  # for answers that are under way when the server is stopped


def require_web() -> None:
    """Refuse at once where the packages for pages are not installed."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"the pages need the package {error.name}", remedy="pip install 'tacit[web]'"
        ) from None


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens: on the port that was asked for, or the usual one, or the next free.

    Port 0 is any free one.
    """
    if not host:  # which would be all addresses
        raise _no_address(host)
    wanted = [port] if port is not None else range(PORT, PORT + TRIES)
    problem: OSError | None = None
    for one in wanted:
        try:
            return _bound(host, one)
        except socket.gaierror:
            raise _no_address(host) from None
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise _no_address(host) from None
            problem = error
    why = problem.strerror if problem is not None and problem.strerror else str(problem)
    at = f"{host}, port {wanted[0]}" if port is not None else f"{host}, from port {PORT} on"
    raise BadInput(
        f"the server cannot listen on {at}: {why}",
        remedy="choose another port, or any that is free: --port 0",
    )


def _no_address(host: str) -> BadInput:
    return BadInput(
        f"'{host}' is no address of this machine",
        remedy="leave out --host; for all addresses of this machine: --host 0.0.0.0",
    )


def origin_of(host: str, listening: socket.socket) -> str:
    """The address of a server on a host, without a path."""
    return f"http://{_in_address(host)}:{listening.getsockname()[1]}"


def address_of(origin: str, token: str) -> str:
    """The address that lets one in; on all addresses, this machine's name stands for them."""
    for anywhere in ("0.0.0.0", "[::]"):
        origin = origin.replace(f"//{anywhere}:", f"//{socket.gethostname().lower()}:")
    return f"{origin}/?token={token}"


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Serve until someone stops it: Ctrl-C, or a signal to end."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=GRACE_S,
    )
    uvicorn.Server(config).run(sockets=[listening])


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, so that asyncio sends without delay: else each page would wait 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except BaseException:
        listening.close()
        raise
    return listening


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
