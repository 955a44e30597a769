//! A thread's conversation in one format, for a model or for a client.

use crate::{
    BadMessage, LastWords, LoggedCalls, MessageAuthor,
    author::unclear_author,
    client_view::{named_calls, settle_messages},
    formats::{adapter, read_neutral},
    lost_members::list_lost_members,
    model_view::write_for_model,
    neutral::NeutralMessage,
    spoken::read_spoken,
    steps::split_steps,
    written::{ViewPurpose, WrittenMessages},
};
use countersign_api::{Call, LeftOutPart, UnfinishedCall};
use countersign_events::{Json, MessageFormat, json::JsonTree};
use std::collections::{BTreeSet, HashMap};

/// Conversation messages, read.
#[derive(Debug, Clone, Default)]
pub struct ReadConversation {
    pub(crate) messages: Vec<(u32, NeutralMessage)>,
    unreadable: Vec<LeftOutPart>,
}

/// A conversation in one format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenConversation {
    /// The instructions, if the API has them outside of the messages.
    pub system: Option<Json>,
    /// The messages.
    pub messages: Vec<Json>,
    /// The calls whose result says that there is none yet. Only for a model.
    pub unfinished: Vec<UnfinishedCall>,
    /// The parts that are left out, because the format cannot carry them.
    pub left_out: Vec<LeftOutPart>,
}

impl ReadConversation {
    /// Adds a message at its place in the conversation. One that cannot be read is left out, and the views list it.
    pub fn add(&mut self, position: u32, format: MessageFormat, content: &Json) {
        let tree = JsonTree::parse(content).ok_or(BadMessage::NotAnObject);
        match tree.and_then(|tree| read_neutral(format, &tree)) {
            Ok(message) => self.messages.push((position, message)),
            Err(why) => self.unreadable.push(LeftOutPart { position, what: format!("message: {why}") }),
        }
    }

    /// Puts earlier conversation messages before these, which start at a later position.
    #[must_use]
    pub fn after(self, earlier: Self) -> Self {
        let first = self.messages.first().map_or(u32::MAX, |(position, _)| *position);
        let mut messages = earlier.messages;
        messages.retain(|(position, _)| *position < first);
        messages.extend(self.messages);
        Self { messages, unreadable: self.unreadable }
    }

    /// The call ids that the messages propose.
    #[must_use]
    pub fn call_ids(&self) -> BTreeSet<String> {
        self.messages.iter().flat_map(|(_, message)| message.proposed_calls()).map(str::to_owned).collect()
    }

    /// The call ids that the messages propose, ask about or decide.
    #[must_use]
    pub fn named_calls(&self) -> BTreeSet<String> {
        self.messages.iter().flat_map(|(_, message)| named_calls(message)).collect()
    }

    /// The decision in words that the last message is.
    #[must_use]
    pub fn spoken_decision(&self, person: MessageAuthor<'_>) -> Option<LastWords> {
        let (position, message) = self.messages.last()?;
        let decision = read_spoken(message)?;
        let original = message.original.as_ref().map(|(_, original)| original);
        let other_author = original.and_then(|original| unclear_author(original, person));
        Some(LastWords { position: *position, decision, other_author })
    }

    /// Writes the model input. `calls` are the logged calls that the messages name.
    #[must_use]
    pub fn for_model(self, format: MessageFormat, calls: &LoggedCalls) -> WrittenConversation {
        let calls = without_ambiguous(&self.messages, calls);
        let (out, unfinished) = write_for_model(format, self.messages, &calls);
        finish(format, out, unfinished, self.unreadable)
    }

    /// Writes everything for a client. What the messages say about the log's calls is written only where the log says the
    /// same, and the requests for the pending calls are written from the log alone. `calls` are the logged calls that
    /// the messages name.
    #[must_use]
    pub fn for_client(
        self,
        format: MessageFormat,
        calls: &LoggedCalls,
        pending: &[Call],
    ) -> WrittenConversation {
        let mut out = WrittenMessages::new(ViewPurpose::Client);
        if let Some(adapter) = adapter(format) {
            let settled = settle_messages(self.messages, calls, &mut out);
            for (position, message) in &settled {
                out.position = *position;
                list_lost_members(message, format, &mut out);
            }
            for (position, message) in split_steps(settled, format) {
                out.position = position;
                adapter.write(&message, &mut out);
            }
            adapter.write_states(calls, &mut out);
            adapter.write_requests(pending, &mut out);
        }
        finish(format, out, Vec::new(), self.unreadable)
    }
}

/// Leaves out logged calls that several calls in the conversation may mean, because the format gives them no ids.
fn without_ambiguous(messages: &[(u32, NeutralMessage)], calls: &LoggedCalls) -> LoggedCalls {
    let mut implied = HashMap::<&str, usize>::new();
    for call in messages.iter().flat_map(|(_, message)| message.calls()).filter(|call| call.has_implied_id) {
        *implied.entry(&call.id).or_default() += 1;
    }
    let is_clear = |id: &str| implied.get(id).is_none_or(|count| *count == 1);
    calls.iter().filter(|(id, _)| is_clear(id)).map(|(id, call)| (id.clone(), call.clone())).collect()
}

fn finish(
    format: MessageFormat,
    out: WrittenMessages,
    unfinished: Vec<UnfinishedCall>,
    unreadable: Vec<LeftOutPart>,
) -> WrittenConversation {
    let system = write_system(format, &out.system);
    let mut left_out = unreadable;
    left_out.extend(out.left_out);
    left_out.sort_by_key(|part| part.position);
    let messages = out.messages.iter().map(JsonTree::to_json).collect();
    WrittenConversation { system: system.map(|system| system.to_json()), messages, unfinished, left_out }
}

/// The instructions in the form that the API has for them.
fn write_system(format: MessageFormat, texts: &[String]) -> Option<JsonTree> {
    let texts: Vec<_> = texts.iter().filter(|text| !text.trim().is_empty()).collect();
    let parts = |kind: Option<&str>| {
        let part =
            |text: &&String| JsonTree::empty_object().with_optional("type", kind).with("text", text.as_str());
        texts.iter().map(part).collect::<Vec<_>>()
    };
    match (texts.is_empty(), format) {
        (true, _) => None,
        (false, MessageFormat::Google) => Some(JsonTree::object([("parts", parts(None).into())])),
        (false, _) => Some(parts(Some("text")).into()),
    }
}
