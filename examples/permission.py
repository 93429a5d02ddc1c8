"""Ask before each tool, change what it gets, or say no: python permission.py "Write a poem" """

from __future__ import annotations

import asyncio
import sys

from anyide.headless import Allow, Claude, Deny, PermissionRequest


async def decide(request: PermissionRequest) -> Allow | Deny:
    """Let Write run with a header, and nothing else."""
    if request.tool_name == "Write":
        text = "# Written by Claude\n" + request.input["content"]
        return Allow(input={**request.input, "content": text})
    return Deny(message=f"{request.tool_name} is not for today.")


async def main(prompt: str) -> None:
    """Ask, and print what comes."""
    async with Claude(permission=decide) as claude:
        reply = await claude.ask(prompt)
    for call in reply.tools:
        print(call.name, "failed" if call.is_error else "ran")
    print(reply.text)


asyncio.run(main(sys.argv[1]))
