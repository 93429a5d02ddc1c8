"""One connected CLI: what it may ask, what it is told, and whether it is still there."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import msgspec

from anyide import __version__
from anyide.editor.model import Cause, FileDiagnostics, Mention, Selection
from anyide.errors import AnyideError, ConnectionClosed, InvalidParams, RequestTimeout, RpcError
from anyide.ide.context import Context
from anyide.ide.heartbeat import Heartbeat, Process, is_claude, look_at
from anyide.ide.lock import started_at
from anyide.ide.messages import (
    AtMentioned,
    CallParams,
    CallResult,
    IdeConnected,
    Implementation,
    InitializeParams,
    InitializeResult,
    JsonResult,
    Roots,
    SelectionChanged,
    ToolList,
    WireSelection,
)
from anyide.ide.throttle import Throttle
from anyide.ide.tools import TOOLS
from anyide.ide.tools.tool import Tool
from anyide.ide.workspace.methods import METHODS, Method
from anyide.rpc.connection import Connection, Handler
from anyide.rpc.message import ErrorCode, Notification, Request
from anyide.rpc.params import decode_params
from anyide.rpc.peer import CancelRule
from anyide.rpc.transport import Transport

CANCEL = CancelRule("notifications/cancelled", "requestId")
ROOTS_TIMEOUT = 5.0
GREETING_DELAYS = (0.1, 0.4, 1.5)
"""When to tell the current selection: for a moment after `tools/list` the CLI drops what it is
told, and no message says when that ends."""
FAREWELL_SECONDS = 1.0
"""How long calls that are in progress may take to answer when the server goes away."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class SessionInfo(msgspec.Struct, frozen=True):
    """What is known of a session: the CLI's process, version and folders."""

    id: str
    pid: int | None = None
    client: str = ""
    version: str = ""
    folders: tuple[str, ...] = ()
    is_ready: bool = False
    is_silent: bool = False


class Session:
    """The server's end of one conversation; a `Receiver` for its transport."""

    def __init__(
        self,
        make_context: Callable[[str], Context],
        *,
        server_name: str,
        heartbeat: Heartbeat,
        on_change: Callable[[Session], None],
        on_closed: Callable[[Session], None],
    ) -> None:
        self.info = SessionInfo(id=secrets.token_hex(4))
        self._context = make_context(self.info.id)
        self._server_name = server_name
        self._heartbeat = heartbeat
        self._on_change = on_change
        self._on_closed = on_closed
        self._process_started: float | None = None
        self._heard = False
        self._missed = 0
        self._is_greeted = False
        self._calls: set[asyncio.Task[Any]] = set()
        self._background: set[asyncio.Task[None]] = set()
        self._connection = Connection(
            self._handlers(), cancel=CANCEL, on_closed=self._closed, name=f"session {self.info.id}"
        )
        self._shown: SelectionChanged | None = None
        self._selections = Throttle(self._send_selection)
        self._mentions = Throttle(self._say("at_mentioned"), repeats=True)
        self._diagnostics = Throttle(self._say("diagnostics_changed"))
        self._throttles = (self._selections, self._mentions, self._diagnostics)

    # What the server tells it.

    def tell_selection(self, selection: Selection) -> None:
        """Tell the selection, as far as it may be shared by then; a storm is tamed."""
        self._selections.offer(selection)

    def clear_selection(self) -> None:
        """Take the selected text back, else the CLI would go on sending it with every prompt.

        The CLI knows no message for "nothing", so the file it knows already is named once more.
        """
        self._selections.discard()
        self._selections.forget()
        if self._shown is not None and self._shown.text:
            start = self._shown.selection.start
            cursor = WireSelection(start, start, is_empty=True)
            self._show(msgspec.structs.replace(self._shown, text="", selection=cursor))

    def pause(self, *, paused: bool) -> None:
        """Take back what is shown and what is still to be sent, or show the selection again."""
        if paused:
            for throttle in self._throttles:
                throttle.discard()
            self.clear_selection()
        elif self.info.is_ready:
            self._run(self._tell_current_selection())

    def tell_mention(self, mention: Mention) -> bool:
        """Put a file into the prompt; False when it may not be shared."""
        if not self._context.may_share(mention.path):
            return False
        path = self._context.wire(mention.path)
        lines = {}
        if mention.line_start is not None:
            end = mention.line_start if mention.line_end is None else mention.line_end
            lines = {"line_start": mention.line_start, "line_end": end}
        said = AtMentioned(path, **lines)
        self._mentions.offer(said, key=repr(said))
        return True

    def tell_diagnostics(self, changed: FileDiagnostics) -> None:
        """Tell what is wrong with a file now."""
        told = self._context.diagnostics(changed)
        if told is not None:
            self._diagnostics.offer(told, key=told.uri)

    async def leave(self, reason: str) -> None:
        """Withdraw its reviews undecided, let calls answer, and close."""
        self._context.reviews.close_all(Cause.EDITOR_GONE)
        if self._calls:
            await asyncio.wait(self._calls, timeout=FAREWELL_SECONDS)
        await self._context.reviews.dismissed(FAREWELL_SECONDS)
        self._connection.close(1001, reason)

    @property
    def is_closed(self) -> bool:
        """Whether the conversation is over."""
        return self._connection.is_closed

    @property
    def pending_reviews(self) -> int:
        """How many of its changes wait for a person."""
        return len(self._context.reviews)

    # As a receiver: pass on, and note that something was heard.

    def attached(self, transport: Transport) -> None:
        """The CLI is there."""
        self._connection.attached(transport)
        self._run(self._watch())

    def received(self, data: bytes) -> None:
        """The CLI said something."""
        self._heard = True
        if self._missed:
            self._set_missed(0)
        self._connection.received(data)

    def lost(self, error: ConnectionClosed) -> None:
        """The CLI is gone."""
        self._connection.lost(error)

    def _closed(self, error: ConnectionClosed) -> None:
        log.info("session %s ended: %s", self.info.id, error)
        for throttle in self._throttles:
            throttle.close()
        for task in self._background:
            task.cancel()
        self._on_closed(self)

    # What the CLI asks.

    def _handlers(self) -> dict[str, Handler]:
        return {
            **{name: self._plain_tool(tool) for name, tool in TOOLS.items()},
            **{name: self._plain_method(method) for name, method in METHODS.items()},
            "initialize": self._initialize,
            "notifications/initialized": _ignore,
            "notifications/roots/list_changed": self._ask_roots,
            "ide_connected": self._ide_connected,
            "ping": _answer_empty,
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": lambda _: {"resources": []},
            "resources/templates/list": lambda _: {"resourceTemplates": []},
            "prompts/list": lambda _: {"prompts": []},
        }

    def _initialize(self, request: Request) -> InitializeResult:
        params = decode_params(request.params, InitializeParams)
        self._learn(client=params.client_info.name, version=params.client_info.version)
        return InitializeResult(
            protocol_version=params.protocol_version,
            server_info=Implementation(self._server_name, __version__),
        )

    def _ide_connected(self, notification: Notification) -> Coroutine[Any, Any, None]:
        pid = decode_params(notification.params, IdeConnected).pid
        self._process_started = started_at(pid) if pid is not None else None
        self._context = msgspec.structs.replace(self._context, is_real_cli=is_claude(pid))
        self._learn(pid=pid, is_ready=True)
        self._run(self._tell_current_selection())
        return self._ask_roots(notification)

    async def _ask_roots(self, _: Notification) -> None:
        try:
            roots = await self._connection.request("roots/list", kind=Roots, timeout=ROOTS_TIMEOUT)
        except AnyideError as error:
            log.debug("session %s does not tell its folder: %s", self.info.id, error)
            return
        self._learn(folders=tuple(self._native_roots(roots)))

    def _native_roots(self, roots: Roots) -> list[str]:
        folders = []
        for root in roots.roots:
            with contextlib.suppress(InvalidParams):
                folders.append(self._context.native(root.uri))
        return folders

    async def _greet(self) -> None:
        for delay in GREETING_DELAYS:
            await asyncio.sleep(delay)
            await self._tell_current_selection()

    async def _tell_current_selection(self) -> None:
        with contextlib.suppress(AnyideError):
            selection = await self._context.editor.selection()
            if selection is not None:
                self._selections.forget()
                self.tell_selection(selection)

    def _list_tools(self, _: Request) -> ToolList:
        # A loose client that only asks and reads the answer is not to be surprised.
        if self.info.is_ready and not self._is_greeted:
            self._is_greeted = True
            self._run(self._greet())
        abilities = self._context.editor.abilities
        return ToolList(
            tuple(
                tool.info()
                for tool in TOOLS.values()
                if tool.ability is None or tool.ability in abilities
            )
        )

    async def _call_tool(self, request: Request) -> CallResult:
        params = decode_params(request.params, CallParams)
        tool = TOOLS.get(params.name)
        if tool is None:
            raise InvalidParams(f"name: there is no tool {params.name!r}")
        return await self._tracked(tool.call(self._context, params.arguments))

    def _plain_tool(self, tool: Tool[Any]) -> Handler:
        async def call(request: Request | Notification) -> Any:
            result = await self._tracked(tool.call(self._context, request.params))
            return _plain(result) if self._context.dialect.plain_results else result

        return call

    def _plain_method(self, method: Method) -> Handler:
        async def call(request: Request | Notification) -> Any:
            return await self._tracked(method(self._context, request.params))

        return call

    async def _tracked(self, work: Awaitable[T]) -> T:
        task = asyncio.current_task()
        assert task is not None
        self._calls.add(task)
        try:
            return await work
        finally:
            self._calls.discard(task)

    # Whether it is still there.

    async def _watch(self) -> None:
        interval = self._heartbeat.interval
        waited = 0.0
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(max(interval - waited, 0))
            asked = loop.time()
            if not self._heard and not await self._answers_ping():
                self._count_miss()
            self._heard = False  # an answered ping is not heard of again in the next round
            waited = loop.time() - asked

    def _count_miss(self) -> None:
        process = look_at(self.info.pid, self._process_started)
        # A stopped process cannot answer; what it missed does not count once it goes on.
        self._set_missed(1 if process is Process.STOPPED else self._missed + 1)
        at_once = self._context.dialect.drops_silent_at_once
        if self._heartbeat.gives_up(self._missed, process, at_once=at_once):
            self._connection.close(1001, f"no answer to {self._missed} pings")

    async def ping(self) -> None:
        """Ask whether it is there; raises RequestTimeout when no answer comes in time."""
        await self._connection.request("ping", kind=object, timeout=self._heartbeat.timeout)

    async def _answers_ping(self) -> bool:
        try:
            await self.ping()
        except RequestTimeout:
            return False
        except AnyideError:
            return True  # an error is an answer, too
        return True

    def _set_missed(self, missed: int) -> None:
        self._missed = missed
        for throttle in self._throttles:
            throttle.hold(held=missed > 0)
        self._learn(is_silent=missed > 0)

    # Inside.

    def _learn(self, **facts: Any) -> None:
        known = msgspec.structs.replace(self.info, **facts)
        if known != self.info:
            self.info = known
            self._on_change(self)

    def _send_selection(self, selection: Selection) -> None:
        shared = self._context.selection(selection)
        if shared is None:
            self.clear_selection()
        else:
            self._show(shared)

    def _show(self, selection: SelectionChanged) -> None:
        self._shown = selection
        self._connection.notify("selection_changed", selection)

    def _say(self, method: str) -> Callable[[Any], None]:
        return lambda params: self._connection.notify(method, params)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _ignore(_: Notification) -> None:
    return None


def _answer_empty(_: Request) -> dict[str, Any]:
    return {}


def _plain(result: CallResult) -> Any:
    """The bare value of a tool's answer: what its JSON says, its text, its texts; else blocks."""
    if result.is_error:
        raise RpcError(ErrorCode.INTERNAL_ERROR, result.text)
    if isinstance(result, JsonResult):
        return msgspec.Raw(result.text.encode())
    if len(result.texts) != len(result.content):
        return result.content
    return result.text if len(result.texts) == 1 else result.texts
