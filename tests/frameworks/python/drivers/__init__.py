"""A driver plays scripted tool calls with the real package of a framework, and returns what the model got for each."""

from __future__ import annotations

import importlib
import os
from typing import Protocol

from countersign import AsyncGate, Gate

from drivers.scripted import ScriptedCall

NAMES = [
    "openai_agents",
    "langchain",
    "langchain_async",
    "langgraph",
    "pydantic_ai",
    "pydantic_ai_toolset",
    "mcp_client",
    "mcp_session",
    "scripted_claude",
]
if "COUNTERSIGN_CLAUDE_CODE" in os.environ:
    NAMES.append("claude_code")
# Frameworks that are installed in a separate environment.
if "COUNTERSIGN_DRIVERS" in os.environ:
    NAMES = os.environ["COUNTERSIGN_DRIVERS"].split(",")


class Driver(Protocol):
    """The framework module."""

    RAISES_TOOL_ERRORS: bool
    """Whether a tool error ends the run. Otherwise the model gets it."""
    DECIDES_ONLY: bool
    """Whether the framework runs the tools itself, and its hooks only decide."""

    def tool_name(self, name: str) -> str: ...

    def play(
        self, gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: object
    ) -> dict[str, str]:
        """Runs the agent: its model makes the calls in one turn, and ends. Returns the text for the model by call id."""
        ...


def load_driver(name: str) -> Driver:
    return importlib.import_module(f"drivers.{name}")  # type: ignore[return-value]
