"""A thousand clients at once: what a request costs among them, and what an idle one keeps."""

from __future__ import annotations

import selectors
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from bench.case import Case, Effort
from bench.cases.websocket import request
from bench.client import Client, frame
from bench.contest import Turn, contest
from bench.process import Child
from bench.row import Row, against, alone

MEMORY_AIM_KB = 60
_ECHO = frame(request(1))
_TOOL = frame(
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getWorkspaceFolders"}}'
)


class _Rival(NamedTuple):
    command: tuple[str, ...]
    frame: bytes = _ECHO


_RIVALS = {
    "ours": _Rival(("bench.servers.connection", "plain")),
    "bare": _Rival(("bench.servers.bare", "plain")),
    "websockets": _Rival(("bench.servers.library", "plain")),
}
_IDE = _Rival(("bench.servers.ide",), _TOOL)


def run(effort: Effort) -> Sequence[Row]:
    count = effort.connections
    repetitions = min(effort.repetitions, 5)
    times = contest(
        lambda stack: _start(stack, count), repetitions=repetitions, rounds=min(effort.rounds, 10)
    )
    memory = {
        name: [_idle_kb(rival, count) for _ in range(min(repetitions, 3))]
        for name, rival in {**_RIVALS, "ide": _IDE}.items()
    }
    name, idle = f"{count} clients, a request", "idle connection"
    return [
        times.row(name, "ours", "bare", peer_name="bare echo"),
        times.row(name, "ours", "websockets"),
        alone(idle, memory["ours"], unit="KB", aim=MEMORY_AIM_KB),
        against(idle, memory["ours"], memory["bare"], peer_name="bare echo", unit="KB"),
        against(idle, memory["ours"], memory["websockets"], peer_name="websockets", unit="KB"),
        alone("idle session of the IDE server", memory["ide"], unit="KB", aim=MEMORY_AIM_KB),
    ]


def _start(stack: ExitStack, count: int) -> Mapping[str, Turn]:
    children = {name: stack.enter_context(Child(*r.command)) for name, r in _RIVALS.items()}
    return {name: _turn(stack, child, count) for name, child in children.items()}


def _turn(stack: ExitStack, child: Child, count: int) -> Turn:
    address = child.address()
    clients = [stack.enter_context(Client(address)) for _ in range(count)]
    selector = stack.enter_context(selectors.DefaultSelector())
    for client in clients:
        selector.register(client.socket, selectors.EVENT_READ, client)

    def turn() -> int:
        for client in clients:
            client.socket.sendall(_ECHO)
        missing = len(clients)
        while missing:
            for key, _ in selector.select():
                key.data.next()
                missing -= 1
        return len(clients)

    return turn


def _idle_kb(rival: _Rival, count: int) -> float:
    """What each client adds to the server's memory once it has asked one thing."""
    with ExitStack() as stack:
        child = stack.enter_context(Child(*rival.command))
        address = child.address()
        stack.enter_context(Client(address)).ask(rival.frame)  # what only the first one costs
        before = child.resident_kb()
        for _ in range(count):
            stack.enter_context(Client(address)).ask(rival.frame)
        return (child.resident_kb() - before) / count


CROWD = Case("crowd", "many clients at once, and their memory", run)
