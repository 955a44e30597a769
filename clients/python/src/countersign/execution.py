"""A whole call: propose, wait, claim, run, report. One implementation for functions, frameworks, threads and tasks."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from . import operations as ops
from .errors import (
    AlreadyRunningError,
    CancelledCallError,
    CountersignError,
    DeniedError,
    ExpiredError,
    FailedBeforeError,
    NotRunError,
    OutcomeUnknownError,
    StillPendingError,
    UnknownAnswerError,
    UnusableArgumentsError,
)
from .json_text import read_json, write_json
from .result_text import error_content, result_content
from .steps import RunTool, Steps, ToolOutcome
from .types import Call

DEFAULT_LEASE = 900
ALLOWING = ("allow_once", "allow_session")
"""The decisions after which a call may run. A decision that a later version has added allows nothing."""
logger = logging.getLogger("countersign")


@dataclass(frozen=True)
class CallPlan:
    """A call to make, and how."""

    thread: str
    call_id: str
    name: str
    arguments: str
    """The arguments as JSON text: a snapshot, so later changes to an object have no effect."""
    run: Callable[[Any], Any] | None
    """Runs the tool with the approved arguments. ``None`` if the caller runs it."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Further proposal members: ``description``, ``impact``, ``annotations``, ``definition``,
    ``expiresInSeconds``, ``replaces``."""
    timeout: float | None = None
    """The seconds to wait for the decision; ``None`` without a limit."""
    withdraw: bool = False
    """True to cancel the call if the wait ends without a decision: by the time-out, or by an interruption."""
    lease_seconds: int | None = None
    announce: Callable[[str, str], None] | None = None
    """Tells the people at this program, with the thread and the id, that the call waits for a decision."""

    @property
    def lease(self) -> int:
        """The lease in seconds."""
        return DEFAULT_LEASE if self.lease_seconds is None else self.lease_seconds

    @property
    def renewal_interval(self) -> float:
        """The seconds between two lease renewals."""
        return max(self.lease / 3, 1.0)


@dataclass(frozen=True)
class CallOutcome:
    """A call that ran, now or earlier."""

    call: Call
    value: Any
    """The tool's return value; for a call that ran earlier, the recorded content."""
    ran_now: bool

    @property
    def note(self) -> str | None:
        """A note for the model: a person changed the arguments."""
        return note_for_model(self.call)


def note_for_model(call: Call) -> str | None:
    """The note that a person changed the arguments."""
    response = call.get("response")
    return response.get("note") if response else None


@dataclass(frozen=True)
class ToolReport:
    """A runner of ``call_tool`` returns it to record other content than its value, or an error that the tool has returned
    and not raised."""

    value: Any
    """The value for the caller."""
    content: Any
    """The content to record."""
    failed: bool = False
    """True to record the content as an error. The caller still gets the value."""


def execute(plan: CallPlan) -> Steps[CallOutcome]:
    """Makes the call. Returns its outcome, or raises a ``NotRunError`` or the tool's error."""
    executor = new_executor()
    call = yield from start_call(plan, executor)
    return (yield from run_claimed(plan, call, executor))


def new_executor() -> str:
    """The name of one execution."""
    return f"python-{os.getpid()}-{secrets.token_hex(6)}"


def start_call(plan: CallPlan, executor: str) -> Steps[Call]:
    """Proposes the call, waits for the decision, and claims it. Returns the claimed call, or one that has ended earlier.
    Raises a ``NotRunError`` if it does not run."""
    call = yield from open_call(plan)
    if call["state"] == "finished":
        return call
    if not may_start(call):
        raise refusal(call)
    return (yield from claim_call(plan, call, executor))


def may_start(call: Call) -> bool:
    """Whether the call may be claimed. What a later version calls otherwise does not allow it."""
    response = call.get("response")
    is_allowed = response is None or response["decision"] in ALLOWING
    return is_allowed and call["state"] in ("allowed", "unknown")


def open_call(plan: CallPlan) -> Steps[Call]:
    """Proposes the call and waits for the decision. Proposing again resumes the same call."""
    proposal = {"id": plan.call_id, "name": plan.name, **plan.fields}
    try:
        call = yield from ops.propose(plan.thread, proposal, plan.arguments)
        if call["state"] != "pending":
            return call
        if plan.announce is not None:
            plan.announce(plan.thread, plan.call_id)
        call = yield from ops.wait(plan.thread, plan.call_id, plan.timeout)
    except (CountersignError, GeneratorExit):
        raise
    except BaseException:
        yield from withdraw(plan, "the agent does not wait any more")
        raise
    if call["state"] == "pending":
        yield from withdraw(plan, "the agent waited in vain")
    return call


def withdraw(plan: CallPlan, reason: str) -> Steps[None]:
    if not plan.withdraw:
        return
    try:
        yield from ops.cancel(plan.thread, plan.call_id, reason)
    except CountersignError as error:
        logger.warning("the call %s cannot be cancelled: %s", plan.call_id, error)


def claim_call(plan: CallPlan, call: Call, executor: str) -> Steps[Call]:
    """Claims the call. Raises the reason why it cannot start."""
    masked = bool(call.get("redacted"))
    fields: dict[str, Any] = {
        "executor": executor,
        "argumentsHash": call["argumentsHash"],
        "leaseSeconds": plan.lease_seconds,
    }
    if masked and has_changes(call):
        yield from ops.cancel(plan.thread, plan.call_id, MASKED_CHANGE)
        raise UnusableArgumentsError(MASKED_CHANGE, call)
    try:
        claim = ops.claim(plan.thread, plan.call_id, fields, plan.arguments if masked else None)
        return (yield from claim)
    except CountersignError as error:
        if error.code not in ("already_claimed", "not_allowed"):
            raise
        current = yield from ops.read_call(plan.thread, plan.call_id)
        if current["state"] == "allowed" and may_start(current):
            raise
        if current["state"] == "finished":
            return current
        raise refusal(current) from error


MASKED_CHANGE = (
    "This call was not run: a person changed its arguments, and the log masks a secret in them, so this program does not "
    "have the approved arguments."
)


def has_changes(call: Call) -> bool:
    response = call.get("response")
    return bool(response and response.get("changes"))


def run_claimed(plan: CallPlan, call: Call, executor: str) -> Steps[CallOutcome]:
    """Runs the claimed call with the approved arguments, and reports the result."""
    if call["state"] == "finished":
        return finished_before(call)
    arguments, run_tool = approved_arguments(plan, call), plan.run
    if run_tool is None:
        raise TypeError("the plan has no tool to run")
    run = RunTool(
        lambda: run_tool(arguments),
        lambda: renew_lease(plan, executor),
        plan.renewal_interval,
    )
    outcome = cast(ToolOutcome, (yield run))
    value, recorded, failed = outcome.value, outcome.value, outcome.error is not None
    if isinstance(value, ToolReport):
        value, recorded, failed = value.value, value.content, value.failed
    content = result_content(recorded) if outcome.error is None else error_content(outcome.error)
    fields = {"status": "error" if failed else "success", "executor": executor}
    finished = yield from report(plan, call, fields, content)
    if isinstance(outcome.error, UnusableArguments):
        raise UnusableArgumentsError(str(outcome.error), finished) from outcome.error.__cause__
    if outcome.error is not None:
        raise outcome.error
    return CallOutcome(finished, value, ran_now=True)


def approved_arguments(plan: CallPlan, call: Call) -> Any:
    """The arguments to run. The log masks secrets, and only this program has their real values."""
    return read_json(plan.arguments) if call.get("redacted") else call["arguments"]


class UnusableArguments(Exception):
    """The approved arguments do not fit the tool. A runner raises it before the tool starts."""


def report(plan: CallPlan, call: Call, fields: Mapping[str, Any], content: str) -> Steps[Call]:
    """Reports the result. The tool has run, so a failure here is logged and does not hide its value."""
    try:
        return (yield from ops.finish(plan.thread, plan.call_id, fields, content))
    except CountersignError as error:
        if error.code in ("too_large", "invalid", "bad_json"):
            note = write_json(f"The result has {len(content)} characters and could not be recorded: {error.detail}")
            try:
                return (yield from ops.finish(plan.thread, plan.call_id, fields, note))
            except CountersignError as again:
                error = again
        logger.error("the call %s ran, but its result could not be recorded: %s", plan.call_id, error)
        return call


def renew_lease(plan: CallPlan, executor: str) -> Steps[bool]:
    """Renews the lease. Returns false if the claim is lost."""
    fields = {"executor": executor, "leaseSeconds": plan.lease}
    try:
        yield from ops.renew(plan.thread, plan.call_id, fields)
    except CountersignError as error:
        if error.is_transient:
            return True  # The next renewal may succeed: the tool still runs.
        logger.warning("the lease of the call %s cannot be renewed: %s", plan.call_id, error)
        return False
    return True


def finished_before(call: Call) -> CallOutcome:
    """The outcome of a call that ended earlier."""
    result = call.get("result")
    if result is None or result["status"] != "success":
        raise FailedBeforeError(recorded_text(call, "The call failed."), call)
    return CallOutcome(call, result["content"], ran_now=False)


def recorded_text(call: Call, otherwise: str) -> str:
    """The recorded result content as text for the model."""
    result = call.get("result")
    if result is None or result["content"] is None:
        return otherwise
    content = result["content"]
    return content if isinstance(content, str) else write_json(content)


def refusal(call: Call) -> NotRunError:
    """The reason why a call does not run now."""
    call_id, state = call["id"], call["state"]
    if state == "denied":
        response = call.get("response")
        expired = response is not None and response["source"] == "expiry"
        return (ExpiredError if expired else DeniedError)(recorded_text(call, f"The call {call_id} was denied."), call)
    if state == "cancelled":
        return CancelledCallError(recorded_text(call, f"The call {call_id} was cancelled and did not run."), call)
    if state == "pending":
        text = f"The call {call_id} still waits for a decision. It has not run. The same call again waits on."
        return StillPendingError(text, call)
    if state == "running":
        return AlreadyRunningError(f"The call {call_id} runs already. It was not started again.", call)
    if state != "unknown":
        # The state, or the decision of an allowed call, is a word of a later version.
        response = call.get("response")
        word = response["decision"] if state == "allowed" and response else state
        return UnknownAnswerError(
            f"The call {call_id} was not run: the server answers `{word}`, which this version of the client does not know.", call
        )
    return OutcomeUnknownError(
        f"The outcome of the call {call_id} is unknown: its executor was lost and may have run it. Do not repeat it. A person "
        f"must check its effects; `countersign release {call_id}` then lets it run again.",
        call,
    )
