"""`executeCode`: run Python code in the Jupyter kernel of the editor."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from anyide.editor.model import Ability, Output, TextOutput
from anyide.ide.context import Context
from anyide.ide.messages import CallResult, Image, Text
from anyide.ide.tools.tool import Tool


class Arguments(msgspec.Struct, frozen=True):
    """The code."""

    code: Annotated[str, Meta(description="Python code to run in the kernel")]


async def run(context: Context, arguments: Arguments) -> CallResult:
    """Run the code and give what it put out, texts and pictures."""
    outputs = await context.editor.execute(arguments.code)
    return CallResult(tuple(_block(output) for output in outputs))


def _block(output: Output) -> Text | Image:
    if isinstance(output, TextOutput):
        return Text(output.text)
    return Image(output.data_base64, output.mime_type)


EXECUTE_CODE = Tool(
    name="executeCode",
    description="Run Python code in the Jupyter kernel of the open notebook; its state persists",
    arguments=Arguments,
    run=run,
    ability=Ability.EXECUTE,
)
