//! Server lists.

use crate::connection::ServerConnection;
use countersign_api::{self as api, GateError, LogFilter};
use countersign_events::{CallStateFilter, MessageFormat, ThreadId};
use reqwest::Url;
use serde::de::DeserializeOwned;

/// A list URL, and its query parameters.
struct ListUrl {
    url: Url,
    query: Vec<(&'static str, String)>,
}

impl ServerConnection {
    pub(crate) async fn pending(
        &self,
        filter: &LogFilter,
        page: api::PageQuery,
    ) -> Result<api::PendingPage, GateError> {
        self.list(self.list_url(filter, &["approvals", "pending"]).filter(filter).page(page)).await
    }

    pub(crate) async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: api::PageQuery,
    ) -> Result<api::CallPage, GateError> {
        let url = self.list_url(filter, &["tool-calls"]).filter(filter).page(page);
        self.list(url.with("state", state)).await
    }

    pub(crate) async fn events(
        &self,
        filter: &LogFilter,
        page: api::PageQuery,
    ) -> Result<api::EventPage, GateError> {
        self.list(self.list_url(filter, &["events"]).filter(filter).page(page)).await
    }

    pub(crate) async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError> {
        let filter = LogFilter { thread_id: thread.cloned(), ..LogFilter::default() };
        Ok(self.events(&filter, api::PageQuery { after: 0, limit: 1 }).await?.tip)
    }

    /// Returns the URL of an event stream with a filter.
    pub(crate) fn stream_url(&self, filter: &LogFilter) -> Url {
        let ListUrl { mut url, query } = self.list_url(filter, &["events"]).filter(filter);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    pub(crate) async fn messages(
        &self,
        thread: &ThreadId,
        page: api::PageQuery,
    ) -> Result<api::MessagePage, GateError> {
        self.list(ListUrl::at(self.thread_url(thread, &["messages"])).page(page)).await
    }

    pub(crate) async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: api::ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<api::ConversationView, GateError> {
        let url = ListUrl::at(self.thread_url(thread, &["messages"]));
        self.list(url.with("for", Some(reader.as_str())).with("format", format.map(MessageFormat::as_str)))
            .await
    }

    /// Returns the list URL for the filter's thread, or for all threads if the filter does not name one.
    fn list_url(&self, filter: &LogFilter, list: &[&str]) -> ListUrl {
        let url = match &filter.thread_id {
            Some(thread) => self.thread_url(thread, list),
            None => self.url(list),
        };
        ListUrl::at(url)
    }

    async fn list<T: DeserializeOwned>(&self, list: ListUrl) -> Result<T, GateError> {
        self.send(self.client.get(list.url).query(&list.query)).await
    }
}

impl ListUrl {
    fn at(url: Url) -> Self {
        Self { url, query: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    fn filter(mut self, filter: &LogFilter) -> Self {
        self.query.extend(filter.types.iter().map(|kind| ("type", kind.to_string())));
        self.with("tool", filter.tool.as_ref())
            .with("principal", filter.principal.as_ref())
            .with("since", filter.since)
            .with("until", filter.until)
            .with("argumentsHash", filter.arguments_hash)
            .with("agent", filter.agent.as_ref())
            .with("project", filter.project.as_ref())
            .with("touches", filter.touches.as_ref())
    }

    fn page(self, page: api::PageQuery) -> Self {
        self.with("after", Some(page.after)).with("limit", Some(page.limit))
    }
}
