"""Bash by way of the client's terminals: the person sees the output while the command runs."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping

from msgspec import UNSET

from anyide.acp.check import Check, Refused
from anyide.acp.client import Client
from anyide.acp.messages import (
    CreateTerminalRequest,
    EnvVariable,
    TerminalOutputResponse,
    WaitForTerminalExitResponse,
)
from anyide.errors import AnyideError
from anyide.headless.toolbox import call_id

TIMEOUT_MS, MAX_TIMEOUT_MS = 120_000, 600_000
MAX_OUTPUT = 30_000
OUTPUT_BYTES = 256 * 1024

Note = Callable[[str], None]
"""Tells the model something between its turns."""
Embed = Callable[[str, str], None]
"""Shows a terminal in a call: (id of the call, id of the terminal)."""


class Shell:
    """The terminals of one session; each method is a tool."""

    def __init__(
        self,
        client: Client,
        session_id: str,
        cwd: str,
        *,
        check: Check,
        embed: Embed,
        note: Note,
    ) -> None:
        self._client = client
        self._note = note
        self._session_id = session_id
        self._cwd = cwd
        self._check = check
        self._embed = embed
        self._behind: dict[str, asyncio.Task[None]] = {}
        self._in_front: set[str] = set()
        self.env: Mapping[str, str] = {}
        """What the person's settings add to the environment of commands."""

    async def bash(
        self,
        command: str,
        timeout: float | None = None,
        description: str | None = None,
        run_in_background: bool = False,
        dangerouslyDisableSandbox: bool | None = None,  # noqa: N803 - the built-in's own name
    ) -> str:
        """Run a command."""
        await self._check("Bash", {"command": command})
        terminal = await self._client.create_terminal(self._request(command))
        self._embed(call_id.get(), terminal)
        if run_in_background:
            watch = self._watch(terminal, command)
            self._behind[terminal] = asyncio.get_running_loop().create_task(watch)
            return (
                f"The command runs in the background, in the terminal {terminal}. You will be told"
                " when it ends. Its output is told by the tool terminal_output; terminal_kill ends"
                " it."
            )
        return await self._foreground(terminal, min(timeout or TIMEOUT_MS, MAX_TIMEOUT_MS))

    async def terminal_output(self, terminal_id: str) -> str:
        """Tell what a command that runs in the background has printed so far."""
        self._know(terminal_id)
        output = await self._client.terminal_output(self._session_id, terminal_id)
        ended = output.exit_status not in (UNSET, None)
        return f"{'It has ended.' if ended else 'It still runs.'}\n{_cut(output.output)}"

    async def terminal_kill(self, terminal_id: str) -> str:
        """End a command that runs in the background."""
        self._know(terminal_id)
        self._behind.pop(terminal_id).cancel()
        await self._client.kill_terminal(self._session_id, terminal_id)
        await self._client.release_terminal(self._session_id, terminal_id)
        return "It was ended."

    async def interrupt(self) -> None:
        """End the commands in the foreground."""
        for terminal in list(self._in_front):
            with contextlib.suppress(AnyideError):
                await self._client.kill_terminal(self._session_id, terminal)

    async def close(self) -> None:
        """End everything that still runs."""
        await self.interrupt()
        for terminal in list(self._behind):
            with contextlib.suppress(AnyideError):
                await self.terminal_kill(terminal)

    async def _watch(self, terminal: str, command: str) -> None:
        """Tell the model of the end of a command in the background."""
        with contextlib.suppress(AnyideError):  # the client is gone, or its terminal
            ended = await self._client.wait_for_exit(self._session_id, terminal)
            how = f"signal {ended.signal}" if ended.signal else f"exit code {ended.exit_code}"
            self._note(
                f"<task-notification>The command in the background has ended with {how}, in the"
                f" terminal {terminal}: {command}</task-notification>"
            )

    def _request(self, command: str) -> CreateTerminalRequest:
        program, words = _shell()
        return CreateTerminalRequest(
            session_id=self._session_id,
            command=program,
            args=[*words, command],
            cwd=self._cwd,
            env=[EnvVariable(name=n, value=v) for n, v in {**self.env, "CLAUDECODE": "1"}.items()],
            output_byte_limit=OUTPUT_BYTES,
        )

    async def _foreground(self, terminal: str, timeout_ms: float) -> str:
        self._in_front.add(terminal)
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                ended = await self._client.wait_for_exit(self._session_id, terminal)
        except TimeoutError:
            await self._client.kill_terminal(self._session_id, terminal)
            output = await self._client.terminal_output(self._session_id, terminal)
            raise Refused(
                f"Command timed out after {timeout_ms / 1000:g}s\n{_cut(output.output)}"
            ) from None
        except asyncio.CancelledError:
            with contextlib.suppress(AnyideError):
                await self._client.kill_terminal(self._session_id, terminal)
            raise
        else:
            output = await self._client.terminal_output(self._session_id, terminal)
            return _told(ended, output)
        finally:
            self._in_front.discard(terminal)
            with contextlib.suppress(AnyideError):
                await self._client.release_terminal(self._session_id, terminal)

    def _know(self, terminal: str) -> None:
        if terminal not in self._behind:
            raise Refused(f"No command runs in the terminal {terminal!r}.")


def _told(ended: WaitForTerminalExitResponse, output: TerminalOutputResponse) -> str:
    text = _cut(output.output)
    if isinstance(ended.signal, str) and ended.signal:
        raise Refused(f"The command was ended by {ended.signal}\n{text}")
    if isinstance(ended.exit_code, int) and ended.exit_code != 0:
        raise Refused(f"Exit code {ended.exit_code}\n{text}")
    return text or "(No output)"


def _cut(text: str) -> str:
    if len(text) <= MAX_OUTPUT:
        return text.rstrip("\n")
    left_out = len(text) - MAX_OUTPUT
    half = MAX_OUTPUT // 2
    return f"{text[:half]}\n… {left_out} characters left out …\n{text[-half:]}"


def _shell() -> tuple[str, list[str]]:
    """By name, not by path: the client finds it where it runs."""
    import shutil  # noqa: PLC0415 - slow to import

    if shutil.which("bash") is not None:
        return "bash", ["-c"]
    return ("powershell", ["-NoProfile", "-Command"]) if os.name == "nt" else ("sh", ["-c"])
