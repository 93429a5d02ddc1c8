"""One question, one answer, for scripts without asyncio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from anyide.headless.reply import Reply
from anyide.headless.session import Claude


def ask(prompt: str, *, on_text: Callable[[str], None] | None = None, **options: Any) -> Reply:
    """Ask Claude Code and wait for the whole reply; options are those of `Claude`.

    `on_text` is called with each piece of text as it comes. Works also where a loop already runs,
    for example in a notebook. Raises what the turn raises.
    """
    job = _ask(prompt, on_text, options)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(job)
    return _in_a_thread(lambda: asyncio.run(job))


async def _ask(
    prompt: str, on_text: Callable[[str], None] | None, options: dict[str, Any]
) -> Reply:
    if on_text is not None:
        options = {"include_partial": True, **options}
    async with Claude(**options) as claude:
        turn = claude.ask(prompt)
        if on_text is not None:
            async for text in turn.text():
                on_text(text)
        return await turn


def _in_a_thread(job: Callable[[], Reply]) -> Reply:
    replies: list[Reply] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            replies.append(job())
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            errors.append(error)

    thread = threading.Thread(target=run, name="anyide.ask")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return replies[0]
