"""LangChain and LangGraph: commands, checkpoints, other middleware, and requests from the framework's middleware."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from countersign import Gate
from countersign.langchain import ApprovalMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from drivers.langchain import ScriptedChatModel, model_message, read_results
from drivers.scripted import ScriptedCall, deploy, read_log

Decide = Callable[..., None]
DEPLOY = ScriptedCall("call_1", "deploy", {"service": "shop", "replicas": 3})


def scripted(*calls: ScriptedCall) -> ScriptedChatModel:
    return ScriptedChatModel(messages=iter([model_message(list(calls)), AIMessage("done")]))


def test_command_of_a_tool_updates_the_state(gate: Gate, decide_next: Decide) -> None:
    @tool
    def transfer(to: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Transfers the conversation."""
        return Command(update={"messages": [ToolMessage(f"transferred to {to}", tool_call_id=tool_call_id)]})

    decide_next("allow_once", arguments={"to": "ada"})
    agent = create_agent(
        scripted(ScriptedCall("call_1", "transfer", {"to": "bob"})), tools=[transfer], middleware=[ApprovalMiddleware(gate)]
    )
    answer = read_results(agent.invoke({"messages": [("user", "go")]}))["call_1"]
    assert answer.startswith("transferred to ada")
    assert "changed" in answer
    call = gate.get("call_1")
    assert call["arguments"] == {"to": "ada"}
    assert call["result"]["content"] == "transferred to ada"  # type: ignore[index]


def test_run_continues_from_a_checkpoint_without_a_second_run(gate: Gate, runs: list[str], approver: Gate) -> None:
    """One call of a turn is done, and the other still waits, when the run ends. The checkpoint repeats the turn."""
    calls = [ScriptedCall("call_0", "read_log", {"name": "a"}), DEPLOY]
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "conversation"}}
    first = create_agent(
        scripted(*calls),
        tools=[deploy, read_log],
        middleware=[ApprovalMiddleware(gate, timeout=0.3, on_denial="raise")],
        checkpointer=saver,
    )
    with pytest.raises(Exception, match="still waits"):
        first.invoke({"messages": [("user", "go")]}, config)  # type: ignore[arg-type]
    approver.decide(approver.get("call_1"), "allow_once")
    model = ScriptedChatModel(messages=iter([AIMessage("done")]))
    second = create_agent(model, tools=[deploy, read_log], middleware=[ApprovalMiddleware(gate)], checkpointer=saver)
    answers = read_results(second.invoke(None, config))  # type: ignore[arg-type]
    assert answers == {"call_0": "the log a is empty", "call_1": "deployed shop with 3 replicas"}
    assert sorted(runs) == ["deploy shop 3", "read a"]


def test_unknown_tool_is_answered_by_the_framework(gate: Gate, decide_next: Decide) -> None:
    decide_next("allow_once")
    agent = create_agent(
        scripted(ScriptedCall("call_1", "missing", {})), tools=[deploy], middleware=[ApprovalMiddleware(gate)]
    )
    assert "missing is not a valid tool" in read_results(agent.invoke({"messages": [("user", "go")]}))["call_1"]
    assert gate.get("call_1")["result"]["status"] == "error"  # type: ignore[index, typeddict-item]


def test_tool_that_interrupts_is_recorded_as_failed(gate: Gate) -> None:
    def read_answer() -> str:
        """Asks a person itself."""
        return str(interrupt("what is it?"))

    model = ScriptedChatModel(messages=iter([model_message([ScriptedCall("call_1", "read_answer", {})]), AIMessage("done")]))
    agent = create_agent(
        model, tools=[read_answer], middleware=[ApprovalMiddleware(gate)], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "conversation"}}
    assert agent.invoke({"messages": [("user", "go")]}, config)["__interrupt__"]
    answers = read_results(agent.invoke(Command(resume="42"), config))
    assert "GraphInterrupt" in answers["call_1"]
    assert gate.get("call_1")["result"]["status"] == "error"  # type: ignore[index, typeddict-item]


@pytest.mark.parametrize("mode", ["batched", "per_call"])
def test_requests_of_the_own_middleware_have_our_format(gate: Gate, mode: Any) -> None:
    """`GET …/messages?for=client&format=langchain` writes what `HumanInTheLoopMiddleware` sends, and it takes our decisions."""
    agent = create_agent(
        scripted(DEPLOY),
        tools=[deploy],
        middleware=[HumanInTheLoopMiddleware({"deploy": True}, interrupt_mode=mode)],
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "conversation"}}
    (theirs,) = agent.invoke({"messages": [("user", "go")]}, config)["__interrupt__"]
    gate.propose("deploy", DEPLOY.arguments, call_id="call_1")
    form = {"batched": "langchain", "per_call": "langchain-per-call"}[mode]
    path = f"/v1/threads/{gate.core.thread}/messages"
    answer = gate._client.get(path, params={"for": "client", "format": form}).json()
    ours = find_interrupt(answer)
    if mode == "batched":
        (asked,), (expected,) = ours["action_requests"], theirs.value["action_requests"]
        assert (asked["name"], asked["args"]) == (expected["name"], expected["args"])
        assert set(asked) == set(expected)
        assert set(ours["review_configs"][0]) == set(theirs.value["review_configs"][0])
        resume: Any = {"decisions": [{"type": "reject", "message": "use staging"}]}
    else:
        assert set(ours) == set(theirs.value)
        assert {**ours, "description": ""} == {**theirs.value, "description": ""}
        resume = {theirs.id: {"type": "reject", "message": "use staging"}}
    assert "use staging" in read_results(agent.invoke(Command(resume=resume), config))["call_1"]


def find_interrupt(part: Any) -> Any:
    """The first value that has request members."""
    if isinstance(part, dict) and ("action_requests" in part or part.get("type") == "tool_approval"):
        return part
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
    return next((found for found in map(find_interrupt, parts) if found is not None), None)
