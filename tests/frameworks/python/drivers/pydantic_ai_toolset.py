"""Pydantic AI: a wrapped toolset."""

from __future__ import annotations

from typing import Any

from countersign import AsyncGate, Gate
from countersign.pydantic_ai import with_approval
from pydantic_ai import Agent, FunctionToolset

from drivers.pydantic_ai import DECIDES_ONLY, RAISES_TOOL_ERRORS, read_results, scripted_model, tool_name
from drivers.scripted import TOOLS, ScriptedCall

__all__ = ["DECIDES_ONLY", "RAISES_TOOL_ERRORS", "play", "tool_name"]


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    agent = Agent(scripted_model(calls), toolsets=[with_approval(gate, FunctionToolset(TOOLS), **options)])
    return read_results(agent.run_sync("go", conversation_id=conversation).all_messages())
