"""MCP servers of the client, made with the official SDK: each transport, and their questions."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from acp.schema import HttpHeader, HttpMcpServer, McpServerStdio, SseMcpServer

from tests.acp.test_turn import call

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.acp.conftest import StartEditor

ROOT = Path(__file__).parents[2]
MODULE = [sys.executable, "-m", "tests.acp.official_server"]
BOTH: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}


SMALL = McpServerStdio(
    name="server",
    command=sys.executable,
    args=[str(Path(__file__).with_name("mcp_server.py"))],
    env=[],
)
OFFICIAL = McpServerStdio(
    name="server",
    command="sh",
    args=["-c", 'cd "$0" && exec "$@"', str(ROOT), *MODULE, "stdio"],
    env=[],
)


@pytest.fixture(params=["http", "sse"])
async def remote(request: pytest.FixtureRequest) -> AsyncIterator[HttpMcpServer | SseMcpServer]:
    process = await asyncio.create_subprocess_exec(
        *MODULE, request.param, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        address = (await asyncio.wait_for(process.stdout.readline(), 20)).decode().strip()
        kind = HttpMcpServer if request.param == "http" else SseMcpServer
        headers = [HttpHeader(name="X-Token", value="let me in")]
        yield kind(type=request.param, name="server", url=address, headers=headers)
    finally:
        process.kill()
        await process.wait()


async def test_a_remote_server_is_used_and_gets_the_headers(
    start_editor: StartEditor, project: Path, remote: HttpMcpServer | SseMcpServer
) -> None:
    editor = await start_editor()
    session = await editor.open(project, mcp_servers=[remote])
    await editor.prompt(session, call("mcp__server__add", a=40, b=2))
    assert "42" in editor.text()
    await editor.prompt(session, call("mcp__server__token"))
    assert "let me in" in editor.text()


@pytest.mark.parametrize("server", [SMALL, OFFICIAL], ids=["by a request", "by its result"])
async def test_a_server_asks_by_a_form(
    start_editor: StartEditor, project: Path, server: McpServerStdio
) -> None:
    editor = await start_editor(**BOTH)
    editor.fill = lambda form: {"name": "Ada", "guests": 3}
    session = await editor.open(project, mcp_servers=[server])
    await editor.prompt(session, call("mcp__server__book"))
    assert "Ada" in editor.text()
    (asked,) = editor.requests("elicitation/create")
    assert (asked["mode"], asked["message"]) == ("form", "server: A table?")
    assert asked["sessionId"] == session
    properties = asked["requestedSchema"]["properties"]
    assert properties["name"]["description"] == "Who comes?"
    assert properties["guests"]["default"] == 2
    assert asked["requestedSchema"]["required"] == ["name"]


async def test_a_person_may_decline(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor(**BOTH)
    editor.fill = lambda form: None
    session = await editor.open(project, mcp_servers=[SMALL])
    await editor.prompt(session, call("mcp__server__book"))
    assert '"action": "decline"' in editor.text()


async def test_a_server_asks_by_a_link_and_tells_when_it_is_done(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**BOTH)
    session = await editor.open(project, mcp_servers=[SMALL])
    await editor.prompt(session, call("mcp__server__pay"))
    assert '"action": "accept"' in editor.text()
    (asked,) = editor.requests("elicitation/create")
    assert (asked["mode"], asked["url"]) == ("url", "https://pay.invalid/1")
    (done,) = await editor.saw(lambda: editor.requests("elicitation/complete"))
    assert done["elicitationId"] == asked["elicitationId"]


async def test_a_client_without_forms_is_not_asked(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    session = await editor.open(project, mcp_servers=[SMALL])
    await editor.prompt(session, call("mcp__server__book"))
    assert '"action": "decline"' in editor.text()
    assert editor.requests("elicitation/create") == []


async def test_a_cancelled_turn_gives_the_question_up(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**BOTH)
    asked, answer = asyncio.Event(), asyncio.Event()

    async def fill(form: dict[str, Any]) -> dict[str, Any]:
        asked.set()
        await answer.wait()
        return {"name": "too late"}

    editor.fill = fill
    session = await editor.open(project, mcp_servers=[SMALL])
    prompt = asyncio.ensure_future(editor.prompt(session, call("mcp__server__book")))
    await asyncio.wait_for(asked.wait(), 10)
    await editor.agent.cancel(session_id=session)
    assert await asyncio.wait_for(prompt, 10) == "cancelled"
    answer.set()
    assert await editor.prompt(session, "SAY after all") == "end_turn"
    assert "too late" not in editor.text()
