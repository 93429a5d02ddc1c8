"""`getDiagnostics`: what language servers found wrong with a file, or with all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from anyide.editor.model import Ability, FileDiagnostics
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import Tool, reply_json


class Arguments(msgspec.Struct, frozen=True):
    """Which file."""

    uri: Annotated[str | None, Meta(description="URI of the file; left out, all files")] = None


async def run(context: Context, arguments: Arguments) -> CallResult:
    """Tell what is known; the answer names the file by the URI it was asked by."""
    uri = arguments.uri or ""
    if uri:
        found = await context.editor.diagnostics(context.native(uri))
    else:
        found = await _of_no_file(context)
    told = [context.diagnostics(each, uri) for each in found]
    return reply_json([each for each in told if each is not None])


async def _of_no_file(context: Context) -> Sequence[FileDiagnostics]:
    if not context.dialect.diagnoses_current_file:
        return await context.editor.diagnostics(None)
    active = [tab.path for tab in await context.editor.tabs() if tab.is_active]
    return await context.editor.diagnostics(active[0]) if active else ()


GET_DIAGNOSTICS = Tool(
    name="getDiagnostics",
    description="Get language diagnostics (errors, warnings) from the editor",
    arguments=Arguments,
    run=run,
    ability=Ability.DIAGNOSTICS,
)
