//! The keys of approvers of a server's log.

use crate::{connection::ServerConnection, lists::ListUrl};
use countersign_api::{self as api, GateError};
use reqwest::Method;

impl ServerConnection {
    pub(crate) async fn approver_keys(
        &self,
        selection: api::ApproverKeySelection,
        page: api::PageQuery,
    ) -> Result<api::ApproverKeyPage, GateError> {
        let all = (selection == api::ApproverKeySelection::All).then_some(true);
        self.list(ListUrl::at(self.url(&["approver-keys"])).page(page).with("all", all)).await
    }

    pub(crate) async fn add_approver_key(
        &self,
        request: &api::ApproverKeyRequest,
    ) -> Result<api::ApproverKey, GateError> {
        self.post(self.url(&["approver-keys"]), request).await
    }

    pub(crate) async fn remove_approver_key(
        &self,
        id: &str,
        request: &api::RemoveKeyRequest,
    ) -> Result<api::ApproverKey, GateError> {
        self.send_body(Method::POST, self.url(&["approver-keys", id, "remove"]), request).await
    }
}
