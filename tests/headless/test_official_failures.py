"""Each row of "How the official SDKs fail" (docs/protocol/headless.md), with our outcome."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from anyide.errors import ClaudeError, ClaudeExited, ClaudeKilled, NoResult, TurnFailed
from anyide.headless import Allow, Text, TextDelta, Unknown
from anyide.headless.messages import Assistant, Message, Noise, Result
from tests.headless.conftest import FAKE, MakeClaude, is_running

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyide.headless import Claude, PermissionRequest, Turn


async def read(turn: Turn, into: list[Message] | None = None) -> list[Message]:
    messages = [] if into is None else into
    async for message in turn.messages():
        messages.append(message)
    return messages


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not true():  # noqa: ASYNC110 - nothing else tells of it
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    "line",
    ['{"type":"brand_new","x":1}', '{"type":"system","subtype":"brand_new","x":1}'],
)
async def test_an_unknown_type_is_delivered_with_its_line(fake: MakeClaude, line: str) -> None:
    async with fake() as claude:
        messages = await read(claude.ask(f"LINE {line}\nSAY on"))
    (unknown,) = [message for message in messages if isinstance(message, Unknown)]
    assert unknown.raw.decode() == line
    assert "brand_new" in (unknown.kind, unknown.subtype)


async def test_an_unknown_content_block_stays_in_its_place(fake: MakeClaude) -> None:
    block = '{"type":"hologram","depth":3}'
    content = f'[{{"type":"text","text":"a"}},{block}]'
    line = f'{{"type":"assistant","message":{{"content":{content}}}}}'
    async with fake() as claude:
        events = [event async for event in claude.ask(f"LINE {line}")]
    (unknown,) = [event for event in events if isinstance(event, Unknown)]
    assert (unknown.kind, unknown.raw.decode()) == ("hologram", block)
    assert [event.text for event in events if isinstance(event, Text)] == ["a"]


@pytest.mark.parametrize(
    "step",
    [
        "LINE [1, 2]",
        'LINE "text"',
        "LINE Debugger attached.",
        'LINE {"type": "assistant", "mess',
        r"BYTES b'{\"type\":\"assistant\",\"content\":\"\xff\xfe\"}\n'",
    ],
)
async def test_a_line_that_is_no_message_is_counted_and_survived(
    fake: MakeClaude, step: str
) -> None:
    async with fake() as claude:
        messages = await read(claude.ask(f"{step}\nSAY on"))
        assert claude.counts["noise"] == 1
        assert (await claude.ask("SAY again")).text == "again"
    assert [message.raw for message in messages if isinstance(message, Noise)]
    assert isinstance(messages[-1], Result)


async def test_a_last_line_that_is_cut_short_is_reported(fake: MakeClaude) -> None:
    async with fake() as claude:
        turn = claude.ask("""SAY first\nBYTES b'{"type":"assis'\nEXIT 0""")
        messages: list[Message] = []
        with pytest.raises(NoResult):
            await read(turn, messages)
    assert [m.raw for m in messages if isinstance(m, Noise)] == [b'{"type":"assis']
    assert turn.reply.text == "first"


@pytest.mark.parametrize("line", ['{"type":"assistant"}', '{"type":"result","is_error":"maybe"}'])
async def test_a_known_type_with_a_missing_or_wrong_field_is_survived(
    fake: MakeClaude, line: str
) -> None:
    async with fake() as claude:
        turn = claude.ask(f"LINE {line}\nSAY on")
        assert len(await read(turn)) >= 2


@pytest.mark.parametrize("size", [70_000, 900_000, 5_000_000])
async def test_a_long_line_is_read_at_once(fake: MakeClaude, size: int) -> None:
    async with fake() as claude:
        began = time.monotonic()
        messages = await read(claude.ask(f"BIG {size}"))
        assert time.monotonic() - began < 3
    (message,) = [message for message in messages if isinstance(message, Assistant)]
    assert len(message.raw) > size


async def test_a_line_over_the_limit_is_skipped_and_the_next_is_read(fake: MakeClaude) -> None:
    async with fake() as claude:
        messages = await read(claude.ask(f"BIG {65 * 1024 * 1024}\nSAY on"))
        assert claude.counts["noise"] == 1
    assert [m.problem for m in messages if isinstance(m, Noise)] == [
        "a line of more than 67108864 bytes"
    ]
    assert any(isinstance(m, Assistant) for m in messages)


async def test_an_exit_in_mid_turn_tells_code_and_stderr(fake: MakeClaude) -> None:
    async with fake() as claude:
        with pytest.raises(ClaudeExited, match="exit code 3; it said: out of cheese") as caught:
            await claude.ask("SAY a\nSTDERR out of cheese\nEXIT 3")
        assert (caught.value.exit_code, caught.value.stderr) == (3, "out of cheese\n")
        with pytest.raises(ClaudeExited):
            await claude.ask("and now?")


async def test_a_kill_tells_the_signal(fake: MakeClaude) -> None:
    async with fake() as claude:
        with pytest.raises(ClaudeKilled, match="killed by SIGKILL") as caught:
            await claude.ask("KILL")
    assert caught.value.signal == "SIGKILL"


async def test_an_exit_without_a_result_is_an_error(fake: MakeClaude) -> None:
    async with fake() as claude:
        with pytest.raises(NoResult, match="without a result"):
            await claude.ask("SAY a\nEXIT 0")


async def test_an_error_result_and_an_exit_are_one_error(fake: MakeClaude) -> None:
    fields = '{"subtype": "error_during_execution", "is_error": true, "errors": ["it broke"]}'
    async with fake() as claude:
        turn = claude.ask(f"RESULT {fields}\nEXIT 1")
        with pytest.raises(TurnFailed, match="it broke") as caught:
            await turn
        assert caught.value.result.subtype == "error_during_execution"
        messages: list[Message] = []
        with pytest.raises(TurnFailed):
            await read(claude.ask(f"SAY before\nRESULT {fields}"), messages)
        assert isinstance(messages[-1], Result)


async def test_an_exit_before_initialize_is_told_at_once(fake: MakeClaude) -> None:
    began = time.monotonic()
    with pytest.raises(ClaudeExited, match="no licence for this machine"):
        await fake("exit").start()
    assert time.monotonic() - began < 3


async def test_a_cli_that_never_answers_initialize_is_told_and_ended(fake: MakeClaude) -> None:
    claude = fake("silent", start_timeout=0.3)
    with pytest.raises(ClaudeError, match=r"did not answer within 0\.3 s"):
        await claude.start()
    assert claude.pid is not None
    assert not is_running(claude.pid)


async def test_stderr_never_reaches_the_terminal_and_its_tail_is_kept(
    fake: MakeClaude, capfd: pytest.CaptureFixture[str]
) -> None:
    async with fake() as claude:
        assert (await claude.ask("FLOOD 2000000\nSTDERR the end\nSAY done")).text == "done"
        await until(lambda: claude.stderr_tail.endswith("the end\n"))
    assert capfd.readouterr().err == ""


async def test_control_goes_on_when_nobody_reads(fake: MakeClaude) -> None:
    asked: list[PermissionRequest] = []

    def permission(request: PermissionRequest) -> Allow:
        asked.append(request)
        return Allow()

    request = '{"subtype": "can_use_tool", "tool_name": "Bash", "input": {}}'
    async with fake(permission=permission, max_unread_bytes=100_000) as claude:
        turn = claude.ask(f"DELTAS 5000\nASK {request}\nHANG")
        await until(lambda: bool(asked))
        async with asyncio.timeout(5):
            await claude.interrupt()
        assert turn.inbox.unread_bytes < 200_000
        assert turn.inbox.joined > 1000
        text = "".join([event.text async for event in turn if isinstance(event, TextDelta)])
    assert text == "".join(f"{number} " for number in range(5000))


async def test_leaving_a_loop_early_leaves_no_process(fake: MakeClaude) -> None:
    async with fake() as claude:
        async for _ in claude.ask("SAY a\nHANG"):
            break
        pid = claude.pid
    assert pid is not None
    assert not is_running(pid)


async def test_cancel_in_mid_turn_is_quick(fake: MakeClaude) -> None:
    # The quickest of some: the machine may be busy with other things.
    assert min([await cancel(fake()) for _ in range(4)]) < 0.3


async def cancel(claude: Claude) -> float:
    """How long it takes to cancel a turn; no process is left."""
    begun = asyncio.Event()

    async def work() -> None:
        async with claude:
            async for _ in claude.ask("SAY a\nHANG"):
                begun.set()

    task = asyncio.create_task(work())
    await begun.wait()
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    taken = time.monotonic() - began
    assert not is_running(claude.pid or 0)
    return taken


async def test_a_second_cancel_does_not_leak_the_process(fake: MakeClaude) -> None:
    claude = fake("stubborn")
    begun = asyncio.Event()

    async def work() -> None:
        async with claude:
            async for _ in claude.ask("SAY a\nHANG"):
                begun.set()

    task = asyncio.create_task(work())
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert claude.pid is not None
    async with asyncio.timeout(5):
        await claude.close()  # waits for the ladder, which nobody can cancel
    assert not is_running(claude.pid)


async def test_a_child_that_ignores_everything_is_killed_soon(fake: MakeClaude) -> None:
    claude = fake("stubborn", grace_seconds=1.0)
    await claude.start()
    turn = claude.ask("HANG")
    began = time.monotonic()
    await claude.close()
    assert time.monotonic() - began < 4
    assert turn.is_done
    assert claude.pid is not None
    assert not is_running(claude.pid)


SCRIPT = """
import asyncio, sys
from anyide.headless import Claude

async def main():
    async with Claude(cli_path=[sys.executable, {fake!r}, {mode!r}]) as claude:
        async for event in claude.ask("SAY a\\nHANG"):
            print(claude.pid, flush=True)

asyncio.run(main())
"""


def owner(mode: str) -> subprocess.Popen[str]:
    script = SCRIPT.format(fake=str(FAKE), mode=mode)
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def wait_gone(pid: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while is_running(pid):
        assert time.monotonic() < deadline, f"{pid} still runs after {seconds} s"
        os.sched_yield()


@pytest.mark.parametrize("mode", ["normal", "stubborn"])
def test_no_cli_outlives_an_owner_that_is_killed(mode: str) -> None:
    with owner(mode) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_gone(pid, 2)


def test_control_c_ends_the_owner_and_the_cli_quickly() -> None:
    with owner("normal") as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        began = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        process.wait(5)
        assert time.monotonic() - began < 3
        wait_gone(pid, 2)


async def test_a_late_question_is_answered_though_the_prompt_was_only_text(
    fake: MakeClaude,
) -> None:
    request = '{"subtype": "elicitation", "mcp_server_name": "s", "message": "Your name?"}'
    async with fake() as claude:
        reply = await claude.ask(f"ASK {request}")
    assert '"action": "decline"' in reply.text


async def test_an_unknown_question_is_answered_as_unsupported(fake: MakeClaude) -> None:
    async with fake() as claude:
        reply = await claude.ask('ASK {"subtype": "open_the_pod_bay_doors"}')
    assert '"error_code": "unsupported_request"' in reply.text


def test_no_mcp_and_no_sdk_is_imported_for_a_tool() -> None:
    script = (
        "import sys, anyide.headless as h\n"
        "h.Claude; h.tool\n"
        "print([m for m in ('mcp', 'claude_agent_sdk', 'pydantic', 'anyio') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
