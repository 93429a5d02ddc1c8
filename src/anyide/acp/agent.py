"""The agent: answers the client's requests. Protocol version 1.

To be introduced quickly, only what that needs is imported at first; the rest follows right after.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from anyide import __version__
from anyide.acp import messages as m
from anyide.acp.client import Abilities, Client, abilities_of
from anyide.acp.failure import AuthRequired
from anyide.acp.read import lossless, read_params
from anyide.errors import InvalidParams
from anyide.rpc.connection import Connection
from anyide.rpc.message import Notification, Request
from anyide.rpc.peer import CancelRule

if TYPE_CHECKING:
    from anyide.acp.sessions import Sessions
    from anyide.acp.setup import AgentOptions

VERSION = 1
LOGINS = {
    "claudeai": ("Log in with a Claude subscription", "Claude Pro, Max, Team or Enterprise"),
    "console": ("Log in with the Anthropic Console", "Billed by use of the API"),
}
"""The accounts that the CLI can log in with: what a client shows of each."""
CANCEL_RULE = CancelRule("$/cancel_request", "requestId", -32800)

Answer = Coroutine[Any, Any, Any]

_SESSION_METHODS = {
    "session/new": "new",
    "session/load": "load",
    "session/resume": "resume",
    "session/fork": "fork",
    "session/list": "list",
    "session/close": "close",
    "session/delete": "delete",
    "session/set_mode": "set_mode",
    "session/set_config_option": "set_option",
    "session/prompt": "prompt",
}


class Agent:
    """The agent of one client."""

    def __init__(self, options: Callable[[], AgentOptions]) -> None:
        self._options = options
        self._client: Client | None = None
        self._sessions: Sessions | None = None
        self.handlers: dict[str, Callable[[Any], Any]] = {
            "initialize": self._initialize,
            "authenticate": self._authenticate,
            "logout": self._logout,
            "session/cancel": self._cancel,
            **{method: self._for_session(name) for method, name in _SESSION_METHODS.items()},
        }

    def connect(self, connection: Connection) -> None:
        """Take the connection to the client."""
        self._client = Client(connection)

    async def close(self) -> None:
        """End every session, and every process with it."""
        if self._sessions is not None:
            await self._sessions.close_all()

    @property
    def client(self) -> Client:
        """The client; there is one from the beginning on."""
        assert self._client is not None
        return self._client

    @property
    def sessions(self) -> Sessions:
        """The sessions; loaded when the first is wanted."""
        if self._sessions is None:
            from anyide.acp.sessions import Sessions  # noqa: PLC0415 - slow to import

            self._sessions = Sessions(self.client, self._options())
        return self._sessions

    def _initialize(self, request: Request) -> Any:
        asked: m.InitializeRequest = read_params(request.params, m.InitializeRequest)
        self.client.abilities = abilities_of(asked.client_capabilities)
        asyncio.get_running_loop().call_later(0.001, lambda: self.sessions)
        # "If the Agent supports the requested version, it MUST respond with the same version.
        # Otherwise, the Agent MUST respond with the latest version it supports."
        return lossless(introduction(self.client.abilities))

    async def _authenticate(self, request: Request) -> m.AuthenticateResponse:
        """The client has shown the log-in in a terminal; see whether that worked."""
        from anyide.acp.login import is_logged_in  # noqa: PLC0415 - slow to import

        asked: m.AuthenticateRequest = read_params(request.params, m.AuthenticateRequest)
        if asked.method_id not in LOGINS:
            raise InvalidParams(f"methodId: there is no way {asked.method_id!r} to log in")
        if not await is_logged_in(self._options()):
            how = f"run `anyide acp --login {asked.method_id}` in a terminal"
            raise AuthRequired(how)
        return m.AuthenticateResponse()

    async def _logout(self, _: Request) -> m.LogoutResponse:
        from anyide.acp.login import log_out  # noqa: PLC0415 - slow to import

        await log_out(self._options())
        await self.sessions.rest()
        return m.LogoutResponse()

    def _for_session(self, name: str) -> Callable[[Request], Answer]:
        async def handle(request: Request) -> Any:
            kind = self.sessions.kinds[name]
            return await getattr(self.sessions, name)(read_params(request.params, kind))

        return handle

    def _cancel(self, notification: Notification) -> None:
        self.sessions.cancel(read_params(notification.params, m.CancelNotification))


def introduction(abilities: Abilities) -> m.InitializeResponse:
    """What we can do, and only that."""
    methods: list[m.AuthMethod] = []
    if abilities.terminal_login:
        methods = [
            m.AuthMethodTerminal(id=way, name=name, description=about, args=["--login", way])
            for way, (name, about) in LOGINS.items()
        ]
    return m.InitializeResponse(
        protocol_version=VERSION,
        agent_capabilities=m.AgentCapabilities(
            load_session=True,
            prompt_capabilities=m.PromptCapabilities(image=True, embedded_context=True),
            mcp_capabilities=m.McpCapabilities(http=True, sse=True),
            session_capabilities=m.SessionCapabilities(
                list=m.SessionListCapabilities(),
                delete=m.SessionDeleteCapabilities(),
                additional_directories=m.SessionAdditionalDirectoriesCapabilities(),
                resume=m.SessionResumeCapabilities(),
                close=m.SessionCloseCapabilities(),
                extra={"fork": {}},  # not in the stable schema yet
            ),
            auth=m.AgentAuthCapabilities(logout=m.LogoutCapabilities()),
        ),
        auth_methods=methods,
        agent_info=m.Implementation(name="anyide", title="Claude Code", version=__version__),
    )
