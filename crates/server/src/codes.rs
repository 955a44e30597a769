//! Every code that an error can have, its status, and what it means: what the server answers by, and
//! what it documents.

/// A code, its status, and what it means.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) name: &'static str,
    pub(crate) status: u16,
    /// An example of what `detail` says.
    pub(crate) means: &'static str,
}

const fn code(status: u16, name: &'static str, means: &'static str) -> Code {
    Code { name, status, means }
}

/// All of them, by status.
pub(crate) const CODES: &[Code] = &[
    code(400, "bad_json", "the body is not JSON: expected `,` or `}` at line 1 column 9"),
    code(400, "bad_cursor", "\"x\" is no cursor; use the `next` of the page before, or the seq of an event"),
    code(
        400,
        "bad_header",
        "countersign-principal: \"ada\" does not begin with user:, agent:, policy: or system:",
    ),
    code(403, "foreign_origin", "a page of https://example.com sent this, and pages may not decide"),
    code(403, "not_an_approver", "agent:builder is no person, and only people decide"),
    code(403, "not_eligible", "user:bob cannot decide this: it takes level admin, and theirs is user"),
    code(403, "self_approval", "user:ada proposed the call and cannot decide it"),
    code(404, "unknown_route", "there is nothing at /v1/thread; the API begins with /v1/threads"),
    code(404, "unknown_thread", "there is no thread t1"),
    code(404, "unknown_call", "thread t1 has no call call_1"),
    code(404, "unknown_grant", "there is no grant 3 in this thread"),
    code(405, "wrong_method", "/v1/events does not take DELETE"),
    code(
        409,
        "call_differs",
        "call call_1 was proposed before with another tool or other arguments; a new call needs a new id",
    ),
    code(409, "already_decided", "decided already: deny by user:ada at 2026-01-31T12:00:00.000Z"),
    code(409, "already_voted", "voted already: deny by user:ada at 2026-01-31T12:00:00.000Z"),
    code(
        409,
        "definition_changed",
        "the tool's definition is not what it was when the call was approved; propose the call again",
    ),
    code(409, "not_unknown", "the call is running, and only a call whose outcome is unknown can be released"),
    code(409, "not_allowed", "the call is pending, and only an allowed call can be claimed"),
    code(409, "already_claimed", "claimed already by worker-7 at 2026-01-31T12:00:00.000Z"),
    code(409, "already_finished", "it ended already: success at 2026-01-31T12:00:00.000Z"),
    code(409, "not_claimed", "the call is allowed: claim it before you report what came of it"),
    code(409, "not_the_executor", "the call was claimed by worker-7, which alone can report its result"),
    code(
        409,
        "arguments_changed",
        "the arguments are not those that were approved; run what was approved, or propose a new call",
    ),
    code(409, "blocked", "blocked by policy:no force pushes: history is shared"),
    code(409, "thread_closed", "the thread was closed at 2026-01-31T12:00:00.000Z"),
    code(413, "too_large", "the body has more than 4456448 bytes, and that is the most"),
    code(415, "not_json", "the body must be application/json, and the header content-type is missing"),
    code(
        421,
        "foreign_host",
        "this server is for its own machine, and \"example.com\" is not a name of that; use 127.0.0.1 or localhost",
    ),
    code(422, "invalid", "limit is a number from 1 to 1000, and this is \"0\""),
    code(422, "not_offered", "the request does not offer allow_session"),
    code(422, "too_deep", "what the body holds nests deeper than 256 levels at line 1 column 300"),
    code(500, "internal", "the server failed; its log says more under the id of this request"),
    code(500, "damaged", "event 7 is damaged: its data is no TOOL_RESULT"),
    code(500, "corrupt_database", "countersign.db is damaged; restore it from a backup"),
    code(503, "locked", "another program has held the write lock for too long; end its transaction"),
    code(503, "read_only", "countersign.db is read-only for this user"),
    code(503, "database_gone", "countersign.db was removed or replaced while it was open"),
    code(
        503,
        "not_a_countersign_database",
        "countersign.db is not a Countersign database; name another file",
    ),
    code(503, "io_error", "countersign.db cannot be read or written"),
    code(503, "closed", "the store is shutting down; try again with the next process"),
    code(503, "shutting_down", "the server is stopping; try again with the next one"),
    code(503, "not_ready", "the log cannot be written: the disk is full"),
    code(503, "disk_full", "the disk that holds countersign.db is full; make room and try again"),
    code(503, "database_unreachable", "postgres://app@db:5432/log does not answer: connection refused"),
    code(503, "database_busy", "postgres://app@db:5432/log is too busy: no connection is free"),
    code(
        503,
        "database_behind",
        "postgres://app@db:5432/log ends at event 7, and event 9 was handed out before",
    ),
    code(503, "database_missing", "there is no database at postgres://app@db:5432/log"),
    code(503, "database_login", "postgres://app@db:5432/log does not let this user in"),
    code(503, "database_forbidden", "postgres://app@db:5432/log does not allow this user what is needed"),
    code(
        503,
        "database_too_old",
        "postgres://app@db:5432/log is PostgreSQL 13, and 14 is the least that works",
    ),
    code(503, "database_read_only", "postgres://app@db:5432/log takes no writes (a standby?)"),
    code(
        503,
        "outcome_unknown",
        "the connection was lost while this was written; say the same again, which is safe",
    ),
];

/// What may come of any request.
pub(crate) const ALWAYS: &[&str] = &["foreign_origin", "foreign_host", "internal"];

/// What may come of one that looks into the log.
pub(crate) const READS: &[&str] = &[
    "damaged",
    "corrupt_database",
    "locked",
    "database_gone",
    "not_a_countersign_database",
    "io_error",
    "closed",
    "database_unreachable",
    "database_busy",
    "database_behind",
    "database_missing",
    "database_login",
    "database_forbidden",
    "database_too_old",
];

/// What may come beside that of one that writes.
pub(crate) const WRITES: &[&str] = &["read_only", "disk_full", "database_read_only", "outcome_unknown"];

/// What may be wrong with a body.
pub(crate) const BODY: &[&str] = &["bad_json", "too_large", "not_json", "invalid", "too_deep"];

/// What may be wrong with a path, a query or a header.
pub(crate) const ASKED: &[&str] = &["invalid", "bad_header"];

/// The code of that name.
pub(crate) fn find(name: &str) -> Option<&'static Code> {
    CODES.iter().find(|code| code.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_that_is_named_is_there_once() {
        for name in [ALWAYS, READS, WRITES, BODY, ASKED].concat() {
            assert!(find(name).is_some(), "{name}");
        }
        for code in CODES {
            assert_eq!(CODES.iter().filter(|other| other.name == code.name).count(), 1, "{}", code.name);
        }
    }
}
