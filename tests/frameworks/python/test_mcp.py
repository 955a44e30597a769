"""MCP clients: definitions, hints, structured results, and the other session methods."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from countersign import Gate, call_context
from countersign.mcp import with_approval
from mcp import Client, types
from mcp.server import MCPServer

Decide = Callable[..., None]


def make_server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("ops")

    @server.tool(annotations=types.ToolAnnotations(read_only_hint=True), description="Reads rows.")
    def read_rows(count: int) -> dict[str, int]:
        return {"rows": count}

    @server.tool()
    def read_broken() -> str:
        raise ValueError("no")

    @server.resource("ops://status")
    def status() -> str:
        return "fine"

    return server


def with_session(gate: Gate, play: Callable[[Any], Any], **options: Any) -> Any:
    async def run() -> Any:
        async with Client(make_server()) as client:
            return await play(with_approval(gate, client, **options))

    return asyncio.run(run())


def test_definition_and_hints_come_from_the_server(gate: Gate) -> None:
    with_session(gate, lambda session: session.call_tool("read_rows", {"count": 2}, call_id="call_1"))
    (event,) = gate.events(thread=gate.core.thread, types=["TOOL_CALL"])["events"]
    assert event["data"]["annotations"]["readOnlyHint"] is True
    assert event["data"]["definition"]["description"] == "Reads rows."
    assert event["data"]["definition"]["inputSchema"]["required"] == ["count"]


def test_parallel_calls_all_have_the_definition(gate: Gate) -> None:
    async def play(session: Any) -> Any:
        calls = [session.call_tool("read_rows", {"count": n}, call_id=f"call_{n}") for n in range(3)]
        return await asyncio.gather(*calls)

    assert [result.structured_content["rows"] for result in with_session(gate, play)] == [0, 1, 2]
    events = gate.events(thread=gate.core.thread, types=["TOOL_CALL"])["events"]
    assert [event["data"]["definition"]["description"] for event in events] == ["Reads rows."] * 3


def test_recorded_result_is_the_same_result(gate: Gate) -> None:
    async def twice(session: Any) -> Any:
        return [await session.call_tool("read_rows", {"count": 2}, call_id="call_1") for _ in range(2)]

    first, second = with_session(gate, twice)
    assert first.structured_content == second.structured_content
    assert [block.text for block in first.content] == [block.text for block in second.content]
    assert second.is_error is False


def test_error_result_of_the_server_stays_one(gate: Gate) -> None:
    async def twice(session: Any) -> Any:
        return [await session.call_tool("read_broken", {}, call_id="call_1") for _ in range(2)]

    first, second = with_session(gate, twice)
    assert first.is_error is True
    assert second.is_error is True
    assert first.content == second.content
    assert gate.get("call_1")["result"]["status"] == "error"  # type: ignore[index, typeddict-item]


def test_denial_is_an_error_result(gate: Gate, decide_next: Decide) -> None:
    decide_next("deny", comment="not now")
    result = with_session(gate, lambda session: session.call_tool("deploy", {}, call_id="call_1"))
    assert result.is_error is True
    assert "not now" in result.content[0].text


def test_name_of_the_server_precedes_the_name_of_the_tool(gate: Gate, decide_next: Decide) -> None:
    decide_next("allow_once")
    result = with_session(gate, lambda session: session.call_tool("read_rows", {"count": 1}, call_id="call_1"), server="ops")
    assert result.structured_content == {"rows": 1}
    assert gate.get("call_1")["name"] == "ops__read_rows"


def test_id_comes_from_the_context_too(gate: Gate) -> None:
    async def play(session: Any) -> Any:
        with call_context(call_id="call_of_the_model"):
            return await session.call_tool("read_rows", {"count": 1})

    with_session(gate, play)
    assert gate.get("call_of_the_model")["state"] == "finished"


def test_other_methods_reach_the_session(gate: Gate) -> None:
    resource = with_session(gate, lambda session: session.read_resource("ops://status"))
    assert resource.contents[0].text == "fine"


def test_results_that_are_not_final_are_refused(gate: Gate) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        with_session(gate, lambda session: session.call_tool("read_rows", {"count": 1}, allow_input_required=True))
    assert "wrap a `Client`" in str(first_error(caught.value))
    assert gate.calls(thread=gate.core.thread)["calls"] == []


def first_error(error: BaseException) -> BaseException:
    return first_error(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
