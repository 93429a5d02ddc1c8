"""What hostile programs and pages on this machine get: nothing."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ctypes
import json
import logging
import os
import socket
import statistics
import struct
import threading
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Ability
from anyide.errors import ConnectFailed
from anyide.ide.client import IdeClient
from anyide.ide.discovery import choose, discover
from anyide.ide.refusal import FIRST_LINES
from anyide.rpc.framing import MAX_MESSAGE_BYTES
from tests.ide.wire import PATIENCE, TOKEN, Cli, connect_to

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from anyide.ide.server import IdeServer
    from tests.ide.conftest import Dial, Serve


def upgrade(server: IdeServer, path: str = "/", /, **changed: str | None) -> bytes:
    headers: dict[str, str | None] = {
        "Host": f"127.0.0.1:{server.port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "mcp",
        TOKEN: server.token,
    }
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode()


def frame(text: str) -> bytes:
    """One masked text frame."""
    data = text.encode()
    assert len(data) < 126
    return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data


ASK = frame('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')


async def exchange(server: IdeServer, data: bytes) -> bytes:
    """Send bytes and read until the server hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(data)
    try:
        async with asyncio.timeout(PATIENCE):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


class Deaf(MemoryEditor):
    """An editor that notices when anybody asks it anything."""

    asked = 0

    @property
    def abilities(self) -> frozenset[Ability]:
        self.asked += 1
        return super().abilities


@pytest.mark.parametrize("token", [None, "", "wrong", "ü"])
async def test_without_the_token_one_is_closed_with_1008_and_never_read(
    token: str | None, folder: Path, serve: Serve
) -> None:
    editor = Deaf([str(folder)])
    server = await serve(editor)
    request = upgrade(server, x_claude_code_ide_authorization=token)
    answer = await exchange(server, request + ASK * 10)
    head, _, rest = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101 ")
    reason = b"Invalid or missing authentication token"
    assert rest == bytes([0x88, 2 + len(reason)]) + struct.pack("!H", 1008) + reason
    assert editor.asked == 0
    assert server.sessions == ()


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {"Origin": "http://evil.example"}, 403),
        ("/", {"Origin": "null"}, 403),
        ("/", {"Origin": "http://127.0.0.1"}, 403),
        ("/", {"Host": "evil.example"}, 403),
        ("/", {"Host": "localhost:1"}, 403),
        ("/", {"Host": None}, 403),
        ("/other", {}, 404),
        ("/mcp/x", {}, 404),
        ("/", {"Sec-WebSocket-Protocol": "chat"}, 400),
        ("/", {"Sec-WebSocket-Key": "test"}, 400),
        ("/", {"Sec-WebSocket-Version": "8"}, 400),
        ("/", {"Upgrade": None, "Connection": "close"}, 426),
    ],
)
async def test_a_request_of_the_wrong_kind_is_refused_even_with_the_token(
    path: str, headers: dict[str, str | None], status: int, folder: Path, serve: Serve
) -> None:
    editor = Deaf([str(folder)])
    server = await serve(editor)
    answer = await exchange(server, upgrade(server, path, **headers) + ASK)
    assert int(answer.split()[1]) == status
    assert b"jsonrpc" not in answer
    assert server.token.encode() not in answer
    assert editor.asked == 0
    assert server.sessions == ()


async def test_it_listens_on_loopback_alone(editor: MemoryEditor, serve: Serve) -> None:
    server = await serve(editor)
    listening = [
        each.laddr.ip
        for each in psutil.Process().net_connections(kind="tcp")
        if each.status == "LISTEN" and each.laddr.port == server.port
    ]
    assert listening == ["127.0.0.1"]


async def test_an_oversized_message_ends_the_session_unread(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    header = bytes([0x81, 0x80 | 127]) + struct.pack("!Q", MAX_MESSAGE_BYTES + 1) + bytes(4)
    writer.write(upgrade(server) + header)
    async with asyncio.timeout(PATIENCE):
        await reader.readuntil(b"\r\n\r\n")
        close = await reader.read()
    assert close[:1] == b"\x88"
    assert struct.unpack("!H", close[2:4]) == (1009,)
    writer.close()
    await (await dial(server)).settles()


# Out of the workspace.

TRAVERSALS = [
    "../secret",
    "sub/../../secret",
    "..\\secret",
    "~/secret",
    "~root/.ssh/id_rsa",
    "{outside}/secret",
    "file://{outside}/secret",
    "/../secret",
    "link",
    "linked/secret",
    "sub/linked/secret",
    "C:\\secret",
    "//{outside}/secret",
    "sub\0/../../secret",
]


@pytest.mark.parametrize("path", TRAVERSALS)
async def test_no_path_leads_out_of_the_workspace(
    path: str, folder: Path, tmp_path: Path, editor: MemoryEditor, serve: Serve
) -> None:
    outside = tmp_path / "outside"
    (folder / "sub").mkdir()
    outside.mkdir()
    for place in (outside / "secret", tmp_path / "secret"):
        place.write_text("SECRET")
    (folder / "link").symlink_to(outside / "secret")
    (folder / "linked").symlink_to(outside)
    (folder / "sub" / "linked").symlink_to("../../outside")
    before = sorted(map(str, tmp_path.rglob("*")))
    server = await serve(editor)
    locks = sorted(map(str, (tmp_path / "config").rglob("*")))
    path = path.format(outside=outside)
    async with await connect_to(server) as cli:
        read = await cli.ask("readFile", {"path": path})
        assert read["error"]["code"] == -32603
        assert "SECRET" not in json.dumps(read)
        writing = await cli.start("writeFile", {"path": path, "content": "written"})
        asked = asyncio.create_task(editor.next_proposal())
        async with asyncio.timeout(PATIENCE):
            both: list[asyncio.Future[Any]] = [writing, asked]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if asked.done():  # a path that is inside after all: a slash before it means the root
                assert asked.result().path.startswith(f"{folder}/")
                assert path.startswith("/")
                editor.reject(asked.result().id)
            assert (await writing)["error"]["code"] == -32603
        asked.cancel()
        listed = (await cli.ask("listFiles", {}))["result"]
        assert not any("secret" in name for name in listed)
    assert (outside / "secret").read_text() == (tmp_path / "secret").read_text() == "SECRET"
    after = sorted(map(str, tmp_path.rglob("*")))
    assert set(after) - set(before) <= {*locks, str(tmp_path / "config")}


RENAME_EXCHANGE = 2


@contextlib.contextmanager
def swapping(one: Path, other: Path) -> Iterator[None]:
    """Exchange two names, at one stroke each time, as fast as can be."""
    rename = ctypes.CDLL(None).renameat2
    is_over = threading.Event()

    def swap() -> None:
        while not is_over.is_set():
            rename(-100, bytes(one), -100, bytes(other), RENAME_EXCHANGE)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


class Willing(MemoryEditor):
    """An editor whose person accepts everything at once."""

    async def show(self, proposal: Any, answer: Any) -> None:
        await super().show(proposal, answer)
        self.accept(proposal.id)


async def test_no_race_reads_or_writes_a_byte_outside(
    folder: Path, tmp_path: Path, serve: Serve, dial: Dial
) -> None:
    outside = tmp_path / "outside"
    for place, text in ((outside, "SECRET"), (folder / "dir", "public")):
        place.mkdir()
        (place / "a.txt").write_text(text)
    (folder / "link").symlink_to(outside)
    editor = Willing([str(folder)])
    # Open in the editor too, which follows its file by whatever way there is.
    await editor.open_file("dir/a.txt", preview=False, focus=True, select=None)
    cli = await dial(await serve(editor))
    outcomes = {"read": 0, "not read": 0, "written": 0, "not written": 0}
    until = time.monotonic() + 1.5
    with swapping(folder / "dir", folder / "link"):
        while time.monotonic() < until:
            read = await cli.ask("readFile", {"path": "dir/a.txt"})
            assert read.get("result", "public") == "public"
            outcomes["read" if "result" in read else "not read"] += 1
            name = f"dir/new{sum(outcomes.values())}"
            written = await cli.ask("writeFile", {"path": name, "content": "mine"})
            outcomes["written" if "result" in written else "not written"] += 1
    assert [path.name for path in outside.iterdir()] == ["a.txt"]
    assert (outside / "a.txt").read_text() == "SECRET"
    assert all(outcomes.values()), outcomes  # a race that nobody ever loses was not run


# The log.


async def test_a_flood_of_strangers_does_not_fill_the_log(
    editor: MemoryEditor, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    server = await serve(editor)
    for _ in range(3 * FIRST_LINES):
        await exchange(server, upgrade(server, Origin="http://evil.example"))
    assert caplog.text.count("refused a connection") == FIRST_LINES
    await server.close()
    assert f"refused {2 * FIRST_LINES} more connections" in caplog.text


# The token.


async def test_the_token_is_nowhere_in_logs_texts_or_errors(
    folder: Path,
    editor: MemoryEditor,
    serve: Serve,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.WARNING, logger="websockets")  # the scripted client's own log
    caplog.set_level(logging.DEBUG)  # last: it sets what is captured at all
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    server = await serve(editor)
    seen: list[object] = [server, server.sessions, server.sessions_open]
    async with IdeClient.for_folder(folder) as client:
        await client.tools()
        await client.call("getOpenEditors")
        seen += [client, client.ide, server.sessions, server.sessions_open]
    candidates = await discover()
    seen += [candidates, choose(candidates, str(folder))]
    async with await connect_to(server) as cli:
        seen.append(await cli.ask("openFile", {}))
        seen.append(await cli.ask("no such method", {}))
        await cli.socket.send("not json")
    with pytest.raises(ConnectFailed) as refused:
        async with IdeClient.at(server.port, server.token + "x"):
            pass
    malformed = f"GET / HTTP/1.1\r\n{TOKEN} {server.token}\r\n\r\n"
    await exchange(server, malformed.encode())
    await exchange(server, upgrade(server, Origin=server.token))
    seen += [refused.value, repr(refused.value)]
    everything = caplog.text + "".join(f"{each!r}{each!s}" for each in seen)
    assert "connected" in caplog.text
    assert server.token not in everything
    assert server.token[:20] not in everything


# Ten thousand of them.

CONNECTIONS = 10_000
AT_ONCE = 50


def hostile(server: IdeServer, number: int) -> tuple[bytes, bool]:
    """What the next attacker sends, and whether they wait for the end of it."""
    kind = number % 5
    if kind == 0:
        return upgrade(server, x_claude_code_ide_authorization=f"guess-{number}") + ASK, True
    if kind == 1:
        return upgrade(server, Origin="http://evil.example") + ASK, True
    if kind == 2:
        return os.urandom(64) + b"\r\n\r\n" + ASK, True
    if kind == 3:
        return upgrade(server)[:-20], False  # half a request, and gone
    return b"", False  # not a word


async def attack(server: IdeServer, number: int) -> bytes:
    data, waits = hostile(server, number)
    if waits:
        return await exchange(server, data)
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(data)
    # A reset, so that ten thousand sockets do not linger on this machine.
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()
    return b""


async def latency(cli: Cli) -> float:
    begun = time.perf_counter()
    await cli.call("closeAllDiffTabs")
    return time.perf_counter() - begun


async def test_ten_thousand_hostile_connections_get_no_answer_and_harm_nobody(
    folder: Path, serve: Serve, dial: Dial
) -> None:
    editor = Deaf([str(folder)])
    server = await serve(editor)
    good = await dial(server)
    half_open = [
        await asyncio.open_connection("127.0.0.1", server.port) for _ in range(100)
    ]  # who stay, and never ask
    asked = editor.asked
    before = psutil.Process().memory_info().rss
    meanwhile = []
    for batch in range(0, CONNECTIONS, AT_ONCE):
        attacks = [attack(server, number) for number in range(batch, batch + AT_ONCE)]
        measuring = asyncio.create_task(latency(good)) if batch % 1000 == 0 else None
        for answer in await asyncio.gather(*attacks):
            assert b"jsonrpc" not in answer
        if measuring is not None:
            meanwhile.append(await measuring)
    grown = psutil.Process().memory_info().rss - before
    assert editor.asked == asked
    assert len(server.sessions) == 1
    assert grown < 50 * 1024 * 1024
    assert statistics.median(meanwhile) < 0.05
    fresh = await dial(server)
    assert statistics.median([await latency(fresh) for _ in range(20)]) < 0.05
    for _, writer in half_open:
        writer.close()
