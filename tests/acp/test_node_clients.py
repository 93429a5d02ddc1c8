"""Clients from npm: acpx, and the TypeScript SDK's own."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.acp import node
from tests.acp.test_turn import call
from tests.real.claude import cli_path

if TYPE_CHECKING:
    from tests.real.claude import Home
    from tests.real.model import StandInModel

pytestmark = [
    pytest.mark.skipif(not node.has_npm(), reason="npm is not installed"),
    pytest.mark.timeout(400),
]
AGENT = [sys.executable, "-m", "anyide", "acp", "--claude", str(cli_path())]
SCRIPT = Path(__file__).with_name("client.mjs")


async def run(home: Home, model: StandInModel, cwd: Path, *words: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=cwd,
        env={**home.environment(model), "PATH": node.path()},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=64 * 1024 * 1024,
    )
    try:
        async with asyncio.timeout(60):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, (err.decode(), out.decode())
    return out.decode()


@pytest.fixture
async def modules(home: Home, project: Path) -> Path:
    home.trust(project)
    return await asyncio.to_thread(node.install)


async def test_acpx_asks_once(
    modules: Path, home: Home, model: StandInModel, project: Path
) -> None:
    acpx = str(modules / ".bin" / "acpx")
    flags = ["--approve-all", "--format", "json", "--cwd", str(project)]
    file = project / "new.txt"
    prompt = f"{call('Write', file_path=str(file), content='by acpx')} SAY done"
    agent = ["--agent", " ".join(AGENT)]
    out = await run(home, model, project, acpx, *flags, *agent, "exec", prompt)
    assert file.read_text() == "by acpx"
    last = [json.loads(line) for line in out.splitlines()][-1]
    assert last["result"] == {"stopReason": "end_turn"}


async def test_the_typescript_sdk_understands_everything(
    modules: Path, home: Home, model: StandInModel, project: Path
) -> None:
    sdk = modules / "@agentclientprotocol" / "sdk" / "dist" / "v1" / "stable" / "acp.js"
    file = project / "new.txt"
    prompt = f"THINK hm {call('Write', file_path=str(file), content='x')} SAY done"
    out = await run(
        home, model, project, "node", str(SCRIPT), str(sdk), str(project), prompt, *AGENT
    )
    seen = json.loads(out)
    assert seen["answer"]["stopReason"] == "end_turn"
    assert seen["asked"] == 1
    kinds = {update["sessionUpdate"] for update in seen["updates"]}
    assert {"agent_thought_chunk", "tool_call", "tool_call_update", "agent_message_chunk"} <= kinds
    assert file.read_text() == "x"
