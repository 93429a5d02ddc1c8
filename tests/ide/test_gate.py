from __future__ import annotations

from http import HTTPStatus

import pytest

from anyide.ide.gate import refuse
from anyide.rpc.transport.websocket.server import Dismiss, Refuse, Upgrade

PORT, TOKEN = 4711, "the-token"
GOOD = {"host": f"127.0.0.1:{PORT}", "x-claude-code-ide-authorization": TOKEN}


def judge(path: str = "/", **headers: str | None) -> Refuse | Dismiss | None:
    merged = GOOD | {name.replace("_", "-"): value for name, value in headers.items()}
    given = {name: value for name, value in merged.items() if value is not None}
    return refuse(Upgrade(path, given), port=PORT, token=TOKEN)


@pytest.mark.parametrize("path", ["/", "/mcp", "/?a=b", "/mcp?x"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
@pytest.mark.parametrize("offered", [None, "mcp", "other, mcp", "mcp,other"])
def test_who_knows_the_token_is_let_in(path: str, host: str, offered: str | None) -> None:
    assert judge(path, host=f"{host}:{PORT}", sec_websocket_protocol=offered) is None


@pytest.mark.parametrize("path", ["/x", "/mcp/", "//", "", "/sse", "/MCP", "/../"])
def test_other_paths_are_not_found(path: str) -> None:
    refusal = judge(path)
    assert isinstance(refusal, Refuse)
    assert refusal.status == HTTPStatus.NOT_FOUND


ORIGINS = [
    "http://evil.example",
    "null",
    "",
    "http://127.0.0.1",
    f"127.0.0.1:{PORT}",
    f"https://127.0.0.1:{PORT}",
    f"http://127.0.0.1:{PORT + 1}",
    f"http://evil.example:{PORT}",
    f"http://127.0.0.1:{PORT},http://evil.example",
]


def test_our_own_address_is_no_page_but_needs_the_token_all_the_same() -> None:
    assert judge(origin=f"http://127.0.0.1:{PORT}") is None
    assert isinstance(
        judge(origin=f"http://127.0.0.1:{PORT}", x_claude_code_ide_authorization="wrong"), Dismiss
    )


@pytest.mark.parametrize("origin", ORIGINS)
def test_the_origin_of_a_page_is_refused(origin: str) -> None:
    refusal = judge(origin=origin)
    assert isinstance(refusal, Refuse)
    assert refusal.status == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        f"evil.example:{PORT}",
        f"127.0.0.1.evil.example:{PORT}",
        "127.0.0.1",
        "localhost:1",
        f"127.0.0.1:{PORT},127.0.0.1:{PORT}",
        f"127.0.0.2:{PORT}",
        f"0.0.0.0:{PORT}",
    ],
)
def test_a_foreign_host_is_refused(host: str | None) -> None:
    refusal = judge(host=host)
    assert isinstance(refusal, Refuse)
    assert refusal.status == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("offered", ["", "chat", "mcp2", "MCP", "chat, soap"])
def test_a_foreign_subprotocol_is_refused(offered: str) -> None:
    refusal = judge(sec_websocket_protocol=offered)
    assert isinstance(refusal, Refuse)
    assert refusal.status == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize(
    "token", [None, "", "wrong", TOKEN + "x", TOKEN[:-1], f"{TOKEN},{TOKEN}", "ü"]
)
def test_without_the_token_the_answer_is_1008(token: str | None) -> None:
    refusal = judge(x_claude_code_ide_authorization=token)
    assert refusal == Dismiss(1008, "Invalid or missing authentication token")


def test_an_empty_token_of_ours_lets_nobody_in() -> None:
    given = {"host": GOOD["host"], "x-claude-code-ide-authorization": ""}
    assert refuse(Upgrade("/", given), port=PORT, token="") is not None
