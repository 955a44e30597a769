"""Pydantic AI: validated arguments, retries, and results of other types than text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from countersign import Gate
from countersign.pydantic_ai import Approval
from pydantic import BaseModel, field_validator
from pydantic_ai import Agent, ApprovalRequired, DeferredToolRequests, DeferredToolResults, ModelRetry, ToolReturn
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

Decide = Callable[..., None]


class Booking(BaseModel):
    """A booking with a date."""

    day: date
    seats: int = 1

    @field_validator("seats")
    @classmethod
    def check_seats(cls, seats: int) -> int:
        if seats > 9:
            raise ValueError("at most 9 seats")
        return seats


def run_tool(gate: Gate, tool: Any, *arguments: dict[str, Any], **options: Any) -> list[ToolReturnPart]:
    """The model calls the tool once in each turn. Returns what it got."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn == len(arguments):
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(tool.__name__, arguments[turn], tool_call_id=f"call_{turn}")])

    agent = Agent(FunctionModel(answer), tools=[tool], capabilities=[Approval(gate, **options)])
    messages = agent.run_sync("go").all_messages()
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def test_edited_arguments_get_their_types(gate: Gate, decide_next: Decide) -> None:
    seen: list[Booking] = []

    def book(booking: Booking) -> str:
        seen.append(booking)
        return "booked"

    decide_next("allow_once", arguments={"day": "2026-12-24", "seats": 2})
    run_tool(gate, book, {"day": "2026-12-23"})
    assert seen == [Booking(day=date(2026, 12, 24), seats=2)]
    (event,) = gate.events(thread=gate.core.thread, types=["TOOL_CALL"])["events"]
    assert event["data"]["arguments"] == {"day": "2026-12-23", "seats": 1}


def test_edit_that_the_validator_refuses_is_not_run(gate: Gate, decide_next: Decide) -> None:
    def book(booking: Booking) -> str:
        raise AssertionError("it must not run")

    decide_next("allow_once", arguments={"day": "2026-12-24", "seats": 12})
    (result,) = run_tool(gate, book, {"day": "2026-12-23"})
    assert "at most 9 seats" in str(result.content)
    assert gate.get("call_0")["result"]["status"] == "error"  # type: ignore[index, typeddict-item]


def test_retry_reaches_the_model_and_is_a_new_call(gate: Gate) -> None:
    def read_row(number: int) -> str:
        if number < 2:
            raise ModelRetry("begin with row 2")
        return f"row {number}"

    first, second = run_tool(gate, read_row, {"number": 1}, {"number": 2})
    assert "begin with row 2" in first.model_response_str()
    assert second.content == "row 2"
    statuses = [gate.get(f"call_{n}")["result"]["status"] for n in range(2)]  # type: ignore[index, typeddict-item]
    assert statuses == ["error", "success"]


def test_structured_result_keeps_its_form(gate: Gate) -> None:
    def read_booking() -> Booking:
        return Booking(day=date(2026, 12, 24))

    (result,) = run_tool(gate, read_booking, {})
    assert result.content == Booking(day=date(2026, 12, 24))
    assert gate.get("call_0")["result"]["content"] == {"day": "2026-12-24", "seats": 1}  # type: ignore[index, typeddict-item]


def test_note_stands_beside_a_structured_result(gate: Gate, decide_next: Decide) -> None:
    def count(to: int) -> ToolReturn[Any]:
        return ToolReturn(return_value={"rows": to}, metadata="kept")

    decide_next("allow_once", arguments={"to": 5})
    (result,) = run_tool(gate, count, {"to": 500})
    assert isinstance(result.content, dict)
    assert result.content["result"] == {"rows": 5}
    assert "500" in result.content["note"]
    assert result.metadata == "kept"


def test_error_of_the_tool_ends_the_run(gate: Gate) -> None:
    def read_broken() -> str:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run_tool(gate, read_broken, {})
    assert gate.get("call_0")["result"]["content"] == "LookupError: gone"  # type: ignore[index, typeddict-item]


def test_tool_that_asks_itself_is_recorded_as_failed(gate: Gate) -> None:
    def read_twice() -> str:
        raise ApprovalRequired

    calls = [ToolCallPart("read_twice", {}, tool_call_id="call_0")]

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=calls if len(messages) == 1 else [TextPart("done")])

    agent: Agent[None, Any] = Agent(
        FunctionModel(answer), tools=[read_twice], capabilities=[Approval(gate)], output_type=[str, DeferredToolRequests]
    )
    first = agent.run_sync("go")
    assert isinstance(first.output, DeferredToolRequests)
    assert gate.get("call_0")["result"]["status"] == "error"  # type: ignore[index, typeddict-item]
    decided = DeferredToolResults(approvals={"call_0": True})
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=decided)
    results = [part for message in second.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)]
    assert "ApprovalRequired" in str(results[-1].content)
