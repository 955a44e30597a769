"""Google ADK: a runner with the plugin, and a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from countersign import AsyncGate, Gate
from countersign.google_adk import Approval
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from drivers.scripted import TOOLS, ScriptedCall

RAISES_TOOL_ERRORS = True
DECIDES_ONLY = False


def tool_name(name: str) -> str:
    return name


class ScriptedModel(BaseLlm):
    """Makes the calls in its first turn, and ends."""

    calls: list[ScriptedCall]
    results: dict[str, str] = {}

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [part for content in llm_request.contents for part in content.parts or []]
        responses = [part.function_response for part in parts if part.function_response]
        if responses:
            self.results = {call.id: str(response.response) for call, response in zip(self.calls, responses)}
            parts = [types.Part(text="done")]
        else:
            made = [types.FunctionCall(id=call.id, name=call.name, args=call.arguments) for call in self.calls]
            parts = [types.Part(function_call=call) for call in made]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


async def run(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None, options: dict[str, Any]
) -> dict[str, str]:
    model = ScriptedModel(model="scripted", calls=calls)
    agent = LlmAgent(name="ops", model=model, tools=list(TOOLS))
    app = App(name="ops", root_agent=agent, plugins=[Approval(gate, **options)])
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name="ops", user_id="ada", session_id=conversation)
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for _ in Runner(app=app, session_service=sessions).run_async(
        user_id="ada", session_id=session.id, new_message=message
    ):
        pass
    return model.results


def play(
    gate: Gate | AsyncGate, calls: list[ScriptedCall], conversation: str | None = None, **options: Any
) -> dict[str, str]:
    return asyncio.run(run(gate, calls, conversation, options))
