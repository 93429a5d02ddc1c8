"""The benchmarks, one file each, in the order of the table."""

from __future__ import annotations

from bench.acp import ACP
from bench.cases.crowd import CROWD
from bench.cases.library_client import LIBRARY_CLIENT
from bench.cases.open_diff import OPEN_DIFF
from bench.cases.serve import SERVE
from bench.cases.start_up import START_UP
from bench.cases.stdio import STDIO
from bench.cases.storm import STORM
from bench.cases.tool import TOOL
from bench.cases.websocket import WEBSOCKET
from bench.headless import HEADLESS
from bench.web import WEB

CASES = (
    *(WEBSOCKET, LIBRARY_CLIENT, STDIO, CROWD, START_UP, TOOL, STORM, OPEN_DIFF, SERVE),
    *HEADLESS,
    *ACP,
    *WEB,
)
