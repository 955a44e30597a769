"""Asks before a LangChain agent runs a tool.

    from countersign.langchain import ApprovalMiddleware

    agent = create_agent(model, tools=[deploy, read_log], middleware=[ApprovalMiddleware(gate)])
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langgraph.prebuilt.tool_node import ToolCallRequest

from .async_gate import AsyncGate
from .framework_call import Unpack, WrapperOptions
from .gate import Gate
from .langgraph import ToolCallWrapper, ToolReply

__all__ = ["ApprovalMiddleware"]


class ApprovalMiddleware(AgentMiddleware[Any, Any, Any]):
    """Asks before each tool call of the agent.

    The call id is the model's. The thread is the gate's, or else the ``thread_id`` that is configured. The
    option ``thread`` may be a function that gets the ``ToolCallRequest``. Put it first in ``middleware``, so that people see the
    call as the model made it, and the others work on the approved one.
    """

    def __init__(self, gate: Gate | AsyncGate, **options: Unpack[WrapperOptions]) -> None:
        super().__init__()
        self._asking = ToolCallWrapper(gate, options)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolReply]) -> ToolReply:
        return self._asking.wrap(request, handler)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolReply]]
    ) -> ToolReply:
        return await self._asking.wrap_async(request, handler)
