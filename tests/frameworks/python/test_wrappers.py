"""Every wrapper: the policy and people decide on each call, and the model gets the result or the reason."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from countersign import DeniedError, Gate
from countersign.error_codes import UnauthenticatedError
from countersign.place import program_place
from server import ServerUnderTest

from drivers import NAMES, Driver, scripted
from drivers.scripted import ScriptedCall

Decide = Callable[..., None]
AGENT = Path(__file__).parent / "agent.py"
PROCESS_DRIVERS = ["openai_agents", "langchain", "langgraph", "pydantic_ai", "mcp_client", "scripted_claude"]
"""One driver of each wrapper: the agent runs in a process of its own."""
if "COUNTERSIGN_CLAUDE_CODE" in os.environ:
    PROCESS_DRIVERS.append("claude_code")
if "COUNTERSIGN_DRIVERS" in os.environ:
    PROCESS_DRIVERS = NAMES


def deploy_call(driver: Driver, call_id: str = "call_1", **arguments: Any) -> ScriptedCall:
    return ScriptedCall(call_id, driver.tool_name("deploy"), {"service": "shop", "replicas": 3, **arguments})


def test_approved_call_runs_and_is_recorded(driver: Driver, gate: Gate, decide_next: Decide, runs: list[str]) -> None:
    decide_next("allow_once")
    answer = driver.play(gate, [deploy_call(driver)])["call_1"]
    assert "deployed shop with 3 replicas" in answer
    call = gate.get("call_1")
    assert (call["name"], call["arguments"]) == (driver.tool_name("deploy"), {"service": "shop", "replicas": 3})
    assert call["state"] == "finished"
    assert call["result"] is not None
    assert call["result"]["status"] == "success"
    assert "deployed shop with 3 replicas" in str(call["result"]["content"])


def test_denial_gives_the_reason_to_the_model(driver: Driver, gate: Gate, decide_next: Decide, runs: list[str]) -> None:
    decide_next("deny", comment="use staging first")
    answer = driver.play(gate, [deploy_call(driver)])["call_1"]
    assert "use staging first" in answer
    assert "ada" in answer
    assert runs == []
    assert gate.get("call_1")["state"] == "denied"


def test_edit_runs_and_the_model_is_told(driver: Driver, gate: Gate, decide_next: Decide, runs: list[str]) -> None:
    decide_next("allow_once", arguments={"service": "shop", "replicas": 5})
    answer = driver.play(gate, [deploy_call(driver)])["call_1"]
    assert "deployed shop with 5 replicas" in answer
    assert "replicas" in answer.split("deployed shop with 5 replicas", 1)[1]
    note = gate.get("call_1")["response"]["note"]  # type: ignore[index]
    assert note is not None and note[:40] in answer
    if runs:
        assert runs == ["deploy shop 5"]


def test_blocked_call_never_runs(driver: Driver, gate: Gate) -> None:
    call = ScriptedCall("call_1", driver.tool_name("wipe_disk"), {"disk": "sda"})
    assert "wiping is forbidden" in driver.play(gate, [call])["call_1"]
    assert gate.get("call_1")["state"] == "denied"


def test_allowed_calls_run_side_by_side(driver: Driver, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    # These run synchronous tools one after the other.
    one_by_one = driver.__name__ in ("drivers.mcp_session", "drivers.google_adk")  # type: ignore[attr-defined]
    if not one_by_one and not driver.DECIDES_ONLY:
        # Each call ends only when the others run as well.
        monkeypatch.setattr(scripted, "meeting", threading.Barrier(3))
    calls = [ScriptedCall(f"call_{n}", driver.tool_name("read_log"), {"name": f"log{n}"}) for n in range(3)]
    answers = driver.play(gate, calls)
    assert [f"the log log{n} is empty" in answers[f"call_{n}"] for n in range(3)] == [True] * 3
    assert gate.pending(thread=gate.core.thread)["pending"] == []


def test_parallel_calls_are_decided_in_any_order(driver: Driver, gate: Gate, approver: Gate) -> None:
    calls = [deploy_call(driver, f"call_{n}", service=f"s{n}") for n in range(3)]

    def decide_all() -> None:
        asked: list[str] = []
        with approver.stream(types=["TOOL_APPROVAL_REQUEST"], thread=None) as events:
            for event in events:
                if event["threadId"] != approver.core.thread:
                    continue
                asked.append(event["data"]["toolCallId"])
                if driver.DECIDES_ONLY or len(asked) == 3:
                    for call_id in reversed(asked):
                        approver.decide(approver.get(call_id), "deny" if call_id == "call_1" else "allow_once")
                    if "call_2" in asked and (driver.DECIDES_ONLY or len(asked) == 3):
                        return
                    asked.clear()

    person = threading.Thread(target=decide_all, daemon=True)
    person.start()
    answers = driver.play(gate, calls)
    person.join(timeout=30)
    assert "deployed s0" in answers["call_0"]
    assert "deployed" not in answers["call_1"]
    assert "deployed s2" in answers["call_2"]


def test_error_of_a_tool_is_recorded_and_passed_on(driver: Driver, gate: Gate) -> None:
    call = ScriptedCall("call_1", driver.tool_name("read_broken"), {"name": "x"})
    if driver.RAISES_TOOL_ERRORS:
        with pytest.raises(ValueError, match="there is no log x"):
            driver.play(gate, [call])
    else:
        answer = driver.play(gate, [call])["call_1"]
        texts = ["there is no log x", "Error executing tool read_broken", "An error occurred while running the tool", "Function failed"]
        assert any(text in answer for text in texts)
    recorded = gate.get("call_1")["result"]  # type: ignore[typeddict-item]
    assert recorded is not None
    assert recorded["status"] == "error"
    # The MCP server SDK hides the message of a tool error from its clients.
    assert "there is no log x" in str(recorded["content"]) or "Error executing tool" in str(recorded["content"])


def test_time_out_tells_the_model_that_the_call_waits(driver: Driver, gate: Gate, approver: Gate) -> None:
    answer = driver.play(gate, [deploy_call(driver)], timeout=0.2)["call_1"]
    assert "still waits for a decision" in answer
    assert gate.get("call_1")["state"] == "pending"
    approver.decide(gate.get("call_1"), "allow_once")
    assert "deployed shop" in driver.play(gate, [deploy_call(driver)])["call_1"]


def test_time_out_can_withdraw_the_call(driver: Driver, gate: Gate) -> None:
    driver.play(gate, [deploy_call(driver)], timeout=0.2, withdraw=True, expires_in=600)
    call = gate.get("call_1")
    assert call["state"] == "cancelled"
    (request,) = gate.events(thread=gate.core.thread, types=["TOOL_APPROVAL_REQUEST"])["events"]
    assert "expiresAt" in request["data"]


def test_same_id_returns_the_recorded_result(driver: Driver, gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_RUNS", str(tmp_path / "runs"))
    call = ScriptedCall("call_1", driver.tool_name("read_log"), {"name": "a"})
    answers = [driver.play(gate, [call])["call_1"] for _ in range(3)]
    assert ["the log a is empty" in answer for answer in answers] == [True] * 3
    assert (tmp_path / "runs").read_text() == "read a\n"


def test_denial_can_end_the_run(driver: Driver, gate: Gate, decide_next: Decide) -> None:
    decide_next("deny", comment="stop everything")
    if driver.DECIDES_ONLY:
        # Claude Code ends the turn, and the SDK raises an error for it. The scripted program goes on.
        from claude_agent_sdk import ResultError

        with contextlib.suppress(ResultError):
            driver.play(gate, [deploy_call(driver)], on_denial="raise")
            assert driver.__name__ == "drivers.scripted_claude"  # type: ignore[attr-defined]
        assert gate.get("call_1")["state"] == "denied"
        return
    if driver.__name__ == "drivers.langgraph":  # type: ignore[attr-defined]
        # A node that handles errors also passes its wrapper's errors to the model.
        assert "stop everything" in driver.play(gate, [deploy_call(driver)], on_denial="raise")["call_1"]
        return
    with pytest.raises(Exception) as caught:
        driver.play(gate, [deploy_call(driver)], on_denial="raise")
    denials = [error for error in causes(caught.value) if isinstance(error, DeniedError)]
    assert "stop everything" in denials[0].text


def causes(error: BaseException) -> list[BaseException]:
    """The error with its causes and the members of groups."""
    parts = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else []
    further = [part for part in (error.__cause__, error.__context__, *parts) if part is not None]
    return [error, *(found for part in further for found in causes(part))]


def test_conversation_of_the_framework_is_the_thread(driver: Driver, server: ServerUnderTest, reader: Gate, conversation: str) -> None:
    call = ScriptedCall("call_1", driver.tool_name("read_log"), {"name": "a"})
    with Gate(server.url, server.agent) as agent:
        driver.play(agent, [call], f"of the framework {conversation}")
        assert reader.get("call_1", thread=f"of the framework {conversation}")["state"] == "finished"
        driver.play(agent, [call], "not used", thread=lambda context: f"chosen {conversation}")
        assert reader.get("call_1", thread=f"chosen {conversation}")["state"] == "finished"


def test_definition_and_purpose_are_shown(driver: Driver, gate: Gate) -> None:
    call = ScriptedCall("call_1", driver.tool_name("read_log"), {"name": "a"})
    described = {
        "description": lambda name, arguments: f"{name} of {arguments['name']}",
        "impact": lambda name, arguments: {"message": "none", "riskLevel": "low"},
    }
    driver.play(gate, [call], **described)
    shown = gate.get("call_1")
    assert shown.get("description") == f"{driver.tool_name('read_log')} of a"
    assert shown["impact"]["riskLevel"] == "low"  # type: ignore[index, typeddict-item]
    if not driver.DECIDES_ONLY:
        (event,) = gate.events(thread=gate.core.thread, types=["TOOL_CALL"])["events"]
        schema = event["data"]["definition"]["inputSchema"]
        assert schema["properties"]["name"]["type"] == "string"
        assert event["data"]["definition"]["description"] == "Reads a log."


def test_unusable_edit_is_told_to_the_model(driver: Driver, gate: Gate, approver: Gate) -> None:
    """The server refuses an edit that does not fit the schema, and the call still waits."""
    if driver.DECIDES_ONLY:
        pytest.skip("the definition is not known")
    driver.play(gate, [deploy_call(driver)], timeout=0.2)
    with pytest.raises(Exception, match="replicas"):
        approver.decide(gate.get("call_1"), "allow_once", arguments={"service": "shop", "replicas": "many"})


def test_server_that_cannot_be_asked_means_no(driver: Driver, gate: Gate, runs: list[str]) -> None:
    with Gate(gate.settings.server, "csgn_wrong", thread="nowhere") as stranger:
        try:
            answer = driver.play(stranger, [deploy_call(driver)])["call_1"]
        except Exception as error:
            assert any(isinstance(cause, UnauthenticatedError) for cause in causes(error))
        else:
            assert "token" in answer
    assert runs == []


def test_unknown_option_is_refused(driver: Driver, gate: Gate) -> None:
    with pytest.raises(Exception) as caught:
        driver.play(gate, [], on_denail="raise")
    assert "the wrapper has no option 'on_denail'" in [str(error) for error in causes(caught.value)]


def start_agent(server: ServerUnderTest, driver: Driver, thread: str, *words: str, **env: str) -> subprocess.Popen[str]:
    name = driver.__name__.removeprefix("drivers.")  # type: ignore[attr-defined]
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "COUNTERSIGN_CLAUDE_CODE") if name in os.environ}
    names = {"COUNTERSIGN_SERVER": server.url, "COUNTERSIGN_TOKEN": server.agent, "COUNTERSIGN_THREAD": thread}
    # The agent replaces this program, which resumes its calls.
    names["TEST_PLACE"] = json.dumps(program_place())
    environment = {**inherited, **names, "PYTHONPATH": os.pathsep.join(sys.path), **env}
    command = [sys.executable, str(AGENT), name, *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("driver", PROCESS_DRIVERS, indirect=True)
def test_killed_agent_resumes_and_runs_once(driver: Driver, server: ServerUnderTest, approver: Gate, tmp_path: Path) -> None:
    thread, runs = approver.core.thread, str(tmp_path / "runs")
    first = start_agent(server, driver, thread, TEST_RUNS=runs)
    with approver.stream(types=["TOOL_APPROVAL_REQUEST"], thread=None) as events:
        next(event for event in events if event["threadId"] == thread)
    first.kill()
    first.wait()
    assert first.stdout is not None
    first.stdout.close()
    second = start_agent(server, driver, thread, TEST_RUNS=runs)
    approver.decide(approver.get("call_7"), "allow_once")
    output, _ = second.communicate(timeout=60)
    assert "deployed shop with 3 replicas" in output
    assert Path(runs).read_text() == "deploy shop 3\n"
    assert len(approver.calls(thread=thread)["calls"]) == 1


@pytest.mark.parametrize("driver", PROCESS_DRIVERS, indirect=True)
def test_crash_after_the_start_is_not_repeated(driver: Driver, server: ServerUnderTest, approver: Gate, tmp_path: Path) -> None:
    thread, runs = approver.core.thread, str(tmp_path / "runs")
    first = start_agent(server, driver, thread, "crash", TEST_RUNS=runs, TEST_CRASH="1")
    with approver.stream(types=["TOOL_APPROVAL_REQUEST"], thread=None) as events:
        next(event for event in events if event["threadId"] == thread)
    approver.decide(approver.get("call_7"), "allow_once")
    first.communicate(timeout=60)
    assert first.returncode == 9
    while approver.get("call_7")["state"] == "running":
        pass
    second = start_agent(server, driver, thread, TEST_RUNS=runs)
    output, _ = second.communicate(timeout=60)
    assert "countersign release call_7" in output
    assert Path(runs).read_text() == "deploy shop 3\n"
