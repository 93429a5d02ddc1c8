"""Text, thinking and tool calls as they come: python stream.py "Explain this code" """

from __future__ import annotations

import asyncio
import sys

from anyide.headless import Claude, Result, TextDelta, ThinkingDelta, ToolUse


async def main(prompt: str) -> None:
    """Ask, and print what comes."""
    async with Claude(cwd=".", include_partial=True) as claude:
        async for event in claude.ask(prompt):
            match event:
                case ThinkingDelta(text=text):
                    print(text, end="", file=sys.stderr, flush=True)
                case TextDelta(text=text):
                    print(text, end="", flush=True)
                case ToolUse(name=name, input=given):
                    print(f"\n[{name} {given}]")
                case Result(num_turns=steps):
                    print(f"\n({steps} steps)")


asyncio.run(main(sys.argv[1]))
