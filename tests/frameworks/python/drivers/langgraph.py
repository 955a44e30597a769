"""LangGraph: a graph with a `ToolNode` of its own, which gives the errors of tools to the model."""

from __future__ import annotations

from typing import Any

from countersign import AsyncGate, Gate
from countersign.langgraph import with_approval
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from drivers.langchain import configuration, model_message, read_results
from drivers.scripted import TOOLS, ScriptedCall

RAISES_TOOL_ERRORS = False
DECIDES_ONLY = False


def tool_name(name: str) -> str:
    return name


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    # A wrapper that raises reaches the node, which gives errors of the chosen types to the model.
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model_message(calls)]})
    graph.add_node("tools", ToolNode(TOOLS, handle_tool_errors=(ValueError,), **with_approval(gate, **options)))
    graph.add_edge(START, "model")
    graph.add_edge("model", "tools")
    return read_results(graph.compile().invoke({"messages": []}, configuration(conversation)))
