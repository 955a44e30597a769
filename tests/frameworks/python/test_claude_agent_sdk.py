"""The Claude Agent SDK: the hooks decide and report, and the user options stay."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, PermissionResultAllow
from countersign import Gate
from countersign.claude_agent_sdk import with_approval

from drivers.scripted import ScriptedCall
from drivers.scripted_claude import PROGRAM, make_server, run_query


def play(options: ClaudeAgentOptions, *calls: ScriptedCall) -> dict[str, str]:
    options.cli_path = PROGRAM
    options.env = {"SCRIPTED_CALLS": json.dumps([vars(call) for call in calls])}
    return asyncio.run(run_query(options))


def shell(command: str, call_id: str = "toolu_1") -> ScriptedCall:
    return ScriptedCall(call_id, "Bash", {"command": command})


def test_result_of_a_built_in_tool_is_recorded(gate: Gate, approver: Gate) -> None:
    approver.decide(gate.propose("Bash", {"command": "echo hello"}, call_id="toolu_1"), "allow_once")
    answers = play(with_approval(gate), shell("echo hello"))
    assert answers == {"toolu_1": "hello\n"}
    result = gate.get("toolu_1")["result"]  # type: ignore[typeddict-item]
    assert result is not None
    assert (result["status"], result["content"]["stdout"]) == ("success", "hello\n")


def test_failure_of_a_built_in_tool_is_recorded(gate: Gate, approver: Gate) -> None:
    approver.decide(gate.propose("Bash", {"command": "exit 3"}, call_id="toolu_1"), "allow_once")
    assert "Exit code 3" in play(with_approval(gate), shell("exit 3"))["toolu_1"]
    result = gate.get("toolu_1")["result"]  # type: ignore[typeddict-item]
    assert result is not None
    assert (result["status"], "Exit code 3" in result["content"]) == ("error", True)


def test_own_rules_of_claude_code_can_come_first(gate: Gate) -> None:
    """Without `every_call`, a tool for which Claude Code does not ask runs without a call in the log."""
    options = ClaudeAgentOptions(mcp_servers={"ops": make_server()})
    call = ScriptedCall("toolu_1", "mcp__ops__read_log", {"name": "a"})
    assert play(with_approval(gate, options, every_call=False), call) == {"toolu_1": "the log a is empty"}
    assert gate.calls(thread=gate.core.thread)["calls"] == []


@pytest.mark.skipif("COUNTERSIGN_CLAUDE_CODE" not in os.environ, reason="Claude Code is not installed")
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions", "dontAsk", "auto"])
def test_own_rules_do_not_bypass_the_gate(gate: Gate, mode: Any) -> None:
    """The real Claude Code asks, although its own rules allow the tool."""
    from drivers import claude_code

    call = ScriptedCall("toolu_1", "mcp__ops__wipe_disk", {"disk": "sda"})
    answers = claude_code.play(gate, [call], permission_mode=mode, allowed_tools=["mcp__ops__wipe_disk"])
    assert "wiping is forbidden" in answers["toolu_1"]
    assert gate.get("toolu_1")["state"] == "denied"


def test_hooks_of_the_user_stay(gate: Gate) -> None:
    seen: list[str] = []

    async def note(event: Any, tool_use_id: str | None, context: Any) -> Any:
        seen.append(event["tool_name"])
        return {}

    options = ClaudeAgentOptions(
        mcp_servers={"ops": make_server()}, hooks={"PostToolUse": [HookMatcher(hooks=[note])]}
    )
    gated = with_approval(gate, options)
    assert options.can_use_tool is None
    assert [len(gated.hooks["PostToolUse"]), len(options.hooks["PostToolUse"])] == [2, 1]  # type: ignore[index]
    play(gated, ScriptedCall("toolu_1", "mcp__ops__read_log", {"name": "a"}))
    assert seen == ["mcp__ops__read_log"]
    assert gate.get("toolu_1")["state"] == "finished"


def test_own_permission_callback_is_refused(gate: Gate) -> None:
    async def allow(name: str, arguments: dict[str, Any], context: Any) -> PermissionResultAllow:
        return PermissionResultAllow()

    with pytest.raises(ValueError, match="have a can_use_tool callback already"):
        with_approval(gate, ClaudeAgentOptions(can_use_tool=allow))


def test_server_that_refuses_means_no(gate: Gate) -> None:
    with Gate(gate.settings.server, "csgn_wrong") as stranger:
        assert "could not be asked for" in play(with_approval(stranger), shell("exit 1"))["toolu_1"]


def test_call_without_a_report_becomes_unknown(gate: Gate, approver: Gate) -> None:
    """If Claude Code ends a turn without a call result, the call lease is no longer renewed."""
    approver.decide(gate.propose("Bash", {"command": "echo hello"}, call_id="toolu_1"), "allow_once")

    async def run() -> int:
        options = with_approval(gate, lease_seconds=3)
        hooks = options.hooks or {}
        before, stop = (hooks[event][0].hooks[0] for event in ("PreToolUse", "Stop"))
        event: Any = {"session_id": "s"}
        await before(event, "toolu_1", {"signal": None})
        assert options.can_use_tool is not None
        context: Any = type("Context", (), {"tool_use_id": "toolu_1", "agent_id": None})()
        await options.can_use_tool("Bash", {"command": "echo hello"}, context)
        tasks = len(asyncio.all_tasks())
        await stop(event, None, {"signal": None})
        while len(asyncio.all_tasks()) == tasks:
            await asyncio.sleep(0)
        return tasks

    assert asyncio.run(run()) == 2
    while gate.get("toolu_1")["state"] == "running":
        pass
    assert gate.get("toolu_1")["state"] == "unknown"
