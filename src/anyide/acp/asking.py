"""What Claude wants to know from the person, asked through the client: permissions, questions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable
from typing import Any, Protocol, TypeVar

from msgspec import structs

from anyide.acp import question
from anyide.acp.check import denial
from anyide.acp.client import Client
from anyide.acp.messages import SessionUpdate
from anyide.acp.permission import decision, options_for, remembered
from anyide.acp.translate import Translator
from anyide.errors import AnyideError
from anyide.headless.control import CanUseTool, Elicitation
from anyide.headless.messages import Message
from anyide.headless.notice import ElicitationComplete
from anyide.headless.permission import Allow, Deny

_log = logging.getLogger(__name__)

T = TypeVar("T")
CATCH_UP = 50
"""How often the loop may turn until what the model said before its question has been told."""


class Host(Protocol):
    """The session on whose behalf is asked."""

    @property
    def id(self) -> str:
        """The id of the session."""
        ...

    @property
    def translator(self) -> Translator:
        """What the client was told."""
        ...

    def tell(self, updates: Iterable[SessionUpdate]) -> None:
        """Send updates."""
        ...

    async def have_old_text(self, identity: str, name: str, given: dict[str, Any]) -> None:
        """Have the text of a file at hand before a change of it is told."""
        ...


class Substitute(Protocol):
    """Tools of the client that stand for built-in ones."""

    def builtin(self, name: str) -> str:
        """The built-in tool that a tool of ours stands for, or the name as it is."""
        ...

    async def verdict(self, builtin: str, given: dict[str, Any]) -> str:
        """What the person's rules say: allow, deny or ask."""
        ...


class Abandoned(Exception):
    """The turn was cancelled while the person was asked."""


class Asking:
    """Asks through the client, and stops waiting when the turn is cancelled."""

    def __init__(self, client: Client, host: Host, substitute: Substitute) -> None:
        self._client = client
        self._host = host
        self._substitute = substitute
        self._abandoned = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()

    async def permit(self, request: CanUseTool) -> Allow | Deny:
        """May this tool be used? Called by the CLI's question."""
        builtin = self._substitute.builtin(request.tool_name)
        is_ours = builtin != request.tool_name
        if is_ours:
            request = _as_builtin(request, builtin, self._host.translator.choices.mode)
        await self._catch_up(request.tool_use_id)
        if is_ours:
            verdict = await self._substitute.verdict(builtin, request.input)
            if verdict == "deny":
                return Deny(message=denial(builtin))
            # A hook or a rule that wants the question asked has a reason; ours must not answer it.
            if verdict == "allow" and not request.decision_reason_type:
                self._host.tell(self._host.translator.calls.run(request.tool_use_id))
                return Allow()
        if request.tool_name == question.ASK:
            return await self._question(request)
        return await self._permission(request)

    async def elicit(self, asked: Elicitation) -> dict[str, Any]:
        """An MCP server wants to know something."""
        abilities = self._client.abilities
        if not (abilities.links if asked.mode == "url" else abilities.forms):
            return {"action": "decline"}
        shown = question.elicitation_of(asked, self._host.id)
        try:
            return question.elicited(await self._wait(self._client.elicit(shown)))
        except Abandoned:
            return {"action": "cancel"}
        except AnyideError as error:
            _log.warning("a question of %s was not shown: %s", asked.mcp_server_name, error)
            return {"action": "cancel"}

    def saw(self, message: Message) -> None:
        """Pass on that what a link asked for is done."""
        if isinstance(message, ElicitationComplete):
            self._client.elicitation_complete(message.elicitation_id)

    def abandon(self) -> None:
        """The turn is cancelled: nobody waits for an answer any more."""
        self._abandoned.set()
        self._abandoned = asyncio.Event()

    async def _permission(self, request: CanUseTool) -> Allow | Deny:
        calls = self._host.translator.calls
        await self._host.have_old_text(request.tool_use_id, request.tool_name, request.input)
        told, call = calls.ask(request)
        self._host.tell(told)
        asked = self._client.request_permission(self._host.id, call, options_for(request))
        try:
            answer = decision(request, await self._wait(asked))
        except Abandoned:
            return decision(request, None)
        except AnyideError as error:
            return Deny(message=f"The person could not be asked: {error}")
        if isinstance(answer, Allow):
            self._host.tell(calls.run(request.tool_use_id))
            self._tell_mode(answer)
        return answer

    def _tell_mode(self, answer: Allow) -> None:
        for update in answer.remember:
            if update.get("type") == "setMode":
                self._host.tell(self._host.translator.choose(mode=str(update["mode"])))

    async def _question(self, request: CanUseTool) -> Allow | Deny:
        form = question.form_of(request.input, self._host.id, request.tool_use_id)
        try:
            answer = await self._wait(self._client.elicit(form))
        except Abandoned:
            return decision(request, None)
        except AnyideError as error:
            return Deny(message=f"The person could not be asked: {error}")
        answered = question.answers_of(request.input, answer)
        if answered is None:
            return Deny(message="The person did not want to answer.")
        self._host.tell(self._host.translator.calls.run(request.tool_use_id))
        return Allow(input=answered)

    async def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The client's answer; raises Abandoned when the turn is cancelled meanwhile."""
        abandoned = self._abandoned
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        stop = asyncio.ensure_future(abandoned.wait())
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # The CLI has got its answer elsewhere: the client need not go on asking. After a
            # cancelled turn it knows that by itself.
            if not abandoned.is_set():
                task.cancel()
            raise
        finally:
            stop.cancel()
        if not task.done():
            raise Abandoned
        return task.result()

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()

    async def _catch_up(self, identity: str) -> None:
        """Questions overtake what was said before them: let that be told first."""
        for _ in range(CATCH_UP):
            if self._host.translator.calls.given_to(identity):
                return
            await asyncio.sleep(0)


def _as_builtin(request: CanUseTool, builtin: str, mode: str) -> CanUseTool:
    """The request as the built-in tool would make it."""
    suggestions = remembered(builtin, request.input, mode)
    return structs.replace(
        request, tool_name=builtin, title=None, permission_suggestions=suggestions
    )
