"""The agent behind a WebSocket, as marimo reaches it: `stdio-to-ws` in front of `anyide acp`."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.acp import node
from tests.acp.schema import check_sent
from tests.real.claude import cli_path

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real.claude import Home
    from tests.real.model import StandInModel

pytestmark = [
    pytest.mark.skipif(not node.has_npm(), reason="npm is not installed"),
    pytest.mark.timeout(400),
]
PATIENCE = 20.0
Json = dict[str, Any]


class Page:
    """The page of marimo, as far as the agent sees it; `updates` is what it was told."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.updates: list[Json] = []
        self._asked: dict[Any, str] = {}

    async def ask(self, method: str, **params: Any) -> Json:
        number = len(self._asked)
        self._asked[number] = method
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        await self.socket.send(json.dumps(request))
        async with asyncio.timeout(PATIENCE):
            while (message := await self._receive()).get("id") != number:
                self.updates.append(message["params"]["update"])
        result: Json = message["result"]
        return result

    async def _receive(self) -> Json:
        message: Json = json.loads(await self.socket.recv())
        check_sent(message, self._asked)
        return message

    def text(self) -> str:
        chunks = [u for u in self.updates if u["sessionUpdate"] == "agent_message_chunk"]
        return "".join(chunk["content"]["text"] for chunk in chunks)


def free_port() -> int:
    # The bridge would take port 0, but does not tell which port it then got.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
async def bridge(
    home: Home, model: StandInModel, project: Path
) -> AsyncIterator[tuple[psutil.Process, Page]]:
    home.trust(project)
    modules = await asyncio.to_thread(node.install)
    port = free_port()
    agent = f'"{sys.executable}" -m anyide acp --claude "{cli_path()}"'
    process = await asyncio.create_subprocess_exec(
        node.binary(),
        str(modules / "stdio-to-ws" / "dist" / "main.js"),
        agent,
        "--port",
        str(port),
        cwd=project,
        env=home.environment(model, PATH=node.path()),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        assert b"listening" in await process.stdout.readline()
    # It prints all that passes through it, and stops when nobody reads that.
    reading = asyncio.create_task(process.stdout.read())
    try:
        # The address that the page makes of the port.
        async with connect(f"ws://localhost:{port}/message", max_size=None) as socket:
            yield psutil.Process(process.pid), Page(socket)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await reading


async def turn(page: Page, project: Path) -> None:
    agent = await page.ask("initialize", protocolVersion=1, clientCapabilities={})
    assert agent["agentInfo"]["name"] == "anyide"
    opened = await page.ask("session/new", cwd=str(project), mcpServers=[])
    block = {"type": "text", "text": "SAY hello, marimo"}
    answer = await page.ask("session/prompt", sessionId=opened["sessionId"], prompt=[block])
    assert (answer["stopReason"], page.text()) == ("end_turn", "hello, marimo")


def started_by(process: psutil.Process) -> list[psutil.Process]:
    """The agent, the CLI and what else there is."""
    found = process.children(recursive=True)
    assert str(cli_path()) in [child.cmdline()[0] for child in found]
    return found


async def are_gone(started: list[psutil.Process]) -> None:
    _, left = await asyncio.to_thread(psutil.wait_procs, started, timeout=PATIENCE)
    assert left == []


async def test_nothing_is_left_when_the_bridge_is_killed(
    bridge: tuple[psutil.Process, Page], project: Path
) -> None:
    process, page = bridge
    await turn(page, project)
    started = started_by(process)
    process.kill()
    await are_gone(started)


async def test_nothing_is_left_when_the_page_is_closed(
    bridge: tuple[psutil.Process, Page], project: Path
) -> None:
    process, page = bridge
    await turn(page, project)
    started = started_by(process)
    await page.socket.close()
    await are_gone(started)
    assert process.is_running()  # for the next page
