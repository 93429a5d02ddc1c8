"""The measured processes: `python -m bench.headless_rivals RIVAL JOB COUNT` prints what it took.

Jobs: `flood` (stream events, µs of time and of CPU a message), `tool` (calls of an in-process tool,
µs each), `cancel` (a turn that runs, ms until no process is left), `sessions` (many at once, ms
each). The clock runs from the first message to the result: starting the CLI is not in it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import msgspec

FAKE = str(Path(__file__).with_name("headless_fake.py"))
PROMPT = {"type": "user", "uuid": "1", "message": {"role": "user", "content": ""}}


ROUNDS, FULL = 3, 10_000


class Taken(msgspec.Struct, frozen=True):
    """What a job took, for each of its parts."""

    wall: float
    cpu: float = 0.0


class Clock:
    """Runs from the first message on."""

    def __init__(self) -> None:
        self.count = 0
        self._wall = self._cpu = 0.0

    def tick(self) -> None:
        if not self.count:
            self._wall, self._cpu = time.perf_counter(), time.process_time()
        self.count += 1

    def taken(self) -> Taken:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return Taken(wall / self.count * 1e6, cpu / self.count * 1e6)


# Ours.


async def ours_flood(count: int) -> Taken:
    from anyide.headless import Claude

    clock = Clock()
    async with Claude(cli_path=[sys.executable, FAKE], include_partial=True) as claude:
        async for _ in claude.ask(f"flood {count}"):
            clock.tick()
        assert clock.count > count
        return clock.taken()


async def ours_tool(count: int) -> Taken:
    from anyide.headless import Claude

    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    async with Claude(cli_path=[sys.executable, FAKE], tools=[add]) as claude:
        began = time.perf_counter()
        await claude.ask(f"tool {count}")
        return Taken((time.perf_counter() - began) / count * 1e6)


async def ours_cancel(count: int) -> Taken:
    from anyide.headless import Claude

    began = asyncio.Event()

    async def work() -> None:
        async with Claude(cli_path=[sys.executable, FAKE]) as claude:
            async for _ in claude.ask("hang"):
                began.set()

    return await _cancelled(work, began)


async def ours_sessions(count: int) -> Taken:
    from anyide.headless import Claude

    async def one() -> None:
        async with Claude(cli_path=[sys.executable, FAKE]) as claude:
            await claude.ask("flood 10")

    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(count)))
    return Taken((time.perf_counter() - began) / count * 1e3)


# The official SDK.


async def sdk_flood(count: int) -> Taken:
    import claude_agent_sdk as sdk

    clock, taken = Clock(), Taken(0)
    options = sdk.ClaudeAgentOptions(cli_path=_script(), include_partial_messages=True)
    async for _ in sdk.query(prompt=f"flood {count}", options=options):
        clock.tick()
        if clock.count > count:  # before it closes, which takes its time
            taken = clock.taken()
    return taken


async def sdk_tool(count: int) -> Taken:
    from typing import Any

    import claude_agent_sdk as sdk

    @sdk.tool("add", "Add two numbers.", {"a": int, "b": int})
    async def add(args: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": str(args["a"] + args["b"])}]}

    server = sdk.create_sdk_mcp_server("bench", tools=[add])
    options = sdk.ClaudeAgentOptions(cli_path=_script(), mcp_servers={"bench": server})
    async with sdk.ClaudeSDKClient(options) as client:
        began = time.perf_counter()
        await client.query(f"tool {count}")
        async for _ in client.receive_response():
            continue
        taken = Taken((time.perf_counter() - began) / count * 1e6)
    return taken  # noqa: RET504 - mypy: the SDK's `with` may swallow an error


async def sdk_cancel(count: int) -> Taken:
    import claude_agent_sdk as sdk

    began = asyncio.Event()

    async def work() -> None:
        async with sdk.ClaudeSDKClient(sdk.ClaudeAgentOptions(cli_path=_script())) as client:
            await client.query("hang")
            async for _ in client.receive_response():
                began.set()

    return await _cancelled(work, began)


async def _cancelled(work: Callable[[], Awaitable[None]], began: asyncio.Event) -> Taken:
    task = asyncio.ensure_future(work())
    await began.wait()
    at = time.perf_counter()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return Taken((time.perf_counter() - at) * 1e3)


# The limits: what a loop without any API takes.


async def msgspec_flood(count: int) -> Taken:
    from anyide.headless.messages import StreamEvent

    decode = msgspec.json.Decoder(StreamEvent).decode
    clock = Clock()
    with _child(count) as process:
        assert process.stdout is not None
        rest = b""
        while clock.count < count and (data := os.read(process.stdout.fileno(), 1 << 18)):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines[: count - clock.count]:
                decode(line)
                clock.tick()
        taken = clock.taken()
        process.kill()
    return taken


async def pipe_flood(count: int) -> Taken:
    clock = Clock()
    with _child(count) as process:
        assert process.stdout is not None
        while clock.count < count and (data := os.read(process.stdout.fileno(), 1 << 18)):
            clock.tick()
            clock.count += data.count(b"\n") - 1
        taken = clock.taken()
        process.kill()
    return taken


def _child(count: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, FAKE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    assert process.stdin is not None
    prompt = {**PROMPT, "message": {"role": "user", "content": f"flood {count}"}}
    process.stdin.write(msgspec.json.encode(prompt) + b"\n")
    return process


def _script() -> str:
    """The fake CLI as one executable: the SDK takes no list."""
    path = Path(tempfile.mkdtemp()) / "claude"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
    path.chmod(0o755)
    return str(path)


JOBS: dict[tuple[str, str], Callable[[int], Awaitable[Taken]]] = {
    ("ours", "flood"): ours_flood,
    ("ours", "tool"): ours_tool,
    ("ours", "cancel"): ours_cancel,
    ("ours", "sessions"): ours_sessions,
    ("sdk", "flood"): sdk_flood,
    ("sdk", "tool"): sdk_tool,
    ("sdk", "cancel"): sdk_cancel,
    ("msgspec", "flood"): msgspec_flood,
    ("pipe", "flood"): pipe_flood,
}


async def _run(rival: str, job: str, count: int) -> Taken:
    """The quickest of some rounds: the one that nobody disturbed."""
    times = ROUNDS if job == "flood" and count >= FULL else 1
    rounds = [await JOBS[rival, job](count) for _ in range(times)]
    return Taken(min(each.wall for each in rounds), min(each.cpu for each in rounds))


if __name__ == "__main__":
    result = asyncio.run(_run(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    print(msgspec.json.encode(result).decode())
