"""The session of `mcp` 1, which other packages pin: the same wrapper as for `mcp` 2."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from countersign import Gate
from countersign.mcp import with_approval
from mcp import types
from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session

pytest_plugins = ["client_fixtures"]


def make_server() -> FastMCP[Any]:
    server: FastMCP[Any] = FastMCP("ops")

    @server.tool(annotations=types.ToolAnnotations(readOnlyHint=True), description="Reads rows.")
    def read_rows(count: int) -> dict[str, int]:
        return {"rows": count}

    return server


def play(gate: Gate, steps: Callable[[Any], Any]) -> Any:
    async def run() -> Any:
        async with create_connected_server_and_client_session(make_server()._mcp_server) as session:
            return await steps(with_approval(gate, session))

    return asyncio.run(run())


def test_allowed_call_runs_with_its_definition(gate: Gate) -> None:
    result = play(gate, lambda session: session.call_tool("read_rows", {"count": 2}, call_id="call_1"))
    assert result.structuredContent == {"rows": 2} or '"rows": 2' in result.content[0].text
    (event,) = gate.events(thread=gate.core.thread, types=["TOOL_CALL"])["events"]
    assert event["data"]["annotations"]["readOnlyHint"] is True
    assert event["data"]["definition"]["description"] == "Reads rows."


def test_recorded_result_is_the_same_result(gate: Gate) -> None:
    async def twice(session: Any) -> Any:
        return [await session.call_tool("read_rows", {"count": 2}, call_id="call_1") for _ in range(2)]

    first, second = play(gate, twice)
    assert [block.text for block in first.content] == [block.text for block in second.content]


def test_denial_is_an_error_result(gate: Gate, decide_next: Callable[..., None]) -> None:
    decide_next("deny", comment="not now")
    result = play(gate, lambda session: session.call_tool("deploy", {}, call_id="call_1"))
    assert result.isError is True
    assert "not now" in result.content[0].text
