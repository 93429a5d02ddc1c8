from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from anyide.config import Loaded, Origin, load
from anyide.errors import ConfigError
from anyide.setting import DEFAULT_DENY
from anyide.toml import MAX_FILE_BYTES


class Place:
    """A user's file, a project's folder and an environment, all made up."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "project"
        self.folder.mkdir()
        self.user_file = root / "config.toml"
        self.user_file.touch()
        self.project_file = self.folder / ".anyide.toml"
        self.environ = {"ANYIDE_CONFIG_FILE": str(self.user_file)}

    def load(self, **flags: object) -> Loaded:
        typed = {name.replace("__", "."): value for name, value in flags.items()}
        return load(self.folder, flags=typed, environ=self.environ)

    def fails(self) -> ConfigError:
        with pytest.raises(ConfigError) as caught:
            self.load()
        return caught.value


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_any_file_every_value_is_the_default(place: Place) -> None:
    loaded = place.load()
    assert loaded.config.ide == ("anyide", 0, "vscode")
    assert loaded.config.sharing.deny == DEFAULT_DENY
    origins = {origin for value in loaded.values.values() for origin in value.origins}
    assert origins == {Origin("default")}


def test_flags_win_over_variables_over_the_project_over_the_user(place: Place) -> None:
    place.user_file.write_text("ide.port = 1\n")
    assert place.load().values["ide.port"] == (1, (Origin(str(place.user_file), 1),))
    place.project_file.write_text("# ours\n[ide]\nport = 2\n")
    assert place.load().values["ide.port"] == (2, (Origin(str(place.project_file), 3),))
    place.environ["ANYIDE_IDE_PORT"] = "3"
    assert place.load().values["ide.port"] == (3, (Origin("ANYIDE_IDE_PORT"),))
    assert place.load(ide__port="4").values["ide.port"] == (4, (Origin("--port"),))


def test_a_flag_that_was_not_typed_counts_for_nothing(place: Place) -> None:
    assert place.load(ide__port=None).config.ide.port == 0


def test_an_empty_variable_is_not_set(place: Place) -> None:
    place.environ["ANYIDE_IDE_NAME"] = ""
    assert place.load().config.ide.name == "anyide"


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("\nide.prot = 1\n", 2, "unknown key 'ide.prot', did you mean 'ide.port'?"),
        ("[ide]\nname = 'x'\nport = '1'\n", 3, "ide.port must be a whole number"),
        ("[ide]\nport = true\n", 2, "not True"),
        ("[ide]\nport = 65536\n", 2, "from 0 to 65535, not 65536"),
        ("x = '''\n[ide]\n'''\n", 1, "unknown key 'x'"),
        ("port = 1\n", 1, "did you mean 'ide.port'?"),
        ("ide = 3\n", 1, "'ide' must be a table"),
        ("[[ide]]\nport = 1\n", 1, "'ide' must be a table"),
        ("sharing = {deny = [\n'a',\n], paused = 1}\n", 1, "sharing.paused must be true or false"),
        ("[sharing]\ndeny = ['a\\nb']\npaused = 'x'", 3, "sharing.paused"),
        ('[sharing]\ndeny = ["a\\n!.env"]\n', 2, "each a text of one line"),
        ("[sharing]\ndeny = [1]\n", 2, "sharing.deny must be a list"),
        ("[ide.name]\nx = 1\n", 1, "ide.name must be a text that is not empty, not a table"),
        ("ide.dialect = 'emacs'\n", 1, "one of vscode, jetbrains, obsidian, not 'emacs'"),
        ("log_level = 1979-05-27\n", 1, "not a date or time"),
        ("[ide]\nport = \n", 2, "not TOML"),
        ("\n\nide.name = '''x", 3, "not TOML"),
    ],
)
def test_a_mistake_in_a_file_names_its_line(
    place: Place, text: str, line: int, problem: str
) -> None:
    place.user_file.write_text(text)
    error = place.fails()
    assert (error.source, error.line) == (str(place.user_file), line)
    assert problem in str(error)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"ide.name = 'a'\nx = '\xff'\n", "line 2: not UTF-8"),
        (b"#" * (MAX_FILE_BYTES + 1), "more than"),
        (b"x = " + b"[" * 100_000, "nested too deeply"),
        (b"x = " + b"1" * 5000, "not TOML"),
    ],
)
def test_a_hostile_file_is_refused_with_a_sentence(
    place: Place, content: bytes, problem: str
) -> None:
    place.project_file.write_bytes(content)
    assert problem in str(place.fails())


def test_a_pipe_is_not_waited_for(place: Place) -> None:
    os.mkfifo(place.project_file)
    assert "not a file" in str(place.fails())


def test_a_file_with_a_byte_order_mark_and_crlf_is_read(place: Place) -> None:
    place.user_file.write_bytes(b"\xef\xbb\xbf[ide]\r\nname = 'x'\r\n")
    assert place.load().values["ide.name"] == ("x", (Origin(str(place.user_file), 2),))


def test_a_named_user_file_must_exist(place: Place) -> None:
    place.user_file.unlink()
    assert "ANYIDE_CONFIG_FILE" in str(place.fails())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ANYIDE_IDE_PORT", "x"),
        ("ANYIDE_IDE_PORT", "-1"),
        ("ANYIDE_IDE_PORT", "٣"),
        ("ANYIDE_SHARING_PAUSED", "maybe"),
        ("ANYIDE_LOG_LEVEL", "loud"),
        ("ANYIDE_IDE_NAME", " "),
    ],
)
def test_a_mistake_in_a_variable_names_it(place: Place, name: str, text: str) -> None:
    place.environ[name] = text
    error = place.fails()
    assert error.source == name
    assert repr(text) in str(error)


def test_a_variable_that_is_no_setting_is_noted(place: Place) -> None:
    place.environ["ANYIDE_SHARING_PAUSD"] = "1"
    (note,) = place.load().notes
    assert "ANYIDE_SHARING_PAUSD" in note
    assert "ANYIDE_SHARING_PAUSED" in note


@pytest.mark.parametrize(("text", "paused"), [("1", True), ("TRUE", True), ("no", False)])
def test_a_switch_in_a_variable_is_a_word(place: Place, text: str, *, paused: bool) -> None:
    place.environ["ANYIDE_SHARING_PAUSED"] = text
    assert place.load().config.sharing.paused is paused


def test_deny_patterns_of_every_layer_are_united_in_order(place: Place) -> None:
    place.user_file.write_text("sharing.deny = ['u']\n")
    place.project_file.write_text("\nsharing.deny = ['p']\n")
    place.environ["ANYIDE_SHARING_DENY"] = "v, w"
    loaded = place.load(sharing__deny=["f"])
    assert loaded.config.sharing.deny == (*DEFAULT_DENY, "u", "p", "v", "w", "f")
    origins = loaded.values["sharing.deny"].origins
    assert len(origins) == len(loaded.config.sharing.deny)
    assert origins[-4] == Origin(str(place.project_file), 2)


def test_a_project_can_tighten_what_is_shared(place: Place) -> None:
    place.project_file.write_text("sharing = {max_selection = 10, paused = true}\n")
    loaded = place.load()
    assert loaded.config.sharing[1:] == (10, True)
    assert loaded.notes == ()


def test_a_project_can_not_loosen_what_is_shared(place: Place) -> None:
    place.user_file.write_text("sharing = {max_selection = 10, paused = true}\n")
    place.project_file.write_text("[sharing]\nmax_selection = 11\npaused = false\n")
    loaded = place.load()
    assert loaded.config.sharing[1:] == (10, True)
    assert [origin.source for origin in loaded.values["sharing.paused"].origins] == [
        str(place.user_file)
    ]
    assert [note.split(" is ignored")[0] for note in loaded.notes] == [
        f"{place.project_file}, line 2: sharing.max_selection = 11",
        f"{place.project_file}, line 3: sharing.paused = false",
    ]


@pytest.mark.parametrize("pattern", ["!.env", " !.env", "\t!**"])
def test_a_project_can_not_take_a_file_out_of_the_deny_list(place: Place, pattern: str) -> None:
    place.project_file.write_text(f"sharing.deny = [{json.dumps(pattern)}, 'more']\n")
    loaded = place.load()
    assert loaded.config.sharing.deny == (*DEFAULT_DENY, "more")
    assert repr(pattern) in loaded.notes[0]


def test_the_user_can_take_a_file_out_of_the_deny_list(place: Place) -> None:
    place.user_file.write_text("sharing.deny = ['!.env.example']\n")
    assert place.load().config.sharing.deny[-1] == "!.env.example"


def test_the_person_can_loosen_again_what_the_project_tightened(place: Place) -> None:
    place.project_file.write_text("sharing.paused = true\n")
    place.environ["ANYIDE_SHARING_PAUSED"] = "false"
    assert place.load().config.sharing.paused is False


def test_a_project_can_never_name_a_program(place: Place) -> None:
    place.project_file.write_text("\nclaude = './evil'\n")
    error = place.fails()
    assert (error.source, error.line) == (str(place.project_file), 2)
    assert "may not set 'claude'" in str(error)


def test_the_user_can_name_a_program_in_the_home_directory(place: Place) -> None:
    place.user_file.write_text("claude = '~/bin/claude'\n")
    assert place.load().config.claude == str(Path("~/bin/claude").expanduser())


def test_files_up_to_the_root_of_the_repository_count_and_no_further(place: Place) -> None:
    inner = place.folder / "a" / "b"
    inner.mkdir(parents=True)
    place.project_file.write_text("sharing.deny = ['out']\nide.name = 'out'\n")
    (inner / ".anyide.toml").write_text("sharing.deny = ['in']\nide.name = 'in'\n")
    assert load(inner, environ=place.environ).config.sharing.deny[-1:] == ("in",)
    assert load(inner.parent, environ=place.environ).config.ide.name == "anyide"
    (place.folder / ".git").mkdir()
    loaded = load(inner, environ=place.environ)
    assert loaded.config.sharing.deny[-2:] == ("out", "in")
    assert loaded.config.ide.name == "in"
    (inner.parent / ".git").write_text("gitdir: elsewhere\n")
    assert "out" not in load(inner, environ=place.environ).config.sharing.deny
