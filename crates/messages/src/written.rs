//! The messages that a format has written so far.

use crate::{
    neutral::{NeutralMessage, NeutralResult},
    request_names,
};
use countersign_api::LeftOutPart;
use countersign_events::{EventType, MessageFormat, json::JsonTree};
use std::collections::HashMap;

/// What a person says in model input that would begin with the model's words, which some APIs refuse.
pub(crate) const OPENING: &str = "(The assistant begins.)";

/// For whom messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ViewPurpose {
    /// A model: only what its API accepts.
    Model,
    /// A client that shows the conversation.
    Client,
}

/// Messages in one format, as they are written.
#[derive(Debug)]
pub(crate) struct WrittenMessages {
    pub(crate) purpose: ViewPurpose,
    pub(crate) messages: Vec<JsonTree>,
    /// The system prompts, if the format has them outside of the messages.
    pub(crate) system: Vec<String>,
    /// The parts that the format cannot carry.
    pub(crate) left_out: Vec<LeftOutPart>,
    /// The position of the message that is being written.
    pub(crate) position: u32,
    /// The ids that SDKs gave to the requests for calls, by the calls.
    pub(crate) request_ids: HashMap<String, String>,
}

impl WrittenMessages {
    pub(crate) fn new(purpose: ViewPurpose) -> Self {
        Self {
            purpose,
            messages: Vec::new(),
            system: Vec::new(),
            left_out: Vec::new(),
            position: 0,
            request_ids: HashMap::new(),
        }
    }

    /// The request id for this call: the one that an SDK waits for, or Countersign's own.
    pub(crate) fn request_id(&self, call: &str) -> String {
        self.request_ids.get(call).cloned().unwrap_or_else(|| request_names::request_id(call))
    }

    pub(crate) fn is_for_model(&self) -> bool {
        self.purpose == ViewPurpose::Model
    }

    pub(crate) fn push(&mut self, message: JsonTree) {
        self.messages.push(message);
    }

    /// Takes a message whole, in a format whose API has instructions outside of the messages: for a client as it was sent,
    /// and for a model an instruction.
    pub(crate) fn takes_whole(&mut self, message: &NeutralMessage, format: MessageFormat) -> bool {
        let is_instruction = !matches!(message.kind, EventType::UserMessage | EventType::AgentMessage);
        if self.is_for_model() {
            self.system.extend(is_instruction.then(|| message.text()));
            return is_instruction;
        }
        let original = message.unchanged(format);
        self.messages.extend(original.cloned());
        original.is_some()
    }

    /// Notes that a part is left out.
    pub(crate) fn leave_out(&mut self, what: &str) {
        self.left_out.push(LeftOutPart { position: self.position, what: what.to_owned() });
    }

    /// Notes that the images of a result are left out, because the format has no place for them.
    pub(crate) fn leave_out_images(&mut self, result: &NeutralResult) {
        for _ in &result.images {
            self.leave_out(&format!("image of the result of {:?}", result.id));
        }
    }

    /// Adds parts to the last message if it has this role, and otherwise starts a message with them. Models of some
    /// formats require that roles alternate.
    pub(crate) fn append_parts(&mut self, role: &str, list: &str, mut parts: Vec<JsonTree>) {
        if parts.is_empty() {
            return;
        }
        if let Some(last) = self.messages.last_mut()
            && last.text_of("role") == Some(role)
            && let Some(present) = last.list_mut(list)
        {
            present.append(&mut parts);
            return;
        }
        self.push(JsonTree::object([("role", role.into()), (list, parts.into())]));
    }
}
