//! Thread conversations in one format, for a model or for a client.

use super::EmbeddedService;
use crate::{GateFailure, large_work::run_large};
use countersign_api as api;
use countersign_events::{ConversationMessage, MessageFormat, ThreadId};
use countersign_messages::{ReadConversation, is_for_models};

/// The most messages in a conversation that is written in one format.
pub(super) const MOST_MESSAGES: usize = 20_000;
/// The most bytes of such a conversation.
pub(super) const MOST_BYTES: usize = 32 * 1024 * 1024;

/// Facts about a conversation that was read.
pub(super) struct ConversationFacts {
    /// The number of messages.
    pub(super) length: u32,
    /// The bytes of their contents.
    pub(super) bytes: usize,
    /// The last message's format.
    pub(super) last_format: Option<MessageFormat>,
}

impl EmbeddedService {
    pub(crate) async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: api::ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<api::ConversationView, GateFailure> {
        let (conversation, facts) = self.read_conversation(thread).await?;
        let format = format.or(facts.last_format).unwrap_or(MessageFormat::Plain);
        if reader == api::ConversationReader::Model && !is_for_models(format) {
            let why =
                format!("{} has no messages of models; use the format of the model's API", format.as_str());
            return Err(GateFailure::invalid("format", &why));
        }
        let written = match reader {
            api::ConversationReader::Model => {
                let calls = self.logged_calls(thread, conversation.call_ids()).await?;
                run_large(facts.bytes, || conversation.for_model(format, &calls))
            }
            api::ConversationReader::Client => {
                let pending = self.pending_of_thread(thread).await?;
                let pending: Vec<_> = pending.iter().map(|call| self.view(call)).collect();
                let calls = self.logged_calls(thread, conversation.named_calls()).await?;
                run_large(facts.bytes, || conversation.for_client(format, &calls, &pending))
            }
        };
        Ok(api::ConversationView {
            thread_id: thread.clone(),
            format,
            system: written.system,
            messages: written.messages,
            unfinished: written.unfinished,
            left_out: written.left_out,
            length: facts.length,
        })
    }

    /// Reads the whole conversation of a thread.
    pub(super) async fn read_conversation(
        &self,
        thread: &ThreadId,
    ) -> Result<(ReadConversation, ConversationFacts), GateFailure> {
        let stored = self.store.conversation(thread).await?;
        let stored = stored.messages();
        let length = u32::try_from(stored.len()).unwrap_or(u32::MAX);
        let mut facts = ConversationFacts { length, bytes: 0, last_format: None };
        let mut read = ReadConversation::default();
        let mut rest: Vec<_> = stored.iter().map(|message| message.seq).collect();
        while !rest.is_empty() && rest.len() <= MOST_MESSAGES && facts.bytes <= MOST_BYTES {
            let events = self.store.messages(&rest).await?;
            let Some(last) = events.last().map(|event| event.seq) else { break };
            for event in events {
                facts.bytes += event.data.as_str().len();
                if let Ok(message) = event.data.read::<ConversationMessage>() {
                    read.add(message.position, message.format, &message.content);
                    facts.last_format = Some(message.format);
                }
            }
            rest.retain(|seq| *seq > last);
        }
        if rest.is_empty() {
            return Ok((read, facts));
        }
        let why = format!(
            "a conversation of more than {MOST_MESSAGES} messages or {} MiB cannot be written at once; continue it in \
             another thread, or list its pages without `for`",
            MOST_BYTES / 1024 / 1024
        );
        Err(GateFailure::invalid("for", &why))
    }
}
