//! Lists: what waits, calls, the log, threads, numbers.

use crate::{Error, Events, Filter, Gate, State, ThreadId, Way, api, patience::follow_on};
use futures_util::StreamExt;
use std::sync::Arc;

impl Gate {
    /// The calls of a filter that wait for people, the oldest first.
    pub async fn pending(&self, filter: &Filter, page: api::PageOf) -> Result<api::Pending, Error> {
        either!(self, way => way.pending(filter, page).await)
    }

    /// The calls of a filter, the last that was proposed first; only those in `state`, if one is named.
    pub async fn calls(
        &self,
        filter: &Filter,
        state: Option<State>,
        page: api::PageOf,
    ) -> Result<api::Calls, Error> {
        either!(self, way => way.calls(filter, state, page).await)
    }

    /// A page of the log: the events of a filter, in order.
    pub async fn events(&self, filter: &Filter, page: api::PageOf) -> Result<api::EventPage, Error> {
        either!(self, way => way.events(filter, page).await)
    }

    /// Every event of a filter after `after`, once, in order: first what is there, then what comes.
    #[must_use]
    pub fn follow(&self, filter: Filter, after: i64) -> Events {
        match &self.way {
            Way::Local(local) if self.is_patient() => follow_on(Arc::clone(local), filter, after).boxed(),
            Way::Local(local) => Arc::clone(local).follow(filter, after),
            Way::Remote(remote) => Arc::clone(remote).follow(filter, after).boxed(),
        }
    }

    /// The threads, the one that something happened in last first.
    pub async fn threads(&self, page: api::PageOf) -> Result<api::Threads, Error> {
        either!(self, way => way.threads(page).await)
    }

    /// One thread, seen from outside.
    pub async fn thread(&self, thread: &ThreadId) -> Result<api::Thread, Error> {
        either!(self, way => way.thread(thread).await)
    }

    /// What became of the calls that were proposed between `since` and `until` of the filter. Over a file
    /// `progress` hears up to which event it has come, of how many.
    pub async fn stats(
        &self,
        filter: &Filter,
        progress: impl FnMut(i64, i64) + Send,
    ) -> Result<api::Stats, Error> {
        match &self.way {
            Way::Local(local) => local.stats(filter, progress).await,
            Way::Remote(remote) => remote.stats(filter).await,
        }
    }
}
