//! Set policy: another policy is in force from here on. It applies to the whole log, so only people set it. The service
//! itself sets the first one.

use super::{NewEvent, eligible};
use crate::Refused;
use countersign_events::{Body, Principal, Sha256, event::PolicySet, principal::PrincipalKind};
use countersign_policy::Policy;
use std::sync::Arc;

/// Put a policy in force. It was read before, so a text with an error cannot get here.
#[derive(Debug, Clone)]
pub struct SetPolicyCommand {
    /// The policy.
    pub policy: Arc<Policy>,
    /// The place that its texts came from, for people.
    pub source: String,
    /// The hash of the policy that the caller knows to be in force. `None` if the log has no policy yet. The command is
    /// refused if another one is in force, so that no policy is replaced unseen.
    pub replaces: Option<Sha256>,
}

/// Decides on a policy. `in_force` is the hash of the policy in force.
pub(crate) fn set_policy(
    command: &SetPolicyCommand,
    by: &Principal,
    in_force: Option<Sha256>,
) -> Result<Vec<NewEvent>, Refused> {
    let is_first = in_force.is_none() && by.kind() == PrincipalKind::System;
    if !is_first {
        eligible::check_is_person(by)?;
    }
    let hash = command.policy.hash();
    if in_force == Some(hash) {
        return Ok(Vec::new());
    }
    if let Some(in_force) = in_force.filter(|in_force| command.replaces != Some(*in_force)) {
        return Err(Refused::PolicyChanged { in_force });
    }
    let text = command.policy.text().clone();
    let set = PolicySet { text: text.text, layers: text.layers, hash, source: command.source.clone() };
    Ok(vec![NewEvent::new(by, Body::PolicySet(set))])
}
