from __future__ import annotations

import base64
import json
import os
import platform
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import psutil
import pytest

from anyide import __version__
from anyide.errors import StateError
from anyide.ide.lock import Lock, is_alive, listening_ports, parse
from anyide.ide.lockfile import LockFile, lock_directory, new_token, reap

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVE_UNTIL_TOLD = """
import asyncio, signal, sys
from pathlib import Path
from anyide.ide.lockfile import LockFile

async def main():
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    lock = LockFile(Path(sys.argv[1]))
    lock.write(4711, "secret", ["/ws"], ide_name="anyide")
    print("ready", flush=True)
    await told.wait()
    if sys.argv[2] == "clean":
        lock.remove()

asyncio.run(main())
"""
FORK = """
import os, sys
from pathlib import Path
from anyide.ide.lockfile import LockFile

lock = LockFile(Path(sys.argv[1]))
path = lock.write(4711, "secret", ["/ws"], ide_name="anyide")
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print(path.exists())
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "claude" / "ide"


@pytest.fixture
def lock(directory: Path) -> Iterator[LockFile]:
    ours = LockFile(directory)
    yield ours
    ours.remove()


@pytest.fixture
def dead_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait(5)
    return process.pid


def write(lock: LockFile, *, port: int = 4711, token: str = "secret") -> Path:
    return lock.write(port, token, ["/ws", "/other"], ide_name="anyide")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def put(directory: Path, name: str, lock: Lock | dict[str, object]) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_bytes(msgspec.json.encode(lock))
    return path


def test_the_lock_holds_what_the_cli_and_the_seeds_read(lock: LockFile, directory: Path) -> None:
    path = write(lock)
    assert path == directory / "4711.lock" == lock.path
    fields = json.loads(path.read_bytes())
    marker = fields.pop("anyide")
    assert fields == {
        "pid": os.getpid(),
        "workspaceFolders": ["/ws", "/other"],
        "ideName": "anyide",
        "transport": "ws",
        "runningInWindows": False,
        "authToken": "secret",
        "port": 4711,
    }
    assert marker == {
        "version": __version__,
        "started": psutil.Process().create_time(),
        "host": platform.node(),
    }


def test_file_and_directories_are_the_owners_alone(lock: LockFile, directory: Path) -> None:
    old = os.umask(0)
    try:
        path = write(lock)
    finally:
        os.umask(old)
    assert mode(path) == 0o600
    assert mode(directory) == 0o700
    assert mode(directory.parent) == 0o700
    assert [entry.name for entry in directory.iterdir()] == ["4711.lock"]


def test_an_open_directory_of_ours_is_tightened_and_its_parent_left_alone(
    lock: LockFile, directory: Path
) -> None:
    directory.mkdir(parents=True)
    directory.parent.chmod(0o755)
    directory.chmod(0o777)
    write(lock)
    assert mode(directory) == 0o700
    assert mode(directory.parent) == 0o755


def test_the_file_is_private_from_its_first_byte(directory: Path) -> None:
    code = (
        "import os, sys\n"
        "seen = []\n"
        "sys.addaudithook(lambda name, args: seen.append((name, args)))\n"
        "from pathlib import Path\n"
        "from anyide.ide.lockfile import LockFile\n"
        "os.umask(0)\n"
        "LockFile(Path(sys.argv[1])).write(1, 't', [], ide_name='x')\n"
        "opened = [args for name, args in seen if name == 'open' and isinstance(args[0], str)]\n"
        "made = [args for args in opened if args[2] & os.O_CREAT]\n"
        "assert len(made) == 1 and made[0][2] & os.O_EXCL, made\n"
        "assert not [args for name, args in seen if name == 'os.chmod']\n"
        "assert os.stat(sys.argv[1] + '/1.lock').st_mode & 0o777 == 0o600\n"
    )
    subprocess.run([sys.executable, "-c", code, str(directory)], check=True, timeout=5)


def test_removing_is_idempotent(lock: LockFile) -> None:
    path = write(lock)
    lock.remove()
    assert not path.exists()
    assert lock.path is None
    lock.remove()


def test_a_lock_that_is_gone_already_is_removed_without_a_word(lock: LockFile) -> None:
    write(lock).unlink()
    lock.remove()


@pytest.mark.parametrize("theirs", [b'{"authToken":"theirs","pid":1}', b"", b"\xff", b"{"])
def test_a_lock_that_another_took_over_is_left_alone(lock: LockFile, theirs: bytes) -> None:
    path = write(lock)
    path.write_bytes(theirs)
    lock.remove()
    assert path.read_bytes() == theirs


def test_a_successor_with_our_old_token_keeps_its_lock(lock: LockFile) -> None:
    path = write(lock)
    successor = msgspec.structs.replace(parse(path.read_bytes()), pid=1)
    path.write_bytes(msgspec.json.encode(successor))
    lock.remove()
    assert path.exists()


def test_writing_again_moves_the_lock(lock: LockFile) -> None:
    first = write(lock)
    second = write(lock, port=4712)
    assert not first.exists()
    assert second.exists()


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    with pytest.raises(StateError, match=r"cannot write the lock file in .*file/ide: Not a dir"):
        write(LockFile(blocked / "ide"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("way", ["clean", "forgotten"])
def test_the_lock_is_gone_after_a_signal(directory: Path, number: signal.Signals, way: str) -> None:
    command = [sys.executable, "-c", SERVE_UNTIL_TOLD, str(directory), way]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        assert (directory / "4711.lock").exists()
        server.send_signal(number)
        assert server.wait(5) == 0
    assert list(directory.iterdir()) == []


def test_a_killed_server_leaves_a_lock_that_is_reaped(directory: Path) -> None:
    command = [sys.executable, "-c", SERVE_UNTIL_TOLD, str(directory), "clean"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        assert reap(directory) == ((), ())
        server.kill()
        server.wait(5)
    path = directory / "4711.lock"
    assert path.exists()
    assert reap(directory) == ((path,), ())
    assert not path.exists()


def test_a_forked_child_leaves_the_lock_to_its_parent(directory: Path) -> None:
    command = [sys.executable, "-c", FORK, str(directory)]
    done = subprocess.run(command, check=True, timeout=5, capture_output=True)
    assert done.stdout == b"True\n"
    assert list(directory.iterdir()) == []


def test_a_lock_whose_pid_went_to_a_new_process_is_reaped(lock: LockFile, directory: Path) -> None:
    ours = parse(write(lock).read_bytes())
    assert ours.anyide is not None
    before = msgspec.structs.replace(ours.anyide, started=ours.anyide.started - 100)
    path = put(directory, "4712.lock", msgspec.structs.replace(ours, anyide=before, port=1))
    assert reap(directory) == ((path,), ())
    assert lock.path is not None
    assert lock.path.exists()


def test_who_still_listens_is_not_reaped_though_the_clock_was_set(
    lock: LockFile, directory: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ours = parse(write(lock, port=port).read_bytes())
        assert ours.anyide is not None
        before = msgspec.structs.replace(ours.anyide, started=ours.anyide.started - 100)
        put(directory, f"{port}.lock", msgspec.structs.replace(ours, anyide=before))
        assert reap(directory) == ((), ())


def test_a_lock_of_another_machine_or_container_is_left_alone(
    lock: LockFile, directory: Path, dead_pid: int
) -> None:
    ours = parse(write(lock).read_bytes())
    assert ours.anyide is not None
    elsewhere = msgspec.structs.replace(ours.anyide, host="another-" + ours.anyide.host)
    path = put(
        directory, "4712.lock", msgspec.structs.replace(ours, pid=dead_pid, anyide=elsewhere)
    )
    assert reap(directory) == ((), ())
    assert path.exists()


def test_stale_locks_of_other_programs_are_only_reported(directory: Path, dead_pid: int) -> None:
    path = put(directory, "4712.lock", {"pid": dead_pid, "ideName": "Visual Studio Code"})
    put(directory, "4713.lock", {"pid": os.getpid(), "ideName": "Visual Studio Code"})
    (directory / "4714.lock").write_bytes(b'{"pid":')
    (directory / "notes.txt").write_text("mine")
    assert reap(directory) == ((), (path,))
    assert len(list(directory.iterdir())) == 4


def test_what_a_writer_left_that_died_while_writing_is_reaped(
    directory: Path, dead_pid: int
) -> None:
    directory.mkdir(parents=True)
    left = directory / f".anyide-{dead_pid}-00ff.tmp"
    busy = directory / f".anyide-{os.getpid()}-00ff.tmp"
    left.touch()
    busy.touch()
    assert reap(directory) == ((left,), ())
    assert busy.exists()


def test_reaping_a_directory_that_is_not_there_finds_nothing(tmp_path: Path) -> None:
    assert reap(tmp_path / "nowhere") == ((), ())


def test_the_cli_looks_in_its_configuration_directory_else_at_home(tmp_path: Path) -> None:
    assert lock_directory({"CLAUDE_CONFIG_DIR": "/c"}, tmp_path) == Path("/c/ide")
    assert lock_directory({"CLAUDE_CONFIG_DIR": ""}, tmp_path) == tmp_path / ".claude" / "ide"


def test_a_token_is_64_random_bytes_without_padding() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(base64.urlsafe_b64decode(token + "==")) == 64 for token in tokens)
    assert not any("=" in token for token in tokens)


def test_the_token_is_in_no_representation_of_a_lock() -> None:
    assert "secret" not in repr(Lock(auth_token="secret"))
    assert "secret" not in str(list(Lock(auth_token="secret").__rich_repr__()))


def test_a_process_that_nobody_waited_for_is_dead() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not is_alive(process.pid)
    assert is_alive(os.getpid())


def test_a_process_tells_where_it_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert server.getsockname()[1] in listening_ports(os.getpid())
    assert listening_ports(2**31 - 1) == ()
