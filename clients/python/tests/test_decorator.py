"""`@requires_approval`: what the decorator adds to a whole call, which the contract tests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from countersign import (
    AsyncGate,
    CountersignError,
    Gate,
    StillPendingError,
    UnusableArgumentsError,
    call_context,
    requires_approval,
)
from server import ServerUnderTest

Decide = Callable[..., None]


def test_approved_call_runs_and_its_result_is_recorded(gate: Gate, decide_next: Decide) -> None:
    @requires_approval(gate, name="deploy_service", description=lambda service, replicas: f"deploy {service}")
    def deploy(service: str, replicas: int = 3) -> dict[str, Any]:
        return {"service": service, "replicas": replicas}

    decide_next("allow_once")
    assert deploy("shop") == {"service": "shop", "replicas": 3}
    (call,) = gate.calls(thread=gate.core.thread)["calls"]
    assert (call["name"], call["arguments"], call.get("description")) == (
        "deploy_service",
        {"service": "shop", "replicas": 3},
        "deploy shop",
    )
    assert call["state"] == "finished"
    assert call.get("result", {})["content"] == {"service": "shop", "replicas": 3}  # type: ignore[index]


def test_denial_returns_the_text_on_request(gate: Gate, decide_next: Decide) -> None:
    @requires_approval(gate, on_denial="return")
    def deploy(service: str) -> int:
        return 1

    decide_next("deny", comment="use staging first")
    assert "use staging first" in deploy("shop")


def test_allowed_tool_runs_without_people(gate: Gate) -> None:
    @requires_approval(gate)
    def read_file(path: str, *parts: str, **options: int) -> Any:
        return path, parts, options

    assert read_file("a", "b", "c", depth=2) == ("a", ("b", "c"), {"depth": 2})


def test_decorator_needs_no_parentheses(server: ServerUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERSIGN_SERVER", server.url)
    monkeypatch.setenv("COUNTERSIGN_TOKEN", server.agent)
    monkeypatch.setenv("COUNTERSIGN_THREAD", "from-the-environment")
    monkeypatch.setattr("countersign.decorator._default_gate", None)

    @requires_approval
    def read_plain(number: int) -> int:
        return number + 1

    @requires_approval()
    def read_called(number: int) -> int:
        return number + 2

    assert (read_plain(1), read_called(1)) == (2, 3)
    with Gate() as gate:
        assert len(gate.calls(thread="from-the-environment")["calls"]) == 2


def test_method_and_excluded_parameters_are_not_shown(gate: Gate) -> None:
    class Shop:
        name = "corner"

        @requires_approval(gate, exclude=["connection"])
        def read_price(self, item: str, connection: object) -> str:
            return f"{self.name} {item} {type(connection).__name__}"

    assert Shop().read_price("tea", object()) == "corner tea object"
    (call,) = gate.calls(thread=gate.core.thread)["calls"]
    assert call["arguments"] == {"item": "tea"}


def test_argument_changed_during_the_wait_has_no_effect(gate: Gate, decide_next: Decide) -> None:
    services = ["shop"]

    @requires_approval(gate, description=lambda names: services.append("bank") or "deploy")  # type: ignore[func-returns-value]
    def deploy(names: list[str]) -> list[str]:
        services.append("mail")
        return names

    decide_next("allow_once")
    approved = deploy(services)
    (call,) = gate.calls(thread=gate.core.thread)["calls"]
    assert approved == call["arguments"]["names"]
    assert "mail" not in approved


def test_argument_without_json_is_refused_before_the_call(gate: Gate) -> None:
    @requires_approval(gate)
    def read_object(what: object) -> None: ...

    with pytest.raises(CountersignError, match="a value of the type object is not JSON .at /what.") as caught:
        read_object(object())
    assert caught.value.code == "invalid"


def test_edit_that_does_not_fit_is_an_error_result(gate: Gate, decide_next: Decide) -> None:
    @requires_approval(gate)
    def deploy(service: str) -> str:
        return service

    decide_next("allow_once", arguments={"servce": "shop"})
    with pytest.raises(UnusableArgumentsError, match="lack 'service'"):
        deploy("shop")
    (call,) = gate.calls(thread=gate.core.thread)["calls"]
    assert call.get("result", {})["status"] == "error"  # type: ignore[index]


def test_same_id_returns_the_recorded_result(gate: Gate) -> None:
    runs = []

    @requires_approval(gate)
    def read_file(path: str) -> int:
        runs.append(path)
        return 2**70

    for _ in range(3):
        with call_context(call_id="call_from_the_model"):
            assert read_file("a") == 2**70
    assert runs == ["a"]


def test_timeout_leaves_the_call_and_the_next_call_resumes(gate: Gate, approver: Gate) -> None:
    @requires_approval(gate, timeout=0.1)
    def deploy(service: str) -> str:
        return service

    with pytest.raises(StillPendingError) as caught:
        deploy("shop")
    approver.decide(caught.value.call, "allow_once")
    assert deploy("shop") == "shop"
    assert len(gate.calls(thread=gate.core.thread)["calls"]) == 1


def test_identical_calls_in_a_row_are_separate_calls(gate: Gate) -> None:
    @requires_approval(gate)
    def read_clock() -> int:
        return 1

    assert [read_clock() for _ in range(3)] == [1, 1, 1]
    assert len(gate.calls(thread=gate.core.thread)["calls"]) == 3


def test_asynchronous_calls_wait_side_by_side(server: ServerUnderTest, approver: Gate) -> None:
    thread = approver.core.thread

    async def play() -> list[str]:
        async with AsyncGate(server.url, server.agent, thread=thread) as gate:

            @requires_approval(gate)
            async def deploy(service: str) -> str:
                return service.upper()

            running = asyncio.gather(*(deploy(f"s{number}") for number in range(20)))
            async with AsyncGate(server.url, server.approver, thread=thread) as person:
                asked = 0
                async for event in person.stream(thread=thread, types=["TOOL_APPROVAL_REQUEST"]):
                    call = await person.get(event["data"]["toolCallId"])
                    await person.decide(call, "allow_once")
                    asked += 1
                    if asked == 20:
                        break
            return await running

    assert asyncio.run(play()) == [f"S{number}" for number in range(20)]


def test_cancelled_task_can_withdraw_its_call(server: ServerUnderTest, gate: Gate) -> None:
    async def play() -> None:
        async with AsyncGate(server.url, server.agent, thread=gate.core.thread) as waiting:

            @requires_approval(waiting, withdraw=True, call_id=lambda: "abandoned")
            async def deploy() -> None: ...

            task = asyncio.create_task(deploy())
            await anext(waiting.stream(thread=gate.core.thread, types=["TOOL_APPROVAL_REQUEST"]))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(play())
    assert gate.get("abandoned")["state"] == "cancelled"


def test_withdrawn_call_is_not_resumed(gate: Gate) -> None:
    @requires_approval(gate, timeout=0.1, withdraw=True)
    def deploy() -> None: ...

    for _ in range(2):
        with pytest.raises(StillPendingError):
            deploy()
    calls = gate.calls(thread=gate.core.thread)["calls"]
    assert [call["state"] for call in calls] == ["cancelled", "cancelled"]


def test_synchronous_gate_serves_asynchronous_functions(gate: Gate) -> None:
    @requires_approval(gate)
    async def read_async(number: int) -> int:
        return number + 1

    # Each run has an event loop of its own.
    assert [asyncio.run(read_async(1)), asyncio.run(read_async(2))] == [2, 3]


def test_generator_is_refused() -> None:
    with pytest.raises(TypeError, match="generator"):

        @requires_approval
        def stream_lines() -> Any:
            yield 1


def test_threads_make_identical_calls_side_by_side(gate: Gate, approver: Gate) -> None:
    @requires_approval(gate)
    def deploy(service: str) -> str:
        return service

    results: list[str] = []
    workers = [threading.Thread(target=lambda: results.append(deploy("shop"))) for _ in range(4)]
    for worker in workers:
        worker.start()
    with approver.stream(thread=None, types=["TOOL_APPROVAL_REQUEST"]) as events:
        own = (event for event in events if event["threadId"] == gate.core.thread)
        for _ in range(4):
            approver.decide(approver.get(next(own)["data"]["toolCallId"]), "allow_once")
    for worker in workers:
        worker.join(timeout=30)
    assert results == ["shop"] * 4
