// One class for each error code. Generated from docs/openapi.json by scripts/generate.js: do not edit.
import { CountersignError } from "./errors.js";

/** An advisor allowed the call under another policy than the active one. */
export class AdviceOutdatedError extends CountersignError {
  override readonly name: string = "AdviceOutdatedError";
}

/** An executor has claimed the call. `execution` contains the claim. */
export class AlreadyClaimedError extends CountersignError {
  override readonly name: string = "AlreadyClaimedError";
}

/** The call has a different decision. `response` contains it. */
export class AlreadyDecidedError extends CountersignError {
  override readonly name: string = "AlreadyDecidedError";
}

/** The call has a different result. `result` contains it. */
export class AlreadyFinishedError extends CountersignError {
  override readonly name: string = "AlreadyFinishedError";
}

/** The approver has voted differently. `vote` contains the vote. */
export class AlreadyVotedError extends CountersignError {
  override readonly name: string = "AlreadyVotedError";
}

/** Two keys of one object in the arguments are the same key to some programs. */
export class AmbiguousArgumentsError extends CountersignError {
  override readonly name: string = "AmbiguousArgumentsError";
}

/** The arguments are not the approved ones, or not the ones that the approver saw. */
export class ArgumentsChangedError extends CountersignError {
  override readonly name: string = "ArgumentsChangedError";
}

/** The cursor is beyond the end of the log, or from another log. `tip` contains the end. */
export class BadCursorError extends CountersignError {
  override readonly name: string = "BadCursorError";
}

/** A trusted proxy sent an unusable header about its client. */
export class BadForwardedError extends CountersignError {
  override readonly name: string = "BadForwardedError";
}

/** The request names its host twice, or in two different ways. */
export class BadHostError extends CountersignError {
  override readonly name: string = "BadHostError";
}

/** The body is not JSON. */
export class BadJsonError extends CountersignError {
  override readonly name: string = "BadJsonError";
}

/** The address of the server is invalid. */
export class BadUrlError extends CountersignError {
  override readonly name: string = "BadUrlError";
}

/** The policy blocks the call. */
export class BlockedError extends CountersignError {
  override readonly name: string = "BlockedError";
}

/** The call content is in an archive file, which the server does not have. */
export class CallArchivedError extends CountersignError {
  override readonly name: string = "CallArchivedError";
}

/** The id was proposed before with another tool or other arguments, or in another place. */
export class CallDiffersError extends CountersignError {
  override readonly name: string = "CallDiffersError";
}

/** Only the content of a call that has ended can be erased. */
export class CallOpenError extends CountersignError {
  override readonly name: string = "CallOpenError";
}

/** The database contains something that Countersign did not write. */
export class DamagedError extends CountersignError {
  override readonly name: string = "DamagedError";
}

/** The database cannot be used now. `reason` contains the cause. */
export class DatabaseUnavailableError extends CountersignError {
  override readonly name: string = "DatabaseUnavailableError";
}

/** The definition of the tool is not the approved one. */
export class DefinitionChangedError extends CountersignError {
  override readonly name: string = "DefinitionChangedError";
}

/** The `Host` header is not a name of this server. */
export class ForeignHostError extends CountersignError {
  override readonly name: string = "ForeignHostError";
}

/** A web page of another site sent the request. */
export class ForeignOriginError extends CountersignError {
  override readonly name: string = "ForeignOriginError";
}

/** The grant has ended, so it cannot be prolonged. */
export class GrantEndedError extends CountersignError {
  override readonly name: string = "GrantEndedError";
}

/** The call gave a grant for a pattern that would be erased. */
export class GrantInForceError extends CountersignError {
  override readonly name: string = "GrantInForceError";
}

/** The request has too many or too large headers. */
export class HeadersTooLargeError extends CountersignError {
  override readonly name: string = "HeadersTooLargeError";
}

/** The server failed. */
export class InternalError extends CountersignError {
  override readonly name: string = "InternalError";
}

/** A field, a parameter or a header has an invalid value. */
export class InvalidError extends CountersignError {
  override readonly name: string = "InvalidError";
}

/** The link has signed a person in before. */
export class LinkUsedError extends CountersignError {
  override readonly name: string = "LinkUsedError";
}

/** The log knows the name in another spelling, or as that of another account of the identity provider. */
export class NameTakenError extends CountersignError {
  override readonly name: string = "NameTakenError";
}

/** Only an allowed call can be claimed. */
export class NotAllowedError extends CountersignError {
  override readonly name: string = "NotAllowedError";
}

/** The principal is not a person, and only people decide. */
export class NotAnApproverError extends CountersignError {
  override readonly name: string = "NotAnApproverError";
}

/** A call must be claimed before its result is reported. */
export class NotClaimedError extends CountersignError {
  override readonly name: string = "NotClaimedError";
}

/** The person in whose place the approver decides has not handed their queue to the approver, or not any more. */
export class NotDelegatedError extends CountersignError {
  override readonly name: string = "NotDelegatedError";
}

/** The approver is not one of those who may decide this request. */
export class NotEligibleError extends CountersignError {
  override readonly name: string = "NotEligibleError";
}

/** Only a call that was allowed can be flagged. */
export class NotFlaggableError extends CountersignError {
  override readonly name: string = "NotFlaggableError";
}

/** The content type is not JSON. */
export class NotJsonError extends CountersignError {
  override readonly name: string = "NotJsonError";
}

/** The request does not offer this decision. */
export class NotOfferedError extends CountersignError {
  override readonly name: string = "NotOfferedError";
}

/** The credential does not give the right that the request needs. */
export class NotPermittedError extends CountersignError {
  override readonly name: string = "NotPermittedError";
}

/** A readiness check failed. `check` contains its name. */
export class NotReadyError extends CountersignError {
  override readonly name: string = "NotReadyError";
}

/** Another executor claimed the call. */
export class NotTheExecutorError extends CountersignError {
  override readonly name: string = "NotTheExecutorError";
}

/** Only a call whose outcome is unknown can be released. */
export class NotUnknownError extends CountersignError {
  override readonly name: string = "NotUnknownError";
}

/** Only an approval by a person that no executor has used can be taken back. */
export class NothingToTakeBackError extends CountersignError {
  override readonly name: string = "NothingToTakeBackError";
}

/** Another policy became active meanwhile. */
export class PolicyChangedError extends CountersignError {
  override readonly name: string = "PolicyChangedError";
}

/** This version cannot read the active policy, so it judges no calls. */
export class PolicyUnreadableError extends CountersignError {
  override readonly name: string = "PolicyUnreadableError";
}

/** The proof does not prove the decision. */
export class ProofInvalidError extends CountersignError {
  override readonly name: string = "ProofInvalidError";
}

/** The rule asks for a proof that a person made the decision. `statement` is the text to sign. */
export class ProofRequiredError extends CountersignError {
  override readonly name: string = "ProofRequiredError";
}

/** The request was not complete in time. */
export class RequestTimeoutError extends CountersignError {
  override readonly name: string = "RequestTimeoutError";
}

/** The approver proposed the call. */
export class SelfApprovalError extends CountersignError {
  override readonly name: string = "SelfApprovalError";
}

/** The process is stopping. */
export class ShuttingDownError extends CountersignError {
  override readonly name: string = "ShuttingDownError";
}

/** The response is not that of a Countersign server. */
export class StrangeServerError extends CountersignError {
  override readonly name: string = "StrangeServerError";
}

/** The thread is closed. */
export class ThreadClosedError extends CountersignError {
  override readonly name: string = "ThreadClosedError";
}

/** The body is too large. */
export class TooLargeError extends CountersignError {
  override readonly name: string = "TooLargeError";
}

/** The server has as many connections as it may have. */
export class TooManyConnectionsError extends CountersignError {
  override readonly name: string = "TooManyConnectionsError";
}

/** The thread or the agent has as many pending calls as the policy permits. Nothing was written. */
export class TooManyPendingError extends CountersignError {
  override readonly name: string = "TooManyPendingError";
}

/** The caller sends too many requests. `Retry-After` contains the pause in seconds. */
export class TooManyRequestsError extends CountersignError {
  override readonly name: string = "TooManyRequestsError";
}

/** The caller has too many open streams. */
export class TooManyStreamsError extends CountersignError {
  override readonly name: string = "TooManyStreamsError";
}

/** Too many requests of the caller wait for a decision. */
export class TooManyWaitsError extends CountersignError {
  override readonly name: string = "TooManyWaitsError";
}

/** The request has no credential, or one that is not accepted. */
export class UnauthenticatedError extends CountersignError {
  override readonly name: string = "UnauthenticatedError";
}

/** The active policy has no advisor with this name and these settings. */
export class UnknownAdvisorError extends CountersignError {
  override readonly name: string = "UnknownAdvisorError";
}

/** The thread has no such call. */
export class UnknownCallError extends CountersignError {
  override readonly name: string = "UnknownCallError";
}

/** No such chat account. */
export class UnknownChatAccountError extends CountersignError {
  override readonly name: string = "UnknownChatAccountError";
}

/** The log has no definition of the tool with this hash. */
export class UnknownDefinitionError extends CountersignError {
  override readonly name: string = "UnknownDefinitionError";
}

/** There is no active delegation with this number. */
export class UnknownDelegationError extends CountersignError {
  override readonly name: string = "UnknownDelegationError";
}

/** No device with this id gets notifications. */
export class UnknownDeviceError extends CountersignError {
  override readonly name: string = "UnknownDeviceError";
}

/** A newer version has written an event about the call or its thread, whose meaning this version does not know. */
export class UnknownEventError extends CountersignError {
  override readonly name: string = "UnknownEventError";
}

/** The thread has no such grant. */
export class UnknownGrantError extends CountersignError {
  override readonly name: string = "UnknownGrantError";
}

/** The log has no key with this id. */
export class UnknownKeyError extends CountersignError {
  override readonly name: string = "UnknownKeyError";
}

/** The path does not exist. */
export class UnknownRouteError extends CountersignError {
  override readonly name: string = "UnknownRouteError";
}

/** The thread has no events, or the caller does not see it. */
export class UnknownThreadError extends CountersignError {
  override readonly name: string = "UnknownThreadError";
}

/** The log has no token with this id. */
export class UnknownTokenError extends CountersignError {
  override readonly name: string = "UnknownTokenError";
}

/** The log knows no definition of this tool. */
export class UnknownToolError extends CountersignError {
  override readonly name: string = "UnknownToolError";
}

/** The log has no webhook with this id. */
export class UnknownWebhookError extends CountersignError {
  override readonly name: string = "UnknownWebhookError";
}

/** No server answers. */
export class UnreachableError extends CountersignError {
  override readonly name: string = "UnreachableError";
}

/** The path does not support the method. */
export class WrongMethodError extends CountersignError {
  override readonly name: string = "WrongMethodError";
}

/** The class of each code. */
export const errorClasses: ReadonlyMap<string, typeof CountersignError> = new Map([
  ["advice_outdated", AdviceOutdatedError],
  ["already_claimed", AlreadyClaimedError],
  ["already_decided", AlreadyDecidedError],
  ["already_finished", AlreadyFinishedError],
  ["already_voted", AlreadyVotedError],
  ["ambiguous_arguments", AmbiguousArgumentsError],
  ["arguments_changed", ArgumentsChangedError],
  ["bad_cursor", BadCursorError],
  ["bad_forwarded", BadForwardedError],
  ["bad_host", BadHostError],
  ["bad_json", BadJsonError],
  ["bad_url", BadUrlError],
  ["blocked", BlockedError],
  ["call_archived", CallArchivedError],
  ["call_differs", CallDiffersError],
  ["call_open", CallOpenError],
  ["damaged", DamagedError],
  ["database_unavailable", DatabaseUnavailableError],
  ["definition_changed", DefinitionChangedError],
  ["foreign_host", ForeignHostError],
  ["foreign_origin", ForeignOriginError],
  ["grant_ended", GrantEndedError],
  ["grant_in_force", GrantInForceError],
  ["headers_too_large", HeadersTooLargeError],
  ["internal", InternalError],
  ["invalid", InvalidError],
  ["link_used", LinkUsedError],
  ["name_taken", NameTakenError],
  ["not_allowed", NotAllowedError],
  ["not_an_approver", NotAnApproverError],
  ["not_claimed", NotClaimedError],
  ["not_delegated", NotDelegatedError],
  ["not_eligible", NotEligibleError],
  ["not_flaggable", NotFlaggableError],
  ["not_json", NotJsonError],
  ["not_offered", NotOfferedError],
  ["not_permitted", NotPermittedError],
  ["not_ready", NotReadyError],
  ["not_the_executor", NotTheExecutorError],
  ["not_unknown", NotUnknownError],
  ["nothing_to_take_back", NothingToTakeBackError],
  ["policy_changed", PolicyChangedError],
  ["policy_unreadable", PolicyUnreadableError],
  ["proof_invalid", ProofInvalidError],
  ["proof_required", ProofRequiredError],
  ["request_timeout", RequestTimeoutError],
  ["self_approval", SelfApprovalError],
  ["shutting_down", ShuttingDownError],
  ["strange_server", StrangeServerError],
  ["thread_closed", ThreadClosedError],
  ["too_large", TooLargeError],
  ["too_many_connections", TooManyConnectionsError],
  ["too_many_pending", TooManyPendingError],
  ["too_many_requests", TooManyRequestsError],
  ["too_many_streams", TooManyStreamsError],
  ["too_many_waits", TooManyWaitsError],
  ["unauthenticated", UnauthenticatedError],
  ["unknown_advisor", UnknownAdvisorError],
  ["unknown_call", UnknownCallError],
  ["unknown_chat_account", UnknownChatAccountError],
  ["unknown_definition", UnknownDefinitionError],
  ["unknown_delegation", UnknownDelegationError],
  ["unknown_device", UnknownDeviceError],
  ["unknown_event", UnknownEventError],
  ["unknown_grant", UnknownGrantError],
  ["unknown_key", UnknownKeyError],
  ["unknown_route", UnknownRouteError],
  ["unknown_thread", UnknownThreadError],
  ["unknown_token", UnknownTokenError],
  ["unknown_tool", UnknownToolError],
  ["unknown_webhook", UnknownWebhookError],
  ["unreachable", UnreachableError],
  ["wrong_method", WrongMethodError],
]);
