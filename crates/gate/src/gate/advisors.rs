//! The operations that the runner of advisors needs.

use super::EmbeddedGate;
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{advisor_directory::AdvisorDirectory, decide::AdviceCommand};
use countersign_events::{CallId, Principal, ThreadId};

impl EmbeddedGate {
    /// Records the advice of an advisor on a call. It answers the request only if the rules let it. The second advice of
    /// an advisor on a call changes nothing.
    pub async fn record_advice(
        &self,
        thread: &ThreadId,
        id: &CallId,
        advice: &AdviceCommand,
    ) -> Result<api::Call, GateFailure> {
        self.service.record_advice(thread, id, advice).await
    }

    /// Reads the reports on advisors and their modes.
    pub async fn advisor_directory(&self) -> Result<AdvisorDirectory, GateFailure> {
        self.service.read_advisors().await
    }

    /// Lets an advisor only advise from here on, as the service, because people contradict it too often.
    pub async fn let_advisor_fall_back(
        &self,
        name: &str,
        request: &api::AdvisorModeRequest,
    ) -> Result<(), GateFailure> {
        self.service.set_advisor_mode(&Principal::system("drift").into(), name, request).await
    }
}
