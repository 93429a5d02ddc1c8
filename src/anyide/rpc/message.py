"""What one JSON-RPC 2.0 message says, and what is wrong with one that says nothing.

`parse` turns the bytes of one message into values and never raises: a message that breaks the
specification comes out as `Malformed`, with the code that JSON-RPC asks for.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from anyide.errors import InvalidParams, MethodNotFound, RpcError
from anyide.rpc.framing import is_utf8

Id = int | str
VERSION: Final = "2.0"
MAX_BATCH_BYTES = 4 * 1024 * 1024
MAX_BATCH_LENGTH = 1000


class ErrorCode(IntEnum):
    """The error codes that JSON-RPC 2.0 defines."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603


class Notification(Struct, frozen=True, kw_only=True):
    """Something said that wants no answer."""

    method: str
    params: Any = UNSET
    jsonrpc: str = VERSION


class Request(Struct, frozen=True, kw_only=True):
    """Something asked under an id, to be answered once."""

    method: str
    id: Id
    params: Any = UNSET
    jsonrpc: str = VERSION


class Response(Struct, frozen=True, kw_only=True):
    """The answer to a request that went well."""

    id: Id
    result: Any
    jsonrpc: str = VERSION


class ErrorDetail(Struct, frozen=True):
    """What an error answer says."""

    code: int
    message: str
    data: Any = UNSET

    def to_exception(self) -> RpcError:
        """Turn into the exception that the asker gets."""
        data = None if self.data is UNSET else self.data
        if self.code == ErrorCode.METHOD_NOT_FOUND:
            return MethodNotFound(self.message, data)
        if self.code == ErrorCode.INVALID_PARAMS:
            return InvalidParams(self.message, data)
        return RpcError(self.code, self.message, data)


class ErrorResponse(Struct, frozen=True, kw_only=True):
    """The answer to a request that failed; without an id, to what could not be read."""

    id: Id | None
    error: ErrorDetail
    jsonrpc: str = VERSION


class Malformed(Struct, frozen=True, kw_only=True):
    """Bytes that are no message: the error that JSON-RPC asks for.

    A broken answer is not to be answered (`answer` is false): two peers would never stop.
    """

    code: ErrorCode
    problem: str
    id: Id | None = None
    answer: bool = True

    def response(self) -> ErrorResponse:
        """The error answer for the sender."""
        return ErrorResponse(id=self.id, error=ErrorDetail(self.code, self.problem))


Message = Request | Notification | Response | ErrorResponse


class _Envelope(Struct):
    """Every field that any message may have; what is not needed at once stays raw."""

    jsonrpc: str | UnsetType = UNSET
    method: str | UnsetType | None = UNSET
    id: Id | UnsetType | None = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


_STRUCTURED = b"{["
_ABSENT = Raw(b"null")
_NULL = ord("n")  # some senders put null where a member does not apply

# JavaScript writes half a surrogate pair where text was cut inside an emoji. That is JSON, and no
# reason to lose a message. Pairs and other escapes are matched too, to step over them.
_LONE_SURROGATE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)

_envelope = msgspec.json.Decoder(_Envelope)
_object = msgspec.json.Decoder(dict[str, Raw])
_batch = msgspec.json.Decoder(list[Raw])
_raw = msgspec.json.Decoder(Raw)
_id = msgspec.json.Decoder(Id)
_detail = msgspec.json.Decoder(ErrorDetail)
_encoder = msgspec.json.Encoder()


def encode(message: Message | list[Response | ErrorResponse]) -> bytes:
    """Turn a message, or the answers of a batch, into bytes.

    Raises TypeError, ValueError or RecursionError for what JSON cannot hold.
    """
    return _encoder.encode(message)


def parse(data: bytes) -> Message | Malformed | list[Message | Malformed]:
    """Read one message or one batch; never raises."""
    # Parts of a message stay raw, and skipping over a string does not check its encoding.
    if not is_utf8(data):
        return Malformed(code=ErrorCode.PARSE_ERROR, problem="the message is not UTF-8")
    try:
        return _read(data)
    except msgspec.DecodeError as error:
        if (mended := _LONE_SURROGATE.sub(_mend, data)) != data:
            return parse(mended)
        return Malformed(code=ErrorCode.PARSE_ERROR, problem=str(error))
    except RecursionError:
        return Malformed(code=ErrorCode.PARSE_ERROR, problem="the message is nested too deeply")


def _mend(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape["lone"] is None else rb"\ufffd"


def _read(data: bytes) -> Message | Malformed | list[Message | Malformed]:
    try:
        return _classify(_envelope.decode(data))
    except msgspec.ValidationError:
        return _examine(data)


def _classify(envelope: _Envelope) -> Message | Malformed:
    identity = None if envelope.id is UNSET else envelope.id
    if envelope.jsonrpc != VERSION:
        return _invalid("jsonrpc must be the string 2.0", envelope, identity)
    if envelope.method is not UNSET and envelope.method is not None:
        return _call(envelope.method, envelope, identity)
    if envelope.error is not UNSET and memoryview(envelope.error)[0] != _NULL:
        return ErrorResponse(id=identity, error=_error_detail(envelope.error))
    if envelope.result is UNSET:
        return _invalid("neither a method, a result nor an error", envelope, identity)
    if identity is None:
        return _invalid("a result without an id", envelope, identity)
    return Response(id=identity, result=envelope.result)


def _call(method: str, envelope: _Envelope, identity: Id | None) -> Message | Malformed:
    params = envelope.params
    if params is not UNSET and (first := memoryview(params)[0]) not in _STRUCTURED:
        if first != _NULL:
            return _invalid("params must be an object or an array", envelope, identity)
        params = UNSET
    if identity is not None:
        return Request(method=method, id=identity, params=params)
    if envelope.id is None:
        return _invalid("the id of a request must not be null", envelope, None)
    return Notification(method=method, params=params)


def _invalid(problem: str, envelope: _Envelope, identity: Id | None) -> Malformed:
    is_call = envelope.method is not UNSET and envelope.method is not None
    is_answer = envelope.result is not UNSET or envelope.error is not UNSET
    return _invalid_request(problem, identity=identity, answer=is_call or not is_answer)


def _error_detail(error: Raw) -> ErrorDetail:
    # A request must not wait for ever because its error answer is not well made.
    try:
        return _detail.decode(error)
    except msgspec.ValidationError:
        return ErrorDetail(ErrorCode.INTERNAL_ERROR, "the error answer is not well made")


def _examine(data: bytes) -> Malformed | list[Message | Malformed]:
    """Look closer at JSON that is no single valid message: a batch, or an invalid request."""
    start = data.lstrip(b" \t\r\n")[:1]
    if start == b"[":
        return _split(data)
    if start != b"{":
        _raw.decode(data)  # raises where it is not even JSON
        return _invalid_request("a message must be an object")
    fields = _object.decode(data)
    is_answer = fields.get("method", _ABSENT) == _ABSENT and (
        "result" in fields or "error" in fields
    )
    problem = "a member of the message is of the wrong type"
    return _invalid_request(problem, identity=_identity(fields.get("id")), answer=not is_answer)


def _identity(raw: Raw | None) -> Id | None:
    try:
        return None if raw is None else _id.decode(raw)
    except msgspec.ValidationError:
        return None


def _split(data: bytes) -> Malformed | list[Message | Malformed]:
    if len(data) > MAX_BATCH_BYTES:
        return _invalid_request(f"a batch may have at most {MAX_BATCH_BYTES} bytes")
    parts = _batch.decode(data)
    if not parts:
        return _invalid_request("a batch must not be empty")
    if len(parts) > MAX_BATCH_LENGTH:
        return _invalid_request(f"a batch may have at most {MAX_BATCH_LENGTH} messages")
    return [_member(bytes(part)) for part in parts]


def _member(data: bytes) -> Message | Malformed:
    if data.startswith(b"["):
        return _invalid_request("a batch inside a batch")
    member = parse(data)
    assert not isinstance(member, list)
    return member


def _invalid_request(problem: str, *, identity: Id | None = None, answer: bool = True) -> Malformed:
    return Malformed(code=ErrorCode.INVALID_REQUEST, problem=problem, id=identity, answer=answer)
