//! What holds for a thread, over a local file.

use super::EmbeddedService;
use crate::{
    Error,
    view::{grant_page, view_mode, view_policies},
};
use countersign_api as api;
use countersign_approvals::{Refused, ThreadCommand, Wish};
use countersign_events::{CallId, Event, EventType, Principal, ThreadId, event::ToolResult};

impl EmbeddedService {
    pub(crate) async fn grants(
        &self,
        thread: &ThreadId,
        page: api::PageQuery,
    ) -> Result<api::GrantPage, Error> {
        Ok(grant_page(&self.store.thread(thread).await?, page))
    }

    pub(crate) async fn revoke(
        &self,
        by: &Principal,
        thread: &ThreadId,
        grant: i64,
    ) -> Result<api::GrantPage, Error> {
        self.order(by, Wish::Thread(thread.clone(), ThreadCommand::Revoke(grant))).await?;
        self.grants(thread, api::PageQuery::default()).await
    }

    pub(crate) async fn mode(&self, thread: &ThreadId) -> Result<api::ThreadMode, Error> {
        Ok(view_mode(thread, &self.store.thread(thread).await?))
    }

    pub(crate) async fn set_mode(
        &self,
        by: &Principal,
        thread: &ThreadId,
        set: &api::ModeRequest,
    ) -> Result<api::ThreadMode, Error> {
        self.order(by, Wish::Thread(thread.clone(), ThreadCommand::SetMode(set.mode))).await?;
        self.mode(thread).await
    }

    pub(crate) async fn policies(&self, thread: &ThreadId) -> Result<api::ThreadPolicies, Error> {
        Ok(view_policies(thread, &self.store.thread(thread).await?))
    }

    pub(crate) async fn set_policies(
        &self,
        by: &Principal,
        thread: &ThreadId,
        set: &api::ToolPoliciesRequest,
    ) -> Result<api::ThreadPolicies, Error> {
        let policies = set.tools.iter().map(|(tool, policy)| (tool.clone(), *policy)).collect();
        self.order(by, Wish::Thread(thread.clone(), ThreadCommand::SetPolicies(policies))).await?;
        self.policies(thread).await
    }

    pub(crate) async fn close(&self, by: &Principal, thread: &ThreadId) -> Result<api::CloseReport, Error> {
        // A slip of the name must not close for ever what nobody has begun.
        if self.store.thread_tip(thread).await? == 0 {
            return Err(Refused::UnknownThread(thread.clone()).into());
        }
        let done = self.order(by, Wish::Thread(thread.clone(), ThreadCommand::Close)).await?;
        let closed = self.store.thread(thread).await?.closed;
        // The order has just been carried out, so its event is there; the clock stands in if it is not.
        let (at, by) =
            closed.map_or_else(|| (self.store.clock().now(), by.clone()), |fact| (fact.at, fact.by));
        let cancelled = done.events.iter().filter_map(|event| cancelled(event)).collect();
        Ok(api::CloseReport { thread_id: thread.clone(), closed_at: at, principal: by, cancelled })
    }
}

/// The call that this event ended, if it is such an event.
fn cancelled(event: &Event) -> Option<CallId> {
    let ended = (event.kind == EventType::ToolResult).then(|| event.data.read::<ToolResult>());
    ended?.ok().map(|ended| ended.tool_call_id)
}
