from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from anyide.editor.model import Diagnostic, Position, Range, Severity
from anyide.errors import RpcError
from anyide.ide.client import IdeClient
from anyide.ide.messages import CallResult
from anyide.web.live import LivePage
from tests.web.conftest import Site, Start
from tests.web.window import Window, open_window


def at(project: Path, name: str = "src/a.py") -> str:
    return str(project / name)


async def opened(window: Window, project: Path, name: str = "src/a.py") -> dict[str, Any]:
    document: dict[str, Any] = await window.ask("open", path=at(project, name))
    return document


async def edit(window: Window, document: dict[str, Any], *changes: list[Any]) -> int:
    answer = await window.ask(
        "change", path=document["path"], version=document["version"], changes=changes, window="w"
    )
    document["version"] = answer["version"]
    return int(answer["version"])


async def test_hello_tells_everything_that_a_page_needs(site: Site, project: Path) -> None:
    window = await site.silent_window()
    welcome = await window.ask("hello", window="w")
    assert welcome["folders"] == [str(project)]
    assert welcome["claude"] == {"found": False, "line": "anyide demo", "path": None}
    assert welcome["sharing"] == {"paused": False, "path": None, "lines": 0, "isDenied": False}
    empty = ("sessions", "tabs", "reviews", "problems", "drafts")
    assert [welcome[name] for name in empty] == [[], [], [], [], []]


async def test_a_file_is_opened_edited_and_saved(site: Site, project: Path) -> None:
    window = await site.window()
    document = await opened(window, project)
    assert (document["text"], document["isDirty"]) == ("one\ntwo\nthree\n", False)
    await edit(window, document, [0, 3, "ONE"], [4, 4, "2 "])
    assert (await window.until("documentState"))["isDirty"]
    await edit(window, document, [0, 0, "# "])
    assert (project / "src/a.py").read_text() == "one\ntwo\nthree\n"
    saved = await window.ask("save", path=document["path"])
    assert (saved["saved"], saved["conflict"]) == (True, None)
    assert (project / "src/a.py").read_text() == "# ONE\n2 two\nthree\n"
    assert not (await window.until("documentState"))["isDirty"]


async def test_an_edit_of_an_older_version_is_refused(site: Site, project: Path) -> None:
    window = await site.window()
    document = await opened(window, project)
    old = dict(document)
    version = await edit(window, document, [0, 0, "x"])
    with pytest.raises(RpcError) as refused:
        await edit(window, old, [0, 0, "y"])
    assert (refused.value.code, refused.value.data) == (4090, {"version": version})
    assert (await opened(window, project))["text"].startswith("xone")


async def test_another_window_is_told_of_every_edit(site: Site, project: Path) -> None:
    one, two = await site.window("1"), await site.window("2")
    document = await opened(one, project)
    assert (await opened(two, project))["version"] == document["version"]
    version = await edit(one, document, [3, 3, "!"])
    changed = await two.until("changed")
    assert (changed["version"], changed["changes"]) == (version, [[3, 3, "!"]])
    assert "changed" not in [method for method, _ in one.told]


async def test_a_clean_document_follows_its_file_and_a_dirty_one_asks(
    site: Site, project: Path
) -> None:
    window = await site.window()
    document = await opened(window, project)
    await asyncio.to_thread((project / "src/a.py").write_text, "new\n")
    reloaded = await window.until("reloaded")
    assert (reloaded["text"], reloaded["version"] > document["version"]) == ("new\n", True)
    document["version"] = reloaded["version"]
    await edit(window, document, [0, 0, "mine "])
    await asyncio.to_thread((project / "src/a.py").write_text, "theirs\n")
    assert await window.until("diskChanged") == {"path": document["path"], "deleted": False}
    saved = await window.ask("save", path=document["path"])
    assert (saved["saved"], saved["conflict"]) == (False, {"diskText": "theirs\n"})
    assert (project / "src/a.py").read_text() == "theirs\n"
    assert (await window.ask("save", path=document["path"], overwrite=True))["saved"]
    assert (project / "src/a.py").read_text() == "mine new\n"


async def test_crlf_byte_order_mark_and_emoji_stay_as_they_are(site: Site, project: Path) -> None:
    before = b"\xef\xbb\xbf" + 'a = "😀"\r\nb\r\n'.encode()
    (project / "b.txt").write_bytes(before)
    window = await site.window()
    document = await opened(window, project, "b.txt")
    assert (document["newline"], document["hasBom"]) == ("\r\n", True)
    after_emoji = 'a = "😀'.encode("utf-16-le")
    place = len(after_emoji) // 2
    await edit(window, document, [place, place, "é"])
    await window.ask("save", path=document["path"])
    assert (project / "b.txt").read_bytes() == b"\xef\xbb\xbf" + 'a = "😀é"\r\nb\r\n'.encode()


async def test_the_selection_of_a_page_reaches_the_cli(site: Site, project: Path) -> None:
    window, cli = await site.window(), await site.cli()
    document = await opened(window, project)
    await window.ask("select", path=document["path"], **{"from": 4, "to": 7})
    sharing = await window.until("sharing", lambda told: told["lines"] == 1)
    assert (sharing["path"], sharing["isDenied"]) == (document["path"], False)
    result = await cli.call("getCurrentSelection")
    assert '"text":"two"' in result.text


async def test_a_review_is_accepted_with_the_very_text_of_the_page(
    site: Site, project: Path
) -> None:
    window, cli = await site.window(), await site.cli()
    path = at(project)
    call = asyncio.create_task(
        cli.call(
            "openDiff",
            old_file_path=path,
            new_file_path=path,
            new_file_contents="1\ntwo\n3\n",
            tab_name="t",
        )
    )
    summary = (await window.until("reviewOpened"))["summary"]
    assert (summary["path"], summary["isNew"]) == (path, False)
    review = await window.ask("review", id=summary["id"])
    assert (review["oldText"], review["newText"]) == ("one\ntwo\nthree\n", "1\ntwo\n3\n")
    await window.ask("reviewDraft", id=summary["id"], text="1\n", hunks={"0": "accepted"})
    draft = (await window.ask("review", id=summary["id"]))["draft"]
    assert draft == {"text": "1\n", "hunks": {"0": "accepted"}}
    assert await window.ask("accept", id=summary["id"], text="1\r\ntwo") == {"sent": True}
    async with asyncio.timeout(5):
        assert (await call).texts == ("FILE_SAVED", "1\r\ntwo")
    ended = await window.until("reviewEnded")
    assert (ended["id"], ended["verdict"], ended["by"]) == (summary["id"], "accepted", "editor")
    (decision,) = await window.ask("history", limit=10)
    assert (decision["verdict"], decision["finalText"]) == ("accepted", "1\r\ntwo")
    with pytest.raises(RpcError, match="it was accepted already"):
        await window.ask("accept", id=summary["id"], text="again")


def propose(cli: IdeClient, path: str, text: str, tab: str = "t") -> asyncio.Task[CallResult]:
    call = cli.call("openDiff", old_file_path=path, new_file_contents=text, tab_name=tab)
    return asyncio.create_task(call)


async def review_of(window: Window) -> dict[str, Any]:
    summary: dict[str, Any] = (await window.until("reviewOpened"))["summary"]
    return summary


async def test_a_review_decided_in_the_terminal_closes_by_itself_and_says_so(
    site: Site, project: Path
) -> None:
    window, cli = await site.window(), await site.cli()
    call = propose(cli, at(project), "x")
    review = await review_of(window)
    await cli.call("close_tab", tab_name="t")
    ended = await window.until("reviewEnded")
    assert (ended["id"], ended["verdict"], ended["by"]) == (review["id"], "withdrawn", "terminal")
    assert (await call).texts[0] == "DIFF_REJECTED"
    with pytest.raises(RpcError, match="decided in the terminal"):
        await window.ask("accept", id=review["id"], text="x")
    assert await window.ask("reviews") == []


async def test_two_reviews_of_one_file_are_decided_one_by_one(site: Site, project: Path) -> None:
    window, one, two = await site.window(), await site.cli(), await site.cli()
    calls = [propose(one, at(project), "1"), propose(two, at(project), "2")]
    first, second = await review_of(window), await review_of(window)
    assert first["session"] != second["session"]
    told = await window.until("sessions")
    assert [session["pending"] for session in told["sessions"]] == [1, 1]
    await window.ask("reject", id=second["id"], reason="no")
    await window.ask("accept", id=first["id"], text="")
    await window.until("sessions", lambda told: not any(s["pending"] for s in told["sessions"]))
    texts = {(await call).texts for call in calls}
    rejected = next(text for text in texts if text[0] == "DIFF_REJECTED")
    assert texts == {("FILE_SAVED", ""), rejected}
    history = await window.ask("history", limit=10)
    assert [(each["verdict"], each["reason"]) for each in history] == [
        ("accepted", ""),
        ("rejected", "no"),
    ]


async def test_a_review_stays_pending_while_no_page_is_open(site: Site, project: Path) -> None:
    unseen: list[str] = []
    site.editor.on_unwatched = lambda proposal: unseen.append(proposal.path)
    window, cli = await site.window(), await site.cli()
    call = propose(cli, at(project), "x")
    review = await review_of(window)
    await window.ask("reviewDraft", id=review["id"], text="y", hunks={})
    await window.close()
    assert not call.done()
    window = await site.window()
    (again,) = window.welcome["reviews"]
    assert (again["id"], unseen) == (review["id"], [])
    assert (await window.ask("review", id=review["id"]))["draft"]["text"] == "y"
    await window.ask("accept", id=review["id"], text="y")
    assert (await call).texts == ("FILE_SAVED", "y")


async def test_a_change_that_no_page_sees_is_told(site: Site, project: Path) -> None:
    unseen: asyncio.Queue[str] = asyncio.Queue()
    site.editor.on_unwatched = lambda proposal: unseen.put_nowait(proposal.path)
    cli = await site.cli()
    call = propose(cli, at(project), "x")
    async with asyncio.timeout(5):
        assert await unseen.get() == at(project)
    assert not call.done()
    call.cancel()


@pytest.mark.parametrize("method", ["reviewDraft", "review", "close", "hello", "reviews"])
async def test_nothing_but_accept_accepts(site: Site, project: Path, method: str) -> None:
    window, cli = await site.window(), await site.cli()
    call = propose(cli, at(project), "x")
    review = await review_of(window)
    await window.ask(
        method, id=review["id"], text="x", path=review["path"], window="w", hunks={"0": "accepted"}
    )
    assert len(await window.ask("reviews")) == 1
    assert not call.done()
    with pytest.raises(RpcError, match="text is missing"):
        await window.ask("accept", id=review["id"])
    site.editor.close()
    result = await call
    assert (result.is_error, "FILE_SAVED" in result.texts) == (True, False)


async def test_the_end_of_the_editor_decides_nothing_and_is_in_the_history(
    start: Start, project: Path
) -> None:
    site = await start()
    window, cli = await site.window(), await site.cli()
    call = propose(cli, at(project), "x")
    await review_of(window)
    site.editor.close()
    assert (await call).is_error
    assert (await window.until("reviewEnded"))["by"] == "gone"
    assert [each["verdict"] for each in await window.ask("history")] == ["withdrawn"]


async def test_what_is_accepted_on_top_of_unsaved_text_is_taken_over_when_written(
    site: Site, project: Path
) -> None:
    window, cli = await site.window(), await site.cli()
    document = await opened(window, project)
    await edit(window, document, [0, 3, "mine"])
    call = propose(cli, at(project), "mine\ntwo\n3\n")
    review = await review_of(window)
    assert review["isUnsaved"]
    await window.ask("accept", id=review["id"], text="mine\ntwo\n3\n")
    final = (await call).texts[1]
    await asyncio.to_thread((project / "src/a.py").write_text, final)
    reloaded = await window.until("reloaded")
    assert reloaded["text"] == final
    assert not (await opened(window, project))["isDirty"]


async def test_a_mention_reaches_the_chosen_session(site: Site, project: Path) -> None:
    window, one, two = await site.window(), await site.cli(), await site.cli()
    sessions = (await window.ask("sessions"))["sessions"]
    assert len(sessions) == 2
    await window.ask("mention", path=at(project), lineStart=1, lineEnd=2, session=sessions[1]["id"])
    async with asyncio.timeout(5):
        async for notice in two.notifications():
            if notice.method == "at_mentioned":
                assert (notice.params["lineStart"], notice.params["lineEnd"]) == (1, 2)
                break
    assert "at_mentioned" not in [notice.method for notice in one._unread]


async def test_what_is_denied_has_a_lock_and_is_not_mentioned(site: Site, project: Path) -> None:
    window, _ = await site.window(), await site.cli()
    document = await opened(window, project, ".env")
    assert (document["isDenied"], document["text"]) == (True, "SECRET=1\n")
    tabs = await window.until("tabs", lambda told: told["tabs"])
    assert tabs["tabs"][0]["isDenied"]
    await window.ask("select", path=document["path"], **{"from": 0, "to": 3})
    assert (await window.until("sharing", lambda told: told["path"]))["isDenied"]
    entries = (await window.ask("tree", path=str(project)))["entries"]
    assert [each["name"] for each in entries if each["isDenied"]] == [".env"]
    with pytest.raises(RpcError, match="is not shared"):
        await window.ask("mention", path=document["path"])


async def test_a_pause_is_told_to_every_window_and_the_locks_stay(
    site: Site, project: Path
) -> None:
    one, two, cli = await site.window(), await site.window(), await site.cli()
    document = await opened(one, project)
    assert (await one.ask("pause", paused=True))["paused"]
    assert (await two.until("sharing", lambda told: told["paused"]))["paused"]
    assert not (await opened(one, project))["isDenied"]
    assert "two" not in (await cli.call("getOpenEditors")).text
    with pytest.raises(RpcError, match="paused"):
        await one.ask("mention", path=document["path"])
    assert not (await one.ask("pause", paused=False))["paused"]


async def test_sessions_are_told_as_they_come_and_go(site: Site) -> None:
    window = await site.window()
    cli = await site.cli()
    told = await window.until(
        "sessions", lambda told: told["sessions"] and told["sessions"][0]["folder"]
    )
    assert (told["sessions"][0]["folder"], told["sessions"][0]["pid"]) == (
        str(Path.cwd()),
        os.getpid(),
    )
    await cli.__aexit__()
    await window.until("sessions", lambda told: not told["sessions"])


async def test_open_file_of_the_cli_selects_and_scrolls(site: Site, project: Path) -> None:
    (project / "e.txt").write_bytes("😀\r\nhere it is\r\n".encode())
    window, cli = await site.window(), await site.cli()
    await cli.call("openFile", filePath=str(project / "e.txt"), startText="here", endText="is")
    place = await window.until("reveal")
    assert (place["from"], place["to"], place["focus"]) == (4, 14, True)
    assert (await window.until("tabs"))["active"] == str(project / "e.txt")
    await cli.call("openFile", filePath=at(project), makeFrontmost=False)
    await cli.call("openFile", filePath=at(project))
    place = await window.until("reveal")
    assert (place["path"], place["focus"]) == (at(project), True)
    assert "reveal" not in [method for method, _ in window.told]


async def test_the_tools_of_the_cli_see_what_the_page_does(site: Site, project: Path) -> None:
    window, cli = await site.window(), await site.cli()
    document = await opened(window, project)
    await edit(window, document, [0, 0, "x"])
    path = document["path"]
    assert '"isDirty":true' in (await cli.call("checkDocumentDirty", filePath=path)).text
    assert '"success":true' in (await cli.call("saveDocument", filePath=path)).text
    assert not (await window.until("documentState", lambda told: not told["isDirty"]))["isDirty"]
    await cli.call("close_tab", tab_name=path)
    assert (await window.until("tabs", lambda told: not told["tabs"]))["active"] is None


async def test_a_dirty_tab_is_closed_only_on_purpose_and_can_be_opened_again(
    site: Site, project: Path
) -> None:
    window = await site.window()
    document = await opened(window, project)
    await edit(window, document, [0, 3, "typed"])
    closed = await window.ask("close", path=document["path"])
    assert closed == {"closed": False, "needsDecision": True}
    assert (await window.ask("close", path=document["path"], discard=True))["closed"]
    again = await window.ask("reopen")
    assert (again["text"], again["isDirty"]) == ("typed\ntwo\nthree\n", True)
    assert await window.ask("reopen") is None
    await window.ask("close", path=document["path"], discard=True)
    (project / "src/a.py").rename(project / "moved.py")
    again = await window.ask("reopen")
    assert (again["text"], again["isUntitled"]) == ("typed\ntwo\nthree\n", True)
    (project / "moved.py").rename(project / "src/a.py")
    document = await opened(window, project)
    await edit(window, document, [0, 3, "typed"])
    assert (await window.ask("revert", path=document["path"]))["text"] == "one\ntwo\nthree\n"


async def test_a_new_document_is_saved_under_a_name(site: Site, project: Path) -> None:
    window = await site.window()
    document = await window.ask("newDocument")
    assert document["isUntitled"]
    await edit(window, document, [0, 0, "hello"])
    with pytest.raises(RpcError, match="no file yet"):
        await window.ask("save", path=document["path"])
    with pytest.raises(RpcError, match="exists already"):
        await window.ask("saveAs", path=document["path"], target="src/a.py")
    saved = await window.ask("saveAs", path=document["path"], target="new/b.txt")
    assert (saved["path"], saved["isUntitled"], saved["isDirty"]) == (
        at(project, "new/b.txt"),
        False,
        False,
    )
    assert (project / "new/b.txt").read_text() == "hello"


async def test_a_preview_gives_way_to_the_next_unless_it_is_pinned(
    site: Site, project: Path
) -> None:
    for name in ("b", "c", "d"):
        (project / name).write_text(name)
    window = await site.window()
    for name in ("b", "c"):
        await window.ask("open", path=at(project, name), preview=True)
    await window.ask("pin", path=at(project, "c"))
    await window.ask("open", path=at(project, "d"), preview=True)
    await window.ask("activate", path=at(project, "c"))
    active = at(project, "c")
    tabs = await window.until(
        "tabs", lambda told: (told["active"], len(told["tabs"])) == (active, 2)
    )
    assert [(tab["label"], tab["isPreview"]) for tab in tabs["tabs"]] == [("c", False), ("d", True)]


async def test_pictures_and_binaries_have_tabs_but_no_text(site: Site, project: Path) -> None:
    (project / "p.png").write_bytes(b"\x89PNG\0")
    window, cli = await site.window(), await site.cli()
    document = await opened(window, project, "p.png")
    assert (document["kind"], document["text"], document["isReadOnly"]) == ("image", "", True)
    with pytest.raises(RpcError, match="not a text"):
        await edit(window, document, [0, 0, "x"])
    call = propose(cli, document["path"], "x")
    review = await window.ask("review", id=(await review_of(window))["id"])
    assert review["oldText"] == "\x89PNG\0"
    call.cancel()


async def test_files_that_come_and_go_are_told(site: Site, project: Path) -> None:
    window = await site.window()
    assert (await window.ask("find", query="fresh", limit=5))["paths"] == []
    await asyncio.to_thread((project / "src/fresh.py").write_text, "")
    assert (await window.until("treeChanged"))["paths"] == [at(project, "src")]
    assert (await window.ask("find", query="fresh", limit=5))["paths"] == [
        at(project, "src/fresh.py")
    ]
    document = await opened(window, project, "src/fresh.py")
    await asyncio.to_thread((project / "src/fresh.py").unlink)
    assert await window.until("diskChanged") == {"path": document["path"], "deleted": True}
    await edit(window, document, [0, 0, "x"])
    assert (await window.ask("save", path=document["path"]))["saved"]
    assert (project / "src/fresh.py").read_text() == "x"


async def test_a_new_folder_is_watched_too(site: Site, project: Path) -> None:
    window = await site.window()
    await asyncio.to_thread((project / "fresh").mkdir)
    await window.until("treeChanged")
    (project / "fresh/a").write_text("1")
    assert (await opened(window, project, "fresh/a"))["text"] == "1"
    # At first it is only looked at once a second, then watched: seen it is in any case.
    await asyncio.to_thread((project / "fresh/a").write_text, "22")
    assert (await window.until("reloaded"))["text"] == "22"


async def test_problems_are_told_and_told_again_to_a_new_page(site: Site, project: Path) -> None:
    window = await site.window()
    place = Range(Position(0, 0), Position(0, 3))
    site.editor.set_diagnostics(at(project), [Diagnostic("wrong", Severity.ERROR, place)])
    told = await window.until("problems")
    assert (told["path"], told["diagnostics"][0]["severity"]) == (at(project), "error")
    other = await site.window()
    assert other.welcome["problems"] == [told]


async def test_a_page_finds_its_server_again_after_a_restart(start: Start, project: Path) -> None:
    site = await start()
    cookie, host = await site.cookie(), site.host
    window = await site.window()
    document = await opened(window, project)
    await edit(window, document, [0, 3, "typed"])
    await site.stop()
    again = await start()
    assert again.host == host
    window = await open_window(host, cookie)
    welcome = await window.ask("hello", window="w")
    assert [draft["path"] for draft in welcome["drafts"]] == [document["path"]]
    taken = await window.ask("takeDraft", path=document["path"])
    assert (taken["text"], taken["version"] > document["version"]) == ("typed\ntwo\nthree\n", True)
    await window.close()
    assert (await again.window()).welcome["drafts"] == []


async def test_a_draft_of_a_file_that_changed_asks_before_it_is_saved(
    start: Start, project: Path
) -> None:
    site = await start()
    window = await site.window()
    document = await opened(window, project)
    await edit(window, document, [0, 3, "typed"])
    await site.stop()
    (project / "src/a.py").write_text("theirs\n")
    window = await (await start()).window()
    assert (await window.ask("takeDraft", path=document["path"]))["diskChanged"]
    saved = await window.ask("save", path=document["path"])
    assert saved["conflict"] == {"diskText": "theirs\n"}
    assert await window.ask("dropDraft", path=document["path"]) is False


async def test_a_draft_that_is_dropped_is_gone(start: Start, project: Path) -> None:
    site = await start()
    window = await site.window()
    await edit(window, await window.ask("newDocument"), [0, 0, "x"])
    await site.stop()
    site = await start()
    window = await site.window()
    (draft,) = window.welcome["drafts"]
    assert draft["isUntitled"]
    assert await window.ask("dropDraft", path=draft["path"]) is True
    await site.stop()
    assert (await (await start()).window()).welcome["drafts"] == []


NONSENSE: list[Any] = [
    {},
    [],
    None,
    5,
    {"path": 5},
    {"path": ""},
    {"path": "\0"},
    {"path": "untitled:nothing"},
    {"path": "x" * 100_000},
    {"id": "nobody", "text": "x", "reason": "", "hunks": {}},
    {"path": "src/a.py", "version": -1, "changes": [[0, 0, "x"]]},
    {"path": "src/a.py", "version": 1, "changes": [[0, 0]]},
    {"path": "src/a.py", "from": -5, "to": 10**18, "target": "..", "query": "\n", "limit": -1},
]


async def test_no_nonsense_takes_the_page_or_the_server_down(
    site: Site, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    window = await site.window()
    methods = [*LivePage(site.context, lambda _: None)._handlers(), "nothing"]
    await opened(window, project)
    for method in methods:
        for params in NONSENSE:
            with suppress(RpcError):
                await window.ask_raw(method, params)
    assert (project / "src/a.py").read_text() == "one\ntwo\nthree\n"
    assert (await opened(window, project))["text"] == "one\ntwo\nthree\n"
    assert {found.name for found in project.iterdir()} == {".env", "src"}
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
