"""Who is let in: decided from the upgrade request alone, before anything they say is read.

A web page always sends `Origin` and cannot change it; a page behind a rebound host name sends that
name as `Host`. Programs on this machine do neither.
"""

from __future__ import annotations

import hmac
from http import HTTPStatus

from anyide.rpc.transport.websocket.server import Dismiss, Refuse, Upgrade

SUBPROTOCOL = "mcp"
TOKEN_HEADER = "x-claude-code-ide-authorization"  # noqa: S105 - the header's name
PATHS = frozenset({"/", "/mcp"})
POLICY_VIOLATION = 1008
# Some client libraries of programs send it too, unless told not to.
NO_PAGES = (
    "Web pages are not let in: a program must send no Origin header"
    " (websocket-client: suppress_origin=True)"
)


def refuse(upgrade: Upgrade, *, port: int, token: str) -> Refuse | Dismiss | None:
    """Say why this request is not let in; None lets it in."""
    headers = upgrade.headers
    if upgrade.path.partition("?")[0] not in PATHS:
        return Refuse(HTTPStatus.NOT_FOUND, "Not found")
    if "origin" in headers:
        return Refuse(HTTPStatus.FORBIDDEN, NO_PAGES)
    if not _is_loopback(headers.get("host", ""), port):
        return Refuse(HTTPStatus.FORBIDDEN, "The Host header must name this machine and port")
    offered = headers.get("sec-websocket-protocol")
    if offered is not None and SUBPROTOCOL not in [word.strip() for word in offered.split(",")]:
        return Refuse(HTTPStatus.BAD_REQUEST, f"The subprotocol must be {SUBPROTOCOL}")
    if not _is_token(headers.get(TOKEN_HEADER, ""), token):
        return Dismiss(POLICY_VIOLATION, "Invalid or missing authentication token")
    return None


def _is_loopback(host: str, port: int) -> bool:
    return host.lower() in {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}


def _is_token(given: str, token: str) -> bool:
    # An empty token of ours would let everybody in.
    return bool(token) and hmac.compare_digest(given.encode(errors="replace"), token.encode())
