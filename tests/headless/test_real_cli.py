"""The real CLI, with only the model stood in for."""

from __future__ import annotations

import asyncio
import json
import sys
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pytest

import anyide
from anyide.errors import BudgetReached, ControlFailed, LoginNeeded, RateLimited, TurnFailed
from anyide.headless import (
    Allow,
    Deny,
    Hook,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolResult,
    ToolUse,
    allow_and_remember,
    tool,
)
from anyide.headless.hook import change_input, deny_tool
from anyide.headless.messages import Result
from tests.headless.conftest import is_running
from tests.real.claude import cli_path

if TYPE_CHECKING:
    from anyide.headless import Claude, PermissionRequest
    from anyide.headless.control import HookCallback
    from tests.headless.conftest import MakeClaude
    from tests.real.claude import Home
    from tests.real.model import StandInModel


def write(project: Path, name: str = "new.txt", content: str = "theirs") -> str:
    given = {"file_path": str(project / name), "content": content}
    return f"CALL Write {json.dumps(given)} SAY done"


async def test_text_and_thinking_stream_and_come_whole(real: MakeClaude) -> None:
    async with real(include_partial=True) as claude:
        events = [event async for event in claude.ask("THINK step by step SAY Hello there")]
        assert claude.session_id
    thought = [event for event in events if isinstance(event, Thinking)]
    assert "".join(e.text for e in events if isinstance(e, ThinkingDelta)) == "step by step"
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "Hello there"
    assert [e.text for e in events if isinstance(e, Text)] == ["Hello there"]
    assert [(e.text, e.signature) for e in thought] == [("step by step", "c2lnbmF0dXJl")]
    assert isinstance(events[-1], Result)


async def test_a_reply_has_text_thinking_cost_and_usage(real: MakeClaude) -> None:
    async with real() as claude:
        first = await claude.ask("THINK hm SAY one")
        second = await claude.ask("SAY two")
    assert (first.text, first.thinking) == ("one", "hm")
    assert first.usage.output_tokens == 20
    assert first.cost_usd > 0
    assert second.total_cost_usd == pytest.approx(first.cost_usd + second.cost_usd)
    assert first.duration_ms > 0
    assert first.session_id == second.session_id


async def test_an_allowed_tool_runs(real: MakeClaude, project: Path) -> None:
    asked: list[PermissionRequest] = []

    async def permission(request: PermissionRequest) -> Allow:
        asked.append(request)
        return Allow()

    async with real(permission=permission) as claude:
        events = [event async for event in claude.ask(write(project))]
    assert (project / "new.txt").read_text() == "theirs"
    assert [request.tool_name for request in asked] == ["Write"]
    (use,) = [event for event in events if isinstance(event, ToolUse)]
    (result,) = [event for event in events if isinstance(event, ToolResult)]
    assert (use.name, use.id) == ("Write", result.tool_use_id)
    assert "created" in result.text


async def test_an_allowed_tool_runs_with_changed_input(real: MakeClaude, project: Path) -> None:
    def permission(request: PermissionRequest) -> Allow:
        return Allow(input={**request.input, "content": "ours"})

    async with real(permission=permission) as claude:
        reply = await claude.ask(write(project))
    assert (project / "new.txt").read_text() == "ours"
    assert [call.name for call in reply.tools] == ["Write"]


async def test_a_denied_tool_does_not_run_and_the_model_reads_why(
    real: MakeClaude, project: Path, model: StandInModel
) -> None:
    async with real(permission=lambda request: Deny(message="not on a Sunday")) as claude:
        reply = await claude.ask(write(project))
    assert not (project / "new.txt").exists()
    assert reply.tools[0].is_error
    assert "not on a Sunday" in model.requests[-1].everything
    assert [denial.tool_name for denial in reply.denials] == ["Write"]


async def test_deny_and_interrupt_ends_the_turn(real: MakeClaude, project: Path) -> None:
    async with real(permission=lambda request: Deny(interrupt=True)) as claude:
        reply = await claude.ask(write(project))
        assert reply.interrupted
        assert (await claude.ask("SAY still here")).text == "still here"


async def test_what_is_remembered_is_not_asked_again(real: MakeClaude, project: Path) -> None:
    asked: list[str] = []

    def permission(request: PermissionRequest) -> Allow:
        asked.append(request.tool_name)
        return allow_and_remember(request)

    async with real(permission=permission) as claude:
        await claude.ask(write(project, "a.txt"))
        await claude.ask(write(project, "b.txt"))
    assert (project / "b.txt").exists()
    assert asked == ["Write"]


async def test_a_permission_callback_that_fails_denies(real: MakeClaude, project: Path) -> None:
    def permission(request: PermissionRequest) -> bool:
        raise RuntimeError("the dialog crashed")

    async with real(permission=permission) as claude:
        reply = await claude.ask(write(project))
    assert "the dialog crashed" in (reply.tools[0].result or "")
    assert not (project / "new.txt").exists()


async def test_hooks_see_change_and_deny(real: MakeClaude, project: Path) -> None:
    seen: list[str] = []

    def before(hook: HookCallback) -> dict[str, object]:
        seen.append(hook.input["tool_name"])
        return change_input({**hook.input["tool_input"], "content": "hooked"})

    async def never(hook: HookCallback) -> dict[str, object]:
        return deny_tool("no shell today")

    hooks = {
        "PreToolUse": [Hook(before, "Write"), Hook(never, "Bash")],
        "Stop": lambda hook: seen.append(hook.input["hook_event_name"]),
    }
    async with real(hooks=hooks) as claude:
        await claude.ask(write(project))
        reply = await claude.ask('CALL Bash {"command": "echo hi"}')
    assert (project / "new.txt").read_text() == "hooked"
    assert "no shell today" in reply.text
    assert seen == ["Write", "Stop", "Stop"]


async def test_a_python_function_is_a_tool(real: MakeClaude) -> None:
    @tool
    async def add(a: int, b: Annotated[int, "the second"] = 2) -> int:
        """Add two numbers."""
        return a + b

    def fail() -> str:
        raise LookupError("nothing there")

    async with real(tools=[add, fail]) as claude:
        good = await claude.ask('CALL mcp__anyide__add {"a": 40}')
        wrong = await claude.ask('CALL mcp__anyide__add {"a": "many"}')
        bad = await claude.ask("CALL mcp__anyide__fail {}")
        servers = await claude.mcp_status()
    assert good.text == "The tool said: 42"
    assert wrong.tools[0].is_error
    assert "LookupError: nothing there" in bad.text
    assert [server["status"] for server in servers] == ["connected"]


async def test_an_interrupt_ends_the_turn_and_the_session_goes_on(
    real: MakeClaude, model: StandInModel
) -> None:
    async with real(include_partial=True) as claude:
        turn = claude.ask("SLOW one two three four")
        async for event in turn:
            if isinstance(event, TextDelta):
                break
        queued = claude.ask("SAY afterwards")
        began = time.monotonic()
        await claude.interrupt()
        reply = await turn
        assert time.monotonic() - began < 2
        assert reply.interrupted
        assert reply.text.startswith("one")
        assert (await queued).text == "afterwards"


async def test_cancel_in_mid_turn_leaves_no_process(real: MakeClaude, model: StandInModel) -> None:
    # The quickest of some: the machine may be busy with other things. Mostly it takes 0.06 s.
    assert min([await cancel(real(), model, number) for number in (1, 2, 3)]) < 0.3


async def cancel(claude: Claude, model: StandInModel, number: int) -> float:
    """How long it takes to cancel a turn; no process is left."""

    async def work() -> None:
        async with claude:
            await claude.ask("SLOW one two")

    task = asyncio.create_task(work())
    await model.holding(number)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    taken = time.monotonic() - began
    assert not is_running(claude.pid or 0)
    return taken


async def test_the_controls(real: MakeClaude, project: Path) -> None:
    async with real(include_partial=True, title="a title") as claude:
        assert (await claude.set_permission_mode("plan"))["mode"] == "plan"
        assert (await claude.set_model("claude-opus-4-5"))["model"] == "claude-opus-4-5"
        assert await claude.set_max_thinking_tokens(2000) == {}
        assert await claude.rename_session("a new name") == {}
        assert (await claude.get_binary_version()).count(".") == 2
        assert "categories" in await claude.get_context_usage()
        assert "Total cost" in await claude.get_session_cost()
        assert await claude.list_models()
        assert "session" in await claude.get_usage()
        assert "effective" in await claude.get_settings()
        assert "hooks" in await claude.get_hooks_listing()
        assert "state" in await claude.list_permission_rules()
        assert await claude.mcp_status() == []
        assert await claude.stop_task("none") == {}
        assert "skills" in await claude.reload_skills()
        assert "available_output_styles" in await claude.reload_output_styles()
        (project / "seen.txt").write_text("x")
        assert (await claude.read_file(str(project / "seen.txt")))["contents"] == "x"
        assert await claude.mcp_set_servers({}) is not None
        assert not await claude.cancel_message("00000000-0000-4000-8000-000000000000")
        with pytest.raises(ControlFailed, match="Unsupported") as caught:
            await claude.request("nonsense", x=1)
        assert caught.value.code == "unsupported_request"
        with pytest.raises(ControlFailed):
            await claude.mcp_reconnect("nobody")
        with pytest.raises(ControlFailed):
            await claude.set_permission_mode("bypassPermissions")


async def test_resume_continues_and_fork_branches(real: MakeClaude, model: StandInModel) -> None:
    async with real() as claude:
        await claude.ask("SAY the first word is elephant")
        first = claude.session_id
    async with real(resume=first) as claude:
        again = await claude.ask("SAY again")
        assert claude.session_id == first
        assert again.cost_usd < again.total_cost_usd  # the total goes on, the turn's cost does not
        assert "elephant" in model.requests[-1].everything
    async with real(resume=first, fork=True) as claude:
        await claude.ask("SAY elsewhere")
        assert claude.session_id != first
        assert "elephant" in model.requests[-1].everything
    async with real(continue_last=True) as claude:
        await claude.ask("SAY and on")
        assert "elsewhere" in model.requests[-1].everything


async def test_a_turn_that_the_cli_starts_by_itself_is_delivered_as_such(
    real: MakeClaude,
) -> None:
    command = {"command": "true", "run_in_background": True}
    async with real(permission=lambda request: True) as claude:
        reply = await claude.ask(f"CALL Bash {json.dumps(command)} SAY started")
        assert reply.text == "started"
        async with asyncio.timeout(20):
            own = await anext(claude.unprompted())
            assert "I was told" in (await own).text
        assert not own.is_ours
        assert (await claude.ask("SAY mine")).text == "mine"


async def test_an_api_error_is_a_failed_turn(real: MakeClaude) -> None:
    async with real() as claude:
        with pytest.raises(TurnFailed, match="told to fail"):
            await claude.ask("FAIL 400")


@pytest.mark.parametrize(("status", "error"), [(429, RateLimited), (401, LoginNeeded)])
async def test_an_api_error_is_typed_by_its_cause(
    real: MakeClaude, status: int, error: type[TurnFailed]
) -> None:
    async with real(env={"CLAUDE_CODE_MAX_RETRIES": "0"}) as claude:
        with pytest.raises(error):
            await claude.ask(f"FAIL {status}")


async def test_money_is_limited(real: MakeClaude, project: Path) -> None:
    async with real(max_budget_usd=0.0001, permission=lambda request: True) as claude:
        with pytest.raises(BudgetReached, match="raise max_budget_usd"):
            await claude.ask(write(project))


async def test_no_cli_outlives_an_owner_that_is_killed(
    model: StandInModel, home: Home, project: Path
) -> None:
    home.trust(project)
    script = (
        "import asyncio\n"
        "from anyide.headless import Claude\n"
        "async def main():\n"
        "    async with Claude() as claude:\n"
        "        print(claude.pid, flush=True)\n"
        "        await claude.ask('SLOW one two three')\n"
        "asyncio.run(main())\n"
    )
    owner = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script),
        cwd=project,
        env=home.environment(model, ANYIDE_CLAUDE=str(cli_path())),
        stdout=asyncio.subprocess.PIPE,
    )
    assert owner.stdout is not None
    pid = int(await owner.stdout.readline())
    await model.holding()
    owner.kill()
    await owner.wait()
    async with asyncio.timeout(2):
        while is_running(pid):  # noqa: ASYNC110 - no child of ours
            await asyncio.sleep(0.01)


async def test_a_limit_of_steps_is_kept(real: MakeClaude, project: Path) -> None:
    async with real(max_turns=1, permission=lambda request: True) as claude:
        with pytest.raises(TurnFailed, match="raise max_turns"):
            await claude.ask(write(project))


async def test_what_is_told_is_in_the_next_request(real: MakeClaude, model: StandInModel) -> None:
    async with real() as claude:
        claude.tell("The password is swordfish.")
        assert (await claude.ask("SAY ok")).text == "ok"
        assert (await claude.ask("SAY again")).text == "again"
    assert "swordfish" in model.requests[0].everything
    assert len(model.requests) == 2


async def test_structured_output(real: MakeClaude) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    async with real(output_schema=schema) as claude:
        reply = await claude.ask('CALL StructuredOutput {"n": 7} SAY ok')
    assert reply.structured == {"n": 7}


async def test_twenty_thousand_deltas_arrive_in_order(
    real: MakeClaude, model: StandInModel
) -> None:
    text = "".join(f"{number:05d} " for number in range(20_000)).strip()
    async with real(include_partial=True) as claude:
        turn = claude.ask(f"DELTAS 20000 SAY {text}")
        pieces = [event.text async for event in turn if isinstance(event, TextDelta)]
    assert "".join(pieces) == text
    assert len(pieces) > 1000


async def test_two_hundred_turns_do_not_grow(real: MakeClaude) -> None:
    # The model runs in this process too and keeps what it was asked: count only what we allocated.
    tracemalloc.start()
    sizes = []
    async with real() as claude:
        for number in range(200):
            assert (await claude.ask(f"SAY {number}")).text == str(number)
            if number in (50, 199):
                sizes.append(ours(tracemalloc.take_snapshot()))
    tracemalloc.stop()
    assert sizes[1] - sizes[0] < 200_000


def ours(snapshot: tracemalloc.Snapshot) -> int:
    only = tracemalloc.Filter(True, str(Path(anyide.__file__).parent / "*"))
    return sum(trace.size for trace in snapshot.filter_traces([only]).statistics("filename"))
