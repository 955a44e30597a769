//! A hub's connection to one server, and the hub's own requests to it.

use super::{hub_frame::HubFrame, names::ServerName};
use crate::client_frame::without_carriage_returns;
use countersign_api::random_id;
use countersign_events::Json;
use countersign_json_rpc::JsonObject;
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::{mpsc, oneshot, watch};

/// The server state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LinkState {
    /// It was not greeted yet.
    New,
    Greeting,
    Ready(ReadyServer),
    /// It cannot be used, for this reason.
    Failed(String),
}

/// A server that answers requests.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReadyServer {
    /// Whether each request carries its protocol version (2026-07-28), so that there is no session.
    pub(crate) is_stateless: bool,
    /// The result of `initialize` or `server/discover`.
    pub(crate) greeting: Map<String, Value>,
    /// The members of `_meta` that each request without a session needs.
    pub(crate) meta: Option<String>,
}

impl ReadyServer {
    /// A server capability.
    pub(crate) fn capability(&self, name: &str) -> Option<&Value> {
        self.greeting.get("capabilities")?.get(name)
    }
}

/// The connection to one server.
pub(crate) struct ServerLink {
    pub(crate) name: ServerName,
    pub(crate) state: watch::Sender<LinkState>,
    frames: Mutex<Option<mpsc::Sender<String>>>,
    own: Mutex<HashMap<String, oneshot::Sender<String>>>,
    /// True once it has `notifications/initialized`.
    is_initialized: AtomicBool,
}

/// The reason why a hub request has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LinkFailure {
    #[error("it ended")]
    Gone,
    #[error("it did not answer {0} in time")]
    Late(String),
    /// The error member's text.
    #[error("it answered {0} with the error {1}")]
    Refused(String, String),
}

impl ServerLink {
    pub(crate) fn new(name: ServerName, frames: mpsc::Sender<String>) -> Self {
        Self {
            name,
            state: watch::Sender::new(LinkState::New),
            frames: Mutex::new(Some(frames)),
            own: Mutex::default(),
            is_initialized: AtomicBool::new(false),
        }
    }

    fn own(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<String>>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server, if it answers requests.
    pub(crate) fn ready(&self) -> Option<ReadyServer> {
        match &*self.state.borrow() {
            LinkState::Ready(ready) => Some(ready.clone()),
            _ => None,
        }
    }

    /// The reason why the server cannot be used.
    pub(crate) fn failure(&self) -> Option<String> {
        match &*self.state.borrow() {
            LinkState::Failed(why) => Some(why.clone()),
            _ => None,
        }
    }

    /// Sends a client frame; false if the server is gone.
    pub(crate) async fn send(&self, frame: &str) -> bool {
        let sender = self.frames.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let frame = without_carriage_returns(&frame.replace('\n', " "));
        match sender {
            Some(sender) => sender.send(frame).await.is_ok(),
            None => false,
        }
    }

    /// Sends one of the hub's own requests and returns the `result` of the answer. `params` is a JSON object.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: &str,
        limit: Duration,
    ) -> Result<String, LinkFailure> {
        let id = Json::string(&random_id("countersign-hub-"));
        let key = id.canonical().map_err(|_| LinkFailure::Gone)?;
        let (answer, receiver) = oneshot::channel();
        self.own().insert(key.clone(), answer);
        let frame = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":{},\"params\":{params}}}",
            id.as_str(),
            Json::string(method).as_str()
        );
        let frame = match self.ready().and_then(|ready| ready.meta) {
            Some(meta) => HubFrame::read(&frame).map_or_else(|_| frame.clone(), |read| read.with_meta(&meta)),
            None => frame,
        };
        if !self.send(&frame).await {
            self.own().remove(&key);
            return Err(LinkFailure::Gone);
        }
        let answer = tokio::time::timeout(limit, receiver).await;
        self.own().remove(&key);
        let answer =
            answer.map_err(|_| LinkFailure::Late(method.to_owned()))?.map_err(|_| LinkFailure::Gone)?;
        let answer = JsonObject::read(&answer).ok_or(LinkFailure::Gone)?;
        match (answer.get("error"), answer.get("result")) {
            (None, Some(result)) => Ok(result.to_owned()),
            (error, _) => Err(LinkFailure::Refused(method.to_owned(), error.unwrap_or("null").to_owned())),
        }
    }

    /// Sends `notifications/initialized` once, if the server has a session.
    pub(crate) async fn initialize(&self, notification: &str) {
        let has_session = self.ready().is_some_and(|ready| !ready.is_stateless);
        if has_session && !self.is_initialized.swap(true, Ordering::SeqCst) {
            self.send(notification).await;
        }
    }

    /// Waits until the server was greeted or has failed.
    pub(crate) async fn settled(&self) {
        let is_settled = |state: &LinkState| matches!(state, LinkState::Ready(_) | LinkState::Failed(_));
        // The sender belongs to this link, so it is there.
        let _ = self.state.subscribe().wait_for(is_settled).await;
    }

    /// Takes the answer to one of the hub's own requests; returns false for other frames.
    pub(crate) fn take_own_answer(&self, key: &str, text: &str) -> bool {
        let waiting = self.own().remove(key);
        waiting.is_some_and(|waiting| {
            // The request may have been given up.
            let _ = waiting.send(text.to_owned());
            true
        })
    }

    /// Closes the server's input.
    pub(crate) fn close(&self) {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Marks the server as unusable, and ends the hub's own requests to it. Returns true if it was usable before.
    pub(crate) fn fail(&self, why: &str) -> bool {
        self.close();
        self.own().clear();
        let before = self.state.send_replace(LinkState::Failed(why.to_owned()));
        matches!(before, LinkState::Ready(_))
    }
}
