"""A real `IdeServer` with the memory editor, and a person who does what a line of stdin says.

storm COUNT PER_SECOND    select that often; says when the last selection was made, and the cost
review                    wait for a proposal, say when it came, reject it
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Position, Range
from anyide.ide.heartbeat import Heartbeat
from anyide.ide.server import IdeServer
from bench.servers.ready import say_ready

NEVER = Heartbeat(interval=3600.0)
"""No ping comes between the answers that the benchmark counts."""

FILE = "example.py"
LINES = "".join(f"line_{number} = {number}\n" for number in range(10_000))
STEP_SECONDS = 0.002


def main() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / FILE).write_text(LINES)
        asyncio.run(serve(folder))


async def serve(folder: Path) -> None:
    editor = MemoryEditor([str(folder)])
    await editor.open_file(FILE, preview=False, focus=True, select=None)
    select(editor, 7)
    async with IdeServer(editor, [folder], heartbeat=NEVER, config_dir=folder / "config") as server:
        say_ready(server.port, server.token)
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(*await act(editor, line.split()), flush=True)


async def act(editor: MemoryEditor, words: list[str]) -> tuple[float, ...]:
    if words[0] == "review":
        proposal = await editor.next_proposal()
        shown = monotonic()
        editor.reject(proposal.id)
        return (shown,)
    return await storm(editor, int(words[1]), int(words[2]))


async def storm(editor: MemoryEditor, count: int, per_second: int) -> tuple[float, ...]:
    began, made, busy, last = monotonic(), 0, 0.0, 0.0
    while made < count:
        due = min(count, int((monotonic() - began) * per_second) + 1)
        start = perf_counter()
        for number in range(made, due):
            last = monotonic()
            select(editor, number)
        busy, made = busy + perf_counter() - start, due
        await asyncio.sleep(STEP_SECONDS)
    return last, busy / count * 1e6


def select(editor: MemoryEditor, number: int) -> None:
    editor.select(FILE, Range(Position(number, 0), Position(number, 4)))


if __name__ == "__main__":
    main()
