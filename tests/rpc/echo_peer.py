"""The other side of the interaction tests: the same in this process and as a program of its own."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import msgspec

from anyide.errors import AnyideError, RpcError
from anyide.rpc.connection import Connection
from anyide.rpc.framing import Framing, Lines
from anyide.rpc.message import Notification, Request
from anyide.rpc.peer import CancelRule
from anyide.rpc.transport.stdio import StdioTransport

CANCEL = CancelRule("$/cancelRequest", "id", answer_code=-32800)


class EchoPeer:
    """Echoes, waits to be released, fails on demand, asks back, and keeps a journal."""

    def __init__(self, framing: Framing | None = None) -> None:
        self.journal: list[str] = []
        self.released: dict[str, asyncio.Event] = {}
        self.connection = Connection(
            {
                "echo": lambda request: request.params,
                "wait": self.wait,
                "release": self.release,
                "say": self.say,
                "journal": lambda _: self.journal,
                "fail": self.fail,
                "fail_later": self.fail_later,
                "call": self.call,
                "flood": self.flood,
            },
            framing=framing,
            cancel=CANCEL,
            name="echo peer",
        )

    def event(self, call: Request | Notification) -> tuple[str, asyncio.Event]:
        [name] = msgspec.json.decode(call.params, type=list[str])
        return name, self.released.setdefault(name, asyncio.Event())

    async def wait(self, request: Request) -> str:
        name, event = self.event(request)
        try:
            self.journal.append(f"waits {name}")
            await event.wait()
        except asyncio.CancelledError:
            self.journal.append(f"cancelled {name}")
            raise
        return name

    def release(self, notification: Notification) -> None:
        self.event(notification)[1].set()

    def say(self, notification: Notification) -> None:
        self.journal.append(bytes(notification.params).decode())

    def fail(self, request: Request) -> Any:
        [how] = msgspec.json.decode(request.params, type=list[str])
        match how:
            case "rpc":
                raise RpcError(1234, "told so", {"why": [1]})
            case "bad data":
                raise RpcError(1234, "told so", {"why": object()})
            case "anyide":
                raise AnyideError("a sentence")
            case "surrogate":
                raise AnyideError("no file \udcff")
            case "result":
                return object()
            case _:
                raise ZeroDivisionError("secret")

    async def fail_later(self, request: Request) -> Any:
        await asyncio.sleep(0)
        return self.fail(request)

    async def call(self, request: Request) -> Any:
        method, params = msgspec.json.decode(request.params, type=tuple[str, list[Any]])
        return await self.connection.request(method, params, kind=msgspec.Raw)

    async def flood(self, request: Request) -> int:
        """Ask `hold` many times at once; how many answers came."""
        [count] = msgspec.json.decode(request.params, type=list[int])
        params = ["x" * 1000]
        asks = [self.connection.request("hold", params, kind=int) for _ in range(count)]
        return len(await asyncio.gather(*asks))


async def main() -> None:
    peer = EchoPeer(Lines())
    StdioTransport.start(peer.connection, sys.stdin.buffer, sys.stdout.buffer)
    await peer.connection.wait_closed()


if __name__ == "__main__":
    asyncio.run(main())
