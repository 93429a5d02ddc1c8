"""Permission questions on the terminal; where there is none, they are denied with a reason."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence

from anyide.headless.events import ToolUse
from anyide.headless.messages import Assistant
from anyide.headless.permission import Allow, Deny, PermissionRequest, allow_and_remember

QUESTIONS = "AskUserQuestion"
TERMINAL = "CON" if sys.platform == "win32" else "/dev/tty"
NOBODY = (
    "There is no terminal to ask on. Allow it beforehand with --allowed-tools or --permission-mode."
)


class Consent:
    """Asks one question at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def __call__(self, request: PermissionRequest) -> Allow | Deny:
        """Ask; an answer that is neither yes, no nor always is told to the model as the reason."""
        async with self._turn:
            try:
                terminal = os.open(TERMINAL, os.O_RDWR)
            except OSError:
                return Deny(message=NOBODY)
            try:
                if request.tool_name == QUESTIONS:
                    return await _put_questions(terminal, request)
                return decide(await _ask(terminal, _question(request)), request)
            finally:
                os.close(terminal)


def decide(answer: str, request: PermissionRequest) -> Allow | Deny:
    """What was typed, as a decision."""
    word = answer.strip()
    if word.casefold() in ("y", "yes"):
        return Allow()
    if word.casefold() in ("a", "always"):
        return allow_and_remember(request)
    return Deny(message=word) if word.casefold() not in ("", "n", "no") else Deny()


async def _put_questions(terminal: int, request: PermissionRequest) -> Allow:
    """The model asks the person: each question with its options; the answers go back with it."""
    answers = {}
    for question in request.input.get("questions", ()):
        labels = [str(option.get("label", "")) for option in question.get("options", ())]
        text = str(question.get("question", ""))
        options = "".join(f"  {number}. {label}\n" for number, label in enumerate(labels, 1))
        typed = await _ask(terminal, f"\n{text}\n{options}Number or answer: ")
        answers[text] = choose(typed, labels)
    return Allow(input={**request.input, "answers": answers})


def choose(typed: str, labels: Sequence[str]) -> str:
    """The options whose numbers were typed, or what was typed."""
    words = [word for word in typed.replace(",", " ").split() if word.isdecimal()]
    chosen = [labels[int(word) - 1] for word in words if 0 < int(word) <= len(labels)]
    is_numbers = len(words) == len(typed.replace(",", " ").split())
    return ", ".join(chosen) if chosen and is_numbers else typed.strip()


async def _ask(terminal: int, text: str) -> str:
    os.write(terminal, text.encode(errors="replace"))
    return await _read_line(terminal)


def _question(request: PermissionRequest) -> str:
    from anyide.cli.view import tool_line

    use = ToolUse(request.tool_name, request.input, request.tool_use_id, Assistant())
    return f"\n{tool_line(use)}\nAllow it? [y]es, [a]lways, [n]o, or say why not: "


async def _read_line(terminal: int) -> str:
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()

    def read() -> None:
        data = os.read(terminal, 4096)  # a whole line: the terminal edits it
        if not typed.done():
            typed.set_result(data.decode(errors="replace"))

    try:
        loop.add_reader(terminal, read)
    except NotImplementedError:  # Windows
        return await asyncio.to_thread(lambda: os.read(terminal, 4096).decode(errors="replace"))
    try:
        return await typed
    finally:
        loop.remove_reader(terminal)
