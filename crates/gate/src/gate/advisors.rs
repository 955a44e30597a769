//! Operations for the advisor runner.

use super::EmbeddedGate;
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{advisor_directory::AdvisorDirectory, decide::AdviceCommand};
use countersign_events::{CallId, ThreadId};
use std::sync::Arc;

impl EmbeddedGate {
    /// Records an advisor's advice on a call. It answers the request only if the rules permit that. An advisor's second
    /// advice on a call changes nothing.
    pub async fn record_advice(
        &self,
        thread: &ThreadId,
        id: &CallId,
        advice: &AdviceCommand,
    ) -> Result<api::Call, GateFailure> {
        self.service.record_advice(thread, id, advice).await
    }

    /// Reads the reports on advisors and their modes.
    pub async fn advisor_directory(&self) -> Result<Arc<AdvisorDirectory>, GateFailure> {
        self.service.read_advisors().await
    }

    /// Reads the advisor modes and drift for the metrics. A policy that this version cannot read has none.
    pub async fn refresh_advisor_metrics(&self) -> Result<(), GateFailure> {
        let list = match self.service.policy.policy() {
            Ok(_) => self.service.advisors().await?.advisors,
            Err(_) => Vec::new(),
        };
        self.service.advisor_metrics.set_advisors(&list);
        Ok(())
    }

    /// Lets each advisor that decides, and that people contradict more often than the policy accepts, only advise from
    /// now on, as the service. A second process that does the same concurrently changes nothing.
    pub async fn check_advisor_drift(&self) -> Result<(), GateFailure> {
        self.service.check_advisor_drift().await
    }
}
