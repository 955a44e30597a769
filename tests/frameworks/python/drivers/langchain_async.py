"""LangChain: `create_agent`, and with its asynchronous methods."""

from __future__ import annotations

import asyncio
from typing import Any

from countersign import AsyncGate, Gate

from drivers.langchain import (
    DECIDES_ONLY,
    RAISES_TOOL_ERRORS,
    configuration,
    make_agent,
    read_results,
    tool_name,
)
from drivers.scripted import ScriptedCall

__all__ = ["DECIDES_ONLY", "RAISES_TOOL_ERRORS", "play", "tool_name"]


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    agent = make_agent(gate, calls, options)
    return read_results(asyncio.run(agent.ainvoke({"messages": [("user", "go")]}, configuration(conversation))))
