"""A Claude Agent SDK agent that asks before its tools run: `python agent.py [THREAD]`."""

import asyncio
import os
import sys
import tempfile

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, ToolResultBlock, UserMessage, query
from countersign import AsyncGate, new_id
from countersign.claude_agent_sdk import with_approval
from scripted_model import ScriptedModel

CALLS = [
    {"id": "toolu_1", "name": "Bash", "arguments": {"command": "echo shop: no errors"}},
    {"id": "toolu_2", "name": "Bash", "arguments": {"command": "echo deployed shop with 3 replicas"}},
]


async def main(thread: str) -> None:
    # The scripted model needs no key. For a real one, set ANTHROPIC_API_KEY and leave out `env`.
    model = ScriptedModel(CALLS)
    folder = tempfile.mkdtemp(prefix="claude-example-")
    options = ClaudeAgentOptions(
        cwd=folder,
        setting_sources=[],
        cli_path=os.environ.get("CLAUDE_CODE_PATH"),
        env={"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none", "HOME": folder},
    )
    gate = AsyncGate()  # COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN
    prompt = "Deploy the shop if its log is clean."
    async for message in query(prompt=prompt, options=with_approval(gate, options, thread=thread)):
        for block in message.content if isinstance(message, UserMessage) else []:
            if isinstance(block, ToolResultBlock):
                print(f"The model got: {block.content}")
        if isinstance(message, ResultMessage):
            print(message.result)
    model.stop()
    await gate.close()


chosen = sys.argv[1] if len(sys.argv) > 1 else new_id("conversation-")
print(f"The thread is {chosen}. Decide at the link that `countersign serve` printed.")
asyncio.run(main(chosen))
