//! Compares a log row with the event that the rules would write.

use super::{erasure, log_row::LogRow};
use crate::NewEvent;
use countersign_events::{Body, ErasedTexts, ExecutionMismatch};

/// Returns true if a row can belong to the same command as the first one. PostgreSQL gives each row inserted through
/// SQL its own time.
pub(super) fn is_same_step(first: &LogRow, row: &LogRow) -> bool {
    let same_time = first.event.timestamp == row.event.timestamp || first.is_by_hand();
    first.event.thread_id == row.event.thread_id && first.is_by_hand() == row.is_by_hand() && same_time
}

/// Checks a row against the event that the rules would write. The error is the reason, for people.
pub(super) fn check_row(expected: &NewEvent, row: &LogRow) -> Result<(), String> {
    let kind = expected.body.event_type();
    if kind != row.event.kind {
        return Err(format!("the rules write a {kind} here"));
    }
    if expected.by != row.event.principal {
        return Err(format!("the rules write it as {}", expected.by));
    }
    let body = adapt(expected.body.clone(), row);
    if body == row.body || erasure::erased_texts(row).is_some_and(|erased| is_same_but(&erased, &body, row)) {
        return Ok(());
    }
    let fields = different_fields(&body, &row.body);
    Err(format!("the rules write other values: {}", fields.join(", ")))
}

/// Returns true if both contents are equal apart from the content erased from the row.
fn is_same_but(erased: &ErasedTexts, expected: &Body, row: &LogRow) -> bool {
    let kept = |body: &Body| {
        let members = body.data().ok().and_then(|data| data.members()).unwrap_or_default().into_iter();
        let is_kept = |name: &str| name != "erased" && !erased.contains_key(name);
        members.filter(|(name, _)| is_kept(name)).collect::<Vec<_>>()
    };
    kept(expected) == kept(&row.body)
}

/// The expected content, without the differences that are allowed.
fn adapt(expected: Body, row: &LogRow) -> Body {
    match (expected, &row.body) {
        // The log keeps the proposal with its secrets masked, so only the hash of unmasked parts can be compared.
        (Body::ToolCall(expected), Body::ToolCall(recorded)) => {
            let mut body = recorded.clone();
            if recorded.redacted.is_empty() && recorded.erased.is_empty() {
                body.arguments_hash = expected.arguments_hash;
            }
            Body::ToolCall(body)
        }
        (Body::ExecutionMismatch(expected), Body::ExecutionMismatch(recorded)) => {
            Body::ExecutionMismatch(ExecutionMismatch { redacted: recorded.redacted.clone(), ..expected })
        }
        // A decision made with SQL names no policy and nothing that only a policy knows.
        (Body::ApprovalResponse(mut expected), Body::ApprovalResponse(_)) if row.is_by_hand() => {
            expected.policy = None;
            expected.rule = None;
            expected.scope = None;
            expected.author_level = None;
            Body::ApprovalResponse(expected)
        }
        // Only the policy that was active then knows a person's level.
        (Body::ApprovalResponse(mut expected), Body::ApprovalResponse(recorded)) => {
            expected.author_level.clone_from(&recorded.author_level);
            // Earlier versions did not record it.
            expected.set_by = expected.set_by.filter(|_| recorded.set_by.is_some());
            Body::ApprovalResponse(expected)
        }
        (Body::ThreadModeSet(mut expected), Body::ThreadModeSet(recorded)) => {
            expected.level.clone_from(&recorded.level);
            Body::ThreadModeSet(expected)
        }
        (Body::ToolPolicySet(mut expected), Body::ToolPolicySet(recorded)) => {
            expected.level.clone_from(&recorded.level);
            Body::ToolPolicySet(expected)
        }
        // The databases escape characters in other ways than Countersign does.
        (Body::ToolResult(mut expected), Body::ToolResult(recorded)) => {
            if expected.content.canonical_hash().ok() == recorded.content.canonical_hash().ok() {
                expected.content = recorded.content.clone();
            }
            Body::ToolResult(expected)
        }
        (expected, _) => expected,
    }
}

/// The names of the fields in which two contents differ.
fn different_fields(expected: &Body, recorded: &Body) -> Vec<String> {
    let members = |body: &Body| body.data().ok().and_then(|data| data.members()).unwrap_or_default();
    let (expected, recorded) = (members(expected), members(recorded));
    let changed = recorded.iter().filter(|member| !expected.contains(member));
    let missing = expected.iter().filter(|(name, _)| recorded.iter().all(|(other, _)| other != name));
    let mut names: Vec<_> = changed.chain(missing).map(|(name, _)| name.clone()).collect();
    names.sort();
    names.dedup();
    names
}
