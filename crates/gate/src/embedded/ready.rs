//! The readiness check, and the operations for the process that serves the gate. The check writes to the database and
//! waits for the feed, because an open connection does not prove that either works.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api as api;
use countersign_store::{Clock, StoreError, UnavailableDatabase};
use prometheus_client::registry::Registry;
use std::time::Duration;

/// The time limit of the check: a supervisor expects an answer within two seconds.
const READINESS_LIMIT: Duration = Duration::from_millis(1_800);

/// The time limit for the feed to deliver the last event.
const FEED_LIMIT: Duration = Duration::from_secs(1);

impl EmbeddedService {
    /// Writes a row to the database, reads it back, and waits until the feed has delivered the log's last event. Fails
    /// with [`GateFailure::FeedBehind`] if the feed takes longer than [`FEED_LIMIT`], and with the write lock's state
    /// if the whole check takes longer than [`READINESS_LIMIT`].
    pub(crate) async fn ready(&self) -> Result<api::ReadinessReport, GateFailure> {
        tokio::select! {
            report = self.check_readiness() => report,
            () = Clock::System.sleep(READINESS_LIMIT) => Err(self.explain_slow_log().into()),
        }
    }

    /// Why the log did not answer in time.
    fn explain_slow_log(&self) -> StoreError {
        let place = self.store.database_name();
        match self.store.find_lock_holder() {
            holder @ Some(_) => UnavailableDatabase::Locked { place, holder },
            None => UnavailableDatabase::Busy {
                place,
                why: "no answer to the readiness check in time".to_owned(),
            },
        }
        .into()
    }

    async fn check_readiness(&self) -> Result<api::ReadinessReport, GateFailure> {
        self.store.check_room()?;
        self.store.probe().await?;
        let events = self.store.tip().await?;
        let mut waiter = self.store.watch_all();
        let caught_up = async {
            while self.store.feed_tip() < events {
                waiter.woken().await;
            }
        };
        tokio::select! {
            () = caught_up => {}
            () = Clock::System.sleep(FEED_LIMIT) => {
                return Err(GateFailure::FeedBehind { by: events - self.store.feed_tip() });
            }
        }
        let policy = self.policy.policy()?;
        Ok(api::ReadinessReport {
            status: "ready".to_owned(),
            events,
            open: self.store.open_now().await?.0,
            rules: policy.rules(),
            policy: policy.hash(),
            policy_trouble: self.policy.file_trouble(),
            webhook_trouble: self.webhook_trouble().await?,
            certificate_expires_at: None,
            certificate_trouble: None,
            checkpoint_at: None,
            checkpoint_trouble: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    pub(crate) async fn open_now(&self) -> Result<api::OpenRequestCount, GateFailure> {
        let (open, oldest) = self.store.open_now().await?;
        Ok(api::OpenRequestCount { open, oldest })
    }

    pub(crate) fn register_metrics(&self, registry: &mut Registry) {
        self.store.register(registry);
        self.metrics.register(registry);
        self.advisor_metrics.register(registry);
    }
}
