from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.editor.model import FileDiagnostics, Position, Range, Selection, Tab
from anyide.errors import ConfigError
from anyide.ide.paths import Flavour
from anyide.ide.policy import Policy
from anyide.setting import DEFAULT_DENY

DENY = (".env*", "!.env.example", "*.pem", "id_rsa*", ".ssh/")


def policy(
    *deny: str,
    folders: tuple[str, ...] = ("/ws",),
    project: dict[str, list[str]] | None = None,
    limit: int = 1000,
    flavour: Flavour = Flavour.POSIX,
) -> Policy:
    return Policy(folders, deny or DENY, limit, project or {}, flavour=flavour)


def selection(text: str, path: str = "/ws/a.py", at: tuple[int, int] = (3, 5)) -> Selection:
    start = Position(*at)
    return Selection(path, text, Range(start, Position(99, 0)))


def tab(path: str) -> Tab:
    return Tab(path, path, "python", is_active=False, is_dirty=False)


@pytest.mark.parametrize(
    "path",
    [
        "/ws/.env",
        "/ws/deep/down/.env.local",
        "/ws/src/../.env",
        "/ws/.ENV",
        "/ws/keys/Server.PEM",
        "/ws/.ssh/config",
        "/outside/.env",
        "/home/x/.ssh/config",
        "/outside/cert.pem",
        "/ws/../home/x/id_rsa",
    ],
)
def test_secrets_are_denied_wherever_and_however_they_are_written(path: str) -> None:
    assert not policy().allows(path)


@pytest.mark.parametrize(
    "path",
    ["/ws/a.py", "/ws/environment.py", "/outside/a.py", "/ws/.env.example", "untitled:Untitled-1"],
)
def test_other_files_are_allowed(path: str) -> None:
    assert policy().allows(path)


def test_a_workspace_below_a_folder_with_a_denied_name_is_still_a_workspace() -> None:
    assert policy("build/", folders=("/home/build/ws",)).allows("/home/build/ws/a.py")


def test_anchored_patterns_hold_from_each_workspace_folder() -> None:
    ours = policy("/private", folders=("/one", "/two"))
    assert not ours.allows("/one/private")
    assert not ours.allows("/two/private/deep")
    assert ours.allows("/one/src/private")


def test_a_pattern_of_several_folders_holds_anywhere_outside() -> None:
    assert not policy(".config/gcloud/").allows("/home/x/.config/gcloud/key.json")
    assert policy(".config/gcloud/").allows("/home/x/.config/other/key.json")


def test_every_default_is_a_pattern_and_keeps_the_usual_secrets() -> None:
    ours = policy(*DEFAULT_DENY)
    for path in ["/ws/.env", "/home/x/.aws/config", "/home/x/.config/gcloud/a", "/ws/k/id_ed25519"]:
        assert not ours.allows(path)
    assert ours.allows("/ws/src/environment.py")


def test_a_project_may_deny_more() -> None:
    ours = policy(project={"/ws": ["/notes/", "*.csv"]})
    assert not ours.allows("/ws/notes/a.md")
    assert not ours.allows("/ws/data/a.csv")
    assert ours.allows("/outside/a.csv")


def test_a_project_may_take_back_what_it_denied_itself_but_nothing_else() -> None:
    ours = policy(project={"/ws": ["*.csv", "!public.csv", "!.env", "!*.pem", "!*", "!**"]})
    assert ours.allows("/ws/public.csv")
    assert not ours.allows("/ws/.env")
    assert not ours.allows("/ws/x.pem")


def test_the_persons_own_later_pattern_takes_a_default_back() -> None:
    assert policy(*DENY, "!demo.pem").allows("/ws/demo.pem")


def test_a_file_in_a_denied_folder_is_not_taken_back_as_in_git() -> None:
    assert not policy("secret/", "!secret/a.py").allows("/ws/secret/a.py")
    assert policy("secret/*", "!secret/a.py").allows("/ws/secret/a.py")


def test_a_symbolic_link_to_a_secret_is_denied() -> None:
    assert not policy().allows("/ws/readme.md", "/ws/.env")
    assert not policy().allows("/ws/readme.md", "/home/x/.ssh/id_rsa")
    assert policy().allows("/ws/readme.md", "/ws/docs/readme.md")


def test_a_folder_is_told_by_its_slash() -> None:
    assert not policy().allows("/ws/.ssh/")
    assert not policy().allows("/outside/.ssh/")


@pytest.mark.parametrize(
    "path",
    [r"C:\ws\.env", "C:\\ws\\id_rsa.", r"C:\ws\cert.pem::$DATA", "/c/ws/x.PEM ", r"D:\.ssh\x"],
)
def test_the_other_spellings_of_windows_are_denied_too(path: str) -> None:
    ours = policy(folders=(r"C:\ws",), flavour=Flavour.WINDOWS)
    assert not ours.allows(path)
    assert ours.allows(r"C:\WS\a.py")


def test_both_unicode_spellings_of_a_name_are_the_same_name() -> None:
    assert not policy("\u00fcber.txt").allows("/ws/u\u0308ber.txt")
    assert not policy("u\u0308ber.txt").allows("/ws/\u00fcber.txt")


def test_a_broken_pattern_of_a_project_is_skipped_and_told() -> None:
    ours = policy(project={"/ws": ["!", "*.csv", "a\\"]})
    assert not ours.allows("/ws/a.csv")
    assert len(ours.problems) == 2
    assert all(told.startswith("/ws: not a gitignore pattern") for told in ours.problems)


def test_a_broken_pattern_of_the_person_is_an_error_that_names_it() -> None:
    with pytest.raises(ConfigError, match="not a gitignore pattern: '!'"):
        policy("!")


@given(st.lists(st.text(), max_size=8))
def test_nothing_a_project_says_breaks_or_loosens_the_policy(lines: list[str]) -> None:
    ours = policy(project={"/ws": lines})
    assert not ours.allows("/ws/.env")
    assert not ours.allows("/ws/deep/.ssh/key")


@given(st.text(st.characters(exclude_categories=())), st.sampled_from(Flavour))
def test_no_path_breaks_the_policy(path: str, flavour: Flavour) -> None:
    policy(flavour=flavour).allows(path, "/" + path)


def test_while_paused_nothing_is_shared() -> None:
    paused = policy().pause()
    assert not paused.allows("/ws/a.py")
    assert paused.selection(selection("x")) is None
    assert paused.tabs([tab("/ws/a.py")]) == ()
    assert paused.diagnostics([FileDiagnostics("/ws/a.py", ())]) == ()
    assert paused.pause(paused=False).allows("/ws/a.py")


def test_a_selection_in_a_denied_file_is_not_told() -> None:
    assert policy().selection(selection("SECRET", "/ws/.env")) is None
    assert policy().selection(selection("SECRET"), "/ws/.env") is None


def test_a_selection_within_the_cap_is_untouched() -> None:
    ours = selection("x" * 10)
    assert policy(limit=10).selection(ours) is ours


@pytest.mark.parametrize(
    ("text", "limit", "kept", "end"),
    [
        ("abcdef", 4, "abcd", (3, 9)),
        ("ab\ncdef", 5, "ab\ncd", (4, 2)),
        ("ab\r\ncd", 3, "ab", (3, 7)),
        ("ab\r\ncd", 4, "ab\r\n", (4, 0)),
        ("ab\rcd", 4, "ab\rc", (4, 1)),
        ("a😀b😀c", 4, "a😀b😀", (3, 11)),
        ("x\n😀😀", 3, "x\n😀", (4, 2)),
        ("abc", 0, "", (3, 5)),
        ("\r\n", 0, "", (3, 5)),
        ("\r\nx", 1, "", (3, 5)),
    ],
)
def test_a_longer_selection_is_cut_and_its_range_ends_at_the_cut(
    text: str, limit: int, kept: str, end: tuple[int, int]
) -> None:
    cut = policy(limit=limit).selection(selection(text))
    assert cut == Selection("/ws/a.py", kept, Range(Position(3, 5), Position(*end)))


@given(st.text(st.sampled_from("ab\r\n😀é")), st.integers(0, 20))
def test_a_cut_selection_is_a_prefix_whose_range_is_its_text(text: str, limit: int) -> None:
    cut = policy(limit=limit).selection(selection(text, at=(0, 0)))
    assert cut is not None
    assert text.startswith(cut.text)
    assert limit - 1 <= len(cut.text) <= limit or cut.text == text
    if cut.text != text:
        lines = cut.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        units = len(lines[-1].encode("utf-16-le")) // 2
        assert cut.range.end == Position(len(lines) - 1, units)


def test_denied_files_are_left_out_of_tabs_and_diagnostics() -> None:
    tabs = [tab("/ws/a.py"), tab("/ws/.env"), tab("/ws/link")]
    assert policy().tabs(tabs, {"/ws/link": "/ws/x.pem"}) == (tabs[0],)
    files = [FileDiagnostics(each.path, ()) for each in tabs]
    assert policy().diagnostics(files, {"/ws/link": "/ws/x.pem"}) == (files[0],)
