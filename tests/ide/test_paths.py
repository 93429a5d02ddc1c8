from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.errors import InvalidParams
from anyide.ide.paths import (
    Flavour,
    flavour_of,
    from_wire,
    normalise,
    path_to_uri,
    relative_to,
    to_wire,
    uri_to_path,
    windows_to_wsl,
    wsl_distro,
    wsl_to_windows,
)

POSIX, WINDOWS, WSL = Flavour.POSIX, Flavour.WINDOWS, Flavour.WSL

posix_names = st.one_of(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1),
    st.binary(min_size=1).map(lambda raw: os.fsdecode(raw.translate(None, b"/\0") or b"x")),
)
posix_paths = st.lists(posix_names).map(lambda names: "/" + "/".join(names))
windows_names = st.text(
    st.characters(exclude_characters='/\\:*?"<>|', min_codepoint=32, exclude_categories=()),
    min_size=1,
)
drives = st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
windows_paths = st.builds(
    lambda drive, names: f"{drive}:\\" + "\\".join(names), drives, st.lists(windows_names)
)
shares = st.builds(
    lambda host, names: rf"\\{host}\share" + "".join("\\" + name for name in names),
    st.sampled_from(["server", "nas-1.lan", "192.168.0.7"]),
    st.lists(windows_names),
)
homes = st.lists(windows_names).map(lambda names: "/home" + "".join("/" + name for name in names))


@pytest.mark.parametrize(
    ("native", "wire"),
    [
        (r"C:\Users\foo\project", "/c/Users/foo/project"),
        ("C:/Users/foo", "/c/Users/foo"),
        (r"c:\Users", "/c/Users"),
        ("D:\\", "/d/"),
        ("D:", "/d"),
        (r"\\server\share\x y", "//server/share/x y"),
        (r"\\wsl$\Ubuntu\home\x", "/home/x"),
        (r"\\wsl.localhost\Ubuntu-24.04\home\x", "/home/x"),
        (r"\\wsl$\Ubuntu", "/"),
        (r"\\?\C:\very\long", "/c/very/long"),
        (r"\\?\UNC\server\share\x", "//server/share/x"),
        (r"src\a.py", "src/a.py"),
        ("", ""),
    ],
)
def test_a_windows_path_goes_out_with_forward_slashes_and_its_drive_as_a_folder(
    native: str, wire: str
) -> None:
    assert to_wire(native, WINDOWS) == wire


@pytest.mark.parametrize(
    ("wire", "native"),
    [
        ("/c/Users/foo", r"C:\Users\foo"),
        ("/c", "C:\\"),
        ("/c/", "C:\\"),
        (r"c:\Users\foo", r"C:\Users\foo"),
        ("c:/Users/foo", r"C:\Users\foo"),
        ("//server/share/x", r"\\server\share\x"),
        ("/home/x", r"\home\x"),
        ("src/a.py", r"src\a.py"),
    ],
)
def test_a_wire_path_comes_in_as_windows_names_it(wire: str, native: str) -> None:
    assert from_wire(wire, WINDOWS) == native


def test_a_path_of_a_wsl_distribution_comes_in_as_its_share() -> None:
    assert from_wire("/home/x", WINDOWS, distro="Ubuntu") == r"\\wsl.localhost\Ubuntu\home\x"
    assert from_wire("/mnt/c/Users", WINDOWS, distro="Ubuntu") == r"C:\Users"
    assert from_wire("//server/share", WINDOWS, distro="Ubuntu") == r"\\server\share"


@pytest.mark.parametrize(
    ("given_path", "wire"),
    [
        (r"C:\Users\foo", "/mnt/c/Users/foo"),
        (r"\\wsl$\Ubuntu\home\x", "/home/x"),
        (r"\\wsl.localhost\Ubuntu\home\x", "/home/x"),
        ("/home/x", "/home/x"),
        ("/home/back\\slash", "/home/back\\slash"),
        ("C:", "/mnt/c"),
        ("c:relative", "c:relative"),
    ],
)
def test_inside_wsl_a_windows_path_is_found_under_its_mount(given_path: str, wire: str) -> None:
    assert to_wire(given_path, WSL) == wire
    assert from_wire(given_path, WSL) == wire


@given(posix_paths)
def test_posix_paths_are_the_same_on_the_wire(path: str) -> None:
    assert to_wire(path, POSIX) == path == from_wire(path, POSIX)


@given(windows_paths | shares)
def test_windows_paths_survive_the_wire(path: str) -> None:
    assert from_wire(to_wire(path, WINDOWS), WINDOWS) == path


@given(homes)
def test_paths_of_a_wsl_share_survive_the_wire_on_windows(path: str) -> None:
    share = from_wire(path, WINDOWS, distro="Ubuntu")
    assert share.startswith(r"\\wsl.localhost\Ubuntu\home")
    assert to_wire(share, WINDOWS) == path


@given(windows_paths)
def test_windows_paths_survive_the_way_into_wsl_and_back(path: str) -> None:
    assert wsl_to_windows(windows_to_wsl(path), "Ubuntu") == path


@given(homes)
def test_wsl_paths_survive_the_way_to_windows_and_back(path: str) -> None:
    assert windows_to_wsl(wsl_to_windows(path, "Ubuntu")) == path


@pytest.mark.parametrize(
    ("path", "flavour", "uri"),
    [
        ("/path/to/file.ts", POSIX, "file:///path/to/file.ts"),
        ("/a b/ü#?%.py", POSIX, "file:///a%20b/%C3%BC%23%3F%25.py"),
        ("//double/root", POSIX, "file:////double/root"),
        (r"C:\Users\foo\file.ts", WINDOWS, "file:///c:/Users/foo/file.ts"),
        (r"C:\100% #1\a b.ts", WINDOWS, "file:///c:/100%25%20%231/a%20b.ts"),
        (r"\\server\share\x", WINDOWS, "file://server/share/x"),
        (r"\\wsl.localhost\Ubuntu\home\x", WINDOWS, "file://wsl.localhost/Ubuntu/home/x"),
        (r"\\wsl$\Ubuntu\home\x", WINDOWS, "file://wsl%24/Ubuntu/home/x"),
        ("/mnt/c/Users/foo", WSL, "file:///mnt/c/Users/foo"),
    ],
)
def test_a_path_and_its_uri_name_each_other(path: str, flavour: Flavour, uri: str) -> None:
    assert path_to_uri(path, flavour) == uri
    assert uri_to_path(uri, flavour) == path


@pytest.mark.parametrize(
    ("uri", "flavour", "path"),
    [
        ("file:///c%3A/Users/foo", WINDOWS, r"C:\Users\foo"),
        ("file:///C%3a/Users/foo", WINDOWS, r"C:\Users\foo"),
        ("file:///C:/Users/foo", WINDOWS, r"C:\Users\foo"),
        ("file:///c:", WINDOWS, "C:\\"),
        ("file:/C:/Users/foo", WINDOWS, r"C:\Users\foo"),
        (r"file://C:\Users\foo", WINDOWS, r"C:\Users\foo"),
        ("file://C:/Users/foo", WINDOWS, r"C:\Users\foo"),
        ("file://localhost/c:/Users", WINDOWS, r"C:\Users"),
        (r"C:\Users\foo", WINDOWS, r"C:\Users\foo"),
        ("/c/Users/foo", WINDOWS, r"C:\Users\foo"),
        ("file:///x%FF", WINDOWS, "\\x\N{REPLACEMENT CHARACTER}"),
        ("file:///c%3A/Users/foo", WSL, "/mnt/c/Users/foo"),
        ("file://wsl%24/Ubuntu/home/x", WSL, "/home/x"),
        ("file://wsl.localhost/Ubuntu/home/x", WSL, "/home/x"),
        ("file:///home/x", WSL, "/home/x"),
        (r"C:\Users\foo", WSL, "/mnt/c/Users/foo"),
        ("file://localhost/a/b", POSIX, "/a/b"),
        ("FILE:///a/b", POSIX, "/a/b"),
        ("file:/a/b", POSIX, "/a/b"),
        ("file:///c:/x", POSIX, "/c:/x"),
        ("file://server/share", POSIX, "//server/share"),
        ("file:///a b/c#d?e%zz", POSIX, "/a b/c#d?e%zz"),
        ("/plain/100%25", POSIX, "/plain/100%25"),
        ("notes:today.md", POSIX, "notes:today.md"),
    ],
)
def test_what_clients_really_send_is_understood(uri: str, flavour: Flavour, path: str) -> None:
    assert uri_to_path(uri, flavour) == path


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "https://example.org/a", "git://x/y"])
def test_a_uri_of_another_kind_is_refused(uri: str) -> None:
    with pytest.raises(InvalidParams, match="not a file URI"):
        uri_to_path(uri, POSIX)


@given(posix_paths)
def test_posix_paths_survive_as_uris(path: str) -> None:
    uri = path_to_uri(path, POSIX)
    assert uri.isascii()
    assert uri_to_path(uri, POSIX) == path


@given(windows_paths | shares)
def test_windows_paths_survive_as_uris(path: str) -> None:
    uri = path_to_uri(path, WINDOWS)
    assert uri.isascii()
    assert uri_to_path(uri, WINDOWS) == path


@given(homes | windows_paths.map(windows_to_wsl))
def test_wsl_paths_survive_as_uris(path: str) -> None:
    names_valid_in_wsl = path.encode("utf-8", "replace").decode()
    assert uri_to_path(path_to_uri(names_valid_in_wsl, WSL), WSL) == names_valid_in_wsl


@given(st.text(st.characters(exclude_categories=())), st.sampled_from(Flavour))
def test_no_text_breaks_any_function(text: str, flavour: Flavour) -> None:
    to_wire(text, flavour)
    from_wire(text, flavour, distro="Ubuntu")
    path_to_uri(text, flavour)
    uri_to_path("file://" + text, flavour)
    relative_to(text, "/a", flavour)


@pytest.mark.parametrize(
    ("path", "folder", "flavour", "relative"),
    [
        ("/ws/src/a.py", "/ws", POSIX, "src/a.py"),
        ("/ws/src/../.env", "/ws/", POSIX, ".env"),
        ("/ws", "/ws", POSIX, ""),
        ("/ws/", "/ws", POSIX, ""),
        ("/ws2/a", "/ws", POSIX, None),
        ("/ws/../etc/passwd", "/ws", POSIX, None),
        ("/WS/a", "/ws", POSIX, None),
        ("/a", "/", POSIX, "a"),
        ("/cafe\u0301/a", "/caf\u00e9", POSIX, "a"),
        (r"C:\Users\Foo\a", "/c/users/foo", WINDOWS, "a"),
        (r"C:\STRASSE\a", "C:\\stra\u00dfe", WINDOWS, "a"),
        (r"D:\x", "C:\\", WINDOWS, None),
        (r"C:\work\a", "/mnt/c/work", WSL, "a"),
    ],
)
def test_a_path_is_inside_a_folder_or_not(
    path: str, folder: str, flavour: Flavour, relative: str | None
) -> None:
    assert relative_to(path, folder, flavour) == relative


@given(st.text("./ab"))
def test_normalising_twice_changes_nothing_more(path: str) -> None:
    once = normalise(path)
    assert normalise(once) == once
    assert ".." not in once.split("/")


def test_the_flavour_follows_the_platform() -> None:
    assert flavour_of("win32", {}) is WINDOWS
    assert flavour_of("linux", {"WSL_DISTRO_NAME": "Ubuntu"}) is WSL
    assert flavour_of("linux", {}) is POSIX
    assert flavour_of("darwin", {}) is POSIX


def test_a_path_into_a_distribution_tells_which() -> None:
    assert wsl_distro(r"\\wsl$\Ubuntu\home\x") == "Ubuntu"
    assert wsl_distro("//wsl.localhost/Debian") == "Debian"
    assert wsl_distro(r"C:\Users") is None
