//! Stopping, over a local log: all that waits is denied in one transaction.

use super::Local;
use crate::{Error, api};
use countersign_approvals::{Call, ThreadCommand, Wish, decide::Stop};
use countersign_events::{Body, Event, Principal, ThreadId, event::Source};
use countersign_store::{Done, Filter};
use std::sync::Arc;

impl Local {
    /// In that thread, or everywhere.
    pub(crate) async fn stop(
        &self,
        by: &Principal,
        thread: Option<&ThreadId>,
        stop: &api::Stop,
    ) -> Result<api::Stopped, Error> {
        let wish = Stop { tool: stop.tool.clone(), comment: stop.comment.clone() };
        let done = match thread {
            Some(thread) => self.order(by, Wish::Thread(thread.clone(), ThreadCommand::Stop(wish))).await?,
            None => self.order(by, Wish::Everywhere(wish)).await?,
        };
        let filter = Filter { thread_id: thread.cloned(), tool: stop.tool.clone(), ..Filter::default() };
        let page = api::PageOf { limit: api::MAX_PAGE, ..api::PageOf::default() };
        let left = self.store.pending(&filter, page.after, page.limit).await?;
        let which = |call: &Call| api::Which { thread_id: call.thread_id.clone(), id: call.id().clone() };
        Ok(api::Stopped { denied: denied(&done), left: left.items.iter().map(which).collect() })
    }
}

fn denied(done: &Done) -> Vec<api::Which> {
    let one = |event: &Arc<Event>| match Body::read(event.seq, event.kind, &event.data) {
        Ok(Body::ApprovalResponse(response)) if response.source == Source::Approver => {
            Some(api::Which { thread_id: event.thread_id.clone(), id: response.tool_call_id })
        }
        _ => None,
    };
    done.events.iter().filter_map(one).collect()
}
