//! Delivers the messages of one webhook. One server at a time has the delivery lease, and writes its progress beside
//! the log.

use crate::{
    delivery_session::{DeliverySession, SendOutcome},
    http_webhooks::HttpWebhooks,
};
use countersign_api::fill_random;
use countersign_approvals::{
    Refused,
    webhook_directory::{ParkedMessage, WebhookRecord},
};
use countersign_events::{Body, Timestamp, WebhookDelivered};
use countersign_gate::{EmbeddedGate, GateFailure, WebhookProgress};
use countersign_store::{Clock, LeaseTask, TaskLease};
use futures_util::StreamExt;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The delivery lease duration. After a crash, the next server starts when the lease has lapsed.
const LEASE: Duration = Duration::from_secs(6);

/// The interval at which the lease is renewed, and the state written.
const RENEWAL: Duration = Duration::from_secs(2);

/// The time for which a server that has delivered everything keeps the lease, so that it does not write for each
/// message.
const LINGER: Duration = Duration::from_secs(1);

/// How long a stopping server waits for the answers to messages that it has sent.
const FINISH: Duration = Duration::from_secs(2);

/// The pause after a database failure, and before another look at a webhook that cannot be used.
const PAUSE: Duration = Duration::from_secs(2);

/// The deliveries, and the time, after which the cursor is written to the log.
const CURSOR_MESSAGES: usize = 100;
const CURSOR_INTERVAL: Duration = Duration::from_hours(1);

/// Delivers the messages of one webhook.
pub(crate) struct DeliveryWorker {
    gate: EmbeddedGate,
    sender: Arc<HttpWebhooks>,
    /// The name of this process, as the holder of leases.
    holder: String,
    /// The webhook, as it changes.
    webhook: watch::Receiver<WebhookRecord>,
    /// The parked messages that were sent again: for each, the `seq` of its event and of the event that parked it. The
    /// webhook's record may be a moment older.
    handled: HashMap<i64, i64>,
}

/// The reason why a session or a wait ends.
#[derive(Debug, PartialEq, Eq)]
enum SessionEnd {
    /// Everything that can be delivered now is.
    Idle,
    /// Another server has the right.
    Lost,
    /// The server stops, or the webhook was removed.
    Stopped,
}

impl DeliveryWorker {
    pub(crate) fn new(
        gate: EmbeddedGate,
        sender: Arc<HttpWebhooks>,
        holder: String,
        webhook: watch::Receiver<WebhookRecord>,
    ) -> Self {
        Self { gate, sender, holder, webhook, handled: HashMap::new() }
    }

    /// Delivers until `stop` is cancelled.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let Err(error) = self.deliver_once(&stop).await else { continue };
            if matches!(error, GateFailure::Refused(Refused::UnknownWebhook)) {
                return;
            }
            let webhook = self.webhook.borrow().added.what.name.clone();
            tracing::warn!(%error, webhook, "messages cannot be delivered; trying again");
            tokio::select! {
                () = stop.cancelled() => {}
                () = Clock::System.sleep(PAUSE) => {}
            }
        }
        if let Err(error) = self.record_last_cursor().await {
            tracing::warn!(%error, "the cursor of a webhook was not written; messages may be sent again");
        }
    }

    /// Writes the cursor to the log when the server stops, unless the webhook was removed or another server delivers.
    async fn record_last_cursor(&self) -> Result<(), GateFailure> {
        if self.webhook.has_changed().is_err() {
            return Ok(());
        }
        let record = self.webhook.borrow().clone();
        let Some(found) = self.gate.webhook_delivery(record.id()).await? else { return Ok(()) };
        let progress = WebhookProgress::parse(&found.state);
        if found.lease.holder != self.holder || progress.unrecorded == 0 {
            return Ok(());
        }
        self.record_cursor(&record, &progress, Vec::new()).await
    }

    fn now(&self) -> Timestamp {
        self.gate.clock().now()
    }

    /// Waits for work, takes the right to do it, and delivers until nothing is left.
    async fn deliver_once(&mut self, stop: &CancellationToken) -> Result<(), GateFailure> {
        let record = self.webhook.borrow_and_update().clone();
        let log = self.gate.log_id().await?;
        let target = match self.sender.open(&record, log) {
            Ok(target) => target,
            Err(error) => {
                tracing::error!(%error, webhook = record.added.what.name, "no message can be sent");
                tokio::select! {
                    () = stop.cancelled() => {}
                    _ = self.webhook.changed() => {}
                    () = Clock::System.sleep(PAUSE * 30) => {}
                }
                return Ok(());
            }
        };
        let found = self.gate.webhook_delivery(record.id()).await?;
        let (lease, state) = found.map(|found| (found.lease, found.state)).unzip();
        let progress = WebhookProgress::parse(&state.unwrap_or_default());
        if !self.wait_for_work(&record, &progress, stop).await? {
            return Ok(());
        }
        let now = self.now();
        let others = |lease: &TaskLease| lease.holder != self.holder && lease.until > now;
        let held = match lease.filter(others) {
            // Another server delivers. The state has to be read again after its lease.
            Some(lease) => return self.wait_until(lease.until, stop).await,
            None => self.gate.hold_webhook(&self.lease(&record, now.after(LEASE)), None, now).await?,
        };
        if held.lease.holder != self.holder {
            return self.wait_until(held.lease.until, stop).await;
        }
        let progress = WebhookProgress::parse(&held.state);
        let mut session = {
            let (gate, sender) = (self.gate.clone(), Arc::clone(&self.sender));
            DeliverySession::begin(gate, sender, target, &record, &progress, now.after(RENEWAL))
        };
        let end = self.deliver_all(&mut session, stop).await?;
        if end == SessionEnd::Lost {
            return Ok(());
        }
        if end == SessionEnd::Idle && !session.queue.is_full() {
            session.queue.forget_earlier_failures();
        }
        self.end_session(&mut session).await
    }

    async fn wait_until(&self, moment: Timestamp, stop: &CancellationToken) -> Result<(), GateFailure> {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.gate.clock().sleep_until(moment) => {}
        }
        Ok(())
    }

    fn lease(&self, record: &WebhookRecord, until: Timestamp) -> TaskLease {
        TaskLease { task: LeaseTask::Webhook(record.id()), holder: self.holder.clone(), until }
    }

    /// Waits until there is an event, an attempt that is due, or a retried message. Returns false if the wait ended for
    /// another reason.
    async fn wait_for_work(
        &mut self,
        record: &WebhookRecord,
        progress: &WebhookProgress,
        stop: &CancellationToken,
    ) -> Result<bool, GateFailure> {
        let is_failing = |event: &i64| progress.failing.iter().any(|failing| failing.event == *event);
        if self.retried(record).iter().any(|event| !is_failing(event)) {
            return Ok(true);
        }
        // After the last event that was offered, so that messages that wait for an attempt cause no work.
        let mut follower = self.gate.follow_for_webhook(record, record.cursor.max(progress.seen));
        let attempts = progress.failing.iter().map(|failing| failing.next_attempt_at);
        let due = attempts.chain(progress.claims.iter().map(|claim| claim.ends_at)).min();
        tokio::select! {
            () = stop.cancelled() => Ok(false),
            _ = self.webhook.changed() => Ok(false),
            event = follower.next(), if !progress.is_full => event.map(|_| true).map_err(GateFailure::from),
            () = sleep_until(self.gate.clock(), due) => Ok(true),
        }
    }

    async fn deliver_all(
        &mut self,
        session: &mut DeliverySession,
        stop: &CancellationToken,
    ) -> Result<SessionEnd, GateFailure> {
        loop {
            let record = self.webhook.borrow_and_update().clone();
            if !session.follow_secrets(&record) {
                // The next session reports why the secrets cannot be used.
                return Ok(SessionEnd::Idle);
            }
            session.fill(&record, &self.retried(&record)).await?;
            let now = self.now();
            if session.renew_at <= now && !self.renew(session, &record, now).await? {
                return Ok(SessionEnd::Lost);
            }
            session.start_ready(now);
            let is_full = session.queue.is_full();
            let due = [session.queue.next_attempt(), session.claims.next_end(now), Some(session.renew_at)];
            let due = due.into_iter().flatten().min();
            let is_idle = session.sending.is_empty() && !session.queue.has_attempt_before(now.after(LEASE));
            tokio::select! {
                () = stop.cancelled() => {
                    self.finish_sending(session, &record).await?;
                    return Ok(SessionEnd::Stopped);
                }
                Some((seq, outcome)) = session.sending.next() => {
                    self.note_outcome(session, &record, seq, outcome).await?;
                }
                event = session.follower.next(), if !is_full => {
                    let event = event.map_err(GateFailure::from)?;
                    session.take_event(&record, &event).await?;
                }
                changed = self.webhook.changed() => {
                    if changed.is_err() {
                        return Ok(SessionEnd::Stopped);
                    }
                }
                () = sleep_until(self.gate.clock(), due) => {}
                () = Clock::System.sleep(LINGER), if is_idle => return Ok(SessionEnd::Idle),
            }
        }
    }

    /// Waits a moment for the answers to messages that were sent. Without them, these messages would be sent again.
    async fn finish_sending(
        &mut self,
        session: &mut DeliverySession,
        record: &WebhookRecord,
    ) -> Result<(), GateFailure> {
        let mut end = std::pin::pin!(Clock::System.sleep(FINISH));
        loop {
            tokio::select! {
                sent = session.sending.next() => match sent {
                    Some((seq, outcome)) => self.note_outcome(session, record, seq, outcome).await?,
                    None => return Ok(()),
                },
                () = &mut end => return Ok(()),
            }
        }
    }

    /// The events whose parked messages a person wants to be sent again.
    fn retried(&self, record: &WebhookRecord) -> Vec<i64> {
        let is_open = |(event, message): &(&i64, &ParkedMessage)| {
            message.is_retried && self.handled.get(*event) != Some(&message.parked.seq)
        };
        record.parked.iter().filter(is_open).map(|(event, _)| *event).collect()
    }

    async fn note_outcome(
        &mut self,
        session: &mut DeliverySession,
        record: &WebhookRecord,
        seq: i64,
        outcome: SendOutcome,
    ) -> Result<(), GateFailure> {
        self.gate.count_webhook_attempt(outcome.is_ok());
        if let Err(failed) = &outcome {
            let webhook = record.added.what.name.as_str();
            tracing::warn!(webhook, event = seq, reason = failed.reason, "a message was not delivered");
            let now = self.now();
            let parked = record.parked.len();
            let Some(parked) = session.queue.fail(record.id(), seq, failed, now, jitter(), parked) else {
                return Ok(());
            };
            self.gate.record_webhook(Body::WebhookParked(parked)).await?;
        }
        if let Ok(Some(change)) = &outcome {
            session.posted.apply(change.clone());
        }
        session.claims.forget(seq);
        session.queue.deliver(seq);
        session.unrecorded += 1;
        if let Some(message) = record.parked.get(&seq).filter(|message| message.is_retried) {
            self.handled.insert(seq, message.parked.seq);
            session.retried.extend(outcome.is_ok().then_some(seq));
        }
        if !session.retried.is_empty() || session.unrecorded >= CURSOR_MESSAGES {
            let retried = std::mem::take(&mut session.retried);
            self.record_cursor(record, &session.progress(), retried).await?;
            session.unrecorded = 0;
        }
        Ok(())
    }

    /// Writes the cursor to the log.
    async fn record_cursor(
        &self,
        record: &WebhookRecord,
        progress: &WebhookProgress,
        retried: Vec<i64>,
    ) -> Result<(), GateFailure> {
        let up_to = progress.durable_cursor();
        let delivered = WebhookDelivered { webhook: record.id(), up_to, retried };
        self.gate.record_webhook(Body::WebhookDelivered(delivered)).await
    }

    /// Renews the delivery lease. Returns false if another server has it.
    async fn renew(
        &self,
        session: &mut DeliverySession,
        record: &WebhookRecord,
        now: Timestamp,
    ) -> Result<bool, GateFailure> {
        let progress = session.progress();
        let held =
            self.gate.hold_webhook(&self.lease(record, now.after(LEASE)), Some(&progress), now).await?;
        session.renew_at = now.after(RENEWAL);
        Ok(held.lease.holder == self.holder)
    }

    /// Releases the lease, and writes the cursor to the log if the last write was long ago.
    async fn end_session(&self, session: &mut DeliverySession) -> Result<(), GateFailure> {
        let (record, now) = (self.webhook.borrow().clone(), self.now());
        if session.unrecorded > 0 && now.since(record.recorded_at) >= CURSOR_INTERVAL {
            self.record_cursor(&record, &session.progress(), Vec::new()).await?;
            session.unrecorded = 0;
        }
        self.gate.hold_webhook(&self.lease(&record, now), Some(&session.progress()), now).await?;
        Ok(())
    }
}

/// Waits until a moment, or without an end.
async fn sleep_until(clock: &Clock, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// A random number, which spreads attempts. Without randomness, attempts are not spread.
fn jitter() -> u8 {
    let mut byte = [0];
    fill_random(&mut byte).map_or(0, |()| byte[0])
}
