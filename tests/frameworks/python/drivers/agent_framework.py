"""Microsoft Agent Framework: an agent with the middleware, and a scripted chat client."""

from __future__ import annotations

import asyncio
from typing import Any

from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message
from countersign import AsyncGate, Gate
from countersign.agent_framework import Approval

from drivers.scripted import TOOLS, ScriptedCall

RAISES_TOOL_ERRORS = False
DECIDES_ONLY = False


def tool_name(name: str) -> str:
    return name


class ScriptedClient(FunctionInvocationLayer, BaseChatClient):
    """Makes the calls in its first turn, and ends."""

    def __init__(self, calls: list[ScriptedCall]) -> None:
        super().__init__()
        self.calls = calls
        self.results: dict[str, str] = {}

    async def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **kwargs: Any) -> ChatResponse:
        contents = [part for message in messages for part in message.contents if part.type == "function_result"]
        if contents:
            self.results = {part.call_id: str(part.result) for part in contents}
            return ChatResponse(messages=[Message(role="assistant", contents=["done"])])
        calls = [Content.from_function_call(call_id=call.id, name=call.name, arguments=call.arguments) for call in self.calls]
        return ChatResponse(messages=[Message(role="assistant", contents=calls)])


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    client = ScriptedClient(calls)
    agent = Agent(client, tools=TOOLS, middleware=[Approval(gate, **options)])
    asyncio.run(agent.run("go", session=AgentSession(session_id=conversation) if conversation else None))
    return client.results
