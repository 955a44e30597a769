//! What a server reports about the checkpoints that it signs.

use arc_swap::ArcSwap;
use countersign_api::ReadinessReport;
use countersign_events::Timestamp;
use prometheus_client::{
    metrics::{counter::Counter, gauge::Gauge},
    registry::{Registry, Unit},
};
use std::sync::{Arc, atomic::AtomicU64};

/// The checkpoint state of a server, for its readiness check and its metrics. Clones share the state.
#[derive(Debug, Clone, Default)]
pub struct CheckpointMonitor {
    outcome: Arc<ArcSwap<CheckpointOutcome>>,
    failures: Counter,
    last: Gauge<f64, AtomicU64>,
}

#[derive(Debug, Clone, Default)]
struct CheckpointOutcome {
    signed_at: Option<Timestamp>,
    trouble: Option<String>,
}

impl CheckpointMonitor {
    /// Records that the log's end has a checkpoint.
    pub fn record_success(&self, at: Timestamp) {
        self.last.set(std::time::Duration::from_millis(at.as_millis().unsigned_abs()).as_secs_f64());
        self.outcome.store(Arc::new(CheckpointOutcome { signed_at: Some(at), trouble: None }));
    }

    /// Records why no checkpoint was signed.
    pub fn record_failure(&self, trouble: String) {
        self.failures.inc();
        let signed_at = self.outcome.load().signed_at;
        self.outcome.store(Arc::new(CheckpointOutcome { signed_at, trouble: Some(trouble) }));
    }

    pub(crate) fn describe(&self, report: &mut ReadinessReport) {
        let outcome = self.outcome.load();
        report.checkpoint_at = outcome.signed_at;
        report.checkpoint_trouble.clone_from(&outcome.trouble);
    }

    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "Checkpoints that could not be signed, for example because the log lost the one before";
        registry.register("checkpoint_failures", help, self.failures.clone());
        let help = "The time of the last successful checkpoint, in seconds since 1970; 0 before the first";
        registry.register_with_unit("last_checkpoint_time", help, Unit::Seconds, self.last.clone());
    }
}
