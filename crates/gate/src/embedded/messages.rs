//! Thread conversations: messages are read by the rules of their format, positioned, masked and stored.

use super::{
    EmbeddedService,
    lists::page_limit,
    message_decisions::{DecidingMessages, PlacedMessage},
};
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{
    CommandCaller, CommandTarget, ThreadCommand,
    conversation::{Conversation, MessagePlace, NewMessage, SentMessages},
    decide::AddMessagesCommand,
};
use countersign_events::{ConversationMessage, Event, Json, MessageFormat, Sha256, ThreadId};
use countersign_messages::{
    LoggedCalls, MessageAuthor, ReadConversation, ReadMessage, differing_calls, read_message,
};
use countersign_policy::Policy;
use std::sync::Arc;

impl EmbeddedService {
    pub(crate) async fn add_messages(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        request: &api::MessagesRequest,
    ) -> Result<api::MessagesReport, GateFailure> {
        self.add_sent(by, thread, &SentConversation::read(request)?).await
    }

    /// Adds a client's own copy of the conversation, which replaces nothing.
    pub(crate) async fn add_copied(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        request: &api::MessagesRequest,
    ) -> Result<api::MessagesReport, GateFailure> {
        let sent = SentConversation::read(request)?;
        self.add_sent(by, thread, &SentConversation { is_copied: true, ..sent }).await
    }

    async fn add_sent(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        sent: &SentConversation<'_>,
    ) -> Result<api::MessagesReport, GateFailure> {
        let execute = |policy| self.store_messages(by, thread, sent, policy);
        let StoredMessages { conversation, places, added } = self.execute_judged(execute).await?;
        let is_changed = !added.is_empty();
        let mut new = added.into_iter();
        let receipt = |place: &MessagePlace| api::MessageReceipt {
            seq: place.stored.or_else(|| new.next()).unwrap_or(0),
            position: place.position,
            stored: place.stored.is_none(),
        };
        let receipts: Vec<_> = places.iter().map(receipt).collect();
        let end = places.last().map_or(0, |place| place.position + 1);
        let before = u32::try_from(conversation.messages().len()).unwrap_or(u32::MAX);
        let length = if is_changed { end } else { before };
        let stored: Vec<_> =
            places.iter().zip(&receipts).map(|(place, receipt)| PlacedMessage::new(place, receipt)).collect();
        let (decisions, pending) = self.decide_by_sent(by, thread, sent, &stored, &conversation).await?;
        Ok(api::MessagesReport { thread_id: thread.clone(), messages: receipts, length, decisions, pending })
    }

    /// Stores the messages that the log does not have, after those that it has.
    async fn store_messages(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        sent: &SentConversation<'_>,
        policy: Arc<Policy>,
    ) -> Result<StoredMessages, GateFailure> {
        let conversation = self.store.conversation(thread).await?;
        let places = conversation.find_places(sent.places())?;
        let messages = mask_new(sent, &places, &policy);
        let mut added = Vec::new();
        if !messages.is_empty() {
            let (after, masked_by) = (conversation.last(), policy.hash());
            let command = ThreadCommand::AddMessages(AddMessagesCommand { after, masked_by, messages });
            let envelope = self.envelope(by, CommandTarget::Thread(thread.clone()), command, policy);
            let outcome = self.execute(envelope).await?;
            added.extend(outcome.events.iter().map(|event| event.event.seq));
        }
        Ok(StoredMessages { conversation, places, added })
    }

    async fn decide_by_sent(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        sent: &SentConversation<'_>,
        places: &[PlacedMessage],
        before: &Conversation,
    ) -> Result<(Vec<api::MessageDecision>, Vec<api::PendingCallName>), GateFailure> {
        let mut read = ReadConversation::default();
        for (place, (_, content)) in places.iter().zip(&sent.messages) {
            read.add(place.position, sent.format, content);
        }
        let person = MessageAuthor::of_principal(by.principal.as_str());
        // Words decide once: in the request that stores them, and only as the last message.
        let spoken = read.spoken_decision(person).filter(|_| places.last().is_some_and(|last| last.is_new));
        let positions = read.deciding_positions();
        if spoken.is_none() && positions.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut from = places.first().map_or(0, |first| first.position);
        if sent.is_copied {
            // The log has more than the copy, so what the copy repeats is read from there.
            read = ReadConversation::default();
            let new = places.iter().zip(&sent.messages).filter(|(place, _)| place.is_new);
            new.for_each(|(place, (_, content))| read.add(place.position, sent.format, content));
            from = u32::MAX;
        }
        let mut history = self.read_history(by, thread, before, from, sent.from.is_some()).await?;
        let conversation = read.after(std::mem::take(&mut history.conversation));
        let other_sender = sent.sender.filter(|sender| !person.is_named(sender));
        let source = DecidingMessages { by, thread, places, conversation, history, other_sender };
        let mut decisions = Box::pin(self.decide_by_messages(&source, &positions)).await?;
        let mut pending = Vec::new();
        if let Some(spoken) = spoken {
            let (decision, left) = Box::pin(self.decide_by_words(&source, spoken)).await?;
            decisions.push(decision);
            pending = left;
        }
        Ok((decisions, pending))
    }

    pub(crate) async fn messages(
        &self,
        thread: &ThreadId,
        page: api::PageQuery,
    ) -> Result<api::MessagePage, GateFailure> {
        let conversation = self.store.conversation(thread).await?;
        let stored = conversation.messages();
        let after = usize::try_from(page.after).unwrap_or(usize::MAX).min(stored.len());
        let end = after.saturating_add(page_limit(page)).min(stored.len());
        let seqs: Vec<_> = stored[after..end].iter().map(|message| message.seq).collect();
        let events = if seqs.is_empty() { Vec::new() } else { self.store.messages(&seqs).await? };
        let end = after + events.len();
        let mut read = ReadConversation::default();
        let page: Vec<_> = events.iter().filter_map(read_stored).collect();
        for (_, message) in &page {
            read.add(message.position, message.format, &message.content);
        }
        let calls = self.logged_calls(thread, read.named_calls()).await?;
        let messages =
            page.into_iter().map(|(event, message)| view_message(event, message, &calls)).collect();
        let next = (end < stored.len()).then(|| i64::try_from(end).unwrap_or(i64::MAX));
        let length = u32::try_from(stored.len()).unwrap_or(u32::MAX);
        Ok(api::MessagePage { messages, next, length })
    }
}

/// The messages of a request in the log.
struct StoredMessages {
    /// The conversation before them.
    conversation: Conversation,
    places: Vec<MessagePlace>,
    /// The `seq` of each new message.
    added: Vec<i64>,
}

/// The messages that the log does not have, as it keeps them.
fn mask_new(sent: &SentConversation<'_>, places: &[MessagePlace], policy: &Policy) -> Vec<NewMessage> {
    let sent_to = sent.messages.iter().zip(&sent.hashes).zip(places);
    let new = sent_to.filter(|(_, place)| place.stored.is_none());
    let mask = |(((read, content), hash), place): ((&(ReadMessage, &Json), &Sha256), &MessagePlace)| {
        NewMessage::masked(read.kind, place.position, sent.format, content, *hash, policy.redactor())
    };
    new.map(mask).collect()
}

/// Request messages, read and hashed.
struct SentConversation<'a> {
    format: MessageFormat,
    messages: Vec<(ReadMessage, &'a Json)>,
    hashes: Vec<Sha256>,
    /// The position of the first message; `None` for one message at the end.
    from: Option<u32>,
    /// The name that the client has for the sender.
    sender: Option<&'a str>,
    /// Whether it is the client's own copy of the conversation, which may lack what others said.
    is_copied: bool,
}

impl<'a> SentConversation<'a> {
    fn read(request: &'a api::MessagesRequest) -> Result<Self, GateFailure> {
        let (list, from, field): (&[Json], _, _) = match (&request.message, &request.messages) {
            (Some(message), None) if request.from == 0 => (std::slice::from_ref(message), None, "message"),
            (None, Some(messages)) => (messages, Some(request.from), "messages"),
            (Some(_), None) => {
                return Err(GateFailure::invalid("from", &"give it with `messages`, which begin there"));
            }
            _ => return Err(GateFailure::invalid("messages", &"give either `message` or `messages`")),
        };
        let fault = |index: usize, why: &dyn std::fmt::Display| match from {
            Some(_) => GateFailure::invalid(field, &format!("number {index}: {why}")),
            None => GateFailure::invalid(field, &why),
        };
        let mut sent = Self {
            format: request.format,
            messages: Vec::new(),
            hashes: Vec::new(),
            from,
            sender: request.sender.as_deref(),
            is_copied: false,
        };
        for (index, content) in list.iter().enumerate() {
            sent.hashes.push(content.admit().map_err(|why| fault(index, &why))?);
            let read = read_message(request.format, content).map_err(|why| fault(index, &why))?;
            sent.messages.push((read, content));
        }
        Ok(sent)
    }

    fn places(&self) -> SentMessages<'_> {
        match (self.from, self.hashes.as_slice()) {
            (_, hashes) if self.is_copied => SentMessages::Copied(hashes),
            (None, [hash]) => SentMessages::Next(*hash),
            (from, hashes) => SentMessages::From(from.unwrap_or(0), hashes),
        }
    }
}

/// `None` for a row that another program wrote in another format. Such rows are in the log only.
fn read_stored(event: &Event) -> Option<(&Event, ConversationMessage)> {
    Some((event, event.data.read().ok()?))
}

fn view_message(event: &Event, message: ConversationMessage, calls: &LoggedCalls) -> api::Message {
    let read = read_message(message.format, &message.content).ok();
    let (text, proposes, reports) =
        read.map_or_else(Default::default, |read| (read.text, read.proposes, read.reports));
    api::Message {
        seq: event.seq,
        position: message.position,
        kind: event.kind,
        principal: event.principal.clone(),
        at: event.timestamp,
        format: message.format,
        differs: differing_calls(message.format, &message.content, calls),
        message: message.content,
        redacted: message.redacted,
        text,
        proposes,
        reports,
    }
}
