"""One class for each error code. Generated from docs/openapi.json by scripts/generate.py: do not edit."""

from __future__ import annotations

from .errors import CountersignError


class AdviceOutdatedError(CountersignError):
    """An advisor allowed the call under another policy than the active one."""


class AlreadyClaimedError(CountersignError):
    """An executor has claimed the call. `execution` contains the claim."""


class AlreadyDecidedError(CountersignError):
    """The call has a different decision. `response` contains it."""


class AlreadyFinishedError(CountersignError):
    """The call has a different result. `result` contains it."""


class AlreadyVotedError(CountersignError):
    """The approver has voted differently. `vote` contains the vote."""


class AmbiguousArgumentsError(CountersignError):
    """Two keys of one object in the arguments are the same key to some programs."""


class ArgumentsChangedError(CountersignError):
    """The arguments are not the approved ones, or not the ones that the approver saw."""


class BadCursorError(CountersignError):
    """The cursor is beyond the end of the log, or from another log. `tip` contains the end."""


class BadForwardedError(CountersignError):
    """A trusted proxy sent an unusable header about its client."""


class BadHostError(CountersignError):
    """The request names its host twice, or in two different ways."""


class BadJsonError(CountersignError):
    """The body is not JSON."""


class BadUrlError(CountersignError):
    """The address of the server is invalid."""


class BlockedError(CountersignError):
    """The policy blocks the call."""


class CallArchivedError(CountersignError):
    """The call content is in an archive file, which the server does not have."""


class CallDiffersError(CountersignError):
    """The id was proposed before with another tool or other arguments, or in another place."""


class CallOpenError(CountersignError):
    """Only the content of a call that has ended can be erased."""


class DamagedError(CountersignError):
    """The database contains something that Countersign did not write."""


class DatabaseUnavailableError(CountersignError):
    """The database cannot be used now. `reason` contains the cause."""


class DefinitionChangedError(CountersignError):
    """The definition of the tool is not the approved one."""


class ForeignHostError(CountersignError):
    """The `Host` header is not a name of this server."""


class ForeignOriginError(CountersignError):
    """A web page of another site sent the request."""


class GrantEndedError(CountersignError):
    """The grant has ended, so it cannot be prolonged."""


class GrantInForceError(CountersignError):
    """The call gave a grant for a pattern that would be erased."""


class HeadersTooLargeError(CountersignError):
    """The request has too many or too large headers."""


class InternalError(CountersignError):
    """The server failed."""


class InvalidError(CountersignError):
    """A field, a parameter or a header has an invalid value."""


class LinkUsedError(CountersignError):
    """The link has signed a person in before."""


class NameTakenError(CountersignError):
    """The log knows the name in another spelling, or as that of another account of the identity provider."""


class NotAllowedError(CountersignError):
    """Only an allowed call can be claimed."""


class NotAnApproverError(CountersignError):
    """The principal is not a person, and only people decide."""


class NotClaimedError(CountersignError):
    """A call must be claimed before its result is reported."""


class NotDelegatedError(CountersignError):
    """The person in whose place the approver decides has not handed their queue to the approver, or not any
    more.
    """


class NotEligibleError(CountersignError):
    """The approver is not one of those who may decide this request."""


class NotFlaggableError(CountersignError):
    """Only a call that was allowed can be flagged."""


class NotJsonError(CountersignError):
    """The content type is not JSON."""


class NotOfferedError(CountersignError):
    """The request does not offer this decision."""


class NotPermittedError(CountersignError):
    """The credential does not give the right that the request needs."""


class NotReadyError(CountersignError):
    """A readiness check failed. `check` contains its name."""


class NotTheExecutorError(CountersignError):
    """Another executor claimed the call."""


class NotUnknownError(CountersignError):
    """Only a call whose outcome is unknown can be released."""


class NothingToTakeBackError(CountersignError):
    """Only an approval by a person that no executor has used can be taken back."""


class PolicyChangedError(CountersignError):
    """Another policy became active meanwhile."""


class PolicyUnreadableError(CountersignError):
    """This version cannot read the active policy, so it judges no calls."""


class ProofInvalidError(CountersignError):
    """The proof does not prove the decision."""


class ProofRequiredError(CountersignError):
    """The rule asks for a proof that a person made the decision. `statement` is the text to sign."""


class RequestTimeoutError(CountersignError):
    """The request was not complete in time."""


class SelfApprovalError(CountersignError):
    """The approver proposed the call."""


class ShuttingDownError(CountersignError):
    """The process is stopping."""


class StrangeServerError(CountersignError):
    """The response is not that of a Countersign server."""


class ThreadClosedError(CountersignError):
    """The thread is closed."""


class TooLargeError(CountersignError):
    """The body is too large."""


class TooManyConnectionsError(CountersignError):
    """The server has as many connections as it may have."""


class TooManyPendingError(CountersignError):
    """The thread or the agent has as many pending calls as the policy permits. Nothing was written."""


class TooManyRequestsError(CountersignError):
    """The caller sends too many requests. `Retry-After` contains the pause in seconds."""


class TooManyStreamsError(CountersignError):
    """The caller has too many open streams."""


class TooManyWaitsError(CountersignError):
    """Too many requests of the caller wait for a decision."""


class UnauthenticatedError(CountersignError):
    """The request has no credential, or one that is not accepted."""


class UnknownAdvisorError(CountersignError):
    """The active policy has no advisor with this name and these settings."""


class UnknownCallError(CountersignError):
    """The thread has no such call."""


class UnknownChatAccountError(CountersignError):
    """No such chat account."""


class UnknownDefinitionError(CountersignError):
    """The log has no definition of the tool with this hash."""


class UnknownDelegationError(CountersignError):
    """There is no active delegation with this number."""


class UnknownDeviceError(CountersignError):
    """No device with this id gets notifications."""


class UnknownEventError(CountersignError):
    """A newer version has written an event about the call or its thread, whose meaning this version does not
    know.
    """


class UnknownGrantError(CountersignError):
    """The thread has no such grant."""


class UnknownKeyError(CountersignError):
    """The log has no key with this id."""


class UnknownRouteError(CountersignError):
    """The path does not exist."""


class UnknownThreadError(CountersignError):
    """The thread has no events, or the caller does not see it."""


class UnknownTokenError(CountersignError):
    """The log has no token with this id."""


class UnknownToolError(CountersignError):
    """The log knows no definition of this tool."""


class UnknownWebhookError(CountersignError):
    """The log has no webhook with this id."""


class UnreachableError(CountersignError):
    """No server answers."""


class WrongMethodError(CountersignError):
    """The path does not support the method."""


ERROR_CLASSES: dict[str, type[CountersignError]] = {
    "advice_outdated": AdviceOutdatedError,
    "already_claimed": AlreadyClaimedError,
    "already_decided": AlreadyDecidedError,
    "already_finished": AlreadyFinishedError,
    "already_voted": AlreadyVotedError,
    "ambiguous_arguments": AmbiguousArgumentsError,
    "arguments_changed": ArgumentsChangedError,
    "bad_cursor": BadCursorError,
    "bad_forwarded": BadForwardedError,
    "bad_host": BadHostError,
    "bad_json": BadJsonError,
    "bad_url": BadUrlError,
    "blocked": BlockedError,
    "call_archived": CallArchivedError,
    "call_differs": CallDiffersError,
    "call_open": CallOpenError,
    "damaged": DamagedError,
    "database_unavailable": DatabaseUnavailableError,
    "definition_changed": DefinitionChangedError,
    "foreign_host": ForeignHostError,
    "foreign_origin": ForeignOriginError,
    "grant_ended": GrantEndedError,
    "grant_in_force": GrantInForceError,
    "headers_too_large": HeadersTooLargeError,
    "internal": InternalError,
    "invalid": InvalidError,
    "link_used": LinkUsedError,
    "name_taken": NameTakenError,
    "not_allowed": NotAllowedError,
    "not_an_approver": NotAnApproverError,
    "not_claimed": NotClaimedError,
    "not_delegated": NotDelegatedError,
    "not_eligible": NotEligibleError,
    "not_flaggable": NotFlaggableError,
    "not_json": NotJsonError,
    "not_offered": NotOfferedError,
    "not_permitted": NotPermittedError,
    "not_ready": NotReadyError,
    "not_the_executor": NotTheExecutorError,
    "not_unknown": NotUnknownError,
    "nothing_to_take_back": NothingToTakeBackError,
    "policy_changed": PolicyChangedError,
    "policy_unreadable": PolicyUnreadableError,
    "proof_invalid": ProofInvalidError,
    "proof_required": ProofRequiredError,
    "request_timeout": RequestTimeoutError,
    "self_approval": SelfApprovalError,
    "shutting_down": ShuttingDownError,
    "strange_server": StrangeServerError,
    "thread_closed": ThreadClosedError,
    "too_large": TooLargeError,
    "too_many_connections": TooManyConnectionsError,
    "too_many_pending": TooManyPendingError,
    "too_many_requests": TooManyRequestsError,
    "too_many_streams": TooManyStreamsError,
    "too_many_waits": TooManyWaitsError,
    "unauthenticated": UnauthenticatedError,
    "unknown_advisor": UnknownAdvisorError,
    "unknown_call": UnknownCallError,
    "unknown_chat_account": UnknownChatAccountError,
    "unknown_definition": UnknownDefinitionError,
    "unknown_delegation": UnknownDelegationError,
    "unknown_device": UnknownDeviceError,
    "unknown_event": UnknownEventError,
    "unknown_grant": UnknownGrantError,
    "unknown_key": UnknownKeyError,
    "unknown_route": UnknownRouteError,
    "unknown_thread": UnknownThreadError,
    "unknown_token": UnknownTokenError,
    "unknown_tool": UnknownToolError,
    "unknown_webhook": UnknownWebhookError,
    "unreachable": UnreachableError,
    "wrong_method": WrongMethodError,
}
"""The class of each code."""
