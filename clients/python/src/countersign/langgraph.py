"""Asks before a LangGraph tool node runs a tool.

    from countersign.langgraph import with_approval

    node = ToolNode([deploy, read_log], **with_approval(gate))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypedDict

from langchain_core.messages import ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from .async_gate import AsyncGate
from .execution import ToolReport, UnusableArguments
from .framework_call import CallAnswer, FrameworkCall, FrameworkGate, Unpack, WrapperOptions, add_note, model_text
from .gate import Gate
from .types import ProposedDefinition

ToolReply: TypeAlias = "ToolMessage | Command[Any]"


class ToolNodeWrappers(TypedDict):
    """The parameters of ``ToolNode`` that ask before each call."""

    wrap_tool_call: Callable[[ToolCallRequest, Callable[[ToolCallRequest], ToolReply]], ToolReply]
    awrap_tool_call: Callable[[ToolCallRequest, Callable[[ToolCallRequest], Awaitable[ToolReply]]], Awaitable[ToolReply]]


def with_approval(gate: Gate | AsyncGate, **options: Unpack[WrapperOptions]) -> ToolNodeWrappers:
    """The parameters of a ``ToolNode`` that asks before it runs a tool.

    The call id is the model's. The thread is the gate's, or else the ``thread_id`` that is configured. The
    option ``thread`` may be a function that gets the ``ToolCallRequest``.
    """
    asking = ToolCallWrapper(gate, options)
    return {"wrap_tool_call": asking.wrap, "awrap_tool_call": asking.wrap_async}


class ToolCallWrapper:
    """Asks before a tool call, and runs it with the approved arguments."""

    def __init__(self, gate: Gate | AsyncGate, options: WrapperOptions) -> None:
        self._calls = FrameworkGate(gate, options)

    def wrap(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolReply]) -> ToolReply:
        def run(approved: Any) -> ToolReport:
            return report_reply(handler(with_arguments(request, approved)))

        return reply_to(request, self._calls.make_call(describe_call(request), run))

    async def wrap_async(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolReply]]
    ) -> ToolReply:
        async def run(approved: Any) -> ToolReport:
            return report_reply(await handler(with_arguments(request, approved)))

        return reply_to(request, await self._calls.make_async_call(describe_call(request), run))


def describe_call(request: ToolCallRequest) -> FrameworkCall:
    runtime = request.runtime
    configurable = (runtime.config or {}).get("configurable") or {} if runtime is not None else {}
    thread = configurable.get("thread_id")
    return FrameworkCall(
        name=request.tool_call["name"],
        arguments=request.tool_call["args"],
        call_id=request.tool_call["id"],
        thread=None if thread is None else str(thread),
        context=request,
        definition=describe_tool(request.tool),
    )


def describe_tool(tool: Any) -> ProposedDefinition | None:
    """The definition that the model gets. A tool that the node does not know has none."""
    if tool is None:
        return None
    function = convert_to_openai_tool(tool)["function"]
    return {"description": function.get("description", ""), "inputSchema": function.get("parameters", {})}


def with_arguments(request: ToolCallRequest, approved: Any) -> ToolCallRequest:
    if not isinstance(approved, dict):
        raise UnusableArguments("The approved arguments are not an object, so the tool was not run.")
    return request.override(tool_call={**request.tool_call, "args": approved})


def report_reply(reply: Any) -> ToolReport:
    """Reports a reply. A tool that failed, and whose error the node gives to the model, is recorded as failed."""
    messages = [part for part in messages_of(reply) if isinstance(part, ToolMessage)]
    if len(messages) == 1:
        return ToolReport(reply, messages[0].content, failed=messages[0].status == "error")
    return ToolReport(reply, [message.content for message in messages] or str(reply))


def messages_of(reply: Any) -> list[Any]:
    """The messages in a tool reply: a message, a command with messages, or a list of both."""
    if isinstance(reply, list):
        return [message for part in reply for message in messages_of(part)]
    if isinstance(reply, Command):
        update = reply.update
        messages = update.get("messages", []) if isinstance(update, dict) else []
        return list(messages) if isinstance(messages, (list, tuple)) else [messages]
    return [reply]


def reply_to(request: ToolCallRequest, answer: CallAnswer) -> ToolReply:
    """The reply for the model."""
    if answer.ran_now:
        reply: ToolReply = answer.value
        for message in messages_of(reply):
            if answer.note and isinstance(message, ToolMessage):
                append_note(message, answer.note)
        return reply
    content = answer.value
    if not isinstance(content, list) or not all(isinstance(part, (str, dict)) for part in content):
        content = model_text(content)
    message = ToolMessage(
        content=content,
        name=request.tool_call["name"],
        tool_call_id=request.tool_call["id"] or "",
        status="error" if answer.failed else "success",
    )
    if answer.note:
        append_note(message, answer.note)
    return message


def append_note(message: ToolMessage, note: str) -> None:
    """Adds the note that a person changed the arguments to the text for the model."""
    if isinstance(message.content, str):
        message.content = add_note(message.content, note)
    else:
        message.content = [*message.content, {"type": "text", "text": note}]
