from __future__ import annotations

import pathspec
import pytest

from anyide.setting import DEFAULT_DENY, SETTINGS, nearest


def test_the_default_list_denies_secrets_and_lets_code_through() -> None:
    spec = pathspec.PathSpec.from_lines("gitignore", DEFAULT_DENY)
    secrets = (
        ".env .env.local a/.env prod.env tls/server.key x.pem id_rsa id_ed25519.pub .ssh/config "
        "home/.aws/credentials .netrc .npmrc .pypirc vault.kdbx credentials.json c.p12 c.pfx"
    )
    assert [name for name in secrets.split() if not spec.match_file(name)] == []
    code = ["environment.py", "src/credentials.py", "keyboard.ts", "README.md", "monkey.c"]
    assert [name for name in code if spec.match_file(name)] == []


def test_no_two_settings_share_a_flag_or_a_variable() -> None:
    assert len({setting.flag for setting in SETTINGS}) == len(SETTINGS)
    assert len({setting.variable for setting in SETTINGS}) == len(SETTINGS)


@pytest.mark.parametrize(("word", "said"), [("serv", ", did you mean 'serve'?"), ("zzzzzz", "")])
def test_the_nearest_known_word_is_offered(word: str, said: str) -> None:
    assert nearest(word, ["serve", "claude"]) == said
