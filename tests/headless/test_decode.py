"""Messages: what the real CLI said (`corpus/`), what it may say one day, what nobody should say."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyide.headless.decode import KINDS, decode, encode
from anyide.headless.messages import (
    Assistant,
    BlockDelta,
    Message,
    Noise,
    Result,
    StreamEvent,
    TextBlock,
    TextPiece,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Unknown,
    User,
)
from anyide.headless.notice import NOTICES, Init

CORPUS = [
    line
    for file in sorted((Path(__file__).parent / "corpus").glob("*.jsonl"))
    for line in file.read_bytes().splitlines()
]
FUZZ_LINES = 200_000


def test_the_corpus_is_there() -> None:
    kinds = {json.loads(line)["type"] for line in CORPUS}
    assert {"assistant", "user", "result", "stream_event", "system", "control_request"} <= kinds


@pytest.mark.parametrize("line", CORPUS, ids=lambda line: f"{json.loads(line)['type']}")
def test_a_line_of_the_real_cli_is_known_and_loses_nothing(line: bytes) -> None:
    message = decode(line)
    assert not isinstance(message, Unknown | Noise)
    assert encode(message) == message.raw == line
    assert message.json == json.loads(line)


@pytest.mark.parametrize("line", CORPUS, ids=lambda line: f"{json.loads(line)['type']}")
def test_typed_fields_say_what_the_line_says(line: bytes) -> None:
    check(msgspec.structs.replace(decode(line), raw=b""), json.loads(line))


def check(struct: Any, said: Any) -> None:
    """Every field that has a value has the value of the line."""
    if isinstance(struct, msgspec.Struct):
        for field in msgspec.structs.fields(struct):
            value = getattr(struct, field.name)
            if field.encode_name in said:
                check(value, said[field.encode_name])
    elif isinstance(struct, list):
        assert len(struct) == len(said)
        for inner, one in zip(struct, said, strict=True):
            check(inner, one)
    elif isinstance(struct, dict):
        assert struct.keys() == said.keys()
        for name in struct:
            check(struct[name], said[name])
    elif isinstance(struct, msgspec.Raw):
        assert json.loads(bytes(struct)) == said
    else:
        assert struct == said


def test_key_order_does_not_matter() -> None:
    for line in CORPUS:
        data = json.loads(line)
        turned = json.dumps(dict(reversed(data.items()))).encode()
        assert type(decode(turned)) is type(decode(line))


def test_both_shapes_of_an_assistants_message() -> None:
    blocks = '[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"x"}]'
    flat = decode(f'{{"type":"assistant","content":{blocks},"model":"m"}}'.encode())
    nested = decode(f'{{"type":"assistant","message":{{"content":{blocks},"model":"m"}}}}'.encode())
    for message in (flat, nested):
        assert isinstance(message, Assistant)
        thinking, text = message.content
        assert thinking == ThinkingBlock(thinking="t", signature="s")
        assert text == TextBlock(text="x")
        assert message.model == "m"


def test_the_shapes_of_the_seeds() -> None:
    init = decode(b'{"type":"system","subtype":"init","data":{"session_id":"s","cwd":"/w"}}')
    assert isinstance(init, Init)
    assert (init.session_id, init.cwd) == ("s", "/w")
    user = decode(b'{"type":"user","content":[{"type":"text","text":"hi"}]}')
    assert isinstance(user, User)
    assert user.content == [TextBlock(text="hi")]
    result = decode(b'{"type":"result","subtype":"success","total_cost_usd":0.0042,"result":"r"}')
    assert isinstance(result, Result)
    assert (result.total_cost_usd, result.result) == (0.0042, "r")
    noted = decode(
        b'{"type":"assistant","message":{"content":[]},"thinkingMetadata":{"level":"high",'
        b'"disabled":false,"triggers":["x"]},"todos":[{"id":"1","content":"c","status":"pending"}]}'
    )
    assert isinstance(noted, Assistant)
    assert noted.thinking_metadata is not None
    assert noted.thinking_metadata.level == "high"
    assert noted.todos is not None
    assert noted.todos[0].status == "pending"


def test_a_delta_is_typed() -> None:
    line = (
        b'{"event":{"delta":{"text":"a","type":"text_delta"},"index":3,'
        b'"type":"content_block_delta"},"type":"stream_event"}'
    )
    message = decode(line)
    assert isinstance(message, StreamEvent)
    assert message.event == BlockDelta(index=3, delta=TextPiece(text="a"))


@pytest.mark.parametrize(
    "event",
    ['{"type":"new_event"}', '{"type":"content_block_delta","index":1,"delta":{"type":"smell"}}'],
)
def test_an_unknown_part_of_a_stream_is_kept(event: str) -> None:
    message = decode(f'{{"type":"stream_event","event":{event}}}'.encode())
    assert isinstance(message, StreamEvent)
    part = message.event
    unknown = part.delta if isinstance(part, BlockDelta) else part
    assert isinstance(unknown, Unknown)
    assert unknown.raw.decode() in event


def test_a_wrong_field_costs_only_itself() -> None:
    message = decode(b'{"type":"result","is_error":"no","num_turns":2.0,"result":"r","usage":7}')
    assert isinstance(message, Result)
    assert (message.is_error, message.num_turns, message.result) == (False, 2.0, "r")
    blocks = decode(
        b'{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t",'
        b'"content":[{"type":"text","text":"a"},{"type":"x"}],"is_error":"?"}]}}'
    )
    assert isinstance(blocks, User)
    (block,) = blocks.content
    assert isinstance(block, ToolResultBlock)
    assert (block.tool_use_id, block.text, block.is_error) == ("t", "a", None)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_bare_type_is_enough(kind: str) -> None:
    message = decode(json.dumps({"type": kind}).encode())
    assert isinstance(message, KINDS[kind] | Unknown)
    assert not isinstance(message, Noise)


@pytest.mark.parametrize("subtype", sorted(NOTICES))
def test_every_notice_is_typed(subtype: str) -> None:
    line = json.dumps({"new": 1, "subtype": subtype, "type": "system"}).encode()
    assert type(decode(line)) is NOTICES[subtype]


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"1", b"null", b'"x"', b"\xff", b"{}" * 2])
def test_what_is_no_message_is_noise(line: bytes) -> None:
    message = decode(line)
    assert isinstance(message, Noise)
    assert message.raw == line
    assert message.problem


def test_deep_nesting_is_survived() -> None:
    line = b'{"type":"assistant","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert decode(line).raw == line


def test_a_message_made_here_can_be_encoded() -> None:
    message = Assistant(flat=[ToolUseBlock(id="1", name="T", input={"a": 1})])
    again = decode(encode(message))
    assert isinstance(again, Assistant)
    assert again.flat == message.flat


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
NAMES = st.sampled_from(["message", "content", "event", "delta", "usage", "errors", "subtype"])


@settings(deadline=None)
@given(
    st.sampled_from([*KINDS, "new"]),
    st.dictionaries(NAMES, JSON),
    st.sampled_from([*NOTICES, "new", None]),
)
def test_any_object_is_a_message_and_loses_nothing(
    kind: str, fields: dict[str, Any], subtype: str | None
) -> None:
    data = {**fields, "type": kind, **({} if subtype is None else {"subtype": subtype})}
    line = msgspec.json.encode(data)
    message = decode(line)
    assert not isinstance(message, Noise)
    assert message.json == msgspec.json.decode(line)


@settings(deadline=None)
@given(st.binary())
def test_any_bytes_are_survived(line: bytes) -> None:
    assert decode(line).raw == line


def test_nothing_escapes_from_a_mutated_corpus() -> None:
    chance = random.Random(5)
    short = [line for line in CORPUS if len(line) < 4000]
    for _ in range(FUZZ_LINES):
        line = mutate(chance.choice(short), chance)
        message = decode(line)
        assert isinstance(message, Message)
        assert message.raw == line


def mutate(line: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(line))
    end = min(len(line), at + chance.randrange(1, 12))
    match chance.randrange(5):
        case 0:
            return line[:at]
        case 1:
            return line[:at] + line[end:]
        case 2:
            return line[:at] + chance.randbytes(end - at) + line[end:]
        case 3:
            return line[:at] + chance.choice([b"null", b"{}", b"[]", b"1e9", b'""']) + line[end:]
        case _:
            return line[:at] + line[at:end] * 3 + line[end:]
