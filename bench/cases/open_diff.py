"""`openDiff` of a 5 MB file: from the client's first byte until the editor has it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import msgspec

from bench.case import Case, Effort
from bench.client import Client, frame
from bench.process import Child
from bench.row import Row, alone

BYTES = 5 * 1024 * 1024
AIM_MS = 100
_LINES = {
    "ASCII": '    value = compute("some text", other_value)  # what a source line looks like\n',
    "with umlauts": '    größe = berechne("Straße", früher)  # was eine Zeile so enthält\n',
}


def run(effort: Effort) -> Sequence[Row]:
    return [_row(kind, line, effort) for kind, line in _LINES.items()]


def _row(kind: str, line: str, effort: Effort) -> Row:
    text = line * (BYTES // len(line.encode()))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.py"
        path.write_text(text, encoding="utf-8")
        asked = frame(_call(path, text.replace("compute", "calculate", 1)))
        taken = [_open_diff(asked) for _ in range(effort.repetitions)]
    return alone(f"openDiff of 5 MB, {kind}", taken, unit="ms", aim=AIM_MS)


def _call(path: Path, text: str) -> bytes:
    arguments = {
        "old_file_path": str(path),
        "new_file_path": str(path),
        "new_file_contents": text,
        "tab_name": "big",
    }
    params = {"name": "openDiff", "arguments": arguments}
    return msgspec.json.encode(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    )


def _open_diff(asked: bytes) -> float:
    with Child("bench.servers.ide") as child, Client(child.address()) as client:
        child.stdin.write(b"review\n")
        began = monotonic()
        answer = client.ask(asked)
        shown = float(child.stdout.readline())
        if b"DIFF_REJECTED" not in answer:
            raise SystemExit(f"openDiff answered {answer[:200]!r}")
    return (shown - began) * 1e3


OPEN_DIFF = Case("open_diff", "a change to a big file, until the editor has it", run)
