//! Checks that each row was judged by the active policy.

use super::log_row::LogRow;
use countersign_events::{Body, PolicySet, Sha256};
use countersign_policy::{Policy, PolicyText};

/// Reads the policy that a row sets. A newer version may have written a policy that this one cannot read; it then has
/// neither rules nor advisors.
pub(super) fn read_policy(set: &PolicySet) -> Policy {
    let text = PolicyText::from(set);
    Policy::read_text(text.clone()).unwrap_or_else(|_| Policy::unread(text))
}

/// The policy hash that a row names as its judge.
fn recorded_hash(body: &Body) -> Option<Sha256> {
    match body {
        Body::ApprovalRequest(request) => Some(request.policy),
        Body::ApprovalAdvice(advice) => Some(advice.policy),
        Body::ApprovalResponse(response) => response.policy,
        _ => None,
    }
}

/// Checks that the row was judged by the active policy. A log without a policy is not checked.
pub(super) fn check_judged_by(row: &LogRow, in_force: Option<Sha256>) -> Result<(), String> {
    match recorded_hash(&row.body).zip(in_force) {
        Some((recorded, in_force)) if recorded != in_force => {
            Err(format!("it names the policy {recorded}, and {in_force} was active"))
        }
        _ => Ok(()),
    }
}
