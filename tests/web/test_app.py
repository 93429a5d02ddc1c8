from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from anyide.errors import RpcError
from anyide.web.gate import NONCE_HEADER, PROOF_HEADER, Gate, prove
from tests.web.conftest import Site


def way_in(site: Site) -> str:
    link = urlsplit(site.page.link())
    return f"{link.path}?{link.query}"


async def test_a_link_opens_once_and_becomes_a_cookie(site: Site) -> None:
    way = way_in(site)
    status, headers, _ = await site.get(way)
    assert (status, headers["Location"]) == (303, "/")
    cookie = str(headers["Set-Cookie"])
    assert cookie.startswith(f"anyide_{site.page.port}=")
    for rule in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert rule in cookie
    assert (await site.get(way))[0] == 403
    assert (await site.get("/", Cookie=cookie.partition(";")[0]))[0] == 200


async def test_who_has_no_link_is_told_how_to_get_one(site: Site) -> None:
    for path in ("/", "/enter", "/enter?key=wrong"):
        status, _, body = await site.get(path, Cookie=f"anyide_{site.page.port}=guess")
        assert (status, b"<code>anyide</code> again" in body) == (403, True)


async def test_a_look_ahead_does_not_use_a_link_up(site: Site) -> None:
    way = way_in(site)
    assert (await site.get(way, method="HEAD"))[0] == 403
    assert (await site.get(way))[0] == 303


async def test_an_old_link_in_a_browser_that_is_in_leads_to_the_page(site: Site) -> None:
    cookie = await site.cookie()
    assert (await site.get("/enter?key=used", Cookie=cookie))[0] == 303


@pytest.mark.parametrize("path", ["/", "/enter", "/health", "/page/index.html", "/nowhere", "/raw"])
async def test_every_answer_has_the_security_headers(site: Site, path: str) -> None:
    _, headers, _ = await site.get(path)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == ("no-cache" if path.startswith("/page/") else "no-store")


BAD_HOSTS = [
    "evil.example",
    "127.0.0.1",
    "evil.example:{port}",
    "127.0.0.1:1",
    "127.0.0.1.evil:{port}",
]


@pytest.mark.parametrize("host", BAD_HOSTS)
async def test_a_host_that_is_not_ours_is_turned_away(site: Site, host: str) -> None:
    host = host.format(port=site.page.port)
    cookie = await site.cookie()
    for path in ("/", "/health", "/page/index.html", way_in(site)):
        assert (await site.get(path, Host=host, Cookie=cookie))[0] == 403


@pytest.mark.parametrize("host", ["localhost", "[::1]", "LOCALHOST"])
async def test_every_name_of_this_machine_will_do(site: Site, host: str) -> None:
    assert (await site.get("/health", Host=f"{host}:{site.page.port}"))[0] == 204


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"]
)
async def test_an_origin_that_is_not_ours_is_turned_away(site: Site, origin: str) -> None:
    origin = origin.format(port=site.page.port)
    cookie = await site.cookie()
    assert (await site.get("/", Origin=origin, Cookie=cookie))[0] == 403
    with pytest.raises(InvalidStatus, match="403"):
        await connect(
            f"ws://{site.host}/live",
            additional_headers={"Cookie": cookie},
            origin=origin,  # type: ignore[arg-type]
            proxy=None,
        )


async def test_the_live_channel_wants_an_origin_and_a_cookie(site: Site) -> None:
    cookie = await site.cookie()
    ours = f"http://{site.host}"
    for headers in ({"Cookie": cookie}, {"Origin": ours}, {"Origin": ours, "Cookie": "anyide=x"}):
        with pytest.raises(InvalidStatus, match="403"):
            await connect(f"ws://{site.host}/live", additional_headers=headers, proxy=None)


ESCAPES = [
    "../server.py",
    "%2e%2e/server.py",
    "..%2fserver.py",
    "%2e%2e%2fserver.py",
    "..%5cserver.py",
    "%252e%252e/server.py",
    "vendor/../../server.py",
    "//etc/passwd",
    "%2fetc%2fpasswd",
    "..%00/server.py",
]


@pytest.mark.parametrize("path", ESCAPES)
async def test_nothing_but_the_page_is_served_as_the_page(site: Site, path: str) -> None:
    status, _, body = await site.get(f"/page/{path}")
    assert status in (400, 404)
    assert b"import" not in body
    assert b"root:" not in body


@pytest.fixture
def outside(tmp_path: Path, project: Path) -> Path:
    """A secret beside the workspace, with links to it from inside."""
    secret = tmp_path / "outside" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("SECRET-OUTSIDE")
    (project / "link.txt").symlink_to(secret)
    (project / "folder-link").symlink_to(secret.parent)
    (project / "project-sibling").symlink_to("../outside")
    (tmp_path / "project-evil").mkdir()
    (tmp_path / "project-evil" / "secret.txt").write_text("SECRET-OUTSIDE")
    return secret


OUTSIDE = [
    "{secret}",
    "../outside/secret.txt",
    "src/../../outside/secret.txt",
    "link.txt",
    "folder-link/secret.txt",
    "project-sibling/secret.txt",
    "{project}/../outside/secret.txt",
    "{project}/link.txt",
    "{project}-evil/secret.txt",
    "file://{secret}",
    "src/a.py\0",
    "/etc/passwd",
    "/proc/self/environ",
    "~/.ssh/id_rsa",
]


@pytest.mark.parametrize("name", OUTSIDE)
async def test_no_file_outside_the_workspace_is_served_or_opened_or_written(
    site: Site, project: Path, outside: Path, name: str
) -> None:
    path = name.format(secret=outside, project=project)
    cookie = await site.cookie()
    for written in (quote(path), quote(path, safe=""), quote(quote(path, safe=""), safe="")):
        status, _, body = await site.get(f"/raw?path={written}", Cookie=cookie)
        assert (status, b"SECRET" in body) == (404, False)
    window = await site.window()
    for method in ("open", "tree", "revert", "takeDraft"):
        with pytest.raises(RpcError):
            await window.ask(method, path=path)
    document = await window.ask("newDocument")
    await window.ask(
        "change", path=document["path"], version=document["version"], changes=[[0, 0, "x"]]
    )
    if not name.startswith(("file:", "~")):  # relative names, and so inside
        with pytest.raises(RpcError):
            await window.ask(
                "saveAs", path=document["path"], target=path + "2" * ("link" not in path)
            )
    assert outside.read_text() == "SECRET-OUTSIDE"
    assert [found.name for found in outside.parent.iterdir()] == ["secret.txt"]


async def test_a_link_inside_the_workspace_may_be_followed(site: Site, project: Path) -> None:
    (project / "alias.py").symlink_to("src/a.py")
    window = await site.window()
    document = await window.ask("open", path=str(project / "alias.py"))
    assert document["text"] == "one\ntwo\nthree\n"
    changes = [[0, 3, "1"]]
    await window.ask("change", path=document["path"], version=document["version"], changes=changes)
    assert (await window.ask("save", path=document["path"]))["saved"]
    assert (project / "alias.py").is_symlink()
    assert (project / "src/a.py").read_text() == "1\ntwo\nthree\n"


async def test_pictures_are_shown_and_all_else_is_a_download(site: Site, project: Path) -> None:
    (project / "a.png").write_bytes(b"\x89PNG\0")
    (project / "x.html").write_text("<script>1</script>")
    cookie = await site.cookie()
    status, headers, body = await site.get("/raw?path=a.png", Cookie=cookie)
    assert (status, headers["Content-Type"], body) == (200, "image/png", b"\x89PNG\0")
    assert "sandbox" in headers["Content-Security-Policy"]
    _, headers, _ = await site.get("/raw?path=x.html", Cookie=cookie)
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Content-Disposition"].startswith("attachment")
    assert (await site.get("/raw?path=a.png"))[0] == 403
    assert (await site.get("/raw?path=src", Cookie=cookie))[0] == 404


async def test_only_who_knows_the_secret_is_given_a_link(site: Site) -> None:
    assert (await site.get("/link", method="POST"))[0] == 403
    wrong = {NONCE_HEADER: "n", PROOF_HEADER: prove("guess", site.page.port, "n")}
    assert (await site.get("/link", method="POST", **wrong))[0] == 403
    assert (await site.get("/link", Cookie=await site.cookie()))[0] == 405


async def test_whether_the_cookie_still_opens_can_be_asked(site: Site) -> None:
    assert (await site.get("/session"))[0] == 403
    assert (await site.get("/session", Cookie=await site.cookie()))[0] == 204


async def test_a_message_that_is_too_big_ends_the_channel_only(site: Site, project: Path) -> None:
    window = await site.window()
    document = await window.ask("open", path=str(project / "src/a.py"))
    with pytest.raises(RpcError, match="may not have more than"):
        await window.ask(
            "change",
            path=document["path"],
            version=document["version"],
            changes=[[0, 0, "x" * (33 * 1024 * 1024)]],
        )
    assert (await window.ask("open", path=document["path"]))["text"] == "one\ntwo\nthree\n"


def test_other_machines_get_in_only_by_address_or_our_own_name() -> None:
    gate = Gate(80, "c", "k", remote=True)
    assert gate.allows_host("192.168.0.7:80")
    assert gate.allows_host("[fe80::1]:80")
    assert not gate.allows_host("evil.example:80")
    assert not Gate(80, "c", "k").allows_host("192.168.0.7:80")
