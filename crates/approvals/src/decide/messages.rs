//! Messages of the conversation: the log keeps them in the order in which they were sent. They decide nothing here: the gate makes the decisions that they
//! contain as decisions of their sender.

use super::{CommandFailure, DecisionContext, NeededEvidence, NewEvent};
use crate::{Refused, conversation::NewMessage};
use countersign_events::{Body, Json, Sha256, principal::PrincipalKind};

/// New messages, as they follow from the conversation up to the event `after`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddMessagesCommand {
    /// The last message event's `seq`; `None` if the thread has none.
    pub after: Option<i64>,
    /// The hash of the secret-masking policy.
    pub masked_by: Sha256,
    /// The new messages, in their order.
    pub messages: Vec<NewMessage>,
}

pub(super) fn add_messages(
    add: &AddMessagesCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, CommandFailure> {
    if !matches!(context.by.kind(), PrincipalKind::Agent | PrincipalKind::User) {
        let why = format!("{} has no conversation", context.by);
        return Err(Refused::Invalid { field: "principal", why }.into());
    }
    if let Some(closed) = &context.thread.closed {
        return Err(Refused::ThreadClosed { at: closed.at }.into());
    }
    if context.thread.last_message != add.after {
        return Err(NeededEvidence::MessagePlaces.into());
    }
    if context.policy.hash() != add.masked_by {
        return Err(NeededEvidence::MessageMasks.into());
    }
    Ok(add.messages.iter().map(|new| event(new, context)).collect::<Result<_, _>>()?)
}

fn event(new: &NewMessage, context: &DecisionContext<'_>) -> Result<NewEvent, Refused> {
    let unwritable = |why: serde_json::Error| Refused::Invalid { field: "messages", why: why.to_string() };
    let data = Json::encode(&new.message).map_err(unwritable)?;
    Ok(NewEvent::new(context.by, Body::Message(new.kind, data)))
}
