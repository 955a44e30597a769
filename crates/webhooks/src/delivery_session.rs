//! The message delivery for one webhook while this process has its lease: the queue, what is being sent, and the log
//! behind them.

use crate::{
    HttpWebhooks,
    chat_sending::ChatState,
    delivery_queue::{DeliveryQueue, FailedAttempt},
    http_webhooks::OpenTarget,
    open_claims::OpenClaims,
    posted_messages::{PostedChange, PostedMessages},
    webhook_message::WebhookMessage,
};
use countersign_approvals::webhook_directory::WebhookRecord;
use countersign_events::{Body, CallId, Event, ThreadId, Timestamp};
use countersign_gate::{EmbeddedGate, GateFailure, WebhookProgress};
use countersign_store::EventFollower;
use futures_util::{future::BoxFuture, stream::FuturesUnordered};
use std::sync::Arc;

/// The messages that are being sent, each with its `seq`.
type SendingMessages = FuturesUnordered<BoxFuture<'static, (i64, SendOutcome)>>;

/// What became of a message, and of the chat message that changes with its call.
pub(crate) type SendOutcome = Result<Option<PostedChange>, FailedAttempt>;

/// The delivery while this process has its lease.
pub(crate) struct DeliverySession {
    gate: EmbeddedGate,
    sender: Arc<HttpWebhooks>,
    target: Arc<OpenTarget>,
    /// The event that set the secrets of `target`.
    secret_set: Option<i64>,
    pub(crate) queue: DeliveryQueue,
    pub(crate) claims: OpenClaims,
    pub(crate) posted: PostedMessages,
    pub(crate) follower: EventFollower,
    pub(crate) sending: SendingMessages,
    /// The events up to this `seq` were offered in an earlier session.
    seen: i64,
    /// The retried messages that were delivered and are not recorded yet.
    pub(crate) retried: Vec<i64>,
    /// The deliveries since the cursor was written to the log.
    pub(crate) unrecorded: usize,
    /// The time at which the lease is renewed.
    pub(crate) renew_at: Timestamp,
}

impl DeliverySession {
    pub(crate) fn begin(
        gate: EmbeddedGate,
        sender: Arc<HttpWebhooks>,
        target: OpenTarget,
        record: &WebhookRecord,
        progress: &WebhookProgress,
        renew_at: Timestamp,
    ) -> Self {
        let queue = DeliveryQueue::restore(record.cursor, progress);
        let follower = gate.follow_for_webhook(record, queue.cursor());
        Self {
            gate,
            sender,
            target: Arc::new(target),
            secret_set: seq_of_secrets(record),
            claims: OpenClaims::restore(&progress.claims),
            posted: PostedMessages::restore(&progress.posted),
            follower,
            queue,
            sending: FuturesUnordered::new(),
            seen: progress.seen,
            retried: Vec::new(),
            unrecorded: progress.unrecorded,
            renew_at,
        }
    }

    pub(crate) fn progress(&self) -> WebhookProgress {
        WebhookProgress {
            claims: self.claims.all(),
            posted: self.posted.all(),
            unrecorded: self.unrecorded,
            ..self.queue.progress()
        }
    }

    fn now(&self) -> Timestamp {
        self.gate.clock().now()
    }

    /// Signs with other secrets from now on if they were changed. Returns false if they cannot be read.
    pub(crate) fn follow_secrets(&mut self, record: &WebhookRecord) -> bool {
        if self.secret_set == seq_of_secrets(record) {
            return true;
        }
        let Ok(target) = self.sender.open(record, self.target.log()) else { return false };
        self.target = Arc::new(target);
        self.secret_set = seq_of_secrets(record);
        true
    }

    /// Sends the messages whose time has come.
    pub(crate) fn start_ready(&mut self, now: Timestamp) {
        for message in self.queue.start_ready(now) {
            let posted = message.request_seq().and_then(|request| self.posted.find(request));
            let (gate, sender) = (self.gate.clone(), Arc::clone(&self.sender));
            let target = Arc::clone(&self.target);
            self.sending.push(Box::pin(async move {
                let sent = send_message(&gate, &sender, &target, &message, posted.as_deref(), now).await;
                (message.seq, sent)
            }));
        }
    }

    /// Adds the events at hand, the claims that lapsed, and the parked messages about the events `retried`.
    pub(crate) async fn fill(&mut self, record: &WebhookRecord, retried: &[i64]) -> Result<(), GateFailure> {
        while !self.queue.is_full() {
            let Some(event) = self.follower.next_at_hand().await.map_err(GateFailure::from)? else {
                break;
            };
            self.take_event(record, &event).await?;
        }
        for claim in self.claims.ended(self.now()) {
            if self.queue.is_queued(claim.seq) {
                continue;
            }
            let call = self.gate.call_for_webhook(&claim.thread, &claim.call).await?;
            let is_unknown = self.claims.check(&claim, call.as_ref(), self.now());
            if is_unknown && let (Some(event), Some(call)) = (self.gate.event(claim.seq).await?, call) {
                let message = WebhookMessage::outcome_unknown(&event, &call, self.sender.base());
                self.queue.offer_extra(message);
            }
        }
        for seq in retried {
            if let Some(message) = parked_message(&self.gate, self.sender.base(), *seq).await? {
                self.queue.offer_extra(message);
            }
        }
        Ok(())
    }

    /// Adds the message about an event, if there is one, and notes claims and results.
    pub(crate) async fn take_event(
        &mut self,
        record: &WebhookRecord,
        event: &Event,
    ) -> Result<(), GateFailure> {
        let seq = event.seq;
        // A row that cannot be read has no message. `verify` names it.
        if let Ok(body) = Body::read(seq, event.kind, &event.data) {
            if seq > self.seen {
                self.claims.note(event, &body);
            }
            if OpenClaims::concern(&body) || self.queue.has(seq) {
                self.queue.note_offered(seq);
                return Ok(());
            }
            if let Some(message) = message_about(&self.gate, self.sender.base(), event, &body).await?
                && message.is_wanted_by(record)
            {
                self.queue.offer(message);
            }
        }
        self.queue.note_offered(seq);
        Ok(())
    }
}

fn seq_of_secrets(record: &WebhookRecord) -> Option<i64> {
    record.secret_set.as_ref().map(|set| set.seq)
}

/// Sends a message. A chat app shows the call as it is now, and not as it was at the event.
async fn send_message(
    gate: &EmbeddedGate,
    sender: &HttpWebhooks,
    target: &OpenTarget,
    message: &WebhookMessage,
    posted: Option<&str>,
    now: Timestamp,
) -> SendOutcome {
    let call = message.call.as_ref().filter(|_| target.chat().is_some());
    let ids = call.and_then(|call| Some((ThreadId::new(&call.thread).ok()?, CallId::new(&call.id).ok()?)));
    let found = match &ids {
        Some((thread, id)) => gate.call_for_chat(thread, id).await,
        None => Ok(None),
    };
    match found {
        Ok(Some((call, offer))) => {
            sender.send_state(target, message, &ChatState { call, offer }, posted, now).await
        }
        Ok(None) => sender.send(target, message, now).await.map(|_| None),
        Err(why) => Err(FailedAttempt::new(format!("the call cannot be read: {why}"))),
    }
}

/// The message about an event that was parked.
async fn parked_message(
    gate: &EmbeddedGate,
    base: &str,
    seq: i64,
) -> Result<Option<WebhookMessage>, GateFailure> {
    let Some(event) = gate.event(seq).await? else { return Ok(None) };
    let Ok(body) = Body::read(event.seq, event.kind, &event.data) else { return Ok(None) };
    message_about(gate, base, &event, &body).await
}

/// The message about an event, if there is one. A claim has one only if its outcome is unknown, which the caller knows.
async fn message_about(
    gate: &EmbeddedGate,
    base: &str,
    event: &Event,
    body: &Body,
) -> Result<Option<WebhookMessage>, GateFailure> {
    if let Body::AdvisorModeSet(set) = body {
        return Ok(Some(WebhookMessage::advisor_mode(event, set, base)));
    }
    let Some(id) = body.call_id() else { return Ok(None) };
    let Some(call) = gate.call_for_webhook(&event.thread_id, id).await? else { return Ok(None) };
    let is_claim = matches!(body, Body::ExecutionStarted(_) | Body::ExecutionTakenOver(_));
    Ok(if is_claim {
        Some(WebhookMessage::outcome_unknown(event, &call, base))
    } else {
        WebhookMessage::from_event(event, body, &call, base)
    })
}
