from __future__ import annotations

import posixpath
from typing import Any

import pytest

from anyide.acp.rule import Place, Rule, decide, rules_of, words

PLACE = Place("/p", "/home/me", ("/other",))


def verdict(tool: str, what: str, *rules: str, mode: str = "default") -> str:
    listed = [rule.split(" ", 1) for rule in rules]
    answer = {"state": {"rules": [{"behavior": b, "rule": r} for b, r in listed]}}
    given: dict[str, Any] = {"command": what} if tool == "Bash" else {"file_path": what}
    named = words(what) or [] if tool == "Bash" else [what]
    paths = [posixpath.normpath(posixpath.join("/p", name)) for name in named]
    return decide(tool, given, rules_of(answer), mode=mode, place=PLACE, paths=paths)


def test_rules_are_read_from_the_clis_answer() -> None:
    answer = {"state": {"rules": [{"behavior": "deny", "rule": "Bash(rm:*)"}, {"rule": "("}, 3]}}
    assert rules_of(answer) == [Rule("deny", "Bash", "rm:*")]
    assert rules_of({}) == []


@pytest.mark.parametrize(
    ("command", "rules", "expected"),
    [
        ("npm test", (), "ask"),
        ("npm test", ("allow Bash(npm test)",), "allow"),
        ("npm test --all", ("allow Bash(npm test)",), "ask"),
        ("npm test --all", ("allow Bash(npm test:*)",), "allow"),
        ("npm testing", ("allow Bash(npm test:*)",), "ask"),
        ("npm run x", ("allow Bash(npm run *)",), "allow"),
        ("npm test && rm x", ("allow Bash(npm test:*)",), "ask"),
        ("npm test $(rm x)", ("allow Bash(npm test:*)",), "ask"),
        ("npm test > /etc/passwd", ("allow Bash(npm test:*)",), "ask"),
        ("npm test; make", ("allow Bash(npm test:*)", "allow Bash(make:*)"), "allow"),
        ("make", ("allow Bash",), "allow"),
        ("rm x", ("allow Bash", "deny Bash(rm:*)"), "deny"),
        ("FOO=1 rm x", ("allow Bash", "deny Bash(rm:*)"), "deny"),
        ("ls | rm x", ("deny Bash(rm:*)",), "deny"),
        ("git push", ("allow Bash", "ask Bash(git push:*)"), "ask"),
        ("ls -la src", (), "allow"),
        ("git status", (), "allow"),
        ("git diff", (), "allow"),
        ("GIT_EXTERNAL_DIFF=./x git diff", (), "ask"),
        ("LD_PRELOAD=./x.so ls", (), "ask"),
        ("PATH=. npm test", ("allow Bash(npm test)",), "ask"),
        ("git diff --outp=x", (), "ask"),
        ("git log --ext-dif", (), "ask"),
        ("rg --hostname-bin=./x y", (), "ask"),
        ("date -s 12:00", (), "ask"),
        ("cat /etc/passwd", (), "ask"),
        ("cat ../secret", (), "ask"),
        ("cat '/etc/passwd'", (), "ask"),
        ('cat ""/etc/passwd', (), "ask"),
        ("cat .''./secret", (), "ask"),
        ("cat x/../../secret", (), "ask"),
        ("cat ~/secret", (), "ask"),
        ("grep -f/etc/passwd x", (), "ask"),
        ("grep --file=/etc/passwd x", (), "ask"),
        ("grep -rR x .", (), "ask"),
        ("grep -rn 'def f.*x' src", (), "allow"),
        ("grep x *", (), "ask"),
        ("tail -f log", (), "ask"),
        ("cat a | head -5; wc -l b", (), "allow"),
        ("cat 'a", (), "ask"),
        ("ls; curl x", (), "ask"),
        ("echo $(rm x)", ("allow Bash", "deny Bash(rm:*)"), "deny"),
        ("(rm x)", ("allow Bash", "deny Bash(rm:*)"), "deny"),
        ("echo `A=1 rm x`", ("allow Bash", "deny Bash(rm:*)"), "deny"),
        ("cat .env", ("deny Read(.env)",), "ask"),
        ("", (), "ask"),
    ],
)
def test_commands(command: str, rules: tuple[str, ...], expected: str) -> None:
    assert verdict("Bash", command, *rules) == expected


@pytest.mark.parametrize(
    ("tool", "path", "rules", "expected"),
    [
        ("Read", "/p/a", (), "allow"),
        ("Read", "/other/a", (), "allow"),
        ("Read", "/etc/passwd", (), "ask"),
        ("Read", "/p/../etc/passwd", (), "ask"),
        ("Read", "/etc/hosts", ("allow Read(//etc/**)",), "allow"),
        ("Read", "/home/me/.x/key", ("deny Read(~/.x/**)", "allow Read"), "deny"),
        ("Read", "/p/deep/.env", ("deny Read(.env)",), "deny"),
        ("Read", "/p/secrets/k", ("deny Read(./secrets/**)",), "deny"),
        ("Read", "/p/secrets/k", ("deny Read(secrets)",), "deny"),
        ("Write", "/p/a", (), "ask"),
        ("Write", "/p/a", ("allow Edit",), "allow"),
        ("Edit", "/p/docs/a.md", ("allow Edit(/docs/*.md)",), "allow"),
        ("Edit", "/p/docs/b/a.md", ("allow Edit(/docs/*.md)",), "ask"),
        ("Edit", "/p/src/a", ("deny Edit(/src/**)", "allow Edit"), "deny"),
    ],
)
def test_files(tool: str, path: str, rules: tuple[str, ...], expected: str) -> None:
    assert verdict(tool, path, *rules) == expected


def test_modes() -> None:
    assert verdict("Edit", "/p/a", mode="acceptEdits") == "allow"
    assert verdict("Edit", "/p/.git/hooks/x", mode="acceptEdits") == "ask"
    assert verdict("Edit", "/p/.github/workflows/x.yml", mode="acceptEdits") == "ask"
    assert verdict("Edit", "/p/sub/.envrc", mode="acceptEdits") == "ask"
    assert verdict("Edit", "/other/a", mode="acceptEdits") == "allow"
    assert verdict("Edit", "/etc/a", mode="acceptEdits") == "ask"
    assert verdict("Edit", "/p/a", mode="dontAsk") == "deny"
    assert verdict("Edit", "/p/a", mode="bypassPermissions") == "allow"
    assert verdict("Edit", "/p/a", "deny Edit", mode="bypassPermissions") == "deny"


def test_a_link_out_of_the_folder_is_asked_about() -> None:
    names = ("/p/link", "/etc/passwd")
    found = decide("Read", {}, [], mode="default", place=PLACE, paths=names)
    assert found == "ask"
    command = {"command": "cat link"}
    assert decide("Bash", command, [], mode="default", place=PLACE, paths=names) == "ask"
