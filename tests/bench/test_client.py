from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from bench.client import frame, whole

_UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


@given(st.integers(0, 300) | st.integers(65530, 65540), st.binary(min_size=1, max_size=8))
def test_a_frame_is_one_that_the_library_reads(size: int, pattern: bytes) -> None:
    message = (pattern * size)[:size]
    core = ServerProtocol()
    core.receive_data(_UPGRADE)
    for event in core.events_received():
        assert isinstance(event, Request)
        core.send_response(core.accept(event))
    core.receive_data(frame(message))
    (received,) = core.events_received()
    assert isinstance(received, Frame)
    assert bytes(received.data) == message


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536])
def test_the_end_of_a_frame_is_found_from_any_beginning_of_it(size: int) -> None:
    data = Frame(Opcode.TEXT, bytes(size)).serialize(mask=False)
    assert whole(data) == len(data)
    assert all(whole(data[:cut]) > cut for cut in range(min(len(data), 300)))
