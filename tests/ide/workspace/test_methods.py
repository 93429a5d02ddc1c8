"""The six methods of seed 004."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Ability, Cause, Withdrawn
from anyide.ide.dialect import DIALECTS
from anyide.ide.server import IdeServer
from tests.ide.wire import PATIENCE, Cli, connect_to

if TYPE_CHECKING:
    from pathlib import Path

    from anyide.editor.model import Proposal
    from tests.ide.conftest import Dial, Serve


async def result(cli: Cli, method: str, **params: Any) -> Any:
    return (await cli.ask(method, params))["result"]


async def problem(cli: Cli, method: str, **params: Any) -> tuple[int, str]:
    error = (await cli.ask(method, params))["error"]
    return error["code"], error["message"]


async def shown(editor: MemoryEditor) -> Proposal:
    async with asyncio.timeout(PATIENCE):
        return await editor.next_proposal()


@pytest.fixture(params=list(DIALECTS))
async def cli(
    request: pytest.FixtureRequest, editor: MemoryEditor, serve: Serve, dial: Dial
) -> Cli:
    server = await serve(editor, dialect=DIALECTS[request.param])
    return await dial(server, subprotocols=())


async def test_a_file_is_read(folder: Path, cli: Cli) -> None:
    (folder / "relative/path").mkdir(parents=True)
    (folder / "relative/path/file.txt").write_bytes("file contents\r\nhere ä".encode())
    for path in ("relative/path/file.txt", "/relative/path/file.txt", "./relative//path/file.txt"):
        assert await result(cli, "readFile", path=path) == "file contents\r\nhere ä"


async def test_unsaved_text_is_what_is_read(folder: Path, editor: MemoryEditor, cli: Cli) -> None:
    (folder / "a.txt").write_text("saved")
    await editor.open_file("a.txt", preview=False, focus=True, select=None)
    assert await result(cli, "readFile", path="a.txt") == "saved"
    editor.edit("a.txt", "unsaved")
    assert await result(cli, "readFile", path="a.txt") == "unsaved"


async def test_what_cannot_be_read_says_why(folder: Path, cli: Cli) -> None:
    (folder / "folder").mkdir()
    assert await problem(cli, "readFile", path="missing") == (
        -32603,
        "failed to read file: File not found",
    )
    assert await problem(cli, "readFile", path="no/such/folder") == (
        -32603,
        "failed to read file: File not found",
    )
    code, sentence = await problem(cli, "readFile", path="folder")
    assert (code, sentence) == (-32603, "failed to read file: folder is not a file")


@pytest.mark.parametrize(
    ("method", "params", "argument"),
    [
        ("readFile", {}, "path"),
        ("readFile", {"path": 1}, "path"),
        ("writeFile", {"path": "a"}, "content"),
        ("writeFile", {"content": "a"}, "path"),
        ("writeFile", {"path": "a", "content": None}, "content"),
        ("listFiles", {"pattern": 1}, "pattern"),
        ("listFiles", {"pattern": "**a[z-a]"}, "pattern"),
    ],
)
async def test_wrong_params_are_refused_by_name(
    method: str,
    params: dict[str, Any],
    argument: str,
    *,
    editor: MemoryEditor,
    serve: Serve,
    dial: Dial,
) -> None:
    cli = await dial(await serve(editor))
    code, sentence = await problem(cli, method, **params)
    assert code == -32602
    assert sentence.startswith(argument)


async def test_files_are_listed_by_pattern(folder: Path, cli: Cli) -> None:
    for name in ("a.js", "b.py", "src/c.js", "src/deep/d.js", ".git/e.js", "#f", "!g"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    everything = ["!g", "#f", "a.js", "b.py", "src/c.js", "src/deep/d.js"]
    for none in ({}, {"pattern": None}, {"pattern": ""}):
        assert await result(cli, "listFiles", **none) == everything
    for pattern, names in {
        "*.js": ["a.js", "src/c.js", "src/deep/d.js"],
        "**/*.js": ["a.js", "src/c.js", "src/deep/d.js"],
        "src/*.js": ["src/c.js"],
        "src/**": ["src/c.js", "src/deep/d.js"],
        "*.none": [],
        "#f": ["#f"],
        "!g": ["!g"],
    }.items():
        assert await result(cli, "listFiles", pattern=pattern) == names
    assert (await cli.ask("listFiles"))["result"] == everything


async def test_the_workspace_is_described(folder: Path, cli: Cli) -> None:
    (folder / "a").touch()
    (folder / "b").touch()
    info = {"name": "workspace", "path": str(folder), "fileCount": 2, "type": "folder"}
    assert await result(cli, "getWorkspaceInfo") == info
    (folder / ".obsidian").mkdir()
    assert await result(cli, "getWorkspaceInfo") == info | {"type": "obsidian-vault"}


async def test_open_files_and_the_current_one_are_relative_to_the_workspace(
    folder: Path, tmp_path: Path, editor: MemoryEditor, cli: Cli
) -> None:
    assert await result(cli, "getCurrentFile") is None
    assert await result(cli, "getOpenFiles") == []
    (folder / "sub").mkdir()
    for path in (folder / "a.md", folder / "sub" / "b.md", tmp_path / "outside.md"):
        path.touch()
        await editor.open_file(str(path), preview=False, focus=True, select=None)
    assert await result(cli, "getOpenFiles") == ["a.md", "sub/b.md"]
    assert await result(cli, "getCurrentFile") is None  # it is outside
    await editor.open_file("sub/b.md", preview=False, focus=True, select=None)
    assert await result(cli, "getCurrentFile") == "sub/b.md"


# writeFile: nothing reaches the disk that no person approved.


async def test_a_written_file_is_reviewed_and_then_written(
    folder: Path, editor: MemoryEditor, cli: Cli
) -> None:
    writing = await cli.start("writeFile", {"path": "new/deep/a.txt", "content": "proposed"})
    proposal = await shown(editor)
    assert (proposal.old_text, proposal.new_text) == (None, "proposed")
    assert proposal.path == str(folder / "new/deep/a.txt")
    assert list(folder.iterdir()) == []
    editor.accept(proposal.id, "edited")
    async with asyncio.timeout(PATIENCE):
        assert (await writing)["result"] is True
    assert (folder / "new/deep/a.txt").read_text() == "edited"


async def test_a_written_file_keeps_its_encoding_and_mode(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    file = folder / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfold\r\n")
    file.chmod(0o666)
    cli = await dial(await serve(editor))
    writing = await cli.start("writeFile", {"path": "a.txt", "content": "new ä\r\n"})
    editor.accept((await shown(editor)).id)
    async with asyncio.timeout(PATIENCE):
        assert (await writing)["result"] is True
    assert file.read_bytes() == b"\xef\xbb\xbfnew \xc3\xa4\r\n"
    assert file.stat().st_mode & 0o777 == 0o666
    assert [path.name for path in folder.iterdir()] == ["a.txt"]


async def test_a_rejected_file_is_not_written(folder: Path, editor: MemoryEditor, cli: Cli) -> None:
    writing = await cli.start("writeFile", {"path": "a.txt", "content": "x"})
    editor.reject((await shown(editor)).id)
    async with asyncio.timeout(PATIENCE):
        error = (await writing)["error"]
    assert error == {"code": -32603, "message": "failed to write file: the change was rejected"}
    assert list(folder.iterdir()) == []


async def test_a_file_that_changed_meanwhile_is_not_written_over(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    (folder / "a.txt").write_text("old")
    cli = await dial(await serve(editor))
    writing = await cli.start("writeFile", {"path": "a.txt", "content": "x"})
    proposal = await shown(editor)
    (folder / "a.txt").write_text("somebody else's")
    editor.accept(proposal.id)
    async with asyncio.timeout(PATIENCE):
        assert "changed while" in (await writing)["error"]["message"]
    assert (folder / "a.txt").read_text() == "somebody else's"


async def test_a_dirty_document_is_reviewed_with_its_unsaved_text(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    (folder / "a.txt").write_text("old")
    await editor.open_file("a.txt", preview=False, focus=True, select=None)
    editor.edit("a.txt", "unsaved")
    cli = await dial(await serve(editor))
    _ = await cli.start("writeFile", {"path": "a.txt", "content": "x"})
    proposal = await shown(editor)
    assert (proposal.old_text, proposal.is_unsaved) == ("unsaved", True)


async def test_an_editor_without_reviews_lets_nothing_be_written(
    folder: Path, serve: Serve, dial: Dial
) -> None:
    class Blind(MemoryEditor):
        @property
        def abilities(self) -> frozenset[Ability]:
            return super().abilities - {Ability.REVIEW}

    cli = await dial(await serve(Blind([str(folder)])))
    _, sentence = await problem(cli, "writeFile", path="a.txt", content="x")
    assert "cannot ask a person" in sentence


async def test_a_server_that_closes_writes_nothing(
    folder: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    async with IdeServer(editor, [folder], config_dir=tmp_path / "config") as server:
        cli = await connect_to(server)
        writing = await cli.start("writeFile", {"path": "a.txt", "content": "x"})
        proposal = await shown(editor)
    async with asyncio.timeout(PATIENCE):
        assert "went away" in (await writing)["error"]["message"]
        assert await editor.ended(proposal.id) == Withdrawn(Cause.EDITOR_GONE)
    await cli.is_closed()
    assert list(folder.iterdir()) == []


async def test_without_a_folder_there_is_no_workspace(editor: MemoryEditor, tmp_path: Path) -> None:
    calls: dict[str, dict[str, Any]] = {
        "readFile": {"path": "a"},
        "listFiles": {},
        "getWorkspaceInfo": {},
    }
    async with (
        IdeServer(editor, [], config_dir=tmp_path / "config") as server,
        await connect_to(server) as cli,
    ):
        for method, params in calls.items():
            code, sentence = await problem(cli, method, **params)
            assert code == -32603
            assert "no workspace folder is open" in sentence
        assert await result(cli, "getOpenFiles") == []
        assert await result(cli, "getCurrentFile") is None
