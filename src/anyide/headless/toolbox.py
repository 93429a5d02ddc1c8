"""The tools of this process as an MCP server, spoken to through control messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any

import msgspec

from anyide import __version__
from anyide.headless.tool_function import Tool, tool
from anyide.rpc.message import ErrorCode

NAME = "anyide"
PROTOCOL_VERSION = "2025-06-18"

Json = dict[str, Any]

call_id: ContextVar[str] = ContextVar("call_id", default="")
"""Inside a tool: the id of the model's call that it answers, as the messages name it."""
_CALL_ID = "claudecode/toolUseId"


class Toolbox:
    """Answers the JSON-RPC messages that the CLI sends to a server in this process."""

    def __init__(self, tools: Iterable[Tool | Callable[..., Any]], *, name: str = NAME) -> None:
        made = [given if isinstance(given, Tool) else tool(given) for given in tools]
        self.name = name
        self.tools = {each.name: each for each in made}

    @property
    def allowed(self) -> list[str]:
        """The names by which the model calls the tools."""
        return [f"mcp__{self.name}__{name}" for name in self.tools]

    async def answer(self, message: Json) -> Json | None:
        """The answer to one message; None for a notification."""
        if "id" not in message:
            return None
        found = await self._result(message.get("method"), message.get("params") or {})
        return {"jsonrpc": "2.0", "id": message["id"], **found}

    async def _result(self, method: Any, params: Json) -> Json:
        match method:
            case "tools/call":
                return await self._call(params)
            case "tools/list":
                return {"result": {"tools": [each.declaration for each in self.tools.values()]}}
            case "initialize":
                return {"result": self._initialize(params)}
            case "ping":
                return {"result": {}}
            case _:
                return _error(ErrorCode.METHOD_NOT_FOUND, f"no method {method!r}")

    def _initialize(self, params: Json) -> Json:
        return {
            "protocolVersion": params.get("protocolVersion") or PROTOCOL_VERSION,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": self.name, "version": __version__},
        }

    async def _call(self, params: Json) -> Json:
        name = params.get("name")
        wanted = self.tools.get(name) if isinstance(name, str) else None
        if wanted is None:
            return _error(ErrorCode.INVALID_PARAMS, f"no tool {name!r}")
        meta = params.get("_meta")
        call_id.set(str(meta.get(_CALL_ID) or "") if isinstance(meta, dict) else "")
        try:
            return {"result": {"content": await wanted.call(params.get("arguments") or {})}}
        except msgspec.ValidationError as error:
            return _failed(f"Wrong arguments: {error}")
        except Exception as error:  # noqa: BLE001 - whatever a tool raises, the model is told
            return _failed(f"{type(error).__name__}: {error}")


def _failed(text: str) -> Json:
    return {"result": {"content": [{"type": "text", "text": text}], "isError": True}}


def _error(code: int, message: str) -> Json:
    return {"error": {"code": int(code), "message": message}}
