//! Checks the policies of the log: who set them, their hashes, and that each row was judged by the one in force.

use super::{compare, log_row::LogRow};
use crate::decide::{self, SetPolicyCommand};
use countersign_events::{Body, Sha256, event::PolicySet};
use countersign_policy::{Policy, PolicyText};
use std::sync::Arc;

/// The hash of the policy that a row says it was judged by.
fn recorded_hash(body: &Body) -> Option<Sha256> {
    match body {
        Body::ApprovalRequest(request) => Some(request.policy),
        Body::ApprovalAdvice(advice) => Some(advice.policy),
        Body::ApprovalResponse(response) => response.policy,
        _ => None,
    }
}

/// Checks that the row was judged by the policy in force. A log without a policy is not checked.
pub(super) fn check_judged_by(row: &LogRow, in_force: Option<Sha256>) -> Result<(), String> {
    match recorded_hash(&row.body).zip(in_force) {
        Some((recorded, in_force)) if recorded != in_force => {
            Err(format!("it names the policy {recorded}, and {in_force} was in force"))
        }
        _ => Ok(()),
    }
}

/// Checks a row that puts a policy in force.
pub(super) fn check_policy_set(
    row: &LogRow,
    set: &PolicySet,
    in_force: Option<Sha256>,
) -> Result<(), String> {
    let text = PolicyText::from(set);
    if text.hash() != set.hash {
        return Err(format!("its texts have the hash {}", text.hash()));
    }
    // A newer version may have written a text that this one cannot read. The rules do not depend on it.
    let policy = Policy::read_text(text.clone()).unwrap_or_else(|_| Policy::unread(text));
    let command =
        SetPolicyCommand { policy: Arc::new(policy), source: set.source.clone(), replaces: in_force };
    let expected = decide::set_policy(&command, &row.event.principal, in_force)
        .map_err(|refused| refused.to_string())?;
    match expected.first() {
        Some(expected) => compare::check_row(expected, row),
        None => Err("this policy was in force already".to_owned()),
    }
}
