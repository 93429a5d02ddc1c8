"""One question, one answer, without asyncio: python ask.py "What does this folder do?" """

from __future__ import annotations

import sys

import anyide

reply = anyide.ask(sys.argv[1])
print(reply.text)
print(f"${reply.cost_usd:.4f}, {reply.usage.output_tokens} tokens", file=sys.stderr)
