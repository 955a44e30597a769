//! What holds for a thread, over a server.

use super::{Remote, header, lists::Ask};
use crate::{
    Error,
    api::{self, PRINCIPAL_HEADER},
};
use countersign_events::{Principal, ThreadId};
use reqwest::{Method, Url};

impl Remote {
    pub(super) fn of_thread(&self, thread: &ThreadId, end: &[&str]) -> Url {
        self.url(&[&["threads", thread.as_str()], end].concat())
    }

    pub(crate) async fn grants(&self, thread: &ThreadId, page: api::PageOf) -> Result<api::Grants, Error> {
        self.list(Ask::at(self.of_thread(thread, &["grants"])).page(page)).await
    }

    pub(crate) async fn revoke(
        &self,
        by: &Principal,
        thread: &ThreadId,
        grant: i64,
    ) -> Result<api::Grants, Error> {
        let url = self.of_thread(thread, &["grants", &grant.to_string()]);
        self.send(self.client.delete(url).header(PRINCIPAL_HEADER, header(by))).await
    }

    pub(crate) async fn mode(&self, thread: &ThreadId) -> Result<api::ModeOf, Error> {
        self.send(self.client.get(self.of_thread(thread, &["mode"]))).await
    }

    pub(crate) async fn set_mode(
        &self,
        by: &Principal,
        thread: &ThreadId,
        set: &api::SetMode,
    ) -> Result<api::ModeOf, Error> {
        self.bring(by, Method::PUT, self.of_thread(thread, &["mode"]), set).await
    }

    pub(crate) async fn policies(&self, thread: &ThreadId) -> Result<api::PoliciesOf, Error> {
        self.send(self.client.get(self.of_thread(thread, &["policy"]))).await
    }

    pub(crate) async fn set_policies(
        &self,
        by: &Principal,
        thread: &ThreadId,
        set: &api::SetPolicies,
    ) -> Result<api::PoliciesOf, Error> {
        self.bring(by, Method::PUT, self.of_thread(thread, &["policy"]), set).await
    }

    pub(crate) async fn close(&self, by: &Principal, thread: &ThreadId) -> Result<api::Closed, Error> {
        self.post(by, self.of_thread(thread, &["close"]), &serde_json::json!({})).await
    }
}
