from __future__ import annotations

import asyncio
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anyide.state.endpoint import PageEndpoint
from anyide.state.store import State
from anyide.web.sibling import running_link
from tests.web.conftest import Site
from tests.web.window import come_in


async def test_a_running_page_gives_a_fresh_link(site: Site, state: State) -> None:
    page = state.pages.recall(map(Path, site.editor.workspace.folders))
    assert page is not None
    links = [await asyncio.to_thread(running_link, page) for _ in range(2)]
    assert len(set(links)) == 2
    for link in links:
        assert link is not None
        assert await asyncio.to_thread(come_in, link) is not None


async def test_another_secret_gets_nothing(site: Site) -> None:
    stranger = PageEndpoint(site.page.port, "cookie", "another secret")
    assert await asyncio.to_thread(running_link, stranger) is None


def test_nobody_there_is_no_error() -> None:
    assert running_link(PageEndpoint(1, "cookie", "secret")) is None


@contextmanager
def stranger(answer: bytes) -> Iterator[tuple[int, list[str]]]:
    """Somebody else who listens on the port by now, and what was said to them."""
    heard: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(str(self.headers))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port, heard
        finally:
            server.shutdown()
            thread.join()


def test_a_stranger_is_neither_believed_nor_told_the_secret() -> None:
    lies = [
        b"",
        b"{}",
        b"\xff",
        json.dumps({"link": "http://evil.example", "proof": "0" * 64}).encode(),
    ]
    for lie in lies:
        with stranger(lie) as (port, heard):
            assert running_link(PageEndpoint(port, "the cookie", "the secret")) is None
        assert len(heard) == 1
        assert "the secret" not in heard[0]
        assert "the cookie" not in heard[0]
