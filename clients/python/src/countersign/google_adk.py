"""Asks before a Google ADK agent runs a tool.

    from countersign.google_adk import Approval

    runner = Runner(app=App(name="ops", root_agent=agent, plugins=[Approval(gate)]), session_service=sessions)
"""

from __future__ import annotations

from typing import Any

from google.adk.plugins import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from .async_gate import AsyncGate
from .framework_call import CallAnswer, FrameworkCall, FrameworkGate, Unpack, WrapperOptions
from .gate import Gate
from .started_call import AsyncStartedCall
from .types import ProposedDefinition


class Approval(BasePlugin):
    """Asks before any of a runner's agents runs a tool.

    The call id is the model's, or the one that ADK assigns. The thread is the gate's, or else the session id. The option
    ``thread`` may be a function that gets the ``ToolContext``.
    """

    def __init__(self, gate: Gate | AsyncGate, **options: Unpack[WrapperOptions]) -> None:
        super().__init__(name="countersign")
        self._calls = FrameworkGate(gate, options)
        # A runner has several sessions, in which a model may choose the same call ids.
        self._started: dict[tuple[str, str | None], AsyncStartedCall] = {}

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        call = FrameworkCall(
            name=tool.name,
            arguments=dict(tool_args),
            call_id=tool_context.function_call_id,
            thread=tool_context.session.id,
            context=tool_context,
            definition=_definition(tool),
        )
        started = await self._calls.begin_async_call(call)
        if isinstance(started, CallAnswer):
            return {"result": started.value}
        if started.ran_before:
            return _with_note({"result": started.recorded}, started.note)
        self._started[_call_key(tool_context)] = started
        # ADK runs the tool with this dictionary.
        tool_args.clear()
        tool_args.update(started.arguments)
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        if (started := self._started.pop(_call_key(tool_context), None)) is None:
            return None
        # An agent callback may have changed the arguments after this plugin.
        if isinstance(result, dict) and set(result) == {"error"}:
            await started.fail(str(result["error"]))
        else:
            await started.finish(result, ran_arguments=dict(tool_args))
        response = result if isinstance(result, dict) else {"result": result}
        return _with_note(response, started.note) if started.note else None

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> dict[str, Any] | None:
        if started := self._started.pop(_call_key(tool_context), None):
            await started.fail(error)
        return None


def _call_key(context: ToolContext) -> tuple[str, str | None]:
    return context.invocation_id, context.function_call_id


def _with_note(response: dict[str, Any], note: str | None) -> dict[str, Any]:
    return response if note is None else {**response, "note": note}


def _definition(tool: BaseTool) -> ProposedDefinition:
    declaration = tool._get_declaration()
    schema = declaration.parameters_json_schema if declaration else None
    if declaration and schema is None and declaration.parameters:
        schema = declaration.parameters.json_schema.model_dump(mode="json", exclude_none=True)
    definition: ProposedDefinition = {"description": tool.description}
    if isinstance(schema, dict):
        definition["inputSchema"] = schema
    return definition
