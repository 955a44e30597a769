//! The command that activates a policy, and a new log's policy.

use crate::{GateFailure, active_policy::ActivePolicy};
use countersign_approvals::{
    ApprovalCommand, CommandCaller, CommandEnvelope, CommandEvidence, CommandTarget, LogCommand,
    registry::SetPolicyCommand,
};
use countersign_events::{Principal, Sha256};
use countersign_policy::Policy;
use countersign_store::{Store, StoreError};
use std::sync::Arc;

/// Reads the active policy. Activates `first` if the log has no policy yet. A log that cannot be written is read with
/// `first`, because reading does not depend on the policy.
pub(crate) async fn open_policy(store: &Store, first: Policy) -> Result<ActivePolicy, GateFailure> {
    let first = Arc::new(first);
    loop {
        if let Some(active) = ActivePolicy::read(store).await? {
            return Ok(active);
        }
        if store.is_read_only() {
            return Ok(ActivePolicy::for_log_without_policy(first));
        }
        let source = describe_first_source(&first).to_owned();
        let command = SetPolicyCommand { policy: Arc::clone(&first), source, replaces: None };
        match store.execute(set_policy(store, Principal::system("countersign").into(), command)).await {
            // Another process was first.
            Ok(_) | Err(StoreError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The source of a log's first policy.
pub(crate) fn describe_first_source(first: &Policy) -> &'static str {
    if first.hash() == Policy::shipped().hash() { "shipped" } else { "the program that created the log" }
}

/// The command that activates a policy.
pub(crate) fn set_policy(store: &Store, by: CommandCaller, command: SetPolicyCommand) -> CommandEnvelope {
    CommandEnvelope {
        target: CommandTarget::Log,
        by,
        now: store.clock().now(),
        policy: Arc::clone(&command.policy),
        command: ApprovalCommand::Log(LogCommand::SetPolicy(command)),
        evidence: CommandEvidence::NotNeeded,
        log: Sha256::ZERO,
    }
}
