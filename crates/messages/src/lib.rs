//! The message formats of model APIs and agent frameworks: who speaks in a message, its text, the calls that it is about,
//! and the decisions that it contains; and the conversation in another format, for a model or for a client. No I/O.
//!
//! Each format has an adapter in `formats`, which reads its messages into a neutral form and writes it. The log keeps each
//! message as it was sent.

mod answer;
mod author;
mod client_events;
mod client_tool;
mod client_view;
mod decisions;
mod earlier_decisions;
mod formats;
mod hosted_approvals;
mod json_tree;
mod logged_call;
mod message;
mod model_view;
mod neutral;
mod offers;
mod request_names;
mod shown_call;
mod spoken;
mod view;
mod written;

pub use author::MessageAuthor;
pub use client_events::{
    CallMoment, write_approval_message, write_opey_event, write_opey_failure, write_world_failure,
    write_world_message, write_world_note, write_world_request,
};
pub use client_view::differing_calls;
pub use decisions::{FoundDecision, FoundVerdict, MessageContext};
pub use earlier_decisions::EarlierDecisions;
pub use logged_call::{LoggedCall, LoggedCalls};
pub use message::{BadMessage, ReadMessage};
pub use offers::{OfferChange, is_only_offer};
pub use spoken::{LastWords, SpokenDecision};
pub use view::{ReadConversation, WrittenConversation};

use countersign_events::{Json, event::MessageFormat};

/// True if a model's input can be written in this format. The others are for clients.
#[must_use]
pub const fn is_for_models(format: MessageFormat) -> bool {
    !matches!(format, MessageFormat::HumanLayer | MessageFormat::Other)
}

/// Reads a message. Members that the format does not have are left alone.
///
/// # Errors
/// If it is not an object, if it names no speaker, or if its content is not what the format describes.
pub fn read_message(format: MessageFormat, message: &Json) -> Result<ReadMessage, BadMessage> {
    let tree = json_tree::JsonTree::parse(message).ok_or(BadMessage::NotAnObject)?;
    let read = formats::read_neutral(format, &tree)?;
    Ok(ReadMessage {
        kind: read.kind,
        text: if read.is_whole_result() { read.result_text() } else { read.text() },
        proposes: read.proposed_calls().map(str::to_owned).collect(),
        reports: read.results().map(|result| result.id.clone()).collect(),
        decides: read.answers().next().is_some(),
    })
}

#[cfg(test)]
mod tests;
