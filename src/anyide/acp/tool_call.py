"""How a call of a tool is shown: title, kind, places, content. Pure.

`show` presents a call by its input, `show_result` what the tool answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from anyide.acp.edit import edits_of, new_text
from anyide.acp.loose import text_in
from anyide.acp.messages import (
    Content,
    ContentBlock,
    Diff,
    ImageContent,
    TextContent,
    ToolCallContent,
    ToolCallLocation,
    ToolKind,
)
from anyide.headless.messages import Block, ImageBlock, TextBlock, Unknown, text_of
from anyide.headless.messages import Content as Said

MAX_TITLE = 200
EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
MAX_LINE_NUMBER = 2**32 - 1
_REMINDER = "<system-reminder"
_REMINDER_END = re.compile(r"</system-reminder[^<>]*>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_ERROR = re.compile(r"\A<tool_use_error>(.*)</tool_use_error>\Z", re.DOTALL)

Json = dict[str, Any]


class Shown(Struct, frozen=True, kw_only=True):
    """What a client shows of a call."""

    title: str
    kind: ToolKind = "other"
    content: list[ToolCallContent] = []
    locations: list[ToolCallLocation] = []


def show(name: str, given: Json, old_text: str | None = None) -> Shown:
    """Present a call; `old_text` is what the file to be changed holds now."""
    present = _PRESENT.get(name)
    if present is None:
        title = name.removeprefix("mcp__").replace("__", ": ")
        return Shown(title=_line(title) or "Tool")
    return present(given, old_text)


def kind_of(name: str) -> ToolKind:
    """The kind of a tool whose input is not known yet."""
    return show(name, {}).kind


def changed_file(name: str, given: Json) -> str:
    """The file that a call would change, or nothing."""
    if name not in EDITS:
        return ""
    return _path(given)


def show_result(
    name: str, content: Said, shown: Sequence[ToolCallContent], *, is_error: bool
) -> list[ToolCallContent] | UnsetType:
    """The content of a call that has ended; UNSET when what is shown stays."""
    blocks = _blocks(content)
    text = "\n".join(block.text for block in blocks if isinstance(block, TextContent))
    if not is_error and (name in EDITS or name in ("ExitPlanMode", "EnterPlanMode")):
        return UNSET
    if text and (is_error or name in _FENCED):
        others = [block for block in blocks if not isinstance(block, TextContent)]
        blocks = [TextContent(text=fence(text)), *others]
    return [*(shown if is_error else ()), *(Content(content=block) for block in blocks)]


def fence(text: str) -> str:
    """Text as a code block, with a fence longer than any inside."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}\n{text.rstrip()}\n{marks}"


def text_content(text: str) -> Content:
    """Text as the content of a call."""
    return Content(content=TextContent(text=text))


# One function a tool, or a family of them.


def _show_read(given: Json, _: str | None) -> Shown:
    path, offset, limit = _path(given), _number(given, "offset"), _number(given, "limit")
    first = offset or 1
    span = f" ({first} - {first + limit - 1})" if limit else f" (from line {offset})"
    title = f"Read {path}{span if offset or limit else ''}"
    return Shown(title=_line(title), kind="read", locations=_at(path, offset or UNSET))


def _show_write(given: Json, old_text: str | None) -> Shown:
    path = _path(given)
    diff = Diff(path=path, old_text=old_text, new_text=text_in(given, "content"))
    content: list[ToolCallContent] = [diff] if path else []
    return Shown(title=_line(f"Write {path}"), kind="edit", content=content, locations=_at(path))


def _show_edit(given: Json, old_text: str | None, name: str = "Edit") -> Shown:
    path, edits = _path(given), edits_of(name, given)
    line: int | UnsetType = UNSET
    pairs = [(text_in(edit, "old_string"), text_in(edit, "new_string")) for edit in edits]
    whole = None if old_text is None else new_text(name, given, old_text)
    if old_text is not None and whole is not None:
        text = old_text.replace("\r\n", "\n")
        line = text.count("\n", 0, text.index(pairs[0][0])) + 1
        pairs = [(old_text, whole)]
    content: list[ToolCallContent] = [
        Diff(path=path, old_text=old or None, new_text=new)
        for old, new in pairs
        if path and (old or new)
    ]
    return Shown(
        title=_line(f"Edit {path}"), kind="edit", content=content, locations=_at(path, line)
    )


def _show_multi_edit(given: Json, old_text: str | None) -> Shown:
    return _show_edit(given, old_text, "MultiEdit")


def _show_notebook(given: Json, old_text: str | None) -> Shown:
    """`old_text` is the source of the cell."""
    path = text_in(given, "notebook_path")
    new = "" if given.get("edit_mode") == "delete" else text_in(given, "new_source")
    old = None if given.get("edit_mode") == "insert" else old_text
    diff = Diff(path=path, old_text=old, new_text=new)
    content: list[ToolCallContent] = [diff] if path and (old or new) else []
    return Shown(title=_line(f"Edit {path}"), kind="edit", content=content, locations=_at(path))


def _show_bash(given: Json, _: str | None) -> Shown:
    command, why = text_in(given, "command"), text_in(given, "description")
    title = _line(command)
    content: list[ToolCallContent] = [text_content(why)] if why else []
    if title != " ".join(command.split()):  # who is asked must see all of it
        content = [text_content(fence(command)), *content]
    return Shown(title=title or "Terminal", kind="execute", content=content)


def _show_glob(given: Json, _: str | None) -> Shown:
    path, pattern = text_in(given, "path"), text_in(given, "pattern")
    where = f" in {path}" if path else ""
    return Shown(title=_line(f"Find {pattern}{where}"), kind="search", locations=_at(path))


def _show_grep(given: Json, _: str | None) -> Shown:
    flags = [f"-{flag}" for flag in ("i", "n") if given.get(f"-{flag}")]
    glob, path = text_in(given, "glob"), text_in(given, "path")
    include = [f'--include="{glob}"'] if glob else []
    words = ["grep", *flags, *include, f'"{text_in(given, "pattern")}"', *([path] if path else [])]
    return Shown(title=_line(" ".join(words)), kind="search", locations=_at(path))


def _show_fetch(given: Json, _: str | None) -> Shown:
    what = text_in(given, "url") or text_in(given, "query")
    prompt = text_in(given, "prompt")
    content: list[ToolCallContent] = [text_content(prompt)] if prompt else []
    return Shown(title=_line(f"Fetch {what}"), kind="fetch", content=content)


def _show_agent(given: Json, _: str | None) -> Shown:
    prompt = text_in(given, "prompt")
    content: list[ToolCallContent] = [text_content(prompt)] if prompt else []
    title = _line(text_in(given, "description")) or "Agent"
    return Shown(title=title, kind="think", content=content)


def _show_exit_plan(given: Json, _: str | None) -> Shown:
    plan = text_in(given, "plan")
    content: list[ToolCallContent] = [text_content(plan)] if plan else []
    return Shown(title="Ready to code?", kind="switch_mode", content=content)


def _show_enter_plan(given: Json, _: str | None) -> Shown:
    return Shown(title="Plan first", kind="switch_mode")


def _show_question(given: Json, _: str | None) -> Shown:
    questions = given.get("questions")
    listed = questions if isinstance(questions, list) else []
    asked = " ".join(text_in(question, "question") for question in listed)
    return Shown(title=_line(asked) or "Question", kind="other")


_PRESENT: dict[str, Callable[[Json, str | None], Shown]] = {
    "Read": _show_read,
    "NotebookRead": _show_read,
    "Write": _show_write,
    "Edit": _show_edit,
    "MultiEdit": _show_multi_edit,
    "NotebookEdit": _show_notebook,
    "Bash": _show_bash,
    "PowerShell": _show_bash,
    "Glob": _show_glob,
    "LS": _show_glob,
    "Grep": _show_grep,
    "WebFetch": _show_fetch,
    "WebSearch": _show_fetch,
    "Agent": _show_agent,
    "Task": _show_agent,
    "ExitPlanMode": _show_exit_plan,
    "EnterPlanMode": _show_enter_plan,
    "AskUserQuestion": _show_question,
}
_FENCED = frozenset({"Read", "Bash", "Grep", "Glob", "BashOutput", "NotebookRead"})


# Parts.


def _blocks(content: Said) -> list[ContentBlock]:
    if isinstance(content, str) or content is None:
        text = _clean(content or "")
        return [TextContent(text=text)] if text else []
    return [made for block in content if (made := _block(block)) is not None]


def _block(block: Block) -> ContentBlock | None:
    if isinstance(block, TextBlock):
        text = _clean(block.text)
        return TextContent(text=text) if text else None
    if isinstance(block, ImageBlock):
        return _image(block.source)
    kind = block.kind if isinstance(block, Unknown) else block.__struct_config__.tag
    return TextContent(text=f"[{kind or 'unknown'}]")


def _image(source: Json) -> ContentBlock:
    data = text_in(source, "data")
    if data:
        return ImageContent(data=data, mime_type=text_in(source, "media_type") or "image/png")
    return TextContent(text=f"[image {text_in(source, 'url')}".rstrip() + "]")


def _clean(text: str) -> str:
    """What is meant for the model only is not shown."""
    text = without_reminders(text)
    found = _ERROR.match(text)
    return found[1] if found else text


def without_reminders(text: str) -> str:
    """Text without what the CLI put before or after it; what a file holds inside stays."""
    while text.startswith(_REMINDER) and (end := _REMINDER_END.search(text)):
        text = text[end.end() :].lstrip()
    while (kept := text.rstrip()).endswith(">"):
        begin = kept.rfind(f"\n{_REMINDER}")
        ends = [end.end() for end in _REMINDER_END.finditer(kept, begin)] if begin >= 0 else []
        if ends != [len(kept)]:
            break
        text = kept[:begin].rstrip()
    return text


def result_text(content: Said) -> str:
    """The text of an answer, as a person should see it."""
    return _clean(text_of(content))


def _path(given: Json) -> str:
    return text_in(given, "file_path") or text_in(given, "notebook_path")


def _at(path: str, line: int | UnsetType = UNSET) -> list[ToolCallLocation]:
    """ "All file paths in the protocol MUST be absolute": others are told in the title only."""
    is_absolute = PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()
    return [ToolCallLocation(path=path, line=line)] if is_absolute else []


def _number(given: Json, name: str) -> int:
    value = given.get(name)
    if isinstance(value, int | float) and 1 <= value <= MAX_LINE_NUMBER:
        return int(value)
    return 0


def _line(text: str) -> str:
    first = " ".join(text.strip().split("\n", maxsplit=1)[0].split())
    first = _CONTROL.sub("\ufffd", first)
    return first if len(first) <= MAX_TITLE else f"{first[: MAX_TITLE - 1]}…"
