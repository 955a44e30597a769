//! The table of error codes: the HTTP status, the meaning and an example of each. Responses and the OpenAPI document
//! both use it.

use countersign_api::ErrorCode;

/// One row of the table.
#[derive(Debug)]
pub(crate) struct CodeEntry {
    pub(crate) code: ErrorCode,
    pub(crate) status: u16,
    /// The meaning, in one sentence.
    pub(crate) meaning: &'static str,
    /// An example of `detail`.
    pub(crate) example: &'static str,
}

const fn entry(status: u16, code: ErrorCode, meaning: &'static str, example: &'static str) -> CodeEntry {
    CodeEntry { code, status, meaning, example }
}

/// Every code that the server sends, by status.
pub(crate) const CODES: &[CodeEntry] = &[
    entry(
        400,
        ErrorCode::BadJson,
        "The body is not JSON.",
        "the body is not JSON: expected `,` or `}` at line 1 column 9",
    ),
    entry(
        400,
        ErrorCode::BadHost,
        "The request names its host twice, or in two different ways.",
        "the request has more than one Host header",
    ),
    entry(
        400,
        ErrorCode::SignInFailed,
        "A sign-in at the identity provider, or with a passkey, failed.",
        "this sign-in took longer than 10 minutes, was used before, or was begun in another browser",
    ),
    entry(
        400,
        ErrorCode::BadForwarded,
        "A trusted proxy sent an unusable header about its client.",
        "the proxy sent an unusable header x-forwarded-for: \"unknown\" is not an IP address",
    ),
    entry(
        401,
        ErrorCode::Unauthenticated,
        "The request has no credential, or one that is not accepted.",
        "the token has expired",
    ),
    entry(
        403,
        ErrorCode::NotPermitted,
        "The credential does not give the right that the request needs.",
        "the role agent may not decide",
    ),
    entry(
        403,
        ErrorCode::ForeignOrigin,
        "A web page of another site sent the request.",
        "a page of https://example.com sent this request; the server accepts requests only from its own pages",
    ),
    entry(
        403,
        ErrorCode::SignInRefused,
        "The account at the identity provider gives no rights here.",
        "user:ada@example.com has no role here; ask an administrator of Countersign",
    ),
    entry(
        403,
        ErrorCode::NotAnApprover,
        "The principal is not a person, and only people decide.",
        "agent:builder is not a person, and only people decide",
    ),
    entry(
        403,
        ErrorCode::NotEligible,
        "The approver is not one of those who may decide this request.",
        "user:bob cannot decide this: it takes level admin, and theirs is user",
    ),
    entry(
        403,
        ErrorCode::NotDelegated,
        "The person in whose place the approver decides has not handed their queue to the approver, or not any more.",
        "user:ada has not handed their queue to user:ben, or not any more",
    ),
    entry(
        403,
        ErrorCode::SelfApproval,
        "The approver proposed the call.",
        "user:ada proposed the call and cannot decide it",
    ),
    entry(
        403,
        ErrorCode::ProofRequired,
        "The rule asks for a proof that a person made the decision. `statement` is the text to sign.",
        "this needs a proof of a passkey: sign `statement` with a key of yours, for example with `countersign allow --sign-with KEYFILE`",
    ),
    entry(
        403,
        ErrorCode::ProofInvalid,
        "The proof does not prove the decision.",
        "the proof is not accepted: the signature is by another SSH key",
    ),
    entry(
        404,
        ErrorCode::UnknownRoute,
        "The path does not exist.",
        "/v1/thread does not exist; the API begins with /v1/threads",
    ),
    entry(
        404,
        ErrorCode::UnknownThread,
        "The thread has no events, or the caller does not see it.",
        "thread t1 does not exist",
    ),
    entry(404, ErrorCode::UnknownCall, "The thread has no such call.", "thread t1 has no call call_1"),
    entry(
        409,
        ErrorCode::GrantEnded,
        "The grant has ended, so it cannot be prolonged.",
        "grant 3 has ended; give another one on the next call",
    ),
    entry(404, ErrorCode::UnknownGrant, "The thread has no such grant.", "this thread has no grant 3"),
    entry(404, ErrorCode::UnknownKey, "The log has no key with this id.", "the log has no key with this id"),
    entry(
        404,
        ErrorCode::UnknownToken,
        "The log has no token with this id.",
        "the log has no token with this id",
    ),
    entry(
        404,
        ErrorCode::UnknownWebhook,
        "The log has no webhook with this id.",
        "the log has no webhook with this id",
    ),
    entry(404, ErrorCode::UnknownChatAccount, "No such chat account.", "no such chat account"),
    entry(
        404,
        ErrorCode::UnknownDevice,
        "No device with this id gets notifications.",
        "no device with this id gets notifications",
    ),
    entry(
        404,
        ErrorCode::UnknownDelegation,
        "There is no active delegation with this number.",
        "there is no active delegation with this number",
    ),
    entry(
        404,
        ErrorCode::UnknownAdvisor,
        "The active policy has no advisor with this name and these settings.",
        "the active policy has no advisor \"reviewer\" with these settings",
    ),
    entry(
        404,
        ErrorCode::UnknownTool,
        "The log knows no definition of this tool.",
        "the log knows no definition of the tool github__create_issue",
    ),
    entry(
        405,
        ErrorCode::WrongMethod,
        "The path does not support the method.",
        "/v1/events does not support DELETE",
    ),
    entry(
        408,
        ErrorCode::RequestTimeout,
        "The request was not complete in time.",
        "the body was not complete after 30 seconds",
    ),
    entry(
        409,
        ErrorCode::BadCursor,
        "The cursor is beyond the end of the log, or from another log. `tip` contains the end.",
        "the cursor 15 is beyond the end of the log, whose last event is 10: it is from another log, or from before a backup was restored; read this log again from the start",
    ),
    entry(
        409,
        ErrorCode::LinkUsed,
        "The link has signed a person in before.",
        "the link was used before, and it signs in once; ask for another one",
    ),
    entry(
        409,
        ErrorCode::NameTaken,
        "The log knows the name in another spelling, or as that of another account of the identity provider.",
        "user:Ada is another spelling of user:ada, and a name belongs to one actor, whatever its case and form; use user:ada",
    ),
    entry(
        409,
        ErrorCode::CallDiffers,
        "The id was proposed before with another tool or other arguments, or in another place.",
        "call call_1 was proposed before with another tool or other arguments, or in another place; a new call needs a new id",
    ),
    entry(
        409,
        ErrorCode::AlreadyDecided,
        "The call has a different decision. `response` contains it.",
        "already decided: deny by user:ada at 2026-01-31T12:00:00.000Z",
    ),
    entry(
        409,
        ErrorCode::AlreadyVoted,
        "The approver has voted differently. `vote` contains the vote.",
        "already voted: deny by user:ada at 2026-01-31T12:00:00.000Z",
    ),
    entry(
        409,
        ErrorCode::UnknownDefinition,
        "The log has no definition of the tool with this hash.",
        "the log has no definition of bash with the hash 4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db; look at its definitions again, because they may have changed",
    ),
    entry(
        409,
        ErrorCode::DefinitionChanged,
        "The definition of the tool is not the approved one.",
        "the definition of the tool changed after the approval; propose the call again",
    ),
    entry(
        409,
        ErrorCode::NotUnknown,
        "Only a call whose outcome is unknown can be released.",
        "the call is running, and only a call whose outcome is unknown can be released",
    ),
    entry(
        409,
        ErrorCode::NotFlaggable,
        "Only a call that was allowed can be flagged.",
        "the call is denied, and only a call that was allowed can be flagged",
    ),
    entry(
        409,
        ErrorCode::NothingToTakeBack,
        "Only an approval by a person that no executor has used can be taken back.",
        "the call is pending, and only an approval by a person that no executor has used can be taken back",
    ),
    entry(
        409,
        ErrorCode::AdviceOutdated,
        "An advisor allowed the call under another policy than the active one.",
        "advisor:reviewer allowed it under another policy than the active one; propose the call again",
    ),
    entry(
        409,
        ErrorCode::CallOpen,
        "Only the content of a call that has ended can be erased.",
        "the call is pending, and only a call that has ended can be erased: decide, finish or cancel it first",
    ),
    entry(
        409,
        ErrorCode::GrantInForce,
        "The call gave a grant for a pattern that would be erased.",
        "grant 3 was given on this call, and its pattern would be erased: revoke it first",
    ),
    entry(
        409,
        ErrorCode::CallArchived,
        "The call content is in an archive file, which the server does not have.",
        "the content of this thread was moved to the archive 2025.ndjson: use it with the file, as in `countersign erase --archive FILE`",
    ),
    entry(
        409,
        ErrorCode::NotAllowed,
        "Only an allowed call can be claimed.",
        "the call is pending, and only an allowed call can be claimed",
    ),
    entry(
        409,
        ErrorCode::AlreadyClaimed,
        "An executor has claimed the call. `execution` contains the claim.",
        "already claimed by worker-7 at 2026-01-31T12:00:00.000Z",
    ),
    entry(
        409,
        ErrorCode::AlreadyFinished,
        "The call has a different result. `result` contains it.",
        "already finished: success at 2026-01-31T12:00:00.000Z",
    ),
    entry(
        409,
        ErrorCode::NotClaimed,
        "A call must be claimed before its result is reported.",
        "the call is allowed: claim it first",
    ),
    entry(
        409,
        ErrorCode::NotTheExecutor,
        "Another executor claimed the call.",
        "worker-7 claimed the call, and only worker-7 can report its result",
    ),
    entry(
        409,
        ErrorCode::ArgumentsChanged,
        "The arguments are not the approved ones, or not the ones that the approver saw.",
        "the arguments are not those that were approved; run what was approved, or propose a new call",
    ),
    entry(
        409,
        ErrorCode::ToolChanged,
        "A message shows or names another tool than that of the call which it decides.",
        "call call_1 is one of delete_file, and the conversation or the decision shows \"list_files\"",
    ),
    entry(
        409,
        ErrorCode::Blocked,
        "The policy blocks the call.",
        "blocked by policy:no force pushes: history is shared",
    ),
    entry(
        409,
        ErrorCode::PolicyChanged,
        "Another policy became active meanwhile.",
        "another policy is active now, 4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db: look at it before you replace it",
    ),
    entry(
        409,
        ErrorCode::UnknownEvent,
        "A newer version has written an event about the call or its thread, whose meaning this version does not know.",
        "event 7 is a TOOL_APPROVAL_DELEGATED, which this version of Countersign does not know, so it decides nothing here: use the version that wrote the event",
    ),
    entry(
        409,
        ErrorCode::ThreadClosed,
        "The thread is closed.",
        "the thread was closed at 2026-01-31T12:00:00.000Z",
    ),
    entry(
        413,
        ErrorCode::TooLarge,
        "The body is too large.",
        "the body has more than 1048576 bytes, the maximum; --max-body of the server sets it",
    ),
    entry(
        415,
        ErrorCode::NotJson,
        "The content type is not JSON.",
        "the body must be application/json, and the header content-type is missing",
    ),
    entry(
        421,
        ErrorCode::ForeignHost,
        "The `Host` header is not a name of this server.",
        "\"example.com\" is not a name of this server; use 127.0.0.1 or localhost, or add the name with --public-url",
    ),
    entry(
        422,
        ErrorCode::Invalid,
        "A field, a parameter or a header has an invalid value.",
        "limit must be a number from 1 to 1000, not \"0\"",
    ),
    entry(
        422,
        ErrorCode::AmbiguousArguments,
        "Two keys of one object in the arguments are the same key to some programs.",
        "arguments: the keys \"command\" and \"Command\" of one object are the same key to some programs; keep one of them",
    ),
    entry(
        422,
        ErrorCode::NotOffered,
        "The request does not offer this decision.",
        "the request does not offer allow_session",
    ),
    entry(
        429,
        ErrorCode::TooManyPending,
        "The thread or the agent has as many pending calls as the policy permits. Nothing was written.",
        "thread t1 has 100 pending calls, the most that the policy permits; propose again when people have decided some",
    ),
    entry(
        429,
        ErrorCode::TooManyRequests,
        "The caller sends too many requests. `Retry-After` contains the pause in seconds.",
        "this caller sends more than 5000 requests a second; send fewer",
    ),
    entry(
        429,
        ErrorCode::TooManyStreams,
        "The caller has too many open streams.",
        "this caller has 5000 open streams, the maximum; close some",
    ),
    entry(
        429,
        ErrorCode::TooManyWaits,
        "Too many requests of the caller wait for a decision.",
        "10000 requests of this caller wait for a decision, the maximum; end some, or ask without `Prefer: wait`",
    ),
    entry(
        431,
        ErrorCode::HeadersTooLarge,
        "The request has too many or too large headers.",
        "the request has 101 headers; the limit is 100",
    ),
    entry(
        500,
        ErrorCode::Internal,
        "The server failed.",
        "the server failed; its log has the details under the id of this request",
    ),
    entry(
        500,
        ErrorCode::Damaged,
        "The database contains something that Countersign did not write.",
        "event 7 is damaged: its data is not a TOOL_RESULT; run `countersign verify`",
    ),
    entry(
        503,
        ErrorCode::DatabaseUnavailable,
        "The database cannot be used now. `reason` contains the cause.",
        "the disk that holds countersign.db is full; this change was not written, make room and try again",
    ),
    entry(
        503,
        ErrorCode::PolicyUnreadable,
        "This version cannot read the active policy, so it judges no calls.",
        "the active policy (event 7) cannot be read by this version: line 3, column 1: unknown key `quorums`; apply another one with `countersign policy apply`",
    ),
    entry(
        503,
        ErrorCode::ShuttingDown,
        "The process is stopping.",
        "the server is stopping; try again with the next one",
    ),
    entry(
        503,
        ErrorCode::ProviderUnavailable,
        "The identity provider does not answer, or not as OpenID Connect requires.",
        "https://login.example.com cannot be reached; sign in with a link or a token, or try again later",
    ),
    entry(
        503,
        ErrorCode::TooManyConnections,
        "The server has as many connections as it may have.",
        "the server has 896 connections, the maximum; close some, or try again later",
    ),
    entry(
        503,
        ErrorCode::NotReady,
        "A readiness check failed. `check` contains its name.",
        "the disk that holds countersign.db is full (database_unavailable)",
    ),
];

/// Codes that every operation can return. The OpenAPI document describes them once, in one component.
pub(crate) const COMMON: &[ErrorCode] = &[
    ErrorCode::BadJson,
    ErrorCode::BadHost,
    ErrorCode::BadForwarded,
    ErrorCode::Unauthenticated,
    ErrorCode::NotPermitted,
    ErrorCode::NameTaken,
    ErrorCode::ForeignOrigin,
    ErrorCode::RequestTimeout,
    ErrorCode::UnknownRoute,
    ErrorCode::UnknownThread,
    ErrorCode::WrongMethod,
    ErrorCode::TooLarge,
    ErrorCode::NotJson,
    ErrorCode::ForeignHost,
    ErrorCode::Invalid,
    ErrorCode::TooManyRequests,
    ErrorCode::HeadersTooLarge,
    ErrorCode::Internal,
    ErrorCode::Damaged,
    ErrorCode::DatabaseUnavailable,
    ErrorCode::PolicyUnreadable,
    ErrorCode::PolicyChanged,
    ErrorCode::UnknownEvent,
    ErrorCode::ShuttingDown,
    ErrorCode::TooManyConnections,
];

/// Returns the row for a code. Codes that only clients report have no row.
pub(crate) fn find(code: ErrorCode) -> Option<&'static CodeEntry> {
    CODES.iter().find(|entry| entry.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes that only clients report.
    const OF_CLIENTS: [ErrorCode; 3] = [ErrorCode::Unreachable, ErrorCode::StrangeServer, ErrorCode::BadUrl];

    #[test]
    fn each_code_has_exactly_one_row() {
        for code in ErrorCode::ALL.iter().filter(|code| !OF_CLIENTS.contains(code)) {
            assert_eq!(CODES.iter().filter(|entry| entry.code == *code).count(), 1, "{code}");
        }
        assert_eq!(CODES.len() + OF_CLIENTS.len(), ErrorCode::ALL.len());
    }
}
