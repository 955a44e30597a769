//! The settings of a thread on a server.

use crate::{connection::ServerConnection, lists::ListUrl};
use countersign_api::{self as api, GateError};
use countersign_events::{ThreadId, event::MessageFormat};
use reqwest::{Method, Url};

impl ServerConnection {
    pub(crate) fn thread_url(&self, thread: &ThreadId, suffix: &[&str]) -> Url {
        self.url(&[&["threads", thread.as_str()], suffix].concat())
    }

    pub(crate) async fn grants(
        &self,
        thread: &ThreadId,
        selection: api::GrantSelection,
        page: api::PageQuery,
    ) -> Result<api::GrantPage, GateError> {
        let all = (selection == api::GrantSelection::All).then_some(true);
        self.list(ListUrl::at(self.thread_url(thread, &["grants"])).page(page).with("all", all)).await
    }

    pub(crate) async fn revoke(&self, thread: &ThreadId, grant: i64) -> Result<api::GrantPage, GateError> {
        let url = self.thread_url(thread, &["grants", &grant.to_string()]);
        self.send(self.client.delete(url)).await
    }

    pub(crate) async fn mode(&self, thread: &ThreadId) -> Result<api::ThreadMode, GateError> {
        self.send(self.client.get(self.thread_url(thread, &["mode"]))).await
    }

    pub(crate) async fn set_mode(
        &self,
        thread: &ThreadId,
        set: &api::ModeRequest,
    ) -> Result<api::ThreadMode, GateError> {
        self.send_body(Method::PUT, self.thread_url(thread, &["mode"]), set).await
    }

    pub(crate) async fn policies(&self, thread: &ThreadId) -> Result<api::ThreadPolicies, GateError> {
        self.send(self.client.get(self.thread_url(thread, &["policy"]))).await
    }

    pub(crate) async fn set_policies(
        &self,
        thread: &ThreadId,
        set: &api::ToolPoliciesRequest,
    ) -> Result<api::ThreadPolicies, GateError> {
        self.send_body(Method::PUT, self.thread_url(thread, &["policy"]), set).await
    }

    pub(crate) async fn add_messages(
        &self,
        thread: &ThreadId,
        messages: &api::MessagesRequest,
    ) -> Result<api::MessagesReport, GateError> {
        self.post(self.thread_url(thread, &["messages"]), messages).await
    }

    pub(crate) async fn messages(
        &self,
        thread: &ThreadId,
        page: api::PageQuery,
    ) -> Result<api::MessagePage, GateError> {
        self.list(ListUrl::at(self.thread_url(thread, &["messages"])).page(page)).await
    }

    pub(crate) async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: api::ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<api::ConversationView, GateError> {
        let url = ListUrl::at(self.thread_url(thread, &["messages"]));
        self.list(url.with("for", Some(reader.as_str())).with("format", format.map(MessageFormat::as_str)))
            .await
    }

    pub(crate) async fn close(&self, thread: &ThreadId) -> Result<api::CloseReport, GateError> {
        self.post(self.thread_url(thread, &["close"]), &serde_json::json!({})).await
    }
}
