//! What the gateway tasks share, and the tool definitions.

use crate::{
    ServerPlaces, ToolCallFrame,
    call_table::CallTable,
    open_forms::OpenForms,
    open_requests::OpenRequests,
    parked_call::StateMeaning,
    request_state::RequestStates,
    tool_catalog::{CatalogTool, ToolCatalog},
};
use countersign_api::{Call, ThreadId, random_id};
use countersign_events::{Json, Timestamp};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Sends frames to the server. The server input ends when the last sender is dropped.
pub(crate) type ServerSender = mpsc::Sender<String>;

/// The most pages of `tools/list` that the gateway reads.
const MAX_PAGES: usize = 100;

/// Gateway settings.
#[derive(Clone)]
pub struct GatewayOptions {
    /// The thread for all calls.
    pub thread: ThreadId,
    /// Where the calls run.
    pub places: ServerPlaces,
    /// The server's name. It precedes tool names, as `server__tool`.
    pub server_name: Option<String>,
    /// Whether to record server hints that make a tool look harmless, so that the policy may believe
    /// them.
    pub trust_hints: bool,
    /// The time for which a request without a progress token waits for people.
    pub hold: Duration,
    /// How long a form of the server waits in the client before it is in the inbox, too.
    pub questions_after: Duration,
    /// The time between progress notifications.
    pub progress_interval: Duration,
    /// The claim lease in seconds.
    pub lease_seconds: u32,
    /// Returns the current time.
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// Where people decide on the calls of all tools: an address or a sentence.
    pub tools_location: String,
    /// Says where people decide on a call: an address or a sentence.
    pub describe_location: Arc<dyn Fn(&Call) -> String + Send + Sync>,
}

impl GatewayOptions {
    /// The tool name in Countersign.
    pub(crate) fn tool_name(&self, tool: &str) -> String {
        self.server_name.as_ref().map_or_else(|| tool.to_owned(), |server| format!("{server}__{tool}"))
    }
}

/// What the gateway tasks share.
pub(crate) struct GatewayCore {
    pub(crate) options: GatewayOptions,
    pub(crate) calls: CallTable,
    pub(crate) requests: OpenRequests,
    pub(crate) tasks: TaskTracker,
    /// The client is gone.
    pub(crate) closing: CancellationToken,
    pub(crate) to_client: mpsc::Sender<String>,
    /// The states that the client returns in a further round of a request.
    pub(crate) states: RequestStates<StateMeaning>,
    /// Whether the client opens addresses for its user. Clients from 2026-07-28 on say so in each request instead.
    pub(crate) opens_urls: AtomicBool,
    /// Whether the client shows the forms of servers to its user.
    pub(crate) shows_forms: AtomicBool,
    pub(crate) forms: Mutex<OpenForms>,
    pub(crate) catalog: Mutex<ToolCatalog>,
    /// Held while the gateway reads the list of tools.
    pub(crate) catalog_reading: tokio::sync::Mutex<()>,
}

/// What the gateway knows about a tool.
enum KnownTool {
    Found(Box<CatalogTool>),
    /// The server does not list it.
    Missing,
    /// The list of tools was not read.
    Unread,
}

impl KnownTool {
    fn found(self) -> Option<CatalogTool> {
        match self {
            Self::Found(tool) => Some(*tool),
            Self::Missing | Self::Unread => None,
        }
    }
}

impl GatewayCore {
    pub(crate) fn catalog(&self) -> MutexGuard<'_, ToolCatalog> {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn send_to_client(&self, frame: String) {
        // A client that is gone reads nothing.
        let _ = self.to_client.send(frame).await;
    }

    /// A tool definition. If the client has not asked for it, the gateway reads the list of tools itself.
    pub(crate) async fn find_tool(
        &self,
        frame: &ToolCallFrame,
        to_server: &ServerSender,
    ) -> Option<CatalogTool> {
        let known = self.known_tool(&frame.name);
        if !matches!(known, KnownTool::Unread) {
            return known.found();
        }
        let _reading = self.catalog_reading.lock().await;
        let known = self.known_tool(&frame.name);
        if !matches!(known, KnownTool::Unread) {
            return known.found();
        }
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let answer = self.request_tools(frame, cursor.as_deref(), to_server).await?;
            cursor = self.catalog().add_page(&answer, self.options.trust_hints);
            if cursor.is_none() {
                break;
            }
        }
        self.catalog().is_complete = true;
        self.known_tool(&frame.name).found()
    }

    fn known_tool(&self, name: &str) -> KnownTool {
        let catalog = self.catalog();
        match catalog.get(name) {
            Some(tool) => KnownTool::Found(Box::new(tool.clone())),
            None if catalog.is_complete => KnownTool::Missing,
            None => KnownTool::Unread,
        }
    }

    async fn request_tools(
        &self,
        frame: &ToolCallFrame,
        cursor: Option<&str>,
        to_server: &ServerSender,
    ) -> Option<String> {
        let id = Json::string(&random_id("countersign-"));
        let cursor = cursor.map(|cursor| format!("\"cursor\":{}", Json::string(cursor).as_str()));
        let meta = frame.protocol_meta.as_ref().map(|meta| format!("\"_meta\":{}", meta.as_str()));
        let params = [cursor, meta].into_iter().flatten().collect::<Vec<_>>().join(",");
        let text = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\",\"params\":{{{params}}}}}",
            id.as_str()
        );
        let answer = self.requests.begin_own(&id.canonical().ok()?);
        to_server.send(text).await.ok()?;
        answer.await.ok()
    }
}
