//! The active policy. It applies to the whole log, so only people replace it. The service itself sets the first one.

use super::{AdmissionContext, LogRegistry, wrong_group};
use crate::{Refused, decide::check_is_person};
use countersign_events::{Body, Event, PolicyChange, PolicySet, Sha256, principal::PrincipalKind};
use countersign_policy::{Policy, PolicyText};
use std::sync::Arc;

/// Replace the active policy. It was parsed before, so a policy with an error cannot get here.
#[derive(Debug, Clone)]
pub struct SetPolicyCommand {
    /// The policy.
    pub policy: Arc<Policy>,
    /// Where the policy came from (a file or a person), for people.
    pub source: String,
    /// The policy hash that the caller expects to be active. `None` if the log has no policy yet. The command is
    /// refused if another policy is active, so that no policy is replaced unseen.
    pub replaces: Option<Sha256>,
}

impl SetPolicyCommand {
    pub(super) fn fact(&self) -> PolicySet {
        let PolicyText { text, layers } = self.policy.text().clone();
        PolicySet { text, layers, hash: self.policy.hash(), source: self.source.clone() }
    }
}

/// The active policy's hash, and the event that set it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActivePolicyHash {
    /// The hash; `None` in a log without a policy.
    pub(crate) hash: Option<Sha256>,
    /// The event; `None` in a log without a policy.
    pub(crate) change: Option<PolicyChange>,
}

impl ActivePolicyHash {
    pub(super) fn check_replaced(&self, replaced: Option<Sha256>) -> Result<(), Refused> {
        match self.hash.filter(|active| replaced != Some(*active)) {
            Some(in_force) => Err(Refused::PolicyChanged { in_force }),
            None => Ok(()),
        }
    }
}

impl LogRegistry for ActivePolicyHash {
    fn admit(&self, fact: Body, context: &AdmissionContext<'_>) -> Result<Option<Body>, Refused> {
        let Body::PolicySet(set) = &fact else { return Err(wrong_group()) };
        let is_first = self.hash.is_none() && context.by.kind() == PrincipalKind::System;
        if !is_first {
            check_is_person(context.by)?;
        }
        let hash = PolicyText::from(set).hash();
        if hash != set.hash {
            return Err(Refused::invalid("hash", &format!("the policy text has the hash {hash}")));
        }
        Ok((self.hash != Some(hash)).then_some(fact))
    }

    fn evolve(&mut self, event: &Event, body: &Body) {
        if let Body::PolicySet(set) = body {
            self.hash = Some(set.hash);
            self.change = Some(PolicyChange { seq: event.seq, principal: event.principal.clone() });
        }
    }
}
