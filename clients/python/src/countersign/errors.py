"""The client's errors: one class for each server error code, and one for each reason why a call did not run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from .types import ApprovalResponse, ApprovalVote, Call, CallExecution, CallResult

TRANSIENT_CODES = frozenset(
    ["unreachable", "not_ready", "shutting_down", "too_many_requests", "too_many_streams", "too_many_waits"]
)
TRANSIENT_REASONS = frozenset(
    ["behind", "busy", "full", "io_error", "locked", "lost", "standby", "unreachable"]
)


class CountersignError(Exception):
    """An operation was refused or failed. Programs switch on the class or on ``code``; the text is for people."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int | None = None,
        problem: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        """The stable code. A newer server may send codes that this version has no class for."""
        self.detail = detail
        """What is wrong, and what to do."""
        self.status = status
        """The HTTP status, if a server answered."""
        self.problem: Mapping[str, Any] = problem or {}
        """The server's whole answer (RFC 9457)."""
        self.retry_after = retry_after
        """The pause in seconds that the server asks for before the next attempt."""

    @property
    def is_transient(self) -> bool:
        """Whether a later attempt may succeed, because the request itself is valid."""
        if self.code == "database_unavailable":
            return self.status == 503 or self.reason in TRANSIENT_REASONS
        return self.status == 503 or self.code in TRANSIENT_CODES

    @property
    def reason(self) -> str | None:
        """The cause of ``database_unavailable``."""
        return self.problem.get("reason")

    @property
    def request_id(self) -> str | None:
        """The request id in the server log."""
        return self.problem.get("requestId")

    @property
    def parameter(self) -> str | None:
        """The invalid parameter or header."""
        return self.problem.get("parameter")

    @property
    def tip(self) -> int | None:
        """The last logged event, with ``bad_cursor``."""
        return self.problem.get("tip")

    @property
    def response(self) -> ApprovalResponse | None:
        """The earlier decision that the request conflicts with."""
        return cast("ApprovalResponse | None", self.problem.get("response"))

    @property
    def vote(self) -> ApprovalVote | None:
        """The earlier vote that the request conflicts with."""
        return cast("ApprovalVote | None", self.problem.get("vote"))

    @property
    def execution(self) -> CallExecution | None:
        """The earlier claim that the request conflicts with."""
        return cast("CallExecution | None", self.problem.get("execution"))

    @property
    def result(self) -> CallResult | None:
        """The earlier result that the request conflicts with."""
        return cast("CallResult | None", self.problem.get("result"))


class NotRunError(Exception):
    """The call did not run now. ``text`` is for the model, and ``call`` is the call as the log has it."""

    def __init__(self, text: str, call: Call) -> None:
        super().__init__(text)
        self.text = text
        """The text for the model: what happened, and whether to try again."""
        self.call = call
        """The call."""


class DeniedError(NotRunError):
    """A person, the policy or the thread denied the call, or the request expired."""


class ExpiredError(DeniedError):
    """No person decided in time."""


class CancelledCallError(NotRunError):
    """The call was withdrawn before it started."""


class StillPendingError(NotRunError):
    """No person has decided within ``timeout``. The call still waits: the same call again waits on."""


class AlreadyRunningError(NotRunError):
    """Another executor runs the call, or had claimed it before it was killed and its lease has not ended."""


class OutcomeUnknownError(NotRunError):
    """The executor was lost between its claim and its result, so the call may have run. A person must look."""


class UnknownAnswerError(NotRunError):
    """A newer server names a state or a decision that this version does not know. It allows nothing: update this package."""


class FailedBeforeError(NotRunError):
    """The call ran earlier, and it failed. ``text`` is the recorded error."""


class UnusableArgumentsError(NotRunError):
    """The approved arguments do not fit the function, or the log masks some of the arguments that a person changed."""
