"""`Claude`: a session with the CLI.

    async with Claude(cwd=".", permission=ask_me, include_partial=True) as claude:
        async for event in claude.ask("Rename foo to bar"):
            ...
        reply = await claude.ask("And the tests?")

What comes is read, decoded and routed as it arrives, whether or not anybody reads the turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import msgspec

from anyide.errors import AnyideError, ClaudeError, RequestTimeout, UsageError
from anyide.headless import argv
from anyide.headless.control import Prompt
from anyide.headless.hook import Hooks, HookTable
from anyide.headless.inbound import Elicit, Inbound, ShowDialog
from anyide.headless.inbox import MAX_UNREAD_BYTES
from anyide.headless.link import Connect, Link, connect_process
from anyide.headless.messages import Message
from anyide.headless.options import Options
from anyide.headless.outbound import Controls, Outbound
from anyide.headless.permission import Permission
from anyide.headless.tool_function import Tool
from anyide.headless.toolbox import NAME, Toolbox
from anyide.headless.turn import Turn
from anyide.headless.turns import Turns

_log = logging.getLogger(__name__)

START_SECONDS = 60.0
INTERRUPT_SECONDS = 0.25
MAX_UNPROMPTED = 16


class Claude(Controls):
    """A session; use it with `async with`. Options are those of `Options`.

    permission: called when the model wants to use a tool that is not allowed by rule.
    hooks: functions by event, for example {"PreToolUse": check}.
    tools: functions that the model may call, in this process; without a question, unless
        `allow_tools` is false.
    on_message: called with each message that belongs to no turn.
    record: a file to which the session is recorded, for `replay`.
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        permission: Permission | None = None,
        hooks: Hooks | None = None,
        tools: Iterable[Tool | Callable[..., Any]] = (),
        allow_tools: bool = True,
        elicitation: Elicit | None = None,
        dialog: ShowDialog | None = None,
        on_message: Callable[[Message], None] | None = None,
        connect: Connect | None = None,
        record: str | os.PathLike[str] | None = None,
        start_timeout: float = START_SECONDS,
        max_unread_bytes: int = MAX_UNREAD_BYTES,
        **changes: Any,
    ) -> None:
        self._toolboxes = {NAME: box} if (box := Toolbox(tools)).tools else {}
        self.options = _changed(options or Options(), changes)
        if allow_tools:
            self.options = _with_tools(self.options, self._toolboxes)
        if permission is not None and self.options.permission_prompt_tool is not None:
            raise UsageError("give a permission callback or a permission_prompt_tool, not both")
        self._hooks = HookTable(hooks or {})
        self._asks_permission = permission is not None
        self._connect = connect or connect_process
        self._record = record
        self._start_timeout = start_timeout
        self._turns = Turns(max_unread_bytes=max_unread_bytes)
        self._turns.outside = self._outside
        self._turns.unprompted = self._unprompted
        self._self_started: asyncio.Queue[Turn | None] = asyncio.Queue(MAX_UNPROMPTED)
        self._on_message = on_message
        self._link = Link(self._turns, self._lost)
        self._outbound = Outbound(self._link.send)
        self._inbound = Inbound(
            self._link.send,
            permission=permission,
            hooks=self._hooks,
            toolboxes=self._toolboxes,
            elicitation=elicitation,
            dialog=dialog,
            dialog_kinds=frozenset(self.options.dialog_kinds),
        )
        self._link.inbound, self._link.outbound = self._inbound, self._outbound
        self._closing: asyncio.Task[None] | None = None
        self._is_open = False
        self.info: dict[str, Any] = {}
        """What the CLI answered to `initialize`: commands, models, account, version."""

    # From the beginning to the end.

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Start the CLI and introduce ourselves; raises ClaudeNotFound, ClaudeExited, …"""
        if self._is_open or self._closing is not None:
            raise UsageError("a session is started once")
        self._is_open = True
        if self._record is not None:
            from anyide.headless.record import Recorder  # noqa: PLC0415 - seldom needed

            self._link.recorder = Recorder(self._record, env=self.options.env)
        try:
            await self._connect(self._link, self.options, self._asks_permission)
            self.info = await self.request(
                "initialize", timeout=self._start_timeout, **self._introduction()
            )
        except RequestTimeout as error:
            await self.close()
            raise ClaudeError(
                f"Claude Code did not answer within {self._start_timeout:g} s of its start"
                f"{_said(self._link.stderr_tail)}"
            ) from error
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End the CLI: interrupt what runs, end its input, and if need be kill it."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._end())
        await asyncio.shield(self._closing)

    async def _end(self) -> None:
        self._is_open = False
        try:
            if self._turns.current is not None or self._turns.open:
                await self._interrupt_quickly()
        finally:
            self._inbound.close()
            await self._link.close()

    async def _interrupt_quickly(self) -> None:
        with contextlib.suppress(AnyideError, TimeoutError):
            async with asyncio.timeout(INTERRUPT_SECONDS):
                await self.request("interrupt", cancel_queued=True)
                for turn in list(self._turns.open.values()):
                    await turn.ended()

    def _introduction(self) -> dict[str, Any]:
        fields = argv.initialize(self.options)
        if self._hooks.declared:
            fields["hooks"] = self._hooks.declared
        if self._toolboxes:
            fields["sdkMcpServers"] = list(self._toolboxes)
        return fields

    # Turns.

    def ask(
        self,
        prompt: str | Sequence[Mapping[str, Any]],
        *,
        priority: str | None = None,
        uuid: str | None = None,
    ) -> Turn:
        """Send a prompt, text or content blocks; iterate over the turn or await it.

        Prompts may be queued: each gets its own turn. Raises ClaudeError when the CLI has ended.
        """
        message = self._prompt(prompt, uuid)
        if priority is not None:
            message = msgspec.structs.replace(message, priority=priority)
        turn = self._turns.add(message.uuid)  # first: the wire may break while this is sent
        try:
            self._link.send(message)
        except BaseException:  # what is no JSON was not asked
            self._turns.drop(message.uuid)
            raise
        return turn

    def tell(self, text: str | Sequence[Mapping[str, Any]]) -> None:
        """Add something to the conversation without asking for an answer."""
        self._link.send(msgspec.structs.replace(self._prompt(text, None), should_query=False))

    def _prompt(self, content: str | Sequence[Mapping[str, Any]], uuid: str | None) -> Prompt:
        if not self._is_open:
            raise UsageError("the session is not open: use `async with Claude(…) as claude`")
        if self._link.error is not None:
            raise self._link.error
        said = content if isinstance(content, str) else list(content)
        return Prompt(
            message={"role": "user", "content": said},
            uuid=uuid or new_uuid(),
            session_id=self.session_id,
            client_composed=True if self.options.verbatim else msgspec.UNSET,
        )

    async def unprompted(self) -> AsyncIterator[Turn]:
        """The turns that the CLI starts by itself, for example after a task; until it ends."""
        while (turn := await self._self_started.get()) is not None:
            yield turn
        self._self_started.put_nowait(None)  # for whoever else waits

    @property
    def session_id(self) -> str:
        """The id of the session, to resume it by; known from the first turn on."""
        return self._turns.session_id or self.options.session_id or ""

    @property
    def state(self) -> str:
        """idle, running or requires_action, as the CLI last said."""
        return self._turns.state

    @property
    def counts(self) -> dict[str, int]:
        """Lines that were read, and those that were no message."""
        return {"lines": self._link.lines, "noise": self._link.noise}

    @property
    def stderr_tail(self) -> str:
        """The last that the CLI wrote to its standard error."""
        return self._link.stderr_tail

    @property
    def pid(self) -> int | None:
        """The process id of the CLI."""
        return self._link.pid

    def _unprompted(self, turn: Turn | None) -> None:
        if self._self_started.full():  # nobody wants them
            oldest = self._self_started.get_nowait()
            if oldest is not None:
                oldest.inbox.discard()
        self._self_started.put_nowait(turn)

    def _outside(self, message: Message) -> None:
        if self._on_message is None:
            return
        try:
            self._on_message(message)
        except Exception:  # noqa: BLE001 - a callback must not stop the reader
            _log.exception("on_message failed for %s", type(message).__name__)

    def _lost(self, error: ClaudeError) -> None:
        self._outbound.fail(error)
        self._inbound.close()
        self._turns.fail(error)
        self._unprompted(None)


def new_uuid() -> str:
    """An id for a prompt."""
    return str(uuid.uuid4())


def _changed(options: Options, changes: Mapping[str, Any]) -> Options:
    try:
        return msgspec.structs.replace(options, **changes)
    except TypeError as error:
        known = ", ".join(Options.__struct_fields__)
        raise UsageError(f"{error}; the options are {known}") from error


def _with_tools(options: Options, toolboxes: Mapping[str, Toolbox]) -> Options:
    """Allow what this process offers: whoever writes a tool wants it to be used."""
    ours = [name for box in toolboxes.values() for name in box.allowed]
    if not ours:
        return options
    return msgspec.structs.replace(options, allowed_tools=[*options.allowed_tools, *ours])


def _said(stderr: str) -> str:
    return f"; it said: {stderr.strip()[-2000:]}" if stderr.strip() else ""
