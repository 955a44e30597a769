"""The Claude Agent SDK with the real program Claude Code and the scripted model of the example."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions
from claude_agent_sdk.types import PermissionMode
from countersign import AsyncGate, Gate
from countersign.claude_agent_sdk import with_approval

from drivers.scripted import ScriptedCall
from drivers.scripted_claude import DECIDES_ONLY, RAISES_TOOL_ERRORS, make_server, run_query, tool_name

EXAMPLE = Path(__file__).parents[4] / "examples" / "claude-agent-sdk-python"
sys.path.append(str(EXAMPLE))

from scripted_model import ScriptedModel  # noqa: E402

__all__ = ["DECIDES_ONLY", "RAISES_TOOL_ERRORS", "play", "tool_name"]


def play(
    gate: Gate | AsyncGate,
    calls: list[ScriptedCall],
    conversation: str | None = None,
    permission_mode: PermissionMode | None = None,
    allowed_tools: list[str] | None = None,
    **options: Any,
) -> dict[str, str]:
    # Claude Code chooses the session id itself.
    if conversation is not None:
        options.setdefault("thread", conversation)
    model = ScriptedModel([vars(call) for call in calls])
    with tempfile.TemporaryDirectory(prefix="claude-code-") as folder:
        env = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none", "HOME": folder}
        env["IS_SANDBOX"] = "1"  # Without it, Claude Code refuses some modes to the user root.
        base = ClaudeAgentOptions(
            cli_path=os.environ["COUNTERSIGN_CLAUDE_CODE"],
            cwd=folder,
            env={**env, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
            mcp_servers={"ops": make_server()},
            setting_sources=[],
            permission_mode=permission_mode,
            allowed_tools=allowed_tools or [],
        )
        answers = asyncio.run(run_query(with_approval(gate, base, **options)))
    model.stop()
    return add_context(answers, model.results)


def add_context(answers: dict[str, str], blocks: list[dict[str, Any]]) -> dict[str, str]:
    """Adds the text blocks that the model got beside the results."""
    texts = "\n".join(block["text"] for block in blocks if block.get("type") == "text")
    return {call_id: f"{answer}\n{texts}" for call_id, answer in answers.items()}
