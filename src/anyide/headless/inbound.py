"""What the CLI asks of us, answered: permissions, hooks, tools, elicitations, dialogs.

Each request is a task of its own, so that one that waits for a person holds up nothing.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from anyide.errors import AnyideError, ProtocolBroken
from anyide.headless.control import (
    UNSUPPORTED,
    Answer,
    Asked,
    CanUseTool,
    ControlRequest,
    Elicitation,
    HookCallback,
    McpMessage,
    Reply,
    UserDialog,
)
from anyide.headless.hook import HookTable
from anyide.headless.permission import Deny, Permission
from anyide.headless.permission import answer as permission_answer
from anyide.headless.toolbox import Toolbox

_log = logging.getLogger(__name__)
_decode = msgspec.json.Decoder(Asked).decode
_NO_ANSWER = object()

Elicit = Callable[[Elicitation], Mapping[str, Any] | Awaitable[Mapping[str, Any]]]
ShowDialog = Callable[[UserDialog], Any]


class Inbound:
    """Answers the CLI's control requests through `send`."""

    def __init__(
        self,
        send: Callable[[Reply], None],
        *,
        permission: Permission | None,
        hooks: HookTable,
        toolboxes: Mapping[str, Toolbox],
        elicitation: Elicit | None,
        dialog: ShowDialog | None,
        dialog_kinds: frozenset[str],
    ) -> None:
        self._send = send
        self._permission = permission
        self._hooks = hooks
        self._toolboxes = toolboxes
        self._elicitation = elicitation
        self._dialog = dialog
        self._dialog_kinds = dialog_kinds
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def ask(self, message: ControlRequest) -> None:
        """Answer a request, in the background."""
        try:
            asked = _decode(message.request)
        except msgspec.DecodeError as error:
            self._refuse(message.request_id, f"cannot answer this: {error}", code=UNSUPPORTED)
            return
        task = asyncio.get_running_loop().create_task(self._answer(message.request_id, asked))
        self._tasks[message.request_id] = task
        task.add_done_callback(lambda _: self._tasks.pop(message.request_id, None))

    def cancel(self, request_id: str) -> None:
        """The CLI no longer wants an answer."""
        task = self._tasks.pop(request_id, None)
        if task is not None:
            task.cancel()

    def close(self) -> None:
        """Stop answering."""
        for request_id in list(self._tasks):
            self.cancel(request_id)

    async def _answer(self, request_id: str, asked: Asked) -> None:
        try:
            answer = await self._find(asked)
            if answer is not _NO_ANSWER:
                self._succeed(request_id, answer)  # raises for an answer that is no JSON
        except asyncio.CancelledError as error:
            if _is_cancelled():  # the CLI or the end of the session did it
                raise
            self._failed(request_id, asked, error)
        except Exception as error:  # noqa: BLE001 - what a callback raises must reach the CLI
            self._failed(request_id, asked, error)

    async def _find(self, asked: Asked) -> Any:
        match asked:
            case CanUseTool():
                return await self._permit(asked)
            case HookCallback():
                return dict(await _wait(self._hooks.find(asked.callback_id)(asked)) or {})
            case McpMessage():
                return await self._tool(asked)
            case Elicitation():
                if self._elicitation is None:
                    return {"action": "decline"}
                return dict(await _wait(self._elicitation(asked)))
            case UserDialog():
                return await self._show(asked)

    async def _permit(self, asked: CanUseTool) -> Any:
        if self._permission is None:
            return Deny(message="Nobody is there who could allow this.").answer(asked)
        return permission_answer(await _wait(self._permission(asked)), asked)

    async def _tool(self, asked: McpMessage) -> Any:
        toolbox = self._toolboxes.get(asked.server_name)
        if toolbox is None:
            raise ProtocolBroken(f"no server {asked.server_name!r} is in this process")
        answer = await toolbox.answer(asked.message)
        return {"mcp_response": answer or {"jsonrpc": "2.0", "result": {}, "id": 0}}

    async def _show(self, asked: UserDialog) -> Any:
        if self._dialog is None or asked.dialog_kind not in self._dialog_kinds:
            return _NO_ANSWER  # the protocol: a kind that was not declared stays unanswered
        result = await _wait(self._dialog(asked))
        if result is None:
            return {"behavior": "cancelled"}
        return {"behavior": "completed", "result": result}

    def _failed(self, request_id: str, asked: Asked, error: BaseException) -> None:
        _log.warning("a callback for %s failed", type(asked).__name__, exc_info=error)
        problem = str(error) if isinstance(error, AnyideError) else _describe(error)
        if isinstance(asked, CanUseTool):
            denied = Deny(message=f"The question could not be asked: {problem}").answer(asked)
            self._succeed(request_id, denied)
        else:
            self._refuse(request_id, problem)

    def _succeed(self, request_id: str, answer: Any) -> None:
        found = Answer(subtype="success", request_id=request_id, response=answer)
        self._send(Reply(response=found))

    def _refuse(self, request_id: str, problem: str, *, code: str | None = None) -> None:
        answer = Answer(subtype="error", request_id=request_id, error=problem, error_code=code)
        self._send(Reply(response=answer))


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


async def _wait(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
