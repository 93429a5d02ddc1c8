"""The rivals of the ACP benchmarks, spoken to in lines of JSON by a blocking client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import psutil

Json = dict[str, Any]


class Peer:
    """A process that speaks lines of JSON; `began` is when it was started."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self.began = perf_counter()
        self.process = subprocess.Popen(
            command,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def send(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def until(self, wanted: Callable[[bytes], bool]) -> bytes:
        """The first line that is wanted; those before it are read and dropped."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if wanted(line):
                return line
        raise AssertionError(f"{self.process.args!r} ended")

    @property
    def megabytes(self) -> float:
        return float(psutil.Process(self.process.pid).memory_info().rss) / 1024 / 1024


class AcpPeer(Peer):
    """An agent of the Agent Client Protocol."""

    def ask(self, method: str, **params: Any) -> Json:
        self._count += 1
        identity = self._count
        message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
        self.send(message)
        return self.answer(identity)

    def answer(self, identity: int) -> Json:
        # An answer has no method; the key order of the rivals differs.
        line = self.until(lambda line: b'"method":' not in line and b'"id":%d' % identity in line)
        answer = json.loads(line)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    def initialize(self) -> None:
        self.ask("initialize", protocolVersion=1, clientCapabilities={})

    def open(self, folder: Path) -> str:
        return str(self.ask("session/new", cwd=str(folder), mcpServers=[])["sessionId"])

    def prompt(self, session: str, text: str) -> tuple[float, float]:
        """Seconds to the first chunk of text, and to the answer."""
        self._count += 1
        began = perf_counter()
        blocks = [{"type": "text", "text": text}]
        params = {"sessionId": session, "prompt": blocks}
        message = {"jsonrpc": "2.0", "id": self._count, "method": "session/prompt"}
        self.send({**message, "params": params})
        self.until(lambda line: b"agent_message_chunk" in line)
        first = perf_counter() - began
        self.answer(self._count)
        return first, perf_counter() - began

    def cancel(self, session: str, text: str, sign: bytes) -> float:
        """Seconds from the cancel to the answer; `sign` is in the line that it waits for."""
        self._count += 1
        blocks = [{"type": "text", "text": text}]
        message = {"jsonrpc": "2.0", "id": self._count, "method": "session/prompt"}
        self.send({**message, "params": {"sessionId": session, "prompt": blocks}})
        question = b'"session/request_permission"'
        line = json.loads(self.until(lambda line: sign in line or question in line))
        if "id" in line and sign != question:
            self._decide(line, {"outcome": "selected", "optionId": "allow"})
            line = json.loads(self.until(lambda line: sign in line))
        began = perf_counter()
        cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}
        self.send(cancel)
        if "id" in line:  # the client's own duty: what it was asked is cancelled, too
            self._decide(line, {"outcome": "cancelled"})
        assert self.answer(self._count)["stopReason"] == "cancelled"
        return perf_counter() - began

    def _decide(self, question: Json, outcome: Json) -> None:
        self.send({"jsonrpc": "2.0", "id": question["id"], "result": {"outcome": outcome}})


class CliPeer(Peer):
    """The CLI alone, in its own protocol."""

    def initialize(self) -> None:
        request = {"subtype": "initialize"}
        self.send({"type": "control_request", "request_id": "1", "request": request})
        self.until(lambda line: b"control_response" in line)

    def prompt(self, text: str) -> tuple[float, float]:
        """Seconds to the first piece of text, and to the result."""
        began = perf_counter()
        blocks = [{"type": "text", "text": text}]
        message = {"role": "user", "content": blocks}
        self.send({"type": "user", "message": message, "parent_tool_use_id": None})
        self.until(lambda line: b"text_delta" in line)
        first = perf_counter() - began
        self.until(lambda line: b'"type":"result"' in line)
        return first, perf_counter() - began


HELLO = """
import asyncio, acp
from acp import schema

class Hello:
    async def initialize(self, protocol_version, **_):
        return schema.InitializeResponse(protocol_version=protocol_version)
    def on_connect(self, conn):
        pass

asyncio.run(acp.run_agent(Hello()))
"""


def hello() -> list[str]:
    """The official Python SDK's least agent."""
    return [sys.executable, "-c", HELLO]
