//! What the hub tasks share.

use super::{
    pending_requests::PendingRequests,
    resource_index::ResourceIndex,
    server_link::{ReadyServer, ServerLink},
};
use crate::answer_text::protocol_error;
use countersign_events::Json;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Hub settings.
#[derive(Clone)]
pub struct HubOptions {
    /// The time in which a server must answer the greeting and each list.
    pub answer_limit: Duration,
    /// Tells the user about a server that cannot be used.
    pub note: Arc<dyn Fn(&str) + Send + Sync>,
}

/// The client behind the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HubClient {
    /// It has not sent a request yet.
    Unknown,
    /// It sent `initialize`, with these parameters.
    Session { params: String },
    /// Each of its requests carries its protocol version (2026-07-28), with these members of `_meta`.
    Stateless { meta: String },
}

/// An open `subscriptions/listen` of the client.
#[derive(Debug, Clone)]
pub(crate) struct Subscription {
    /// The request's id as it is written.
    pub(crate) id: String,
    /// The kinds of lists whose changes it asks for.
    pub(crate) lists: Vec<&'static str>,
    /// The resources whose changes it asks for.
    pub(crate) uris: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct HubState {
    pub(crate) client: HubClient,
    /// `notifications/initialized` of the client, once it has sent it.
    pub(crate) initialized: Option<String>,
    pub(crate) pending: PendingRequests,
    pub(crate) resources: ResourceIndex,
    /// The server and the original name of each tool whose name was changed.
    pub(crate) changed_names: HashMap<String, (usize, String)>,
    /// The servers of tasks, by their id.
    pub(crate) tasks: HashMap<String, usize>,
    pub(crate) subscriptions: HashMap<String, Subscription>,
}

/// What the hub tasks share.
pub(crate) struct HubCore {
    pub(crate) servers: Vec<ServerLink>,
    pub(crate) options: HubOptions,
    pub(crate) to_client: mpsc::Sender<String>,
    pub(crate) tasks: TaskTracker,
    /// The client has ended, so the servers end, too.
    pub(crate) closing: CancellationToken,
    state: Mutex<HubState>,
}

impl HubCore {
    pub(crate) fn new(
        servers: Vec<ServerLink>,
        options: HubOptions,
        to_client: mpsc::Sender<String>,
    ) -> Self {
        let state = HubState {
            client: HubClient::Unknown,
            initialized: None,
            pending: PendingRequests::default(),
            resources: ResourceIndex::default(),
            changed_names: HashMap::new(),
            tasks: HashMap::new(),
            subscriptions: HashMap::new(),
        };
        Self {
            servers,
            options,
            to_client,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            state: Mutex::new(state),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn send_to_client(&self, frame: String) {
        // A client that is gone reads nothing.
        let _ = self.to_client.send(frame).await;
    }

    pub(crate) async fn send_result(&self, id: &Json, result: &str) {
        self.send_to_client(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", id.as_str()))
            .await;
    }

    pub(crate) async fn send_error(&self, id: &Json, code: i32, why: &str) {
        self.send_to_client(protocol_error(Some(id), code, why)).await;
    }

    /// Returns true if the client repeats its protocol version in each request.
    pub(crate) fn has_stateless_client(&self) -> bool {
        matches!(self.state().client, HubClient::Stateless { .. })
    }

    /// The servers that answer requests.
    pub(crate) fn ready_servers(&self) -> Vec<(usize, ReadyServer)> {
        let servers = self.servers.iter().enumerate();
        servers.filter_map(|(index, link)| Some((index, link.ready()?))).collect()
    }

    /// The index of the server with this name.
    pub(crate) fn find_server(&self, name: &str) -> Option<usize> {
        self.servers.iter().position(|link| link.name.as_str() == name)
    }

    /// Tells the user about a server.
    pub(crate) fn note(&self, server: usize, why: &str) {
        if self.closing.is_cancelled() {
            return;
        }
        let name = self.servers.get(server).map_or("?", |link| link.name.as_str());
        tracing::warn!(server = name, "{why}");
        (self.options.note)(&format!("the server {name}: {why}"));
    }
}
