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
from anyide.ide.heartbeat import Heartbeat, Process, look_at
from anyide.ide.lock import started_at
from anyide.ide.messages import (
    AtMentioned,
    CallParams,
    CallResult,
    IdeConnected,
    Implementation,
    InitializeParams,
    InitializeResult,
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
        self._calls: set[asyncio.Task[Any]] = set()
        self._background: set[asyncio.Task[None]] = set()
        self._connection = Connection(
            self._handlers(), cancel=CANCEL, on_closed=self._closed, name=f"session {self.info.id}"
        )
        self._shown: SelectionChanged | None = None
        self._selections = Throttle(self._say("selection_changed"))
        self._mentions = Throttle(self._say("at_mentioned"))
        self._diagnostics = Throttle(self._say("diagnostics_changed"))

    # What the server tells it.

    def tell_selection(self, selection: Selection) -> None:
        """Tell the selection, as far as it may be shared; a storm is tamed."""
        shared = self._context.selection(selection)
        if shared is None:
            self.clear_selection()
        else:
            self._shown = shared
            self._selections.offer(shared)

    def clear_selection(self) -> None:
        """Take the selected text back, else the CLI would go on sending it with every prompt.

        The CLI knows no message for "nothing", so the file it knows already is named once more.
        """
        if self._shown is not None and self._shown.text:
            start = self._shown.selection.start
            cursor = WireSelection(start, start, is_empty=True)
            self._shown = msgspec.structs.replace(self._shown, text="", selection=cursor)
            self._selections.offer(self._shown)

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
        # Each act of a person counts, but a key that repeats is one act.
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
        for throttle in (self._selections, self._mentions, self._diagnostics):
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
        self._learn(pid=pid, is_ready=True)
        return self._ask_roots(notification)

    async def _ask_roots(self, _: Notification) -> None:
        await self._tell_current_selection()
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

    async def _tell_current_selection(self) -> None:
        with contextlib.suppress(AnyideError):
            selection = await self._context.editor.selection()
            if selection is not None:
                self._selections.forget()
                self.tell_selection(selection)

    def _list_tools(self, _: Request) -> ToolList:
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
        task.add_done_callback(self._calls.discard)
        return await work

    # Whether it is still there.

    async def _watch(self) -> None:
        beat = self._heartbeat
        while True:
            await asyncio.sleep(beat.interval)
            if self._heard:
                self._heard = False
                continue
            if not await self._answers_ping():
                self._set_missed(self._missed + 1)
                process = look_at(self.info.pid, self._process_started)
                if self._is_given_up(process):
                    self._connection.close(1001, f"no answer to {self._missed} pings")

    def _is_given_up(self, process: Process) -> bool:
        at_once = self._context.dialect.drops_silent_at_once
        return self._heartbeat.gives_up(self._missed, process, at_once=at_once)

    async def _answers_ping(self) -> bool:
        try:
            await self._connection.request("ping", kind=object, timeout=self._heartbeat.timeout)
        except RequestTimeout:
            return False
        except AnyideError:
            return True  # an error is an answer, too
        return True

    def _set_missed(self, missed: int) -> None:
        self._missed = missed
        for throttle in (self._selections, self._mentions, self._diagnostics):
            throttle.hold(held=missed > 0)
        self._learn(is_silent=missed > 0)

    # Inside.

    def _learn(self, **facts: Any) -> None:
        known = msgspec.structs.replace(self.info, **facts)
        if known != self.info:
            self.info = known
            self._on_change(self)

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
    """The bare value of a tool's answer: what its JSON says, its text, or its texts."""
    if result.is_error:
        raise RpcError(ErrorCode.INTERNAL_ERROR, result.text)
    if len(result.content) != 1 or not result.texts:
        return list(result.texts)
    try:
        return msgspec.json.decode(result.text)
    except msgspec.DecodeError:
        return result.text
