from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from anyide.acp.messages import Content, Diff, ImageContent, TextContent, ToolCallContent
from anyide.acp.tool_call import (
    _PRESENT,
    MAX_TITLE,
    changed_file,
    fence,
    kind_of,
    result_text,
    show,
    show_result,
)
from anyide.headless.messages import Block, DocumentBlock, ImageBlock, TextBlock, Unknown
from tests.acp.schema import check

WORDS = (
    "file_path notebook_path path pattern glob command description url query prompt plan content"
    " old_string new_string replace_all edits new_source edit_mode cell_id offset limit -i -n"
    " output_mode questions question timeout"
)
FIELDS = WORDS.split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3)
    ),
    max_leaves=8,
)
INPUT = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=6)
NAMES = st.sampled_from(sorted(_PRESENT)) | st.text(max_size=8) | st.just("mcp__a__b")


def said(content: Any) -> str:
    assert isinstance(content, Content)
    assert isinstance(content.content, TextContent)
    return content.content.text


def result(name: str, *blocks: Block, is_error: bool = False) -> list[Any]:
    found = show_result(name, list(blocks), [], is_error=is_error)
    assert isinstance(found, list)
    return found


@given(NAMES, INPUT, st.none() | st.text(max_size=8))
def test_whatever_a_call_is_given_it_is_shown(name: str, what: dict[str, Any], old: Any) -> None:
    shown = show(name, what, old)
    assert shown.title == " ".join(shown.title.split()) != ""
    assert len(shown.title) <= MAX_TITLE
    assert isinstance(changed_file(name, what), str)
    check("ToolCall", {"toolCallId": "t", **msgspec.to_builtins(shown)})


def test_a_title_is_the_first_line_that_says_something() -> None:
    assert show("Bash", {"command": "\n  make\t all \nrm x"}).title == "make all"
    assert show("Bash", {"command": "a\x1b[2Kb"}).title == "a�[2Kb"
    assert show("", {}).title == "Tool"
    assert show("Bash", {}).title == "Terminal"


def test_a_command_that_the_title_cannot_hold_is_shown_whole() -> None:
    command = "echo harmless\nrm -rf build"
    first, why = show("Bash", {"command": command, "description": "clean"}).content
    assert said(first) == fence(command)
    assert said(why) == "clean"
    assert said(show("Bash", {"command": "x" * 300}).content[0]) == fence("x" * 300)
    assert show("Bash", {"command": "  make\t all\n"}).content == []


def test_the_place_of_an_edit_is_its_line() -> None:
    edit = {"file_path": "/a", "old_string": "two\nthree", "new_string": "2"}
    assert show("Edit", edit, "one\r\ntwo\r\nthree\r\n").locations[0].line == 2
    assert show("Edit", edit).locations[0].line is UNSET
    assert show("Edit", {**edit, "file_path": "a"}).locations == []
    assert show("Read", {"file_path": "C:\\a", "offset": 3}).locations[0].line == 3
    assert show("Read", {"file_path": "/a", "offset": 2**40}).locations[0].line is UNSET


def test_several_edits_are_all_shown() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}]
    multi = {"file_path": "/a", "edits": edits}
    assert len(show("MultiEdit", multi).content) == 2
    assert show("MultiEdit", {"file_path": "/a", "edits": [1, {}]}, "a").content == []


@pytest.mark.parametrize(
    ("mode", "old", "pair"),
    [
        ("replace", "1", ("1", "2")),
        ("insert", "1", (None, "2")),
        ("delete", "1", ("1", "")),
        ("delete", None, None),  # what is deleted is not known: nothing is better than a lie
    ],
)
def test_cells_of_notebooks(mode: str, old: str | None, pair: Any) -> None:
    what = {"notebook_path": "/n.ipynb", "new_source": "2", "edit_mode": mode}
    found = [d for d in show("NotebookEdit", what, old).content if isinstance(d, Diff)]
    assert [(d.old_text, d.new_text) for d in found] == ([pair] if pair else [])


def test_what_changes_a_file_and_what_does_not() -> None:
    assert changed_file("Write", {"file_path": "/a"}) == "/a"
    assert changed_file("NotebookEdit", {"notebook_path": "/n"}) == "/n"
    assert changed_file("Edit", {"file_path": ["/a"]}) == ""
    assert changed_file("Read", {"file_path": "/a"}) == ""
    assert (kind_of("Write"), kind_of("Agent"), kind_of("x")) == ("edit", "think", "other")


def test_the_clis_reminders_are_left_out_and_a_files_own_are_not() -> None:
    reminder = "<system-reminder>secret</system-reminder>"
    with_id = '<system-reminder id="0a">\nx\n</system-reminder id="0a">'
    assert result_text(f"{reminder}\n1\tx\n\n{reminder}\n{with_id}\n") == "1\tx"
    assert result_text(reminder) == ""
    for text in (f"1\ta {reminder}", f"1\t{reminder}\n2\tb", f"a\n{reminder}\nb", "<b>"):
        assert result_text(text) == text
    assert result_text(f"<tool_use_error>no</tool_use_error>\n{reminder}") == "no"


def test_long_space_takes_no_time() -> None:
    begin = time.process_time()
    result_text("a" + "\n" * 200_000 + "b")
    result_text("<system-reminder>" * 20_000)
    assert time.process_time() - begin < 1


def test_results_are_shown_block_by_block() -> None:
    image = ImageBlock(source={"type": "base64", "data": "AA==", "media_type": "image/gif"})
    text, picture = result("Read", TextBlock(text="1\t```"), image)
    assert said(text) == "````\n1\t```\n````"
    assert picture.content == ImageContent(data="AA==", mime_type="image/gif")
    others = result(
        "x", DocumentBlock(), Unknown(kind="new"), ImageBlock(source={"url": "u"}), TextBlock()
    )
    assert [said(o) for o in others] == ["[document]", "[new]", "[image u]"]
    assert result("mcp__a__b", TextBlock(text="*plain*")) == [
        Content(content=TextContent(text="*plain*"))
    ]


def test_an_error_stands_after_what_was_shown() -> None:
    shown: list[ToolCallContent] = [Diff(path="/a", new_text="b")]
    found = show_result("Edit", "<tool_use_error>no</tool_use_error>", shown, is_error=True)
    assert isinstance(found, list)
    assert (found[0], said(found[1])) == (shown[0], "```\nno\n```")
    assert show_result("Edit", None, shown, is_error=True) == shown
    assert show_result("Edit", "done", shown, is_error=False) is UNSET
