"""`StandInModel`: an HTTP server on loopback that speaks the public Messages API, in a thread."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import sys
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from tests.real.reply import Block, Failure, Hold, Reply, Say, stream, whole_message
from tests.real.script import Request, answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

PATIENCE = 30.0


class StandInModel:
    """The model: answers by the rules in the prompt (`tests.real.script`), or as it was told.

    What `reply` and `fail` put in the queue goes before the rules, one entry for each request of a
    conversation; what the CLI asks for itself (titles and the like) takes nothing from the queue.
    """

    def __init__(self) -> None:
        self._requests: list[Request] = []
        self._queue: deque[Reply | Failure] = deque()
        self._changed = threading.Condition()
        self._held = 0
        self._dropped = 0
        self._faults: list[BaseException] = []
        self._gate, self._opener = socket.socketpair()
        self._server = _Server(self)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
        self._server.shutdown()
        self._server.server_close()
        self._server.join()
        self._gate.close()
        self._opener.close()
        if self._faults and error is None:
            raise AssertionError("the stand-in model itself failed") from self._faults[0]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def requests(self) -> list[Request]:
        """The requests of conversations so far, oldest first, the CLI's own left out."""
        with self._changed:
            return [request for request in self._requests if not request.side]

    @property
    def side_requests(self) -> list[Request]:
        with self._changed:
            return [request for request in self._requests if request.side]

    def reply(
        self,
        *blocks: Block | str,
        usage: dict[str, int] | None = None,
        stop_reason: str | None = None,
    ) -> None:
        """Queue an answer: blocks, or strings for text."""
        said = tuple(Say(block) if isinstance(block, str) else block for block in blocks)
        with self._changed:
            self._queue.append(Reply(said, usage=usage or {}, stop_reason=stop_reason))

    def fail(self, status: int, **how: Any) -> None:
        """Queue an HTTP error (429, 500, 529 …); `how` as in `Failure`."""
        with self._changed:
            self._queue.append(Failure(status, **how))

    def release(self) -> None:
        """Let every held stream go on, those to come included."""
        self._opener.send(b"x")

    def wait_for_request(
        self, wanted: Callable[[Request], bool] = lambda _: True, timeout: float = PATIENCE
    ) -> Request:
        """Return the first request of a conversation that is wanted, waiting for it if need be."""
        self._wait(lambda: any(map(wanted, self.requests)), timeout, "no such request")
        return next(request for request in self.requests if wanted(request))

    async def requested(
        self, wanted: Callable[[Request], bool] = lambda _: True, timeout: float = PATIENCE
    ) -> Request:
        """`wait_for_request` for asyncio: the loop runs on meanwhile."""
        return await asyncio.to_thread(self.wait_for_request, wanted, timeout)

    async def holding(self, count: int = 1, timeout: float = PATIENCE) -> None:
        """Wait until `count` streams have come to their half-way stop."""
        failed = "no stream was held"
        await asyncio.to_thread(self._wait, lambda: self._held >= count, timeout, failed)

    async def dropped(self, count: int = 1, timeout: float = PATIENCE) -> None:
        """Wait until the CLI has hung up on `count` held streams."""
        failed = "the CLI did not hang up"
        await asyncio.to_thread(self._wait, lambda: self._dropped >= count, timeout, failed)

    def _wait(self, true: Callable[[], bool], timeout: float, failed: str) -> None:
        with self._changed:
            if not self._changed.wait_for(true, timeout):
                seen = [request.prompt[:80] for request in self._requests]
                raise AssertionError(f"{failed} within {timeout} s; prompts seen: {seen}")

    def _answer(self, request: Request) -> Reply | Failure:
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
            if request.side:
                return Reply((Say('{"title": "A conversation", "isNewTopic": false}'),))
            if self._queue:
                return self._queue.popleft()
        try:
            return answer(request)
        except ValueError as fault:  # the test's prompt is not what `tests.real.script` can read
            self._blame(fault)
            return Failure(400, f"the stand-in cannot read the prompt: {fault}", should_retry=False)

    def _hold(self, connection: socket.socket) -> bool:
        """Wait for the release; false when the CLI hung up first."""
        with self._changed:
            self._held += 1
            self._changed.notify_all()
        ready, _, _ = select.select([self._gate, connection], [], [])
        if self._gate in ready:
            return True
        with self._changed:
            self._dropped += 1
            self._changed.notify_all()
        return False

    def _blame(self, fault: BaseException) -> None:
        with self._changed:
            self._faults.append(fault)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, model: StandInModel) -> None:
        self.model = model
        self._handlers: list[threading.Thread] = []
        super().__init__(("127.0.0.1", 0), _Conversation)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        self._handlers.append(threading.current_thread())
        super().process_request_thread(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        fault = sys.exc_info()[1]
        # A CLI that is interrupted or killed hangs up in mid-stream: that is no fault of ours.
        if fault and not isinstance(fault, ConnectionError):
            self.model._blame(fault)

    def join(self) -> None:
        deadline = time.monotonic() + 5
        for thread in self._handlers:
            thread.join(max(0.0, deadline - time.monotonic()))


class _Conversation(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        if self.path.startswith("/v1/messages/count_tokens"):
            self._send(200, {"input_tokens": max(1, len(request.everything) // 4)})
        elif self.path.startswith("/v1/messages"):
            self._message(request)
        else:
            self._send(404, Failure(404, f"the stand-in has no {self.path}").body())

    def do_GET(self) -> None:
        self._send(404, Failure(404, f"the stand-in has no {self.path}").body())

    def do_HEAD(self) -> None:
        self._send(200, {})

    def _message(self, request: Request) -> None:
        reply = self.server.model._answer(request)
        name = request.body.get("model", "stand-in")
        if isinstance(reply, Failure):
            self._fail(reply)
        elif request.body.get("stream"):
            self._stream(reply, name)
        else:
            self._send(200, whole_message(reply, name))

    def _fail(self, failure: Failure) -> None:
        headers = dict(failure.headers)
        if failure.should_retry is not None:
            headers["x-should-retry"] = str(failure.should_retry).lower()
        self._send(failure.status, failure.body(), headers)

    def _stream(self, reply: Reply, name: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("request-id", "req_standin")
        self.end_headers()
        for event in stream(reply, name):
            if isinstance(event, Hold):
                if not self.server.model._hold(self.connection):
                    return
                continue
            data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            self.wfile.write(data.encode())

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for key, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(key, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name in the library)
        """Say nothing: a test's output is its own."""
