"""What a session is made of: the person's options, the client's request, and both as Claude's."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct

from anyide.acp.client import Abilities
from anyide.acp.messages import McpServer, McpServerHttp, McpServerSse, McpServerStdio
from anyide.acp.option import BYPASS, DEFAULT_EFFORT, Choices
from anyide.acp.question import ASK
from anyide.errors import InvalidParams
from anyide.headless.link import Connect
from anyide.headless.options import Options
from anyide.headless.toolbox import NAME

Json = dict[str, Any]


class AgentOptions(Struct, frozen=True, kw_only=True):
    """What was typed after `anyide acp`."""

    model: str | None = None
    permission_mode: str | None = None
    effort: str | None = None
    claude: str | Sequence[str] | None = None
    client_files: bool = True
    client_terminal: bool = True
    record: str | None = None
    """The folder to which each session is recorded."""
    env: Mapping[str, str] = {}
    connect: Connect | None = None

    @property
    def may_bypass(self) -> bool:
        """Whether permissions may be bypassed: only where the person asked for it."""
        return self.permission_mode == BYPASS


class Setup(Struct, frozen=True, kw_only=True):
    """One session, as the client wants it."""

    session_id: str
    cwd: str
    folders: tuple[str, ...] = ()
    servers: Mapping[str, Json] = {}


def setup_for(session_id: str, request: Any) -> Setup:
    """The setup of a request; raises InvalidParams for folders that are none."""
    folders = () if request.additional_directories is UNSET else request.additional_directories
    _check("cwd", request.cwd)
    for at, folder in enumerate(folders):
        _check(f"additionalDirectories[{at}]", folder)
    servers = () if request.mcp_servers is UNSET else request.mcp_servers
    return Setup(
        session_id=session_id,
        cwd=request.cwd,
        folders=tuple(folders),
        servers={server.name: _server(server) for server in map(_known, servers)},
    )


def claude_options(
    setup: Setup, ours: AgentOptions, abilities: Abilities, chosen: Choices | None
) -> Options:
    """The options of the CLI; `chosen` is what holds in a session that goes on."""
    effort = ours.effort if chosen is None else chosen.effort
    return Options(
        cwd=setup.cwd,
        cli_path=ours.claude,
        # Without it this CLI offers no list of things to do when it is not in a terminal.
        env={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1", **ours.env},
        model=chosen.model if chosen is not None else ours.model,
        permission_mode=chosen.mode if chosen is not None else ours.permission_mode,
        allow_dangerously_skip_permissions=ours.may_bypass,
        effort=None if effort == DEFAULT_EFFORT else effort,
        thinking_display="summarized",
        disallowed_tools=() if abilities.forms else (ASK,),
        mcp_servers=dict(setup.servers),
        add_dirs=setup.folders,
        include_partial=True,
    )


def _check(argument: str, folder: str) -> None:
    if not os.path.isabs(folder):  # noqa: PTH117 - a name, not yet a path
        raise InvalidParams(f"{argument}: {folder!r} is not an absolute path")
    if not os.path.isdir(folder):  # noqa: PTH112
        raise InvalidParams(f"{argument}: the folder {folder} does not exist")


def _known(server: McpServer) -> McpServerStdio | McpServerHttp | McpServerSse:
    if isinstance(server, McpServerStdio | McpServerHttp | McpServerSse):
        if server.name == NAME:  # its tools would pass for ours
            raise InvalidParams(f"mcpServers: {NAME} is the name of our own, give it another")
        return server
    raise InvalidParams("mcpServers: a server of an unknown type")


def _server(server: McpServerStdio | McpServerHttp | McpServerSse) -> Json:
    if isinstance(server, McpServerStdio):
        env = {variable.name: variable.value for variable in server.env}
        return {"type": "stdio", "command": server.command, "args": server.args, "env": env}
    headers = {header.name: header.value for header in server.headers}
    kind = "http" if isinstance(server, McpServerHttp) else "sse"
    return {"type": kind, "url": server.url, "headers": headers}
