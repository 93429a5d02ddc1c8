"""Our control requests: ids, who waits for which answer, and each request as a method."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from anyide.errors import AnyideError, ControlFailed, RequestTimeout
from anyide.headless.control import Answer, Ask

TIMEOUT_SECONDS = 60.0

Json = dict[str, Any]


class Outbound:
    """Sends requests through `send` and pairs them with their answers."""

    def __init__(self, send: Callable[[Ask], None]) -> None:
        self._send = send
        self._count = 0
        self._waiting: dict[str, tuple[str, asyncio.Future[Json]]] = {}
        self._error: AnyideError | None = None

    def begin(self, subtype: str, fields: Mapping[str, Any]) -> asyncio.Future[Json]:
        """Send a request; its future gets the answer. Raises TypeError for what is no JSON."""
        if self._error is not None:
            raise self._error
        self._count += 1
        request_id = f"anyide-{self._count}"
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = (subtype, future)
        future.add_done_callback(lambda _: self._waiting.pop(request_id, None))
        try:
            self._send(Ask(request_id=request_id, request={"subtype": subtype, **fields}))
        except BaseException:  # what is no JSON was not asked
            self._waiting.pop(request_id, None)
            raise
        return future

    def answered(self, answer: Answer) -> None:
        """An answer came; one that nobody waits for is an echo of our own."""
        subtype, future = self._waiting.get(answer.request_id, ("", None))
        if future is None or future.done():
            return
        if answer.subtype == "success":
            future.set_result(answer.response if isinstance(answer.response, dict) else {})
        else:
            problem = answer.error or "no reason given"
            future.set_exception(ControlFailed(subtype, problem, code=answer.error_code))

    def fail(self, error: AnyideError) -> None:
        """Nobody will answer any more."""
        self._error = error
        for _, future in list(self._waiting.values()):
            if not future.done():
                future.set_exception(error)
                future.exception()


class Controls:
    """The public control requests; each returns the CLI's answer as JSON.

    They raise ControlFailed when the CLI refuses, RequestTimeout when it does not answer,
    ClaudeExited when it has ended.
    """

    _outbound: Outbound

    async def request(
        self, subtype: str, *, timeout: float | None = TIMEOUT_SECONDS, **fields: Any
    ) -> Json:
        """Any control request, also one that we do not know; fields that are None are left out."""
        given = {name: value for name, value in fields.items() if value is not None}
        return await self._exchange(subtype, given, timeout=timeout)

    async def _exchange(
        self, subtype: str, fields: Json, *, timeout: float | None = TIMEOUT_SECONDS
    ) -> Json:
        future = self._outbound.begin(subtype, fields)
        try:
            async with asyncio.timeout(timeout):
                return await future
        except TimeoutError:
            raise RequestTimeout(subtype, timeout or 0.0) from None

    async def interrupt(
        self, *, reason: str | None = None, cancel_queued: bool | None = None
    ) -> Json:
        """Stop the turn that runs; it ends with `reply.interrupted`."""
        return await self.request("interrupt", reason=reason, cancel_queued=cancel_queued)

    async def set_model(self, model: str | None = None) -> Json:
        """Use this model from the next turn on; None for the default."""
        return await self._exchange("set_model", {"model": model})

    async def set_permission_mode(self, mode: str) -> Json:
        """Switch to default, acceptEdits, plan, dontAsk, auto or bypassPermissions."""
        return await self.request("set_permission_mode", mode=mode)

    async def set_max_thinking_tokens(
        self, tokens: int | None, *, display: str | None = None
    ) -> Json:
        """Let the model think this much; None for the default."""
        shown = {} if display is None else {"thinking_display": display}
        fields = {"max_thinking_tokens": tokens, **shown}
        return await self._exchange("set_max_thinking_tokens", fields)

    async def rename_session(self, title: str) -> Json:
        """Give the session a title."""
        return await self.request("rename_session", title=title)

    async def set_color(self, color: str) -> Json:
        """Give the session a colour; the CLI refuses it over stdio."""
        return await self.request("set_color", color=color)

    async def get_context_usage(self, *, detail: str | None = None) -> Json:
        """What fills the context window."""
        return await self.request("get_context_usage", detail=detail)

    async def get_session_cost(self) -> str:
        """What the session has cost, as the CLI tells it."""
        return str((await self.request("get_session_cost")).get("text", ""))

    async def get_usage(self) -> Json:
        """Cost, tokens, and how much of the plan's limits is used."""
        return await self.request("get_usage")

    async def list_models(self) -> list[Json]:
        """The models that can be chosen."""
        return list((await self.request("list_models")).get("models") or [])

    async def get_binary_version(self) -> str:
        """The version of the CLI."""
        return str((await self.request("get_binary_version")).get("version", ""))

    async def get_settings(self) -> Json:
        """The settings in force, and where each comes from."""
        return await self.request("get_settings")

    async def apply_flag_settings(self, settings: Mapping[str, Any]) -> Json:
        """Change settings for this session."""
        return await self.request("apply_flag_settings", settings=dict(settings))

    async def update_settings(self, source: str, settings: Mapping[str, Any]) -> Json:
        """Write settings to the user's (userSettings) or the project's (localSettings) file."""
        return await self.request("update_settings", source=source, settings=dict(settings))

    async def list_permission_rules(self) -> Json:
        """The permission rules in force."""
        return await self.request("list_permission_rules")

    async def get_hooks_listing(self) -> Json:
        """The hooks in force."""
        return await self.request("get_hooks_listing")

    async def mcp_status(self) -> list[Json]:
        """The MCP servers and whether they are connected."""
        return list((await self.request("mcp_status")).get("mcpServers") or [])

    async def mcp_set_servers(self, servers: Mapping[str, Mapping[str, Any]]) -> Json:
        """Replace the MCP servers that were added in this session."""
        return await self.request("mcp_set_servers", servers=dict(servers))

    async def mcp_reconnect(self, server: str) -> Json:
        """Connect an MCP server again."""
        return await self.request("mcp_reconnect", serverName=server)

    async def mcp_toggle(self, server: str, *, enabled: bool) -> Json:
        """Switch an MCP server on or off."""
        return await self.request("mcp_toggle", serverName=server, enabled=enabled)

    async def mcp_call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Json:
        """Call a tool of an MCP server, past the model."""
        return await self.request("mcp_call", tool=tool, arguments=dict(arguments or {}))

    async def mcp_read_resource(self, server: str, uri: str) -> Json:
        """Read a resource of an MCP server."""
        return await self.request("mcp_read_resource", serverName=server, uri=uri)

    async def rewind_files(self, user_message_id: str, *, dry_run: bool = False) -> Json:
        """Put files back to what they were at a prompt; needs `checkpoints`."""
        return await self.request(
            "rewind_files", user_message_id=user_message_id, dry_run=dry_run or None
        )

    async def read_file(self, path: str, *, max_bytes: int | None = None) -> Json:
        """Read a file as the session sees it."""
        return await self.request("read_file", path=path, max_bytes=max_bytes)

    async def file_suggestions(self, query: str) -> list[Json]:
        """Files whose names begin like this."""
        return list((await self.request("file_suggestions", query=query)).get("suggestions") or [])

    async def seed_read_state(self, path: str, mtime: float) -> Json:
        """Tell the CLI that the model has seen a file as it was then."""
        return await self.request("seed_read_state", path=path, mtime=mtime)

    async def cancel_message(self, uuid: str) -> bool:
        """Take back a prompt that is still queued."""
        answer = await self.request("cancel_async_message", message_uuid=uuid)
        return bool(answer.get("cancelled"))

    async def register_repo_root(self, directory: str, **reload: bool) -> Json:
        """Add a folder to work in."""
        return await self.request("register_repo_root", directory=directory, **reload)

    async def reload_plugins(self) -> Json:
        """Read the plugins again."""
        return await self.request("reload_plugins")

    async def reload_skills(self) -> Json:
        """Read the skills again."""
        return await self.request("reload_skills")

    async def reload_output_styles(self) -> Json:
        """Read the output styles again."""
        return await self.request("reload_output_styles")

    async def set_has_subscribers(self, has_subscribers: bool | None) -> Json:
        """Tell the CLI whether anybody watches, so that it may hold deltas back."""
        return await self._exchange("set_has_subscribers", {"has_subscribers": has_subscribers})

    async def stop_task(self, task_id: str) -> Json:
        """End a background task."""
        return await self.request("stop_task", task_id=task_id)

    async def background_tasks(self, tool_use_id: str | None = None) -> Json:
        """Let what runs go on in the background."""
        return await self.request("background_tasks", tool_use_id=tool_use_id)

    async def get_task_output(self, task_id: str) -> Json:
        """The end of what a background task printed."""
        return await self.request("get_task_output", task_id=task_id)
