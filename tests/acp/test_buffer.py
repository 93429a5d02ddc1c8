"""Files by way of the client: unsaved buffers are read, edits land in them. With the real CLI."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from anyide.acp.buffer import full_path, part
from tests.acp.conftest import FULL
from tests.acp.test_turn import call

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acp.conftest import StartEditor
    from tests.real.model import StandInModel


async def test_an_unsaved_buffer_is_read(start_editor: StartEditor, project: Path) -> None:
    file = project / "a.txt"
    file.write_text("on disk\n")
    editor = await start_editor(**FULL)
    editor.buffers[str(file)] = "first\nin the buffer\n"
    session = await editor.open(project)
    await editor.prompt(session, call("Read", file_path=str(file), offset=2))
    assert "2\tin the buffer" in editor.text()
    shown = editor.call("Read")
    assert shown["statuses"] == ["pending", "in_progress", "completed"]
    assert shown["title"] == f"Read {file} (from line 2)"
    assert editor.requests("session/request_permission") == []


async def test_a_long_buffer_reaches_the_model_in_parts(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    file = project / "long.txt"
    editor = await start_editor(**FULL)
    editor.buffers[str(file)] = "\n".join(f"{number} {'word ' * 16}" for number in range(1, 2001))
    session = await editor.open(project)
    await editor.prompt(session, call("Read", file_path=str(file)))
    (result,) = model.requests[-1].results
    text = json.dumps(result)
    found = re.search(r"There are 2000 lines. Read on with offset=(\d+)", text)
    assert found is not None
    assert int(found[1]) > 900
    assert f"{int(found[1]) - 1} word" in text
    await editor.prompt(session, call("Read", file_path=str(file), offset=int(found[1])))
    assert "2000 word" in json.dumps(model.requests[-1].results)


async def test_an_edit_lands_in_the_buffer(start_editor: StartEditor, project: Path) -> None:
    file = project / "a.txt"
    file.write_text("on disk\n")
    editor = await start_editor(**FULL)
    editor.buffers[str(file)] = "in the buffer\n"
    session = await editor.open(project)
    edit = call("Edit", file_path=str(file), old_string="buffer", new_string="BUFFER")
    await editor.prompt(session, f"{call('Read', file_path=str(file))} {edit} SAY done")
    assert editor.buffers[str(file)] == "in the BUFFER\n"
    assert file.read_text() == "on disk\n"
    (asked,) = editor.requests("session/request_permission")
    assert asked["toolCall"]["name"] == "Edit"
    assert asked["toolCall"]["content"] == [
        {
            "type": "diff",
            "path": str(file),
            "oldText": "in the buffer\n",
            "newText": "in the BUFFER\n",
        }
    ]
    assert editor.call("Edit")["status"] == "completed"
    assert editor.text() == "done"


async def test_a_new_file_is_written_through_the_client(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    file = str(project / "new.txt")
    await editor.prompt(session, call("Write", file_path=file, content="x\n"))
    assert editor.buffers == {file: "x\n"}
    assert "has been created" in editor.text()


async def test_what_the_built_in_would_refuse_is_refused(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "a.txt"
    file.write_text("one one\n")
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    edit = call("Edit", file_path=str(file), old_string="one", new_string="1")
    await editor.prompt(session, edit)
    assert "has not been read" in editor.text()
    await editor.prompt(session, f"{call('Read', file_path=str(file))} {edit}")
    assert "Found 2 matches" in editor.text()
    await editor.prompt(session, call("Read", file_path=str(project / "none")))
    assert "does not exist" in editor.text()
    assert editor.written == []


async def test_a_rejected_edit_leaves_the_buffer(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor(**FULL)
    editor.choose = lambda request: "reject_once"
    session = await editor.open(project)
    await editor.prompt(session, call("Write", file_path=str(project / "n"), content="x"))
    assert editor.written == []
    assert editor.call("Write")["status"] == "failed"


async def test_what_the_person_typed_since_is_never_overwritten(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "a.txt"
    file.write_text("one\n")
    editor = await start_editor(**FULL)

    def choose(request: dict[str, Any]) -> str:  # the person types while they decide
        editor.buffers[str(file)] = "one\ntyped meanwhile\n"
        return "allow_once"

    editor.choose = choose
    session = await editor.open(project)
    read = call("Read", file_path=str(file))
    write = call("Write", file_path=str(file), content="all new\n")
    await editor.prompt(session, f"{read} {write}")
    assert "changed since it was read" in editor.text()
    assert editor.buffers[str(file)] == "one\ntyped meanwhile\n"
    edit = call("Edit", file_path=str(file), old_string="one", new_string="1")
    await editor.prompt(session, f"{edit} SAY edited")
    assert editor.buffers[str(file)] == "1\ntyped meanwhile\n"
    await editor.prompt(session, write)  # it still has not seen what was typed
    assert editor.written == [str(file)]
    editor.choose = lambda request: "allow_once"
    await editor.prompt(session, f"{read} {write}")
    assert editor.buffers[str(file)] == "all new\n"


async def test_a_path_in_the_folder_reaches_the_client_in_full(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Write", file_path="sub/../new.txt", content="x"))
    assert editor.written == [str(project / "new.txt")]


async def test_a_cell_of_a_notebook_is_read_and_changed_in_the_buffer(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "n.ipynb"
    cell = {"cell_type": "code", "id": "c1", "metadata": {}, "source": ["x = 1"], "outputs": []}
    file.write_text(json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 5}))
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    read = call("Read", file_path=str(file))
    edit = call("NotebookEdit", notebook_path=str(file), cell_id="c1", new_source="x = 2")
    await editor.prompt(session, f"{read} {edit} SAY done")
    assert editor.text() == "done"
    assert json.loads(editor.buffers[str(file)])["cells"][0]["source"] == ["x = 2"]
    assert '<cell id="c1"' in json.dumps(editor.call("Read")["content"]).replace("\\", "")
    (asked,) = editor.requests("session/request_permission")
    diff = {"type": "diff", "path": str(file), "oldText": "x = 1", "newText": "x = 2"}
    assert asked["toolCall"]["content"] == [diff]


async def test_a_file_that_the_client_cannot_read_fails_only_its_call(
    start_editor: StartEditor, project: Path
) -> None:
    (project / "binary").write_bytes(b"\xff\xfe\x00")
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    write = call("Write", file_path=str(project / "binary"), content="x")
    assert await editor.prompt(session, f"{write} SAY well") == "end_turn"
    assert editor.call("Write")["status"] == "failed"
    assert editor.written == []


def test_lines_are_shown_with_their_numbers() -> None:
    assert part("a\nb\n", 1, 10) == "1\ta\n2\tb\n3\t"
    assert part("a\nb\nc", 2, 1) == "2\tb"
    assert part("", 1, 10) == "The file exists, but it is empty."
    assert part("a", 3, 10) == "The file has only 1 lines."
    assert part("x" * 3000, 1, 1) == f"1\t{'x' * 2000}…"


def test_a_path_becomes_a_full_one() -> None:
    assert full_path("a/../b", "/p") == "/p/b"
    assert full_path("/x/y", "/p") == "/x/y"
    assert full_path("../q", "/p/sub") == "/p/q"
