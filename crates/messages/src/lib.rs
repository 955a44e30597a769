//! The message formats of model APIs and agent frameworks: who speaks in a message, its text, the calls that it is about,
//! and the decisions that it contains; and the conversation in another format, for a model or for a client. No I/O.
//!
//! Each format has an adapter in `formats`, which reads its messages into a neutral form and writes it. The log keeps each
//! message as it was sent.

mod answer;
mod author;
mod call_names;
mod client_tool;
mod client_view;
mod decisions;
mod earlier_decisions;
mod formats;
mod hosted_approvals;
mod image;
mod logged_call;
mod lost_members;
mod message;
mod model_turns;
mod model_view;
mod neutral;
mod offers;
mod request_names;
mod shown_call;
mod spoken;
mod steps;
mod view;
mod written;

pub use author::MessageAuthor;
pub use client_tool::describe_request;
pub use client_view::differing_calls;
pub use decisions::{FoundDecision, FoundVerdict, MessageContext};
pub use earlier_decisions::EarlierDecisions;
pub use formats::{request_call, request_message};
pub use logged_call::{LoggedCall, LoggedCalls};
pub use message::{BadMessage, ReadMessage};
pub use offers::{OfferChange, is_only_offer};
pub use request_names::{is_client_tool, request_id};
pub use spoken::{LastWords, SpokenDecision, name_in_words};
pub use view::{ReadConversation, WrittenConversation};

use countersign_events::{Json, MessageFormat, json::JsonTree};

/// Returns true if model input can be written in this format. The others are for clients.
#[must_use]
pub const fn is_for_models(format: MessageFormat) -> bool {
    !matches!(format, MessageFormat::HumanLayer | MessageFormat::Other)
}

/// Reads a message. Members that the format does not have are left alone.
///
/// # Errors
/// If it is not an object, if it names no speaker, or if its content is not what the format describes.
pub fn read_message(format: MessageFormat, message: &Json) -> Result<ReadMessage, BadMessage> {
    let tree = JsonTree::parse(message).ok_or(BadMessage::NotAnObject)?;
    let read = formats::read_neutral(format, &tree)?;
    Ok(ReadMessage {
        kind: read.kind,
        text: if read.is_whole_result() { read.result_text() } else { read.text() },
        proposes: read.proposed_calls().map(str::to_owned).collect(),
        reports: read.results().map(|result| result.id.clone()).collect(),
        decides: read.answers().next().is_some(),
    })
}

/// The message text without the results that it reports; `None` if it is not a format message.
#[must_use]
pub fn read_spoken_text(format: MessageFormat, message: &Json) -> Option<String> {
    let tree = JsonTree::parse(message)?;
    formats::read_neutral(format, &tree).ok().map(|read| read.text())
}

#[cfg(test)]
mod tests;
