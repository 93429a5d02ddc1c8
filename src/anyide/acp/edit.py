"""What a file holds after an edit, as the CLI makes edits. Pure.

What a person is shown and what is done in a buffer come from the same function.
"""

from __future__ import annotations

from typing import Any

from anyide.acp.loose import text_in

ENDINGS_LOOKED_AT = 4096
"""From so many characters the CLI tells which line endings a file has."""

Json = dict[str, Any]


def new_text(name: str, given: Json, old_text: str) -> str | None:
    """What the file will hold after an edit by the CLI; None when that cannot be told."""
    if name == "Write":
        return text_in(given, "content")
    edits = edits_of(name, given)
    text: str | None = _plain(old_text) if edits else None
    for edit in edits:
        text = None if text is None else _edited(text, edit, text_in(given, "file_path"))
    if text is not None and _has_crlf(old_text):
        return text.replace("\n", "\r\n")
    return text


def edits_of(name: str, given: Json) -> list[Any]:
    """The edits of a call, one or several."""
    edits = given.get("edits") if name == "MultiEdit" else [given]
    return edits if isinstance(edits, list) else []


def why_not(given: Json, old_text: str) -> str:
    """Why an edit cannot be made, for the model."""
    old = text_in(given, "old_string")
    if not old:
        return "The file is not empty: give the text to replace as old_string."
    count = _plain(old_text).count(old)
    if not count:
        return f"The text to replace is not in the file:\n{old}"
    return (
        f"Found {count} matches of the text to replace, but replace_all is false. To replace all"
        f" of them, set replace_all to true; to replace one, give more context.\n{old}"
    )


def _edited(text: str, edit: Any, path: str) -> str | None:
    """The text after one edit; None for an edit that the CLI refuses, or makes in its own way."""
    old, new = text_in(edit, "old_string"), text_in(edit, "new_string")
    if not path.lower().endswith((".md", ".mdx")):
        new = "\n".join(line.rstrip() for line in new.split("\n"))
    if not old:
        return None if text.strip() else new
    everywhere = edit.get("replace_all") in (True, "true")
    count = text.count(old)
    if not count or (count > 1 and not everywhere):
        return None
    if not new and not old.endswith("\n") and f"{old}\n" in text:
        old += "\n"  # no empty line stays behind
    return text.replace(old, new, -1 if everywhere else 1)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _has_crlf(text: str) -> bool:
    head = text[:ENDINGS_LOOKED_AT]
    return head.count("\r\n") * 2 > head.count("\n")
