//! Thread settings: grants, mode, policies, closing.

use super::EmbeddedService;
use crate::{
    GateFailure,
    view::{DenialMemory, grant_page, view_mode, view_policies},
};
use countersign_api as api;
use countersign_approvals::{CommandCaller, CommandTarget, RecordedEvent, Refused, ThreadCommand};
use countersign_events::{Body, CallId, GrantLimits, ThreadId, principal::PrincipalKind};
use countersign_store::CommandOutcome;

impl EmbeddedService {
    async fn execute_on_thread(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        command: ThreadCommand,
    ) -> Result<CommandOutcome, GateFailure> {
        self.execute_on_threads(by, CommandTarget::Thread(thread.clone()), command).await
    }

    pub(crate) async fn grants(
        &self,
        thread: &ThreadId,
        query: api::SelectionQuery,
    ) -> Result<api::GrantPage, GateFailure> {
        let memory =
            DenialMemory { now: self.store.clock().now(), span: self.policy.policy_for_views().remember() };
        let state = self.store.thread_with_decisions(thread, memory.now.before(memory.span)).await?;
        Ok(grant_page(&state, memory, query))
    }

    pub(crate) async fn revoke(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        grant: i64,
    ) -> Result<api::GrantPage, GateFailure> {
        self.execute_on_thread(by, thread, ThreadCommand::Revoke(grant)).await?;
        self.grants(thread, api::SelectionQuery::default()).await
    }

    pub(crate) async fn prolong(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        grant: i64,
        limits: api::ProlongRequest,
    ) -> Result<api::GrantPage, GateFailure> {
        let limits = GrantLimits { seconds: limits.expires_in_seconds, uses: limits.uses };
        self.execute_on_thread(by, thread, ThreadCommand::Prolong(grant, limits)).await?;
        self.grants(thread, api::SelectionQuery::default()).await
    }

    pub(crate) async fn mode(&self, thread: &ThreadId) -> Result<api::ThreadMode, GateFailure> {
        Ok(view_mode(thread, &self.store.thread(thread).await?))
    }

    pub(crate) async fn set_mode(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        set: &api::ModeRequest,
    ) -> Result<api::ThreadMode, GateFailure> {
        self.check_thread_exists(by, thread, set.new_thread).await?;
        self.execute_on_thread(by, thread, ThreadCommand::SetMode(set.mode)).await?;
        self.mode(thread).await
    }

    /// A mistyped name must not restrict a thread that does not exist, instead of the one that was meant.
    async fn check_thread_exists(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        may_be_new: bool,
    ) -> Result<(), GateFailure> {
        // The rules refuse an agent, whether or not the thread exists.
        if may_be_new
            || by.principal.kind() != PrincipalKind::User
            || self.store.thread_tip(thread).await? > 0
        {
            return Ok(());
        }
        Err(Refused::UnknownThread(thread.clone()).into())
    }

    pub(crate) async fn policies(&self, thread: &ThreadId) -> Result<api::ThreadPolicies, GateFailure> {
        Ok(view_policies(thread, &self.store.thread(thread).await?))
    }

    pub(crate) async fn set_policies(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        set: &api::ToolPoliciesRequest,
    ) -> Result<api::ThreadPolicies, GateFailure> {
        self.check_thread_exists(by, thread, set.new_thread).await?;
        let policies = set.tools.iter().map(|(tool, policy)| (tool.clone(), *policy)).collect();
        self.execute_on_thread(by, thread, ThreadCommand::SetPolicies(policies)).await?;
        self.policies(thread).await
    }

    pub(crate) async fn close(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
    ) -> Result<api::CloseReport, GateFailure> {
        // A mistyped name must not close a thread that does not exist yet.
        if self.store.thread_tip(thread).await? == 0 {
            return Err(Refused::UnknownThread(thread.clone()).into());
        }
        let outcome = self.execute_on_thread(by, thread, ThreadCommand::Close).await?;
        let closed = self.store.thread(thread).await?.closed;
        // The closing event was just written. If another process cannot show it yet, the clock gives the time.
        let (at, by) = closed
            .map_or_else(|| (self.store.clock().now(), by.principal.clone()), |fact| (fact.at, fact.by));
        let cancelled = outcome.events.iter().filter_map(cancelled_call).collect();
        Ok(api::CloseReport { thread_id: thread.clone(), closed_at: at, principal: by, cancelled })
    }
}

/// The call that this event ends, if it is a result.
fn cancelled_call(event: &RecordedEvent) -> Option<CallId> {
    match &*event.body {
        Body::ToolResult(result) => Some(result.tool_call_id.clone()),
        _ => None,
    }
}
