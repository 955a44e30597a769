//! Lists over a local file.

use super::{Local, read_width};
use crate::{Error, Events, api};
use countersign_approvals::{Body, Call, CallId, Event, Refused, State, ThreadId};
use countersign_store::Filter;
use std::{collections::HashMap, sync::Arc};

impl Local {
    pub(crate) async fn pending(&self, filter: &Filter, page: api::PageOf) -> Result<api::Pending, Error> {
        let page = self.store.pending(filter, page.after, most(page)).await?;
        let next = page.next;
        Ok(api::Pending { pending: self.informed(page.items).await?, next })
    }

    pub(crate) async fn calls(
        &self,
        filter: &Filter,
        state: Option<State>,
        page: api::PageOf,
    ) -> Result<api::Calls, Error> {
        let now = self.store.clock().now();
        let page = self.store.calls(filter, state, now, page.after, most(page)).await?;
        let calls = page.items.iter().map(|call| api::Call::at(call, now)).collect();
        Ok(api::Calls { calls, next: page.next })
    }

    pub(crate) async fn events(&self, filter: &Filter, page: api::PageOf) -> Result<api::EventPage, Error> {
        let page = self.store.events(filter, page.after, most(page)).await?;
        // Looked up after the page, so that it is never before what stands on it.
        let tip = self.tip(filter.thread_id.as_ref()).await?;
        Ok(api::EventPage { events: page.items.into_iter().map(Arc::new).collect(), next: page.next, tip })
    }

    pub(crate) fn follow(self: Arc<Self>, filter: Filter, after: i64) -> Events {
        let mut follower = self.store.follow(filter, after);
        Box::pin(async_stream::stream! {
            loop {
                let next = tokio::select! {
                    next = follower.next() => next,
                    () = self.stop.cancelled() => return,
                };
                let failed = next.is_err();
                yield next.map_err(Error::from);
                if failed {
                    return;
                }
            }
        })
    }

    pub(crate) async fn threads(&self, page: api::PageOf) -> Result<api::Threads, Error> {
        let page = self.store.threads(page.after, most(page)).await?;
        Ok(api::Threads { threads: page.items.into_iter().map(Into::into).collect(), next: page.next })
    }

    pub(crate) async fn thread(&self, thread: &ThreadId) -> Result<api::Thread, Error> {
        let found = self.store.outline(thread).await?;
        found.map(Into::into).ok_or_else(|| Refused::UnknownThread(thread.clone()).into())
    }

    /// The `seq` of the last event of the thread, or of the log.
    pub(crate) async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, Error> {
        Ok(match thread {
            Some(thread) => self.store.thread_tip(thread).await?,
            None => self.store.tip().await?,
        })
    }

    pub(crate) async fn stats(
        &self,
        filter: &Filter,
        progress: impl FnMut(i64, i64),
    ) -> Result<api::Stats, Error> {
        let mut counter = api::Counter::default();
        self.store.tally(filter.since, filter.until, |fate| counter.count(&fate), progress).await?;
        Ok(counter.stats(filter.since, filter.until))
    }
}

impl Local {
    /// The calls as people look at them: those that wait come with what each answer would reach.
    pub(super) async fn informed(
        &self,
        calls: impl IntoIterator<Item = Call>,
    ) -> Result<Vec<api::Call>, Error> {
        let (now, policy) = (self.store.clock().now(), self.policy.policy());
        let mut histories: HashMap<ThreadId, Vec<Call>> = HashMap::new();
        let mut informed = Vec::new();
        for call in calls {
            let mut view = api::Call::at(&call, now);
            if let Some(request) = view.request.as_mut().filter(|_| view.state == State::Pending) {
                if !histories.contains_key(&call.thread_id) {
                    histories.insert(call.thread_id.clone(), self.history(&call.thread_id).await?);
                }
                request.inform(&call, &histories[&call.thread_id], &policy);
            }
            informed.push(view);
        }
        Ok(informed)
    }

    /// How far that width would reach from that call.
    pub(crate) async fn reach(
        &self,
        thread: &ThreadId,
        id: &CallId,
        width: &api::Width,
    ) -> Result<api::Reach, Error> {
        let (call, width) = (self.look_up(thread, id).await?, read_width(&width.matches)?);
        let history = self.history(thread).await?;
        let others: Vec<_> = history.iter().filter(|other| other.id() != id).collect();
        Ok(api::Reach::of(&width, &call, &others, &self.policy.policy()))
    }

    /// The thread's last calls as they were proposed, the last first.
    async fn history(&self, thread: &ThreadId) -> Result<Vec<Call>, Error> {
        let history = self.store.history(thread, 0, LOOKED_AT).await?;
        Ok(history.items.iter().filter_map(proposed).collect())
    }
}

/// The call that an event proposes. One that cannot be read says nothing.
fn proposed(event: &Event) -> Option<Call> {
    let body = Body::read(event.seq, event.kind, &event.data).ok()?;
    Call::evolve(None, event, body).ok().flatten()
}

/// How many calls of a thread are looked at to tell how far an answer would reach.
const LOOKED_AT: usize = 1_000;

fn most(page: api::PageOf) -> usize {
    page.limit.min(api::MAX_PAGE)
}
