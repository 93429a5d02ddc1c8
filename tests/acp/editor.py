"""An editor made of the official Python client: files, terminals, a person who answers.

Everything that the agent sends is checked against the protocol's schema, and by the client's own
strict models.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import acp
from acp import schema as s

from tests.acp.schema import check_sent

PATIENCE = 20.0
Json = dict[str, Any]
Choose = Callable[[Json], Awaitable[str | None] | str | None]
Fill = Callable[[Json], Awaitable[Json | None] | Json | None]


class Editor:
    """The client's side of a conversation; `wire` is what the agent sent, in order."""

    def __init__(self) -> None:
        self.wire: list[Json] = []
        self.asked: dict[Any, str] = {}
        self.faults: list[BaseException] = []
        self.buffers: dict[str, str] = {}
        self.written: list[str] = []
        self.terminals: dict[str, Terminal] = {}
        self.knows: Callable[[str], bool] = lambda path: True
        self.choose: Choose = lambda request: "allow_once"
        self.fill: Fill = lambda form: {}
        self.process: asyncio.subprocess.Process
        self.agent: acp.core.ClientSideConnection
        self._changed = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []

    # From the beginning to the end.

    async def start(self, command: list[str], env: Mapping[str, str], cwd: Path) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *command,
            env=dict(env),
            cwd=cwd,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=64 * 1024 * 1024,
        )
        assert self.process.stdin is not None
        reader = asyncio.StreamReader(limit=64 * 1024 * 1024)
        loop = asyncio.get_running_loop()
        protocol = self.process.stdin._protocol  # type: ignore[attr-defined]
        writer = _Tap(self.process.stdin.transport, protocol, None, loop)
        writer.asked = self.asked
        self._tasks = [loop.create_task(self._listen(reader)), loop.create_task(self._complain())]
        self.agent = acp.connect_to_agent(self, writer, reader, use_unstable_protocol=True)

    async def initialize(self, **capabilities: Any) -> s.InitializeResponse:
        declared = s.ClientCapabilities.model_validate(capabilities)
        return await self.agent.initialize(1, declared, s.Implementation(name="t", version="1"))

    async def stop(self) -> None:
        try:
            assert self.process.stdin is not None
            self.process.stdin.close()
            async with asyncio.timeout(PATIENCE):
                await self.process.wait()
                await asyncio.gather(*self._tasks)
            await self.agent.close()
        finally:
            if self.process.returncode is None:
                self.process.kill()
                await self.process.wait()
            for terminal in self.terminals.values():
                await terminal.kill()
        if self.faults:
            raise self.faults[0]

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            message = json.loads(line)
            try:
                check_sent(message, self.asked)
            except (AssertionError, KeyError) as fault:
                self.faults.append(fault)
            self.wire.append(message)
            reader.feed_data(line)
            async with self._changed:
                self._changed.notify_all()
        reader.feed_eof()

    async def _complain(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            if b"Traceback" in line:
                rest = await self.process.stderr.read()
                self.faults.append(AssertionError((line + rest).decode()))

    # What the tests ask for.

    async def open(self, cwd: Path, **fields: Any) -> str:
        return (await self.agent.new_session(cwd=str(cwd), **fields)).session_id

    async def prompt(self, session: str, *blocks: Any) -> str:
        content = [acp.text_block(b) if isinstance(b, str) else b for b in blocks]
        async with asyncio.timeout(PATIENCE):
            return (await self.agent.prompt(prompt=content, session_id=session)).stop_reason

    async def request(self, method: str, params: Json) -> Any:
        """A request that the official client has no method for."""
        async with asyncio.timeout(PATIENCE):
            return await self.agent._conn.send_request(method, params)

    def notify_raw(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def updates(self, kind: str = "", session: str = "") -> list[Json]:
        found = [m["params"] for m in self.wire if m.get("method") == "session/update"]
        return [
            p["update"]
            for p in found
            if (not session or p["sessionId"] == session)
            and (not kind or p["update"]["sessionUpdate"] == kind)
        ]

    def text(self, kind: str = "agent_message_chunk", session: str = "") -> str:
        return "".join(u["content"]["text"] for u in self.updates(kind, session))

    def calls(self, session: str = "") -> dict[str, Json]:
        """The calls of tools, each as the client sees it after all updates."""
        found: dict[str, Json] = {}
        for update in self.updates(session=session):
            if update["sessionUpdate"] in ("tool_call", "tool_call_update"):
                call = found.setdefault(update["toolCallId"], {"statuses": []})
                call.update(update)
                if "status" in update and call["statuses"][-1:] != [update["status"]]:
                    call["statuses"].append(update["status"])
        return found

    def call(self, name: str) -> Json:
        (found,) = [call for call in self.calls().values() if call.get("name") == name]
        return found

    def requests(self, method: str) -> list[Json]:
        return [m["params"] for m in self.wire if m.get("method") == method]

    async def saw(self, wanted: Callable[[], Any]) -> Any:
        """Wait until what is wanted is on the wire."""
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(wanted)
        return wanted()

    # What the agent asks for: the official client's interface.

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **_: Any
    ) -> s.RequestPermissionResponse:
        request = {"tool_call": tool_call.model_dump(by_alias=True), "session_id": session_id}
        request["options"] = [option.model_dump(by_alias=True) for option in options]
        chosen = self.choose(request)
        if isinstance(chosen, Awaitable):
            chosen = await chosen
        if chosen is None:
            return s.RequestPermissionResponse(outcome=s.DeniedOutcome(outcome="cancelled"))
        by_kind = [o.option_id for o in options if chosen in (o.kind, o.option_id)]
        outcome = s.AllowedOutcome(outcome="selected", option_id=by_kind[0])
        return s.RequestPermissionResponse(outcome=outcome)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        pass  # looked at on the wire, where the order is kept

    async def read_text_file(
        self,
        session_id: str,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **_: Any,
    ) -> s.ReadTextFileResponse:
        if not self.knows(path):
            raise acp.RequestError.invalid_params({"path": path})
        text = self.buffers.get(path)
        if text is None:
            try:
                text = Path(path).read_text()
            except OSError as error:
                raise acp.RequestError.resource_not_found(path) from error
        if line is not None or limit is not None:
            lines = text.splitlines(keepends=True)[(line or 1) - 1 :]
            text = "".join(lines[:limit] if limit is not None else lines)
        return s.ReadTextFileResponse(content=text)

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> None:
        if not self.knows(path):
            raise acp.RequestError.invalid_params({"path": path})
        self.written.append(path)
        self.buffers[path] = content

    async def create_terminal(
        self,
        session_id: str,
        command: str,
        args: list[str] | None = None,
        env: list[s.EnvVariable] | None = None,
        cwd: str | None = None,
        output_byte_limit: int | None = None,
        **_: Any,
    ) -> s.CreateTerminalResponse:
        name = f"term-{len(self.terminals) + 1}"
        variables = {variable.name: variable.value for variable in env or []}
        self.terminals[name] = await Terminal.start([command, *(args or [])], variables, cwd)
        return s.CreateTerminalResponse(terminal_id=name)

    async def terminal_output(
        self, session_id: str, terminal_id: str, **_: Any
    ) -> s.TerminalOutputResponse:
        terminal = self.terminals[terminal_id]
        code = terminal.process.returncode
        status = None if code is None else s.TerminalExitStatus(exit_code=max(code, 0))
        return s.TerminalOutputResponse(
            output=terminal.output.decode(), truncated=False, exit_status=status
        )

    async def wait_for_terminal_exit(
        self, session_id: str, terminal_id: str, **_: Any
    ) -> s.WaitForTerminalExitResponse:
        code = await self.terminals[terminal_id].wait()
        signal = f"signal {-code}" if code < 0 else None
        return s.WaitForTerminalExitResponse(exit_code=max(code, 0), signal=signal)

    async def kill_terminal(self, session_id: str, terminal_id: str, **_: Any) -> None:
        await self.terminals[terminal_id].kill()

    async def release_terminal(self, session_id: str, terminal_id: str, **_: Any) -> None:
        self.terminals[terminal_id].is_released = True

    async def create_elicitation(self, message: str, mode: Any, **_: Any) -> Any:
        filled = self.fill({"message": message, **mode.model_dump(by_alias=True)})
        if isinstance(filled, Awaitable):
            filled = await filled
        if filled is None:
            return s.DeclineElicitationResponse(action="decline")
        return s.AcceptElicitationResponse(action="accept", content=filled)

    async def complete_elicitation(self, elicitation_id: str, **_: Any) -> None:
        pass

    async def ext_method(self, method: str, params: Json) -> Json:
        raise acp.RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: Json) -> None:
        pass

    def on_connect(self, conn: Any) -> None:
        pass


class Terminal:
    """A command in a terminal of the editor."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.output = b""
        self.is_released = False
        self.printed = asyncio.Event()
        self._reading = asyncio.get_running_loop().create_task(self._read())

    @classmethod
    async def start(cls, words: list[str], env: Json, cwd: str | None) -> Terminal:
        process = await asyncio.create_subprocess_exec(
            *words,
            env={**os.environ, **env},
            cwd=cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        return cls(process)

    async def wait(self) -> int:
        await self._reading
        return await self.process.wait()

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.wait()

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while data := await self.process.stdout.read(4096):
            self.output += data
            self.printed.set()


class _Tap(asyncio.StreamWriter):
    """Notes which method each request of ours has, so that its answer can be checked."""

    asked: dict[Any, str]

    def write(self, data: bytes | bytearray | memoryview) -> None:
        for line in bytes(data).splitlines():
            message = json.loads(line)
            if "method" in message and "id" in message:
                self.asked[message["id"]] = message["method"]
        super().write(data)
