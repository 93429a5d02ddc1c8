"""Tools of the client in the place of built-in ones, with the person's rules for those.

The CLI hands the calls of an aliased built-in to us (`toolAliases`). The model sees no difference.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from anyide.acp import notebook
from anyide.acp.buffer import Buffers, full_path
from anyide.acp.check import Refused, denial
from anyide.acp.client import Client
from anyide.acp.disk import old_text
from anyide.acp.files import Files
from anyide.acp.messages import SessionUpdate
from anyide.acp.rule import Place, Verdict, decide, rules_of, words
from anyide.acp.setup import AgentOptions, Setup
from anyide.acp.shell import Shell
from anyide.acp.translate import Translator
from anyide.errors import AnyideError, ControlFailed
from anyide.headless.session import Claude
from anyide.headless.tool_function import Tool, tool
from anyide.headless.toolbox import NAME

Json = dict[str, Any]

MAX_RESULT = 500_000
"""The most that the CLI lets a tool have."""


class Substitutes:
    """What the client does instead of the CLI, in one session."""

    def __init__(
        self,
        client: Client,
        ours: AgentOptions,
        wanted: Setup,
        *,
        running: Callable[[], Awaitable[Claude]],
        note: Callable[[str], None],
        translator: Translator,
        tell: Callable[[Iterable[SessionUpdate]], None],
    ) -> None:
        self._setup = wanted
        self._running = running
        self._translator = translator
        self._tell = tell
        self._files = Files(client, wanted.session_id, (wanted.cwd, *wanted.folders))
        self._buffers = Buffers(self._files, wanted.cwd, self._check)
        self._shell = Shell(
            client, wanted.session_id, wanted.cwd, check=self._check, embed=self._embed, note=note
        )
        self._functions: dict[str, Callable[..., Any]] = {}
        if client.abilities.files and ours.client_files:
            self._functions |= {
                "Read": self._buffers.read,
                "Edit": self._buffers.edit,
                "Write": self._buffers.write,
                "NotebookEdit": self._buffers.notebook_edit,
            }
        if client.abilities.terminal and ours.client_terminal:
            self._functions["Bash"] = self._shell.bash

    # For the CLI.

    @property
    def aliases(self) -> dict[str, str]:
        """The tool of ours for each built-in that has one."""
        return {builtin: _full_name(builtin) for builtin in self._functions}

    @property
    def tools(self) -> list[Tool]:
        """The tools, for the CLI."""
        functions = {builtin.lower(): function for builtin, function in self._functions.items()}
        if "Bash" in self._functions:
            functions["terminal_output"] = self._shell.terminal_output
            functions["terminal_kill"] = self._shell.terminal_kill
        # What they answer has its own limits; the CLI's are too low for the text of a file.
        return [tool(name=n, max_result=MAX_RESULT)(made) for n, made in functions.items()]

    @property
    def allowed(self) -> list[str]:
        """Those that need no question: they only look after what was allowed before."""
        if "Bash" not in self._functions:
            return []
        return [_full_name("terminal_output"), _full_name("terminal_kill")]

    def builtin(self, name: str) -> str:
        """The built-in tool that a tool of ours stands for, or the name as it is."""
        return next((known for known, ours in self.aliases.items() if ours == name), name)

    async def make_room(self, claude: Claude) -> bool:
        """Leave to the CLI what only its own tools can do as the person set it.

        True when something was left: the CLI must then start again.
        """
        if not self._functions:
            return False
        left: set[str] = set()
        try:
            settings = (await claude.request("get_settings")).get("effective") or {}
        except ControlFailed:  # an older CLI, that knows no settings and perhaps no aliases
            settings, left = {}, set(self._functions)
        self._shell.env = {str(k): str(v) for k, v in (settings.get("env") or {}).items()}
        if (settings.get("sandbox") or {}).get("enabled"):  # a terminal of the client has none
            left = {"Bash"} & self._functions.keys()
        if self._translator.choices.mode == "dontAsk":  # there the CLI denies all tools of ours
            left = set(self._functions)
        for builtin in left:
            del self._functions[builtin]
        return bool(left)

    # The person's rules.

    async def verdict(self, builtin: str, given: Json) -> Verdict:
        """What the person's rules and the mode say about a call."""
        claude = await self._running()
        rules = rules_of(await claude.list_permission_rules())
        return decide(
            builtin,
            given,
            rules,
            mode=self._translator.choices.mode,
            place=_place(self._setup, claude.options.env.get("HOME")),
            paths=[name for file in _files(given) for name in _names(file, self._setup.cwd)],
        )

    async def _check(self, builtin: str, given: Json) -> None:
        """A rule that denies holds also where the CLI did not ask."""
        if await self.verdict(builtin, given) == "deny":
            raise Refused(denial(builtin))

    # The calls.

    async def text_before(self, builtin: str, given: Json) -> str | None:
        """The text that a change starts from: the file's, or of a notebook the cell's."""
        (file,) = _files(given)
        if builtin not in self._functions:
            return old_text(file, given)
        try:
            text = await self._files.read(full_path(file, self._setup.cwd))
        except AnyideError:  # the change itself will tell why
            return None
        return None if text is None else notebook.before(text, given)

    async def interrupt(self) -> None:
        """End what runs in the foreground: the CLI does not tell us that a call is over."""
        await self._shell.interrupt()

    async def close(self) -> None:
        """End what still runs."""
        await self._shell.close()

    def _embed(self, call_id: str, terminal: str) -> None:
        self._tell(self._translator.calls.embed(call_id, terminal))


def _full_name(name: str) -> str:
    return f"mcp__{NAME}__{name.lower()}"


def _files(given: Json) -> list[str]:
    """The files that a call is about, or may be about."""
    path = given.get("file_path") or given.get("notebook_path")
    if path:
        return [str(path)]
    return words(str(given.get("command") or "")) or []


def _place(setup: Setup, home: str | None) -> Place:
    folders = tuple(_posix(os.path.realpath(folder)) for folder in setup.folders)
    return Place(_posix(os.path.realpath(setup.cwd)), _posix(home or str(Path.home())), folders)


def _names(path: str, cwd: str) -> list[str]:
    """A file by its name and by the name without links, both from the real folder."""
    given, folder = full_path(path, cwd), os.path.normpath(cwd).rstrip(os.sep)
    if given.startswith(folder + os.sep):
        given = os.path.realpath(cwd).rstrip(os.sep) + given.removeprefix(folder)
    return [_posix(name) for name in dict.fromkeys((given, os.path.realpath(given)))]


def _posix(path: str) -> str:
    """As rules spell it: on Windows C:\\x is /c/x."""
    drive, rest = os.path.splitdrive(path)
    return f"/{drive[0].lower()}{rest}".replace(os.sep, "/") if drive else path
