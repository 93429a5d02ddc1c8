"""Who is let in: decided from the upgrade request alone, before anything they say is read.

A web page always sends `Origin` and cannot change it; a page behind a rebound host name sends that
name as `Host`. Programs on this machine do neither. One `Origin` is let in, with the token: our own
address. No page has it, because we serve none, and the `websocket-client` package of the seeds'
Python client sends it by itself.
"""

from __future__ import annotations

import hmac
from http import HTTPStatus

from anyide.rpc.transport.websocket.server import Dismiss, Refuse, Upgrade

SUBPROTOCOL = "mcp"
TOKEN_HEADER = "x-claude-code-ide-authorization"  # noqa: S105 - the header's name
PATHS = frozenset({"/", "/mcp"})
POLICY_VIOLATION = 1008
NO_PAGES = "Web pages are not let in: a program must send no Origin header"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def refuse(upgrade: Upgrade, *, port: int, token: str) -> Refuse | Dismiss | None:
    """Say why this request is not let in; None lets it in."""
    headers = upgrade.headers
    if upgrade.path.partition("?")[0] not in PATHS:
        return Refuse(HTTPStatus.NOT_FOUND, "Not found")
    if not _is_our_origin(headers.get("origin"), port):
        return Refuse(HTTPStatus.FORBIDDEN, NO_PAGES)
    if not _is_our_address(headers.get("host", ""), port):
        return Refuse(HTTPStatus.FORBIDDEN, "The Host header must name this machine and port")
    offered = headers.get("sec-websocket-protocol")
    if offered is not None and SUBPROTOCOL not in [word.strip() for word in offered.split(",")]:
        return Refuse(HTTPStatus.BAD_REQUEST, f"The subprotocol must be {SUBPROTOCOL}")
    if not _is_token(headers.get(TOKEN_HEADER, ""), token):
        return Dismiss(POLICY_VIOLATION, "Invalid or missing authentication token")
    return None


def _is_our_origin(origin: str | None, port: int) -> bool:
    if origin is None:
        return True
    return origin.startswith("http://") and _is_our_address(origin[len("http://") :], port)


def _is_our_address(host: str, port: int) -> bool:
    return host.lower() in {f"{name}:{port}" for name in LOOPBACK}


def _is_token(given: str, token: str) -> bool:
    # An empty token of ours would let everybody in.
    return bool(token) and hmac.compare_digest(given.encode(errors="replace"), token.encode())
