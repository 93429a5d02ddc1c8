"""Every tool in every dialect, against the tables of the protocol page and the seeds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import (
    Ability,
    Diagnostic,
    Document,
    ImageOutput,
    Output,
    Position,
    Range,
    Severity,
    TextOutput,
)
from anyide.ide.dialect import DIALECTS
from anyide.ide.tools import TOOLS
from tests.ide.wire import texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.ide.conftest import Dial, Serve

ALL = tuple(DIALECTS)
WORDS = ("vscode", "obsidian")
SPAN = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
ISSUE = {"message": "no such name", "range": SPAN, "source": "lint", "code": "E1"}
HINT = {"message": "tidy up", "range": SPAN}
SELECTED = {
    "success": True,
    "text": "one",
    "filePath": "{folder}/a.py",
    "fileUrl": "file://{folder}/a.py",
    "selection": {**SPAN, "isEmpty": False},
}
PICTURE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}

# dialects, tool, arguments, the expected blocks: a str is a text block, a dict of "json" one that
# holds that JSON, any other dict the block itself. `{folder}` stands for the workspace.
TABLE: list[tuple[Sequence[str], str, dict[str, Any], list[Any]]] = [
    (WORDS, "openFile", {"filePath": "{folder}/b.py"}, ["Opened file: {folder}/b.py"]),
    (("jetbrains",), "openFile", {"filePath": "{folder}/b.py"}, ["OK"]),
    (WORDS, "openFile", {"filePath": "b.py"}, ["Opened file: {folder}/b.py"]),
    (WORDS, "openFile", {"path": "{folder}/b.py"}, ["Opened file: {folder}/b.py"]),
    (WORDS, "openFile", {"uri": "file://{folder}/b.py"}, ["Opened file: {folder}/b.py"]),
    (
        WORDS,
        "openFile",
        {"filePath": "{folder}/b.py", "makeFrontmost": False},
        [
            {
                "json": {
                    "success": True,
                    "filePath": "{folder}/b.py",
                    "languageId": "python",
                    "lineCount": 3,
                }
            }
        ],
    ),
    (("jetbrains",), "openFile", {"filePath": "{folder}/b.py", "makeFrontmost": False}, ["OK"]),
    (
        ALL,
        "getCurrentSelection",
        {},
        [{"json": SELECTED}],
    ),
    (ALL, "getLatestSelection", {}, [{"json": SELECTED}]),
    (
        ALL,
        "getOpenEditors",
        {},
        [
            {
                "json": [
                    {
                        "uri": "file://{folder}/a.py",
                        "isActive": True,
                        "label": "a.py",
                        "languageId": "python",
                        "isDirty": False,
                    },
                    {
                        "uri": "file://{folder}/dirty%20one.txt",
                        "isActive": False,
                        "label": "dirty one.txt",
                        "languageId": "plaintext",
                        "isDirty": True,
                    },
                ]
            }
        ],
    ),
    (
        ALL,
        "getWorkspaceFolders",
        {},
        [{"json": {"folders": ["{folder}"], "rootPath": "{folder}"}}],
    ),
    (
        WORDS,
        "getDiagnostics",
        {},
        [
            {
                "json": [
                    {
                        "uri": "file://{folder}/a.py",
                        "diagnostics": [{**ISSUE, "severity": "Error"}],
                    },
                    {
                        "uri": "file://{folder}/b.py",
                        "diagnostics": [
                            {**HINT, "severity": "Warning"},
                            {**HINT, "severity": "Info"},
                            {**HINT, "severity": "Hint"},
                        ],
                    },
                ]
            }
        ],
    ),
    (
        ("jetbrains",),
        "getDiagnostics",
        {},
        [
            {
                "json": [
                    {"uri": "file://{folder}/a.py", "diagnostics": [{**ISSUE, "severity": "ERROR"}]}
                ]
            }
        ],
    ),
    (
        ("jetbrains",),
        "getDiagnostics",
        {"uri": "file://{folder}/b.py"},
        [
            {
                "json": [
                    {
                        "uri": "file://{folder}/b.py",
                        "diagnostics": [
                            {**HINT, "severity": "WARNING"},
                            {**HINT, "severity": "WEAK_WARNING"},
                            {**HINT, "severity": "INFO"},
                        ],
                    }
                ]
            }
        ],
    ),
    # The answer names the file as it was asked for, however oddly.
    (
        WORDS,
        "getDiagnostics",
        {"uri": "{folder}/./a.py"},
        [{"json": [{"uri": "{folder}/./a.py", "diagnostics": [{**ISSUE, "severity": "Error"}]}]}],
    ),
    (ALL, "getDiagnostics", {"uri": "file://{folder}/clean.py"}, [{"json": []}]),
    (
        ALL,
        "checkDocumentDirty",
        {"filePath": "{folder}/dirty one.txt"},
        [
            {
                "json": {
                    "success": True,
                    "filePath": "{folder}/dirty one.txt",
                    "isDirty": True,
                    "isUntitled": False,
                }
            }
        ],
    ),
    (
        ALL,
        "checkDocumentDirty",
        {"filePath": "{folder}/a.py"},
        [
            {
                "json": {
                    "success": True,
                    "filePath": "{folder}/a.py",
                    "isDirty": False,
                    "isUntitled": False,
                }
            }
        ],
    ),
    (
        ALL,
        "checkDocumentDirty",
        {"filePath": "{folder}/b.py"},
        [{"json": {"success": False, "message": "Document not open: {folder}/b.py"}}],
    ),
    (
        ALL,
        "saveDocument",
        {"filePath": "{folder}/dirty one.txt"},
        [{"json": {"success": True, "message": "Document saved"}}],
    ),
    (
        ALL,
        "saveDocument",
        {"filePath": "{folder}/b.py"},
        [{"json": {"success": False, "message": "Document not open: {folder}/b.py"}}],
    ),
    (WORDS, "close_tab", {"tab_name": "{folder}/a.py"}, ["TAB_CLOSED"]),
    (WORDS, "close_tab", {"tab_name": "nobody knows"}, ["TAB_CLOSED"]),
    (("jetbrains",), "close_tab", {"tab_name": "{folder}/a.py"}, ["OK"]),
    (("jetbrains",), "close_tab", {"tab_name": "{folder}/b.py"}, ["Tab not found"]),
    (("jetbrains",), "close_tab", {"tab_name": "nobody knows"}, ["Tab not found"]),
    (ALL, "closeAllDiffTabs", {}, ["CLOSED_0_DIFF_TABS"]),
    (ALL, "executeCode", {"code": "1 + 1"}, ["ran: 1 + 1", PICTURE]),
    (
        ALL,
        "open_files",
        {"file_paths": ["{folder}/b.py", "{folder}/missing.py", "{folder}/a.py"]},
        [{"json": {"opened_files": ["{folder}/b.py", "{folder}/a.py"]}}],
    ),
    (ALL, "get_all_opened_file_paths", {}, ["{folder}/a.py\n{folder}/dirty one.txt"]),
    (ALL, "reformat_file", {"file_path": "{folder}/b.py"}, ["OK"]),
    (ALL, "reformat_file", {"file_path": "{folder}/missing.py"}, ["File not found"]),
]
ROWS = [(dialect, *row) for dialects, *row in TABLE for dialect in dialects]


def in_folder(value: Any, folder: Path) -> Any:
    return json.loads(json.dumps(value).replace("{folder}", str(folder)))


def read_blocks(blocks: list[dict[str, Any]], expected: list[Any]) -> list[Any]:
    """The blocks in the short form of the table."""
    short: list[Any] = []
    for block, wanted in zip(blocks, expected, strict=True):
        if isinstance(wanted, dict) and "json" in wanted:
            short.append({"json": json.loads(block["text"])})
        else:
            short.append(block["text"] if block["type"] == "text" else block)
    return short


@pytest.fixture
async def editor(folder: Path) -> MemoryEditor:
    """Two open files, one of them dirty, a selection, findings, a formatter and a kernel."""
    (folder / "a.py").write_text("one\ntwo\n")
    (folder / "b.py").write_text("x = 1\ny = 2\n")
    (folder / "dirty one.txt").write_text("old")

    async def shout(document: Document) -> str:
        return document.text.upper()

    async def run(code: str) -> Sequence[Output]:
        return [TextOutput(f"ran: {code}"), ImageOutput("aGk=", "image/png")]

    editor = MemoryEditor([str(folder)], formatter=shout, executor=run)
    for name in ("a.py", "dirty one.txt"):
        await editor.open_file(name, preview=False, focus=True, select=None)
    editor.edit("dirty one.txt", "new")
    span = Range(Position(0, 0), Position(0, 3))
    editor.select("a.py", span)
    editor.set_diagnostics(
        "a.py", [Diagnostic("no such name", Severity.ERROR, span, source="lint", code="E1")]
    )
    milder = (Severity.WARNING, Severity.INFO, Severity.HINT)
    editor.set_diagnostics("b.py", [Diagnostic("tidy up", severity, span) for severity in milder])
    return editor


@pytest.mark.parametrize(("dialect", "tool", "arguments", "expected"), ROWS)
async def test_a_called_tool_answers_as_its_table_says(
    dialect: str,
    tool: str,
    arguments: dict[str, Any],
    expected: list[Any],
    *,
    folder: Path,
    editor: MemoryEditor,
    serve: Serve,
    dial: Dial,
) -> None:
    cli = await dial(await serve(editor, dialect=DIALECTS[dialect]))
    result = await cli.call(tool, **in_folder(arguments, folder))
    assert "isError" not in result
    assert read_blocks(result["content"], expected) == in_folder(expected, folder)


@pytest.mark.parametrize(("dialect", "tool", "arguments", "expected"), ROWS)
async def test_a_tool_called_as_a_plain_method_answers_the_same(
    dialect: str,
    tool: str,
    arguments: dict[str, Any],
    expected: list[Any],
    *,
    folder: Path,
    editor: MemoryEditor,
    serve: Serve,
    dial: Dial,
) -> None:
    cli = await dial(await serve(editor, dialect=DIALECTS[dialect]), subprotocols=())
    result = (await cli.ask(tool, in_folder(arguments, folder)))["result"]
    wanted = in_folder(expected, folder)
    if dialect != "obsidian":
        assert read_blocks(result["content"], expected) == wanted
    elif PICTURE in expected:
        assert read_blocks(result, expected) == wanted
    else:
        (only,) = wanted
        assert result == (only["json"] if isinstance(only, dict) else only)


def test_the_table_has_every_tool_in_every_dialect() -> None:
    # openDiff waits for a person: tests/ide/tools/test_open_diff.py.
    seen = {(dialect, tool) for dialect, tool, _, _ in ROWS}
    assert seen == {(dialect, tool) for dialect in ALL for tool in TOOLS if tool != "openDiff"}


@pytest.mark.parametrize(
    ("dialect", "sentence"),
    [
        ("vscode", "No such file or directory"),
        ("obsidian", "No such file or directory"),
        ("jetbrains", "Project is closed or directory not found"),
    ],
)
async def test_a_file_that_cannot_be_opened_is_an_error_result(
    dialect: str, sentence: str, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor, dialect=DIALECTS[dialect]))
    result = await cli.call("openFile", filePath="missing.py")
    assert result["isError"] is True
    assert sentence in texts(result)[0]


async def test_a_failing_tool_as_a_plain_obsidian_method_is_an_rpc_error(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor, dialect=DIALECTS["obsidian"]))
    answer = await cli.ask("openFile", {"path": "missing.py"})
    assert answer["error"]["code"] == -32603
    assert "No such file" in answer["error"]["message"]


async def test_open_file_selects_from_a_text_to_a_text(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    await cli.call("openFile", filePath="b.py", startText="x", endText="y", selectToEndOfLine=True)
    selection = await editor.selection()
    assert selection is not None
    assert (selection.path, selection.text) == (str(folder / "b.py"), "x = 1\ny = 2")


async def test_open_file_as_a_preview_and_behind_the_others(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    await cli.call("openFile", filePath="b.py", preview=True, makeFrontmost=False)
    tab = (await editor.tabs())[-1]
    assert (tab.label, tab.is_preview, tab.is_active) == ("b.py", True, False)


async def test_a_saved_document_is_on_the_disk(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    await cli.call("saveDocument", filePath="dirty one.txt")
    assert (folder / "dirty one.txt").read_text() == "new"


async def test_a_tab_with_unsaved_text_is_not_closed(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    result = await cli.call("close_tab", tab_name=str(folder / "dirty one.txt"))
    assert result["isError"] is True
    assert "unsaved changes" in texts(result)[0]
    assert len(await editor.tabs()) == 2


async def test_without_an_active_editor_there_is_no_selection(
    folder: Path, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(MemoryEditor([str(folder)])))
    current = texts(await cli.call("getCurrentSelection"))
    assert json.loads(current[0]) == {"success": False, "message": "No active editor found"}
    latest = texts(await cli.call("getLatestSelection"))
    assert json.loads(latest[0]) == {"success": False, "message": "No selection available"}


async def test_the_latest_selection_outlives_its_editor(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    await cli.call("close_tab", tab_name=str(folder / "a.py"))
    latest = json.loads(texts(await cli.call("getLatestSelection"))[0])
    assert (latest["success"], latest["text"]) == (True, "one")


async def test_an_untitled_document_has_no_path(folder: Path, serve: Serve, dial: Dial) -> None:
    editor = MemoryEditor([str(folder)])
    editor.new_document("draft")
    cli = await dial(await serve(editor))
    assert texts(await cli.call("get_all_opened_file_paths")) == [""]
    (tab,) = json.loads(texts(await cli.call("getOpenEditors"))[0])
    assert tab["uri"] == "untitled:Untitled-1"
    state = json.loads(texts(await cli.call("checkDocumentDirty", filePath=tab["uri"]))[0])
    assert (state["isDirty"], state["isUntitled"]) == (True, True)


# What an editor cannot do.


class Bare(MemoryEditor):
    """An editor with no ability at all."""

    @property
    def abilities(self) -> frozenset[Ability]:
        return frozenset()


ALWAYS = {"getWorkspaceFolders", "close_tab", "closeAllDiffTabs"}
NEEDY = sorted(set(TOOLS) - ALWAYS)
LEAST: dict[str, dict[str, Any]] = {
    "openFile": {"filePath": "a"},
    "openDiff": {"old_file_path": "a", "new_file_contents": ""},
    "checkDocumentDirty": {"filePath": "a"},
    "saveDocument": {"filePath": "a"},
    "close_tab": {"tab_name": "a"},
    "executeCode": {"code": ""},
    "open_files": {"file_paths": []},
    "reformat_file": {"file_path": "a"},
}


async def test_tools_without_the_ability_are_not_listed(
    folder: Path, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(Bare([str(folder)])))
    listed = (await cli.ask("tools/list"))["result"]["tools"]
    assert {tool["name"] for tool in listed} == ALWAYS


@pytest.mark.parametrize("tool", NEEDY)
async def test_a_tool_without_the_ability_says_so(
    tool: str, folder: Path, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(Bare([str(folder)])))
    result = await cli.call(tool, **LEAST.get(tool, {}))
    assert result["isError"] is True
    assert texts(result) == [f"this editor cannot do what {tool} asks for"]


# Arguments.

WRONG = [
    ("openFile", {}, "filePath"),
    ("openFile", {"filePath": 7}, "filePath"),
    ("openFile", {"filePath": " "}, "filePath"),
    ("openFile", {"filePath": "a\0b"}, "filePath"),
    ("openFile", {"filePath": "file:///a%00b"}, "filePath"),
    ("openFile", {"filePath": "https://example.org/a"}, "filePath"),
    ("openFile", {"filePath": "a", "preview": "yes"}, "preview"),
    ("openFile", {"filePath": "a", "startText": 1}, "startText"),
    ("openFile", {"filePath": "a", "makeFrontmost": None}, "makeFrontmost"),
    ("openDiff", {"new_file_contents": ""}, "old_file_path"),
    ("openDiff", {"old_file_path": "a"}, "new_file_contents"),
    ("openDiff", {"old_file_path": "", "new_file_contents": ""}, "old_file_path"),
    ("openDiff", {"old_file_path": "a", "new_file_contents": None}, "new_file_contents"),
    (
        "openDiff",
        {"old_file_path": "a", "new_file_contents": "", "new_file_path": "http://a/b"},
        "new_file_path",
    ),
    ("openDiff", {"old_file_path": "a", "new_file_contents": "", "tab_name": 1}, "tab_name"),
    ("getDiagnostics", {"uri": 5}, "uri"),
    ("getDiagnostics", {"uri": "https://example.org/"}, "uri"),
    ("checkDocumentDirty", {}, "filePath"),
    ("saveDocument", {"filePath": []}, "filePath"),
    ("close_tab", {}, "tab_name"),
    ("close_tab", {"tab_name": None}, "tab_name"),
    ("executeCode", {}, "code"),
    ("open_files", {}, "file_paths"),
    ("open_files", {"file_paths": "a"}, "file_paths"),
    ("open_files", {"file_paths": [1]}, "file_paths"),
    ("open_files", {"file_paths": ["a\0"]}, "file_paths"),
    ("reformat_file", {"file_path": {}}, "file_path"),
]


@pytest.mark.parametrize(("tool", "arguments", "argument"), WRONG)
async def test_wrong_arguments_are_refused_by_name(
    tool: str,
    arguments: dict[str, Any],
    argument: str,
    *,
    editor: MemoryEditor,
    serve: Serve,
    dial: Dial,
) -> None:
    cli = await dial(await serve(editor))
    called = await cli.ask("tools/call", {"name": tool, "arguments": arguments})
    plain = await cli.ask(tool, arguments)
    assert called["error"] == plain["error"]
    assert called["error"]["code"] == -32602
    assert called["error"]["message"].startswith(argument)


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"name": "noSuchTool", "arguments": {}}, "noSuchTool"),
        ({"name": "ping"}, "ping"),
        ({"arguments": {}}, "name"),
        ({"name": 3}, "name"),
        ({"name": "openFile", "arguments": [1]}, "params"),
    ],
)
async def test_a_call_of_no_tool_is_refused(
    params: dict[str, Any], word: str, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    error = (await cli.ask("tools/call", params))["error"]
    assert error["code"] == -32602
    assert word in error["message"]


@pytest.mark.parametrize("arguments", [None, {}, []])
async def test_no_arguments_may_be_said_in_many_ways(
    arguments: Any, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    params = {"name": "closeAllDiffTabs", "arguments": arguments}
    assert "result" in await cli.ask("tools/call", params)
    assert "result" in await cli.ask("tools/call", {"name": "closeAllDiffTabs"})
    assert "result" in await cli.ask("closeAllDiffTabs", arguments)


# What `tools/list` says.

TEXT, FLAG = {"type": "string"}, {"type": "boolean"}
SCHEMAS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "openFile": (
        {
            "filePath": TEXT,
            "preview": {**FLAG, "default": False},
            "startText": {**TEXT, "default": ""},
            "endText": {**TEXT, "default": ""},
            "selectToEndOfLine": {**FLAG, "default": False},
            "makeFrontmost": {**FLAG, "default": True},
        },
        ["filePath"],
    ),
    "openDiff": (
        {
            "old_file_path": TEXT,
            "new_file_contents": TEXT,
            "new_file_path": {**TEXT, "default": ""},
            "tab_name": {**TEXT, "default": ""},
        },
        ["old_file_path", "new_file_contents"],
    ),
    "getCurrentSelection": ({}, []),
    "getLatestSelection": ({}, []),
    "getOpenEditors": ({}, []),
    "getWorkspaceFolders": ({}, []),
    "getDiagnostics": (
        {"uri": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}},
        [],
    ),
    "checkDocumentDirty": ({"filePath": TEXT}, ["filePath"]),
    "saveDocument": ({"filePath": TEXT}, ["filePath"]),
    "close_tab": ({"tab_name": TEXT}, ["tab_name"]),
    "closeAllDiffTabs": ({}, []),
    "executeCode": ({"code": TEXT}, ["code"]),
    "open_files": ({"file_paths": {"type": "array", "items": TEXT}}, ["file_paths"]),
    "get_all_opened_file_paths": ({}, []),
    "reformat_file": ({"file_path": TEXT}, ["file_path"]),
}


@pytest.mark.parametrize("dialect", ALL)
async def test_the_list_shows_every_tool_with_its_exact_schema(
    dialect: str, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor, dialect=DIALECTS[dialect]))
    listed = (await cli.ask("tools/list"))["result"]["tools"]
    assert [tool["name"] for tool in listed] == list(SCHEMAS)
    for tool in listed:
        properties, required = SCHEMAS[tool["name"]]
        schema = tool["inputSchema"]
        described = [each.pop("description") for each in schema["properties"].values()]
        assert all(described)
        assert schema.pop("required", []) == required
        assert schema == {"type": "object", "properties": properties}
        assert tool["description"]
        assert set(tool) == {"name", "description", "inputSchema"}
