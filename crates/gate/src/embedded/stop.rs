//! Stop: all pending calls are denied, and all allowed calls that have not started are cancelled, in one transaction.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{
    Call, CommandCaller, CommandTarget, RecordedEvent, ThreadCommand, decide::StopCommand,
};
use countersign_events::{Body, Source, Status, ThreadId};
use countersign_store::EventFilter;

impl EmbeddedService {
    /// Denies the pending calls of one thread, or of all threads if `thread` is `None`. The report names the calls that
    /// are still pending afterwards.
    pub(crate) async fn stop(
        &self,
        by: &CommandCaller,
        thread: Option<&ThreadId>,
        stop: &api::StopRequest,
    ) -> Result<api::StopReport, GateFailure> {
        let key_pair = |key: &api::CallToStop| (key.thread_id.clone(), key.id.clone());
        let calls = stop.calls.as_ref().map(|calls| calls.iter().map(key_pair).collect());
        let command = StopCommand { tool: stop.tool.clone(), calls, comment: stop.comment.clone() };
        let target = thread.map_or(CommandTarget::AllThreads, |thread| CommandTarget::Thread(thread.clone()));
        let outcome = self.execute_on_threads(by, target, ThreadCommand::Stop(command)).await?;
        let filter =
            EventFilter { thread_id: thread.cloned(), tool: stop.tool.clone(), ..EventFilter::default() };
        let page = api::PageQuery { limit: api::MAX_PAGE, ..api::PageQuery::default() };
        let left = self.store.pending(&filter, page.after, page.limit).await?;
        let call_key =
            |call: &Call| api::CallKey { thread_id: call.thread_id.clone(), id: call.id().clone() };
        Ok(api::StopReport {
            denied: outcome.events.iter().filter_map(denied_call).collect(),
            cancelled: outcome.events.iter().filter_map(cancelled_call).collect(),
            left: left.items.iter().map(call_key).collect(),
        })
    }
}

/// The call that this event denies, if it is a denial by a person.
fn denied_call(event: &RecordedEvent) -> Option<api::CallKey> {
    match &*event.body {
        Body::ApprovalResponse(response) if response.source == Source::Approver => {
            Some(api::CallKey { thread_id: event.thread_id.clone(), id: response.tool_call_id.clone() })
        }
        _ => None,
    }
}

/// The call that this event cancels, if it does.
fn cancelled_call(event: &RecordedEvent) -> Option<api::CallKey> {
    match &*event.body {
        Body::ToolResult(result) if result.status == Status::Cancelled => {
            Some(api::CallKey { thread_id: event.thread_id.clone(), id: result.tool_call_id.clone() })
        }
        _ => None,
    }
}
