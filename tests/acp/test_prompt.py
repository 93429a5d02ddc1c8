from __future__ import annotations

import base64
import json
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.acp.messages import (
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Unknown,
)
from anyide.acp.prompt import MAX_TITLE, from_claude, link, title_of, to_claude
from anyide.errors import InvalidParams
from tests.acp.schema import check

DATA = base64.b64encode(b"picture").decode()
JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.sampled_from(["text", "image", "base64"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "source", "data"]), inner, max_size=4)
    ),
    max_leaves=8,
)


def text(words: str) -> TextContent:
    return TextContent(text=words)


def file(uri: str, words: str) -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, text=words))


def blob(kind: str | None, data: str) -> EmbeddedResource:
    return EmbeddedResource(
        resource=BlobResourceContents(uri="file:///b", mime_type=kind, blob=data)
    )


def texts(prompt: list[ContentBlock]) -> list[str]:
    return [block["text"] for block in to_claude(prompt)]


def typed(content: Any) -> list[str]:
    return [block.text for block in from_claude(content) if isinstance(block, TextContent)]


def test_embedded_texts_are_mentioned_in_their_place_and_follow_at_the_end() -> None:
    found = texts([text("look at "), file("file:///p/a%20b.py", "x\n</context>\ny"), text(" now")])
    assert found[:3] == ["look at ", "[@a b.py](file:///p/a%20b.py)", " now"]
    assert found[3] == '\n<context ref="file:///p/a%20b.py">\nx\n</context>\ny\n</context>'


def test_a_quote_does_not_end_the_name_of_a_context() -> None:
    assert '<context ref="x:%22%3e">' in texts([file('x:"%3e', "t")])[1]


@pytest.mark.parametrize(
    ("uri", "name", "found"),
    [
        ("file:///p/a.py", "", "[@a.py](file:///p/a.py)"),
        ("file:///p/a.py", "A", "[@A](file:///p/a.py)"),
        ("file:///p/dir/", "", "[@dir](file:///p/dir/)"),
        ("file:///C:/x/b.py", "", "[@b.py](file:///C:/x/b.py)"),
        ("file:///p/a.py#L1:2", "", "[@a.py](file:///p/a.py#L1:2)"),
        ("file://[broken", "", "[@[broken](file://[broken)"),
        ("file:///", "", "[@file:///](file:///)"),
        ("https://e/x", "", "https://e/x"),
        ("zed:///thread/1", "Thread", "[@Thread](zed:///thread/1)"),
    ],
)
def test_mentions(uri: str, name: str, found: str) -> None:
    assert link(uri, name) == found


def test_blobs_are_taken_for_what_they_are() -> None:
    _, image = to_claude([blob("image/png", DATA)])
    assert (image["type"], image["source"]["data"]) == ("image", DATA)
    _, document = to_claude([blob("application/pdf", f"{DATA[:4]}\n{DATA[4:]}")])
    assert (document["type"], document["source"]["data"]) == ("document", DATA)
    assert texts([blob(None, DATA)])[1] == '\n<context ref="file:///b">\npicture\n</context>'


def test_images_have_data_or_a_link() -> None:
    linked = ImageContent(data="", mime_type="image/x", uri="https://e/p.png")
    assert to_claude([linked])[0]["source"] == {"type": "url", "url": "https://e/p.png"}
    assert to_claude([ImageContent(data=DATA, mime_type="image/gif")])[0]["source"] == {
        "type": "base64",
        "media_type": "image/gif",
        "data": DATA,
    }


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (AudioContent(data="", mime_type="audio/wav"), "audio"),
        (Unknown(extra={"type": "hologram"}), "unknown type"),
        (EmbeddedResource(resource=Unknown(extra={"uri": "x"})), "unknown type"),
        (ImageContent(data=DATA, mime_type="image/tiff"), "image/tiff"),
        (ImageContent(data="", mime_type="image/png"), "not base64"),
        (ImageContent(data="no!", mime_type="image/png"), "not base64"),
        (blob("application/pdf", "abc"), "not base64"),
        (blob("application/zip", "/w=="), "not text, image or PDF"),
        (blob(None, "no!"), "not text, image or PDF"),
        (text(" \n"), "nothing in it"),
    ],
)
def test_what_claude_cannot_take_is_refused(block: ContentBlock, problem: str) -> None:
    with pytest.raises(InvalidParams, match=problem):
        to_claude([block])


def test_a_text_with_nothing_in_it_is_left_out() -> None:
    assert texts([text(""), text("x"), text(" ")]) == ["x"]


def test_prompts_of_mcp_servers_are_called_by_the_clis_name() -> None:
    assert texts([text("/mcp:server:greet bob")]) == ["/server:greet (MCP) bob"]
    assert texts([text("/mcp")]) == ["/mcp"]
    assert texts([text("say /mcp:a:b")]) == ["say /mcp:a:b"]


def test_a_title_is_one_short_line() -> None:
    assert title_of([text(" a\nb "), file("x:y", "t"), text("c")]) == "a b c"
    assert title_of([text("x" * 200)]) == "x" * (MAX_TITLE - 1) + "…"
    assert title_of([file("x:y", "t")]) == ""


PROMPTS = st.lists(
    st.builds(text, st.text(st.characters(exclude_characters="<["), min_size=1).filter(str.strip))
    | st.builds(file, st.sampled_from(["file:///a", "file:///b c", "zed:x"]), st.text())
    | st.just(ImageContent(data=DATA, mime_type="image/png"))
    | st.just(ResourceLink(name="n", uri="file:///n")),
    min_size=1,
)


@given(PROMPTS)
def test_what_was_sent_comes_back_as_it_was(prompt: list[ContentBlock]) -> None:
    stored = json.loads(json.dumps(to_claude(prompt)))
    assert list(from_claude(stored)) == prompt


@given(JSON)
def test_whatever_is_stored_the_blocks_pass_the_schema(content: Any) -> None:
    for block in from_claude(content):
        check("ContentBlock", msgspec.to_builtins(block))


COMMAND = "<command-name>/review</command-name>\n  <command-message>review</command-message>\n  "
REMINDER = "<system-reminder>\nx\n</system-reminder>"


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (f"{COMMAND}<command-args>all</command-args>", ["/review all"]),
        (f"{COMMAND}<command-args></command-args>", ["/review"]),
        ("<command-message>x</command-message>\n<command-name>/x</command-name>", ["/x"]),
        ("<local-command-stdout>out</local-command-stdout>", []),
        ("<bash-input>ls -l</bash-input>", ["!ls -l"]),
        ("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", []),
        ("<ide_selection>1 to 2</ide_selection>\nexplain", ["explain"]),
        ("<task-notification>\n<task-id>1</task-id></task-notification>\nRead it", []),
        ("[Request interrupted by user for tool use]", []),
        (f"{REMINDER}\nhello\n{REMINDER}", ["hello"]),
        (REMINDER, []),
        # The person's own words stay, whatever they are about.
        ("what is <command-name>x</command-name>?", ["what is <command-name>x</command-name>?"]),
        (f"why {REMINDER} here?", [f"why {REMINDER} here?"]),
        ("it says [Request interrupted by user]", ["it says [Request interrupted by user]"]),
        ("  indented", ["  indented"]),
    ],
)
def test_what_the_cli_added_is_not_what_was_typed(stored: str, shown: list[str]) -> None:
    assert typed(stored) == shown
    assert typed([{"type": "text", "text": stored}]) == shown


def test_tags_without_an_end_take_no_time() -> None:
    begin = time.process_time()
    typed("<system-reminder>" * 20_000)
    typed("<bash-stdout>" * 20_000)
    assert time.process_time() - begin < 1
