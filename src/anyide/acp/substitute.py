"""Tools of the client in the place of built-in ones, with the person's rules for those.

The CLI hands the calls of an aliased built-in to us (`toolAliases`). The model sees no difference.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from anyide.acp.buffer import Buffers, Refused
from anyide.acp.client import Client
from anyide.acp.messages import SessionUpdate
from anyide.acp.rule import Place, Verdict, decide, rules_of
from anyide.acp.setup import AgentOptions, Setup
from anyide.acp.shell import Shell
from anyide.acp.translate import Translator
from anyide.headless.session import Claude
from anyide.headless.tool_function import Tool, tool
from anyide.headless.toolbox import NAME

Json = dict[str, Any]


class Substitutes:
    """What the client does instead of the CLI, in one session."""

    def __init__(
        self,
        client: Client,
        ours: AgentOptions,
        wanted: Setup,
        *,
        running: Callable[[], Awaitable[Claude]],
        translator: Translator,
        tell: Callable[[Iterable[SessionUpdate]], None],
    ) -> None:
        self._setup = wanted
        self._running = running
        self._translator = translator
        self._tell = tell
        self.buffers: Buffers | None = None
        self._shell: Shell | None = None
        self._functions: dict[str, Callable[..., Any]] = {}
        self.aliases: dict[str, str] = {}
        if client.abilities.files and ours.client_files:
            buffers = self.buffers = Buffers(client, wanted.session_id, self._check)
            self._stand_for({"Read": buffers.read, "Edit": buffers.edit, "Write": buffers.write})
        if client.abilities.terminal and ours.client_terminal:
            shell = self._shell = Shell(
                client, wanted.session_id, wanted.cwd, check=self._check, embed=self._embed
            )
            self._stand_for({"Bash": shell.bash})
            self._functions["terminal_output"] = shell.terminal_output
            self._functions["terminal_kill"] = shell.terminal_kill

    @property
    def tools(self) -> list[Tool]:
        """The tools, for the CLI."""
        return [tool(name=name)(function) for name, function in self._functions.items()]

    @property
    def allowed(self) -> list[str]:
        """Those that need no question: they only look after what was allowed before."""
        names = [name for name in self._functions if name.startswith("terminal_")]
        return [f"mcp__{NAME}__{name}" for name in names]

    def builtin(self, name: str) -> str:
        """The built-in tool that a tool of ours stands for, or the name as it is."""
        return next((known for known, ours in self.aliases.items() if ours == name), name)

    async def verdict(self, builtin: str, given: Json) -> Verdict:
        """What the person's rules and the mode say about a call."""
        claude = await self._running()
        rules = rules_of(await claude.list_permission_rules())
        path = str(given.get("file_path") or "")
        return decide(
            builtin,
            given,
            rules,
            mode=self._translator.choices.mode,
            place=_place(self._setup, claude.options.env.get("HOME")),
            paths=_names(path, self._setup.cwd) if path else (),
        )

    async def interrupt(self) -> None:
        """End what runs in the foreground: the CLI does not tell us that a call is over."""
        if self._shell is not None:
            await self._shell.interrupt()

    async def close(self) -> None:
        """End what still runs."""
        if self._shell is not None:
            await self._shell.close()

    async def _check(self, builtin: str, given: Json) -> None:
        """A rule that denies holds also where the CLI did not ask."""
        if await self.verdict(builtin, given) == "deny":
            raise Refused(f"Permission to use {builtin} has been denied by a rule.")

    def _stand_for(self, functions: dict[str, Callable[..., Any]]) -> None:
        for builtin, function in functions.items():
            name = builtin.lower()
            self._functions[name] = function
            self.aliases[builtin] = f"mcp__{NAME}__{name}"

    def _embed(self, command: str, terminal: str) -> None:
        calls = self._translator.calls
        identity = calls.find("Bash", "command", command)
        if identity:
            self._tell(calls.embed(identity, terminal))


def _place(setup: Setup, home: str | None) -> Place:
    folders = tuple(os.path.realpath(folder) for folder in setup.folders)
    return Place(os.path.realpath(setup.cwd), home or str(Path.home()), folders)


def _names(path: str, cwd: str) -> tuple[str, ...]:
    """A file by its name and by the name without links, both from the real folder."""
    real = os.path.realpath(path)
    given = os.path.abspath(path)  # noqa: PTH100 - links must stay
    inside = given.removeprefix(os.path.abspath(cwd).rstrip("/") + "/")  # noqa: PTH100
    given = os.path.join(os.path.realpath(cwd), inside) if inside != given else given  # noqa: PTH118
    return (given, real) if given != real else (real,)
