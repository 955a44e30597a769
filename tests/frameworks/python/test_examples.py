"""The examples run as a reader runs them, while a person decides."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from countersign import Gate
from server import ServerUnderTest

EXAMPLES = Path(__file__).parents[3] / "examples"
SCRIPTED_CLAUDE_CODE = Path(__file__).parent / "scripted_claude_code.py"
SCRIPTED_CALLS = """[
    {"id": "toolu_1", "name": "Bash", "arguments": {"command": "echo shop: no errors"}},
    {"id": "toolu_2", "name": "Bash", "arguments": {"command": "echo deployed shop with 3 replicas"}}
]"""


def run_example(folder: str, server: ServerUnderTest, approver: Gate, conversation: str, env: dict[str, str]) -> str:
    """Runs the example. A person allows the first call and changes the second."""
    names = {"COUNTERSIGN_SERVER": server.url, "COUNTERSIGN_TOKEN": server.agent}
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {**inherited, **names, **env, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    command = [sys.executable, "agent.py", conversation]
    example = subprocess.Popen(
        command, cwd=EXAMPLES / folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with approver.stream(types=["TOOL_APPROVAL_REQUEST"], thread=None) as events:
        for event in events:
            if event["threadId"] != conversation:
                continue
            call = approver.get(event["data"]["toolCallId"], thread=conversation)
            changed = {"service": "shop", "replicas": 2}
            if call["name"] == "Bash":
                changed = {"command": "echo deployed shop with 2 replicas"}
            if call["id"].endswith("_2"):
                approver.decide(call, "allow_once", arguments=changed)
                break
            approver.decide(call, "allow_once")
    output, _ = example.communicate(timeout=90)
    assert example.returncode == 0, output
    return output


def check_output(output: str) -> None:
    assert "shop: no errors" in output
    assert "deployed shop with 2 replicas" in output
    assert "Traceback" not in output


@pytest.mark.parametrize("folder", ["openai-agents-python", "langchain-python", "pydantic-ai", "mcp-client-python"])
def test_example_runs(folder: str, server: ServerUnderTest, approver: Gate) -> None:
    output = run_example(folder, server, approver, f"example {folder}", {})
    check_output(output)
    assert "ada changed" in output or "replicas" in output.split("deployed shop with 2 replicas")[1]
    calls = approver.calls(thread=f"example {folder}")["calls"]
    assert sorted((call["name"], call["state"]) for call in calls) == [("deploy", "finished"), ("read_log", "finished")]


@pytest.mark.parametrize("program", ["scripted", "real"])
def test_example_of_claude_runs(program: str, server: ServerUnderTest, approver: Gate) -> None:
    env = {"CLAUDE_CODE_PATH": str(SCRIPTED_CLAUDE_CODE), "SCRIPTED_CALLS": SCRIPTED_CALLS}
    if program == "real":
        if "COUNTERSIGN_CLAUDE_CODE" not in os.environ:
            pytest.skip("Claude Code is not installed: COUNTERSIGN_TEST_CLAUDE_CODE=1")
        env = {"CLAUDE_CODE_PATH": os.environ["COUNTERSIGN_CLAUDE_CODE"], "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    output = run_example("claude-agent-sdk-python", server, approver, f"example claude {program}", env)
    check_output(output)
    states = [call["state"] for call in approver.calls(thread=f"example claude {program}")["calls"]]
    assert states == ["finished", "finished"]
