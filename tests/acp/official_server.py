"""An MCP server made with the official SDK, of the newest protocol: adds, asks by a form.

python -m tests.acp.official_server stdio
python -m tests.acp.official_server http     prints the address, then serves; also `sse`
"""

from __future__ import annotations

import socket
import sys
from typing import Annotated

import uvicorn
from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

server = MCPServer("official", log_level="ERROR")


class Booking(BaseModel):
    """What the form asks for."""

    name: str = Field(description="Who comes?", min_length=1)
    guests: int = Field(default=2, ge=1)


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def token(ctx: Context) -> str:
    """The header that the client sends."""
    request = ctx.request_context.request
    return "none" if request is None else str(request.headers.get("x-token"))


def ask() -> Elicit[Booking]:
    """What the person is asked before the tool runs."""
    return Elicit("A table?", Booking)


@server.tool()
def book(answer: Annotated[ElicitationResult[Booking], Resolve(ask)]) -> str:
    """Ask the person by a form."""
    if answer.action != "accept":
        return f"it was {answer.action}"
    return f"{answer.data.guests} for {answer.data.name}"


def serve(kind: str) -> None:
    app = server.sse_app() if kind == "sse" else server.streamable_http_app()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        path = "sse" if kind == "sse" else "mcp"
        print(f"http://127.0.0.1:{listening.getsockname()[1]}/{path}", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        serve(sys.argv[1])
