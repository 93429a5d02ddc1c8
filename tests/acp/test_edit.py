from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.acp.edit import new_text, why_not
from anyide.acp.messages import Diff
from anyide.acp.tool_call import show


@pytest.mark.parametrize(
    ("old", "edit", "new"),
    [  # each was tried with the CLI
        ("one\ntwo\n", {"old_string": "two", "new_string": "2"}, "one\n2\n"),
        ("a b a", {"old_string": "a", "new_string": "x", "replace_all": True}, "x b x"),
        ("a b a", {"old_string": "a", "new_string": "x"}, None),
        ("one\n", {"old_string": "two", "new_string": "2"}, None),
        ("a\r\nb\r\nc\r\n", {"old_string": "a\nb", "new_string": "1\n2"}, "1\r\n2\r\nc\r\n"),
        ("a\r\nb\r\n", {"old_string": "b", "new_string": "1\n2"}, "a\r\n1\r\n2\r\n"),
        ("a\r\nb\nc\n", {"old_string": "b", "new_string": "2"}, "a\n2\nc\n"),
        ("a\r\nb\r\n", {"old_string": "a\r\nb", "new_string": "c"}, None),
        ("one\ntwo\nthree\n", {"old_string": "two", "new_string": ""}, "one\nthree\n"),
        ("one two\n", {"old_string": "two", "new_string": ""}, "one "),
        ("one\n", {"old_string": "one", "new_string": "1  \n2 "}, "1\n2\n"),
        ("", {"old_string": "", "new_string": "new\n"}, "new\n"),
        ("x", {"old_string": "", "new_string": "new\n"}, None),
    ],
)
def test_an_edit_is_foretold_as_the_cli_makes_it(old: str, edit: dict[str, Any], new: Any) -> None:
    assert new_text("Edit", {"file_path": "/a.txt", **edit}, old) == new
    (diff,) = show("Edit", {"file_path": "/a.txt", **edit}, old).content
    whole = (old or None, new)
    part = (edit["old_string"] or None, edit["new_string"])
    assert isinstance(diff, Diff)
    assert (diff.old_text, diff.new_text) == (part if new is None else whole)


def test_in_markdown_spaces_at_the_end_of_a_line_stay() -> None:
    edit = {"file_path": "/a.md", "old_string": "a", "new_string": "b  "}
    assert new_text("Edit", edit, "a\n") == "b  \n"


def test_several_edits_are_made_one_after_another() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}]
    multi = {"file_path": "/a", "edits": edits}
    assert new_text("MultiEdit", multi, "a") == "c"
    assert new_text("MultiEdit", {"file_path": "/a", "edits": {"0": 1}}, "a") is None


def test_why_an_edit_cannot_be_made_is_told() -> None:
    assert "not in the file" in why_not({"old_string": "x"}, "a")
    assert "Found 2 matches" in why_not({"old_string": "a"}, "a a")
    assert "Found 2 matches" in why_not({"old_string": "a\nb"}, "a\r\nb a\r\nb")
    assert "not empty" in why_not({"old_string": ""}, "a")


@given(st.text(), st.text(min_size=1), st.text(), st.text())
def test_only_what_is_to_be_replaced_changes(before: str, old: str, new: str, after: str) -> None:
    text = f"{before}{old}{after}"
    edit = {"file_path": "/a.md", "old_string": old, "new_string": new}
    if "\r" in text or text.count(old) != 1:
        return
    found = new_text("Edit", edit, text)
    gap = "\n" if not new and not old.endswith("\n") and after.startswith("\n") else ""
    assert found == f"{before}{new}{after.removeprefix(gap)}"
