"""`anyide` as a person runs it: a process, its page, its browser, its end, its crash."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from anyide.state.store import State
from tests.cli.test_serve import PATIENCE, Serving, end, environment
from tests.web.window import come_in, enter

ANYIDE = [sys.executable, "-m", "anyide"]
LINK = re.compile(r"http://\S+/enter\?key=\S+")
BROWSER = """#!/bin/sh
echo "$1" >> "{log}"
"""

Run = Callable[..., Coroutine[Any, Any, Serving]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = (tmp_path / "project").resolve()
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    return folder


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """What a browser was asked to open, a line each."""
    program = tmp_path / "browser"
    program.write_text(BROWSER.format(log=tmp_path / "opened"))
    program.chmod(0o755)
    return tmp_path / "opened"


@pytest.fixture
async def run(tmp_path: Path, project: Path) -> AsyncIterator[Run]:
    async with AsyncExitStack() as stack:

        async def start(*words: str, cwd: Path = project) -> Serving:
            process = await asyncio.create_subprocess_exec(
                *ANYIDE,
                *words,
                cwd=cwd,
                env={**environment(tmp_path), "BROWSER": str(tmp_path / "browser")},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            stack.push_async_callback(end, process)
            return Serving(process, tmp_path)

        yield start


async def link_of(serving: Serving, words: str = "/enter?key=") -> str:
    found = LINK.search(await serving.until(words))
    assert found is not None
    return found[0]


async def opened_links(log: Path, count: int) -> list[str]:
    async with asyncio.timeout(PATIENCE):
        while True:
            lines = log.read_text().splitlines() if log.exists() else []
            if len(lines) >= count:
                return lines
            await asyncio.sleep(0.02)  # a file of another process: nothing tells when it grows


async def kept_drafts(home: Path, project: Path, count: int) -> None:
    with State.open(home / "state" / "state.db") as state:
        async with asyncio.timeout(PATIENCE):
            while True:
                if len(state.drafts.of([project])) >= count:
                    return
                await asyncio.sleep(0.02)  # a database of another process: nothing tells


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
async def test_it_opens_a_page_in_the_browser_and_ends_cleanly(
    run: Run, browser: Path, project: Path, name: str
) -> None:
    serving = await run()
    assert str(project) in await serving.until("is an IDE for Claude Code in")
    link = await link_of(serving)
    await serving.until("Stop with Ctrl-C.")
    assert await opened_links(browser, 1) == [link]
    window = await enter(link)
    assert window.welcome["folders"] == [str(project)]
    serving.process.send_signal(getattr(signal, name))
    async with asyncio.timeout(PATIENCE):
        assert await serving.process.wait() == 0
    assert serving.locks == []
    await window.close()


async def test_a_folder_may_be_named_and_the_browser_left_alone(
    run: Run, browser: Path, project: Path, tmp_path: Path
) -> None:
    serving = await run(str(project), "--no-open", cwd=tmp_path)
    window = await enter(await link_of(serving))
    assert window.welcome["folders"] == [str(project)]
    await window.close()
    assert not browser.exists()


async def test_a_second_one_says_so_and_offers_the_first(
    run: Run, browser: Path, project: Path
) -> None:
    first = await run("--no-open")
    link = await link_of(first)
    second = await run()
    await second.until(f"anyide runs already in {project}")
    other = await link_of(second)
    async with asyncio.timeout(PATIENCE):
        assert await second.process.wait() == 0
    assert other != link
    assert await opened_links(browser, 1) == [other]
    for each in (link, other):
        assert await asyncio.to_thread(come_in, each) is not None
    assert await asyncio.to_thread(come_in, other) is None
    assert first.process.returncode is None


async def test_what_was_typed_survives_a_kill_and_the_page_comes_back(
    run: Run, project: Path
) -> None:
    first = await run("--no-open")
    link = await link_of(first)
    window = await enter(link)
    document = await window.ask("open", path=str(project / "a.txt"))
    path = document["path"]
    changes = [[0, 3, "typed 😀"]]
    await window.ask("change", path=path, version=document["version"], changes=changes)
    untitled = await window.ask("newDocument")
    changes = [[0, 0, "no name yet"]]
    await window.ask("change", path=untitled["path"], version=untitled["version"], changes=changes)
    await kept_drafts(first.home, project, 2)
    first.process.kill()
    await first.process.wait()
    await window.close()
    second = await run("--no-open")
    again = await link_of(second)
    assert again.partition("/enter")[0] == link.partition("/enter")[0]
    window = await enter(again)
    offered = {draft["path"]: draft for draft in window.welcome["drafts"]}
    assert set(offered) == {path, untitled["path"]}
    assert (project / "a.txt").read_text() == "one\n"
    taken = await window.ask("takeDraft", path=path)
    assert (taken["text"], taken["isDirty"], taken["path"]) == ("typed 😀\n", True, path)
    taken = await window.ask("takeDraft", path=untitled["path"])
    assert (taken["text"], taken["isUntitled"]) == ("no name yet", True)
    assert (await window.ask("save", path=path))["saved"]
    assert (project / "a.txt").read_text() == "typed 😀\n"
    await window.close()


async def test_a_change_that_nobody_sees_opens_the_browser_once_and_waits(
    run: Run, browser: Path, project: Path
) -> None:
    serving = await run()
    window = await enter(await link_of(serving))
    await serving.until("Stop with Ctrl-C.")
    await window.close()
    path = str(project / "a.txt")
    async with asyncio.timeout(PATIENCE), serving.client(project) as cli:
        calls = []
        for name in ("first", "second"):
            call = cli.call("openDiff", old_file_path=path, new_file_contents=name, tab_name=name)
            calls.append(asyncio.create_task(call))
            await serving.until(f"Claude proposes a change to {path}")
            link = await link_of(serving)
        assert len(await opened_links(browser, 2)) == 2  # at the start, and for the first
        window = await enter(link)
        assert len(window.welcome["reviews"]) == 2
        for review in window.welcome["reviews"]:
            await window.ask("reject", id=review["id"], reason="not now")
        assert [(await call).texts[0] for call in calls] == ["DIFF_REJECTED"] * 2
    assert len(await opened_links(browser, 2)) == 2
    await window.close()


def ended(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ANYIDE, *words],
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
        env=environment(home),
        cwd=home,
    )


def test_other_machines_are_let_in_only_when_that_is_said(tmp_path: Path) -> None:
    done = ended(tmp_path, "--host", "0.0.0.0")
    assert (done.returncode, "say --allow-remote" in done.stderr) == (2, True)


async def test_letting_other_machines_in_comes_with_a_warning(run: Run) -> None:
    serving = await run("--no-open", "--host", "0.0.0.0", "--allow-remote")
    assert "whoever has a link" in await serving.until("anyide: warning:")
    await serving.until("Stop with Ctrl-C.")


def test_a_page_port_that_is_taken_is_said_in_one_sentence(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = ended(tmp_path, "--no-open", "--page-port", str(port))
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1, port {port}" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((tmp_path / ".claude" / "ide").glob("*.lock")) == []


async def test_without_claude_code_it_says_where_to_get_it_and_what_to_try(run: Run) -> None:
    serving = await run("--no-open", "--claude", "no-such-program")
    assert "https://claude.com/claude-code" in await serving.until("was not found")
    await serving.until("anyide demo")
    await serving.until("Stop with Ctrl-C.")


@pytest.mark.parametrize("words", [("./nowhere",), ("--no-open", "nowhere")])
def test_a_folder_that_is_none_is_a_usage_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = ended(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere is not a folder" in done.stderr
