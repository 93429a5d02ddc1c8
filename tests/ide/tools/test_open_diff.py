"""The review table of DESIGN.md, through the real socket."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Accepted, Cause, Rejected, Withdrawn
from anyide.errors import EditorError
from anyide.ide.dialect import DIALECTS
from anyide.ide.server import IdeServer
from tests.ide.wire import PATIENCE, Cli, Watch, connect_to, texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyide.editor.model import Proposal, Verdict
    from tests.ide.conftest import Dial, Serve

TAB = "✻ [Claude Code] b.py (63b0ef) ⧉"


async def open_diff(cli: Cli, **arguments: Any) -> asyncio.Future[dict[str, Any]]:
    arguments = {"old_file_path": "b.py", "new_file_contents": "new\n", "tab_name": TAB} | arguments
    return await cli.start("tools/call", {"name": "openDiff", "arguments": arguments})


async def blocks(answer: asyncio.Future[dict[str, Any]]) -> list[str]:
    async with asyncio.timeout(PATIENCE):
        result = (await answer)["result"]
    assert "isError" not in result
    return texts(result)


async def error_result(answer: asyncio.Future[dict[str, Any]]) -> str:
    async with asyncio.timeout(PATIENCE):
        result = (await answer)["result"]
    assert result["isError"] is True
    (sentence,) = texts(result)
    return sentence


async def ends(editor: MemoryEditor, proposal: Proposal) -> Verdict:
    async with asyncio.timeout(PATIENCE):
        return await editor.ended(proposal.id)


async def shown(editor: MemoryEditor) -> Proposal:
    async with asyncio.timeout(PATIENCE):
        return await editor.next_proposal()


@pytest.mark.parametrize("dialect", list(DIALECTS))
async def test_an_accepted_change_is_saved_with_its_text(
    dialect: str, folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    (folder / "b.py").write_text("old\n")
    cli = await dial(await serve(editor, dialect=DIALECTS[dialect]))
    answer = await open_diff(cli, new_file_path="b.py")
    proposal = await shown(editor)
    assert proposal.path == proposal.new_path == str(folder / "b.py")
    assert (proposal.old_text, proposal.new_text, proposal.tab_name) == ("old\n", "new\n", TAB)
    assert not proposal.is_unsaved
    editor.accept(proposal.id)
    assert await blocks(answer) == ["FILE_SAVED", "new\n"]
    assert await ends(editor, proposal) == Accepted("new\n")
    # The CLI writes what was accepted; we never do.
    assert (folder / "b.py").read_text() == "old\n"
    assert [path.name for path in folder.iterdir()] == ["b.py"]


async def test_a_change_accepted_with_edits_is_saved_with_them(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    answer = await open_diff(cli)
    editor.accept((await shown(editor)).id, "mine\r\n")
    assert await blocks(answer) == ["FILE_SAVED", "mine\r\n"]


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("vscode", ["DIFF_REJECTED", TAB]),
        ("obsidian", ["DIFF_REJECTED", TAB]),
        ("jetbrains", ["DIFF_REJECTED"]),
    ],
)
async def test_a_rejected_change_is_rejected_under_its_tab_name(
    dialect: str, expected: list[str], editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor, dialect=DIALECTS[dialect]))
    answer = await open_diff(cli)
    proposal = await shown(editor)
    editor.reject(proposal.id, "not now")
    assert await blocks(answer) == expected
    assert await ends(editor, proposal) == Rejected("not now")


async def test_as_a_plain_obsidian_method_the_answer_is_its_texts(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor, dialect=DIALECTS["obsidian"]))
    answer = await cli.start("openDiff", {"old_file_path": "b.py", "new_file_contents": "x"})
    editor.accept((await shown(editor)).id)
    async with asyncio.timeout(PATIENCE):
        assert (await answer)["result"] == ["FILE_SAVED", "x"]


@pytest.mark.parametrize("dialect", list(DIALECTS))
async def test_a_tab_that_the_cli_closes_never_answers_with_the_words_of_close_tab(
    dialect: str, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor, dialect=DIALECTS[dialect]))
    answer = await open_diff(cli)
    proposal = await shown(editor)
    closed = await cli.call("close_tab", tab_name=TAB)
    assert texts(closed) == ["OK" if dialect == "jetbrains" else "TAB_CLOSED"]
    assert (await blocks(answer))[0] == "DIFF_REJECTED"
    assert await ends(editor, proposal) == Withdrawn(Cause.CLOSED_BY_CLI)
    # "often twice, same name"
    again = await cli.call("close_tab", tab_name=TAB)
    assert texts(again) == ["Tab not found" if dialect == "jetbrains" else "TAB_CLOSED"]


async def test_a_tab_closed_in_the_same_breath_is_never_shown_for_long(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    answer = await open_diff(cli)
    await cli.call("closeAllDiffTabs")
    assert await blocks(answer) == ["DIFF_REJECTED", TAB]
    await cli.settles()
    assert editor.pending == ()


async def test_close_all_diff_tabs_closes_those_of_its_own_session_alone(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor)
    mine, other = await dial(server), await dial(server)
    first = await open_diff(mine, tab_name="one")
    second = await open_diff(mine, tab_name="two")
    theirs = await open_diff(other, tab_name="one")
    proposals = [await shown(editor) for _ in range(3)]
    assert texts(await mine.call("closeAllDiffTabs")) == ["CLOSED_2_DIFF_TABS"]
    assert await blocks(first) == ["DIFF_REJECTED", "one"]
    assert await blocks(second) == ["DIFF_REJECTED", "two"]
    assert texts(await mine.call("close_tab", tab_name="one")) == ["TAB_CLOSED"]
    await other.settles()
    assert not theirs.done()
    (left,) = editor.pending
    assert left.session == server.sessions[1].id
    assert left in proposals
    editor.accept(left.id)
    assert await blocks(theirs) == ["FILE_SAVED", "new\n"]


async def test_the_same_tab_name_again_replaces_the_older_review(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    first = await open_diff(cli, new_file_contents="1")
    old = await shown(editor)
    second = await open_diff(cli, new_file_contents="2")
    assert await blocks(first) == ["DIFF_REJECTED", TAB]
    assert await ends(editor, old) == Withdrawn(Cause.REPLACED)
    editor.accept((await shown(editor)).id)
    assert await blocks(second) == ["FILE_SAVED", "2"]


async def test_without_tab_names_changes_of_two_files_do_not_replace_each_other(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    _ = await open_diff(cli, old_file_path="x/b.py", tab_name="")
    _ = await open_diff(cli, old_file_path="y/b.py", tab_name="")
    names = {(await shown(editor)).tab_name for _ in range(2)}
    assert names == {str(folder / "x/b.py"), str(folder / "y/b.py")}


async def test_an_editor_that_goes_away_decides_nothing(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    answer = await open_diff(cli)
    await shown(editor)
    editor.close()
    assert "went away" in await error_result(answer)
    assert "went away" in await error_result(await open_diff(cli))


class Blind(MemoryEditor):
    """An editor that says it can review and then cannot show a change."""

    async def show(self, proposal: Proposal, answer: Callable[[Verdict], None]) -> None:
        raise EditorError("no screen")


async def test_an_editor_that_cannot_show_a_change_decides_nothing(
    folder: Path, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(Blind([str(folder)])))
    assert "cannot show" in await error_result(await open_diff(cli))


async def test_an_old_file_that_is_no_text_file_is_an_error_result(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    (folder / "b.py").mkdir()
    cli = await dial(await serve(editor))
    assert "not a plain file" in await error_result(await open_diff(cli))
    assert texts(await cli.call("closeAllDiffTabs")) == ["CLOSED_0_DIFF_TABS"]


async def test_a_session_that_disconnects_takes_its_reviews_along(
    editor: MemoryEditor, serve: Serve
) -> None:
    watch = Watch()
    server = await serve(editor, on_sessions=watch.bell)
    cli = await connect_to(server)
    _ = await open_diff(cli)
    proposal = await shown(editor)
    await cli.__aexit__()
    assert await ends(editor, proposal) == Withdrawn(Cause.CLI_GONE)
    assert editor.pending == ()
    await watch.until(lambda: server.sessions == ())


async def test_a_cancelled_call_takes_its_review_along(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    answer = await open_diff(cli)
    proposal = await shown(editor)
    await cli.say("notifications/cancelled", {"requestId": 0, "reason": "escape"})
    assert await ends(editor, proposal) == Withdrawn(Cause.CLI_GONE)
    await cli.settles()
    assert not answer.done()


async def test_a_server_that_closes_answers_what_is_pending_before_it_hangs_up(
    folder: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    async with IdeServer(editor, [folder], config_dir=tmp_path / "config") as server:
        cli = await connect_to(server)
        answer = await open_diff(cli)
        proposal = await shown(editor)
    assert "went away" in await error_result(answer)
    assert (await cli.is_closed())[0] == 1001
    assert await ends(editor, proposal) == Withdrawn(Cause.EDITOR_GONE)


async def test_only_the_first_decision_counts(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    answer = await open_diff(cli)
    proposal = await shown(editor)
    editor.reject(proposal.id)
    with pytest.raises(EditorError, match="decided or withdrawn"):
        editor.accept(proposal.id)
    assert await blocks(answer) == ["DIFF_REJECTED", TAB]


class Hasty(MemoryEditor):
    """An editor that answers twice, and before it has shown the change."""

    async def show(self, proposal: Proposal, answer: Callable[[Verdict], None]) -> None:
        answer(Rejected())
        answer(Accepted("twice"))


async def test_an_editor_that_answers_twice_has_answered_once(
    folder: Path, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(Hasty([str(folder)])))
    assert await blocks(await open_diff(cli)) == ["DIFF_REJECTED", TAB]


async def test_a_dirty_document_is_shown_with_its_unsaved_text(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    (folder / "b.py").write_text("old\n")
    await editor.open_file("b.py", preview=False, focus=True, select=None)
    editor.edit("b.py", "unsaved\n")
    cli = await dial(await serve(editor))
    answer = await open_diff(cli)
    proposal = await shown(editor)
    assert (proposal.old_text, proposal.is_unsaved) == ("unsaved\n", True)
    editor.accept(proposal.id)
    assert await blocks(answer) == ["FILE_SAVED", "new\n"]
    document = await editor.document("b.py")
    assert document is not None
    assert (document.text, document.is_dirty) == ("unsaved\n", True)
    assert (folder / "b.py").read_text() == "old\n"


async def test_a_new_file_has_no_old_text_and_is_not_made_by_us(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    cli = await dial(await serve(editor))
    answer = await open_diff(cli, old_file_path=str(folder / "deep" / "new.py"))
    proposal = await shown(editor)
    assert proposal.old_text is None
    editor.accept(proposal.id)
    assert await blocks(answer) == ["FILE_SAVED", "new\n"]
    assert list(folder.iterdir()) == []


async def test_an_empty_old_file_is_not_a_new_one(
    folder: Path, editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    (folder / "b.py").touch()
    cli = await dial(await serve(editor))
    _ = await open_diff(cli)
    assert (await shown(editor)).old_text == ""


# Byte for byte.

NEWLINES = st.sampled_from(["", "\n", "\r\n", "\r", "\u2028", "\x85", "\x0b"])
LINES = st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), NEWLINES), max_size=8)
TEXTS = st.builds(
    lambda mark, lines: mark + "".join(text + newline for text, newline in lines),
    st.sampled_from(["", "\ufeff"]),
    LINES,
)


async def accepted_texts(cases: list[tuple[str, str, str | None]]) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        editor = MemoryEditor([str(folder)])
        found = []
        async with (
            IdeServer(editor, [folder], config_dir=folder / "config") as server,
            await connect_to(server) as cli,
        ):
            for old, new, edited in cases:
                (folder / "b.py").write_bytes(old.encode())
                answer = await open_diff(cli, new_file_contents=new)
                editor.accept((await shown(editor)).id, edited)
                found.append(await blocks(answer))
                assert (folder / "b.py").read_bytes() == old.encode()
        return found


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(TEXTS, TEXTS, st.none() | TEXTS), min_size=1, max_size=8))
def test_what_is_accepted_arrives_byte_for_byte(cases: list[tuple[str, str, str | None]]) -> None:
    found = asyncio.run(accepted_texts(cases))
    assert found == [["FILE_SAVED", new if edited is None else edited] for _, new, edited in cases]


@pytest.mark.parametrize("text", ["", "\n", "\r\n", "\ufeff", "a", "\ufeffa\r\nb", "\0", "😀\r"])
async def test_these_texts_arrive_byte_for_byte(text: str) -> None:
    assert await accepted_texts([("x", text, None), (text, text, text)]) == [
        ["FILE_SAVED", text],
        ["FILE_SAVED", text],
    ]


async def test_a_change_of_five_megabytes_arrives_whole(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    text = "line of a big file\r\n" * (5 * 1024 * 1024 // 20)
    cli = await dial(await serve(editor))
    answer = await open_diff(cli, new_file_contents=text)
    editor.accept((await shown(editor)).id)
    assert await blocks(answer) == ["FILE_SAVED", text]
