"""The client, as the agent sees it: what it can do, what it is told, what it is asked."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Raw, Struct

from anyide.acp import messages as m
from anyide.acp.read import Misfit, read
from anyide.acp.wishes import Wishes
from anyide.errors import InvalidAnswer
from anyide.rpc.connection import Connection


class Abilities(Struct, frozen=True, kw_only=True):
    """What the client declared when it introduced itself."""

    files: bool = False
    terminal: bool = False
    forms: bool = False
    links: bool = False
    terminal_login: bool = False
    wishes: Wishes = Wishes()


def abilities_of(declared: m.ClientCapabilities | Any) -> Abilities:
    """The abilities behind the declaration; what is left out is not there."""
    if not isinstance(declared, m.ClientCapabilities):
        return Abilities()
    files = declared.fs if isinstance(declared.fs, m.FileSystemCapabilities) else None
    session = declared.session if isinstance(declared.session, Struct) else None
    asked = declared.elicitation if isinstance(declared.elicitation, Struct) else None
    meta = declared.meta if isinstance(declared.meta, dict) else {}
    login = isinstance(declared.auth, m.AuthCapabilities) and declared.auth.terminal is True
    return Abilities(
        files=files is not None and files.read_text_file is True and files.write_text_file is True,
        terminal=declared.terminal is True,
        forms=_has(asked, "form"),
        links=_has(asked, "url"),
        terminal_login=login or meta.get("terminal-auth") is True,
        wishes=Wishes(notices=_has(session, "notices"), compaction=_has(session, "compaction")),
    )


class Client:
    """Requests and notifications to the client, typed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.abilities = Abilities()

    def update(self, session_id: str, update: m.SessionUpdate) -> None:
        """Tell what happens in a session."""
        told = m.SessionNotification(session_id=session_id, update=update)
        self._connection.notify("session/update", told)

    async def drain(self) -> None:
        """Wait while the client is slow to read."""
        await self._connection.drain()

    async def request_permission(
        self, session_id: str, call: m.ToolCallUpdate, options: list[m.PermissionOption]
    ) -> str | None:
        """Ask the person; the id of what they chose, or None when the turn was cancelled."""
        asked = m.RequestPermissionRequest(session_id=session_id, tool_call=call, options=options)
        answer = await self._ask("session/request_permission", asked, m.RequestPermissionResponse)
        outcome = answer.outcome
        return outcome.option_id if isinstance(outcome, m.SelectedPermissionOutcome) else None

    async def elicit(self, question: m.CreateElicitationRequest) -> m.CreateElicitationResponse:
        """Show a form or a link to the person."""
        answer: m.CreateElicitationResponse = await self._ask(
            "elicitation/create", question, m.CreateElicitationResponse
        )
        return answer

    def elicitation_complete(self, elicitation_id: str) -> None:
        """Tell that what a link asked for is done."""
        done = m.CompleteElicitationNotification(elicitation_id=elicitation_id)
        self._connection.notify("elicitation/complete", done)

    async def read_text_file(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        """The text of a file, as its buffer has it."""
        asked = m.ReadTextFileRequest(
            session_id=session_id,
            path=path,
            line=UNSET if line is None else line,
            limit=UNSET if limit is None else limit,
        )
        answer = await self._ask("fs/read_text_file", asked, m.ReadTextFileResponse)
        return str(answer.content)

    async def write_text_file(self, session_id: str, path: str, content: str) -> None:
        """Put a text into a file, through its buffer."""
        asked = m.WriteTextFileRequest(session_id=session_id, path=path, content=content)
        await self._connection.request("fs/write_text_file", asked, kind=Raw)

    async def create_terminal(self, asked: m.CreateTerminalRequest) -> str:
        """Start a command in a terminal of the client; the id of the terminal."""
        answer = await self._ask("terminal/create", asked, m.CreateTerminalResponse)
        return str(answer.terminal_id)

    async def terminal_output(self, session_id: str, terminal_id: str) -> m.TerminalOutputResponse:
        """What the command has printed so far."""
        asked = m.TerminalOutputRequest(session_id=session_id, terminal_id=terminal_id)
        answer: m.TerminalOutputResponse = await self._ask(
            "terminal/output", asked, m.TerminalOutputResponse
        )
        return answer

    async def wait_for_exit(
        self, session_id: str, terminal_id: str
    ) -> m.WaitForTerminalExitResponse:
        """Wait until the command has ended."""
        asked = m.WaitForTerminalExitRequest(session_id=session_id, terminal_id=terminal_id)
        answer: m.WaitForTerminalExitResponse = await self._ask(
            "terminal/wait_for_exit", asked, m.WaitForTerminalExitResponse
        )
        return answer

    async def kill_terminal(self, session_id: str, terminal_id: str) -> None:
        """End the command; its output stays."""
        asked = m.KillTerminalRequest(session_id=session_id, terminal_id=terminal_id)
        await self._connection.request("terminal/kill", asked, kind=Raw)

    async def release_terminal(self, session_id: str, terminal_id: str) -> None:
        """Let the terminal go; the client may go on showing it."""
        asked = m.ReleaseTerminalRequest(session_id=session_id, terminal_id=terminal_id)
        await self._connection.request("terminal/release", asked, kind=Raw)

    async def _ask(self, method: str, params: Any, kind: Any) -> Any:
        answer = await self._connection.request(method, params, kind=dict[str, Any])
        try:
            return read(answer, kind)
        except Misfit as error:
            raise InvalidAnswer(method, str(error)) from error


def _has(declared: Struct | None, name: str) -> bool:
    value = getattr(declared, name, None)
    return isinstance(value, Struct | dict)
