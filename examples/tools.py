"""Python functions that the model can call: python tools.py "How warm is it in Oslo?" """

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

from anyide.headless import Claude, tool

TEMPERATURES = {"Oslo": 4, "Rome": 19}


@tool(readOnlyHint=True)
def temperature(city: Annotated[str, "the name of a city"]) -> str:
    """Tell how warm it is in a city."""
    return f"{TEMPERATURES[city]} °C in {city}"


async def main(prompt: str) -> None:
    """Ask, and print what comes."""
    async with Claude(tools=[temperature]) as claude:
        print((await claude.ask(prompt)).text)


asyncio.run(main(sys.argv[1]))
