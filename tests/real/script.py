"""The rules by which the stand-in model answers a prompt. Pure: a request in, a reply out.

A prompt may carry directives; the rest of it is ignored. They may stand on one line.

    SAY some text                a text block
    THINK some text              a thinking block with a signature
    DELTAS 500                   the next text block comes in (at most) 500 deltas
    SLOW some text               a text block held half-way until `model.release()`
    CALL Write {"file_path": …}  a tool_use block; it ends the message
    AND CALL Read {…}            … unless AND joins the next call to it: both go out in parallel
    FAIL 400                     an HTTP error, each time the prompt is sent

So several CALLs are made one after another, each when the result of the one before has come back;
what follows the last CALL is said when its result is there. When nothing follows, the reply tells
what the tool said: `The tool said: …`. A prompt without directives is echoed: `You said: …`. What
the CLI tells by itself, such as the end of a background agent, is repeated: `I was told: …`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.real.reply import Block, Call, Failure, Reply, Say, Think

_DIRECTIVE = re.compile(r"(?:^|(?<=\s))(SAY|THINK|DELTAS|SLOW|CALL|AND CALL|FAIL)\s+")
# What the CLI itself puts into a user message, beside the typed text.
_AROUND = re.compile(
    r"<system-reminder>.*?</system-reminder>"
    r"|\[Request interrupted by user[^\]]*\]"
    r"|\ATool loaded\.\Z",
    re.DOTALL,
)
_ECHO_LIMIT = 200


@dataclass(frozen=True)
class Request:
    """One request that the CLI made to the model."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.body.get("messages", [])
        return found

    @property
    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.body.get("tools") or []]

    @property
    def everything(self) -> str:
        """All text of all messages, system reminders and tool results included."""
        return "\n".join(_texts(self.messages))

    @property
    def prompt(self) -> str:
        """What the person typed last, without what the CLI puts around it."""
        typed = (_typed(message) for message in reversed(self._spoken) if message["role"] == "user")
        return next(filter(None, typed), "")

    @property
    def results(self) -> list[dict[str, Any]]:
        """The tool results that this request brings, if it is the answer to a tool call."""
        last = self._spoken[-1:]
        return [] if not last or _typed(last[0]) else _results(last[0])

    @property
    def notice(self) -> str:
        """What the CLI says by itself (a background agent is done), if nobody else speaks."""
        last = self._spoken[-1:]
        if not last or _typed(last[0]) or _results(last[0]):
            return ""
        return "\n".join(_texts(last[0]["content"]))

    @property
    def _spoken(self) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["role"] != "system"]

    @property
    def system(self) -> str:
        return "\n".join(_texts(self.body.get("system") or ""))

    @property
    def side(self) -> bool:
        """Whether the CLI asks for itself (a title, a topic), not for the conversation."""
        asks_for_json = "format" in (self.body.get("output_config") or {})
        return not self.tools and (asks_for_json or "haiku" in self.body.get("model", ""))


def answer(request: Request) -> Reply | Failure:
    """Return what the rules in the prompt say to this request."""
    if request.notice:
        return Reply((Say(f"I was told: {request.notice}"),))
    steps = parse(request.prompt)
    step = _next_step(request.results)
    if step < len(steps):
        return steps[step]
    if request.results:
        return Reply((Say(f"The tool said: {_said(request.results)}"),))
    return Reply((Say(f"You said: {request.prompt[:_ECHO_LIMIT]}"),))


def parse(prompt: str) -> list[Reply | Failure]:
    """Return the messages that a prompt orders, in turn."""
    steps: list[Reply | Failure] = []
    blocks: list[Block] = []
    deltas = 1
    for word, argument in _directives(prompt):
        if blocks and isinstance(blocks[-1], Call) and word != "AND CALL":
            steps.append(Reply(tuple(blocks)))
            blocks = []
        if word == "FAIL":
            steps.append(Failure(int(argument.split()[0]), should_retry=False))
        elif word == "DELTAS":
            deltas = int(argument.split()[0])
        else:
            blocks.append(_block(word, argument, deltas=deltas, step=len(steps)))
    return [*steps, Reply(tuple(blocks))] if blocks else steps


def _directives(prompt: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = _DIRECTIVE.search(prompt)
    while at:
        # A call's JSON may hold directives of its own, for a subagent: jump over it.
        end = _end_of_json(prompt, at.end()) if at[1].endswith("CALL") else at.end()
        after = _DIRECTIVE.search(prompt, end)
        found.append((at[1], prompt[at.end() : after.start() if after else None].strip()))
        at = after
    return found


def _end_of_json(prompt: str, start: int) -> int:
    brace = prompt.index("{", start)
    _, end = json.JSONDecoder().raw_decode(prompt, brace)
    return end


def _block(word: str, argument: str, *, deltas: int, step: int) -> Block:
    if word == "THINK":
        return Think(argument)
    if word in ("SAY", "SLOW"):
        return Say(argument, deltas=deltas, held=word == "SLOW")
    name = argument[: argument.index("{")].strip()
    given, _ = json.JSONDecoder().raw_decode(argument, argument.index("{"))
    return Call(name, given, step=step)


def _next_step(results: list[dict[str, Any]]) -> int:
    last = results[-1]["tool_use_id"].rpartition("_")[2] if results else "-1"
    return int(last) + 1 if last.lstrip("-").isdigit() else 1


def _results(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    if isinstance(content, str):
        return []
    return [block for block in content if block["type"] == "tool_result"]


def _said(results: list[dict[str, Any]]) -> str:
    return " | ".join(" ".join(_texts(result.get("content") or "")) for result in results)


def _typed(message: dict[str, Any]) -> str:
    # After a refused tool call the next prompt comes in one message with the result of that call.
    texts = _texts(message["content"], only="text")
    return "\n".join(kept for text in texts if (kept := _AROUND.sub("", text).strip()))


def _texts(content: Any, only: str = "") -> list[str]:
    """Return every text in a piece of content, in order; or only the blocks of one type."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        kept = [part for part in content if not only or part["type"] == only]
        return [text for part in kept for text in _texts(part)]
    if content.get("type") == "text":
        return [content["text"]]
    return _texts(content.get("content") or [])
