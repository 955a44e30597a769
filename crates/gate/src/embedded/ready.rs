//! True if all is well, tried out rather than believed.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api as api;
use countersign_policy::Policy;
use countersign_store::Clock;
use prometheus_client::registry::Registry;
use std::time::Duration;

/// How long the feed may take to hand out what the log has; the slowest way to it takes a tenth of that.
const PATIENCE: Duration = Duration::from_secs(2);

impl EmbeddedService {
    /// Writes to the file and reads it back, and waits until the feed has come as far as the log.
    pub(crate) async fn ready(&self) -> Result<api::ReadinessReport, GateFailure> {
        self.store.probe().await?;
        let events = self.store.tip().await?;
        let mut waiter = self.store.watch_all();
        let kept_up = async {
            while self.store.feed_tip() < events {
                waiter.woken().await;
            }
        };
        tokio::select! {
            () = kept_up => {}
            () = Clock::System.sleep(PATIENCE) => {
                return Err(GateFailure::FeedBehind { by: events - self.store.feed_tip() });
            }
        }
        let policy = self.policy.policy();
        Ok(api::ReadinessReport {
            status: "ready".to_owned(),
            events,
            open: self.store.open_now().await?.0,
            rules: policy.rules(),
            policy: policy.hash(),
            policy_trouble: self.policy.trouble(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    pub(crate) fn set_policy(&self, policy: Policy) {
        tracing::info!(hash = %policy.hash(), rules = policy.rules(), "another policy is in force");
        self.policy.exchange(policy);
    }

    pub(crate) fn policy_failed(&self, trouble: String) {
        tracing::error!(trouble, "the new policy cannot be read; the one before stays in force");
        self.policy.keep_because(trouble);
    }

    pub(crate) async fn open_now(&self) -> Result<api::OpenRequestCount, GateFailure> {
        let (open, oldest) = self.store.open_now().await?;
        Ok(api::OpenRequestCount { open, oldest })
    }

    pub(crate) fn register_metrics(&self, registry: &mut Registry) {
        self.store.register(registry);
        self.metrics.register(registry);
    }
}
