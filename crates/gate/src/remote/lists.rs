//! Lists over a server.

use super::Remote;
use crate::{Error, api};
use countersign_events::{State, ThreadId};
use countersign_store::Filter;
use reqwest::Url;
use serde::de::DeserializeOwned;

/// A list's address, with what its query asks for.
pub(super) struct Ask {
    url: Url,
    query: Vec<(&'static str, String)>,
}

impl Remote {
    pub(crate) async fn pending(&self, filter: &Filter, page: api::PageOf) -> Result<api::Pending, Error> {
        self.list(self.ask(filter, &["approvals", "pending"]).of(filter).page(page)).await
    }

    pub(crate) async fn calls(
        &self,
        filter: &Filter,
        state: Option<State>,
        page: api::PageOf,
    ) -> Result<api::Calls, Error> {
        let ask = self.ask(filter, &["tool-calls"]).of(filter).page(page);
        self.list(ask.with("state", state)).await
    }

    pub(crate) async fn events(&self, filter: &Filter, page: api::PageOf) -> Result<api::EventPage, Error> {
        self.list(self.ask(filter, &["events"]).of(filter).page(page)).await
    }

    pub(crate) async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, Error> {
        let filter = Filter { thread_id: thread.cloned(), ..Filter::default() };
        Ok(self.events(&filter, api::PageOf { after: 0, limit: 1 }).await?.tip)
    }

    /// Where the events of a filter stream.
    pub(super) fn stream_url(&self, filter: &Filter) -> Url {
        let Ask { mut url, query } = self.ask(filter, &["events"]).of(filter);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    pub(crate) async fn threads(&self, page: api::PageOf) -> Result<api::Threads, Error> {
        self.list(Ask::at(self.url(&["threads"])).page(page)).await
    }

    pub(crate) async fn thread(&self, thread: &ThreadId) -> Result<api::Thread, Error> {
        self.send(self.client.get(self.of_thread(thread, &[]))).await
    }

    pub(crate) async fn stats(&self, filter: &Filter) -> Result<api::Stats, Error> {
        let ask = Ask::at(self.url(&["stats"]));
        self.list(ask.with("since", filter.since).with("until", filter.until)).await
    }

    /// The list of a thread where the filter names one, of all threads where not.
    fn ask(&self, filter: &Filter, list: &[&str]) -> Ask {
        let url = match &filter.thread_id {
            Some(thread) => self.of_thread(thread, list),
            None => self.url(list),
        };
        Ask::at(url)
    }

    pub(super) async fn list<T: DeserializeOwned>(&self, ask: Ask) -> Result<T, Error> {
        self.send(self.client.get(ask.url).query(&ask.query)).await
    }
}

impl Ask {
    pub(super) fn at(url: Url) -> Self {
        Self { url, query: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    fn of(mut self, filter: &Filter) -> Self {
        self.query.extend(filter.types.iter().map(|kind| ("type", kind.to_string())));
        self.with("tool", filter.tool.as_ref())
            .with("principal", filter.principal.as_ref())
            .with("since", filter.since)
            .with("until", filter.until)
    }

    pub(super) fn page(self, page: api::PageOf) -> Self {
        self.with("after", Some(page.after)).with("limit", Some(page.limit))
    }
}
