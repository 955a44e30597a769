"""An agent that is its own MCP client, and asks before it calls a tool: `python agent.py [CONVERSATION]`."""

import asyncio
import sys
from pathlib import Path
from typing import Any

from countersign import AsyncGate, new_id
from countersign.mcp import with_approval
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

# A scripted model's calls. With a real one, these are the tool calls in its answer, such as the blocks `tool_use`.
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("call_1", "read_log", {"service": "shop"}),
    ("call_2", "deploy", {"service": "shop", "replicas": 3}),
]


async def main(conversation: str) -> None:
    server = StdioServerParameters(command=sys.executable, args=[str(Path(__file__).parent / "server.py")])
    gate = AsyncGate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN
    async with stdio_client(server) as (read, write), ClientSession(read, write) as plain:
        await plain.initialize()
        session = with_approval(gate, plain, thread=conversation)
        calls = [session.call_tool(name, arguments, call_id=call_id) for call_id, name, arguments in CALLS]
        for result in await asyncio.gather(*calls):
            text = "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
            print(f"The model gets: {text}")
    await gate.close()


chosen = sys.argv[1] if len(sys.argv) > 1 else new_id("conversation-")
print(f"The conversation is {chosen}. Decide at the link that `countersign serve` printed.")
asyncio.run(main(chosen))
