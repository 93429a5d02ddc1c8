"""One session: a CLI that runs while it is needed, and prompts one after another.

A CLI that dies fails the prompt that runs; the next prompt starts another that resumes the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Coroutine, Iterable
from typing import Any

from anyide.acp import option, setup
from anyide.acp.asking import Asking
from anyide.acp.cli import Cli
from anyide.acp.client import Client
from anyide.acp.disk import stored_session
from anyide.acp.failure import AuthRequired, CliEnded
from anyide.acp.interrupt import interrupt
from anyide.acp.messages import (
    AvailableCommandsUpdate,
    ContentBlock,
    SessionInfoUpdate,
    SessionUpdate,
    StopReason,
)
from anyide.acp.option import Choices
from anyide.acp.prompt import title_of, to_claude
from anyide.acp.setup import AgentOptions, Setup
from anyide.acp.substitute import Substitutes
from anyide.acp.tool_call import changed_file
from anyide.acp.translate import Translator, stop_reason
from anyide.errors import (
    ClaudeError,
    ControlFailed,
    InvalidParams,
    LoginNeeded,
    TurnFailed,
)
from anyide.headless.messages import Assistant, Message, StreamEvent, ToolUseBlock
from anyide.headless.session import Claude
from anyide.headless.turn import Turn

CANCEL_SECONDS = 0.06
"""How long a cancelled turn may take to end by itself before it is answered without it."""
RUN_SECONDS = 0.05
"""A call about which no question came in this time runs: the CLI does not tell when one begins."""


class Ticket:
    """A prompt that waits or runs."""

    def __init__(self) -> None:
        self.cancelled = asyncio.Event()


class Session:
    """A conversation with Claude on behalf of a client."""

    def __init__(self, client: Client, ours: AgentOptions, wanted: Setup) -> None:
        self._client = client
        self._ours = ours
        self._setup = wanted
        self._cli = Cli(
            wanted.session_id,
            self._make,
            is_stored=lambda: stored_session(wanted.session_id, ours.env) is not None,
            fits=self._fits,
        )
        self._translator = Translator(Choices(), client.abilities.wishes)
        self._substitutes = Substitutes(
            client,
            ours,
            wanted,
            running=self._cli.running,
            note=self._note,
            translator=self._translator,
            tell=self.tell,
        )
        self._asking = Asking(client, self, self._substitutes)
        self._turn_lock = asyncio.Lock()
        self._tickets: list[Ticket] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._heard: set[Turn] = set()
        self._has_begun = False
        self._is_titled = False
        self._starts = 0

    @property
    def id(self) -> str:
        """The id of the session: the client's and the CLI's are one."""
        return self._setup.session_id

    @property
    def cwd(self) -> str:
        """Where it works."""
        return self._setup.cwd

    @property
    def choices(self) -> Choices:
        """What is chosen, and from what."""
        return self._translator.choices

    @property
    def translator(self) -> Translator:
        """What the client was told."""
        return self._translator

    # From the beginning to the end.

    async def start(self, *, resume: bool = False, fork_of: str | None = None) -> None:
        """Start the CLI for a new session, a stored one, or a copy of one."""
        self._is_titled = resume
        await self._cli.start(resume=resume, fork_of=fork_of)

    def _make(self, beginning: dict[str, Any]) -> Claude:
        chosen = self.choices if self._has_begun else None
        options = setup.claude_options(self._setup, self._ours, self._client.abilities, chosen)
        return Claude(
            options,
            permission=self._asking.permit,
            elicitation=self._asking.elicit,
            tools=self._substitutes.tools,
            allow_tools=False,  # they stand for tools that must be asked about
            allowed_tools=self._substitutes.allowed,
            tool_aliases=self._substitutes.aliases,
            on_message=self._tell_outside,
            connect=self._ours.connect,
            record=self._recording(),
            **beginning,
        )

    def _recording(self) -> str | None:
        """Each start of the CLI has a file of its own."""
        if self._ours.record is None:
            return None
        self._starts += 1
        return os.path.join(self._ours.record, f"{self.id}-{self._starts}.jsonl")  # noqa: PTH118

    async def _fits(self, claude: Claude) -> bool:
        if not self._has_begun:
            self._translator.choices = option.first_choices(
                claude.info,
                model=self._ours.model,
                effort=self._ours.effort,
                may_bypass=self._ours.may_bypass,
            )
            if await self._substitutes.make_room(claude):
                return False
        self._has_begun = True
        _ = self._spawn(self._follow(claude))
        return True

    async def close(self) -> None:
        """End what runs, and the CLI."""
        await self._substitutes.close()
        await self.rest()
        for task in list(self._tasks):
            task.cancel()

    async def rest(self) -> None:
        """End what runs, and the CLI, until the next prompt."""
        self.cancel()
        await self._cli.close()

    def announce(self) -> None:
        """Tell what the session offers, once the client knows the session."""
        if self._cli.now is not None:
            found = option.commands(self._cli.now.info.get("commands"))
            self.tell([AvailableCommandsUpdate(available_commands=found)])

    # Prompts.

    async def prompt(self, blocks: list[ContentBlock]) -> StopReason:
        """Ask, tell what comes, and give the reason of the end; prompts wait for each other."""
        content = to_claude(blocks)
        ticket = Ticket()
        self._tickets.append(ticket)
        try:
            async with self._turn_lock:
                if ticket.cancelled.is_set():
                    return "cancelled"
                self._name_after(blocks)
                return await self._run(content, ticket)
        finally:
            self._tickets.remove(ticket)

    def cancel(self) -> None:
        """Cancel the prompt that runs and those that wait."""
        for ticket in self._tickets:
            ticket.cancelled.set()

    async def _run(self, content: list[dict[str, Any]], ticket: Ticket) -> StopReason:
        cancelled = asyncio.ensure_future(ticket.cancelled.wait())
        try:
            if self._ending:  # an interrupt must not hit the turn that follows
                settled = asyncio.ensure_future(asyncio.wait(self._ending))
                await asyncio.wait({settled, cancelled}, return_when=asyncio.FIRST_COMPLETED)
            if ticket.cancelled.is_set():
                return "cancelled"
            try:
                return await self._follow_turn(await self._ask(content), cancelled)
            except CliEnded as ended:
                if ended.was_heard:
                    raise
                # It had ended already, and nobody had noticed.
                return await self._follow_turn(await self._ask(content), cancelled)
        finally:
            cancelled.cancel()

    async def _follow_turn(self, turn: Turn, cancelled: asyncio.Future[Any]) -> StopReason:
        pump = asyncio.ensure_future(self._pump(turn))
        try:
            await asyncio.wait({pump, cancelled}, return_when=asyncio.FIRST_COMPLETED)
            if not pump.done():
                return await self._cancel_turn(turn, pump)
            return self._outcome(turn, pump)
        except asyncio.CancelledError:  # by $/cancel_request, or because the client is gone
            self._end(turn)
            pump.cancel()
            raise

    async def _ask(self, content: list[dict[str, Any]]) -> Turn:
        """Send the prompt, to another CLI if the one there was has ended."""
        try:
            return (await self._cli.running()).ask(content)
        except ClaudeError:
            self._cli.lose()
            return (await self._cli.running()).ask(content)

    def _outcome(self, turn: Turn, pump: asyncio.Future[None]) -> StopReason:
        error = pump.exception()
        if error is None:
            return stop_reason(turn.result)
        self.tell(self._translator.calls.abandon())
        if isinstance(error, TurnFailed) and stop_reason(turn.result) != "end_turn":
            return stop_reason(turn.result)
        if isinstance(error, LoginNeeded):
            raise AuthRequired(str(error))
        if isinstance(error, ClaudeError) and not isinstance(error, TurnFailed):
            self._cli.lose()
            raise CliEnded(error, was_heard=turn in self._heard)
        raise error

    async def _pump(self, turn: Turn) -> None:
        """Tell what a turn brings, to its end; raises what the turn raises."""
        while (batch := await turn.inbox.batch()) is not None:
            self._heard = {turn}
            for message in batch:
                if type(message) is not StreamEvent:
                    await self._prepare(message)
                self.tell(self._translator.translate(message))
            await self._client.drain()
        await turn

    async def _prepare(self, message: Message) -> None:
        """Have the text of a file at hand before a change of it is told."""
        self._asking.saw(message)
        if type(message) is Assistant:
            uses = [block for block in message.content if isinstance(block, ToolUseBlock)]
            for use in uses:
                await self.have_old_text(use.id, use.name, use.input)
            if uses:
                asyncio.get_running_loop().call_later(RUN_SECONDS, self._tell_running)

    def _tell_running(self) -> None:
        self.tell(self._translator.calls.run_all())

    async def have_old_text(self, identity: str, name: str, given: dict[str, Any]) -> None:
        """Read the file that a call is going to change, unless that was done."""
        calls = self._translator.calls
        if changed_file(name, given) and not calls.has_text(identity):
            calls.remember(identity, await self._substitutes.text_before(name, given))

    # Cancelling.

    async def _cancel_turn(self, turn: Turn, pump: asyncio.Future[None]) -> StopReason:
        self._end(turn)
        await asyncio.wait({pump}, timeout=CANCEL_SECONDS)
        if pump.done():
            pump.exception()
        else:  # the answer does not wait for a slow CLI; what still comes is not told
            pump.cancel()
            turn.inbox.discard()
        self.tell(self._translator.calls.abandon())
        return "cancelled"

    def _end(self, turn: Turn) -> None:
        """Stop waiting for the person, and see to it that the turn ends."""
        self._asking.abandon()
        _ = self._spawn(self._substitutes.interrupt())
        task = self._spawn(self._interrupt(turn))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _interrupt(self, turn: Turn) -> None:
        claude = self._cli.now
        if claude is not None and not await interrupt(claude, turn):
            self._cli.lose(claude)
            await claude.close()

    # Choices.

    async def set_mode(self, mode: str) -> None:
        """Switch the permission mode; raises InvalidParams for one that is not offered."""
        if mode not in self.choices.mode_ids:
            raise InvalidParams(f"modeId: there is no mode {mode!r}")
        await self._control("set_permission_mode", mode=mode)
        self.tell(self._translator.choose(mode=mode))

    async def set_option(self, name: str, value: str) -> None:
        """Choose a value of a config option."""
        if name == option.MODE:
            await self.set_mode(value)
        elif name == option.MODEL:
            await self._control("set_model", model=value)
            self.tell(self._translator.choose(model=value))
        elif name == option.EFFORT:
            level = None if value == option.DEFAULT_EFFORT else value
            if level is not None and level not in self.choices.efforts:
                raise InvalidParams(f"value: there is no effort {value!r}")
            await self._control("apply_flag_settings", settings={"effortLevel": level})
            self.tell(self._translator.choose(effort=value))
        else:
            raise InvalidParams(f"configId: there is no option {name!r}")

    async def _control(self, subtype: str, **fields: Any) -> None:
        try:
            await (await self._cli.running()).request(subtype, **fields)
        except ControlFailed as error:
            raise InvalidParams(str(error)) from error

    # Telling.

    def tell(self, updates: Iterable[SessionUpdate]) -> None:
        """Send updates to the client."""
        for update in updates:
            self._client.update(self.id, update)

    def _tell_outside(self, message: Message) -> None:
        self._asking.saw(message)
        self.tell(self._translator.translate(message))

    def _name_after(self, blocks: list[ContentBlock]) -> None:
        """A title without a model call: the first prompt."""
        title = title_of(blocks)
        if title and not self._is_titled:
            self._is_titled = True
            self.tell([SessionInfoUpdate(title=title)])

    def _note(self, text: str) -> None:
        """Tell the model something, for its next turn; a CLI that has ended is not started."""
        if self._cli.now is not None:
            with contextlib.suppress(ClaudeError):
                self._cli.now.tell(text)

    async def _follow(self, claude: Claude) -> None:
        """Tell the turns that the CLI starts by itself, when a background task has ended."""
        async for turn in claude.unprompted():
            with contextlib.suppress(ClaudeError):
                await self._pump(turn)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
