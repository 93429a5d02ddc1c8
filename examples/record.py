"""Record a session and replay it without the CLI, for tests: python record.py "Say hello" """

from __future__ import annotations

import asyncio
import sys

from anyide.headless import Claude, replay

FILE = "session.jsonl"


async def main(prompt: str) -> None:
    """Ask, and print what comes."""
    async with Claude(record=FILE) as claude:
        live = await claude.ask(prompt)
    async with Claude(connect=replay(FILE)) as claude:
        again = await claude.ask(prompt)
    print(live.text)
    print("the same" if live.text == again.text else "different")


asyncio.run(main(sys.argv[1]))
