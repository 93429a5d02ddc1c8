"""Lines on standard input and output: `Connection` against a bare loop with msgspec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from bench.case import Case, Effort
from bench.cases.websocket import request
from bench.contest import Times, Turn, contest
from bench.process import Child, on_one_core
from bench.row import Row

AT_ONCE = 50
"""How many requests go in one write; all of them and their answers fit into the pipes."""


def run(effort: Effort) -> Sequence[Row]:
    with on_one_core():
        single = _contest(effort, at_once=1)
        many = _contest(effort, at_once=AT_ONCE)
    return [
        single.row("stdio, one line at a time", "ours", "bare", peer_name="bare loop"),
        many.row(f"stdio, {AT_ONCE} lines at once", "ours", "bare", peer_name="bare loop"),
    ]


def _contest(effort: Effort, *, at_once: int) -> Times:
    writes = -(-effort.requests // at_once)
    return contest(
        lambda stack: _start(stack, writes, at_once),
        repetitions=effort.repetitions,
        rounds=effort.rounds,
    )


def _start(stack: ExitStack, writes: int, at_once: int) -> Mapping[str, Turn]:
    return {
        name: _turn(stack.enter_context(Child(module)), writes, at_once)
        for name, module in (("ours", "bench.servers.lines"), ("bare", "bench.servers.bare_lines"))
    }


def _turn(child: Child, writes: int, at_once: int) -> Turn:
    lines = b"".join(request(number) + b"\n" for number in range(at_once))

    def turn() -> int:
        for _ in range(writes):
            child.stdin.write(lines)
            missing = at_once
            while missing:
                missing -= child.stdout.read(65536).count(b"\n")
        return writes * at_once

    return turn


STDIO = Case("stdio", "lines through pipes", run)
