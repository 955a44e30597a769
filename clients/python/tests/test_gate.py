"""The operations against the real server, synchronous and asynchronous."""

from __future__ import annotations

import asyncio

import pytest
from countersign import AsyncGate, CountersignError, FailedBeforeError, Gate, ToolReport
from countersign.error_codes import (
    AlreadyClaimedError,
    AlreadyDecidedError,
    BadCursorError,
    BadUrlError,
    CallDiffersError,
    NotPermittedError,
    UnauthenticatedError,
    UnknownCallError,
)
from server import ServerUnderTest


def test_call_lives_from_proposal_to_result(gate: Gate, approver: Gate) -> None:
    call = gate.propose("deploy", {"n": 2**80}, call_id="call_0", impact={"message": "deploys", "riskLevel": "high"})
    assert call["state"] == "pending"
    assert approver.pending(thread=gate.core.thread)["pending"][0]["arguments"] == {"n": 2**80}
    approver.decide(call, "allow_once", comment="fine")
    claimed = gate.claim(gate.wait(call))
    assert claimed["arguments"] == {"n": 2**80}
    assert gate.finish(gate.renew(claimed), {"ok": True})["state"] == "finished"


def test_errors_have_the_class_of_their_code(gate: Gate, approver: Gate) -> None:
    call = gate.propose("deploy", {}, call_id="call_0")
    with pytest.raises(CallDiffersError):
        gate.propose("deploy", {"other": 1}, call_id="call_0")
    with pytest.raises(NotPermittedError):
        gate.decide(call, "allow_once")
    approver.decide(call, "allow_once")
    with pytest.raises(AlreadyDecidedError) as caught:
        approver.decide(call, "deny")
    assert caught.value.response is not None
    assert caught.value.response["principal"] == "user:ada"
    gate.claim(call, executor="first")
    with pytest.raises(AlreadyClaimedError) as refused:
        gate.claim(call, executor="first")
    assert refused.value.status == 409
    assert refused.value.request_id
    with pytest.raises(UnknownCallError):
        gate.get("missing")


def test_ids_are_encoded_in_paths(gate: Gate) -> None:
    call = gate.propose("read_it", {}, call_id="a/b?c#d%2F e")
    assert gate.get("a/b?c#d%2F e")["id"] == call["id"] == "a/b?c#d%2F e"


def test_bad_settings_are_refused(server: ServerUnderTest, tmp_path: object) -> None:
    with pytest.raises(BadUrlError) as caught:
        Gate("ftp://user:secret@host")
    assert "secret" not in str(caught.value)
    with pytest.raises(UnauthenticatedError):
        Gate(server.url, "two words")
    with Gate(server.url, "csgn_wrong") as gate, pytest.raises(UnauthenticatedError):
        gate.caller()
    with Gate("http://127.0.0.1:9", "x") as gate, pytest.raises(CountersignError) as refused:
        gate.ready()
    assert refused.value.code == "unreachable"
    assert "countersign serve" in str(refused.value)


def test_clients_of_closed_loops_are_discarded(server: ServerUnderTest) -> None:
    with Gate(server.url, server.agent) as gate:
        for _ in range(5):
            asyncio.run(gate.as_async().ready())
        assert len(gate.as_async()._clients) == 1


def test_report_of_a_runner_is_recorded_in_place_of_its_value(gate: Gate) -> None:
    ended = gate.call_tool("read_it", {}, lambda arguments: ToolReport({1, 2}, "two rows"), call_id="call_0")
    assert ended.value == {1, 2}
    assert ended.call["result"] is not None
    assert (ended.call["result"]["status"], ended.call["result"]["content"]) == ("success", "two rows")
    failed = gate.call_tool("read_it", {}, lambda arguments: ToolReport("sorry", "no rows", failed=True), call_id="call_1")
    assert (failed.value, failed.ran_now) == ("sorry", True)
    with pytest.raises(FailedBeforeError, match="no rows"):
        gate.call_tool("read_it", {}, lambda arguments: ToolReport("sorry", "no rows"), call_id="call_1")


def test_token_is_not_shown(server: ServerUnderTest) -> None:
    with Gate(server.url, server.agent) as gate:
        assert server.agent not in repr(gate.settings)


def test_stream_begins_at_a_saved_cursor(gate: Gate) -> None:
    for number in range(3):
        gate.propose("read_it", {"n": number}, call_id=f"call_{number}")
    with gate.stream(thread=gate.core.thread, types=["TOOL_CALL"]) as events:
        assert next(events)["data"]["arguments"] == {"n": 0}
        saved = events.cursor
    assert "-" in saved
    with gate.stream(thread=gate.core.thread, types=["TOOL_CALL"], after=saved) as events:
        assert next(events)["data"]["arguments"] == {"n": 1}


def test_cursor_of_another_log_is_refused(gate: Gate) -> None:
    with gate.stream(after="1-0000000000000000") as events, pytest.raises(BadCursorError) as caught:
        next(events)
    assert caught.value.tip is not None


def test_stream_survives_kill_9_of_the_server() -> None:
    server = ServerUnderTest()
    try:
        with Gate(server.url, server.agent, thread="t") as gate, gate.stream(types=["TOOL_CALL"]) as events:
            seen = []
            for number in range(3):
                gate.propose("deploy", {"n": number})
                seen.append(next(events)["data"]["arguments"]["n"])
                server.kill()
                server.start()
            assert seen == [0, 1, 2]
    finally:
        server.stop()


def test_asynchronous_stream_survives_kill_9() -> None:
    server = ServerUnderTest()

    async def play() -> list[int]:
        seen = []
        async with AsyncGate(server.url, server.agent, thread="t") as gate:
            async with gate.stream(types=["TOOL_CALL"]) as events:
                for number in range(3):
                    await gate.propose("deploy", {"n": number})
                    seen.append((await anext(events))["data"]["arguments"]["n"])
                    server.kill()
                    server.start()
        return seen

    try:
        assert asyncio.run(play()) == [0, 1, 2]
    finally:
        server.stop()


def test_decisions_are_made_together(gate: Gate, approver: Gate) -> None:
    calls = [gate.propose("deploy", {"n": n}, call_id=f"call_{n}") for n in range(2)]
    items = [{"threadId": call["threadId"], "id": call["id"], "decision": "deny"} for call in calls]
    items.append({"threadId": gate.core.thread, "id": "missing", "decision": "deny"})
    results = approver.decide_all(items)["results"]  # type: ignore[arg-type]
    assert [result.get("call", {}).get("state") for result in results] == ["denied", "denied", None]  # type: ignore[union-attr]
