"""Pydantic AI: an agent with the capability, and the framework's function model."""

from __future__ import annotations

from typing import Any

from countersign import AsyncGate, Gate
from countersign.pydantic_ai import Approval
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from drivers.scripted import TOOLS, ScriptedCall

RAISES_TOOL_ERRORS = True
DECIDES_ONLY = False


def tool_name(name: str) -> str:
    return name


def scripted_model(calls: list[ScriptedCall]) -> FunctionModel:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(call.name, call.arguments, tool_call_id=call.id) for call in calls])

    return FunctionModel(answer)


def read_results(messages: list[ModelMessage]) -> dict[str, str]:
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    return {part.tool_call_id: part.model_response_str() for part in parts}


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    agent = Agent(scripted_model(calls), tools=TOOLS, capabilities=[Approval(gate, **options)])
    return read_results(agent.run_sync("go", conversation_id=conversation).all_messages())
