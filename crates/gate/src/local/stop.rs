//! Stop: all pending calls are denied in one transaction.

use super::Local;
use crate::{Error, api};
use countersign_approvals::{
    Body, Call, CommandTarget, Principal, RecordedEvent, ThreadCommand, ThreadId, decide::StopCommand,
    event::Source,
};
use countersign_store::Filter;

impl Local {
    /// Denies the pending calls of one thread, or of all threads.
    pub(crate) async fn stop(
        &self,
        by: &Principal,
        thread: Option<&ThreadId>,
        stop: &api::Stop,
    ) -> Result<api::Stopped, Error> {
        let command = StopCommand { tool: stop.tool.clone(), comment: stop.comment.clone() };
        let target = thread.map_or(CommandTarget::AllThreads, |thread| CommandTarget::Thread(thread.clone()));
        let outcome = self.execute_on_threads(by, target, ThreadCommand::Stop(command)).await?;
        let filter = Filter { thread_id: thread.cloned(), tool: stop.tool.clone(), ..Filter::default() };
        let page = api::PageOf { limit: api::MAX_PAGE, ..api::PageOf::default() };
        let left = self.store.pending(&filter, page.after, page.limit).await?;
        let which = |call: &Call| api::Which { thread_id: call.thread_id.clone(), id: call.id().clone() };
        Ok(api::Stopped {
            denied: outcome.events.iter().filter_map(denied_call).collect(),
            left: left.items.iter().map(which).collect(),
        })
    }
}

/// The call that this event denies, if it is a denial by a person.
fn denied_call(event: &RecordedEvent) -> Option<api::Which> {
    match &event.body {
        Body::ApprovalResponse(response) if response.source == Source::Approver => {
            Some(api::Which { thread_id: event.thread_id.clone(), id: response.tool_call_id.clone() })
        }
        _ => None,
    }
}
