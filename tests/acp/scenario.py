"""Conversations that are recorded with the real CLI and replayed without it.

    python -m tests.acp.scenario            records all of them anew, into tests/acp/recorded
    python -m tests.acp.scenario plain bash  … or some
    python -m tests.acp.scenario --golden   only what the client is told, from the recordings

`<name>.jsonl` is what the CLI and the agent said to each other, `<name>.golden.json` what the
client was told when that is replayed.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from anyide.acp.agent import CANCEL_RULE, Agent
from anyide.acp.setup import AgentOptions
from anyide.errors import RpcError
from anyide.headless.player import replay
from anyide.rpc.connection import Connection
from anyide.rpc.framing import Lines
from anyide.rpc.message import Notification, Request
from anyide.rpc.transport.memory import join
from tests.real.claude import Home, cli_path
from tests.real.model import StandInModel

RECORDED = Path(__file__).with_name("recorded")
FORMS: dict[str, Any] = {"elicitation": {"form": {}}}
EDITOR: dict[str, Any] = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
PLACE = "/project"
NEVER = 3600.0
TEXT = "one\ntwo\n"
SHOWN = 3
"""So many entries of the CLI's long lists are kept in a recording."""

Json = dict[str, Any]


class Scenario(NamedTuple):
    """A prompt, and a person who answers."""

    prompt: str
    choice: str = "allow_once"
    abilities: Json | None = None
    mode: str | None = None


def call(tool: str, **given: Any) -> str:
    return f"CALL {tool} {json.dumps(given)}"


FILE = f"{PLACE}/a.txt"
READ = call("Read", file_path=FILE)
EDIT = call("Edit", file_path=FILE, old_string="two", new_string="2")
WRITE = call("Write", file_path=f"{PLACE}/new.txt", content="new\n")
TODOS = [{"content": "Look", "status": "in_progress", "activeForm": "Looking"}]
ASKED = {
    "question": "Which?",
    "header": "Which",
    "multiSelect": False,
    "options": [{"label": "this", "description": "it"}, {"label": "that", "description": "or"}],
}
INNER = {"description": "look", "prompt": f"{READ} SAY inner", "subagent_type": "general-purpose"}

SCENARIOS = {
    "plain": Scenario("DELTAS 3 SAY Hello there, editor"),
    "thinking": Scenario("THINK step by step SAY done"),
    "read": Scenario(f"{READ} SAY read"),
    "edit_accepted": Scenario(f"{READ} {EDIT} SAY done"),
    "edit_rejected": Scenario(f"{READ} {EDIT} SAY well", choice="reject_once"),
    "write_always": Scenario(f"{WRITE} SAY written", choice="allow_always"),
    "bash": Scenario(call("Bash", command="printf a > f; cat f")),
    "todo": Scenario(f"{call('TodoWrite', todos=TODOS)} SAY on it"),
    "plan_approved": Scenario(
        f"{call('ExitPlanMode', plan='The plan')} SAY go", choice="accept_edits", mode="plan"
    ),
    "plan_refused": Scenario(
        f"{call('ExitPlanMode', plan='The plan')} SAY go", choice="reject", mode="plan"
    ),
    "question": Scenario(call("AskUserQuestion", questions=[ASKED]), abilities=FORMS),
    "subagent": Scenario(f"{call('Agent', **INNER, run_in_background=False)} SAY outer"),
    "buffer": Scenario(f"{READ} {EDIT} SAY done", abilities=EDITOR),
    "terminal": Scenario(call("Bash", command="make > log"), abilities=EDITOR),
}


class Viewer:
    """A client that writes down what it is told, and answers as the scenario says."""

    def __init__(self, scenario: Scenario) -> None:
        self.told: list[Json] = []
        self._scenario = scenario
        self.buffers: dict[str, str] = {}
        answers: dict[str, Callable[[Json], Any]] = {
            "session/request_permission": self._permit,
            "elicitation/create": lambda p: {
                "action": "accept",
                "content": {"question_0": "that"},
            },
            "fs/read_text_file": self._read,
            "fs/write_text_file": self._write,
            "terminal/create": lambda p: {"terminalId": "term-1"},
            "terminal/wait_for_exit": lambda p: {"exitCode": 0},
            "terminal/output": lambda p: {"output": "made\n", "truncated": False},
            "terminal/release": lambda p: {},
        }
        handlers = {method: self._noting(answer) for method, answer in answers.items()}
        self.connection = Connection(
            {**handlers, "session/update": self._note}, framing=Lines(), cancel=CANCEL_RULE
        )

    async def converse(self, options: AgentOptions, project: Path, place: str) -> None:
        """Be introduced, ask, and leave; `place` is the project as the conversation names it."""
        self.buffers[f"{place}/a.txt"] = TEXT
        agent = Agent(lambda: options)
        theirs = Connection(agent.handlers, framing=Lines(), cancel=CANCEL_RULE)
        agent.connect(theirs)
        join(self.connection, theirs)
        try:
            declared = {"protocolVersion": 1, "clientCapabilities": self._scenario.abilities or {}}
            await self._ask("initialize", declared)
            session = await self._ask("session/new", {"cwd": str(project), "mcpServers": []})
            blocks = [{"type": "text", "text": self._scenario.prompt.replace(PLACE, place)}]
            asked = {"sessionId": session["sessionId"], "prompt": blocks}
            await self._ask("session/prompt", asked)
        finally:
            await agent.close()
            self.connection.close()

    async def _ask(self, method: str, params: Json) -> Json:
        answer: Json = await self.connection.request(
            method, params, kind=dict[str, Any], timeout=20
        )
        self.told.append({"answer": method, "result": answer})
        return answer

    def _note(self, said: Request | Notification) -> Json:
        params: Json = json.loads(bytes(said.params))
        self.told.append({"method": said.method, "params": params})
        return params

    def _noting(self, answer: Callable[[Json], Any]) -> Callable[[Request], Any]:
        return lambda request: answer(self._note(request))

    def _permit(self, params: Json) -> Json:
        wanted = self._scenario.choice
        (chosen,) = [o["optionId"] for o in params["options"] if wanted in o.values()]
        return {"outcome": {"outcome": "selected", "optionId": chosen}}

    def _read(self, params: Json) -> Json:
        if params["path"] not in self.buffers:
            raise RpcError(-32002, "not found")
        return {"content": self.buffers[params["path"]]}

    def _write(self, params: Json) -> Json:
        self.buffers[params["path"]] = params["content"]
        return {}


def prepare(project: Path) -> None:
    """The files that the conversations are about."""
    project.mkdir(exist_ok=True)
    (project / "a.txt").write_text(TEXT)


async def play(name: str, project: Path) -> list[Json]:
    """Replay a recording; what the client was told, with fixed names for what varies."""
    scenario = SCENARIOS[name]
    viewer = Viewer(scenario)
    wire = replay(RECORDED / f"{name}.jsonl")
    options = AgentOptions(connect=wire, permission_mode=scenario.mode)
    with patch("anyide.acp.session.RUN_SECONDS", NEVER):  # or it hangs on the machine's speed
        await viewer.converse(options, project, PLACE)
    session = next(
        t["result"]["sessionId"] for t in viewer.told if t.get("answer") == "session/new"
    )
    told: list[Json] = json.loads(
        json.dumps(viewer.told).replace(session, "SESSION").replace(str(project), PLACE)
    )
    return told


async def record(name: str, folder: Path) -> None:
    """Hold the conversation with the real CLI, and keep what it said."""
    scenario = SCENARIOS[name]
    project, home = folder / "project", Home(folder / "home")
    prepare(project)
    home.trust(project)
    with StandInModel() as model:
        env = home.environment(model)
        options = AgentOptions(
            claude=str(cli_path()), env=env, record=str(folder), permission_mode=scenario.mode
        )
        await Viewer(scenario).converse(options, project, str(project))
    (raw,) = folder.glob("*.jsonl")
    text = raw.read_text().replace(str(project), PLACE).replace(str(home.path), "/home/person")
    text = re.sub(r"-tmp-[\w-]+", "-project", text)
    lines = [json.dumps(_shorter(json.loads(line))) for line in text.splitlines()]
    (RECORDED / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


def _shorter(value: Any, at: str = "") -> Any:
    """Without what only makes a recording long."""
    if isinstance(value, list):
        long = at in ("commands", "tools", "slash_commands", "skills", "agents", "models")
        return [_shorter(item) for item in (value[:SHOWN] if long else value)]
    if isinstance(value, dict):
        return {name: _shorter(inner, name) for name, inner in value.items()}
    return value[:200] if at == "description" and isinstance(value, str) else value


async def main(words: list[str]) -> None:
    RECORDED.mkdir(exist_ok=True)
    for name in [word for word in words if word in SCENARIOS] or SCENARIOS:
        if "--golden" not in words:
            with tempfile.TemporaryDirectory() as folder:
                await record(name, Path(folder))
        with tempfile.TemporaryDirectory() as folder:
            told = await play(name, Path(folder))
        golden = json.dumps(told, indent=1, ensure_ascii=False)
        (RECORDED / f"{name}.golden.json").write_text(golden + "\n")
        print(name, len(told))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
