//! The policy of a server's log.

use crate::{connection::ServerConnection, lists::ListUrl};
use countersign_api::{self as api, GateError};
use reqwest::Method;

impl ServerConnection {
    pub(crate) async fn policy(&self) -> Result<api::PolicyInForce, GateError> {
        self.send(self.client.get(self.url(&["policy"]))).await
    }

    pub(crate) async fn policy_history(&self, page: api::PageQuery) -> Result<api::EventPage, GateError> {
        self.list(ListUrl::at(self.url(&["policy", "history"])).page(page)).await
    }

    pub(crate) async fn apply_policy(
        &self,
        request: &api::PolicyRequest,
    ) -> Result<api::PolicyInForce, GateError> {
        self.send_body(Method::PUT, self.url(&["policy"]), request).await
    }
}
