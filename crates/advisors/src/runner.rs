//! Asks the advisors of each request as it opens, and records their advice. Several servers may run it for one log: one
//! of them at a time holds the advisor lease.
//!
//! The log is the queue: a call that waits for people and has no advice from an advisor still needs a question. So a
//! server that takes over, or starts again, looks at all pending calls first.

use crate::{advice_session::AdviceSession, desk::AdvisorDesk, drift_watch::watch_drift};
use countersign_api::random_id;
use countersign_events::{EventType, Sha256};
use countersign_gate::{EmbeddedGate, GateFailure};
use countersign_policy::Policy;
use countersign_store::{Clock, EventFollower};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// The advisor lease duration. After a crash, the next server starts when the lease has lapsed.
const LEASE: Duration = Duration::from_secs(6);

/// The interval at which the lease is renewed.
const RENEWAL: Duration = Duration::from_secs(2);

/// The time for which a server without questions keeps the lease, so that it does not write for each request.
const LINGER: Duration = Duration::from_secs(1);

/// How long a stopping server waits for the answers to its questions.
const FINISH: Duration = Duration::from_secs(2);

/// The pause after a database failure.
const PAUSE: Duration = Duration::from_secs(2);

/// Asks a log's advisors.
pub struct AdvisorRunner {
    gate: EmbeddedGate,
    desk: Arc<AdvisorDesk>,
    /// The name of this process, as the right's holder.
    holder: String,
    /// The policy whose advisors were checked last.
    checked: Mutex<Option<Sha256>>,
}

impl AdvisorRunner {
    /// Creates a runner for this log.
    #[must_use]
    pub fn new(gate: EmbeddedGate, desk: Arc<AdvisorDesk>) -> Self {
        Self { gate, desk, holder: random_id("server-"), checked: Mutex::default() }
    }

    /// Asks until `stop` is cancelled, and lets advisors that people contradict fall back. The answers that arrive a moment
    /// later are still recorded.
    pub async fn run(self, stop: CancellationToken) {
        if self.gate.is_read_only() {
            return;
        }
        tokio::join!(self.ask(&stop), watch_drift(&self.gate, &stop));
    }

    async fn ask(&self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            let Err(error) = self.ask_all(stop).await else { continue };
            tracing::warn!(%error, "advisors cannot be asked; trying again");
            tokio::select! {
                () = stop.cancelled() => {}
                () = Clock::System.sleep(PAUSE) => {}
            }
        }
    }

    /// Waits for work, takes the advisor lease, and asks until nothing is left. First looks at all pending calls.
    async fn ask_all(&self, stop: &CancellationToken) -> Result<(), GateFailure> {
        let mut after = self.gate.last_seq().await?;
        // A policy that another process has set before that event is not followed.
        self.gate.reload_policy().await?;
        let mut has_work = self.has_advisors() && self.has_unasked_calls().await?;
        loop {
            if !has_work {
                let mut follower = if self.has_advisors() {
                    self.gate.follow_for_advice(after)
                } else {
                    self.gate.follow_policy(after)
                };
                let event = tokio::select! {
                    () = stop.cancelled() => return Ok(()),
                    event = follower.next() => event.map_err(GateFailure::from)?,
                };
                after = event.seq;
                if event.kind == EventType::PolicySet {
                    self.gate.reload_policy().await?;
                }
                has_work = self.has_advisors();
                continue;
            }
            let now = self.gate.clock().now();
            let held = self.gate.hold_advisors(&self.holder, now.after(LEASE), now).await?;
            if held.holder != self.holder {
                tokio::select! {
                    () = stop.cancelled() => return Ok(()),
                    () = self.gate.clock().sleep_until(held.until) => {}
                }
                // The other server may have asked about everything.
                has_work = self.has_unasked_calls().await?;
                continue;
            }
            after = self.ask_while_held(stop).await?;
            if stop.is_cancelled() {
                return Ok(());
            }
            has_work = false;
        }
    }

    fn has_advisors(&self) -> bool {
        // A policy that this version cannot read asks no advisor.
        let Ok(policy) = self.gate.policy_in_force() else { return false };
        self.report_unusable_advisors(&policy);
        !policy.advisors().is_empty()
    }

    /// Writes to the server's log, once for each policy, which advisors cannot be asked, before a question fails.
    fn report_unusable_advisors(&self, policy: &Policy) {
        let hash = policy.hash();
        if self.checked.lock().unwrap_or_else(PoisonError::into_inner).replace(hash) == Some(hash) {
            return;
        }
        for advisor in policy.advisors() {
            if let Err(fault) = self.desk.check_advisor(advisor) {
                let (failure, detail) = (fault.failure.as_str(), fault.detail.as_str());
                tracing::warn!(advisor = advisor.name, failure, detail, "an advisor cannot be asked");
            }
        }
    }

    async fn has_unasked_calls(&self) -> Result<bool, GateFailure> {
        AdviceSession::new(&self.gate, &self.desk).has_unasked_calls().await
    }

    /// Asks while this process has the lease. Returns the last `seq` that it has looked at.
    async fn ask_while_held(&self, stop: &CancellationToken) -> Result<i64, GateFailure> {
        // Follow before looking at the pending calls, so that no request falls between.
        let mut after = self.gate.last_seq().await?;
        let mut follower = self.gate.follow_for_advice(after);
        let mut session = AdviceSession::new(&self.gate, &self.desk);
        // A server may have died after the contradiction that withdraws an advisor's right to decide.
        self.gate.check_advisor_drift().await?;
        session.ask_about_pending().await?;
        let ended = self.follow_requests(&mut session, &mut follower, &mut after, stop).await;
        if stop.is_cancelled() {
            session.finish(FINISH).await;
        }
        let now = self.gate.clock().now();
        self.gate.hold_advisors(&self.holder, now, now).await?;
        ended.map(|()| after)
    }

    async fn follow_requests(
        &self,
        session: &mut AdviceSession,
        follower: &mut EventFollower,
        after: &mut i64,
        stop: &CancellationToken,
    ) -> Result<(), GateFailure> {
        let mut renew_at = self.gate.clock().now().after(RENEWAL);
        loop {
            let is_idle = session.is_idle();
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                event = follower.next() => {
                    let event = event.map_err(GateFailure::from)?;
                    *after = event.seq;
                    session.take_event(&event).await?;
                }
                () = session.next_answer(), if !is_idle => {}
                () = self.gate.clock().sleep_until(renew_at) => {}
                () = Clock::System.sleep(LINGER), if is_idle => return Ok(()),
            }
            let now = self.gate.clock().now();
            if renew_at <= now {
                let held = self.gate.hold_advisors(&self.holder, now.after(LEASE), now).await?;
                if held.holder != self.holder {
                    // This process was asleep, and another one has the lease. Pending answers are still recorded.
                    session.finish(LEASE).await;
                    return Ok(());
                }
                renew_at = now.after(RENEWAL);
            }
        }
    }
}
