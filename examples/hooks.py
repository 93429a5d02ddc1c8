"""Look at every tool call before it happens: python hooks.py "Clean up" """

from __future__ import annotations

import asyncio
import sys
from typing import Any

from anyide.headless import Claude, Hook
from anyide.headless.control import HookCallback
from anyide.headless.hook import deny_tool


def no_removal(hook: HookCallback) -> dict[str, Any] | None:
    """Stop commands that remove files."""
    command = hook.input["tool_input"].get("command", "")
    return deny_tool("Nothing is removed here.") if "rm " in command else None


async def main(prompt: str) -> None:
    """Ask, and print what comes."""
    async with Claude(hooks={"PreToolUse": Hook(no_removal, "Bash")}) as claude:
        print((await claude.ask(prompt)).text)


asyncio.run(main(sys.argv[1]))
