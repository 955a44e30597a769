"""OpenAI Agents: `Runner` with the SDK's scripted model."""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from countersign import AsyncGate, Gate
from countersign.openai_agents import with_approval

from drivers.scripted import TOOLS, ScriptedCall

RAISES_TOOL_ERRORS = False
DECIDES_ONLY = False


def tool_name(name: str) -> str:
    return name


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    model = ScriptedModel(
        [[function_call(call.name, call.arguments, call_id=call.id) for call in calls], [assistant_message("done")]]
    )
    tools = with_approval(gate, [function_tool(tool) for tool in TOOLS], **options)
    agent = Agent(name="ops", model=model, tools=tools)
    config = RunConfig(tracing_disabled=True, group_id=conversation)
    result = asyncio.run(Runner.run(agent, "go", run_config=config))
    outputs = [item for item in result.to_input_list() if item.get("type") == "function_call_output"]
    return {item["call_id"]: str(item["output"]) for item in outputs}  # type: ignore[typeddict-item]
