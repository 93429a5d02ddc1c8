"""Go on with a session, and in a copy of it: python resume.py "Remember the word elephant" """

from __future__ import annotations

import asyncio
import sys

from anyide.headless import Claude
from anyide.headless.transcript import list_sessions


async def main(prompt: str) -> None:
    """Ask, and print what comes."""
    async with Claude() as claude:
        await claude.ask(prompt)
        session = claude.session_id
    async with Claude(resume=session, fork=True) as claude:
        print((await claude.ask("Which word was it?")).text)
    print(len(list_sessions(".")), "sessions here")


asyncio.run(main(sys.argv[1]))
