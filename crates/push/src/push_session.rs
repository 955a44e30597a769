//! The sending of notifications while this process has the lease: what the devices show, what is being sent, and what failed.

use crate::{
    notice::{ask_message, withdrawal_message},
    notice_plan::{NoticeChange, plan_notices},
    push_progress::{PushProgress, ShownNotice, ShownNotices},
    push_sender::{FailureOutcome, PushFailure, PushSender, PushTerms},
};
use countersign_approvals::access::{PushDeviceRecord, TokenHolder};
use countersign_events::Timestamp;
use countersign_gate::NotifiedCall;
use countersign_webhooks::retry_delay;
use futures_util::{future::BoxFuture, stream::FuturesUnordered};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The attempts after which a notification is given up: about two minutes after the first. A newer one is sent in any case.
const MAX_ATTEMPTS: u32 = 6;

/// The most messages that are being sent at the same time.
const MAX_SENDING: usize = 64;

/// A device with the person for whom it gets notifications.
pub(crate) type LiveDevice = (Arc<PushDeviceRecord>, Arc<TokenHolder>);

/// The notification of a thread on a device.
pub(crate) type NoticeKey = (String, String);

/// The end of an attempt.
pub(crate) struct SentNotice {
    pub(crate) key: NoticeKey,
    /// What the device shows if the attempt succeeded.
    pub(crate) notice: Option<ShownNotice>,
    pub(crate) outcome: Result<(), PushFailure>,
}

/// The sending of notifications while this process has the lease.
pub(crate) struct PushSession {
    sender: Arc<PushSender>,
    pub(crate) progress: PushProgress,
    pub(crate) sending: FuturesUnordered<BoxFuture<'static, SentNotice>>,
    in_flight: BTreeSet<NoticeKey>,
    /// The failed attempts, and when the next one is due.
    failing: BTreeMap<NoticeKey, (u32, Timestamp)>,
}

impl PushSession {
    pub(crate) fn new(sender: Arc<PushSender>, progress: PushProgress) -> Self {
        Self {
            sender,
            progress,
            sending: FuturesUnordered::new(),
            in_flight: BTreeSet::new(),
            failing: BTreeMap::new(),
        }
    }

    /// Starts to send what the devices do not show yet.
    pub(crate) fn start_sending(&mut self, devices: &[LiveDevice], calls: &[NotifiedCall], now: Timestamp) {
        self.progress.keep_devices(&devices.iter().map(|(device, _)| device.set.id.as_str()).collect());
        let nothing = ShownNotices::new();
        let (mut attempts, mut wanted) = (Vec::new(), BTreeSet::new());
        for (device, holder) in devices {
            let shown = self.progress.shown.get(&device.set.id).unwrap_or(&nothing);
            for change in plan_notices(device, holder, calls, shown, now) {
                let key = (device.set.id.clone(), change.thread.to_owned());
                let is_early = self.failing.get(&key).is_some_and(|(_, due)| *due > now);
                let has_room = self.in_flight.len() + attempts.len() < MAX_SENDING;
                if has_room && !is_early && !self.in_flight.contains(&key) {
                    attempts.push((key.clone(), self.new_attempt(device, &change, now)));
                }
                wanted.insert(key);
            }
        }
        // What failed may be wanted no more, as after a decision.
        self.failing.retain(|key, _| wanted.contains(key));
        for (key, attempt) in attempts {
            self.in_flight.insert(key);
            self.sending.push(attempt);
        }
    }

    fn new_attempt(
        &self,
        device: &Arc<PushDeviceRecord>,
        change: &NoticeChange<'_>,
        now: Timestamp,
    ) -> BoxFuture<'static, SentNotice> {
        let message = match change.call {
            Some(call) => ask_message(call, change),
            None => withdrawal_message(change.thread, change.waiting),
        };
        let (message, is_urgent) = (message.to_string(), change.alerts);
        let request = change.call.and_then(|call| call.call.request.as_ref());
        let ends_at = request.and_then(|request| request.expires_at);
        let (notice, thread) = (change.notice.clone(), change.thread.to_owned());
        let (sender, device) = (Arc::clone(&self.sender), Arc::clone(device));
        Box::pin(async move {
            let key = (device.set.id.clone(), thread);
            let outcome = match sender.open(&device) {
                Ok(address) => {
                    let terms = PushTerms { topic: address.topic(&key.1), is_urgent, ends_at };
                    sender.send(&address, &message, &terms, now).await
                }
                Err(reason) => Err(PushFailure { reason, outcome: FailureOutcome::Refused }),
            };
            SentNotice { key, notice, outcome }
        })
    }

    /// Notes the end of an attempt. Returns the device and the reason if its subscription is over.
    pub(crate) fn note_outcome(
        &mut self,
        sent: SentNotice,
        jitter: u8,
        now: Timestamp,
    ) -> Option<(String, String)> {
        let SentNotice { key, notice, outcome } = sent;
        self.in_flight.remove(&key);
        let failed = match outcome {
            Ok(()) => {
                self.failing.remove(&key);
                self.progress.note(&key.0, &key.1, notice);
                return None;
            }
            Err(failed) => failed,
        };
        let attempts = self.failing.get(&key).map_or(0, |(attempts, _)| *attempts) + 1;
        let (device, reason) = (&key.0, &failed.reason);
        tracing::warn!(device, reason, attempts, "a notification was not sent");
        match failed.outcome {
            FailureOutcome::Gone => return Some((key.0, failed.reason)),
            FailureOutcome::Again(wait) if attempts < MAX_ATTEMPTS => {
                self.failing.insert(key, (attempts, now.after(retry_delay(attempts, wait, jitter))));
            }
            FailureOutcome::Again(_) | FailureOutcome::Refused => {
                self.failing.remove(&key);
                self.progress.note(&key.0, &key.1, notice);
            }
        }
        None
    }

    /// The next attempt after a failure.
    pub(crate) fn next_attempt(&self) -> Option<Timestamp> {
        self.failing.values().map(|(_, due)| *due).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_webhooks::WebhookKeyFile;

    #[test]
    fn failure_is_forgotten_with_its_notification() {
        let sender = PushSender::new("unused".as_ref(), WebhookKeyFile::new("unused"), "", false);
        let mut session = PushSession::new(Arc::new(sender), PushProgress::default());
        let key = ("device".to_owned(), "thread".to_owned());
        let outcome = Err(PushFailure { reason: "busy".to_owned(), outcome: FailureOutcome::Again(None) });
        let now = Timestamp::from_millis(1_000_000);
        assert_eq!(session.note_outcome(SentNotice { key, notice: None, outcome }, 0, now), None);
        assert!(session.next_attempt().is_some());
        session.start_sending(&[], &[], now);
        assert_eq!(session.next_attempt(), None, "nothing wants it any more");
    }
}
