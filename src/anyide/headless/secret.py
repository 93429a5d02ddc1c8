"""What must not stand in a recording, taken out of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

REMOVED = "[secret removed]"
MIN_LENGTH = 8

_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH(?!OR)", re.IGNORECASE)
_SHAPES = re.compile(
    r"sk-[A-Za-z0-9_-]{16,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}"
    r"|github_pat_[A-Za-z0-9_]{20,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}"
    r"|AKIA[0-9A-Z]{16}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,}=*"
    r'|-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?-----END [A-Z ]*PRIVATE KEY-----'
)
_FIELD = (
    r"[\w-]{0,64}(?:(?:api|access|secret|private)[_-]?key|secret|password|passwd|authorization"
    r"|(?:access|auth)token|(?<=[\"_-])token)"
)
_FIELDS = re.compile(rf'("{_FIELD}"\s*:\s*")(?:[^"\\]|\\.)+(?=")', re.IGNORECASE)
# The same in JSON that is the text of a string: a file that was read, the input of a tool.
_INNER_FIELDS = re.compile(
    rf'(\\"{_FIELD}\\"\s*:\s*\\")(?:[^"\\]|\\\\(?:\\.|[^"\\]))+(?=\\")', re.IGNORECASE
)


class Redactor:
    """Knows the secrets of an environment, and what secrets look like."""

    def __init__(self, env: Mapping[str, str]) -> None:
        values = {
            value for name, value in env.items() if _NAMES.search(name) and len(value) >= MIN_LENGTH
        }
        # As it stands inside JSON, and inside JSON that is a string of JSON.
        written = {form for value in values for form in _written(value)}
        written |= {form for value in written for form in _written(value)}
        # The longest first: a secret may be a part of another.
        self._values = sorted(values | written, key=len, reverse=True)

    def clean(self, text: str) -> str:
        """The text, usually JSON, without secrets."""
        for value in self._values:
            text = text.replace(value, REMOVED)
        text = _FIELDS.sub(rf"\g<1>{REMOVED}", _SHAPES.sub(REMOVED, text))
        return _INNER_FIELDS.sub(rf"\g<1>{REMOVED}", text)


def _written(value: str) -> set[str]:
    return {json.dumps(value, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False)}
