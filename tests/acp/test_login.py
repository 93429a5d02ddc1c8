"""Logging in and out by way of the real CLI, in a home of the test's own."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import acp
import pexpect
import pytest

from tests.real.claude import cli_path

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acp.conftest import StartEditor
    from tests.real.claude import Home
    from tests.real.model import StandInModel

NOBODY = {"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": ""}
ACCOUNT = {
    "accessToken": "access",
    "refreshToken": "refresh",
    "expiresAt": 4102444800000,
    "scopes": ["user:inference"],
    "subscriptionType": "max",
}


def log_in(home: Home) -> Path:
    """What the CLI writes when somebody has logged in."""
    file = home.path / ".claude" / ".credentials.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"claudeAiOauth": ACCOUNT}))
    return file


async def test_the_ways_to_log_in_are_told_to_clients_that_have_terminals(
    start_editor: StartEditor,
) -> None:
    editor = await start_editor(auth={"terminal": True})
    methods = editor.wire[0]["result"]["authMethods"]
    assert [(method["type"], method["args"]) for method in methods] == [
        ("terminal", ["--login", "claudeai"]),
        ("terminal", ["--login", "console"]),
    ]
    assert (await start_editor()).wire[0]["result"]["authMethods"] == []


async def test_authenticate_tells_whether_somebody_is_logged_in(
    start_editor: StartEditor, home: Home
) -> None:
    editor = await start_editor(env=NOBODY, auth={"terminal": True})
    with pytest.raises(acp.RequestError, match="anyide acp --login console") as caught:
        await editor.agent.authenticate(method_id="console")
    assert caught.value.code == -32000
    with pytest.raises(acp.RequestError, match="no way 'magic'") as caught:
        await editor.agent.authenticate(method_id="magic")
    assert caught.value.code == -32602
    log_in(home)
    await editor.agent.authenticate(method_id="claudeai")


async def test_logging_out_forgets_the_account_and_ends_its_use(
    start_editor: StartEditor, home: Home, project: Path
) -> None:
    account = log_in(home)
    editor = await start_editor(env=NOBODY)
    session = await editor.open(project)
    assert await editor.prompt(session, "SAY before") == "end_turn"
    assert await editor.request("logout", {}) == {}
    assert not account.exists()
    with pytest.raises(acp.RequestError) as caught:
        await editor.prompt(session, "SAY after")
    assert caught.value.code == -32000


@pytest.mark.parametrize(
    ("words", "shown"),
    [([], "claude.com"), (["claudeai"], "claude.com"), (["console"], "platform.claude.com")],
)
def test_the_log_in_of_the_cli_is_shown_in_the_terminal(
    home: Home, model: StandInModel, words: list[str], shown: str
) -> None:
    command = ["-m", "anyide", "acp", "--claude", str(cli_path()), "--login", *words]
    env: Any = home.environment(model, **NOBODY)
    terminal = pexpect.spawn(sys.executable, command, env=env, timeout=30, encoding="utf-8")
    try:
        terminal.expect_exact(f"https://{shown}/")
        terminal.expect("Paste code here")
    finally:
        terminal.close(force=True)
