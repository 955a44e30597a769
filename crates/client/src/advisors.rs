//! The advisors of a server's policy.

use crate::connection::ServerConnection;
use countersign_api::{self as api, GateError};

impl ServerConnection {
    pub(crate) async fn advisors(&self) -> Result<api::AdvisorList, GateError> {
        self.send(self.client.get(self.url(&["advisors"]))).await
    }

    pub(crate) async fn report_advisor(
        &self,
        name: &str,
        request: &api::AdvisorReportRequest,
    ) -> Result<api::AdvisorList, GateError> {
        self.post(self.url(&["advisors", name, "reports"]), request).await
    }

    pub(crate) async fn set_advisor_mode(
        &self,
        name: &str,
        request: &api::AdvisorModeRequest,
    ) -> Result<api::AdvisorList, GateError> {
        self.post(self.url(&["advisors", name, "mode"]), request).await
    }
}
