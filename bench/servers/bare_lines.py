"""The least that a program can do with lines of JSON: read one, answer it, flush."""

from __future__ import annotations

import sys

from msgspec import Raw, Struct
from msgspec.json import Decoder, Encoder


class Call(Struct):
    id: int | str
    params: Raw


class Answer(Struct):
    id: int | str
    result: Raw
    jsonrpc: str = "2.0"


def main() -> None:
    decoder, encoder = Decoder(Call), Encoder()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    for line in source:
        call = decoder.decode(line)
        target.write(encoder.encode(Answer(call.id, call.params)) + b"\n")
        target.flush()


if __name__ == "__main__":
    main()
