"""A page server on real sockets, with an IDE server behind it, and a page's end in Python."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from anyide.ide.client import IdeClient
from anyide.ide.server import IdeServer
from anyide.state.store import State
from anyide.web.context import Context
from anyide.web.editor import BrowserEditor
from anyide.web.messages import Claude
from anyide.web.server import PageServer
from tests.web.window import PATIENCE, Window, come_in, open_window


class Site:
    """A page server and its IDE server, running."""

    def __init__(self, page: PageServer, context: Context, stack: AsyncExitStack) -> None:
        self.page = page
        self.context = context
        self.editor = context.editor
        self.ide = context.ide
        self._stack = stack

    async def stop(self) -> None:
        """End, before the test does."""
        await self._stack.aclose()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.page.port}"

    async def get(
        self, path: str, *, method: str = "GET", **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Ask for exactly this path; `Host` is ours unless given."""

        def ask() -> tuple[int, http.client.HTTPMessage, bytes]:
            connection = http.client.HTTPConnection("127.0.0.1", self.page.port, timeout=PATIENCE)
            try:
                connection.putrequest(method, path, skip_host=True)
                for name, value in {"Host": self.host, **headers}.items():
                    connection.putheader(name.replace("_", "-"), value)
                connection.endheaders()
                answer = connection.getresponse()
                return answer.status, answer.headers, answer.read()
            finally:
                connection.close()

        return await asyncio.to_thread(ask)

    async def cookie(self) -> str:
        """Come in by a fresh link."""
        cookie = await asyncio.to_thread(come_in, self.page.link())
        assert cookie is not None
        return cookie

    async def window(self, name: str = "w") -> Window:
        """Open a page that said hello."""
        window = await self.silent_window()
        window.welcome = await window.ask("hello", window=name)
        return window

    async def silent_window(self) -> Window:
        window = await open_window(self.host, await self.cookie())
        self._stack.push_async_callback(window.close)
        return window

    async def cli(self) -> IdeClient:
        """Connect as the CLI would."""
        return await self._stack.enter_async_context(IdeClient.at(self.ide.port, self.ide.token))


Start = Callable[..., Coroutine[Any, Any, Site]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("one\ntwo\nthree\n")
    (folder / ".env").write_text("SECRET=1\n")
    return folder.resolve()


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State.open(tmp_path / "state" / "state.db")


@pytest.fixture
async def start(tmp_path: Path, project: Path, state: State) -> AsyncIterator[Start]:
    """Start a site on the project; several may run one after the other."""
    async with AsyncExitStack() as outer:

        async def start(*folders: Path, **options: Any) -> Site:
            stack = await outer.enter_async_context(AsyncExitStack())
            places = list(folders) or [project]
            editor = BrowserEditor([str(place) for place in places], state=state)
            stack.callback(editor.close)
            ide = IdeServer(
                editor,
                places,
                config_dir=tmp_path / ".claude",
                on_sessions=lambda: context.tell_sessions(),  # noqa: PLW0108 - it comes next
            )
            context = Context(editor, ide, Claude(found=False, line="anyide demo"))
            page = PageServer(context, state=state, **options)
            await stack.enter_async_context(page)
            await stack.enter_async_context(ide)
            return Site(page, context, stack)

        yield start
    state.close()


@pytest.fixture
async def site(start: Start) -> Site:
    return await start()
