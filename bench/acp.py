"""`anyide acp` against the Node adapter, the Python SDK, and the CLI alone, side by side.

The real CLI with the stand-in model of the tests; the rivals take turns, each in fresh processes.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from bench.acp_peer import AcpPeer, CliPeer, hello
from bench.case import Case, Effort
from bench.process import as_installed
from bench.row import Row, against, alone
from tests.acp import node
from tests.real.claude import Home, cli_path
from tests.real.model import StandInModel

ADAPTER = "claude-agent-acp"
START_AIM_MS, START_AIM = 120.0, 1 / 3
READY_AIM = 1.25
FIRST_AIM_MS = 10.0
CHUNKS_AIM = 1 / 0.9
MEMORY_AIM = 1 / 3
CANCEL_AIM_MS = 100.0
CHUNKS = 10_000


class Stage(NamedTuple):
    """Where the rivals run."""

    env: dict[str, str]
    project: Path

    def ours(self) -> AcpPeer:
        anyide = str(Path(sys.executable).with_name("anyide"))
        return AcpPeer([anyide, "acp", "--claude", str(cli_path())], self.env, self.project)

    def adapter(self) -> AcpPeer:
        script = node.FOLDER / "node_modules" / ".bin" / ADAPTER
        env = {**self.env, "CLAUDE_CODE_EXECUTABLE": str(cli_path())}
        return AcpPeer([node.binary(), str(script.resolve())], env, self.project)

    def hello(self) -> AcpPeer:
        return AcpPeer(hello(), self.env, self.project)

    def cli(self) -> CliPeer:
        flags = ["--output-format=stream-json", "--verbose", "--input-format=stream-json"]
        flags += ["--include-partial-messages", "--permission-prompt-tool=stdio"]
        return CliPeer([str(cli_path()), *flags], self.env, self.project)


@contextmanager
def stage() -> Iterator[Stage]:
    with tempfile.TemporaryDirectory() as folder, StandInModel() as model:
        home, project = Home(Path(folder) / "home"), Path(folder) / "project"
        project.mkdir()
        home.trust(project)
        env = {**home.environment(model), **_byte_code(Path(folder))}
        yield Stage(env, project)


def _byte_code(folder: Path) -> dict[str, str]:
    """As after an installation: byte code is written once, and kept."""
    found = as_installed(folder / "cache")
    return {name: found[name] for name in found if name.startswith("PYTHON")}


def _milliseconds_to_initialize(peer: AcpPeer) -> float:
    with peer:
        peer.initialize()
        return (perf_counter() - peer.began) * 1e3


def start(effort: Effort) -> Sequence[Row]:
    has_adapter = node.has_npm()
    if has_adapter:
        node.install()
    with stage() as here:
        rivals = [here.ours, here.hello, *([here.adapter] if has_adapter else [])]
        for rival in rivals:
            _milliseconds_to_initialize(rival())  # writes byte code, warms the disk
        taken = [
            [_milliseconds_to_initialize(rival()) for rival in rivals] for _ in range(effort.starts)
        ]
    ours, python, *others = (list(column) for column in zip(*taken, strict=True))
    name = "acp, start to initialize answered"
    rows = [
        alone(name, ours, unit="ms", aim=START_AIM_MS),
        against(name, ours, python, peer_name="Python SDK", unit="ms"),
    ]
    return rows + [
        against(name, ours, other, peer_name=ADAPTER, unit="ms", aim=START_AIM) for other in others
    ]


def ready(effort: Effort) -> Sequence[Row]:
    ours, alone_ = [], []
    with stage() as here:
        for round_ in range(min(effort.starts, 9) + 1):
            with here.ours() as agent:
                agent.initialize()
                agent.open(here.project)
                taken = (perf_counter() - agent.began) * 1e3
            with here.cli() as cli:
                cli.initialize()
                direct = (perf_counter() - cli.began) * 1e3
            if round_:  # the first one warms the disk
                ours.append(taken)
                alone_.append(direct)
    name = "acp, start to session ready"
    return [against(name, ours, alone_, peer_name="the CLI alone", unit="ms", aim=READY_AIM)]


def turn(effort: Effort) -> Sequence[Row]:
    times = min(effort.rounds, 20)
    with stage() as here, here.ours() as agent, here.cli() as cli:
        agent.initialize()
        session = agent.open(here.project)
        cli.initialize()
        pairs = []
        for round_ in range(times + 2):
            pair = agent.prompt(session, "SAY hello")[0], cli.prompt("SAY hello")[0]
            if round_ > 1:
                pairs.append(pair)
    ours, direct = ([each * 1e3 for each in side] for side in zip(*pairs, strict=True))
    name = "acp, prompt to first chunk"
    return [
        against(
            name,
            ours,
            direct,
            peer_name="the CLI alone",
            unit="ms",
            measure="difference",
            aim=FIRST_AIM_MS,
        )
    ]


def chunks(effort: Effort) -> Sequence[Row]:
    count = CHUNKS if effort.events >= CHUNKS else 500
    prompt = f"DELTAS {count} SAY {'word ' * count}"
    ours, direct, memory, theirs = [], [], [], []
    has_adapter = node.has_npm()
    with stage() as here:
        for _ in range(min(effort.repetitions, 3)):
            with here.cli() as cli:
                cli.initialize()
                cli.prompt("SAY warm")
                first, last = cli.prompt(prompt)
                direct.append((last - first) * 1e6 / count)
            with here.ours() as agent:
                ours.append(_flood(agent, here.project, prompt) / count)
                memory.append(agent.megabytes)
            if has_adapter:
                with here.adapter() as agent:
                    _flood(agent, here.project, prompt)
                    theirs.append(agent.megabytes)
    name = "acp, a chunk of text through the chain"
    rows = [against(name, ours, direct, peer_name="the CLI alone", aim=CHUNKS_AIM)]
    if theirs:
        name = f"acp, memory of the agent after {count} chunks"
        rows.append(against(name, memory, theirs, peer_name=ADAPTER, unit="MB", aim=MEMORY_AIM))
    return rows


def _flood(agent: AcpPeer, project: Path, prompt: str) -> float:
    """Microseconds from the first chunk to the answer."""
    agent.initialize()
    session = agent.open(project)
    agent.prompt(session, "SAY warm")
    first, last = agent.prompt(session, prompt)
    return (last - first) * 1e6


def cancel(effort: Effort) -> Sequence[Row]:
    phases = {
        "before the first token": ("SLOW never", b"session_info_update"),
        "while text streams": ("SLOW one two three four", b"agent_message_chunk"),
        "in a tool": ('CALL Bash {"command": "echo begun; sleep 60"}', b'"in_progress"'),
        "in a permission request": (
            'CALL Write {"file_path": "%s", "content": "x"}',
            b'"session/request_permission"',
        ),
    }
    rows = []
    with stage() as here:
        for phase, (prompt, sign) in phases.items():
            text = prompt.replace("%s", str(here.project / "new.txt"))
            taken = [_cancelled(here, text, sign) for _ in range(min(effort.starts, 10))]
            name = f"acp, cancel {phase}"
            rows.append(alone(name, taken, unit="ms", aim=CANCEL_AIM_MS, worst=True))
    return rows


def _cancelled(here: Stage, text: str, sign: bytes) -> float:
    """Milliseconds; a session of its own, which has said something before."""
    with here.ours() as agent:
        agent.initialize()
        session = agent.open(here.project)
        if sign != b"session_info_update":  # it comes with the first prompt only
            agent.prompt(session, "SAY warm")
        return agent.cancel(session, text, sign) * 1e3


ACP = (
    Case("acp_start", "starting the ACP agent", start),
    Case("acp_ready", "starting an ACP session", ready),
    Case("acp_turn", "the first update after a prompt", turn),
    Case("acp_chunks", "text through the whole chain", chunks),
    Case("acp_cancel", "cancelling a prompt in each phase", cancel),
)
