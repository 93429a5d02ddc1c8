"""`getWorkspaceFolders`: the folders that the editor has open."""

from __future__ import annotations

import msgspec

from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import NoArguments, Tool, reply_json


class Folders(msgspec.Struct, frozen=True, rename="camel"):
    """The folders; the first is the root."""

    folders: list[str]
    root_path: str | None


async def run(context: Context, _: NoArguments) -> CallResult:
    """List the folders."""
    folders = [context.wire(folder) for folder in context.folders]
    return reply_json(Folders(folders, folders[0] if folders else None))


GET_WORKSPACE_FOLDERS = Tool(
    name="getWorkspaceFolders",
    description="List the workspace folders that are open in the editor",
    arguments=NoArguments,
    run=run,
)
