from __future__ import annotations

from typing import Any

import pytest

from anyide.acp import messages as m
from anyide.acp.client import Abilities, Client, abilities_of
from anyide.acp.read import read
from anyide.acp.wishes import Wishes
from anyide.errors import InvalidAnswer
from anyide.rpc.connection import Connection
from anyide.rpc.framing import Lines
from anyide.rpc.transport.memory import join


def abilities(declared: Any) -> Abilities:
    return abilities_of(read(declared, m.ClientCapabilities))


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({}, Abilities()),
        ({"fs": {"readTextFile": True}}, Abilities()),
        ({"fs": {"readTextFile": True, "writeTextFile": True}}, Abilities(files=True)),
        ({"fs": {"readTextFile": "yes", "writeTextFile": 1}}, Abilities()),
        ({"fs": None, "session": None, "elicitation": None}, Abilities()),
        ({"terminal": True}, Abilities(terminal=True)),
        ({"terminal": "true"}, Abilities()),
        ({"elicitation": {"form": {}}}, Abilities(forms=True)),
        ({"elicitation": {"form": None, "url": {"new": 1}}}, Abilities(links=True)),
        ({"auth": {"terminal": True}}, Abilities(terminal_login=True)),
        ({"_meta": {"terminal-auth": True}}, Abilities(terminal_login=True)),
        (
            {"session": {"notices": {}, "compaction": {}}},
            Abilities(wishes=Wishes(notices=True, compaction=True)),
        ),
    ],
)
def test_only_what_is_declared_is_there(declared: Any, expected: Abilities) -> None:
    assert abilities(declared) == expected


async def test_a_client_that_declares_nothing_has_no_abilities() -> None:
    assert abilities_of(None) == Abilities()


async def asked(answers: dict[str, Any]) -> Client:
    """A client that answers each method as it is told."""
    ours = Connection({}, framing=Lines())
    handlers = {method: (lambda _, a=answer: a) for method, answer in answers.items()}
    join(ours, Connection(handlers, framing=Lines()))
    return Client(ours)


async def test_an_answer_that_makes_no_sense_is_an_error_and_no_permission() -> None:
    call = m.ToolCallUpdate(tool_call_id="t")
    for wrong in ({}, {"outcome": {"outcome": "selected"}}, {"outcome": 3}):
        client = await asked({"session/request_permission": wrong})
        with pytest.raises(InvalidAnswer, match="outcome"):
            await client.request_permission("s", call, [])
    for other in ({"outcome": "cancelled"}, {"outcome": "of another kind", "optionId": "allow"}):
        client = await asked({"session/request_permission": {"outcome": other}})
        try:
            assert await client.request_permission("s", call, []) is None
        except InvalidAnswer:
            assert other["outcome"] != "cancelled"


async def test_files_and_terminals_are_asked_for() -> None:
    client = await asked(
        {
            "fs/read_text_file": {"content": "text", "later": 1},
            "fs/write_text_file": None,
            "terminal/create": {"terminalId": "t1"},
            "terminal/wait_for_exit": {"exitCode": 3, "signal": None},
        }
    )
    assert await client.read_text_file("s", "/a") == "text"
    await client.write_text_file("s", "/a", "text")
    request = m.CreateTerminalRequest(session_id="s", command="ls")
    assert await client.create_terminal(request) == "t1"
    assert (await client.wait_for_exit("s", "t1")).exit_code == 3
