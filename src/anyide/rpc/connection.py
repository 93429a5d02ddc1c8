"""A peer driven by asyncio over a transport: handlers by method, requests that can be awaited.

A handler takes the Request or Notification. A plain function is answered on the spot, in the order
of arrival; a coroutine runs as a task of its own beside the others. A handler that raises is
answered with an error and never takes the connection down.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from types import CoroutineType
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from anyide.errors import (
    AnyideError,
    ConnectionClosed,
    InvalidAnswer,
    RequestTimeout,
    RpcError,
)
from anyide.rpc.framing import Framing
from anyide.rpc.message import (
    ErrorCode,
    ErrorResponse,
    Id,
    Malformed,
    Notification,
    Request,
    Response,
)
from anyide.rpc.params import explain
from anyide.rpc.peer import Cancelled, CancelRule, Closed, Peer, Stray
from anyide.rpc.transport import Transport

T = TypeVar("T")
Handler = Callable[[Any], Any]

MAX_IN_PROGRESS = 1024
"""How many of their requests may be worked on before no more are read."""

PROTOCOL_ERROR = 1002
"""The WebSocket close code for a peer that does not speak our protocol."""

log = logging.getLogger(__name__)


class Connection:
    """One conversation. Give it to a transport as its receiver, then ask, say and close."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        *,
        framing: Framing | None = None,
        cancel: CancelRule | None = None,
        other: Handler | None = None,
        on_closed: Callable[[ConnectionClosed], None] | None = None,
        name: str = "peer",
    ) -> None:
        self.name = name
        self._handlers = handlers
        self._other = other
        self._on_closed = on_closed
        self._peer = Peer(framing, cancel=cancel)
        self._loop = asyncio.get_running_loop()
        self._transport: Transport | None = None
        self._waiting: dict[Id, asyncio.Future[Any]] = {}
        self._tasks: dict[asyncio.Task[None], Coroutine[Any, Any, Any]] = {}
        self._answering: dict[Id, asyncio.Task[None]] = {}
        self._reading_paused = False
        self._is_finished = False
        self._closed: asyncio.Future[ConnectionClosed] = self._loop.create_future()
        self._reactions: dict[type, Callable[[Any], None]] = {
            Request: self._on_request,
            Notification: self._on_notification,
            Response: self._on_response,
            ErrorResponse: self._on_error_response,
            Cancelled: self._on_cancelled,
            Malformed: self._on_malformed,
            Stray: self._on_stray,
            Closed: self._on_peer_closed,
        }

    # What people call.

    async def request(
        self, method: str, params: Any = UNSET, *, kind: type[T], timeout: float | None = None
    ) -> T:
        """Ask and wait for the answer, read as `kind`.

        Raises RpcError (they answered with an error), RequestTimeout, ConnectionClosed, and
        InvalidAnswer when the answer is not of that kind. When the caller is cancelled or runs out
        of time, the other side is told by the cancel rule.
        """
        if self._is_finished:
            raise self._closed.result().with_traceback(None)
        identity = self._peer.request(method, params)
        answer = self._waiting[identity] = self._loop.create_future()
        self._flush()
        try:
            async with asyncio.timeout(timeout):
                result = await answer
        except TimeoutError:
            assert timeout is not None
            raise RequestTimeout(method, timeout) from None
        finally:
            self._give_up(identity, answer)
        return _read_answer(method, result, kind)

    def notify(self, method: str, params: Any = UNSET) -> None:
        """Say something; on a closed connection it goes nowhere."""
        self._peer.notify(method, params)
        self._flush()

    async def drain(self) -> None:
        """Wait while the other side is slow to take what was sent."""
        if self._transport is not None:
            await self._transport.drain()

    def close(self, code: int = 1000, reason: str = "closed by us") -> None:
        """End the conversation: handlers are cancelled, what waits fails, the transport closes."""
        self._flush()
        if self._transport is not None:
            self._transport.close(code, reason)
        self._peer.close(reason)
        self._dispatch()

    async def wait_closed(self) -> ConnectionClosed:
        """Wait for the end and tell why."""
        return await asyncio.shield(self._closed)

    @property
    def is_closed(self) -> bool:
        """Whether the conversation is over."""
        return self._is_finished

    # What the transport calls.

    def attached(self, transport: Transport) -> None:
        """Begin: what was said before now is sent."""
        self._transport = transport
        self._flush()
        if self._is_finished:
            transport.close(1000, self._closed.result().reason)

    def received(self, data: bytes) -> None:
        """Take bytes and do what they say."""
        self._peer.receive_data(data)
        self._dispatch()

    def lost(self, error: ConnectionClosed) -> None:
        """End, because nothing comes or goes any more."""
        self._peer.receive_eof()
        self._dispatch()
        self._finish(error)
        self._peer.close(error.reason)

    # Inside: from the peer to handlers and waiters.

    def _dispatch(self) -> None:
        for event in self._peer.events_received():
            if self._is_finished:  # by a handler: what came with it is not done any more
                break
            self._reactions[type(event)](event)
        self._flush()

    def _flush(self) -> None:
        if self._transport is not None:
            messages = self._peer.data_to_send()
            if messages:
                self._transport.send(messages)

    def _on_request(self, request: Request) -> None:
        handler = self._handlers.get(request.method, self._other)
        if handler is None:
            problem = f"Method not found: {request.method}"
            self._respond_error(request, ErrorCode.METHOD_NOT_FOUND, problem)
            return
        try:
            result = handler(request)
        except Exception as error:  # noqa: BLE001 - a handler's error ends here, by design
            self._respond_failure(request, error)
            return
        if type(result) is CoroutineType:
            self._answering[request.id] = self._start(self._run_request(request, result), result)
        else:
            self._respond(request, result)

    def _on_notification(self, notification: Notification) -> None:
        handler = self._handlers.get(notification.method, self._other)
        if handler is None:
            log.debug("%s: nobody listens for %s", self.name, notification.method)
            return
        try:
            result = handler(notification)
        except Exception:
            log.exception("%s: the handler of %s failed", self.name, notification.method)
            return
        if type(result) is CoroutineType:
            _ = self._start(self._run_notification(notification, result), result)

    def _on_response(self, response: Response) -> None:
        answer = self._waiting.pop(response.id, None)
        if answer is not None and not answer.done():
            answer.set_result(response.result)

    def _on_error_response(self, response: ErrorResponse) -> None:
        answer = self._waiting.pop(response.id, None) if response.id is not None else None
        if answer is not None and not answer.done():
            answer.set_exception(response.error.to_exception())

    def _give_up(self, identity: Id, answer: asyncio.Future[Any]) -> None:
        if self._waiting.pop(identity, None) is not None:
            self._peer.cancel(identity)
            self._flush()
        elif answer.done() and not answer.cancelled():
            answer.exception()  # seen, also when the caller was cancelled at the same moment

    def _on_cancelled(self, cancelled: Cancelled) -> None:
        # From now on the id is free: another request may bear it while this one still ends.
        task = self._answering.pop(cancelled.id, None)
        if task is not None:
            task.cancel()

    def _on_malformed(self, malformed: Malformed) -> None:
        log.warning("%s: not a message: %s", self.name, malformed.problem)

    def _on_stray(self, stray: Stray) -> None:
        if isinstance(stray.response, ErrorResponse) and stray.response.id is None:
            log.warning("%s: they could not read us: %s", self.name, stray.response.error.message)
        else:
            log.debug("%s: an answer that nobody waits for", self.name)

    def _on_peer_closed(self, closed: Closed) -> None:
        self._flush()
        self._finish(ConnectionClosed(closed.reason))
        if self._transport is not None:
            self._transport.close(PROTOCOL_ERROR, closed.reason)

    def _finish(self, error: ConnectionClosed) -> None:
        if self._is_finished:
            return
        self._is_finished = True
        self._closed.set_result(error)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error)
        self._waiting.clear()
        for task in list(self._tasks):
            task.cancel()
        if self._on_closed is not None:
            self._on_closed(error)

    # Inside: running handlers.

    def _start(
        self, run: Coroutine[Any, Any, None], work: Coroutine[Any, Any, Any]
    ) -> asyncio.Task[None]:
        task = self._loop.create_task(run)
        self._tasks[task] = work
        task.add_done_callback(self._ended)
        full = len(self._tasks) >= MAX_IN_PROGRESS
        if full and not self._reading_paused and self._transport is not None:
            self._reading_paused = True
            self._transport.pause_reading()
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        # Cancelled before its first step, the task never touches the handler's coroutine.
        self._tasks.pop(task).close()
        if self._reading_paused and len(self._tasks) <= MAX_IN_PROGRESS // 2:
            self._reading_paused = False
            if self._transport is not None:
                self._transport.resume_reading()

    async def _run_request(self, request: Request, work: Coroutine[Any, Any, Any]) -> None:
        try:
            result = await work
        except asyncio.CancelledError:
            if self._ends_answering(request):
                self._respond_error(request, ErrorCode.INTERNAL_ERROR, "cancelled")
            raise
        except Exception as error:  # noqa: BLE001 - a handler's error ends here, by design
            if self._ends_answering(request):
                self._respond_failure(request, error)
        else:
            if self._ends_answering(request):
                self._respond(request, result)
        finally:
            self._flush()

    def _ends_answering(self, request: Request) -> bool:
        if self._answering.get(request.id) is not asyncio.current_task():
            return False  # cancelled by them, and perhaps the id is in use again
        del self._answering[request.id]
        return True

    async def _run_notification(
        self, notification: Notification, work: Coroutine[Any, Any, Any]
    ) -> None:
        try:
            await work
        except Exception:
            log.exception("%s: the handler of %s failed", self.name, notification.method)

    def _respond(self, request: Request, result: Any) -> None:
        try:
            self._peer.respond(request.id, result)
        except (TypeError, ValueError, RecursionError) as error:
            self._respond_failure(request, error)

    def _respond_failure(self, request: Request, error: Exception) -> None:
        if isinstance(error, RpcError):
            data = UNSET if error.data is None else error.data
            self._respond_error(request, error.code, error.message, data=data)
        elif isinstance(error, AnyideError):
            self._respond_error(request, ErrorCode.INTERNAL_ERROR, str(error))
        else:
            log.error("%s: %s failed", self.name, request.method, exc_info=error)
            problem = f"{request.method} failed inside"
            self._respond_error(request, ErrorCode.INTERNAL_ERROR, problem)

    def _respond_error(
        self, request: Request, code: int, message: str, *, data: Any = UNSET
    ) -> None:
        try:
            self._peer.respond_error(request.id, code, message, data)
        except (TypeError, ValueError, RecursionError) as error:
            # Text from a file name may hold what JSON cannot; the data may be anything.
            log.warning("%s: the error of %s, shortened: %s", self.name, request.method, error)
            readable = message.encode(errors="replace").decode()
            self._peer.respond_error(request.id, code, readable)


def _read_answer(method: str, result: Any, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(result, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidAnswer(method, explain(str(error))) from error
