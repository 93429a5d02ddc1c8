"""The browser editor put together: editor, IDE server, page, and what the terminal says of it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from anyide.cli.browser import open_browser
from anyide.cli.importing import importing
from anyide.cli.plan import Plan, configure_log, ide_server, open_state, stop_signal
from anyide.errors import ClaudeNotFound, StateError
from anyide.headless.executable import find_claude
from anyide.web.context import Context
from anyide.web.editor import BrowserEditor
from anyide.web.messages import Claude

if TYPE_CHECKING:
    from anyide.editor.model import Proposal
    from anyide.ide.server import IdeServer
    from anyide.state.store import State
    from anyide.web.server import PageServer

GET_CLAUDE = "https://claude.com/claude-code"


def serve_page(plan: Plan) -> int:
    """Serve the page until a signal ends it, unless another anyide serves it already."""
    configure_log(plan)
    state = open_state()
    try:
        link = _link_of_running(plan, state)
        if link is None:
            asyncio.run(_serve(plan, state))
        else:
            _offer(plan, link)
    finally:
        if state is not None:
            state.close()
    return 0


def _link_of_running(plan: Plan, state: State | None) -> str | None:
    if state is None:
        return None
    try:
        page = state.pages.recall(plan.folders)
    except StateError:
        return None
    if page is None:
        return None
    from anyide.web.sibling import running_link

    return running_link(page)


def _offer(plan: Plan, link: str) -> None:
    print(f"anyide runs already in {_places(plan)}. Its page:\n  {link}", flush=True)
    if plan.opens_browser and not open_browser(link):
        print("Open that link in a browser; it opens once.", flush=True)


async def _serve(plan: Plan, state: State | None) -> None:
    stop = stop_signal()
    editor = BrowserEditor([str(folder) for folder in plan.folders], state=state)
    ide = ide_server(plan, editor, state, on_sessions=lambda: context.tell_sessions())  # noqa: PLW0108 - it comes next
    context = Context(editor, ide, _claude(plan.loaded.config.claude))
    try:
        async with ide, _page(plan, context, state) as page:
            caller = _Caller(editor, page, opens_browser=plan.opens_browser)
            link = page.link()
            print(_welcome(plan, ide, context.claude, link), flush=True)
            caller.open_first(link)
            await stop.wait()
            print("stopping", flush=True)
            await ide.close()  # first, so that the pages still see their reviews withdrawn
    finally:
        editor.close()


def _page(plan: Plan, context: Context, state: State | None) -> PageServer:
    # What only the page needs is imported when the IDE's lock is there: the CLI need not wait.
    with importing():
        from anyide.web.server import PageServer

    return PageServer(
        context, host=plan.host, port=plan.page_port, state=state, remote=plan.is_remote
    )


class _Caller:
    """Calls the person: opens the browser at the start, and for a change that nobody sees."""

    def __init__(self, editor: BrowserEditor, page: PageServer, *, opens_browser: bool) -> None:
        self._editor = editor
        self._page = page
        self._opens_browser = opens_browser
        self._pages_at_last_call = -1
        self._opening: set[asyncio.Task[None]] = set()
        editor.on_unwatched = self.call

    def open_first(self, link: str) -> None:
        """Open the page at the start."""
        if self._opens_browser:
            self._open(link)

    def call(self, proposal: Proposal) -> None:
        """Say that a change waits; the browser is opened once, until a page was there again."""
        link = self._page.link()
        print(f"Claude proposes a change to {proposal.path}. Decide it here:\n  {link}", flush=True)
        if self._opens_browser and self._pages_at_last_call != self._editor.pages.joined:
            self._open(link)

    def _open(self, link: str) -> None:
        self._pages_at_last_call = self._editor.pages.joined
        task = asyncio.get_running_loop().create_task(self._open_and_say(link))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    async def _open_and_say(self, link: str) -> None:
        if not await asyncio.to_thread(open_browser, link):
            print("No browser was opened: open the link above yourself.", flush=True)


def _claude(name: str) -> Claude:
    try:
        return Claude(found=True, line="claude --ide", path=find_claude(name))
    except ClaudeNotFound:
        return Claude(found=False, line="anyide demo")


def _welcome(plan: Plan, ide: IdeServer, claude: Claude, link: str) -> str:
    lines = [
        f"{ide.name} is an IDE for Claude Code in {_places(plan)} (port {ide.port}).",
        f"Page:         {link}",
    ]
    if plan.is_remote:
        warning = f"The page listens on {plan.host}: whoever has a link can read and write there."
        print(f"anyide: warning: {warning}", file=sys.stderr)
    if claude.found:
        lines += [
            f"Claude Code:  {claude.path}",
            "Connect from that folder with:  claude --ide   or   anyide claude",
        ]
    else:
        lines += [
            f"Claude Code was not found: get it from {GET_CLAUDE}",
            "See how it works without it, from that folder:  anyide demo",
        ]
    if "SSH_CONNECTION" in os.environ and not plan.is_remote:
        port = urlsplit(link).port
        lines.append(
            f"From your own machine, first:  ssh -L {port}:127.0.0.1:{port} {gethostname()}"
        )
    return "\n".join([*lines, "Stop with Ctrl-C."])


def _places(plan: Plan) -> str:
    return ", ".join(map(str, map(Path, plan.folders)))
