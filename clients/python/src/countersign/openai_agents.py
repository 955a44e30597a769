"""Asks before the function tools of the OpenAI Agents SDK run.

    from countersign.openai_agents import with_approval

    agent = Agent(name="ops", tools=with_approval(gate, [deploy, read_log]))
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterable
from typing import Any

from agents import FunctionTool, Tool
from agents.exceptions import ToolTimeoutError
from agents.tool import (
    ToolOutputFileContent,
    ToolOutputImage,
    ToolOutputText,
    default_tool_timeout_error_message,
    invoke_function_tool,
    maybe_invoke_function_tool_failure_error_function,
    resolve_function_tool_failure_error_function,
    set_function_tool_failure_error_function,
)
from agents.tool_context import ToolContext

from .async_gate import AsyncGate
from .execution import ToolReport
from .framework_call import FrameworkCall, FrameworkGate, Unpack, WrapperOptions, add_note, model_text
from .gate import Gate
from .json_text import read_json, write_json

STRUCTURED_OUTPUTS = (ToolOutputText, ToolOutputImage, ToolOutputFileContent)


def with_approval(gate: Gate | AsyncGate, tools: Iterable[Tool], **options: Unpack[WrapperOptions]) -> list[Tool]:
    """The tools, each of which asks before it runs.

    The call id is the model's. The thread is the gate's, or else the ``RunConfig``'s ``group_id``. The
    option ``thread`` may be a function that gets the ``ToolContext``.
    """
    calls = FrameworkGate(gate, options)
    return [_with_approval(calls, tool) for tool in tools]


def _with_approval(calls: FrameworkGate, tool: Tool) -> Tool:
    if not isinstance(tool, FunctionTool):
        raise TypeError(f"{type(tool).__name__} is not a function tool: this program does not run it, so it cannot be asked for")
    gated = copy.copy(tool)

    async def invoke(context: ToolContext[Any], text: str) -> Any:
        return await _invoke(calls, tool, context, text)

    gated.on_invoke_tool = invoke
    # The limit applies to the tool run, and not to the wait for people.
    gated.timeout_seconds = None
    return gated


async def _invoke(calls: FrameworkGate, tool: FunctionTool, context: ToolContext[Any], text: str) -> Any:
    try:
        arguments = read_json(text) if text.strip() else {}
    except ValueError as error:
        return f"The arguments of {tool.name} are not JSON, so it was not run: {error}"
    annotations = tool.mcp_annotations
    call = FrameworkCall(
        name=tool.name,
        arguments=arguments,
        call_id=context.tool_call_id,
        thread=context.run_config.group_id if context.run_config else None,
        context=context,
        definition={"description": tool.description, "inputSchema": tool.params_json_schema},
        annotations=annotations.model_dump(by_alias=True, exclude_none=True) if annotations else None,
    )

    async def run(approved: Any) -> ToolReport:
        return await _run_tool(tool, context, write_json(approved))

    answer = await calls.make_async_call(call, run)
    if answer.ran_now:
        return _output_with_note(answer.value, answer.note)
    return add_note(model_text(answer.value), answer.note)


async def _run_tool(tool: FunctionTool, context: ToolContext[Any], text: str) -> ToolReport:
    """Runs the tool as the SDK does. A failure that the SDK turns into output for the model is reported as an error."""
    failures: list[Exception] = []

    async def format_failure(failed_in: Any, error: Exception) -> str:
        failures.append(error)
        formatted = await maybe_invoke_function_tool_failure_error_function(
            function_tool=tool, context=failed_in, error=error
        )
        return str(error) if formatted is None else formatted

    inner = copy.copy(tool)
    inner.timeout_behavior = "raise_exception"
    if resolve_function_tool_failure_error_function(tool, context) is not None:
        set_function_tool_failure_error_function(inner, format_failure)
    context.tool_arguments = text
    try:
        output = await invoke_function_tool(function_tool=inner, context=context, arguments=text)
    except ToolTimeoutError as error:
        if tool.timeout_behavior == "raise_exception":
            raise
        message = await _timeout_message(tool, context, error)
        return ToolReport(message, message, failed=True)
    if failures:
        return ToolReport(output, f"{type(failures[0]).__name__}: {failures[0]}", failed=True)
    return ToolReport(output, output)


async def _timeout_message(tool: FunctionTool, context: ToolContext[Any], error: ToolTimeoutError) -> Any:
    if tool.timeout_error_function is None:
        return default_tool_timeout_error_message(tool_name=tool.name, timeout_seconds=tool.timeout_seconds or 0.0)
    message = tool.timeout_error_function(context, error)
    return await message if inspect.isawaitable(message) else message


def _output_with_note(output: Any, note: str | None) -> Any:
    """The tool output with the note for the model. Images and files stay what they are."""
    if note is None:
        return output
    if isinstance(output, STRUCTURED_OUTPUTS):
        return [output, ToolOutputText(text=note)]
    if isinstance(output, list) and output and all(isinstance(part, STRUCTURED_OUTPUTS) for part in output):
        return [*output, ToolOutputText(text=note)]
    return add_note(str(output), note)
