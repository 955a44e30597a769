"""Asks before a Pydantic AI agent runs a tool.

    from countersign.pydantic_ai import Approval

    agent = Agent(model, tools=[deploy, read_log], capabilities=[Approval(gate)])
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_ai import ModelRetry, RunContext, ToolReturn
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
from pydantic_core import to_jsonable_python

from .async_gate import AsyncGate
from .execution import ToolReport, UnusableArguments
from .framework_call import CallAnswer, FrameworkCall, FrameworkGate, Unpack, WrapperOptions, add_note
from .gate import Gate
from .json_text import write_json
from .resumption import sorted_members

__all__ = ["Approval", "ApprovalToolset", "with_approval"]


class Approval(AbstractCapability[Any]):
    """Asks before the agent's tools run, including tools from toolsets and MCP servers.

    The call id is the model's. The thread is the gate's, or else the run's ``conversation_id``. The option
    ``thread`` may be a function that gets the ``RunContext``.
    """

    def __init__(self, gate: Gate | AsyncGate, **options: Unpack[WrapperOptions]) -> None:
        self._calls = FrameworkGate(gate, options)

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return ApprovalToolset(toolset, self._calls)


def with_approval(
    gate: Gate | AsyncGate, toolset: AbstractToolset[Any], **options: Unpack[WrapperOptions]
) -> ApprovalToolset:
    """The toolset, each of whose tools asks before it runs. ``Approval`` does the same for a whole agent."""
    return ApprovalToolset(toolset, FrameworkGate(gate, options))


@dataclass
class ApprovalToolset(WrapperToolset[Any]):
    """A toolset whose tools ask before they run."""

    calls: FrameworkGate

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> Any:
        definition = tool.tool_def
        proposed = proposed_arguments(tool_args, definition.parameters_json_schema)
        call = FrameworkCall(
            name=name,
            arguments=proposed,
            call_id=ctx.tool_call_id,
            thread=ctx.conversation_id,
            context=ctx,
            definition={"description": definition.description or "", "inputSchema": definition.parameters_json_schema},
        )
        text = sorted_text(proposed)
        retry: list[ModelRetry] = []

        async def run(approved: Any) -> ToolReport:
            arguments = tool_args
            if sorted_text(approved) != text:
                arguments = await _read_arguments(tool, approved, ctx)
            try:
                value = await self.wrapped.call_tool(name, arguments, ctx, tool)
            except ModelRetry as error:
                retry.append(error)
                return ToolReport(None, f"ModelRetry: {error.message}", failed=True)
            return ToolReport(value, value.return_value if isinstance(value, ToolReturn) else value)

        answer = await self.calls.make_async_call(call, run)
        if retry:
            raise ModelRetry(add_note(retry[0].message, answer.note)) from retry[0]
        return _value_for_model(answer)


def proposed_arguments(tool_args: Any, schema: dict[str, Any]) -> Any:
    """The validated arguments as JSON, in the schema's form. A function's only parameter, if it is a model, does not
    appear in the schema: its fields do."""
    dumped = to_jsonable_python(tool_args, serialize_unknown=True)
    if isinstance(dumped, dict) and len(dumped) == 1:
        ((name, value),) = dumped.items()
        if isinstance(value, dict) and name not in schema.get("properties", {}):
            return value
    return dumped


def sorted_text(arguments: Any) -> str:
    return write_json(sorted_members(arguments))


async def _read_arguments(tool: ToolsetTool[Any], approved: Any, ctx: RunContext[Any]) -> dict[str, Any]:
    """The arguments that a person changed, validated like the model's arguments."""
    try:
        arguments: dict[str, Any] = tool.args_validator.validate_json(write_json(approved), context=ctx.validation_context)
        if tool.args_validator_func is not None:
            checked = tool.args_validator_func(ctx, **arguments)
            if inspect.isawaitable(checked):
                await checked
    except (ValidationError, ModelRetry) as error:
        raise UnusableArguments(f"The approved arguments do not fit the tool, so it was not run: {error}") from error
    return arguments


def _value_for_model(answer: CallAnswer) -> Any:
    if answer.failed:
        return answer.value
    if isinstance(answer.value, ToolReturn):
        if answer.note is not None:
            answer.value.return_value = _with_note(answer.value.return_value, answer.note)
        return answer.value
    return answer.value if answer.note is None else _with_note(answer.value, answer.note)


def _with_note(value: Any, note: str) -> Any:
    return add_note(value, note) if isinstance(value, str) else {"result": value, "note": note}
