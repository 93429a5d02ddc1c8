"""Feed mutated and random bytes to every framing and the peer, and compare with a slow reference.

    python tools/fuzz.py --count 200000 [--seed N]

No exception may leave the peer, every malformed message must get the code that JSON-RPC asks for,
and memory must stay flat. The seed is printed; with it a run can be repeated.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import secrets
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

from anyide.errors import FramingError
from anyide.rpc.framing import Framing, Headers, Lines, Whole
from anyide.rpc.message import MAX_BATCH_LENGTH, Request
from anyide.rpc.peer import CancelRule, Peer

MAX_GROWTH_BYTES = 256 * 1024
"""How much more memory may be held after the run than after its warm-up."""
WARM_UP = 1000

PARSE_ERROR, INVALID_REQUEST = -32700, -32600

MAKERS: dict[str, Callable[[], Framing]] = {
    "whole": lambda: Whole(max_message_bytes=4096),
    "lines": lambda: Lines(max_message_bytes=4096),
    "headers": lambda: Headers(max_message_bytes=4096),
}
SEEDS = [
    b'{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":[1,2.5e3,null,true,"\\u00e9\\n"]}}',
    b'{"jsonrpc":"2.0","id":"s","method":"tools/call","params":[{"deep":[[[[]]]]}]}',
    b'{"jsonrpc":"2.0","method":"notifications/x","params":{"t":"\xc3\xa9\xf0\x9f\x98\x80"}}',
    b'{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}',
    b'{"jsonrpc":"2.0","id":0,"result":{"ok":true}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[1]}}',
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
    b'{"jsonrpc":"2.0","id":5,"result":1,"error":null,"method":null}',
    b'[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},1,{}]',
    b'[{"jsonrpc":"2.0","id":9,"result":1}]',
    b'{"id":1,"method":"a"}',
    b'{"jsonrpc":"2.0","id":true,"method":"a"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"a"}',
    b'{"jsonrpc":"2.0","id":1,"method":"a","params":"no"}',
    b"[]",
    b"1",
    b"",
]
TOKENS = [
    *(b'{ } [ ] , : " \\ / n null true false 0 -1 1e9 1e999 0.5 "id" "method" "2.0"'.split()),
    *(b'"jsonrpc" "params" "result" "error" \\ud83d \\ude00 \\u0000 [[[[[[ NaN'.split()),
    *(b"\xff", b"\xc3", b"\xe2\x80\xa8", b"\n", b"\r\n", b" ", b"\x00", b"9" * 30),
    *(b"Content-Length: 5\r\n\r\n", b"Content-Length: ", b"x" * 5000),
]


def mutate(rng: random.Random, data: bytes) -> bytes:
    """Change a message in a few places."""
    for _ in range(rng.randrange(1, 5)):
        place = rng.randrange(len(data) + 1)
        end = min(len(data), place + rng.randrange(1, 9))
        change = rng.randrange(6)
        if change == 0:
            data = data[:place] + data[end:]
        elif change == 1:
            data = data[:place] + rng.choice(TOKENS) + data[place:]
        elif change == 2:
            data = data[:place] + rng.choice(TOKENS) + data[end:]
        elif change == 3:
            data = data[:place] + rng.randbytes(end - place) + data[end:]
        elif change == 4:
            data = data[:place] + data[place:end] * rng.randrange(2, 6) + data[end:]
        else:
            data = data[:place]
    return data


def make_input(rng: random.Random) -> bytes:
    """Make one input: mostly a mutated message, sometimes the message itself, sometimes noise."""
    kind = rng.random()
    if kind < 0.05:
        return rng.randbytes(rng.randrange(200))
    if kind < 0.1:
        return b"".join(rng.choices(TOKENS, k=rng.randrange(12)))
    data = rng.choice(SEEDS)
    return data if kind < 0.2 else mutate(rng, data)


# The reference: slow, plain, and written from the specification alone.


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def load(data: bytes) -> Any:
    """Read JSON; raises ValueError or RecursionError for what is none."""
    return json.loads(data.decode(), parse_constant=_refuse_constant, parse_int=_read_int)


def _read_int(digits: str) -> Any:
    # An integer that Python does not read is still JSON, but can be no id.
    return int(digits) if len(digits) < 4000 else 0.5


def is_id(value: Any) -> bool:
    """Tell whether a value may be the id of a request."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def expect(message: Any) -> tuple[int | None, Any]:
    """The error code and the id that a message must be answered with; None: no error answer."""
    if not isinstance(message, dict):
        return INVALID_REQUEST, None
    identity = message.get("id")
    if isinstance(identity, str):  # half a surrogate pair cannot be said back in UTF-8
        identity = re.sub("[\ud800-\udfff]", "\ufffd", identity)
    refused = INVALID_REQUEST, identity if is_id(identity) else None
    method = message.get("method")
    if method is None and ("result" in message or "error" in message):
        return None, None  # an answer, good or bad: never answered
    has_bad_id = "id" in message and not is_id(identity)
    has_bad_params = not isinstance(message.get("params"), dict | list | None)
    is_wrong = message.get("jsonrpc") != "2.0" or not isinstance(method, str)
    return refused if is_wrong or has_bad_id or has_bad_params else (None, None)


def expect_all(data: bytes) -> list[tuple[int, Any]]:
    """The error answers that the bytes of one message or batch must get."""
    try:
        loaded = load(data)
    except (ValueError, RecursionError):
        return [(PARSE_ERROR, None)]
    if not isinstance(loaded, list):
        members = [loaded]
    elif not loaded or len(loaded) > MAX_BATCH_LENGTH:
        return [(INVALID_REQUEST, None)]
    else:
        members = loaded
    answers = (expect(member) for member in members)
    return [(code, identity) for code, identity in answers if code is not None]


def unwrap(framing: Framing, sent: list[bytes]) -> Iterator[Any]:
    """The single answers in what a peer sent."""
    for data in sent:
        for message in framing.receive(data):
            assert isinstance(message, bytes)
            answers = json.loads(message)
            yield from answers if isinstance(answers, list) else [answers]


def check_message(data: bytes) -> None:
    """One message to a fresh peer: the error answers must be those of the reference."""
    peer = Peer()
    peer.receive_data(data)
    seen: set[Any] = set()
    for event in peer.events_received():
        if isinstance(event, Request):
            assert event.id not in seen, "a duplicate id got through"
            seen.add(event.id)
            peer.respond(event.id, None)
    answers = list(unwrap(Whole(), peer.data_to_send()))
    errors = [(one["error"]["code"], one["id"]) for one in answers if "error" in one]
    expected = expect_all(data)
    duplicates = len(errors) - len(expected)  # only inside a batch, and answered with null
    assert duplicates >= 0, f"{data!r}: expected {expected}, got {errors}"
    expected += [(INVALID_REQUEST, None)] * (duplicates if len(seen) > 0 else 0)
    assert sorted(errors, key=str) == sorted(expected, key=str), (
        f"{data!r}: expected {expected}, got {errors}"
    )


class Stream:
    """One framing and a peer on it, fed with chunks cut anywhere."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.begin()

    def begin(self) -> None:
        self.peer = Peer(MAKERS[self.name](), cancel=CancelRule("cancel", "id", -32800))
        self.peer.request("ours")

    def feed(self, rng: random.Random, data: bytes) -> None:
        if rng.random() < 0.7:
            data = MAKERS[self.name]().frame(data)
        place = rng.randrange(len(data) + 1)
        for chunk in [data] if self.name == "whole" else [data[:place], data[place:]]:
            self.peer.receive_data(chunk)
        self.settle(rng)

    def settle(self, rng: random.Random) -> None:
        for event in self.peer.events_received():
            if isinstance(event, Request) and rng.random() < 0.9:
                self.peer.respond(event.id, None)
        for _ in unwrap(MAKERS[self.name](), self.peer.data_to_send()):
            pass
        if self.peer.is_closed or rng.random() < 0.001:
            self.peer.receive_eof()
            self.begin()


def check_framing(rng: random.Random, name: str, data: bytes) -> None:
    """A framing must give the same whatever the chunks, and a good message after good ones."""
    whole, cut = MAKERS[name](), MAKERS[name]()
    place = rng.randrange(len(data) + 1)
    at_once = [describe(one) for one in whole.receive(data) + whole.receive_eof()]
    pieces = cut.receive(data[:place]) + cut.receive(data[place:]) + cut.receive_eof()
    assert at_once == [describe(one) for one in pieces], f"{name}: {data!r} cut at {place}"


def describe(answer: bytes | FramingError) -> tuple[Any, ...]:
    """A framing's answer as something that compares."""
    return (str(answer), answer.fatal) if isinstance(answer, FramingError) else (answer,)


def run(count: int, seed: int) -> int:
    """Feed `count` inputs to each; returns by how many bytes the memory grew."""
    rng = random.Random(seed)
    streams = [Stream(name) for name in MAKERS]
    held = 0
    tracemalloc.start()
    try:
        for number in range(count):
            if number == min(WARM_UP, count // 2):
                held, _ = tracemalloc.get_traced_memory()
            data = make_input(rng)
            check_message(data)
            for stream in streams:
                stream.feed(rng, data)
            for name in ("lines", "headers"):
                check_framing(rng, name, data)
        for stream in streams:
            stream.begin()
        return tracemalloc.get_traced_memory()[0] - held
    finally:
        tracemalloc.stop()


def main() -> int:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", flush=True)
    started = time.monotonic()
    growth = run(arguments.count, seed)
    seconds = time.monotonic() - started
    print(f"{arguments.count} inputs to each in {seconds:.0f} s; memory grew by {growth} bytes")
    if growth > MAX_GROWTH_BYTES:
        print(f"that is more than {MAX_GROWTH_BYTES} bytes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
