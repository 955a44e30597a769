//! Stopping, over a local log: all that waits is denied in one transaction.

use super::EmbeddedService;
use crate::Error;
use countersign_api as api;
use countersign_approvals::{Call, ThreadCommand, Wish, decide::Stop};
use countersign_events::{Body, Event, Principal, ThreadId, event::Source};
use countersign_store::{Done, Filter};
use std::sync::Arc;

impl EmbeddedService {
    /// In that thread, or everywhere.
    pub(crate) async fn stop(
        &self,
        by: &Principal,
        thread: Option<&ThreadId>,
        stop: &api::StopRequest,
    ) -> Result<api::StopReport, Error> {
        let wish = Stop { tool: stop.tool.clone(), comment: stop.comment.clone() };
        let done = match thread {
            Some(thread) => self.order(by, Wish::Thread(thread.clone(), ThreadCommand::Stop(wish))).await?,
            None => self.order(by, Wish::Everywhere(wish)).await?,
        };
        let filter = Filter { thread_id: thread.cloned(), tool: stop.tool.clone(), ..Filter::default() };
        let page = api::PageQuery { limit: api::MAX_PAGE, ..api::PageQuery::default() };
        let left = self.store.pending(&filter, page.after, page.limit).await?;
        let which = |call: &Call| api::CallKey { thread_id: call.thread_id.clone(), id: call.id().clone() };
        Ok(api::StopReport { denied: denied(&done), left: left.items.iter().map(which).collect() })
    }
}

fn denied(done: &Done) -> Vec<api::CallKey> {
    let one = |event: &Arc<Event>| match Body::read(event.seq, event.kind, &event.data) {
        Ok(Body::ApprovalResponse(response)) if response.source == Source::Approver => {
            Some(api::CallKey { thread_id: event.thread_id.clone(), id: response.tool_call_id })
        }
        _ => None,
    };
    done.events.iter().filter_map(one).collect()
}
