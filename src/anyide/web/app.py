"""The HTTP side of the page: the way in, the page's files, pictures, and the live channel.

Every request passes the guard first: a `Host` that names us, an `Origin` that is our own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import LiteralString
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from anyide.errors import EditorError
from anyide.web.gate import NONCE_HEADER, PROOF_HEADER, Gate
from anyide.web.static import Static
from anyide.web.workspace import IMAGES, MAX_RAW_BYTES, Workspace

PAGE = Path(__file__).parent / "page"
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
RAW_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"


def make_app(
    gate: Gate,
    workspace: Workspace,
    *,
    link: Callable[[], str],
    live: Callable[[WebSocket], Awaitable[None]],
) -> ASGIApp:
    """The app; `link` gives a fresh way in, `live` talks with a page."""
    doors = _Doors(gate, workspace, link, live)
    routes = [
        Route("/", doors.index, methods=["GET"]),
        Route("/enter", doors.enter, methods=["GET"]),
        Route("/link", doors.link, methods=["POST"]),
        Route("/health", doors.health, methods=["GET"]),
        Route("/session", doors.session, methods=["GET"]),
        Route("/raw", doors.raw, methods=["GET"]),
        Mount("/page", doors.static),
        WebSocketRoute("/live", doors.live),
    ]
    return Guard(Starlette(routes=routes), gate)


class _Doors:
    """What each address answers."""

    def __init__(
        self,
        gate: Gate,
        workspace: Workspace,
        link: Callable[[], str],
        live: Callable[[WebSocket], Awaitable[None]],
    ) -> None:
        self._gate = gate
        self._workspace = workspace
        self._link = link
        self._live = live
        self.static = Static(PAGE)

    def _knows(self, headers: Headers) -> bool:
        return self._gate.has_cookie(headers.getlist("cookie"))

    async def index(self, request: Request) -> Response:
        """The page, for who came in by a link."""
        if not self._knows(request.headers):
            return _refusal("This page opens with a link from your terminal.")
        return self.static.answer("index.html")

    async def enter(self, request: Request) -> Response:
        """The way in: a key that opens once becomes a cookie."""
        opens = request.method == "GET" and self._gate.keys.take(
            request.query_params.get("key", "")
        )
        if not opens and not self._knows(request.headers):
            return _refusal("This link was used already, or is not one of ours.")
        answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
        name, value = self._gate.cookie
        answer.set_cookie(name, value, path="/", httponly=True, samesite="strict")
        return answer

    async def link(self, request: Request) -> Response:
        """A fresh way in, for another anyide of the same person; each proves itself."""
        headers = request.headers
        nonce, proof = headers.get(NONCE_HEADER, ""), headers.get(PROOF_HEADER, "")
        if "origin" in headers or not self._gate.is_proof(nonce, proof):
            return Response(status_code=HTTPStatus.FORBIDDEN)
        link = self._link()
        return JSONResponse({"link": link, "proof": self._gate.proof(f"{nonce} {link}")})

    async def health(self, _: Request) -> Response:
        """Whether we are here."""
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def session(self, request: Request) -> Response:
        """Whether the browser's cookie still opens."""
        known = self._knows(request.headers)
        return Response(status_code=HTTPStatus.NO_CONTENT if known else HTTPStatus.FORBIDDEN)

    async def raw(self, request: Request) -> Response:
        """The bytes of a file of the workspace; only pictures are shown, all else is a download."""
        if not self._knows(request.headers):
            return Response(status_code=HTTPStatus.FORBIDDEN)
        try:
            place = self._workspace.locate(request.query_params.get("path", ""))
            data = await asyncio.to_thread(self._workspace.raw, place, MAX_RAW_BYTES)
        except EditorError:
            return Response("There is no such file in the workspace.", HTTPStatus.NOT_FOUND)
        name = Path(place.path).name
        kind = IMAGES.get(Path(name).suffix.lower())
        shown = "inline" if kind else "attachment"
        return Response(
            data,
            media_type=kind or "application/octet-stream",
            headers={
                "Content-Disposition": f"{shown}; filename*=UTF-8''{quote(name, safe='')}",
                "Content-Security-Policy": RAW_POLICY,
            },
        )

    async def live(self, socket: WebSocket) -> None:
        """The live channel, for who came in by a link."""
        if not self._knows(socket.headers):
            await socket.close()
            return
        await self._live(socket)


class Guard:
    """Lets requests to us through, no others, and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if not self._lets_in(scope):
            await _turn_away(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _secure(MutableHeaders(scope=message), str(scope["path"]))
            await send(message)

        await self._app(scope, receive, guarded)

    def _lets_in(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._gate.allows_host(hosts[0]):
            return False
        if not origins:
            return bool(scope["type"] == "http")  # a browser's WebSocket always has one
        return len(origins) == 1 and self._gate.allows_origin(origins[0], hosts[0])


def _secure(headers: MutableHeaders, path: str) -> None:
    headers.setdefault("Content-Security-Policy", CONTENT_POLICY)
    headers["Referrer-Policy"] = "no-referrer"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Cache-Control"] = "no-cache" if path.startswith("/page/") else "no-store"


async def _turn_away(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "Not from here"})
        return
    answer = _refusal("This address is not one that anyide answers to.")
    _secure(answer.headers, "/")
    await answer(scope, receive, send)


def _refusal(why: LiteralString) -> Response:
    body = (
        "<!doctype html><html lang=en><meta charset=utf-8><title>anyide</title>"
        "<meta name=viewport content='width=device-width'>"
        "<meta name=color-scheme content='light dark'>"
        "<style>body{font:1.1rem/1.5 system-ui;max-width:34rem;margin:15vh auto;padding:0 1rem}"
        "code{font-size:1em}</style>"
        f"<h1>anyide</h1><p>{why}</p><p>Run <code>anyide</code> again in the same "
        "folder: it gives you a new link to the editor that is running.</p></html>"
    )
    return Response(body, HTTPStatus.FORBIDDEN, media_type="text/html")
