from __future__ import annotations

import asyncio
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from anyide.errors import ConnectFailed, ConnectionClosed
from anyide.rpc.transport import Transport
from anyide.rpc.transport.process import STDERR_TAIL_BYTES, ProcessTransport

PATIENCE = 5.0


class Ear:
    """A receiver that notes what it hears; lines and the end can be awaited."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.heard = b""
        self.news = asyncio.Event()
        self.ended: asyncio.Future[ConnectionClosed] = asyncio.get_running_loop().create_future()

    def attached(self, transport: Transport) -> None:
        assert self.events == []
        self.events.append("attached")

    def received(self, data: bytes) -> None:
        assert self.events == ["attached"]
        self.heard += data
        self.news.set()

    def lost(self, error: ConnectionClosed) -> None:
        self.events.append("lost")
        self.ended.set_result(error)

    async def hears(self, size: int) -> bytes:
        async with asyncio.timeout(PATIENCE):
            while len(self.heard) < size:
                self.news.clear()
                await self.news.wait()
        return self.heard

    async def end(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return str(await asyncio.shield(self.ended))


@pytest.fixture
async def ear() -> Ear:
    return Ear()


async def start(ear: Ear, program: str, *, grace_seconds: float = 0.1) -> ProcessTransport:
    command = [sys.executable, "-c", textwrap.dedent(program)]
    return await ProcessTransport.start(ear, command, grace_seconds=grace_seconds)


async def gone(transport: ProcessTransport) -> None:
    async with asyncio.timeout(PATIENCE):
        await transport.wait_gone()


async def is_dead(pid: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_a_missing_program_is_told(ear: Ear) -> None:
    with pytest.raises(ConnectFailed, match="cannot start no-such-program: No such file"):
        await ProcessTransport.start(ear, ["no-such-program"])
    assert ear.events == []


async def test_a_missing_folder_is_told(ear: Ear, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with pytest.raises(ConnectFailed, match="missing"):
        await ProcessTransport.start(ear, [sys.executable], cwd=missing)


async def test_a_command_that_no_system_takes_is_told(ear: Ear) -> None:
    with pytest.raises(ConnectFailed, match="null byte"):
        await ProcessTransport.start(ear, ["a\0b"])


async def test_the_child_is_talked_with_and_ends_with_its_input(ear: Ear) -> None:
    child = await start(
        ear,
        """
        import sys
        for line in sys.stdin:
            print(line.upper(), end="", flush=True)
        print("last words")
        """,
        grace_seconds=PATIENCE,
    )
    child.send([b"a\n", b"b\n"])
    assert await ear.hears(4) == b"A\nB\n"
    child.close()
    child.close()
    assert await ear.end() == "the process ended with exit code 0"
    assert ear.heard == b"A\nB\nlast words\n"
    await gone(child)
    child.send([b"nobody reads this\n"])
    child.pause_reading()
    child.resume_reading()
    await child.drain()
    assert ear.events == ["attached", "lost"]


async def test_the_exit_code_is_described(ear: Ear) -> None:
    child = await start(ear, "import sys; sys.exit(3)")
    assert await ear.end() == "the process ended with exit code 3"
    assert child.exited.result() == 3
    await gone(child)


async def test_the_signal_is_described(ear: Ear) -> None:
    child = await start(ear, "import os; os.kill(os.getpid(), 9)")
    assert await ear.end() == "the process was ended by SIGKILL"
    assert child.exited.result() == -9
    await gone(child)


async def test_of_the_standard_error_the_tail_is_kept(ear: Ear) -> None:
    child = await start(
        ear,
        f"""
        import sys
        sys.stderr.write("x" * {4 * STDERR_TAIL_BYTES} + "the end \\udc80é")
        """,
    )
    await gone(child)
    assert len(child.stderr_tail.encode()) <= STDERR_TAIL_BYTES + 10
    assert "the end" in child.stderr_tail


STUBBORN = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
grandchild = subprocess.Popen([sys.executable, "-c", '''
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
signal.pause()
'''])
print(grandchild.pid, flush=True)
while True:
    signal.pause()
"""


async def test_the_ladder_ends_a_child_that_ignores_all_but_the_last_rung(ear: Ear) -> None:
    child = await start(ear, STUBBORN)
    heard = await ear.hears(len(b"ready\n1\n"))
    while heard.count(b"\n") < 2:
        heard = await ear.hears(len(heard) + 1)
    [grandchild] = [int(word) for word in heard.split() if word != b"ready"]
    child.close()
    assert await ear.end() == "the process was ended by SIGKILL"
    await gone(child)
    await is_dead(grandchild)


async def test_a_child_that_obeys_sigterm_gets_no_worse(ear: Ear) -> None:
    child = await start(ear, "import signal; print(1, flush=True); signal.pause()")
    await ear.hears(2)
    child.close()
    assert await ear.end() == "the process was ended by SIGTERM"
    await gone(child)


async def test_a_grandchild_that_holds_the_output_open_does_not_hide_the_end(ear: Ear) -> None:
    child = await start(
        ear,
        """
        import subprocess, sys
        program = "import signal; signal.pause()"
        print(subprocess.Popen([sys.executable, "-c", program]).pid, flush=True)
        """,
    )
    assert await ear.end() == "the process ended with exit code 0"
    await gone(child)
    await is_dead(int(ear.heard))


async def test_a_grandchild_that_left_the_group_cannot_hold_the_pipes(ear: Ear) -> None:
    child = await start(
        ear,
        """
        import subprocess, sys
        program = "import signal; signal.pause()"
        command = [sys.executable, "-c", program]
        print(subprocess.Popen(command, start_new_session=True).pid, flush=True)
        """,
    )
    assert await ear.end() == "the process ended with exit code 0"
    await gone(child)
    psutil.Process(int(ear.heard)).kill()


async def test_a_child_that_closes_its_output_is_ended(ear: Ear) -> None:
    child = await start(ear, "import os, signal; os.close(1); signal.pause()", grace_seconds=0.1)
    assert await ear.end() == "the process closed its output"
    await gone(child)


async def test_big_messages_go_both_ways_without_a_deadlock(ear: Ear) -> None:
    child = await start(
        ear,
        """
        import sys
        while data := sys.stdin.buffer.read1(65536):
            sys.stdout.buffer.write(data)
        """,
        grace_seconds=PATIENCE,
    )
    data = b"x" * (16 * 1024 * 1024)
    child.send([data])
    await child.drain()
    child.close()
    await gone(child)
    assert ear.heard == data


async def test_drain_waits_for_a_child_that_does_not_read(ear: Ear) -> None:
    child = await start(ear, "import sys; sys.stdin.buffer.read(1); input()")
    child.send([b"x" * (4 * 1024 * 1024)])
    waiting = asyncio.ensure_future(child.drain())
    for _ in range(10):
        await asyncio.sleep(0)
    assert not waiting.done()
    child.close()
    await asyncio.wait_for(waiting, PATIENCE)
    await gone(child)


async def test_a_paused_child_is_not_read(ear: Ear) -> None:
    child = await start(ear, "print(input()); input()", grace_seconds=PATIENCE)
    child.pause_reading()
    child.send([b"a\n"])
    for _ in range(20):
        await asyncio.sleep(0)
    assert ear.heard == b""
    child.resume_reading()
    assert await ear.hears(2) == b"a\n"
    child.send([b"\n"])
    assert await ear.end() == "the process ended with exit code 0"
    await gone(child)


LEAVING = """
import asyncio, sys
from anyide.rpc.connection import Connection
from anyide.rpc.transport.process import ProcessTransport

async def leave():
    ours = Connection({})
    command = [sys.executable, "-c", sys.argv[1]]
    child = await ProcessTransport.start(ours, command, grace_seconds=60)
    print(child.pid, flush=True)
    ours.close()
    await asyncio.sleep(0)

asyncio.run(leave())
"""


async def test_the_child_dies_with_a_program_that_does_not_wait_for_it() -> None:
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LEAVING, STUBBORN, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        printed, _ = await program.communicate()
    await is_dead(int(printed))


async def test_a_stream_of_small_pieces_arrives_whole(ear: Ear) -> None:
    program = """
        import os
        for number in range(2000):
            os.write(1, b"%06d\\n" % number)
    """
    child = await start(ear, program)
    heard = await ear.hears(14_000)
    assert heard.split() == [b"%06d" % number for number in range(2000)]
    assert await ear.end() == "the process ended with exit code 0"
    await child.wait_gone()


async def test_reading_that_is_held_stays_so_in_a_stream(ear: Ear) -> None:
    program = """
        import os, sys
        while True:
            os.write(1, b"x")
    """
    child = await start(ear, program)
    await ear.hears(200)
    child.pause_reading()
    await asyncio.sleep(0)  # what was read before is still told
    seen = len(ear.heard)
    ear.news.clear()
    with pytest.raises(TimeoutError):  # far longer than a breath
        await asyncio.wait_for(ear.news.wait(), 0.05)
    assert len(ear.heard) == seen
    child.resume_reading()
    await ear.hears(seen + 1)
    child.close()
    await child.wait_gone()
