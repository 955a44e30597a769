//! One call in the log, and the client requests that wait for it.

use countersign_api::CallId;
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use tokio::sync::watch;

/// How an execution ended, for all requests that wait for it.
#[derive(Debug, Clone)]
pub(crate) enum ExecutionOutcome {
    /// The server answered with this frame.
    Answered(Arc<str>),
    /// The call did not run, for this reason.
    Refused(Arc<str>),
    /// Another process runs this call, about which no person was asked. The request is a call of its own.
    TakenElsewhere,
    /// The server ended before it answered. The outcome is unknown.
    ServerGone,
}

/// One call in the log, and the client requests that wait for it.
pub(crate) struct CallSlot {
    pub(crate) id: CallId,
    requesters: AtomicUsize,
    is_closed: AtomicBool,
    /// Whether the client was asked to open the call's page.
    pub(crate) is_shown: AtomicBool,
    execution: Mutex<Option<watch::Receiver<Option<ExecutionOutcome>>>>,
}

impl CallSlot {
    pub(crate) fn new(id: CallId) -> Self {
        Self {
            id,
            requesters: AtomicUsize::new(1),
            is_closed: AtomicBool::new(false),
            is_shown: AtomicBool::new(false),
            execution: Mutex::new(None),
        }
    }

    /// Removes a requester, and returns true if it was the last one.
    pub(crate) fn leave(&self) -> bool {
        self.requesters.fetch_sub(1, Ordering::SeqCst) == 1
    }

    /// Ends the slot: the next request with the same content is a new call.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }

    /// The outcome of the execution. `start` runs it if no other requester has started it.
    pub(crate) fn execution(
        &self,
        start: impl FnOnce(watch::Sender<Option<ExecutionOutcome>>),
    ) -> watch::Receiver<Option<ExecutionOutcome>> {
        let mut execution = self.execution.lock().unwrap_or_else(PoisonError::into_inner);
        execution
            .get_or_insert_with(|| {
                let (sender, receiver) = watch::channel(None);
                start(sender);
                receiver
            })
            .clone()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    /// Adds a requester.
    pub(crate) fn join(&self) {
        self.requesters.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn is_running(&self) -> bool {
        self.execution.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}
