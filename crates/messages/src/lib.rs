//! The message formats of model APIs: who speaks in a message, its text, and the calls that it is about. The log keeps
//! each message as it was sent; this crate only reads it. No I/O.

mod anthropic;
mod google;
mod message;
mod openai;
mod parts;
mod plain;

pub use message::{BadMessage, ReadMessage};

use countersign_events::{Json, event::MessageFormat};
use serde_json::Value;

/// Reads a message. Members that the format does not have are left alone.
///
/// # Errors
/// If it is not an object, if it names no speaker, or if its content is not what the format describes.
pub fn read_message(format: MessageFormat, message: &Json) -> Result<ReadMessage, BadMessage> {
    let value: Value = message.read().map_err(|_| BadMessage::NotAnObject)?;
    let Value::Object(message) = value else { return Err(BadMessage::NotAnObject) };
    match format {
        MessageFormat::OpenAi => openai::read(&message),
        MessageFormat::Anthropic => anthropic::read(&message),
        MessageFormat::Google => google::read(&message),
        MessageFormat::Plain => plain::read(&message),
        MessageFormat::Other => Err(BadMessage::UnknownFormat),
    }
}

#[cfg(test)]
mod tests;
