"""MCP: an SDK `Client`, connected to a server in this process."""

from __future__ import annotations

import asyncio
from typing import Any

from countersign import AsyncGate, Gate
from countersign.mcp import with_approval
from mcp import Client, types
from mcp.server import MCPServer

from drivers.scripted import TOOLS, ScriptedCall

RAISES_TOOL_ERRORS = False
DECIDES_ONLY = False


def tool_name(name: str) -> str:
    return name


def make_server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("ops")
    for tool in TOOLS:
        server.tool()(tool)
    return server


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


async def make_calls(session: Any, calls: list[ScriptedCall]) -> dict[str, str]:
    made = [session.call_tool(call.name, call.arguments, call_id=call.id) for call in calls]
    results = await asyncio.gather(*made)
    return {call.id: text_of(result) for call, result in zip(calls, results, strict=True)}


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    # An MCP client has no conversation.
    if conversation is not None:
        options.setdefault("thread", conversation)

    async def run() -> dict[str, str]:
        async with Client(make_server()) as client:
            return await make_calls(with_approval(gate, client, **options), calls)

    return asyncio.run(run())
