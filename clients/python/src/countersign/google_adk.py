"""Asks before the tools of a Google ADK agent run.

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
    """Asks before each tool of the agents of a runner runs.

    The id of a call is that of the model, or the one that ADK gives it. The thread is that of the gate, or else the id of the
    session. The option ``thread`` may be a function of the ``ToolContext``.
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
        # A callback of the agent may have changed the arguments after this plugin.
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
