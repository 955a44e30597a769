"""MCP: a `ClientSession` with a server in another process, over its standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from countersign import AsyncGate, Gate
from countersign.mcp import with_approval
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from drivers.mcp_client import DECIDES_ONLY, RAISES_TOOL_ERRORS, make_calls, make_server, tool_name
from drivers.scripted import ScriptedCall

__all__ = ["DECIDES_ONLY", "RAISES_TOOL_ERRORS", "play", "tool_name"]


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    if conversation is not None:
        options.setdefault("thread", conversation)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    server = StdioServerParameters(command=sys.executable, args=["-m", "drivers.mcp_session"], env=env)

    async def run() -> dict[str, str]:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            return await make_calls(with_approval(gate, session, **options), calls)

    return asyncio.run(run())


if __name__ == "__main__":
    make_server().run()
