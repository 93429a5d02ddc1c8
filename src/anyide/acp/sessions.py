"""The sessions of one client: opened, loaded, listed, spoken to, closed."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType

from anyide.acp import messages as m
from anyide.acp import option
from anyide.acp.client import Client
from anyide.acp.disk import delete_session, page_of_sessions, stored_session
from anyide.acp.failure import NotFound
from anyide.acp.session import Session
from anyide.acp.setup import AgentOptions, setup_for
from anyide.errors import InvalidParams
from anyide.headless.transcript import SessionInfo

REPLAY_BATCH = 100
"""So many updates of an old session are sent before we wait for a slow client."""


class ForkSessionRequest(m.Message, frozen=True, kw_only=True):
    """What `session/fork` asks for; the method is not in the stable schema yet."""

    session_id: str
    cwd: str
    additional_directories: list[str] | UnsetType = UNSET
    mcp_servers: list[m.McpServer] | UnsetType = UNSET


class Sessions:
    """Every session that is open, and those on disk."""

    kinds: ClassVar[dict[str, Any]] = {
        "new": m.NewSessionRequest,
        "load": m.LoadSessionRequest,
        "resume": m.ResumeSessionRequest,
        "fork": ForkSessionRequest,
        "list": m.ListSessionsRequest,
        "close": m.CloseSessionRequest,
        "delete": m.DeleteSessionRequest,
        "set_mode": m.SetSessionModeRequest,
        "set_option": m.SetSessionConfigOptionRequest,
        "prompt": m.PromptRequest,
    }
    """What each method takes."""

    def __init__(self, client: Client, options: AgentOptions) -> None:
        self._client = client
        self._options = options
        self._open: dict[str, Session] = {}

    async def close_all(self) -> None:
        """End every session, and every process with it."""
        sessions, self._open = list(self._open.values()), {}
        await asyncio.gather(*(session.close() for session in sessions))

    async def rest(self) -> None:
        """End every CLI; a session that is used again starts another."""
        await asyncio.gather(*(session.rest() for session in self._open.values()))

    async def new(self, asked: m.NewSessionRequest) -> m.NewSessionResponse:
        """Begin a session."""
        session = await self._start(self._make(str(uuid.uuid4()), asked))
        return m.NewSessionResponse(session_id=session.id, **_offers(session))

    async def load(self, asked: m.LoadSessionRequest) -> m.LoadSessionResponse:
        """Open a stored session and tell all that was said in it."""
        from anyide.acp.history import replay  # noqa: PLC0415 - slow to import, seldom needed

        info = self._stored(asked.session_id)
        session = self._make(asked.session_id, asked)
        opening = asyncio.ensure_future(self._start(session, resume=True))
        try:
            for count, update in enumerate(replay(info.path, session.translator)):
                self._client.update(session.id, update)
                if count % REPLAY_BATCH == 0:
                    await self._client.drain()
        finally:
            await opening
        return m.LoadSessionResponse(**_offers(session))

    async def resume(self, asked: m.ResumeSessionRequest) -> m.ResumeSessionResponse:
        """Open a stored session; nothing is told again."""
        session = self._open.get(asked.session_id)
        if session is None or session.cwd != asked.cwd:
            self._stored(asked.session_id)
            session = await self._start(self._make(asked.session_id, asked), resume=True)
        return m.ResumeSessionResponse(**_offers(session))

    async def fork(self, asked: ForkSessionRequest) -> m.NewSessionResponse:
        """Open a copy of a stored session."""
        self._stored(asked.session_id)
        copy = self._make(str(uuid.uuid4()), asked)
        session = await self._start(copy, fork_of=asked.session_id)
        return m.NewSessionResponse(session_id=session.id, **_offers(session))

    def _make(self, session_id: str, asked: Any) -> Session:
        return Session(self._client, self._options, setup_for(session_id, asked))

    async def _start(
        self, session: Session, *, resume: bool = False, fork_of: str | None = None
    ) -> Session:
        if (before := self._open.pop(session.id, None)) is not None:
            await before.close()
        await session.start(resume=resume, fork_of=fork_of)
        self._open[session.id] = session
        # Called when the answer is sent: before that the client does not know the session.
        asyncio.get_running_loop().call_soon(session.announce)
        return session

    async def list(self, asked: m.ListSessionsRequest) -> m.ListSessionsResponse:
        """One page of the stored sessions."""
        cwd, cursor = (v if isinstance(v, str) else None for v in (asked.cwd, asked.cursor))
        return await asyncio.to_thread(page_of_sessions, cwd, cursor, self._options.env)

    async def close(self, asked: m.CloseSessionRequest) -> m.CloseSessionResponse:
        """End a session; it stays stored."""
        await self._session(asked.session_id).close()
        self._open.pop(asked.session_id, None)
        return m.CloseSessionResponse()

    async def delete(self, asked: m.DeleteSessionRequest) -> m.DeleteSessionResponse:
        """End a session and remove it from disk."""
        if (session := self._open.pop(asked.session_id, None)) is not None:
            await session.close()
        if (info := stored_session(asked.session_id, self._options.env)) is not None:
            delete_session(info)
        return m.DeleteSessionResponse()

    # Inside a session.

    async def set_mode(self, asked: m.SetSessionModeRequest) -> m.SetSessionModeResponse:
        """Switch the permission mode."""
        await self._session(asked.session_id).set_mode(asked.mode_id)
        return m.SetSessionModeResponse()

    async def set_option(self, asked: Any) -> m.SetSessionConfigOptionResponse:
        """Choose a value of a config option."""
        if not isinstance(asked, m.SetSessionConfigOptionRequestValueId):
            raise InvalidParams("value: the id of a value is wanted")
        session = self._session(asked.session_id)
        await session.set_option(asked.config_id, asked.value)
        options = option.config_options(session.choices)
        return m.SetSessionConfigOptionResponse(config_options=options)

    async def prompt(self, asked: m.PromptRequest) -> m.PromptResponse:
        """Ask, and answer when the turn has ended."""
        reason = await self._session(asked.session_id).prompt(asked.prompt)
        return m.PromptResponse(stop_reason=reason)

    def cancel(self, asked: m.CancelNotification) -> None:
        """Cancel what runs in a session and what waits."""
        if (session := self._open.get(asked.session_id)) is not None:
            session.cancel()

    def _session(self, session_id: str) -> Session:
        session = self._open.get(session_id)
        if session is None:
            raise NotFound(f"no session {session_id} is open")
        return session

    def _stored(self, session_id: str) -> SessionInfo:
        info = stored_session(session_id, self._options.env)
        if info is None:
            raise NotFound(f"there is no session {session_id}")
        return info


def _offers(session: Session) -> dict[str, Any]:
    return {
        "modes": option.modes(session.choices),
        "config_options": option.config_options(session.choices),
    }
