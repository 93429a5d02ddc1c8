from __future__ import annotations

import msgspec
import pytest

from anyide.editor.model import Position, Range
from anyide.ide.messages import (
    AtMentioned,
    CallParams,
    CallResult,
    IdeConnected,
    Image,
    Implementation,
    InitializeParams,
    InitializeResult,
    JsonResult,
    SelectionChanged,
    Text,
    UriDiagnostics,
    WireDiagnostic,
    WireSelection,
)

SPAN = Range(Position(0, 1), Position(2, 3))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (AtMentioned("/a"), b'{"filePath":"/a"}'),
        (AtMentioned("/a", 0, 0), b'{"filePath":"/a","lineStart":0,"lineEnd":0}'),
        (
            SelectionChanged("", "/a", "file:///a", WireSelection(SPAN.start, SPAN.end, False)),
            (
                b'{"text":"","filePath":"/a","fileUrl":"file:///a","selection":{'
                b'"start":{"line":0,"character":1},"end":{"line":2,"character":3},"isEmpty":false}}'
            ),
        ),
        (
            UriDiagnostics("file:///a", (WireDiagnostic("bad", "Error", SPAN),)),
            (
                b'{"uri":"file:///a","diagnostics":[{"message":"bad","severity":"Error","range":{'
                b'"start":{"line":0,"character":1},"end":{"line":2,"character":3}}}]}'
            ),
        ),
        (CallResult((Text("x"),)), b'{"content":[{"type":"text","text":"x"}]}'),
        (JsonResult((Text("{}"),)), b'{"content":[{"type":"text","text":"{}"}]}'),
        (
            CallResult((Image("aGk=", "image/png"),), is_error=True),
            b'{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"isError":true}',
        ),
        (
            InitializeResult("1", Implementation("a", "b")),
            (
                b'{"protocolVersion":"1","serverInfo":{"name":"a","version":"b"},'
                b'"capabilities":{"tools":{"listChanged":true}}}'
            ),
        ),
    ],
)
def test_what_is_sent_is_exactly_this_and_never_null(
    message: msgspec.Struct, expected: bytes
) -> None:
    assert msgspec.json.encode(message) == expected
    assert b"null" not in expected


def test_what_a_tool_answered_is_read() -> None:
    data = b"""{"content":[{"type":"text","text":"a","annotations":{}},
        {"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"text","text":"b"}]}"""
    result = msgspec.json.decode(data, type=CallResult)
    assert (result.text, result.texts, result.is_error) == ("a", ("a", "b"), False)
    assert CallResult(()).text == ""


def test_a_cli_may_say_more_or_less_than_is_known() -> None:
    assert msgspec.json.decode(b"{}", type=InitializeParams).client_info.name == ""
    rich = b'{"protocolVersion":"2","capabilities":{"x":{}},"clientInfo":{"name":"n","title":"t"}}'
    assert msgspec.json.decode(rich, type=InitializeParams).client_info.name == "n"
    connected = b'{"pid":5,"isPluginVersionUnsupported":false}'
    assert msgspec.json.decode(connected, type=IdeConnected).pid == 5
    call = b'{"name":"x","arguments":{"a":1},"_meta":{"progressToken":2}}'
    assert bytes(msgspec.json.decode(call, type=CallParams).arguments) == b'{"a":1}'  # type: ignore[arg-type]
