//! Sends notifications while the server runs. One server at a time has the lease.

use crate::{
    push_progress::PushProgress,
    push_sender::PushSender,
    push_session::{LiveDevice, PushSession, SentNotice},
};
use countersign_api::{fill_random, random_id};
use countersign_approvals::access::DeviceRejection;
use countersign_events::Timestamp;
use countersign_gate::{EmbeddedGate, GateFailure, NotifiedCall};
use countersign_store::{Clock, EventFollower};
use futures_util::{StreamExt, future::BoxFuture};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The lease duration. After a crash, the next server starts when the lease has lapsed.
const LEASE: Duration = Duration::from_secs(6);

/// The interval at which the lease is renewed, and the state written.
const RENEWAL: Duration = Duration::from_secs(2);

/// The time for which a server that has sent everything keeps the lease, so that it does not write for each notification.
const LINGER: Duration = Duration::from_secs(1);

/// The least time between two looks at all pending calls.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// How long a stopping server waits for the answers to messages that it has sent.
const FINISH: Duration = Duration::from_secs(2);

/// The pause after a database failure.
const PAUSE: Duration = Duration::from_secs(2);

/// The most pending calls that are looked at.
const MAX_CALLS: usize = 5_000;

/// The next look at all pending calls. Looks have a distance, however many events there are.
struct PendingLook {
    pause: Option<BoxFuture<'static, ()>>,
}

impl PendingLook {
    fn at_once() -> Self {
        Self { pause: Some(Box::pin(std::future::ready(()))) }
    }

    fn plan(&mut self) {
        self.pause.get_or_insert_with(|| Box::pin(async { Clock::System.sleep(LOOK_INTERVAL).await }));
    }

    /// Waits until it is time; forever if no look is planned.
    async fn wait_until_due(&mut self) {
        match &mut self.pause {
            Some(pause) => pause.await,
            None => std::future::pending().await,
        }
        self.pause = None;
    }
}

/// Sends notifications while the server runs.
pub struct PushRunner {
    gate: EmbeddedGate,
    sender: Arc<PushSender>,
    /// The name of this process, as the holder of the lease.
    holder: String,
    /// Whether the server asks for no credential.
    is_solo: bool,
}

impl PushRunner {
    /// Creates a runner. `is_solo` is true for a server that asks for no credential.
    #[must_use]
    pub fn new(gate: EmbeddedGate, sender: Arc<PushSender>, is_solo: bool) -> Self {
        Self { gate, sender, holder: random_id("server-"), is_solo }
    }

    /// Sends notifications until `stop` is cancelled. Without a device, it only waits for one.
    pub async fn run(self, stop: CancellationToken) {
        if self.gate.is_read_only() {
            return;
        }
        let mut tokens = self.gate.watch_tokens();
        while !stop.is_cancelled() {
            let Err(error) = self.serve(&mut tokens, &stop).await else { continue };
            tracing::warn!(%error, "notifications cannot be sent; trying again");
            tokio::select! {
                () = stop.cancelled() => {}
                () = Clock::System.sleep(PAUSE) => {}
            }
        }
    }

    fn now(&self) -> Timestamp {
        self.gate.clock().now()
    }

    /// Takes the lease, sends what there is, and then waits for more without it.
    async fn serve(
        &self,
        tokens: &mut watch::Receiver<i64>,
        stop: &CancellationToken,
    ) -> Result<(), GateFailure> {
        tokens.borrow_and_update();
        let devices = self.live_devices().await?;
        if devices.is_empty() {
            tokio::select! {
                () = stop.cancelled() => {}
                _ = tokens.changed() => {}
            }
            return Ok(());
        }
        self.sender.prepare_clients();
        // Before the calls are read, so that nothing falls between.
        let mut follower = self.gate.follow_for_push(self.gate.last_seq().await?);
        let held = self.gate.hold_push(&self.holder, self.now().after(LEASE), None).await?;
        if held.lease.holder != self.holder {
            return self.wait_until(Some(held.lease.until), stop).await;
        }
        let mut session = PushSession::new(Arc::clone(&self.sender), PushProgress::parse(&held.state));
        if !self.send_all(&mut session, &mut follower, tokens, stop).await? {
            return Ok(());
        }
        let due = self.next_quiet_end(&devices);
        tokio::select! {
            () = stop.cancelled() => Ok(()),
            _ = tokens.changed() => Ok(()),
            event = follower.next() => event.map(|_| ()).map_err(GateFailure::from),
            waited = self.wait_until(due, stop) => waited,
        }
    }

    /// Sends until nothing is left, and releases the lease. Returns false if another server has the lease.
    async fn send_all(
        &self,
        session: &mut PushSession,
        follower: &mut EventFollower,
        tokens: &mut watch::Receiver<i64>,
        stop: &CancellationToken,
    ) -> Result<bool, GateFailure> {
        let mut renew_at = self.now().after(RENEWAL);
        let mut look = PendingLook::at_once();
        loop {
            if renew_at <= self.now() {
                let state = Some(session.progress.to_text());
                let held = self.gate.hold_push(&self.holder, self.now().after(LEASE), state).await?;
                if held.lease.holder != self.holder {
                    return Ok(false);
                }
                renew_at = self.now().after(RENEWAL);
            }
            let next_attempt = session.next_attempt();
            let is_idle = session.sending.is_empty() && look.pause.is_none() && next_attempt.is_none();
            // A planned look makes the attempt.
            let due =
                next_attempt.filter(|_| look.pause.is_none()).map_or(renew_at, |next| next.min(renew_at));
            tokio::select! {
                () = stop.cancelled() => {
                    self.finish_sending(session).await?;
                    break;
                }
                () = look.wait_until_due() => {
                    while follower.next_at_hand().await.map_err(GateFailure::from)?.is_some() {}
                    let devices = self.live_devices().await?;
                    session.start_sending(&devices, &self.pending_calls().await?, self.now());
                }
                Some(sent) = session.sending.next() => {
                    self.note_outcome(session, sent).await?;
                    // What changed meanwhile for the same thread was not sent.
                    look.plan();
                }
                event = follower.next() => {
                    event.map_err(GateFailure::from)?;
                    look.plan();
                }
                _ = tokens.changed() => look.plan(),
                _ = self.wait_until(Some(due), stop) => {
                    if next_attempt.is_some_and(|attempt| attempt <= self.now()) {
                        look.plan();
                    }
                }
                () = Clock::System.sleep(LINGER), if is_idle => break,
            }
        }
        self.gate.hold_push(&self.holder, self.now(), Some(session.progress.to_text())).await?;
        Ok(true)
    }

    /// Waits a moment for the answers to messages that were sent. Without them, these messages would be sent again.
    async fn finish_sending(&self, session: &mut PushSession) -> Result<(), GateFailure> {
        let mut end = std::pin::pin!(Clock::System.sleep(FINISH));
        loop {
            tokio::select! {
                sent = session.sending.next() => match sent {
                    Some(sent) => self.note_outcome(session, sent).await?,
                    None => return Ok(()),
                },
                () = &mut end => return Ok(()),
            }
        }
    }

    async fn note_outcome(&self, session: &mut PushSession, sent: SentNotice) -> Result<(), GateFailure> {
        let mut jitter = [0];
        // Without randomness, attempts are not spread.
        let _ = fill_random(&mut jitter);
        if let Some((device, reason)) = session.note_outcome(sent, jitter[0], self.now()) {
            self.end_device(&device, reason).await?;
        }
        Ok(())
    }

    /// The devices that get notifications now. It ends those whose person has signed out or may not decide any more.
    async fn live_devices(&self) -> Result<Vec<LiveDevice>, GateFailure> {
        let mut live = Vec::new();
        for checked in self.gate.checked_devices(self.is_solo) {
            match checked.holder {
                Ok(holder) => live.push((checked.device, holder)),
                // Another server of the log may be in solo mode.
                Err(DeviceRejection::WithoutCredential) => {}
                Err(why) => self.end_device(&checked.device.set.id, why.to_string()).await?,
            }
        }
        Ok(live)
    }

    async fn end_device(&self, device: &str, reason: String) -> Result<(), GateFailure> {
        match self.gate.end_push_device(device, reason).await {
            // Another server, or its person, was faster.
            Err(why) if why.code() == "unknown_device" => Ok(()),
            ended => ended,
        }
    }

    async fn pending_calls(&self) -> Result<Vec<NotifiedCall>, GateFailure> {
        let (mut calls, mut next) = self.gate.pending_for_push(0).await?;
        while let Some(after) = next.filter(|_| calls.len() < MAX_CALLS) {
            let (more, following) = self.gate.pending_for_push(after).await?;
            calls.extend(more);
            next = following;
        }
        Ok(calls)
    }

    /// The next end of the quiet hours of a device.
    fn next_quiet_end(&self, devices: &[LiveDevice]) -> Option<Timestamp> {
        let quiet = devices.iter().filter_map(|(device, _)| device.set.quiet);
        quiet.filter_map(|quiet| quiet.end_after(self.now())).min()
    }

    async fn wait_until(
        &self,
        moment: Option<Timestamp>,
        stop: &CancellationToken,
    ) -> Result<(), GateFailure> {
        let Some(moment) = moment else {
            stop.cancelled().await;
            return Ok(());
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.gate.clock().sleep_until(moment) => {}
        }
        Ok(())
    }
}
