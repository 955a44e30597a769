//! The forbidden statements: what is wrong, a piece of the database's complaint, and the statement.
//! They speak of the calls that `guards.rs` sets up; `{HASH}` is that of their arguments, `{GRANT}` the
//! `seq` of the grant that was revoked.

/// SHA-256 of the canonical form of `{"command":"ls"}`, which every call proposes.
pub(crate) const HASH: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";

type Forbidden = (&'static str, &'static str, &'static str);

macro_rules! inserts {
    ($thread:literal, $kind:literal, $principal:literal, $data:literal) => {
        concat!(
            "INSERT INTO events (thread_id, type, principal, data) VALUES ('", $thread, "', '", $kind, "', '",
            $principal, "', '", $data, "')"
        )
    };
}

macro_rules! responds {
    ($principal:literal, $data:literal) => {
        inserts!("t", "TOOL_APPROVAL_RESPONSE", $principal, $data)
    };
}

macro_rules! ends {
    ($data:literal) => {
        inserts!("t", "TOOL_RESULT", "agent:bot", $data)
    };
}

const NO_CALL: &str = "the thread has no such call";
const SECOND: &str = "the call has an event of this type already";
const DECIDED: &str = "the call is decided already";
const TAKEN: &str = "this seq is taken";
const GAP: &str = "leave seq out";
const FOLLOW: &str = "does not follow from what came before";
const NOT_ALLOWED: &str = "nobody allowed this call with these arguments";
const PERSON: &str = "a person decides, and never the one who proposed";
const NO_GRANT: &str = "that seq gave no grant in this thread";
const CHECK: &str = "CHECK constraint failed";

pub(crate) const FORBIDDEN: &[Forbidden] = &[
    ("an UPDATE", "never changed", "UPDATE events SET data = '{}' WHERE seq = 1"),
    ("an UPDATE of all", "never changed", "UPDATE events SET principal = 'user:eve'"),
    ("an UPDATE of the hash", "never changed", "UPDATE events SET hash = NULL WHERE seq = 1"),
    ("an UPDATE OR REPLACE", "never changed", "UPDATE OR REPLACE events SET seq = 1 WHERE seq = 2"),
    ("an UPDATE OR IGNORE", "never changed", "UPDATE OR IGNORE events SET data = '{}' WHERE seq = 1"),
    ("a DELETE", "never deleted", "DELETE FROM events WHERE seq = 1"),
    ("a DELETE of the last", "never deleted", "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)"),
    ("a DELETE of all", "never deleted", "DELETE FROM events"),
    ("a replaced seq", TAKEN, "INSERT OR REPLACE INTO events (seq, thread_id, type, principal, data) VALUES (1, 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("a replaced rowid", TAKEN, "REPLACE INTO events (rowid, thread_id, type, principal, data) VALUES (1, 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("an ignored seq", TAKEN, "INSERT OR IGNORE INTO events (seq, thread_id, type, principal, data) VALUES (1, 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("an upsert", TAKEN, "INSERT INTO events (seq, thread_id, type, principal, data) VALUES (1, 't', 'USER_MESSAGE', 'user:eve', '{}') ON CONFLICT (seq) DO UPDATE SET data = '{}'"),
    ("a replaced call", SECOND, "INSERT OR REPLACE INTO events (thread_id, type, principal, data) VALUES ('t', 'TOOL_CALL', 'agent:bot', '{\"id\":\"pending\",\"name\":\"rm\",\"arguments\":{},\"argumentsHash\":\"{HASH}\"}')"),
    ("a replaced response", SECOND, "INSERT OR REPLACE INTO events (thread_id, type, principal, data) VALUES ('t', 'TOOL_APPROVAL_RESPONSE', 'user:ada', '{\"toolCallId\":\"denied\",\"decision\":\"allow_once\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}')"),
    ("a replaced close", "the thread is closed", "INSERT OR REPLACE INTO events (thread_id, type, principal, data) VALUES ('over', 'THREAD_CLOSED', 'user:ada', '{}')"),
    ("a replaced revocation", "revoked already", "INSERT OR REPLACE INTO events (thread_id, type, principal, data) VALUES ('t', 'GRANT_REVOKED', 'user:ada', '{\"grant\":{GRANT}}')"),
    ("a gap", GAP, "INSERT INTO events (seq, thread_id, type, principal, data) VALUES (9999, 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("the end of numbers", GAP, "INSERT INTO events (seq, thread_id, type, principal, data) VALUES (9223372036854775807, 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("a seq of 0", CHECK, "INSERT INTO events (seq, thread_id, type, principal, data) VALUES (0, 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("a negative seq", CHECK, "INSERT INTO events (seq, thread_id, type, principal, data) VALUES (-5, 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("a time with a space", CHECK, "INSERT INTO events (timestamp, thread_id, type, principal, data) VALUES ('2026-01-31 12:00:00', 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("a time in words", CHECK, "INSERT INTO events (timestamp, thread_id, type, principal, data) VALUES ('now', 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("a time with an offset", CHECK, "INSERT INTO events (timestamp, thread_id, type, principal, data) VALUES ('2026-01-31T12:00:00.000+01:00', 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("no time", "NOT NULL", "INSERT INTO events (timestamp, thread_id, type, principal, data) VALUES (NULL, 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("a short hash", CHECK, "INSERT INTO events (hash, thread_id, type, principal, data) VALUES ('abc', 't', 'USER_MESSAGE', 'user:eve', '{}')"),
    ("no thread", CHECK, inserts!("", "USER_MESSAGE", "user:ada", "{}")),
    ("no JSON", "malformed JSON", inserts!("t", "TOOL_RESULT", "user:ada", "{\"toolCallId\":")),
    ("no JSON in a message", CHECK, inserts!("t", "USER_MESSAGE", "user:ada", "hello")),
    ("an array", CHECK, inserts!("t", "USER_MESSAGE", "user:ada", "[]")),
    ("a string", CHECK, inserts!("t", "USER_MESSAGE", "user:ada", "\"hello\"")),
    ("an unknown type", CHECK, inserts!("t", "TOOL_WISH", "user:ada", "{}")),
    ("a type in small letters", CHECK, inserts!("t", "user_message", "user:ada", "{}")),
    ("a principal without a kind", CHECK, inserts!("t", "USER_MESSAGE", "ada", "{}")),
    ("a principal without a name", CHECK, inserts!("t", "USER_MESSAGE", "user:", "{}")),
    ("a call without a name", "a TOOL_CALL has", inserts!("t", "TOOL_CALL", "agent:bot", "{\"id\":\"new\",\"arguments\":{},\"argumentsHash\":\"{HASH}\"}")),
    ("a call without arguments", "a TOOL_CALL has", inserts!("t", "TOOL_CALL", "agent:bot", "{\"id\":\"new\",\"name\":\"x\",\"argumentsHash\":\"{HASH}\"}")),
    ("a call without a hash", "a TOOL_CALL has", inserts!("t", "TOOL_CALL", "agent:bot", "{\"id\":\"new\",\"name\":\"x\",\"arguments\":{}}")),
    ("a call with an empty id", CHECK, inserts!("t", "TOOL_CALL", "agent:bot", "{\"id\":\"\",\"name\":\"x\",\"arguments\":{},\"argumentsHash\":\"{HASH}\"}")),
    ("a second call", SECOND, inserts!("t", "TOOL_CALL", "agent:bot", "{\"id\":\"pending\",\"name\":\"bash\",\"arguments\":{},\"argumentsHash\":\"{HASH}\"}")),
    ("a call in a closed thread", "the thread is closed", inserts!("over", "TOOL_CALL", "agent:bot", "{\"id\":\"new\",\"name\":\"x\",\"arguments\":{},\"argumentsHash\":\"{HASH}\"}")),
    ("a request without its call", NO_CALL, inserts!("t", "TOOL_APPROVAL_REQUEST", "agent:bot", "{\"toolCallId\":\"nobody\"}")),
    ("a request in another thread", NO_CALL, inserts!("t2", "TOOL_APPROVAL_REQUEST", "agent:bot", "{\"toolCallId\":\"pending\"}")),
    ("a second request", SECOND, inserts!("t", "TOOL_APPROVAL_REQUEST", "agent:bot", "{\"toolCallId\":\"pending\"}")),
    ("a vote without a request", NO_CALL, inserts!("t", "TOOL_APPROVAL_VOTE", "user:bo", "{\"toolCallId\":\"nobody\",\"decision\":\"deny\"}")),
    ("a vote on what is decided", DECIDED, inserts!("t", "TOOL_APPROVAL_VOTE", "user:bo", "{\"toolCallId\":\"allowed\",\"decision\":\"deny\"}")),
    ("a response without its call", NO_CALL, responds!("user:ada", "{\"toolCallId\":\"nobody\",\"decision\":\"deny\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}")),
    ("a response in another thread", NO_CALL, inserts!("t2", "TOOL_APPROVAL_RESPONSE", "user:ada", "{\"toolCallId\":\"pending\",\"decision\":\"deny\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}")),
    ("a second response", SECOND, responds!("user:bo", "{\"toolCallId\":\"denied\",\"decision\":\"allow_once\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}")),
    ("the same response again", SECOND, responds!("user:ada", "{\"toolCallId\":\"denied\",\"decision\":\"deny\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}")),
    ("an unknown decision", "a decision is", responds!("user:ada", "{\"toolCallId\":\"pending\",\"decision\":\"perhaps\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}")),
    ("no decision", "a decision is", responds!("user:ada", "{\"toolCallId\":\"pending\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}")),
    ("an unknown source", "a source is", responds!("user:ada", "{\"toolCallId\":\"pending\",\"decision\":\"deny\",\"source\":\"oracle\",\"argumentsHash\":\"{HASH}\"}")),
    ("a response without a hash", "argumentsHash is", responds!("user:ada", "{\"toolCallId\":\"pending\",\"decision\":\"deny\",\"source\":\"approver\"}")),
    ("a response to other arguments", "not that of the proposed", responds!("user:ada", "{\"toolCallId\":\"pending\",\"decision\":\"allow_once\",\"source\":\"approver\",\"argumentsHash\":\"0000000000000000000000000000000000000000000000000000000000000000\"}")),
    ("an agent as approver", PERSON, responds!("agent:bot2", "{\"toolCallId\":\"pending\",\"decision\":\"allow_once\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}")),
    ("a rule as approver", PERSON, responds!("policy:x", "{\"toolCallId\":\"pending\",\"decision\":\"allow_once\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}")),
    ("self approval", PERSON, responds!("user:ada", "{\"toolCallId\":\"of_ada\",\"decision\":\"allow_once\",\"source\":\"approver\",\"argumentsHash\":\"{HASH}\"}")),
    ("a claim without its call", NO_CALL, inserts!("t", "TOOL_EXECUTION_STARTED", "agent:bot", "{\"toolCallId\":\"nobody\",\"executor\":\"w\",\"argumentsHash\":\"{HASH}\"}")),
    ("a claim in another thread", NO_CALL, inserts!("t2", "TOOL_EXECUTION_STARTED", "agent:bot", "{\"toolCallId\":\"allowed\",\"executor\":\"w\",\"argumentsHash\":\"{HASH}\"}")),
    ("a claim of what is pending", NOT_ALLOWED, inserts!("t", "TOOL_EXECUTION_STARTED", "agent:bot", "{\"toolCallId\":\"pending\",\"executor\":\"w\",\"argumentsHash\":\"{HASH}\"}")),
    ("a claim of what is denied", NOT_ALLOWED, inserts!("t", "TOOL_EXECUTION_STARTED", "agent:bot", "{\"toolCallId\":\"denied\",\"executor\":\"w\",\"argumentsHash\":\"{HASH}\"}")),
    ("a claim with other arguments", NOT_ALLOWED, inserts!("t", "TOOL_EXECUTION_STARTED", "agent:bot", "{\"toolCallId\":\"allowed\",\"executor\":\"w\",\"argumentsHash\":\"0000000000000000000000000000000000000000000000000000000000000000\"}")),
    ("a claim without a hash", NOT_ALLOWED, inserts!("t", "TOOL_EXECUTION_STARTED", "agent:bot", "{\"toolCallId\":\"allowed\",\"executor\":\"w\"}")),
    ("a claim by nobody", "names its executor", inserts!("t", "TOOL_EXECUTION_STARTED", "agent:bot", "{\"toolCallId\":\"allowed\",\"argumentsHash\":\"{HASH}\"}")),
    ("a second claim", SECOND, inserts!("t", "TOOL_EXECUTION_STARTED", "agent:bot", "{\"toolCallId\":\"running\",\"executor\":\"w\",\"argumentsHash\":\"{HASH}\"}")),
    ("a claim in a closed thread", "the thread is closed", inserts!("over", "TOOL_EXECUTION_STARTED", "agent:bot", "{\"toolCallId\":\"allowed\",\"executor\":\"w\",\"argumentsHash\":\"{HASH}\"}")),
    ("a result without its call", NO_CALL, ends!("{\"toolCallId\":\"nobody\",\"status\":\"success\",\"content\":1}")),
    ("a result in another thread", NO_CALL, inserts!("t2", "TOOL_RESULT", "agent:bot", "{\"toolCallId\":\"running\",\"status\":\"success\",\"content\":1}")),
    ("a result of what nobody claimed", FOLLOW, ends!("{\"toolCallId\":\"allowed\",\"status\":\"success\",\"content\":1}")),
    ("a result of what is pending", FOLLOW, ends!("{\"toolCallId\":\"pending\",\"status\":\"cancelled\",\"content\":1}")),
    ("a denial of what was allowed", FOLLOW, ends!("{\"toolCallId\":\"allowed\",\"status\":\"denied\",\"content\":1}")),
    ("an expiry that was none", FOLLOW, ends!("{\"toolCallId\":\"lapsing\",\"status\":\"expired\",\"content\":1}")),
    ("an unknown status", FOLLOW, ends!("{\"toolCallId\":\"running\",\"status\":\"maybe\",\"content\":1}")),
    ("a result without content", "has its content", ends!("{\"toolCallId\":\"running\",\"status\":\"success\"}")),
    ("a second result", SECOND, ends!("{\"toolCallId\":\"finished\",\"status\":\"error\",\"content\":1}")),
    ("a second close", "the thread is closed", inserts!("over", "THREAD_CLOSED", "user:ada", "{}")),
    ("a revocation of no grant", NO_GRANT, inserts!("t", "GRANT_REVOKED", "user:ada", "{\"grant\":1}")),
    ("a revocation of nothing", NO_GRANT, inserts!("t", "GRANT_REVOKED", "user:ada", "{}")),
    ("a revocation in another thread", NO_GRANT, inserts!("t2", "GRANT_REVOKED", "user:ada", "{\"grant\":{GRANT}}")),
    ("a second revocation", "revoked already", inserts!("t", "GRANT_REVOKED", "user:ada", "{\"grant\":{GRANT}}")),
    ("many rows of which one is bad", NO_CALL, "INSERT INTO events (thread_id, type, principal, data) VALUES ('t', 'USER_MESSAGE', 'user:ada', '{}'), ('t', 'TOOL_RESULT', 'user:ada', '{\"toolCallId\":\"nobody\",\"status\":\"success\",\"content\":1}')"),
];
