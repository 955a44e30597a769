"""The Claude Agent SDK with a scripted program in the place of Claude Code. The tools are those of an SDK MCP server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    SdkMcpTool,
    ToolResultBlock,
    UserMessage,
    create_sdk_mcp_server,
    query,
)
from countersign import AsyncGate, Gate
from countersign.claude_agent_sdk import with_approval

from drivers.scripted import TOOLS, ScriptedCall

RAISES_TOOL_ERRORS = False
DECIDES_ONLY = True
PROGRAM = Path(__file__).parent.parent / "scripted_claude_code.py"


def tool_name(name: str) -> str:
    return f"mcp__ops__{name}"


def make_server() -> Any:
    def wrap(tool: Any) -> SdkMcpTool[Any]:
        async def handle(arguments: Any) -> dict[str, Any]:
            text = await asyncio.to_thread(lambda: tool(**arguments))
            return {"content": [{"type": "text", "text": text}]}

        schema = {"type": "object", "properties": {}, "additionalProperties": True}
        return SdkMcpTool(tool.__name__, tool.__doc__, schema, handle)

    return create_sdk_mcp_server("ops", tools=[wrap(tool) for tool in TOOLS])


async def run_query(options: ClaudeAgentOptions) -> dict[str, str]:
    results = {}
    async for message in query(prompt="go", options=options):
        for block in message.content if isinstance(message, UserMessage) else []:
            if isinstance(block, ToolResultBlock):
                results[block.tool_use_id] = block.content if isinstance(block.content, str) else str(block.content)
    return results


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    env = {"SCRIPTED_CALLS": json.dumps([vars(call) for call in calls]), "SCRIPTED_SESSION": conversation or ""}
    base = ClaudeAgentOptions(cli_path=PROGRAM, env=env, mcp_servers={"ops": make_server()}, setting_sources=[])
    return asyncio.run(run_query(with_approval(gate, base, **options)))
