"""One conversation: introductions, loose clients, notifications, and whether it is still there."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from anyide import __version__
from anyide.editor.model import (
    Diagnostic,
    FileDiagnostics,
    Mention,
    Position,
    Range,
    Selection,
    Severity,
)
from anyide.ide.dialect import DIALECTS
from anyide.ide.heartbeat import Heartbeat
from anyide.ide.throttle import INTERVAL
from tests.ide.wire import PATIENCE, Cli, Watch, texts

if TYPE_CHECKING:
    from pathlib import Path

    from anyide.editor.memory import MemoryEditor
    from anyide.ide.server import IdeServer
    from tests.ide.conftest import Dial, Serve

SPAN = Range(Position(0, 0), Position(0, 3))


def wire_range(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
        "isEmpty": start == end,
    }


async def opened(editor: MemoryEditor, folder: Path, name: str, text: str = "one\ntwo\n") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    await editor.open_file(name, preview=False, focus=True, select=None)


# Introductions.


@pytest.mark.parametrize("version", ["2025-11-25", "2024-11-05", "1.0", "of the future"])
async def test_initialize_echoes_the_version_and_offers_tools_alone(
    version: str, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor, name="my editor"))
    answer = await cli.ask("initialize", {"protocolVersion": version, "capabilities": {}})
    assert answer == {
        "jsonrpc": "2.0",
        "id": 0,
        "result": {
            "protocolVersion": version,
            "serverInfo": {"name": "my editor", "version": __version__},
            "capabilities": {"tools": {"listChanged": True}},
        },
    }


@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("ping", {}),
        ("resources/list", {"resources": []}),
        ("resources/templates/list", {"resourceTemplates": []}),
        ("prompts/list", {"prompts": []}),
    ],
)
async def test_what_an_mcp_client_may_ask_is_answered(
    method: str, result: dict[str, Any], editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    assert (await cli.ask(method))["result"] == result
    assert (await cli.ask(method, {}))["result"] == result


async def test_an_unknown_method_is_answered_so(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    error = (await cli.ask("no/such/method"))["error"]
    assert (error["code"], error["message"]) == (-32601, "Method not found: no/such/method")


async def test_a_session_is_known_by_folder_process_and_version(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    watch = Watch()
    server = await serve(editor, on_sessions=watch.bell)
    place = folder / "a place"
    cli = await dial(server, folder=place)
    (before,) = server.sessions
    assert (before.pid, before.folders, before.is_ready) == (None, (), False)
    await cli.introduce(pid=os.getpid())
    await watch.until(lambda: server.sessions[0].folders)
    (info,) = server.sessions
    assert info.id == before.id
    assert (info.client, info.version) == ("claude-code", "2.1.325")
    assert (info.pid, info.folders, info.is_ready) == (os.getpid(), (str(place),), True)
    await cli.__aexit__()
    await watch.until(lambda: server.sessions == ())


async def test_roots_are_asked_again_when_they_changed(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor), folder=folder)
    await cli.introduce()
    await cli.is_asked("roots/list")
    await cli.say("notifications/roots/list_changed")
    await cli.is_asked("roots/list", 2)


async def test_a_client_without_roots_is_a_session_without_folders(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    watch = Watch()
    server = await serve(editor, on_sessions=watch.bell)
    cli = await dial(server)
    await cli.introduce()
    await cli.is_asked("roots/list")
    await cli.settles()
    assert server.sessions[0].folders == ()
    assert server.sessions[0].is_ready


@pytest.mark.parametrize("pid", [-1, 0, 2**40, "seven", True, 1.5])
async def test_a_pid_that_is_none_harms_nothing(
    pid: Any, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor)
    cli = await dial(server)
    await cli.say("ide_connected", {"pid": pid})
    await cli.settles()
    assert server.sessions[0].pid is None


async def test_no_list_changed_is_ever_sent(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor, heartbeat=Heartbeat(interval=0.01, timeout=0.5))
    cli = await dial(server, folder=folder)
    await cli.introduce()
    await opened(editor, folder, "a.py")
    editor.select("a.py", SPAN)
    editor.mention(Mention("a.py"))
    editor.set_diagnostics("a.py", [])
    server.pause()
    server.pause(paused=False)
    await cli.is_asked("ping", 3)
    methods = {each["method"] for each in cli.heard}
    assert methods == {"selection_changed", "at_mentioned", "diagnostics_changed"}


# Loose clients.


@pytest.mark.parametrize("path", ["/", "/mcp", "/?x=1"])
@pytest.mark.parametrize("subprotocols", [(), ("mcp",), ("other", "mcp")])
async def test_clients_without_subprotocol_or_initialize_are_served(
    path: str, subprotocols: tuple[str, ...], editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor), path=path, subprotocols=subprotocols)
    assert cli.socket.subprotocol == ("mcp" if subprotocols else None)
    tools = (await cli.ask("tools/list", {}))["result"]["tools"]
    assert "openDiff" in [tool["name"] for tool in tools]
    assert texts((await cli.ask("closeAllDiffTabs"))["result"]) == ["CLOSED_0_DIFF_TABS"]
    assert cli.heard == []
    assert cli.asked == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("{", -32700),
        ("not json", -32700),
        ('{"id": 1}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        ("[]", -32600),
    ],
)
async def test_what_is_no_request_is_answered_as_json_rpc_says(
    data: str, code: int, editor: MemoryEditor, serve: Serve
) -> None:
    server = await serve(editor)
    cli = await Cli.connect(server.port, server.token)
    answer = cli._waiting[None] = cli._waiting[1] = asyncio.get_running_loop().create_future()  # type: ignore[index]
    await cli.socket.send(data)
    async with asyncio.timeout(PATIENCE):
        assert (await answer)["error"]["code"] == code
    await cli.settles()
    await cli.__aexit__()


# Notifications.


async def test_a_selection_is_told_in_full(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    await opened(editor, folder, "ä b.py", "a😀b\ntwo\n")
    editor.select("ä b.py", Range(Position(0, 1), Position(1, 2)))
    told = await cli.hears("selection_changed", 2)
    assert told[-1] == {
        "text": "😀b\ntw",
        "filePath": f"{folder}/ä b.py",
        "fileUrl": f"file://{folder}/%C3%A4%20b.py",
        "selection": wire_range((0, 1), (1, 2)),
    }
    cursor = told[0]
    assert (cursor["text"], cursor["selection"]) == ("", wire_range((0, 0), (0, 0)))


async def test_a_mention_has_lines_or_no_line_keys_at_all(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    editor.mention(Mention("a.py"))
    editor.mention(Mention("a.py", 0, 1))
    editor.mention(Mention("a.py", 4))
    path = str(folder / "a.py")
    assert await cli.hears("at_mentioned", 3) == [
        {"filePath": path},
        {"filePath": path, "lineStart": 0, "lineEnd": 1},
        {"filePath": path, "lineStart": 4, "lineEnd": 4},
    ]


async def test_diagnostics_are_told_when_they_change(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    editor.set_diagnostics("a.py", [Diagnostic("bad", Severity.ERROR, SPAN)])
    editor.set_diagnostics("b.py", [])
    told = await cli.hears("diagnostics_changed", 2)
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    found = [{"message": "bad", "severity": "Error", "range": span}]
    assert told == [
        {"uri": f"file://{folder}/a.py", "diagnostics": found},
        {"uri": f"file://{folder}/b.py", "diagnostics": []},
    ]


async def test_equal_notifications_are_told_once_but_a_mention_again_later(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor)
    cli = await dial(server)
    selection = Selection(str(folder / "a.py"), "one", SPAN)
    findings = FileDiagnostics(str(folder / "a.py"), ())
    for _ in range(3):
        for _ in range(10):
            server.selection_changed(selection)
            server.diagnostics_changed(findings)
            server.mentioned(Mention(str(folder / "a.py")))
        await asyncio.sleep(INTERVAL * 1.5)  # what is not sent cannot be waited for
    await cli.settles()
    assert len(cli.told("selection_changed")) == 1
    assert len(cli.told("diagnostics_changed")) == 1
    assert len(cli.told("at_mentioned")) == 3


async def test_a_storm_of_selections_is_coalesced_and_its_last_one_delivered(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    await opened(editor, folder, "a.py", "x" * 10_001)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for column in range(10_000):
        editor.select("a.py", Range(Position(0, 0), Position(0, column + 1)))
        if column % 100 == 0:
            await asyncio.sleep(0)
    ended = loop.time()
    async with asyncio.timeout(PATIENCE):
        while not cli.heard or len(cli.heard[-1]["params"]["text"]) != 10_000:
            await cli._change()
    assert loop.time() - ended < 1.0
    assert len(cli.heard) <= 3 + (loop.time() - begun) / INTERVAL
    await cli.settles()
    sizes = [len(each["text"]) for each in cli.told("selection_changed")]
    assert sizes == sorted(sizes)


async def test_one_session_or_all_are_told(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor)
    one, two = await dial(server), await dial(server)
    first, _ = (info.id for info in server.sessions)
    server.selection_changed(Selection(str(folder / "a.py"), "one", SPAN), first)
    server.diagnostics_changed(FileDiagnostics(str(folder / "a.py"), ()), first)
    editor.mention(Mention("a.py"), session=first)
    editor.mention(Mention("b.py"), session="nobody")
    editor.mention(Mention("c.py"))
    await one.hears("at_mentioned", 2)
    await two.hears("at_mentioned", 1)
    assert [each["method"] for each in one.heard] == [
        "selection_changed",
        "diagnostics_changed",
        "at_mentioned",
        "at_mentioned",
    ]
    assert two.told("at_mentioned") == [{"filePath": str(folder / "c.py")}]
    assert len(two.heard) == 1


async def test_a_new_session_is_told_the_current_selection(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    await opened(editor, folder, "a.py")
    editor.select("a.py", SPAN)
    cli = await dial(await serve(editor))
    await cli.introduce()
    assert (await cli.hears("selection_changed"))[0]["text"] == "one"
    # And again, because the real CLI drops what it is told for a moment after it asked for tools.
    await cli.ask("tools/list")
    told = await cli.hears("selection_changed", 3)
    assert told == [told[0]] * 3


async def test_denied_files_are_never_named(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor)
    cli = await dial(server, folder=folder)
    seen: list[str] = []
    link = folder / "innocent.txt"
    (folder / ".env").write_text("SECRET=1\n")
    link.symlink_to(folder / ".env")
    for name in (".env", "innocent.txt"):
        await editor.open_file(name, preview=False, focus=True, select=None)
        editor.select(name, Range(Position(0, 0), Position(0, 6)))
        editor.mention(Mention(name))
        editor.mention(Mention(name, 0, 1))
        editor.set_diagnostics(name, [Diagnostic("SECRET", Severity.ERROR, SPAN)])
        await cli.introduce()
        for tool in ("getCurrentSelection", "getLatestSelection", "getOpenEditors"):
            seen += texts(await cli.call(tool))
        seen += texts(await cli.call("get_all_opened_file_paths"))
        seen += texts(await cli.call("getDiagnostics"))
        seen += texts(await cli.call("getDiagnostics", uri=str(folder / name)))
        for method in ("listFiles", "getOpenFiles", "getCurrentFile", "getWorkspaceInfo"):
            seen.append(json.dumps((await cli.ask(method, {}))["result"]))
        answer = await cli.ask("readFile", {"path": name})
        assert answer["error"]["message"] == "failed to read file: this file is not shared"
        seen.append(json.dumps(answer))
    everything = "\n".join([*seen, *map(json.dumps, cli.heard)])
    assert cli.heard == []
    for word in (".env", "innocent", "SECRET"):
        assert word not in everything


async def test_going_to_a_denied_file_takes_the_shown_selection_back(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    await opened(editor, folder, "a.py")
    editor.select("a.py", SPAN)
    await cli.hears("selection_changed", 2)
    await opened(editor, folder, ".env")
    editor.select(".env", SPAN)
    told = await cli.hears("selection_changed", 3)
    assert told[-1]["filePath"] == str(folder / "a.py")
    assert (told[-1]["text"], told[-1]["selection"]) == ("", wire_range((0, 0), (0, 0)))
    await cli.settles()
    assert len(cli.heard) == 3


async def test_a_pause_takes_the_shown_selection_back_and_its_end_shows_it_again(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor)
    cli = await dial(server)
    await cli.introduce()
    await opened(editor, folder, "a.py")
    editor.select("a.py", SPAN)
    await cli.hears("selection_changed", 2)
    server.pause()
    told = await cli.hears("selection_changed", 3)
    assert (told[-1]["filePath"], told[-1]["text"]) == (str(folder / "a.py"), "")
    editor.mention(Mention("a.py"))
    editor.set_diagnostics("a.py", [])
    editor.select("a.py", Range(Position(1, 0), Position(1, 3)))
    selection = json.loads(texts(await cli.call("getCurrentSelection"))[0])
    assert selection["success"] is False
    assert json.loads(texts(await cli.call("getOpenEditors"))[0]) == []
    assert len(cli.heard) == 3
    server.pause(paused=False)
    assert (await cli.hears("selection_changed", 4))[-1]["text"] == "two"


async def test_a_pause_stops_what_was_still_to_be_sent(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor)
    cli = await dial(server)
    server.selection_changed(Selection(str(folder / "a.py"), "one", SPAN))
    server.selection_changed(Selection(str(folder / "later.py"), "two", SPAN))
    server.pause()
    told = await cli.hears("selection_changed", 2)
    assert [each["filePath"] for each in told] == [str(folder / "a.py")] * 2
    assert [each["text"] for each in told] == ["one", ""]


# Whether it is still there.


def alone(server: IdeServer) -> bool:
    return server.sessions == ()


def is_silent(server: IdeServer) -> bool:
    return any(info.is_silent for info in server.sessions)


async def test_a_silent_client_is_asked_and_one_that_talks_is_not(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor, heartbeat=Heartbeat(interval=0.2, timeout=2.0))
    quiet, talker = await dial(server), await dial(server)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for _ in itertools.takewhile(lambda _: loop.time() < begun + 0.9, itertools.count()):
        await talker.settles()
        await asyncio.sleep(0.02)
    await quiet.is_asked("ping", 3)  # an answer to a ping does not count as talk
    assert talker.asked == []


async def test_a_client_that_misses_a_ping_is_silent_until_it_speaks(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    watch = Watch()
    beat = Heartbeat(interval=0.05, timeout=0.05)
    server = await serve(editor, heartbeat=beat, on_sessions=watch.bell)
    cli = await dial(server, is_mute=True)
    await watch.until(lambda: is_silent(server))
    for name in "abc":
        server.selection_changed(Selection(str(folder / name), "one", SPAN))
    await cli.is_asked("ping", 3)
    assert cli.told("selection_changed") == []
    cli.is_mute = False
    await cli.settles()
    await watch.until(lambda: not is_silent(server))
    # Only the last of what it slept through.
    assert [each["filePath"] for each in await cli.hears("selection_changed")] == [
        str(folder / "c")
    ]


async def test_an_error_is_an_answer_to_a_ping_too(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor, heartbeat=Heartbeat(interval=0.02, timeout=1.0))
    cli = await dial(server)

    async def refuse(message: dict[str, Any]) -> None:
        error = {"code": -32601, "message": "what?"}
        await cli.socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}))

    cli._reply = refuse  # type: ignore[method-assign]
    await cli.is_asked("ping", 3)
    assert not is_silent(server)


async def test_a_mute_client_is_dropped_when_patience_ends(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    watch = Watch()
    beat = Heartbeat(interval=0.02, timeout=0.02, patience=0.1)
    server = await serve(editor, heartbeat=beat, on_sessions=watch.bell)
    cli = await dial(server, is_mute=True)
    assert await cli.is_closed() == (1001, "no answer to 5 pings")
    await watch.until(lambda: alone(server))


async def test_in_the_jetbrains_dialect_the_first_miss_ends_it(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    beat = Heartbeat(interval=0.02, timeout=0.02)
    server = await serve(editor, heartbeat=beat, dialect=DIALECTS["jetbrains"])
    cli = await dial(server, is_mute=True)
    assert await cli.is_closed() == (1001, "no answer to 1 pings")


CLIENT = """
import asyncio, json, os, sys
from websockets.asyncio.client import connect

async def main():
    headers = {"x-claude-code-ide-authorization": sys.argv[2]}
    url = f"ws://127.0.0.1:{sys.argv[1]}/"
    async with connect(url, additional_headers=headers, subprotocols=["mcp"], proxy=None) as socket:
        connected = {"jsonrpc": "2.0", "method": "ide_connected", "params": {"pid": os.getpid()}}
        await socket.send(json.dumps(connected))
        async for data in socket:
            message = json.loads(data)
            if "id" in message and "method" in message:
                await socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}))

asyncio.run(main())
"""


async def test_a_stopped_process_is_kept_and_heard_again_when_it_goes_on(
    editor: MemoryEditor, serve: Serve
) -> None:
    watch = Watch()
    beat = Heartbeat(interval=0.05, timeout=0.1, patience=0.1)
    server = await serve(editor, heartbeat=beat, on_sessions=watch.bell)
    arguments = [sys.executable, "-c", CLIENT, str(server.port), server.token]
    process = await asyncio.create_subprocess_exec(*arguments)
    await watch.until(lambda: any(info.is_ready for info in server.sessions))
    assert server.sessions[0].pid == process.pid
    os.kill(process.pid, signal.SIGSTOP)
    await watch.until(lambda: is_silent(server))
    await asyncio.sleep(0.5)  # many rounds beyond patience: that nothing happens takes time
    assert not alone(server)
    os.kill(process.pid, signal.SIGCONT)
    await watch.until(lambda: not is_silent(server))
    process.kill()
    await process.wait()
    await watch.until(lambda: alone(server))


async def test_a_client_whose_process_is_gone_is_dropped_though_its_socket_is_open(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    watch = Watch()
    beat = Heartbeat(interval=0.05, timeout=0.05)
    server = await serve(editor, heartbeat=beat, on_sessions=watch.bell)
    cli = await dial(server, is_mute=True)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    await cli.say("ide_connected", {"pid": process.pid})
    await watch.until(lambda: server.sessions[0].pid == process.pid)
    await watch.until(lambda: is_silent(server))
    assert not alone(server)
    process.kill()
    await process.wait()
    assert not psutil.pid_exists(process.pid)
    await watch.until(lambda: alone(server))
    assert (await cli.is_closed())[0] == 1001
