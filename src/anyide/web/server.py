"""The page's own port: it listens, knows how a person gets in, and ends in order.

async with PageServer(context, state=state) as page:
    print(page.link())
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import uvicorn
from starlette.websockets import WebSocket

from anyide.errors import ConnectFailed, StateError
from anyide.state.endpoint import PageEndpoint
from anyide.state.store import State
from anyide.web.app import make_app
from anyide.web.context import Context
from anyide.web.gate import Gate
from anyide.web.keeping import keeping
from anyide.web.live import LivePage
from anyide.web.socket import MAX_MESSAGE_BYTES, PageSocket
from anyide.web.watch import Watcher

FAREWELL_SECONDS = 2
SERVICE_RESTART = 1012
MAX_PAGES = 64
BACKLOG = 128

log = logging.getLogger(__name__)


class PageServer:
    """Serves the page of one editor; an async context manager.

    `state` keeps port and cookie, so that an open page finds its way back after a restart. Raises
    ConnectFailed when the port is taken. `remote` lets other machines in.
    """

    def __init__(
        self,
        context: Context,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        state: State | None = None,
        remote: bool = False,
    ) -> None:
        self._context = context
        self._host = host
        self._port = port
        self._state = state
        self._remote = remote
        self._folders = [Path(folder) for folder in context.editor.workspace.folders]
        self._live: set[LivePage] = set()
        self._watcher = Watcher(context)
        self._gate: Gate | None = None
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        listening, cookie, control = self._listen()
        self._gate = Gate(listening.getsockname()[1], cookie, control, remote=self._remote)
        app = make_app(self._gate, self._context.editor.workspace, link=self.link, live=self._talk)
        self._server = _Server(_config(app))
        self._serving = asyncio.get_running_loop().create_task(
            self._server.serve(sockets=[listening])
        )
        self._context.start()
        self._watcher.start()
        self._note_down(PageEndpoint(self.port, cookie, control))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._context.stop()
        await self._watcher.stop()
        for page in tuple(self._live):
            page.connection.close(SERVICE_RESTART, "the editor is closing")
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await self._serving

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._gate is not None, "the server is not started"
        return self._gate.port

    def link(self) -> str:
        """A link that lets one browser in, once."""
        assert self._gate is not None, "the server is not started"
        return f"http://{self._shown_host()}:{self.port}/enter?key={self._gate.keys.issue()}"

    def _shown_host(self) -> str:
        if self._host in ("", "0.0.0.0", "::"):  # noqa: S104 - compared, not listened on
            return _our_address()
        return f"[{self._host}]" if ":" in self._host else self._host

    def _listen(self) -> tuple[socket.socket, str, str]:
        kept = self._recall()
        if kept is not None:
            if self._port in (0, kept.port):
                with contextlib.suppress(ConnectFailed):
                    return _bind(self._host, kept.port), kept.cookie, kept.control
            return _bind(self._host, self._port), kept.cookie, kept.control
        fresh = secrets.token_urlsafe(48), secrets.token_urlsafe(48)
        return _bind(self._host, self._port), *fresh

    def _recall(self) -> PageEndpoint | None:
        if self._state is None:
            return None
        try:
            return self._state.pages.recall(self._folders)
        except StateError as error:
            log.warning("the page's last port is not known: %s", error)
            return None

    def _note_down(self, endpoint: PageEndpoint) -> None:
        if self._state is not None:
            with keeping("the page's port"):
                self._state.pages.remember(self._folders, endpoint)

    async def _talk(self, websocket: WebSocket) -> None:
        if len(self._live) >= MAX_PAGES:
            await websocket.close()
            return
        page = LivePage(self._context, self._live.discard)
        self._live.add(page)
        await PageSocket(websocket).run(page.connection)


class _Server(uvicorn.Server):
    """Signals are the business of who runs the whole program."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def _config(app: object) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]  # uvicorn's own ASGI types are stricter than Starlette's
        http="h11",
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=FAREWELL_SECONDS,
    )


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named TCP on purpose: else asyncio leaves Nagle's algorithm on, and an answer takes 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise ConnectFailed(
            f"cannot listen on {host}, port {port}: {error.strerror or error}"
        ) from error
    return listening


def _our_address() -> str:
    """The address by which other machines most likely reach this one; nothing is sent for that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
