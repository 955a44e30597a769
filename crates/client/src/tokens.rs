//! The tokens of a server's log.

use crate::{connection::ServerConnection, lists::ListUrl};
use countersign_api::{self as api, GateError};
use reqwest::Method;

impl ServerConnection {
    pub(crate) async fn caller(&self) -> Result<api::CallerView, GateError> {
        self.send(self.client.get(self.url(&["me"]))).await
    }

    pub(crate) async fn tokens(
        &self,
        selection: api::TokenSelection,
        page: api::PageQuery,
    ) -> Result<api::TokenPage, GateError> {
        let all = (selection == api::TokenSelection::All).then_some(true);
        self.list(ListUrl::at(self.url(&["tokens"])).page(page).with("all", all)).await
    }

    pub(crate) async fn create_token(&self, request: &api::TokenRequest) -> Result<api::NewToken, GateError> {
        self.post(self.url(&["tokens"]), request).await
    }

    pub(crate) async fn revoke_token(
        &self,
        id: &str,
        request: &api::RevokeTokenRequest,
    ) -> Result<api::Token, GateError> {
        self.send_body(Method::POST, self.url(&["tokens", id, "revoke"]), request).await
    }
}
