//! The requests that are not answered yet, by their id.

use crate::client_frame::ClientCancellation;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Tells a request task that the client has cancelled the request.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestCancellation {
    token: CancellationToken,
    is_withdrawn: Arc<AtomicBool>,
}

impl RequestCancellation {
    pub(crate) async fn cancelled(&self) {
        self.token.cancelled().await;
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Whether the client wants the call no more. A client that only stopped waiting may repeat it.
    pub(crate) fn is_withdrawn(&self) -> bool {
        self.is_withdrawn.load(Ordering::SeqCst)
    }

    fn cancel(&self, cancellation: ClientCancellation) {
        self.is_withdrawn.fetch_or(cancellation == ClientCancellation::Withdrawn, Ordering::SeqCst);
        self.token.cancel();
    }
}

/// A call that the server runs.
struct ForwardedCall {
    answer: oneshot::Sender<String>,
    /// Cancelled if the client does not want the answer any more.
    abandoned: CancellationToken,
}

#[derive(Default)]
struct OpenRequestState {
    /// Calls of tools by the client, from their arrival to their answer.
    gated: HashMap<String, RequestCancellation>,
    /// Those of them that were forwarded to the server.
    forwarded: HashMap<String, ForwardedCall>,
    /// Requests of the gateway itself.
    own: HashMap<String, oneshot::Sender<String>>,
    /// `tools/list` by the client.
    lists: HashSet<String>,
    is_server_gone: bool,
}

/// The requests that are not answered yet.
#[derive(Default)]
pub(crate) struct OpenRequests(Mutex<OpenRequestState>);

/// What to do with a server answer.
pub(crate) enum AnswerRoute {
    /// It was handed to the task that waits for it.
    Taken,
    /// It goes to the client, and contains the definitions of tools.
    ToolList,
    /// It goes to the client.
    Client,
}

/// What a client cancellation does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CancelRoute {
    /// The server does not know the request.
    Withheld,
    /// The server runs the request, or it is not a tool call.
    Forward,
}

/// The most unanswered `tools/list` requests that are followed.
const MAX_LISTS: usize = 1_000;

impl OpenRequests {
    fn state(&self) -> MutexGuard<'_, OpenRequestState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a tool call; `None` if its id is in use.
    pub(crate) fn begin(&self, id: &str) -> Option<RequestCancellation> {
        let mut state = self.state();
        if state.gated.contains_key(id) || state.forwarded.contains_key(id) {
            return None;
        }
        let cancellation = RequestCancellation::default();
        state.gated.insert(id.to_owned(), cancellation.clone());
        Some(cancellation)
    }

    /// Returns true if a tool call has this id.
    pub(crate) fn is_in_use(&self, id: &str) -> bool {
        let state = self.state();
        state.gated.contains_key(id) || state.forwarded.contains_key(id)
    }

    /// Removes a tool call that has its answer.
    pub(crate) fn end(&self, id: &str) {
        self.state().gated.remove(id);
    }

    /// Follows a call to its answer. The token tells that the client has cancelled it.
    pub(crate) fn forward(&self, id: &str) -> (oneshot::Receiver<String>, CancellationToken) {
        let (answer, receiver) = oneshot::channel();
        let abandoned = CancellationToken::new();
        let mut state = self.state();
        if !state.is_server_gone {
            let call = ForwardedCall { answer, abandoned: abandoned.clone() };
            state.forwarded.insert(id.to_owned(), call);
        }
        (receiver, abandoned)
    }

    /// Follows one of the gateway's own requests to its answer.
    pub(crate) fn begin_own(&self, id: &str) -> oneshot::Receiver<String> {
        let (answer, receiver) = oneshot::channel();
        let mut state = self.state();
        if !state.is_server_gone {
            state.own.insert(id.to_owned(), answer);
        }
        receiver
    }

    /// Follows a `tools/list` of the client.
    pub(crate) fn begin_list(&self, id: &str) {
        let mut state = self.state();
        if state.lists.len() < MAX_LISTS {
            state.lists.insert(id.to_owned());
        }
    }

    /// Finds the receiver of an answer.
    pub(crate) fn route_answer(&self, id: &str, text: &str) -> AnswerRoute {
        let mut state = self.state();
        let waiting = state.own.remove(id);
        if let Some(waiting) = waiting.or_else(|| state.forwarded.remove(id).map(|call| call.answer)) {
            // A task that ended does not want the answer.
            let _ = waiting.send(text.to_owned());
            return AnswerRoute::Taken;
        }
        if state.lists.remove(id) { AnswerRoute::ToolList } else { AnswerRoute::Client }
    }

    /// Cancels a request on behalf of the client.
    pub(crate) fn cancel(&self, id: &str, cancellation: ClientCancellation) -> CancelRoute {
        let mut state = self.state();
        state.lists.remove(id);
        let Some(request) = state.gated.get(id) else { return CancelRoute::Forward };
        request.cancel(cancellation);
        match state.forwarded.get(id) {
            Some(call) => {
                call.abandoned.cancel();
                CancelRoute::Forward
            }
            None => CancelRoute::Withheld,
        }
    }

    /// Ends all waits for the server.
    pub(crate) fn end_server(&self) {
        let mut state = self.state();
        state.is_server_gone = true;
        state.forwarded.clear();
        state.own.clear();
    }
}
