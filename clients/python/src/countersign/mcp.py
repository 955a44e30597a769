"""Asks before an MCP client calls a tool.

    from countersign.mcp import with_approval

    session = with_approval(gate, session)
    result = await session.call_tool("deploy", {"service": "shop"}, call_id=block.id)
"""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from mcp import types

from .async_gate import AsyncGate
from .decorator import current_context
from .execution import ToolReport
from .framework_call import CallAnswer, FrameworkCall, FrameworkGate, Unpack, WrapperOptions, model_text
from .gate import Gate

__all__ = ["ApprovalSession", "with_approval"]


def with_approval(
    gate: Gate | AsyncGate, session: Any, *, server: str | None = None, **options: Unpack[WrapperOptions]
) -> ApprovalSession:
    """The session, whose ``call_tool`` asks before it calls the server. All other methods are passed to the session.

    ``session`` is a ``ClientSession``, a ``Client``, or another object with their ``call_tool`` and ``list_tools``. With
    ``server``, the calls have the name ``server__tool``, as behind the gateway. The option ``thread`` may be a function that
    gets the session.
    """
    return ApprovalSession(FrameworkGate(gate, options), session, server)


class ApprovalSession:
    """A session that asks before it calls a tool."""

    def __init__(self, calls: FrameworkGate, session: Any, server: str | None) -> None:
        self._calls, self._session, self._server = calls, session, server
        self._tools: dict[str, dict[str, Any]] = {}
        self._asked: set[str] = set()
        self._listing = asyncio.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def list_tools(self, *args: Any, **kwargs: Any) -> types.ListToolsResult:
        """Lists the tools. Their definitions are shown to people with the calls."""
        page: types.ListToolsResult = await self._session.list_tools(*args, **kwargs)
        for tool in page.tools:
            self._tools[tool.name] = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        return page

    async def call_tool(
        self, name: str, arguments: dict[str, Any] | None = None, *args: Any, call_id: str | None = None, **kwargs: Any
    ) -> types.CallToolResult:
        """Calls the tool when it is allowed, with the approved arguments. ``call_id`` is the id that the model chose."""
        for option in ("allow_input_required", "allow_claimed", "input_responses", "request_state"):
            if kwargs.get(option):
                raise TypeError(f"{option} ends a call before its result: wrap a `Client`, which answers the server itself")
        tool = await self._find_tool(name)
        call = FrameworkCall(
            name=name if self._server is None else f"{self._server}__{name}",
            arguments=arguments or {},
            call_id=call_id or current_context().call_id,
            context=self._session,
            definition={"description": tool.get("description", ""), "inputSchema": tool["inputSchema"]} if tool else None,
            annotations=tool.get("annotations"),
        )

        async def run(approved: Any) -> ToolReport:
            result: types.CallToolResult = await self._session.call_tool(name, approved, *args, **kwargs)
            content = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            return ToolReport(result, content, failed=bool(content.get("isError")))

        return _read_answer(await self._calls.make_async_call(call, run))

    async def _find_tool(self, name: str) -> dict[str, Any]:
        """The tool definition, as the server lists it. The server is asked once for each unknown name."""
        async with self._listing:
            if name not in self._tools and name not in self._asked:
                self._asked.add(name)
                cursor = _next_cursor(await self.list_tools())
                while cursor and name not in self._tools:
                    cursor = _next_cursor(await self._list_page(cursor))
        return self._tools.get(name, {})

    async def _list_page(self, cursor: str) -> types.ListToolsResult:
        # `Client` takes `cursor`, and `ClientSession` takes `params`.
        if "cursor" in inspect.signature(self._session.list_tools).parameters:
            return await self.list_tools(cursor=cursor)
        return await self.list_tools(params=types.PaginatedRequestParams(cursor=cursor))


def _next_cursor(page: types.ListToolsResult) -> str | None:
    cursor: str | None = page.model_dump(mode="json", by_alias=True).get("nextCursor")
    return cursor


def _read_answer(answer: CallAnswer) -> types.CallToolResult:
    if answer.ran_now:
        result: types.CallToolResult = answer.value
    else:
        result = _recorded_result(answer)
    if answer.note is not None:
        result.content.append(types.TextContent(type="text", text=answer.note))
    return result


def _recorded_result(answer: CallAnswer) -> types.CallToolResult:
    """The result of an earlier run, or an error result that tells the model why."""
    recorded = answer.value
    if answer.failed:
        earlier = answer.call.get("result") if answer.call else None
        recorded = earlier["content"] if earlier else None
    if isinstance(recorded, dict) and isinstance(recorded.get("content"), list):
        return types.CallToolResult.model_validate(recorded)
    content = [{"type": "text", "text": model_text(answer.value)}]
    return types.CallToolResult.model_validate({"content": content, "isError": answer.failed})
