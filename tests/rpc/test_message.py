from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw

from anyide.errors import InvalidParams, MethodNotFound, RpcError
from anyide.rpc.message import (
    MAX_BATCH_BYTES,
    MAX_BATCH_LENGTH,
    ErrorCode,
    ErrorDetail,
    ErrorResponse,
    Malformed,
    Notification,
    Request,
    Response,
    encode,
    parse,
)
from anyide.rpc.peer import Peer


def serve(data: bytes) -> Any:
    """What the server of the specification's examples answers; None: nothing."""
    peer = Peer()
    peer.receive_data(data)
    for event in peer.events_received():
        if isinstance(event, Request):
            answer(peer, event)
    sent = peer.data_to_send()
    assert len(sent) <= 1
    return json.loads(sent[0]) if sent else None


def answer(peer: Peer, request: Request) -> None:
    params = None if request.params is UNSET else msgspec.json.decode(request.params)
    if request.method == "subtract" and isinstance(params, list):
        peer.respond(request.id, params[0] - params[1])
    elif request.method == "subtract" and params is not None:
        peer.respond(request.id, params["minuend"] - params["subtrahend"])
    elif request.method == "sum" and params is not None:
        peer.respond(request.id, sum(params))
    elif request.method == "get_data":
        peer.respond(request.id, ["hello", 5])
    else:
        peer.respond_error(request.id, ErrorCode.METHOD_NOT_FOUND, "Method not found")


def without_texts(answers: Any) -> Any:
    """Leave out the texts of errors: the specification fixes the code, a text may tell more."""
    if isinstance(answers, list):
        return [without_texts(one) for one in answers]
    if isinstance(answers, dict) and "error" in answers:
        assert isinstance(answers["error"].pop("message"), str)
    return answers


def in_order(answer: Any) -> str:
    return json.dumps(answer, sort_keys=True)


def result(value: Any, identity: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "result": value, "id": identity}


def error(code: int, identity: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "error": {"code": code}, "id": identity}


# https://www.jsonrpc.org/specification, section 7, in its order.
SPECIFICATION_EXAMPLES = [
    (b'{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', result(19, 1)),
    (b'{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}', result(-19, 2)),
    (
        (
            b'{"jsonrpc": "2.0", "method": "subtract", '
            b'"params": {"subtrahend": 23, "minuend": 42}, "id": 3}'
        ),
        result(19, 3),
    ),
    (
        (
            b'{"jsonrpc": "2.0", "method": "subtract", '
            b'"params": {"minuend": 42, "subtrahend": 23}, "id": 4}'
        ),
        result(19, 4),
    ),
    (b'{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', None),
    (b'{"jsonrpc": "2.0", "method": "foobar"}', None),
    (b'{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', error(-32601, "1")),
    (b'{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', error(-32700)),
    (b'{"jsonrpc": "2.0", "method": 1, "params": "bar"}', error(-32600)),
    (
        (
            b'[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},'
            b'{"jsonrpc": "2.0", "method"]'
        ),
        error(-32700),
    ),
    (b"[]", error(-32600)),
    (b"[1]", [error(-32600)]),
    (b"[1,2,3]", [error(-32600), error(-32600), error(-32600)]),
    (
        (
            b"["
            b'{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},'
            b'{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},'
            b'{"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},'
            b'{"foo": "boo"},'
            b'{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},'
            b'{"jsonrpc": "2.0", "method": "get_data", "id": "9"}'
            b"]"
        ),
        [
            result(7, "1"),
            result(19, "2"),
            error(-32600),
            error(-32601, "5"),
            result(["hello", 5], "9"),
        ],
    ),
    (
        (
            b'[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},'
            b'{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]'
        ),
        None,
    ),
]


@pytest.mark.parametrize(("sent", "expected"), SPECIFICATION_EXAMPLES)
def test_every_example_of_the_specification_gets_the_answer_it_shows(
    sent: bytes, expected: Any
) -> None:
    answered = without_texts(serve(sent))
    # By the specification, the answers of a batch may come in any order.
    if isinstance(expected, list):
        assert sorted(answered, key=in_order) == sorted(expected, key=in_order)
    else:
        assert answered == expected


@pytest.mark.parametrize("identity", [0, "", -1, 2**63, 10**40, -(10**40), "0", "é\u2028😀"])
def test_every_int_and_string_is_an_id(identity: int | str) -> None:
    data = json.dumps({"jsonrpc": "2.0", "method": "a", "id": identity}).encode()
    assert parse(data) == Request(method="a", id=identity)
    assert parse(encode(Request(method="a", id=identity))) == Request(method="a", id=identity)


@pytest.mark.parametrize("identity", ["true", "false", "null", "1.5", "1e3", "[1]", '{"a":1}'])
def test_anything_else_is_no_id_and_is_answered_with_null(identity: str) -> None:
    malformed = parse(b'{"jsonrpc":"2.0","method":"a","id":%b}' % identity.encode())
    assert isinstance(malformed, Malformed)
    assert (malformed.code, malformed.id, malformed.answer) == (-32600, None, True)
    assert json.loads(encode(malformed.response()))["id"] is None


def test_an_id_that_is_longer_than_python_reads_is_an_invalid_request() -> None:
    malformed = parse(b'{"jsonrpc":"2.0","method":"a","id":%b}' % (b"9" * 5000))
    assert isinstance(malformed, Malformed)
    assert malformed.code == ErrorCode.INVALID_REQUEST


def test_unknown_members_are_passed_over() -> None:
    data = b'{"x":{"y":[]},"jsonrpc":"2.0","_meta":null,"method":"a","id":7,"id2":true}'
    assert parse(data) == Request(method="a", id=7)


def test_an_error_beside_a_result_wins() -> None:
    both = b'{"jsonrpc":"2.0","id":1,"result":5,"error":{"code":7,"message":"no"}}'
    assert parse(both) == ErrorResponse(id=1, error=ErrorDetail(7, "no"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            b'{"jsonrpc":"2.0","id":1,"result":5,"error":null}',
            Response(id=1, result=Raw(b"5")),
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"result":null,"error":null}',
            Response(id=1, result=Raw(b"null")),
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":7,"message":"no"}}',
            ErrorResponse(id=1, error=ErrorDetail(7, "no")),
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"result":5,"method":null,"params":null}',
            Response(id=1, result=Raw(b"5")),
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"a","params":null,"result":null}',
            Request(method="a", id=1),
        ),
    ],
)
def test_null_where_a_member_does_not_apply_is_as_if_left_out(data: bytes, expected: Any) -> None:
    assert parse(data) == expected


@pytest.mark.parametrize(
    ("data", "identity", "answered"),
    [
        (b"1", None, True),
        (b'"a"', None, True),
        (b"null", None, True),
        (b"1e999", None, True),
        (b"9" * 5000, None, True),
        (b"{}", None, True),
        (b'{"jsonrpc":"2.0"}', None, True),
        (b'{"jsonrpc":"2.0","id":4}', 4, True),
        (b'{"jsonrpc":"2.0","id":4,"method":null}', 4, True),
        (b'{"jsonrpc":"1.0","id":4,"method":"a"}', 4, True),
        (b'{"jsonrpc":2.0,"id":4,"method":"a"}', 4, True),
        (b'{"id":4,"method":"a"}', 4, True),
        (b'{"jsonrpc":"2.0","id":4,"method":"a","params":7}', 4, True),
        (b'{"jsonrpc":"2.0","id":"x","method":"a","params":"b"}', "x", True),
        (b'{"jsonrpc":"2.0","id":null,"method":"a"}', None, True),
        (b'{"jsonrpc":"2.0","result":5}', None, False),
        (b'{"jsonrpc":"2.0","result":5,"method":null}', None, False),
        (b'{"jsonrpc":"2.0","id":true,"result":5,"method":null}', None, False),
        (b'{"jsonrpc":"2.0","id":null,"result":5}', None, False),
        (b'{"jsonrpc":"2.0","id":true,"result":5}', None, False),
        (b'{"id":4,"result":5}', 4, False),
        (b'{"id":4,"error":{"code":1,"message":""}}', 4, False),
        (b'{"jsonrpc":"2.0","id":4,"error":null}', 4, False),
    ],
)
def test_an_invalid_request_is_answered_and_an_invalid_answer_is_not(
    data: bytes, identity: Any, answered: bool
) -> None:
    malformed = parse(data)
    assert isinstance(malformed, Malformed)
    assert malformed.code == ErrorCode.INVALID_REQUEST
    assert (malformed.id, malformed.answer) == (identity, answered)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b"tru",
        b"NaN",
        b"{'a':1}",
        b'{"jsonrpc":"2.0","method":"a"} {}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"a"}',
        b'{"jsonrpc":"2.0","method":"a","params":[01]}',
        b'{"jsonrpc":"2.0","method":"a","params":["\x01"]}',
        b'{"jsonrpc":"2.0","method":"a","params":["\\q"]}',
        b'{"jsonrpc":"2.0","method":"a","params":["\\ud8"]}',
        b'{"jsonrpc":"2.0","method":"a","other":tru}',
        b'["a"',
    ],
)
def test_what_is_not_json_is_a_parse_error(data: bytes) -> None:
    malformed = parse(data)
    assert isinstance(malformed, Malformed)
    assert (malformed.code, malformed.id, malformed.answer) == (-32700, None, True)


WHOLE = b'{"jsonrpc":"2.0","method":"m\xc3\xa9","id":"i","params":{"k":["v",{"x":"y"}]},"z":"z"}'


@pytest.mark.parametrize("place", range(len(WHOLE) + 1))
@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf"])
def test_invalid_utf8_anywhere_is_a_parse_error(place: int, bad: bytes) -> None:
    malformed = parse(WHOLE[:place] + bad + WHOLE[place:])
    assert isinstance(malformed, Malformed)
    assert malformed.code == ErrorCode.PARSE_ERROR


def test_half_a_surrogate_pair_costs_one_character_and_not_the_message() -> None:
    data = rb'{"jsonrpc":"2.0","id":1,"method":"\ud83d\ude00\\ud800","params":["\ud83d","x\uDE00"]}'
    request = parse(data)
    assert isinstance(request, Request)
    assert request.method == "😀\\ud800"
    assert msgspec.json.decode(request.params) == ["\ufffd", "x\ufffd"]


@pytest.mark.parametrize("depth", [10_000, 200_000])
@pytest.mark.parametrize("bracket", [b"[", b'{"a":'])
@pytest.mark.parametrize(
    "start", [b"", b'{"jsonrpc":"2.0","method":"a","params":', b'{"error":{"data":', b"[1,"]
)
def test_deep_nesting_is_a_parse_error(start: bytes, bracket: bytes, depth: int) -> None:
    malformed = parse(start + bracket * depth)
    assert isinstance(malformed, Malformed)
    assert malformed.code == ErrorCode.PARSE_ERROR


def test_a_batch_inside_a_batch_is_invalid() -> None:
    assert without_texts(serve(b"[[]]")) == [error(-32600)]
    assert without_texts(serve(b' [ [{"jsonrpc":"2.0","method":"a","id":1}] ] ')) == [error(-32600)]


def test_a_batch_of_too_many_messages_gets_one_error_that_names_the_limit() -> None:
    allowed = parse(b"[" + b",".join([b"1"] * MAX_BATCH_LENGTH) + b"]")
    assert isinstance(allowed, list)
    assert len(allowed) == MAX_BATCH_LENGTH
    malformed = parse(b"[" + b",".join([b"1"] * (MAX_BATCH_LENGTH + 1)) + b"]")
    assert isinstance(malformed, Malformed)
    assert malformed.code == ErrorCode.INVALID_REQUEST
    assert str(MAX_BATCH_LENGTH) in malformed.problem


def test_a_batch_of_too_many_bytes_gets_one_error_that_names_the_limit() -> None:
    malformed = parse(b"[" + b" " * MAX_BATCH_BYTES + b"1]")
    assert isinstance(malformed, Malformed)
    assert str(MAX_BATCH_BYTES) in malformed.problem


@pytest.mark.parametrize("detail", ["7", "[]", "{}", '{"code":"x","message":1}', '"no"'])
def test_an_error_answer_that_is_not_well_made_still_ends_its_request(detail: str) -> None:
    response = parse(b'{"jsonrpc":"2.0","id":3,"error":%b}' % detail.encode())
    assert isinstance(response, ErrorResponse)
    assert (response.id, response.error.code) == (3, ErrorCode.INTERNAL_ERROR)


def test_an_error_becomes_the_exception_of_its_code() -> None:
    assert type(ErrorDetail(-32601, "a").to_exception()) is MethodNotFound
    assert type(ErrorDetail(-32602, "a", {"b": 1}).to_exception()) is InvalidParams
    exception = ErrorDetail(5, "a", {"b": 1}).to_exception()
    assert type(exception) is RpcError
    assert (exception.code, exception.message, exception.data) == (5, "a", {"b": 1})


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
ids = st.integers() | st.text()


@given(st.text(), ids, st.lists(json_values) | st.dictionaries(st.text(), json_values))
def test_a_request_is_read_as_it_was_written(method: str, identity: int | str, params: Any) -> None:
    request = parse(encode(Request(method=method, id=identity, params=params)))
    assert isinstance(request, Request)
    assert (request.method, request.id) == (method, identity)
    assert msgspec.json.decode(request.params) == params


@given(ids, json_values)
def test_a_response_is_read_as_it_was_written(identity: int | str, value: Any) -> None:
    response = parse(encode(Response(id=identity, result=value)))
    assert isinstance(response, Response)
    assert (response.id, msgspec.json.decode(response.result)) == (identity, value)


@given(
    st.dictionaries(
        st.sampled_from(["jsonrpc", "method", "id", "params", "result", "error", "x"]),
        json_values | st.just("2.0"),
    )
)
def test_no_object_makes_the_reader_raise(fields: dict[str, Any]) -> None:
    parsed = parse(json.dumps(fields).encode())
    assert isinstance(parsed, Request | Notification | Response | ErrorResponse | Malformed)


@given(st.binary())
def test_no_bytes_make_the_reader_raise(data: bytes) -> None:
    parsed = parse(data)
    one = Request | Notification | Response | ErrorResponse | Malformed
    assert isinstance(parsed, one) or all(isinstance(member, one) for member in parsed)
