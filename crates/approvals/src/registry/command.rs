//! Log-wide commands.

use super::{AddKeyCommand, AdmissionContext, LogRegistries, LogRegistry, SetPolicyCommand};
use crate::{NewEvent, Refused, decide::check_is_person, pinned_tools::tool_of};
use countersign_events::{Body, DelegationEnded, EventGroup, TokenCreated, ToolName};

/// A log-wide command.
#[derive(Debug, Clone)]
pub enum LogCommand {
    /// Record these facts of one group, all or none. A fact that the log has is not recorded again.
    Record(Vec<Body>),
    /// Create these tokens, all or none, if the log has none. Otherwise nothing changes: of two servers that start on a new
    /// log, one creates them.
    CreateFirstTokens(Vec<TokenCreated>),
    /// Revoke all sessions of the person with this name, without a kind.
    EndSessions(String),
    /// Add an approver key.
    AddKey(Box<AddKeyCommand>),
    /// End a delegation. Only an admin ends one between other people.
    EndDelegation {
        /// The fact.
        ended: DelegationEnded,
        /// Whether the caller acts as a log administrator.
        as_admin: bool,
    },
    /// Replace the active policy.
    SetPolicy(SetPolicyCommand),
}

impl LogCommand {
    /// The group of its facts; `None` if it has none.
    #[must_use]
    pub fn group(&self) -> Option<EventGroup> {
        match self {
            Self::Record(facts) => facts.first()?.event_type().group(),
            Self::CreateFirstTokens(_)
            | Self::EndSessions(_)
            | Self::AddKey(_)
            | Self::EndDelegation { .. } => Some(EventGroup::Access),
            Self::SetPolicy(_) => Some(EventGroup::Policy),
        }
    }

    /// Returns true if the command may carry a proof.
    #[must_use]
    pub const fn may_be_proved(&self) -> bool {
        matches!(self, Self::AddKey(_))
    }

    /// Returns true if the command was prepared with a policy, which must still be the active one.
    #[must_use]
    pub fn depends_on_policy(&self) -> bool {
        matches!(self.group(), Some(EventGroup::Definition | EventGroup::Advisor))
    }

    /// The tools whose definitions must be read first.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &ToolName> {
        let facts = if let Self::Record(facts) = self { facts.as_slice() } else { &[] };
        facts.iter().filter_map(tool_of)
    }
}

/// Returns the events that the command writes.
pub(crate) fn plan(
    command: &LogCommand,
    registries: &LogRegistries,
    context: &AdmissionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    match command {
        LogCommand::Record(facts) => record(facts.clone(), registries, context),
        LogCommand::CreateFirstTokens(_) if !registries.tokens.is_empty() => Ok(Vec::new()),
        LogCommand::CreateFirstTokens(created) => {
            record(created.iter().cloned().map(Body::TokenCreated).collect(), registries, context)
        }
        LogCommand::EndSessions(name) => {
            check_is_person(context.by)?;
            let ended = registries.tokens.open_sessions(name, context.now);
            record(ended.map(Body::TokenRevoked).collect(), registries, context)
        }
        LogCommand::AddKey(command) => {
            let context = AdmissionContext { as_admin: command.as_admin, ..*context };
            record(vec![Body::ApproverKeyAdded(command.added.clone())], registries, &context)
        }
        LogCommand::EndDelegation { ended, as_admin } => {
            let context = AdmissionContext { as_admin: *as_admin, ..*context };
            record(vec![Body::DelegationEnded(ended.clone())], registries, &context)
        }
        LogCommand::SetPolicy(command) => {
            let planned = record(vec![Body::PolicySet(command.fact())], registries, context)?;
            if !planned.is_empty() {
                registries.policy.check_replaced(command.replaces)?;
            }
            Ok(planned)
        }
    }
}

fn record(
    facts: Vec<Body>,
    registries: &LogRegistries,
    context: &AdmissionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    let Some(group) = facts.first().map(|fact| fact.event_type().group()) else { return Ok(Vec::new()) };
    let is_of_group = |fact: &Body| fact.event_type().group() == group;
    let registry = group.and_then(|group| registries.get(group)).filter(|_| facts.iter().all(is_of_group));
    let registry: &dyn LogRegistry = registry.ok_or_else(Refused::wrong_target)?;
    registry.check_together(&facts)?;
    let admitted = facts.into_iter().filter_map(|fact| registry.admit(fact, context).transpose());
    admitted.map(|body| Ok(NewEvent::new(context.by, body?))).collect()
}
