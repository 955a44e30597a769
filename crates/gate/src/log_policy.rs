//! The command that puts a policy in force, and the policy of a new log.

use crate::{GateFailure, active_policy::ActivePolicy};
use countersign_approvals::{
    ApprovalCommand, CommandEnvelope, CommandEvidence, CommandTarget, decide::SetPolicyCommand,
};
use countersign_events::Principal;
use countersign_policy::Policy;
use countersign_store::{Store, StoreError};
use std::sync::Arc;

/// Reads the policy in force. Puts `first` in force if the log has no policy yet.
pub(crate) async fn open_policy(store: &Store, first: Policy) -> Result<ActivePolicy, GateFailure> {
    let first = Arc::new(first);
    loop {
        if let Some(active) = ActivePolicy::read(store).await? {
            return Ok(active);
        }
        let source = if first.hash() == Policy::shipped().hash() {
            "shipped"
        } else {
            "the program that created the log"
        };
        let command =
            SetPolicyCommand { policy: Arc::clone(&first), source: source.to_owned(), replaces: None };
        match store.execute(set_policy(store, Principal::system("countersign"), command)).await {
            // Another process was first.
            Ok(_) | Err(StoreError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The command that puts a policy in force.
pub(crate) fn set_policy(store: &Store, by: Principal, command: SetPolicyCommand) -> CommandEnvelope {
    CommandEnvelope {
        target: CommandTarget::Log,
        by,
        now: store.clock().now(),
        policy: Arc::clone(&command.policy),
        command: ApprovalCommand::SetPolicy(command),
        evidence: CommandEvidence::NotNeeded,
    }
}
