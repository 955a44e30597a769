"""Asks before Claude Code, driven by the Claude Agent SDK, runs a tool.

    from countersign.claude_agent_sdk import with_approval

    async for message in query(prompt="…", options=with_approval(gate, ClaudeAgentOptions(…))): ...

Claude Code runs the tools itself. The callback ``can_use_tool`` waits for the decision and claims the call, and the hooks
``PostToolUse`` and ``PostToolUseFailure`` report the result.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from dataclasses import dataclass
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, PermissionResultAllow, PermissionResultDeny
from claude_agent_sdk.types import HookEvent, PermissionResult, ToolPermissionContext

from .async_gate import AsyncGate
from .errors import CountersignError, NotRunError
from .execution import CallPlan, approved_arguments, new_executor, note_for_model, recorded_text, renew_lease, report, start_call
from .framework_call import FrameworkCall, FrameworkGate, Unpack, WrapperOptions
from .gate import Gate
from .gate_core import new_id
from .result_text import result_content
from .types import Call

__all__ = ["with_approval"]

REPORT_TIMEOUT = 150.0
"""The time limit for hooks that report a result. A report is repeated for up to 120 seconds."""
logger = logging.getLogger("countersign")


def with_approval(
    gate: Gate | AsyncGate,
    options: ClaudeAgentOptions | None = None,
    *,
    every_call: bool = True,
    **settings: Unpack[WrapperOptions],
) -> ClaudeAgentOptions:
    """The options, with ``can_use_tool`` and hooks that ask before each tool runs.

    The call id is the model's. The thread is the gate's, or else the session id. The option
    ``thread`` may be a function that gets the ``ToolPermissionContext``. With ``every_call=False``, only the calls are asked that
    Claude Code would ask for by itself: its own rules, ``allowed_tools`` and permission modes come first.
    """
    options = ClaudeAgentOptions() if options is None else options
    if options.can_use_tool is not None:
        raise ValueError("the options have a can_use_tool callback already")
    asking = ToolPermissions(FrameworkGate(gate, settings), every_call)
    hooks = {event: list(matchers) for event, matchers in (options.hooks or {}).items()}
    for event, callback, timeout in asking.hooks():
        hooks.setdefault(event, []).append(HookMatcher(hooks=[callback], timeout=timeout))
    return dataclasses.replace(options, can_use_tool=asking.can_use_tool, hooks=hooks)


@dataclass
class ClaimedCall:
    """A call that Claude Code runs now."""

    plan: CallPlan
    call: Call
    executor: str
    session: str | None
    is_subagent: bool
    renewal: asyncio.Task[None]


class ToolPermissions:
    """The callback and the hooks of one client."""

    def __init__(self, calls: FrameworkGate, every_call: bool) -> None:
        self._calls, self._every_call = calls, every_call
        self._sessions: dict[str, str] = {}
        self._claimed: dict[str, ClaimedCall] = {}

    def hooks(self) -> list[tuple[HookEvent, Any, float | None]]:
        return [
            ("PreToolUse", self.before_tool, None),
            ("PostToolUse", self.after_tool, REPORT_TIMEOUT),
            ("PostToolUseFailure", self.after_tool, REPORT_TIMEOUT),
            ("Stop", self.after_turn, None),
        ]

    async def before_tool(self, event: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        """Notes the call's session, and lets Claude Code ask ``can_use_tool``."""
        if tool_use_id is not None:
            self._sessions[tool_use_id] = event["session_id"]
        if not self._every_call:
            return {}
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}

    async def can_use_tool(
        self, name: str, arguments: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        """Waits for the decision and claims the call."""
        try:
            return await self._decide(name, arguments, context)
        except NotRunError as error:
            return PermissionResultDeny(message=error.text, interrupt=self._calls.raises)
        except CountersignError as error:
            logger.error("the call of %s was denied, because it could not be asked for: %s", name, error)
            return PermissionResultDeny(message=f"The call was not run, because it could not be asked for: {error}")

    async def _decide(self, name: str, arguments: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
        call_id = context.tool_use_id or new_id()
        session = self._sessions.pop(call_id, None)
        described = FrameworkCall(name=name, arguments=arguments, call_id=call_id, thread=session, context=context)
        plan, executor = self._calls.plan(described, call_id), new_executor()
        call = await self._calls.waiting.carry_out(start_call(plan, executor))
        if call["state"] == "finished":
            text = recorded_text(call, "It has no recorded result.")
            return PermissionResultDeny(message=f"This call ran earlier and was not run again. Its recorded result: {text}")
        renewal = asyncio.get_running_loop().create_task(self._renew(plan, executor))
        is_subagent = context.agent_id is not None
        self._claimed[call_id] = ClaimedCall(plan, call, executor, session, is_subagent, renewal)
        return PermissionResultAllow(updated_input=approved_arguments(plan, call))

    async def _renew(self, plan: CallPlan, executor: str) -> None:
        while True:
            await asyncio.sleep(plan.renewal_interval)
            if not await self._calls.waiting.carry_out(renew_lease(plan, executor)):
                return

    async def after_tool(self, event: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        """Reports a call result, and tells the model if a person changed the arguments."""
        self._sessions.pop(tool_use_id or "", None)
        claimed = self._claimed.pop(tool_use_id or "", None)
        if claimed is None:
            return {}
        claimed.renewal.cancel()
        failed = event["hook_event_name"] == "PostToolUseFailure"
        content = event.get("error") if failed else event.get("tool_response")
        fields = {"status": "error" if failed else "success", "executor": claimed.executor}
        await self._calls.waiting.carry_out(report(claimed.plan, claimed.call, fields, result_content(content)))
        note = note_for_model(claimed.call)
        if note is None:
            return {}
        return {"hookSpecificOutput": {"hookEventName": event["hook_event_name"], "additionalContext": note}}

    async def after_turn(self, event: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        """Ends the leases of calls without a report: the turn is over, so their outcome is unknown."""
        for call_id, claimed in list(self._claimed.items()):
            if claimed.session == event["session_id"] and not claimed.is_subagent:
                del self._claimed[call_id]
                claimed.renewal.cancel()
        return {}
