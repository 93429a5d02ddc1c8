from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anyide.headless.secret import MIN_LENGTH, REMOVED, Redactor

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "name",
    ["API_KEY", "github_token", "MY_SECRET", "DB_PASSWORD", "PGPASSWD", "AWS_CREDENTIAL", "AUTH"],
)
def test_a_variable_named_like_a_secret_is_one(name: str) -> None:
    assert Redactor({name: "correct horse"}).clean("the correct horse runs") == (
        f"the {REMOVED} runs"
    )


@pytest.mark.parametrize("name", ["HOME", "GIT_AUTHOR_NAME", "LANG", "EDITOR"])
def test_any_other_variable_is_none(name: str) -> None:
    assert Redactor({name: "correct horse"}).clean("correct horse") == "correct horse"


def test_a_short_value_is_too_common_to_be_taken_out() -> None:
    short, long = "a" * (MIN_LENGTH - 1), "b" * MIN_LENGTH
    redactor = Redactor({"A_TOKEN": short, "B_TOKEN": long})
    assert redactor.clean(f"{short} {long}") == f"{short} {REMOVED}"


@pytest.mark.parametrize("secret", ["/3q2+7w/Zm9vYmFy", "./~hush~!", "..~hush~!", "C:hush-hush"])
def test_a_secret_may_look_like_a_path(secret: str) -> None:
    redactor = Redactor({"AWS_SECRET_ACCESS_KEY": secret})
    assert redactor.clean(f"it is {secret}!") == f"it is {REMOVED}!"


def test_a_secret_that_is_part_of_another_leaves_no_rest_of_it() -> None:
    redactor = Redactor({"A_KEY": "abcdefgh", "B_KEY": "abcdefgh-and-more"})
    assert redactor.clean("abcdefgh-and-more abcdefgh") == f"{REMOVED} {REMOVED}"


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "github_pat_abcdefghijklmnopqrst",
        "gho_abcdefghijklmnopqrst",
        "xoxb-1234567890-abc",
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
        PEM,
    ],
)
def test_what_looks_like_a_secret_is_taken_out_wherever_it_stands(secret: str) -> None:
    said = {secret: [{"text": f"it is {secret}!"}], "inner": json.dumps([secret])}
    clean = Redactor({}).clean(json.dumps(said))
    assert json.loads(clean) == {
        REMOVED: [{"text": f"it is {REMOVED}!"}],
        "inner": json.dumps([REMOVED]),
    }


def test_the_word_bearer_stays_and_what_follows_goes() -> None:
    text = "curl -H 'X: Bearer abcdefghijklmnop123=='"
    assert Redactor({}).clean(text) == f"curl -H 'X: Bearer {REMOVED}'"


@pytest.mark.parametrize("text", ["sk-short", "task-list-of-things", "ghp_", "Bearer of news", ""])
def test_what_only_begins_like_a_secret_stays(text: str) -> None:
    assert Redactor({}).clean(text) == text


def test_a_key_that_begins_in_one_string_does_not_end_in_another() -> None:
    line = json.dumps(["-----BEGIN PRIVATE KEY-----", ["-----END PRIVATE KEY-----"]])
    assert Redactor({}).clean(line) == line


SECRET_FIELDS = [
    "password",
    "apiKey",
    "api_key",
    "X-API-Key",
    "Authorization",
    "client_secret",
    "aws_secret_access_key",
    "accessToken",
    "GITHUB_TOKEN",
    "token",
]


@pytest.mark.parametrize("name", SECRET_FIELDS)
@pytest.mark.parametrize("value", ["x", 'quo"ted', "back\\slash\\", "new\nline", "ünï"])
def test_a_field_named_like_a_secret_is_emptied(name: str, value: str) -> None:
    said = {"headers": {name: value}, "after": "kept"}
    clean = Redactor({}).clean(json.dumps(said))
    assert json.loads(clean) == {"headers": {name: REMOVED}, "after": "kept"}


@pytest.mark.parametrize("name", SECRET_FIELDS)
@pytest.mark.parametrize("value", ["x", 'quo"ted', "back\\slash\\", "new\nline", "ünï"])
def test_also_in_json_that_is_the_text_of_a_string(name: str, value: str) -> None:
    inner = json.dumps({"a": "kept", name: value, "b": "kept"})
    clean = Redactor({}).clean(json.dumps({"content": inner}))
    assert json.loads(json.loads(clean)["content"]) == {"a": "kept", name: REMOVED, "b": "kept"}


@pytest.mark.parametrize("name", ["tokens", "input_tokens", "progressToken", "key", "author"])
def test_a_field_that_only_sounds_like_a_secret_stays(name: str) -> None:
    line = json.dumps({name: "value"})
    assert Redactor({}).clean(line) == line


def test_numbers_and_empty_strings_stay() -> None:
    line = '{"password": "", "token": 5, "secret": null}'
    assert Redactor({}).clean(line) == line


@settings(deadline=None, max_examples=50)
@given(st.text(min_size=MIN_LENGTH, max_size=40), st.booleans(), st.booleans())
@example('pä"ssword\n1', False, False)
@example('pä"ssword\n1', True, True)
def test_a_secret_of_the_environment_goes_however_json_writes_it(
    secret: str, is_ascii: bool, is_inner: bool
) -> None:
    if secret.startswith(("/", ".")):
        secret = "x" + secret
    text = f"<{secret}>"
    if is_inner:
        text = json.dumps([text], ensure_ascii=is_ascii)
    clean = Redactor({"A_SECRET": secret}).clean(json.dumps({"t": text}, ensure_ascii=is_ascii))
    found = json.loads(clean)["t"]
    assert found == (f'["<{REMOVED}>"]' if is_inner else f"<{REMOVED}>")


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.sampled_from([*SECRET_FIELDS, "a", "b"]), st.text() | st.integers()))
def test_json_stays_json_of_the_same_shape(said: dict[str, str | int]) -> None:
    clean = json.loads(Redactor({}).clean(json.dumps({"x": said, "y": json.dumps(said)})))
    assert clean["x"].keys() == said.keys()
    assert json.loads(clean["y"]).keys() == said.keys()


@settings(deadline=None, max_examples=50)
@given(st.text())
def test_what_is_clean_stays_clean(text: str) -> None:
    redactor = Redactor({"A_SECRET": "from-the-environment"})
    once = redactor.clean(text)
    assert redactor.clean(once) == once
