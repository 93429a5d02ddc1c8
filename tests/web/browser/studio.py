"""A browser editor on real sockets with real windows, and CLIs that talk to it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page

from anyide.ide.client import IdeClient
from anyide.ide.messages import CallResult, Text
from anyide.ide.server import IdeServer
from anyide.state.store import State
from anyide.web.context import Context
from anyide.web.editor import BrowserEditor
from anyide.web.messages import Claude
from anyide.web.server import PageServer

PATIENCE_MS = 5000
# What a browser says of its own accord while the server is away.
AWAY = ("ERR_CONNECTION_REFUSED", "WebSocket connection to")


class Studio:
    """The editor of one folder, what it is asked by CLIs, and the windows that show it."""

    def __init__(self, browser: Browser, home: Path, config_dir: Path | None = None) -> None:
        self.folder = home / "project"
        self.folder.mkdir(exist_ok=True)
        self._config_dir = config_dir or home / ".claude"
        self.complaints: list[str] = []
        self.allows_absence = False
        self._browser = browser
        self._home = home
        self._windows = AsyncExitStack()
        self._server = AsyncExitStack()
        self.editor: BrowserEditor
        self.ide: IdeServer
        self.page: PageServer

    async def start(self) -> None:
        """Serve; also after a stop, on the same port."""
        stack = self._server = AsyncExitStack()
        state = State.open(self._home / "state" / "state.db")
        stack.callback(state.close)
        self.editor = BrowserEditor([str(self.folder)], state=state)
        stack.callback(self.editor.close)
        self.ide = IdeServer(
            self.editor,
            [self.folder],
            config_dir=self._config_dir,
            on_sessions=lambda: context.tell_sessions(),  # noqa: PLW0108 - it comes next
        )
        context = Context(self.editor, self.ide, Claude(found=True, line="claude --ide"))
        self.page = await stack.enter_async_context(PageServer(context, state=state))
        await stack.enter_async_context(self.ide)

    async def stop(self) -> None:
        """End the server; the windows stay."""
        await self._server.aclose()

    async def close(self) -> None:
        """End everything."""
        await self._windows.aclose()
        await self._server.aclose()

    def write(self, name: str, text: str) -> str:
        """Put a file into the folder, exactly these characters; gives its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return str(path)

    def read(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    async def window(self, **options: Any) -> Page:
        """Open a browser of its own on the page."""
        context = await self._browser.new_context(**{"reduced_motion": "reduce", **options})
        self._windows.push_async_callback(context.close)
        context.set_default_timeout(PATIENCE_MS)
        context.on("request", lambda request: self._watch(request.url))
        return await self.tab(context)

    async def tab(self, context: BrowserContext) -> Page:
        """Open another window of a browser."""
        page = await context.new_page()
        page.on("console", lambda said: self._hear(said.type, said.text))
        page.on("pageerror", lambda error: self._hear("error", str(error)))
        await page.goto(self.page.link())
        await page.locator('main[aria-busy="false"]').wait_for()
        return page

    async def open(self, page: Page, name: str) -> None:
        """Open a file through quick open, as a person would."""
        await page.keyboard.press("Control+p")
        await page.get_by_role("combobox", name="Name of the file").fill(name)
        found = page.locator("quick-open").get_by_role("option").first
        await found.filter(has_text=Path(name).name).wait_for()
        await page.keyboard.press("Enter")
        await page.locator(f'.cm-content[aria-label="Text of {name}"]:visible').wait_for()

    async def cli(self) -> IdeClient:
        """A CLI that is connected."""
        client = IdeClient.at(self.ide.port, self.ide.token)
        return await self._server.enter_async_context(client)

    def propose(
        self, cli: IdeClient, name: str, text: str, *, tab: str = ""
    ) -> asyncio.Task[CallResult]:
        """Propose a text for a file; the task ends with the answer."""
        path = str(self.folder / name)
        asked = cli.call(
            "openDiff",
            old_file_path=path,
            new_file_path=path,
            new_file_contents=text,
            tab_name=tab or f"✻ [Claude Code] {name}",
        )
        return asyncio.get_running_loop().create_task(asked)

    def _watch(self, url: str) -> None:
        ours = f"://127.0.0.1:{self.page.port}/"
        if ours not in url and not url.startswith(("data:", "blob:")):
            self.complaints.append(f"a request left: {url}")

    def _hear(self, kind: str, text: str) -> None:
        if kind not in ("error", "warning") or (
            self.allows_absence and any(word in text for word in AWAY)
        ):
            return
        self.complaints.append(f"{kind}: {text}")


async def answer(asked: asyncio.Task[CallResult]) -> list[str]:
    """The words of an answer that is to come."""
    return words(await asyncio.wait_for(asked, PATIENCE_MS / 1000))


def words(result: CallResult) -> list[str]:
    """The words of an answer."""
    return [part.text for part in result.content if isinstance(part, Text)]
