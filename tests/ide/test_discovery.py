from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.asyncio.server import serve

from anyide.errors import IdeNotFound
from anyide.ide import discovery
from anyide.ide.discovery import Candidate, Ide, Status, choose, discover, lock_directories, serves
from anyide.ide.lock import MAX_LOCK_BYTES
from anyide.ide.lockfile import LockFile

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTEN = """
import socket, sys
servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[server.getsockname()[1] for server in servers], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def locks(home: Path) -> Path:
    directory = home / ".claude" / "ide"
    directory.mkdir(parents=True)
    return directory


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


@pytest.fixture
def dead_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait(5)
    return process.pid


@contextlib.contextmanager
def process_listening(sockets: int) -> Iterator[tuple[int, list[int]]]:
    """A process of its own: its pid and the ports it listens on."""
    command = [sys.executable, "-c", LISTEN, str(sockets)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.pid, [int(port) for port in process.stdout.readline().split()]
        process.stdin.close()
        process.wait(5)


def put(directory: Path, name: int | str, *, age: int = 0, **fields: object) -> Path:
    path = directory / f"{name}.lock"
    path.write_text(json.dumps(fields))
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def ide(*folders: str, port: int = 1, running_in_windows: bool = False) -> Ide:
    return Ide(
        port=port,
        pid=None,
        name="x",
        folders=folders,
        token="secret",
        transport="ws",
        lock_path=Path(f"/locks/{port}.lock"),
        running_in_windows=running_in_windows,
    )


def running(*ides: Ide) -> list[Candidate]:
    return [
        Candidate(each.lock_path, Status.RUNNING, f"x listens on port {each.port}", each)
        for each in ides
    ]


async def only(home: Path, **env: str) -> Candidate:
    found = await discover(env, home)
    assert len(found) == 1
    return found[0]


async def test_a_running_ide_is_found_by_its_lock(home: Path, locks: Path, listener: int) -> None:
    path = put(
        locks,
        listener,
        pid=os.getpid(),
        workspaceFolders=["/ws"],
        ideName="IntelliJ IDEA",
        transport="ws",
        runningInWindows=False,
        authToken="secret",
    )
    found = await only(home)
    assert found.status is Status.RUNNING
    assert found.sentence == f"IntelliJ IDEA listens on port {listener}"
    assert found.ide == Ide(
        port=listener,
        pid=os.getpid(),
        name="IntelliJ IDEA",
        folders=("/ws",),
        token="secret",
        transport="ws",
        lock_path=path,
    )
    assert found.ide.url == f"ws://127.0.0.1:{listener}/"
    assert "secret" not in repr(found)


async def test_our_own_lock_is_found(home: Path, listener: int) -> None:
    lock = LockFile(home / ".claude" / "ide")
    lock.write(listener, "secret", ["/ws"], ide_name="anyide")
    try:
        found = await only(home)
    finally:
        lock.remove()
    assert found.ide is not None
    assert (found.ide.port, found.ide.token) == (listener, "secret")


async def test_all_four_directories_are_searched_newest_lock_first(
    tmp_path: Path, listener: int
) -> None:
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / "own"), "XDG_CONFIG_HOME": str(tmp_path / "xdg")}
    directories = lock_directories(env, tmp_path)
    assert directories == [
        tmp_path / "own" / "ide",
        tmp_path / "xdg" / "claude" / "ide",
        tmp_path / ".config" / "claude" / "ide",
        tmp_path / ".claude" / "ide",
    ]
    for age, directory in zip([3, 1, 4, 2], directories, strict=True):
        directory.mkdir(parents=True)
        put(directory, listener, age=age, ideName=str(age))
    found = await discover(env, tmp_path)
    assert [each.ide.name for each in found if each.ide] == ["1", "2", "3", "4"]


def test_one_directory_by_two_names_is_searched_once(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / ".claude")
    env = {
        "CLAUDE_CONFIG_DIR": str(tmp_path / "link"),
        "XDG_CONFIG_HOME": str(tmp_path / ".config"),
    }
    assert lock_directories(env, tmp_path) == [
        tmp_path / "link" / "ide",
        tmp_path / ".config" / "claude" / "ide",
    ]


async def test_without_any_directory_nothing_is_found(tmp_path: Path) -> None:
    assert await discover({}, tmp_path) == []


async def test_the_port_in_a_lock_named_after_a_pid_counts(
    home: Path, locks: Path, listener: int
) -> None:
    put(locks, os.getpid(), pid=os.getpid(), port=listener)
    found = await only(home)
    assert found.ide is not None
    assert found.ide.port == listener


async def test_a_lock_named_after_a_pid_leads_to_the_port_that_pid_listens_on(
    home: Path, locks: Path
) -> None:
    with process_listening(1) as (pid, [port]):
        put(locks, pid, pid=pid)
        found = await only(home)
    assert found.ide is not None
    assert found.ide.port == port


async def test_of_several_ports_of_a_pid_the_one_that_speaks_websocket_is_taken(
    home: Path, locks: Path
) -> None:
    seen: list[str | None] = []

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async def accept(connection: object) -> None:
        request = getattr(connection, "request", None)
        seen.append(request and request.headers["X-Claude-Code-Ide-Authorization"])

    plain = [await asyncio.start_server(silent, "127.0.0.1", 0) for _ in range(2)]
    async with serve(accept, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        put(locks, os.getpid(), pid=os.getpid(), authToken="secret")
        found = await only(home)
    for each in plain:
        each.close()
        await each.wait_closed()
    assert found.ide is not None
    assert found.ide.port == port
    assert seen == ["secret"]


async def test_a_dead_process_is_told(
    home: Path, locks: Path, dead_pid: int, listener: int
) -> None:
    put(locks, listener, pid=dead_pid, ideName="VS Code")
    found = await only(home)
    assert found.status is Status.DEAD_PID
    assert found.sentence == f"VS Code: its process {dead_pid} is gone"
    assert found.ide is None


async def test_a_closed_port_is_told(home: Path, locks: Path, closed_port: int) -> None:
    put(locks, closed_port, pid=os.getpid(), port=closed_port)
    found = await only(home)
    assert found.status is Status.PORT_CLOSED
    assert found.sentence == f"unnamed IDE: nothing listens on port {closed_port}"


async def test_a_lock_without_any_port_is_told(home: Path, locks: Path) -> None:
    with process_listening(0) as (pid, _):
        put(locks, "editor", pid=pid)
        found = await only(home)
    assert found.status is Status.NO_PORT


@pytest.mark.parametrize("content", [b"", b"  \n", b"{", b'{"pid": 12', b'{"ideName": "VS Co'])
async def test_a_half_written_lock_is_told(home: Path, locks: Path, content: bytes) -> None:
    (locks / "1.lock").write_bytes(content)
    assert (await only(home)).status is Status.HALF_WRITTEN


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"hello",
        b"[]",
        b"12",
        b'{"pid": "12"}',
        b'{"pid": -1}',
        b'{"pid": 1e999}',
        b'{"port": 70000}',
        b'{"port": true}',
        b'{"workspaceFolders": "/ws"}',
        b'{"workspaceFolders": [1]}',
        b'{"workspaceFolders": ["/a\\u0000"]}',
        b'{"authToken": 5}',
        b'{"x": ' + b"[" * 100_000,
        b"{x}",
    ],
)
async def test_a_malformed_lock_is_told(home: Path, locks: Path, content: bytes) -> None:
    (locks / "1.lock").write_bytes(content)
    assert (await only(home)).status is Status.MALFORMED


async def test_what_cannot_be_read_is_told(home: Path, locks: Path) -> None:
    (locks / "1.lock").mkdir()
    (locks / "2.lock").symlink_to("nowhere")
    os.mkfifo(locks / "3.lock")
    (locks / "4.lock").write_bytes(b" " * (MAX_LOCK_BYTES + 1))
    found = {each.lock_path.stem: each for each in await discover({}, home)}
    assert {each.status for each in found.values()} == {Status.UNREADABLE}
    assert "directory" in found["1"].sentence
    assert "No such file" in found["2"].sentence
    assert "not a regular file" in found["3"].sentence
    assert "larger than 1 MiB" in found["4"].sentence


async def test_a_lock_that_is_no_json_is_a_list_of_folders(
    home: Path, locks: Path, listener: int
) -> None:
    (locks / f"{listener}.lock").write_text("/ws\n\n  /other folder \r\nC:\\work\n")
    found = await only(home)
    assert found.ide is not None
    assert found.ide.folders == ("/ws", "/other folder", "C:\\work")
    assert found.ide.url == f"http://127.0.0.1:{listener}/sse"


async def test_another_transport_is_told_with_its_url(
    home: Path, locks: Path, listener: int
) -> None:
    put(locks, listener, transport="sse")
    found = await only(home)
    assert found.ide is not None
    assert found.ide.transport == "sse"
    assert found.ide.url == f"http://127.0.0.1:{listener}/sse"


async def test_the_host_can_be_another_and_then_pids_mean_nothing(
    home: Path, locks: Path, dead_pid: int
) -> None:
    with socket.create_server(("127.0.0.2", 0)) as server:
        port = server.getsockname()[1]
        put(locks, port, pid=dead_pid, transport="ws")
        found = await only(home, CLAUDE_CODE_IDE_HOST_OVERRIDE="127.0.0.2")
    assert found.ide is not None
    assert found.ide.url == f"ws://127.0.0.2:{port}/"


async def test_a_host_that_can_be_no_name_is_a_closed_port(
    home: Path, locks: Path, listener: int
) -> None:
    put(locks, listener)
    found = await only(home, CLAUDE_CODE_IDE_HOST_OVERRIDE="a" * 64)
    assert found.status is Status.PORT_CLOSED


async def test_the_pid_of_an_ide_on_windows_means_nothing_here(
    home: Path, locks: Path, dead_pid: int, listener: int
) -> None:
    put(locks, listener, pid=dead_pid, runningInWindows=True)
    assert (await only(home, WSL_DISTRO_NAME="Ubuntu")).status is Status.RUNNING


async def test_a_name_cannot_paint_the_terminal(home: Path, locks: Path, listener: int) -> None:
    put(locks, listener, ideName="\x1b[31mred\n" + "x" * 500)
    found = await only(home)
    assert found.sentence.isprintable()
    assert len(found.sentence) < 200


def test_an_ipv6_host_is_bracketed() -> None:
    there = Ide(9, None, "x", (), "", transport="ws", lock_path=Path("9.lock"), host="::1")
    assert there.url == "ws://[::1]:9/"


@settings(deadline=None, max_examples=150)
@given(
    st.one_of(
        st.binary(),
        st.text().map(str.encode),
        st.builds(
            lambda fields: json.dumps(fields).encode(),
            st.dictionaries(
                st.sampled_from(
                    ["pid", "port", "workspaceFolders", "ideName", "transport", "authToken", "x"]
                ),
                st.recursive(
                    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
                ),
            ),
        ),
    ),
    st.sampled_from(["0", "1", "99999", "99999999999999999999", "x", "\N{SUPERSCRIPT TWO}", "-1"]),
)
def test_no_content_of_a_lock_breaks_discovery(content: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        directory = Path(home, ".claude", "ide")
        directory.mkdir(parents=True)
        (directory / f"{name}.lock").write_bytes(content)
        found = asyncio.run(discover({}, Path(home)))
        assert len(found) == 1
        with pytest.raises(IdeNotFound):
            choose(found, "/ws", port=65535, env={})
        if found[0].ide:
            serves(found[0].ide, "/ws", {})


async def test_many_locks_are_checked_at_once(home: Path, locks: Path) -> None:
    """A full listen queue answers nothing: forty such ports cost two time-outs, not forty."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        port = server.getsockname()[1]
        clients = [socket.socket() for _ in range(4)]
        for client in clients:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        for number in range(40):
            put(locks, f"ide{number}", port=port)
        async with asyncio.timeout(5):
            found = await discover({}, home)
        for client in clients:
            client.close()
    assert {each.status for each in found} == {Status.PORT_CLOSED}


def test_the_newest_ide_around_the_folder_is_chosen() -> None:
    found = running(ide("/other"), ide("/ws", port=2), ide("/ws/sub", port=3), ide("/", port=4))
    assert choose(found, "/ws/sub/deep", env={}).port == 2
    assert choose(found, "/ws", env={}).port == 2
    assert choose(found, "/elsewhere", env={}).port == 4


def test_the_port_in_the_environment_comes_first_but_need_not_be_there() -> None:
    found = running(ide("/ws"), ide("/other", port=2))
    assert choose(found, "/ws", env={"CLAUDE_CODE_SSE_PORT": "2"}).port == 2
    assert choose(found, "/ws", env={"CLAUDE_CODE_SSE_PORT": "9"}).port == 1
    assert choose(found, "/ws", env={"CLAUDE_CODE_SSE_PORT": "nonsense"}).port == 1


def test_a_port_that_was_asked_for_allows_no_other() -> None:
    found = running(ide("/ws"), ide("/other", port=2))
    assert choose(found, "/ws", port=2, env={"CLAUDE_CODE_SSE_PORT": "1"}).port == 2
    with pytest.raises(IdeNotFound, match="no running IDE listens on port 9"):
        choose(found, "/ws", port=9, env={})


def test_the_folder_check_can_be_turned_off() -> None:
    found = running(ide("/other"))
    assert choose(found, "/ws", env={"CLAUDE_CODE_IDE_SKIP_VALID_CHECK": "true"}).port == 1
    with pytest.raises(IdeNotFound):
        choose(found, "/ws", env={"CLAUDE_CODE_IDE_SKIP_VALID_CHECK": "0"})


def test_who_finds_no_ide_is_told_what_was_seen() -> None:
    stale = Candidate(Path("/locks/7.lock"), Status.DEAD_PID, "VS Code: its process 7 is gone")
    with pytest.raises(IdeNotFound) as caught:
        choose([*running(ide("/other"), ide(port=2)), stale], "/ws", env={})
    assert str(caught.value).splitlines() == [
        "no running IDE serves /ws. Seen:",
        "  /locks/1.lock: x listens on port 1, serves '/other'",
        "  /locks/2.lock: x listens on port 2, serves no folder",
        "  /locks/7.lock: VS Code: its process 7 is gone",
    ]
    assert "secret" not in str(caught.value)


def test_who_finds_no_lock_at_all_is_asked_for_the_editor() -> None:
    with pytest.raises(IdeNotFound, match="no lock file; is the editor running"):
        choose([], "/ws", env={})


def test_a_folder_is_served_through_symbolic_links_of_either_side(tmp_path: Path) -> None:
    (tmp_path / "real" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert serves(ide(str(tmp_path / "real")), str(tmp_path / "link" / "sub"), {})
    assert serves(ide(str(tmp_path / "link")), str(tmp_path / "real" / "sub"), {})


@pytest.mark.parametrize("folder", ["", ".", "..", "ws"])
def test_a_relative_folder_of_a_lock_serves_nothing(folder: str) -> None:
    assert not serves(ide(folder), str(Path.cwd()), {})


@pytest.mark.parametrize(
    ("theirs", "ours", "is_served"),
    [
        ("/c/Users/foo", "/mnt/c/Users/foo/x", True),
        (r"C:\Users\foo", "/mnt/c/Users/foo", True),
        (r"\\wsl.localhost\Ubuntu\home\x", "/home/x/y", True),
        (r"\\wsl$\Debian\home\x", "/home/x/y", False),
        (r"D:\x", "/mnt/c/x", False),
    ],
)
def test_inside_wsl_the_folders_of_an_ide_on_windows_are_understood(
    theirs: str, ours: str, is_served: bool
) -> None:
    windows = ide(theirs, running_in_windows=True)
    assert serves(windows, ours, {"WSL_DISTRO_NAME": "Ubuntu"}) is is_served


async def test_no_more_locks_than_the_limit_are_looked_at(home: Path, locks: Path) -> None:
    for number in range(discovery.MAX_LOCKS + 5):
        (locks / f"x{number}.lock").touch()
    assert len(await discover({}, home)) == discovery.MAX_LOCKS
