//! Log-wide facts: the policy, access, webhooks, tool definitions and advisors.
//!
//! A fact is an event. A log-wide command consists of the facts that it records, so nothing is described twice. Each
//! group of facts has a [`LogRegistry`], which admits a fact or refuses it. The writer admits the facts in a command,
//! and the [admissibility check](crate::admissibility) admits the facts in a log.

mod advisors;
mod approver_keys;
mod chat_accounts;
mod command;
mod definitions;
mod delegations;
mod log_registries;
mod policy;
mod push_devices;
mod tokens;
mod webhooks;

pub use approver_keys::{AddKeyCommand, MAX_KEYS};
pub use chat_accounts::MAX_CHAT_ACCOUNTS;
pub use command::LogCommand;
pub(crate) use command::plan;
pub use definitions::MAX_DEFINED;
pub(crate) use definitions::record_proposed;
pub use delegations::{LONGEST_DELEGATION, MAX_DELEGATIONS};
pub(crate) use log_registries::LogRegistries;
pub(crate) use policy::ActivePolicyHash;
pub use policy::SetPolicyCommand;
pub use push_devices::MAX_DEVICES;
pub use tokens::{LONGEST_LINK, MAX_ADDRESSES};
pub use webhooks::MAX_WEBHOOKS;

use crate::Refused;
use countersign_events::{Body, Event, Principal, Sha256, Timestamp};
use countersign_policy::Policy;

/// The facts of one group, with the rules about them.
pub(crate) trait LogRegistry {
    /// Returns the event that records a fact: the fact itself, completed by what only the registry knows. Returns `None` if
    /// the log has it already.
    fn admit(&self, fact: Body, context: &AdmissionContext<'_>) -> Result<Option<Body>, Refused>;

    /// Checks the facts of one command against each other.
    fn check_together(&self, _facts: &[Body]) -> Result<(), Refused> {
        Ok(())
    }

    /// Applies an event. Events of other groups change nothing.
    fn evolve(&mut self, event: &Event, body: &Body);
}

/// What admitting a fact depends on besides the registry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AdmissionContext<'a> {
    /// The principal that records the fact.
    pub(crate) by: &'a Principal,
    /// Whether it acts as a log administrator.
    pub(crate) as_admin: bool,
    /// The fact's `seq`, if a log already has it. The state may then include earlier facts from its command.
    pub(crate) recorded_seq: Option<i64>,
    /// The fact's moment.
    pub(crate) now: Timestamp,
    /// The active policy.
    pub(crate) policy: &'a Policy,
    /// The first event's link, which identifies the log in a proof.
    pub(crate) log: Sha256,
}

/// Refuses a fact from another group. Commands choose the registry by the group of their facts.
fn wrong_group() -> Refused {
    Refused::invalid("type", "the event is no fact of this group")
}
