"""Asks before the function tools of a Microsoft Agent Framework agent run.

    from countersign.agent_framework import Approval

    agent = Agent(client, tools=[deploy, read_log], middleware=[Approval(gate)])
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agent_framework import Content, FunctionInvocationContext, FunctionMiddleware, MiddlewareFailure
from pydantic_core import to_jsonable_python

from .async_gate import AsyncGate
from .errors import CountersignError, NotRunError
from .execution import ToolReport
from .framework_call import FrameworkCall, FrameworkGate, Unpack, WrapperOptions, model_text
from .gate import Gate


class Approval(FunctionMiddleware):
    """Asks before the agent's function tools run. Give it last in the list: it shows people the arguments that run.

    The call id is the model's. The thread is the gate's, or else the session's ``session_id``. The option
    ``thread`` may be a function that gets the ``FunctionInvocationContext``.
    """

    def __init__(self, gate: Gate | AsyncGate, **options: Unpack[WrapperOptions]) -> None:
        self._calls = FrameworkGate(gate, options)

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        tool = context.function
        arguments = to_jsonable_python(dict(context.arguments), serialize_unknown=True)
        call = FrameworkCall(
            name=tool.name,
            arguments=arguments,
            call_id=context.metadata.get("call_id"),
            thread=context.session.session_id if context.session else None,
            context=context,
            definition={"description": tool.description, "inputSchema": tool.parameters()},
        )

        async def run(approved: Any) -> ToolReport:
            if approved != arguments:
                context.arguments = approved
            await call_next()
            return ToolReport(context.result, _recorded(context.result))

        try:
            answer = await self._calls.make_async_call(call, run)
        except (CountersignError, NotRunError) as error:
            # Any other error would become a result, and the agent would go on.
            raise MiddlewareFailure(str(error)) from error
        if not answer.ran_now:
            context.result = model_text(answer.value)
        elif answer.note is not None:
            results = context.result if isinstance(context.result, list) else [Content.from_text(str(context.result))]
            context.result = [*results, Content.from_text(answer.note)]


def _recorded(result: Any) -> Any:
    """The recorded result: plain text, if all parts are text."""
    lines = [part.text for part in result if part.type == "text"] if isinstance(result, list) else None
    if lines is not None and len(lines) == len(result):
        return "\n".join(text or "" for text in lines)
    return result
