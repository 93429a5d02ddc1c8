"""What the client does not know is read and written on disk; with the real CLI, and alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from anyide.acp.files import Files
from anyide.errors import EditorError, RpcError
from tests.acp.conftest import FULL
from tests.acp.test_turn import call

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acp.conftest import StartEditor


class Narrow:
    """A client that knows only the files in one folder, as Zed does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.buffers: dict[str, str] = {}

    async def read_text_file(self, _: str, path: str) -> str:
        if path not in self.buffers:
            raise RpcError(-32603, "no such project path")
        return self.buffers[path]

    async def write_text_file(self, _: str, path: str, text: str) -> None:
        if not path.startswith(str(self.folder)) or path.endswith("locked"):
            raise RpcError(-32603, "no such project path")
        self.buffers[path] = text


@pytest.fixture
def files(tmp_path: Path) -> Files:
    folder = tmp_path / "project"
    folder.mkdir()
    return Files(cast("Any", Narrow(folder)), "s", [str(folder)])


async def test_a_file_elsewhere_is_read_and_written_on_disk(files: Files, tmp_path: Path) -> None:
    other = tmp_path / "other" / "new.txt"
    assert await files.read(str(other)) is None
    await files.write(str(other), "one\r\n")
    assert other.read_bytes() == b"one\r\n"
    assert await files.read(str(other)) == "one\r\n"


async def test_the_form_of_a_file_elsewhere_stays(files: Files, tmp_path: Path) -> None:
    file = tmp_path / "utf16.txt"
    file.write_bytes("\ufeffhö".encode("utf-16-le"))
    file.chmod(0o600)
    assert await files.read(str(file)) == "hö"
    await files.write(str(file), "hü")
    assert file.read_bytes() == "\ufeffhü".encode("utf-16-le")
    assert file.stat().st_mode & 0o777 == 0o600


async def test_what_the_client_refuses_inside_is_never_done_behind_its_back(
    files: Files, tmp_path: Path
) -> None:
    inside = tmp_path / "project" / "locked"
    inside.write_text("kept")
    with pytest.raises(EditorError, match="the editor cannot read"):
        await files.read(str(inside))
    with pytest.raises(EditorError, match="the editor cannot write"):
        await files.write(str(inside), "lost")
    assert inside.read_text() == "kept"
    assert await files.read(str(tmp_path / "project" / "none")) is None


async def test_what_is_no_text_is_refused(files: Files, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"a\0b")
    with pytest.raises(EditorError, match="not a text"):
        await files.read(str(tmp_path / "binary"))
    with pytest.raises(EditorError, match="not a plain file"):
        await files.read(str(tmp_path))


async def test_the_model_reads_what_lies_elsewhere(
    start_editor: StartEditor, project: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "notes.txt"
    elsewhere.write_text("from elsewhere\n")
    editor = await start_editor(**FULL)
    editor.knows = lambda path: path.startswith(str(project))
    session = await editor.open(project)
    read = call("Read", file_path=str(elsewhere))
    edit = call("Edit", file_path=str(elsewhere), old_string="from", new_string="FROM")
    await editor.prompt(session, f"{read} {edit} SAY done")
    assert editor.text() == "done"
    assert elsewhere.read_text() == "FROM elsewhere\n"
    assert len(editor.requests("session/request_permission")) == 2
