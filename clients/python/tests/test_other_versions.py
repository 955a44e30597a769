"""Servers of other versions: what a newer one adds is passed on and allows nothing, and what an older one lacks is not needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from countersign import AsyncGate, CountersignError, DeniedError, Gate, UnknownAnswerError
from other_versions import other_version
from server import ServerUnderTest

Decide = Callable[..., None]


@pytest.fixture
def as_version(server: ServerUnderTest, request: pytest.FixtureRequest) -> Iterator[Callable[..., Gate]]:
    """The agent's client of the same server in another version."""
    opened: list[Any] = []

    def connect(*words: str) -> Gate:
        opened.append(version := other_version(server, *words))
        gate = Gate(version.__enter__(), server.agent, thread=request.node.name)
        opened.append(gate)
        return gate

    yield connect
    for one in reversed(opened):
        one.__exit__(None, None, None)


def deploy(arguments: dict[str, Any]) -> str:
    return f"deployed {arguments['service']}"


def refuse_to_run(arguments: dict[str, Any]) -> str:
    raise AssertionError("the call ran")


@pytest.mark.parametrize("version", ["newer", "older"])
def test_whole_call_works_with(version: str, as_version: Callable[..., Gate], decide_next: Decide) -> None:
    gate = as_version(version)
    decide_next("allow_once", comment="go ahead")
    outcome = gate.call_tool("deploy", {"service": "shop"}, deploy)
    assert (outcome.value, outcome.ran_now, outcome.call["state"]) == ("deployed shop", True, "finished")
    assert ("fromTheFuture" in outcome.call) == (version == "newer")
    again = gate.call_tool("deploy", {"service": "shop"}, refuse_to_run, call_id=outcome.call["id"])
    assert (again.value, again.ran_now) == ("deployed shop", False)


@pytest.mark.parametrize("version", ["newer", "older"])
def test_single_operations_work_with(version: str, as_version: Callable[..., Gate], approver: Gate) -> None:
    gate = as_version(version)
    call = gate.propose("deploy", {"service": "shop"}, call_id="call_1")
    assert [one["id"] for one in gate.pending(thread=gate.core.thread)["pending"]] == ["call_1"]
    approver.decide("call_1", "allow_once")
    call = gate.claim(gate.wait(call))
    gate.renew(call)
    assert gate.finish(call, "done")["state"] == "finished"
    assert [one["id"] for one in gate.calls(thread=gate.core.thread)["calls"]] == ["call_1"]
    assert gate.caller()["roles"] == ["agent"] and gate.ready()


@pytest.mark.parametrize("version", ["newer", "older"])
def test_denial_and_refusal_are_read_from(version: str, as_version: Callable[..., Gate], decide_next: Decide) -> None:
    gate = as_version(version)
    decide_next("deny", comment="not today")
    with pytest.raises(DeniedError, match="not today"):
        gate.call_tool("deploy", {"service": "shop"}, refuse_to_run)
    with pytest.raises(CountersignError) as caught:
        gate.get("call_none")
    assert caught.value.code == "unknown_call"


def test_lists_and_streams_pass_future_words_and_event_types_on(as_version: Callable[..., Gate], gate: Gate) -> None:
    for call_id in ("call_1", "call_2"):
        gate.propose("deploy", {"service": "shop"}, call_id=call_id, impact={"riskLevel": "high"})
    future = as_version("newer", "--words", "all")
    listed = future.calls(thread=gate.core.thread)["calls"]
    assert [(call["state"], call["impact"]["riskLevel"]) for call in listed] == [("future_word", "future_word")] * 2
    assert [call["id"] for call in future.pending(thread=gate.core.thread)["pending"]] == ["call_1", "call_2"]
    page = future.events(thread=gate.core.thread)
    assert {event["type"] for event in page["events"]} == {"FUTURE_EVENT"}
    assert all("fromTheFuture" in event and "fromTheFuture" in event["data"] for event in page["events"])
    with future.stream(thread=gate.core.thread) as events:
        streamed = [next(events) for _ in page["events"]]
        cursor = events.cursor
    assert streamed == page["events"]
    gate.propose("deploy", {"service": "bank"}, call_id="call_3")
    with future.stream(thread=gate.core.thread, after=cursor) as events:
        assert next(events)["seq"] > page["events"][-1]["seq"]


@pytest.mark.parametrize("words", [["state", "--keep", "pending"], ["decision"], ["all", "--keep", "pending"]], ids=" ".join)
def test_waiting_executor_takes_future_word_for_a_refusal(
    words: list[str], as_version: Callable[..., Gate], gate: Gate, decide_next: Decide
) -> None:
    future = as_version("newer", "--words", *words)
    decide_next("allow_once")
    with pytest.raises(UnknownAnswerError, match="`future_word`, which this version of the client does not know") as caught:
        future.call_tool("deploy", {"service": "shop"}, refuse_to_run)
    # The call was never claimed, so a client that knows the word can still run it.
    assert gate.get(caught.value.call["id"])["state"] == "allowed"
    with pytest.raises(UnknownAnswerError):
        future.begin("deploy", {"service": "shop"}, call_id=caught.value.call["id"])


def test_proposal_with_future_state_does_not_wait(as_version: Callable[..., Gate]) -> None:
    future = as_version("newer", "--words", "state")
    with pytest.raises(UnknownAnswerError):
        future.call_tool("deploy", {"service": "shop"}, refuse_to_run)


async def run_asynchronously(gate: AsyncGate) -> str:
    async with gate:
        outcome = await gate.call_tool("deploy", {"service": "shop"}, deploy)
        events = gate.stream(thread=gate.core.thread)
        async for event in events:
            if event["data"].get("toolCallId") == outcome.call["id"]:
                break
        await events.close()
    return str(outcome.value)


@pytest.mark.parametrize("version", ["newer", "older"])
def test_asynchronous_client_works_with(version: str, as_version: Callable[..., Gate], decide_next: Decide) -> None:
    decide_next("allow_once")
    assert asyncio.run(run_asynchronously(as_version(version).as_async())) == "deployed shop"


def test_future_error_code_is_an_error_of_the_base_class(as_version: Callable[..., Gate]) -> None:
    with pytest.raises(CountersignError) as caught:
        as_version("newer", "--words", "code").get("call_none")
    assert (type(caught.value), caught.value.code, caught.value.status) == (CountersignError, "future_word", 404)
