from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.acp.history import replay
from anyide.acp.option import Choices
from anyide.acp.translate import Translator
from tests.acp.schema import check

Json = dict[str, Any]


def said(role: str, content: Any, **more: Any) -> Json:
    message = {"role": role, "content": content}
    return {"type": role, "message": message, "uuid": "u", "isSidechain": False, **more}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def use(identity: str, name: str, **given: Any) -> Json:
    return {"type": "tool_use", "id": identity, "name": name, "input": given}


def result(identity: str, content: Any, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": identity, "content": content, **more}


def told(tmp_path: Path, *entries: Any) -> list[Json]:
    file = tmp_path / "s.jsonl"
    lines = [entry if isinstance(entry, bytes) else json.dumps(entry).encode() for entry in entries]
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    found: list[Json] = [
        msgspec.to_builtins(update) for update in replay(file, Translator(Choices()))
    ]
    for update in found:
        check("SessionUpdate", update)
    return found


def words(updates: list[Json]) -> list[tuple[str, str]]:
    return [
        (update["sessionUpdate"].removesuffix("_chunk"), update["content"]["text"])
        for update in updates
        if update["sessionUpdate"].endswith("_chunk")
    ]


def test_a_conversation_is_told_in_its_order(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        {"type": "queue-operation", "operation": "enqueue", "content": '"user"'},
        said("user", "first"),
        {"type": "attachment", "attachment": {"type": "user", "text": "not said"}},
        said("assistant", [{"type": "thinking", "thinking": "hm", "signature": "x"}]),
        said("assistant", [text("answer")]),
        said("user", [text("second"), text("[@a](file:///a)")]),
    )
    assert words(found[:4]) == [
        ("user_message", "first"),
        ("agent_thought", "hm"),
        ("agent_message", "answer"),
        ("user_message", "second"),
    ]
    assert found[0]["messageId"] == "u"
    assert found[4]["content"] == {"type": "resource_link", "name": "a", "uri": "file:///a"}


@pytest.mark.parametrize(
    "mark",
    [
        {"isMeta": True},
        {"isSidechain": True},
        {"isCompactSummary": True},
        {"isVisibleInTranscriptOnly": True},
        {"origin": {"kind": "task-notification"}},
    ],
)
def test_what_the_cli_wrote_for_itself_is_not_told(tmp_path: Path, mark: Json) -> None:
    assert told(tmp_path, said("user", "aside", **mark)) == []


def test_what_a_person_said_elsewhere_is_told(tmp_path: Path) -> None:
    assert words(told(tmp_path, said("user", "hi", origin={"kind": "human"}))) == [
        ("user_message", "hi")
    ]


def test_what_fills_a_gap_is_not_told_but_an_error_is(tmp_path: Path) -> None:
    def synthetic(words: str) -> Json:
        entry = said("assistant", [text(words)])
        return {**entry, "message": {**entry["message"], "model": "<synthetic>"}}

    found = told(tmp_path, synthetic("No response requested."), synthetic("API Error: 529"))
    assert words(found) == [("agent_message", "API Error: 529")]


def test_what_was_said_before_a_compaction_is_told_too(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        said("user", "before"),
        {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"},
        said("user", "The summary", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        said("user", "after"),
    )
    assert words(found) == [("user_message", "before"), ("user_message", "after")]


def test_calls_are_told_with_their_results(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        said("assistant", [use("a", "Bash", command="ls"), use("b", "Read", file_path="/f")]),
        said("user", [result("b", "no", is_error=True)]),
        said("user", [result("a", [text("out")]), text("typed meanwhile")]),
    )
    last = {u["toolCallId"]: u for u in found if "toolCallId" in u}
    assert (last["a"]["status"], last["b"]["status"]) == ("completed", "failed")
    assert last["a"]["content"][0]["content"]["text"] == "```\nout\n```"
    assert words(found[-1:]) == [("user_message", "typed meanwhile")]


def test_a_call_that_never_ended_has_failed(tmp_path: Path) -> None:
    found = told(tmp_path, said("assistant", [use("a", "Bash", command="ls")]))
    assert [u["status"] for u in found] == ["pending", "failed"]


def test_a_result_without_a_call_is_not_told(tmp_path: Path) -> None:
    assert told(tmp_path, said("user", [result("none", "out")])) == []


def test_todos_are_the_plan(tmp_path: Path) -> None:
    todos = [{"content": "Look", "status": "completed"}]
    found = told(
        tmp_path,
        said("assistant", [use("a", "TodoWrite", todos=todos)]),
        said("user", [result("a", "Todos have been modified")]),
    )
    assert [u["sessionUpdate"] for u in found] == ["plan"]


def test_commands_and_pictures_are_told_as_they_were_typed(tmp_path: Path) -> None:
    command = "<command-name>/review</command-name>\n<command-args>all</command-args>"
    source = {"type": "base64", "media_type": "image/gif", "data": "AA=="}
    found = told(
        tmp_path,
        said("user", command),
        said("user", "<local-command-stdout>out</local-command-stdout>"),
        said("user", [{"type": "image", "source": source}]),
        said("user", [text("[Request interrupted by user]")]),
    )
    assert words(found[:1]) == [("user_message", "/review all")]
    assert found[1]["content"] == {"type": "image", "data": "AA==", "mimeType": "image/gif"}
    assert len(found) == 2


def test_broken_lines_are_passed_over(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        b'{"type": "user", "mess',
        b'\xff\xfe "user"',
        b'"user"',
        b'["user"]',
        b"",
        b'{"type":"user"}',
        b'{"type":"assistant","message":5}',
        b'{"type":"user","x":' + b"[" * 5000 + b"]" * 5000 + b"}",
        said("user", None),
        said("user", [3, {"type": "text"}, {"type": "text", "text": 5}, text("hi")]),
    )
    assert words(found) == [("user_message", "hi")]


def test_an_empty_session_has_nothing_to_tell(tmp_path: Path) -> None:
    assert told(tmp_path) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["text", "tool_use", "a", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "id", "name", "input", "content", "text", "tool_use_id"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(st.lists(st.builds(said, st.sampled_from(["user", "assistant"]), JSON), max_size=4))
def test_whatever_was_stored_is_told_within_the_schema(
    tmp_path_factory: pytest.TempPathFactory, entries: list[Json]
) -> None:
    told(tmp_path_factory.getbasetemp(), *entries)
