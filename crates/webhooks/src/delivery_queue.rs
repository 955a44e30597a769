//! The messages of one webhook that are not delivered yet: in order per thread, with pauses after failures. It reads no
//! clock and sends nothing.

use crate::{
    retry_delay::{MAX_ATTEMPTS, retry_delay},
    webhook_message::WebhookMessage,
};
use countersign_api::FailingMessage;
use countersign_events::{Timestamp, WebhookParked};
use countersign_gate::WebhookProgress;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

/// The most messages in memory. Events are not read further while there are as many.
const MAX_QUEUED: usize = 256;

/// The most delivered messages after one that fails. Events are not read further while there are as many.
const MAX_DONE: usize = 4_096;

/// The most messages of a webhook that are sent at the same time, of different threads.
const MAX_SENDING: usize = 8;

/// The most parked messages of a webhook. Further messages are sent again at the longest pause instead, so a target that
/// is gone does not fill the log.
pub(crate) const MAX_PARKED: usize = 100;

/// A failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FailedAttempt {
    pub(crate) reason: String,
    /// The pause that the target asks for.
    pub(crate) retry_after: Option<Duration>,
    /// Whether the target says that it is gone, so that it is not asked again.
    pub(crate) is_gone: bool,
}

impl FailedAttempt {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), retry_after: None, is_gone: false }
    }
}

/// The queue of one webhook.
#[derive(Debug, Default)]
pub(crate) struct DeliveryQueue {
    /// The messages about the events up to this `seq` are delivered or parked, or there are none.
    cursor: i64,
    /// The events up to this `seq` were offered.
    offered_up_to: i64,
    /// The events after the cursor whose messages are delivered or parked.
    done: BTreeSet<i64>,
    /// The messages by lane, in order.
    lanes: BTreeMap<String, VecDeque<QueuedMessage>>,
    sending: BTreeSet<i64>,
    /// The failures that an earlier holder recorded, until their messages are offered again.
    earlier_failures: BTreeMap<i64, FailingMessage>,
}

#[derive(Debug)]
struct QueuedMessage {
    message: WebhookMessage,
    /// Whether the cursor does not wait for it: it was parked, or the event itself was long before.
    is_extra: bool,
    failure: Option<FailingMessage>,
}

impl DeliveryQueue {
    /// Continues where an earlier holder ended; `cursor` is the cursor in the log.
    pub(crate) fn restore(cursor: i64, progress: &WebhookProgress) -> Self {
        let cursor = cursor.max(progress.cursor);
        Self {
            cursor,
            offered_up_to: cursor,
            done: progress.done.iter().copied().filter(|seq| *seq > cursor).collect(),
            earlier_failures: progress
                .failing
                .iter()
                .map(|failing| (failing.event, failing.clone()))
                .collect(),
            ..Self::default()
        }
    }

    /// Returns true if no further events should be read now.
    pub(crate) fn is_full(&self) -> bool {
        self.lanes.values().map(VecDeque::len).sum::<usize>() >= MAX_QUEUED || self.done.len() >= MAX_DONE
    }

    /// Forgets the failures of messages that were not offered again: their events have no messages any more.
    pub(crate) fn forget_earlier_failures(&mut self) {
        self.earlier_failures.clear();
    }

    /// Notes that the events up to `seq` have no messages besides those that were offered.
    pub(crate) fn note_offered(&mut self, seq: i64) {
        self.offered_up_to = self.offered_up_to.max(seq);
        self.advance();
    }

    /// Returns true if the message about this event was delivered or parked, or waits here.
    pub(crate) fn has(&self, seq: i64) -> bool {
        seq <= self.cursor || self.done.contains(&seq) || self.is_queued(seq)
    }

    /// Returns true if a message about this event waits here or is being sent.
    pub(crate) fn is_queued(&self, seq: i64) -> bool {
        self.lanes.values().flatten().any(|queued| queued.message.seq == seq)
    }

    /// Adds the message about the next event.
    pub(crate) fn offer(&mut self, message: WebhookMessage) {
        let seq = message.seq;
        if !self.has(seq) {
            self.push(message, false);
        }
        self.offered_up_to = self.offered_up_to.max(seq);
    }

    /// Adds a message about an earlier event.
    pub(crate) fn offer_extra(&mut self, message: WebhookMessage) {
        if !self.is_queued(message.seq) {
            self.push(message, true);
        }
    }

    fn push(&mut self, message: WebhookMessage, is_extra: bool) {
        let failure = self.earlier_failures.remove(&message.seq);
        let lane = self.lanes.entry(message.lane().to_owned()).or_default();
        lane.push_back(QueuedMessage { message, is_extra, failure });
    }

    /// Returns the messages to send now: the first of each thread, unless it waits after a failure.
    pub(crate) fn start_ready(&mut self, now: Timestamp) -> Vec<WebhookMessage> {
        let free = MAX_SENDING.saturating_sub(self.sending.len());
        let is_ready = |queued: &&QueuedMessage| {
            !self.sending.contains(&queued.message.seq)
                && queued.failure.as_ref().is_none_or(|failure| failure.next_attempt_at <= now)
        };
        let heads = self.lanes.values().filter_map(VecDeque::front).filter(is_ready);
        let ready: Vec<_> = heads.take(free).map(|queued| queued.message.clone()).collect();
        self.sending.extend(ready.iter().map(|message| message.seq));
        ready
    }

    /// When the next failed message is sent again.
    pub(crate) fn next_attempt(&self) -> Option<Timestamp> {
        let heads = self.lanes.values().filter_map(VecDeque::front);
        let waiting = heads.filter(|queued| !self.sending.contains(&queued.message.seq));
        waiting.filter_map(|queued| Some(queued.failure.as_ref()?.next_attempt_at)).min()
    }

    /// Notes that the target accepted a message. Returns true if it was an extra one.
    pub(crate) fn deliver(&mut self, seq: i64) -> bool {
        self.remove(seq)
    }

    /// Notes a failure. Returns the record for a message that is not sent again: the caller must write it, and then
    /// call [`deliver`](Self::deliver).
    pub(crate) fn fail(
        &mut self,
        webhook: i64,
        seq: i64,
        failed: &FailedAttempt,
        now: Timestamp,
        jitter: u8,
        parked: usize,
    ) -> Option<WebhookParked> {
        self.sending.remove(&seq);
        let queued = self.lanes.values_mut().flatten().find(|queued| queued.message.seq == seq)?;
        let attempts = queued.failure.as_ref().map_or(0, |failure| failure.attempts).saturating_add(1);
        let delay = retry_delay(attempts, failed.retry_after, jitter);
        let reason = failed.reason.clone();
        let next_attempt_at = now.after(delay);
        queued.failure =
            Some(FailingMessage { event: seq, attempts, reason: reason.clone(), next_attempt_at });
        let is_last = failed.is_gone || attempts >= MAX_ATTEMPTS;
        (is_last && parked < MAX_PARKED).then_some(WebhookParked { webhook, event: seq, attempts, reason })
    }

    fn remove(&mut self, seq: i64) -> bool {
        self.sending.remove(&seq);
        let mut is_extra = false;
        for lane in self.lanes.values_mut() {
            if let Some(position) = lane.iter().position(|queued| queued.message.seq == seq) {
                is_extra = lane.remove(position).is_some_and(|queued| queued.is_extra);
            }
        }
        self.lanes.retain(|_, lane| !lane.is_empty());
        if !is_extra && seq > self.cursor {
            self.done.insert(seq);
        }
        self.advance();
        is_extra
    }

    /// Moves the cursor to the event before the first message that is not delivered.
    fn advance(&mut self) {
        let waiting = self.lanes.values().flatten().filter(|queued| !queued.is_extra);
        let first = waiting.map(|queued| queued.message.seq).min();
        let cursor = first.map_or(self.offered_up_to, |first| first - 1);
        self.cursor = self.cursor.max(cursor);
        self.done = self.done.split_off(&(self.cursor + 1));
    }

    /// Returns true if a message may be sent before a time.
    pub(crate) fn has_attempt_before(&self, time: Timestamp) -> bool {
        let heads = self.lanes.values().filter_map(VecDeque::front);
        let mut times = heads.map(|queued| queued.failure.as_ref().map(|failure| failure.next_attempt_at));
        times.any(|attempt| attempt.is_none_or(|attempt| attempt < time))
    }

    /// The messages about the events up to this `seq` are delivered or parked.
    pub(crate) fn cursor(&self) -> i64 {
        self.cursor
    }

    /// The state to write beside the log, without the claims and the chat messages.
    pub(crate) fn progress(&self) -> WebhookProgress {
        let failures = self.lanes.values().flatten().filter_map(|queued| queued.failure.clone());
        let mut failing: Vec<_> = failures.chain(self.earlier_failures.values().cloned()).collect();
        failing.sort_by_key(|failing| failing.event);
        WebhookProgress {
            cursor: self.cursor,
            seen: self.offered_up_to,
            is_full: self.is_full(),
            done: self.done.iter().copied().collect(),
            failing,
            claims: Vec::new(),
            unrecorded: 0,
            posted: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
