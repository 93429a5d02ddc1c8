"""`Terminal`: the CLI's terminal UI in a pty, read as a person reads it: by its screen."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pexpect
import psutil
import pyte

from tests.real.claude import cli_path

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from tests.real.claude import Home
    from tests.real.model import StandInModel

COLUMNS, ROWS = 120, 50
PATIENCE = 30.0
_AGAIN = 0.5
_TYPED = 5.0
_PROMPT = "\u276f"
_CHUNK = 65536

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "tab": "\t",
    "shift-tab": "\x1b[Z",
    "backspace": "\x7f",
    "newline": "\x1b\r",
    "ctrl-c": "\x03",
    "ctrl-d": "\x04",
    "ctrl-o": "\x0f",
    "ctrl-u": "\x15",
}


class Terminal:
    """One running CLI. Read `screen`, wait with `until`, act with `type`, `press` and `submit`."""

    def __init__(self, child: pexpect.spawn[Any]) -> None:
        self._child = child
        self._loop = asyncio.get_running_loop()
        self._screen = _Screen(self._write)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()
        assert child.pid
        self.pid = child.pid
        self.started = time.monotonic()
        self._loop.add_reader(child.child_fd, self._read)

    @classmethod
    async def start(
        cls,
        home: Home,
        model: StandInModel,
        cwd: Path,
        *,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> Self:
        """Start the CLI in a trusted folder; it asks before each edit unless told not to."""
        home.trust(cwd)
        given = list(args)
        if "--permission-mode" not in given:
            given += ["--permission-mode", "default"]
        with warnings.catch_warnings():
            # Python 3.12 and later warn of a fork beside threads; the child only executes the CLI.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = pexpect.spawn(
                str(cli_path()),
                given,
                cwd=str(cwd),
                env=home.environment(model, **(env or {})),
                dimensions=(ROWS, COLUMNS),
            )
        return cls(child)

    @property
    def screen(self) -> str:
        """The text on the screen, lines without their trailing blanks."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    @property
    def prompt_line(self) -> str:
        """What stands in the prompt, between the last two rules; empty while a dialog is there."""
        lines = self.screen.splitlines()
        rules = [number for number, line in enumerate(lines) if line.startswith("─" * 20)]
        between = lines[rules[-2] + 1 : rules[-1]] if len(rules) > 1 else []
        return "\n".join(between) if between and between[0].startswith(_PROMPT) else ""

    @property
    def running(self) -> bool:
        return not self._ended.is_set()

    async def ready(self, timeout: float = PATIENCE) -> None:
        """Wait until the CLI shows its empty prompt."""
        await self._until(lambda: bool(self.prompt_line), "shows its prompt", timeout)

    async def until(self, wanted: str | re.Pattern[str], *, timeout: float = PATIENCE) -> str:
        """Return the screen once it shows a text, however it is wrapped, or matches a pattern."""
        await self._until(lambda: _shows(self.screen, wanted), f"shows {wanted!r}", timeout)
        return self.screen

    async def until_gone(
        self, unwanted: str | re.Pattern[str], *, timeout: float = PATIENCE
    ) -> str:
        """Return the screen once it no longer shows a text."""
        gone = f"no longer shows {unwanted!r}"
        await self._until(lambda: not _shows(self.screen, unwanted), gone, timeout)
        return self.screen

    async def ended(self, timeout: float = PATIENCE) -> None:
        """Wait until the process has closed the terminal."""
        async with asyncio.timeout(timeout):
            await self._ended.wait()

    def type(self, text: str) -> None:
        """Type a text, without the enter key."""
        self._write(text)

    def press(self, key: str) -> None:
        """Press a key by its name in `KEYS`, or a single character."""
        self._write(KEYS.get(key, key))

    async def submit(self, prompt: str, *, timeout: float = PATIENCE) -> None:
        """Type a prompt, and press enter once it is in the prompt line.

        The enter key in one breath with the text would be taken as part of a paste. A letter in one
        breath with an escape before it would be taken as another key: then it is typed again.
        """
        whole = _squeezed(prompt)

        def is_there() -> bool:
            line = _squeezed(self.prompt_line)
            return "[Pastedtext" in line or (whole[:10] in line and whole[-20:] in line)

        async def type_all() -> None:
            self.type(prompt)
            try:
                what = f"shows the typed prompt {prompt!r}"
                await self._until(is_there, what, min(_TYPED, timeout))
            except AssertionError:
                self.press("ctrl-u")
                raise

        await self._insist(type_all, timeout)
        self.press("enter")

    async def choose(self, key: str, dialog: str, *, timeout: float = PATIENCE) -> None:
        """Wait for a dialog and press a key until it is gone.

        A dialog overlooks keys for 0.2 s after it appears, lest a person who types answers it.
        """
        await self.until(dialog, timeout=timeout)

        async def press() -> None:
            self.press(key)
            await self.until_gone(dialog, timeout=_AGAIN)

        await self._insist(press, timeout)

    async def insist(
        self, act: Callable[[], Awaitable[None]], wanted: str, *, timeout: float = PATIENCE
    ) -> None:
        """Do something again and again until the screen shows a text.

        For what the CLI overlooks in silence while it is not ready, such as the first selection.
        """

        async def try_once() -> None:
            await act()
            await self.until(wanted, timeout=_AGAIN)

        await self._insist(try_once, timeout)

    async def _insist(self, attempt: Callable[[], Awaitable[None]], timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while True:
            try:
                return await attempt()
            except AssertionError:
                if time.monotonic() > deadline or not self.running:
                    raise

    def kill(self) -> None:
        """Kill the CLI outright, as a crash would."""
        self._signal(signal.SIGKILL)

    async def stop(self) -> None:
        """End the CLI and everything it started; safe to call twice."""
        family = self._family()
        self._signal(signal.SIGTERM)
        with suppress(TimeoutError):
            await self.ended(timeout=5)
        self._signal(signal.SIGKILL)
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._stop_reading()
        await asyncio.to_thread(self._reap)

    def _family(self) -> list[psutil.Process]:
        try:
            return psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def _signal(self, number: int) -> None:
        # The pty made the CLI the leader of a session, so its pid names the process group too. A
        # reaped pid may belong to somebody else by now: never signal it again.
        if not self._child.terminated:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    def _reap(self) -> None:
        if not self._child.closed:
            self._child.wait()
            self._child.close()

    async def _until(self, true: Callable[[], bool], what: str, timeout: float) -> None:
        try:
            async with asyncio.timeout(timeout):
                while not true():
                    if not self.running:
                        raise AssertionError(f"the CLI ended before it {what}:\n{self._framed()}")
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(
                f"after {timeout} s it is not true that the CLI {what}:\n{self._framed()}"
            ) from None

    def _framed(self) -> str:
        lines = "\n".join(f"│ {line}" for line in self.screen.splitlines())
        return f"┌{'─' * COLUMNS}\n{lines}\n└{'─' * COLUMNS}"

    def _read(self) -> None:
        try:
            data = os.read(self._child.child_fd, _CHUNK)
        except OSError:  # Linux says EIO when the last process on the other side has gone
            data = b""
        if data:
            self._stream.feed(data)
        else:
            self._stop_reading()
        self._changed.set()

    def _stop_reading(self) -> None:
        if not self._ended.is_set():
            self._loop.remove_reader(self._child.child_fd)
            self._ended.set()
            self._changed.set()

    def _write(self, text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(self._child.child_fd, data) :]


class _Screen(pyte.Screen):
    """A screen that answers the terminal's questions, and overlooks what it does not know."""

    def __init__(self, write: Callable[[str], None]) -> None:
        super().__init__(COLUMNS, ROWS)
        self._answer = write

    def write_process_input(self, data: str) -> None:
        self._answer(data)

    def select_graphic_rendition(self, *attributes: int, **private: Any) -> None:
        if not private:
            super().select_graphic_rendition(*attributes)

    def report_device_status(self, mode: int, **private: Any) -> None:
        if not private:
            super().report_device_status(mode)


def _shows(screen: str, wanted: str | re.Pattern[str]) -> bool:
    if isinstance(wanted, str):
        return _squeezed(wanted) in _squeezed(screen)
    return bool(wanted.search(screen))


def _squeezed(text: str) -> str:
    """Return a text without white space: the terminal breaks lines where it likes."""
    return re.sub(r"\s", "", text)
