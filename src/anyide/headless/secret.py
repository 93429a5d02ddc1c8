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
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----",
    re.DOTALL,
)
_FIELDS = re.compile(
    r'("(?:[\w-]*(?:api_?key|secret|password|authorization|access_?token|auth_?token))"\s*:\s*")'
    r'(?:[^"\\]|\\.)+(?=")',
    re.IGNORECASE,
)


class Redactor:
    """Knows the secrets of an environment, and what secrets look like."""

    def __init__(self, env: Mapping[str, str]) -> None:
        values = {
            value
            for name, value in env.items()
            if _NAMES.search(name) and len(value) >= MIN_LENGTH and not value.startswith(("/", "."))
        }
        written = {json.dumps(value)[1:-1] for value in values}  # as it stands inside JSON
        # The longest first: a secret may be a part of another.
        self._values = sorted(values | written, key=len, reverse=True)

    def clean(self, text: str) -> str:
        """The text, usually JSON, without secrets."""
        for value in self._values:
            text = text.replace(value, REMOVED)
        return _FIELDS.sub(rf"\g<1>{REMOVED}", _SHAPES.sub(REMOVED, text))
