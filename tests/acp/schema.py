"""The protocol's own schema as a judge: every message that the agent sends must pass it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]

SCHEMA = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
UNSTABLE = {"session/fork": "NewSessionResponse"}


@cache
def _validator(name: str) -> Any:
    whole = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    return jsonschema.Draft202012Validator(whole)


@cache
def _names(*, response: bool) -> dict[str, str]:
    return {
        definition["x-method"]: name
        for name, definition in SCHEMA["$defs"].items()
        if "x-method" in definition and name.endswith("Response") == response
    }


def check(name: str, value: Any) -> None:
    """Raise for a value that is not of the definition."""
    error = jsonschema.exceptions.best_match(_validator(name).iter_errors(value))
    if error is not None:
        text = json.dumps(value)[:600]
        raise AssertionError(f"no {name}: {error.message} at {list(error.path)} in {text}")


def check_sent(message: dict[str, Any], asked: dict[Any, str]) -> None:
    """Raise for a message of the agent that breaks the schema; `asked` are methods by id."""
    assert message["jsonrpc"] == "2.0", message
    if "method" in message:
        known = _names(response=False)
        if message["method"] == "$/cancel_request":
            check("CancelRequestNotification", message["params"])
        else:
            check(known[message["method"]], message["params"])
    elif "error" in message:
        check("Error", message["error"])
    else:
        method = asked[message["id"]]
        check(UNSTABLE.get(method) or _names(response=True)[method], message["result"])
