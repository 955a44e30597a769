//! What a thread was ever sent, beside which the decisions in new messages are compared.

use super::{
    EmbeddedService,
    conversation_view::{MOST_BYTES, MOST_MESSAGES},
};
use crate::GateFailure;
use countersign_approvals::{CommandCaller, conversation::Conversation};
use countersign_events::{ConversationMessage, Event, EventType, ThreadId, principal::PrincipalKind};
use countersign_messages::{EarlierDecisions, OfferChange, ReadConversation, is_only_offer};
use countersign_store::EventFilter;
use std::collections::BTreeSet;

/// The most events of a thread that are read to find out what was offered.
const MOST_EVENTS: usize = 10_000;

/// The thread messages before a request.
#[derive(Default)]
pub(super) struct MessageHistory {
    /// The conversation before the request's messages.
    pub(super) conversation: ReadConversation,
    /// The decisions that other callers sent.
    pub(super) earlier: EarlierDecisions,
    /// The `seq`s of the messages that other callers sent.
    pub(super) by_others: BTreeSet<i64>,
    /// Whether there are too many messages to read them.
    pub(super) is_too_long: bool,
}

impl EmbeddedService {
    /// Reads all messages that the thread was ever sent. The request has those from the position `from` on. If it
    /// `is_history`, it may repeat what other people decided; a single message is its sender's own.
    pub(super) async fn read_history(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        before: &Conversation,
        from: u32,
        is_history: bool,
    ) -> Result<MessageHistory, GateFailure> {
        let mut history = MessageHistory::default();
        let counting: BTreeSet<_> = before.messages().iter().map(|message| message.seq).collect();
        let mut rest = before.seqs().to_vec();
        let mut bytes = 0;
        history.is_too_long = rest.len() > MOST_MESSAGES;
        while !rest.is_empty() && !history.is_too_long {
            let events = self.store.messages(&rest).await?;
            let Some(last) = events.last().map(|event| event.seq) else { break };
            for event in events.iter().filter(|event| event.thread_id == *thread) {
                bytes += event.data.as_str().len();
                let Ok(message) = event.data.read::<ConversationMessage>() else { continue };
                if counting.contains(&event.seq) && message.position < from {
                    history.conversation.add(message.position, message.format, &message.content);
                }
                history.earlier.add_requests(message.format, &message.content);
                if event.principal != by.principal {
                    history.by_others.insert(event.seq);
                    if is_history || event.principal.kind() != PrincipalKind::User {
                        let is_masked = !message.redacted.is_empty();
                        history.earlier.add(message.format, &message.content, is_masked);
                    }
                }
            }
            history.is_too_long |= bytes > MOST_BYTES;
            rest.retain(|seq| *seq > last);
        }
        Ok(history)
    }

    /// Returns true if a decision by position can only be about these pending calls.
    pub(super) async fn is_only_offer(
        &self,
        thread: &ThreadId,
        offered: &[String],
    ) -> Result<bool, GateFailure> {
        let types = vec![EventType::ApprovalRequest, EventType::ApprovalResponse, EventType::ToolResult];
        let filter = EventFilter { types, ..EventFilter::of_thread(thread) };
        let (mut changes, mut next) = (Vec::new(), Some(0));
        while let Some(after) = next {
            let page = self.store.events(&filter, after, countersign_api::MAX_PAGE).await?;
            changes.extend(page.items.iter().filter_map(read_change));
            if changes.len() > MOST_EVENTS {
                return Ok(false);
            }
            next = page.next;
        }
        Ok(is_only_offer(changes, offered))
    }
}

fn read_change(event: &Event) -> Option<OfferChange> {
    let body = countersign_events::Body::read(event.seq, event.kind, &event.data).ok()?;
    let id = body.call_id()?.to_string();
    Some(if event.kind == EventType::ApprovalRequest {
        OfferChange::Asked(id)
    } else {
        OfferChange::Closed(id)
    })
}
