//! The tools of a server's log.

use crate::{connection::ServerConnection, lists::ListUrl};
use countersign_api::{self as api, GateError};
use countersign_events::ToolName;

impl ServerConnection {
    pub(crate) async fn tools(&self, page: api::PageQuery) -> Result<api::ToolPage, GateError> {
        self.list(ListUrl::at(self.url(&["tools"])).page(page)).await
    }

    pub(crate) async fn tool(&self, name: &ToolName) -> Result<api::ToolDetails, GateError> {
        self.send(self.client.get(self.url(&["tools", name.as_str()]))).await
    }

    pub(crate) async fn define_tools(
        &self,
        request: &api::DefineToolsRequest,
    ) -> Result<api::DefineToolsReport, GateError> {
        self.post(self.url(&["tools"]), request).await
    }

    pub(crate) async fn accept_definition(
        &self,
        name: &ToolName,
        request: &api::AcceptDefinitionRequest,
    ) -> Result<api::ToolDetails, GateError> {
        self.post(self.url(&["tools", name.as_str(), "accept"]), request).await
    }
}
