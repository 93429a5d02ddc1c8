"""Stop a turn after its first words, then go on: python interrupt.py "Tell a long story" """

from __future__ import annotations

import asyncio
import sys

from anyide.headless import Claude, TextDelta


async def main(prompt: str) -> None:
    """Ask, and print what comes."""
    async with Claude(include_partial=True) as claude:
        turn = claude.ask(prompt)
        async for event in turn:
            if isinstance(event, TextDelta):
                await claude.interrupt()
                break
        reply = await turn
        print("interrupted" if reply.interrupted else "too late")
        print((await claude.ask("Where were we?")).text)


asyncio.run(main(sys.argv[1]))
