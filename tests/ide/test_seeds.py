"""The client snippets of the seeds, run against our server as their readers would run them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from tests.ide.wire import PATIENCE, texts

if TYPE_CHECKING:
    from pathlib import Path

    from anyide.editor.memory import MemoryEditor
    from tests.ide.conftest import Dial, Serve

# Seed 000: what it says in Python, with the package `websocket-client`. Its pause of a second,
# "important!" there, is not needed here.
PYTHON = """
import glob
import json
import os

import websocket

lock_files = glob.glob(os.path.expanduser("~/.claude/ide/*.lock"))
if not lock_files:
    raise Exception("No Claude Code extension running")

with open(lock_files[0], "r") as f:
    lock_data = json.load(f)

port = lock_data.get("port", 40145)
auth_token = lock_data["authToken"]

ws = websocket.WebSocket()
ws.connect(f"ws://127.0.0.1:{port}", header={"x-claude-code-ide-authorization": auth_token})
ws.send(json.dumps({"jsonrpc": "2.0", "method": "tools/list", "params": {}, "id": 1}))
print(ws.recv())
ws.close()
"""


async def run(script: str, home: Path) -> tuple[int | None, bytes, bytes]:
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script,
        env=environment | {"HOME": str(home)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(2 * PATIENCE):
        out, err = await process.communicate()
    return process.returncode, out, err


async def test_the_python_client_of_seed_000(
    tmp_path: Path, editor: MemoryEditor, serve: Serve
) -> None:
    await serve(editor, config_dir=tmp_path / ".claude")
    code, out, err = await run(PYTHON, tmp_path)
    assert (code, err) == (0, b"")
    answer = json.loads(out)
    assert answer["id"] == 1
    assert "getOpenEditors" in [tool["name"] for tool in answer["result"]["tools"]]


async def test_the_neovim_client_of_seed_000(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    (folder / "a.lua").touch()
    cli = await dial(await serve(editor), subprotocols=())
    # An empty table of Lua is an array to some JSON libraries.
    opened = await cli.ask("openFile", {"path": str(folder / "a.lua")})
    assert texts(opened["result"]) == [f"Opened file: {folder / 'a.lua'}"]
    nothings: tuple[Any, ...] = ({}, [])
    for nothing in nothings:
        (tab,) = json.loads(texts((await cli.ask("getOpenEditors", nothing))["result"])[0])
        assert tab["label"] == "a.lua"


async def test_the_exchange_of_seed_001(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor, name="My Custom IDE Plugin"), path="/mcp")
    params: dict[str, Any] = {
        "protocolVersion": "2024-11-05",
        "clientInfo": {"name": "claude-code", "version": "1.0.0"},
        "capabilities": {},
    }
    result = (await cli.ask("initialize", params))["result"]
    assert result["protocolVersion"] == "2024-11-05"
    assert result["serverInfo"]["name"] == "My Custom IDE Plugin"
    assert result["capabilities"] == {"tools": {"listChanged": True}}
    await cli.say("notifications/initialized")
    assert (await cli.ask("tools/list"))["result"]["tools"]
    assert (await cli.ask("resources/list"))["result"] == {"resources": []}
    assert (await cli.ask("prompts/list"))["result"] == {"prompts": []}
    await cli.say("ide_connected", {"pid": os.getpid(), "isPluginVersionUnsupported": False})
    await cli.is_asked("roots/list")


async def by_curl(port: int, key: str) -> bytes:
    """The bytes that the curl line of seed 004 sends, and what comes back."""
    reader, writer = await asyncio.open_connection("localhost", port)
    headers = {
        "Host": f"localhost:{port}",
        "User-Agent": "curl/8.0",
        "Accept": "*/*",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Version": "13",
    }
    lines = ["GET / HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    async with asyncio.timeout(PATIENCE):
        answer = await reader.read()
    writer.close()
    return answer


async def test_the_curl_line_of_seed_004_shows_that_somebody_is_there(
    editor: MemoryEditor, serve: Serve
) -> None:
    server = await serve(editor)
    # "test" is no key, and it has no token: it learns that a WebSocket server is there, no more.
    literal = await by_curl(server.port, "test")
    assert literal.startswith(b"HTTP/1.1 400 ")
    assert b"Sec-WebSocket-Key" in literal
    valid = await by_curl(server.port, "dGhlIHNhbXBsZSBub25jZQ==")
    assert valid.startswith(b"HTTP/1.1 101 ")
    assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in valid
    assert valid.endswith(b"Invalid or missing authentication token")
