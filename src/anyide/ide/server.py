"""The IDE's end of the protocol: a server that the CLI finds by its lock file.

    async with IdeServer(editor, ["/the/project"]) as server:
        ...

The lock is written last, when everything answers, and removed first.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Self

from anyide.editor.model import FileDiagnostics, Mention, Selection
from anyide.editor.seam import Editor
from anyide.errors import ConnectFailed, StateError
from anyide.ide.context import Context
from anyide.ide.dialect import VSCODE, Dialect
from anyide.ide.gate import SUBPROTOCOL, refuse
from anyide.ide.heartbeat import Heartbeat
from anyide.ide.lockfile import LockFile, lock_directory, new_token, reap
from anyide.ide.paths import flavour_of, to_wire
from anyide.ide.policy import Policy
from anyide.ide.refusal import Refusals
from anyide.ide.reviews import Reviews
from anyide.ide.session import Session, SessionInfo
from anyide.log import keep_secret
from anyide.rpc.transport.websocket.server import (
    Accept,
    Dismiss,
    Refuse,
    Upgrade,
    WebSocketServer,
)
from anyide.setting import DEFAULT_DENY
from anyide.state.endpoint import Endpoint
from anyide.state.store import State

MAX_SELECTION = 100_000
REMEMBER_SECONDS = 60.0
"""How often port and token are noted down, so that a killed server gets them back."""

log = logging.getLogger(__name__)


class IdeServer:
    """Serves an editor to any number of CLIs; an async context manager.

    `state` keeps port and token over a restart. Raises ConnectFailed when the port is taken and
    StateError when the lock file cannot be written.
    """

    def __init__(
        self,
        editor: Editor,
        folders: Sequence[str | Path],
        *,
        name: str = "anyide",
        port: int = 0,
        dialect: Dialect = VSCODE,
        policy: Policy | None = None,
        heartbeat: Heartbeat | None = None,
        state: State | None = None,
        config_dir: Path | None = None,
        on_sessions: Callable[[], None] | None = None,
    ) -> None:
        self.editor = editor
        self.folders = tuple(os.path.realpath(folder) for folder in folders)
        self.name = name
        self.dialect = dialect
        self.flavour = flavour_of(sys.platform, os.environ)
        self.policy = policy or Policy(
            self.folders, DEFAULT_DENY, MAX_SELECTION, flavour=self.flavour
        )
        self._port = port
        self._token = ""
        self._heartbeat = heartbeat or Heartbeat()
        self._state = state
        self._lock = LockFile((config_dir / "ide") if config_dir else lock_directory())
        self._on_sessions = on_sessions
        self._sessions: dict[str, Session] = {}
        self._socket: WebSocketServer | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._remembering: asyncio.Task[None] | None = None
        self._is_closing = False
        self._refusals = Refusals(log.warning)

    # From start to end.

    async def __aenter__(self) -> Self:
        self._socket = await self._listen()
        try:
            self._unsubscribe = self.editor.subscribe(self)
            swept = reap(self._lock.directory)
            for path in swept.removed:
                log.info("removed the stale lock %s", path)
            self._note_down()  # before anybody can know us: we may be killed at any moment
            self._lock.write(
                self.port,
                self._token,
                [to_wire(folder, self.flavour) for folder in self.folders],
                ide_name=self.name,
            )
        except BaseException:
            await self.close()
            raise
        self._remembering = asyncio.get_running_loop().create_task(self._remember())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Take the lock back, withdraw what is pending, say goodbye; once is enough."""
        if self._is_closing:
            return
        self._is_closing = True
        try:
            self._lock.remove()
        finally:
            await self._shut_down()

    async def _shut_down(self) -> None:
        if self._remembering is not None:
            self._remembering.cancel()
            self._note_down()
        if self._unsubscribe is not None:
            self._unsubscribe()
        farewells = [session.leave("the editor is closing") for session in self.sessions_open]
        await asyncio.gather(*farewells)
        if self._socket is not None:
            await self._socket.close()
        self._refusals.close()

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._socket is not None, "the server is not started"
        return self._socket.port

    @property
    def token(self) -> str:
        """What opens the door; for whoever starts a CLI, never for a log or a screen."""
        return self._token

    @property
    def lock_path(self) -> Path | None:
        """Where the lock file is, while it is there."""
        return self._lock.path

    async def _listen(self) -> WebSocketServer:
        kept = self._recall()
        if kept is not None and self._port in (0, kept[0]):
            with contextlib.suppress(ConnectFailed):
                return await self._listen_on(*kept)
        return await self._listen_on(self._port, new_token())

    async def _listen_on(self, port: int, token: str) -> WebSocketServer:
        self._token = token
        keep_secret(token)
        return await WebSocketServer.start(self._gate, port=port, subprotocols=[SUBPROTOCOL])

    def _recall(self) -> tuple[int, str] | None:
        if self._state is None:
            return None
        kept: Endpoint | None = None
        with _without_state():
            kept = self._state.endpoints.recall(map(Path, self.folders))
        return None if kept is None else (kept.port, kept.token)

    def _note_down(self) -> None:
        if self._state is not None and self._socket is not None:
            with _without_state():
                folders = map(Path, self.folders)
                self._state.endpoints.remember(folders, self.port, self._token)

    async def _remember(self) -> None:
        while True:
            await asyncio.sleep(REMEMBER_SECONDS)
            self._note_down()

    # Who comes and goes.

    def _gate(self, upgrade: Upgrade) -> Accept | Refuse | Dismiss:
        if self._is_closing:  # whoever comes back at once is to find the next server, not this one
            return Refuse(HTTPStatus.SERVICE_UNAVAILABLE, "The editor is closing")
        refusal = refuse(upgrade, port=self.port, token=self._token)
        if refusal is not None:
            self._refusals.add(refusal.reason)
            return refusal
        session = Session(
            self._context,
            server_name=self.name,
            heartbeat=self._heartbeat,
            on_change=lambda _: self._sessions_changed(),
            on_closed=self._left,
        )
        self._sessions[session.info.id] = session
        log.info("session %s connected", session.info.id)
        self._sessions_changed()
        return Accept(session)

    def _context(self, session: str) -> Context:
        return Context(
            editor=self.editor,
            folders=self.folders,
            dialect=self.dialect,
            flavour=self.flavour,
            session=session,
            reviews=Reviews(self.editor),
            current_policy=lambda: self.policy,
        )

    def _left(self, session: Session) -> None:
        self._sessions.pop(session.info.id, None)
        self._sessions_changed()

    def _sessions_changed(self) -> None:
        if self._on_sessions is not None:
            self._on_sessions()

    @property
    def sessions_open(self) -> tuple[Session, ...]:
        """The sessions themselves, oldest first."""
        return tuple(self._sessions.values())

    @property
    def sessions(self) -> tuple[SessionInfo, ...]:
        """What is known of each connected CLI, oldest first."""
        return tuple(session.info for session in self._sessions.values())

    # What goes out: the editor calls these as its listener; anybody else may, too.

    def selection_changed(self, selection: Selection, session: str | None = None) -> None:
        """Tell a selection to one session or to all."""
        for each in self._addressed(session):
            each.tell_selection(selection)

    def mentioned(self, mention: Mention, session: str | None = None) -> None:
        """Put a file into the prompt of one session or of all."""
        for each in self._addressed(session):
            if not each.tell_mention(mention):
                log.warning("a mention was not sent: the file is not shared")

    def diagnostics_changed(self, changed: FileDiagnostics, session: str | None = None) -> None:
        """Tell the findings about a file to one session or to all."""
        for each in self._addressed(session):
            each.tell_diagnostics(changed)

    def pause(self, *, paused: bool = True) -> None:
        """Share nothing from now on, or share again."""
        self.policy = self.policy.pause(paused=paused)
        for session in self.sessions_open:
            session.pause(paused=paused)

    def _addressed(self, session: str | None) -> tuple[Session, ...]:
        if session is None:
            return self.sessions_open
        found = self._sessions.get(session)
        return () if found is None else (found,)


@contextlib.contextmanager
def _without_state() -> Iterator[None]:
    """What cannot be kept is not worth failing for; it is said in the log."""
    try:
        yield
    except StateError as error:
        log.warning("port and token are not kept for a restart: %s", error)
