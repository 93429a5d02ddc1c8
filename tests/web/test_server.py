from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from anyide.errors import ConnectFailed
from anyide.state.store import State
from anyide.web.server import MAX_PAGES
from tests.web.conftest import Site, Start
from tests.web.window import come_in, open_window


async def test_port_and_cookie_are_kept_for_the_next_run(start: Start, state: State) -> None:
    first = await start()
    host, cookie = first.host, await first.cookie()
    await first.stop()
    second = await start()
    assert second.host == host
    assert (await second.get("/session", Cookie=cookie))[0] == 204


async def test_a_kept_port_that_is_taken_is_given_up(start: Start) -> None:
    first = await start()
    host, port, cookie = first.host, first.page.port, await first.cookie()
    await first.stop()
    with socket.create_server(("127.0.0.1", port)):
        second = await start()
        assert second.host != host
        name = cookie.replace(f"anyide_{port}", f"anyide_{second.page.port}")
        assert (await second.get("/session", Cookie=name))[0] == 204


async def test_a_wanted_port_that_is_taken_is_an_error(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConnectFailed, match=f"port {port}"):
            await start(port=port)


async def test_a_link_of_an_earlier_run_does_not_open(start: Start) -> None:
    first = await start()
    link = first.page.link()
    await first.stop()
    await start()
    assert await asyncio.to_thread(come_in, link) is None


async def test_an_open_page_is_told_that_the_server_goes(start: Start) -> None:
    site = await start()
    socket = (await site.window()).socket
    await site.page.__aexit__()
    await asyncio.wait_for(socket.wait_closed(), 5)
    assert socket.close_code == 1012


async def test_pages_are_many_but_not_without_end(site: Site) -> None:
    cookie = await site.cookie()
    windows = [await open_window(site.host, cookie) for _ in range(MAX_PAGES)]
    with pytest.raises(InvalidStatus, match="403"):
        await open_window(site.host, cookie)
    await windows[0].close()
    async with asyncio.timeout(5):
        while True:
            try:
                windows[0] = await open_window(site.host, cookie)
                break
            except InvalidStatus:  # the server has not noticed yet
                continue
    await asyncio.gather(*(window.close() for window in windows))


async def test_a_message_over_the_limit_closes_that_page_only(site: Site) -> None:
    other = await site.window()
    window = await site.window()
    with suppress(ConnectionClosed):
        await window.socket.send("x" * (64 * 1024 * 1024 + 1))
    await asyncio.wait_for(window.socket.wait_closed(), 5)
    assert window.socket.close_code == 1009
    assert await other.ask("reviews") == []


async def test_nonsense_is_answered_and_the_page_goes_on(site: Site, project: Path) -> None:
    window = await site.window()
    for nonsense in ("", "{", "[]", "null", '{"jsonrpc":"2.0","method":"open"}', "\ud7ff\0"):
        await window.socket.send(nonsense)
    await window.socket.send(b"\xff\xfe")
    assert (await window.ask("open", path=str(project / "src/a.py")))["kind"] == "text"


@pytest.mark.parametrize("origin", ["http://localhost:{port}", "http://[::1]:{port}"])
async def test_a_page_under_one_name_is_not_let_in_under_another(site: Site, origin: str) -> None:
    with pytest.raises(InvalidStatus):
        await connect(
            f"ws://{site.host}/live",
            additional_headers={"Cookie": await site.cookie()},
            origin=origin.format(port=site.page.port),  # type: ignore[arg-type]
            proxy=None,
        )


async def test_small_answers_do_not_wait_for_each_other(site: Site) -> None:
    # asyncio sends at once only on sockets that say that they are TCP.
    (listening,) = site.page._server.servers[0].sockets  # type: ignore[union-attr]
    assert listening.proto == socket.IPPROTO_TCP
