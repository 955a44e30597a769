"""LangChain: `create_agent` with a scripted chat model, and with its synchronous methods."""

from __future__ import annotations

from typing import Any

from countersign import AsyncGate, Gate
from countersign.langchain import ApprovalMiddleware
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage

from drivers.scripted import TOOLS, ScriptedCall

RAISES_TOOL_ERRORS = True
DECIDES_ONLY = False


class ScriptedChatModel(GenericFakeChatModel):
    """The fake model of LangChain, which accepts tools."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


def tool_name(name: str) -> str:
    return name


def model_message(calls: list[ScriptedCall]) -> AIMessage:
    made = [{"id": call.id, "name": call.name, "args": call.arguments, "type": "tool_call"} for call in calls]
    return AIMessage(content="", tool_calls=made)


def make_agent(gate: Gate | AsyncGate, calls: list[ScriptedCall], options: Any) -> Any:
    model = ScriptedChatModel(messages=iter([model_message(calls), AIMessage("done")]))
    return create_agent(model, tools=TOOLS, middleware=[ApprovalMiddleware(gate, **options)])


def configuration(conversation: str | None) -> Any:
    return {"configurable": {"thread_id": conversation}} if conversation else {}


def read_results(state: Any) -> dict[str, str]:
    return {part.tool_call_id: str(part.content) for part in state["messages"] if isinstance(part, ToolMessage)}


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    agent = make_agent(gate, calls, options)
    return read_results(agent.invoke({"messages": [("user", "go")]}, configuration(conversation)))
