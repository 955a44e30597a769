"""The decorator under that of each framework: a person changes the call, and denies it. COUNTERSIGN_FRAMEWORK names the example."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from countersign import Gate
from server import ServerUnderTest

pytest_plugins = ["client_fixtures"]

FRAMEWORK = os.environ["COUNTERSIGN_FRAMEWORK"]
EXAMPLE = Path(__file__).parents[3] / "examples/any-framework-python" / f"{FRAMEWORK}_tool.py"
SERVICE = "app" if FRAMEWORK == "semantic_kernel" else "service"


@pytest.fixture(scope="session")
def server():
    server = ServerUnderTest("")
    yield server
    server.stop()


def play(server: ServerUnderTest, approver: Gate, thread: str, decision: str, **fields: object) -> str:
    env = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    env |= {"COUNTERSIGN_SERVER": server.url, "COUNTERSIGN_TOKEN": server.agent, "COUNTERSIGN_THREAD": thread}
    # No framework reports to its maker.
    env |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "AGNO_TELEMETRY": "false"}
    example = subprocess.Popen(
        [sys.executable, str(EXAMPLE)], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with approver.stream(types=["TOOL_APPROVAL_REQUEST"], thread=thread) as events:
        event = next(iter(events))
    call = approver.get(event["data"]["toolCallId"], thread=thread)
    assert (call["name"], call["arguments"]) == ("deploy", {SERVICE: "shop", "replicas": 3})
    approver.decide(call, decision, **fields)  # type: ignore[arg-type]
    output, _ = example.communicate(timeout=120)
    assert example.returncode == 0, output
    return output


def test_edit_runs(server: ServerUnderTest, approver: Gate) -> None:
    output = play(server, approver, "edit", "allow_once", arguments={SERVICE: "shop", "replicas": 2})
    assert "deployed shop with 2 replicas" in output
    (call,) = approver.calls(thread="edit")["calls"]
    assert call["result"]["status"] == "success"


def test_denial_is_the_answer(server: ServerUnderTest, approver: Gate) -> None:
    output = play(server, approver, "denial", "deny", comment="not on Friday")
    assert "not on Friday" in output and "deployed" not in output
