"""OpenAI Agents: time limits, failures, outputs and arguments are treated as the SDK treats them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agents import Agent, FunctionTool, RunConfig, Runner, WebSearchTool, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tool import ToolOutputImage
from countersign import Gate
from countersign.openai_agents import with_approval

Decide = Callable[..., None]


def run_tool(gate: Gate, tool: FunctionTool, arguments: Any, **options: Any) -> Any:
    model = ScriptedModel([[function_call(tool.name, arguments, call_id="call_1")], [assistant_message("done")]])
    agent = Agent(name="ops", model=model, tools=with_approval(gate, [tool], **options))
    result = asyncio.run(Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True)))
    (output,) = [item for item in result.to_input_list() if item.get("type") == "function_call_output"]
    return output["output"]  # type: ignore[typeddict-item]


def recorded(gate: Gate) -> Any:
    return gate.get("call_1")["result"]  # type: ignore[typeddict-item]


def test_time_limit_applies_to_the_run_of_the_tool(gate: Gate) -> None:
    @function_tool(timeout=0.2)
    async def read_stuck() -> str:
        await asyncio.Event().wait()
        return "never"

    (gated,) = with_approval(gate, [read_stuck])
    assert isinstance(gated, FunctionTool)
    assert gated.timeout_seconds is None
    assert "timed out" in run_tool(gate, read_stuck, {})
    assert recorded(gate)["status"] == "error"


def test_own_texts_for_failures_are_used(gate: Gate) -> None:
    @function_tool(failure_error_function=lambda context, error: f"sorry: {error}")
    def read_own() -> str:
        raise ValueError("no")

    assert run_tool(gate, read_own, {}) == "sorry: no"
    assert recorded(gate) == {**recorded(gate), "status": "error", "content": "ValueError: no"}


def test_tool_without_a_failure_text_ends_the_run(gate: Gate) -> None:
    @function_tool(failure_error_function=None)
    def read_strict() -> str:
        raise ValueError("no")

    with pytest.raises(Exception, match="no"):
        run_tool(gate, read_strict, {})
    assert recorded(gate)["status"] == "error"


def test_image_stays_an_image_beside_the_note(gate: Gate, decide_next: Decide) -> None:
    @function_tool
    def draw(size: int) -> ToolOutputImage:
        return ToolOutputImage(image_url=f"data:image/png;base64,size{size}")

    decide_next("allow_once", arguments={"size": 2})
    image, note = run_tool(gate, draw, {"size": 1})
    assert image["image_url"].endswith("size2")
    assert "size" in note["text"]


def test_arguments_that_are_not_json_are_not_proposed(gate: Gate) -> None:
    @function_tool
    def read_any(name: str) -> str:
        raise AssertionError("it must not run")

    assert "are not JSON" in run_tool(gate, read_any, '{"name": ')
    assert gate.calls(thread=gate.core.thread)["calls"] == []


def test_large_numbers_reach_the_tool_exactly(gate: Gate) -> None:
    @function_tool
    def read_number(number: int) -> str:
        return str(number)

    assert run_tool(gate, read_number, '{"number": 123456789012345678901234567890}') == "123456789012345678901234567890"


def test_agent_as_a_tool_runs_after_approval(gate: Gate, decide_next: Decide) -> None:
    expert = Agent(name="expert", model=ScriptedModel([[assistant_message("it is fine")]]))
    tool = expert.as_tool("ask_expert", "Asks an expert.")
    decide_next("allow_once")
    assert run_tool(gate, tool, {"input": "is it fine?"}) == "it is fine"
    assert recorded(gate)["content"] == "it is fine"


def test_hosted_tool_is_refused(gate: Gate) -> None:
    with pytest.raises(TypeError, match="WebSearchTool is not a function tool"):
        with_approval(gate, [WebSearchTool()])
