//! Finding the call in the log that a request belongs to. A client repeats a request to get the decision on the first
//! one, so a call id follows from the call content: `mcp-HASH-N`, where the hash covers agent, place, tool and
//! arguments, and N counts the calls of that content. The table remembers N; after a restart the log tells it.

use crate::call_slot::CallSlot;
use countersign_api::{
    Call, CallExecution, CallId, ErrorCode, GateError, ProposeRequest, SharedGate, ThreadId,
    find_earlier_calls, parse_call_id,
};
use countersign_events::{CallState, Json, Sha256, Timestamp};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// After a restart, a denial or an unknown outcome of at most this age answers the same call. An older one belongs to the past.
const REPEAT_WINDOW: Duration = Duration::from_hours(1);

/// How often a call is proposed or claimed again because another process was faster.
pub(crate) const MAX_ROUNDS: u32 = 10;

/// The number of contents after which the table forgets those that no request waits for.
const MAX_KEYS: usize = 10_000;

/// The calls of one content.
#[derive(Default)]
struct ContentCalls {
    /// The next call number, if it is known.
    next: Option<u64>,
    /// The call that people decide, or decided and that runs now.
    open: Option<Arc<CallSlot>>,
}

/// A proposal, and the hash of its arguments.
pub(crate) struct ProposedContent<'a> {
    pub(crate) proposal: &'a ProposeRequest,
    pub(crate) arguments_hash: Sha256,
}

/// The call that a request belongs to.
pub(crate) enum OpenedCall {
    /// The request waits for this call.
    Mine(Arc<CallSlot>, Box<Call>),
    /// The same call may be running elsewhere, so it must not run here.
    Elsewhere(Box<Call>),
}

/// The log, and the name of this process in it.
pub(crate) struct CallTable {
    pub(crate) gate: SharedGate,
    pub(crate) thread: ThreadId,
    /// The prefix of this process's executor names.
    pub(crate) instance: String,
    pub(crate) now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    contents: Mutex<HashMap<Sha256, Arc<tokio::sync::Mutex<ContentCalls>>>>,
}

/// The result of looking for earlier calls of a content.
enum FoundCalls {
    /// The next call has this number.
    Fresh(u64),
    /// The call with this number answers the request.
    Resumed(u64, Box<Call>),
    Elsewhere(Box<Call>),
}

impl CallTable {
    pub(crate) fn new(
        gate: SharedGate,
        thread: ThreadId,
        instance: String,
        now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> Self {
        Self { gate, thread, instance, now, contents: Mutex::default() }
    }

    /// Finds the call for a request, or proposes it. The proposal's id is replaced.
    pub(crate) async fn open(&self, proposed: &ProposedContent<'_>) -> Result<OpenedCall, GateError> {
        let proposal = proposed.proposal;
        let key = self.content_key(proposed);
        let content = self.content(key);
        let mut content = content.lock().await;
        if let Some(slot) = content.open.clone() {
            let call = self.gate.call(&self.thread, &slot.id).await?;
            if slot.is_closed() {
                // Its server was lost. Only the call itself may run again, and not a copy of it.
                if call.state == CallState::Unknown && self.is_recent(&call) {
                    let slot = Arc::new(CallSlot::new(call.id.clone()));
                    content.open = Some(Arc::clone(&slot));
                    return Ok(OpenedCall::Mine(slot, Box::new(call)));
                }
            } else if slot.is_running() || call.is_open() || call.state == CallState::Denied {
                slot.join();
                return Ok(OpenedCall::Mine(slot, Box::new(call)));
            }
        }
        content.open = None;
        // The further rounds are for numbers that other processes have used meanwhile.
        for _ in 0..MAX_ROUNDS {
            let number = match content.next {
                Some(number) => number,
                None => match self.find(key, proposed).await? {
                    FoundCalls::Fresh(number) => number,
                    FoundCalls::Resumed(number, call) => return Ok(opened(&mut content, number, *call)),
                    FoundCalls::Elsewhere(call) => return Ok(OpenedCall::Elsewhere(call)),
                },
            };
            let request = ProposeRequest { id: call_id(key, number)?, ..proposal.clone() };
            let call = self.gate.propose(&self.thread, &request).await?;
            if call.is_open() || call.state == CallState::Denied {
                return Ok(opened(&mut content, number, call));
            }
            content.next = None;
        }
        let why = "the same call is proposed by several processes at once; repeat it";
        Err(GateError::new(ErrorCode::AlreadyClaimed, why))
    }

    /// The key by which requests for the same call are found: agent, place, tool and arguments. The same call on another server
    /// is another call.
    pub(crate) fn content_key(&self, proposed: &ProposedContent<'_>) -> Sha256 {
        let (agent, hash) = (self.gate.principal().to_string(), proposed.arguments_hash.to_string());
        let place = serde_json::to_string(&proposed.proposal.place).unwrap_or_default();
        let parts = [&agent, &place, proposed.proposal.name.as_str(), &hash];
        let parts = parts.map(|part| Json::string(part).as_str().to_owned());
        Sha256::digest(parts.join(",").as_bytes())
    }

    fn content(&self, key: Sha256) -> Arc<tokio::sync::Mutex<ContentCalls>> {
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        if contents.len() >= MAX_KEYS {
            contents.retain(|_, content| {
                Arc::strong_count(content) > 1
                    || content.try_lock().is_ok_and(|content| content.open.is_some())
            });
        }
        Arc::clone(contents.entry(key).or_default())
    }

    /// Looks for the last call of a content.
    async fn find(&self, key: Sha256, content: &ProposedContent<'_>) -> Result<FoundCalls, GateError> {
        let earlier =
            find_earlier_calls(&*self.gate, &self.thread, content.proposal, content.arguments_hash).await?;
        let prefix = id_prefix(key);
        // The caller may have proposed the same call in another way, under another id.
        let number = |call: &Call| call.id.as_str().strip_prefix(&prefix)?.parse::<u64>().ok();
        let last = earlier.into_iter().find_map(|call| Some((number(&call)?, call)));
        Ok(last.map_or(FoundCalls::Fresh(0), |(number, call)| self.judge_last(number, call)))
    }

    fn is_within_window(&self, at: Timestamp) -> bool {
        (self.now)().since(at) <= REPEAT_WINDOW
    }

    /// Whether its executor gave a sign of life a short time ago.
    fn is_recent(&self, call: &Call) -> bool {
        call.execution.as_ref().is_some_and(|execution| {
            let seen = execution.renewed.as_ref().map_or(execution.started_at, |renewed| renewed.at);
            self.is_within_window(seen)
        })
    }

    /// How the last call with some content, which another process may have proposed, affects a request with the same
    /// content.
    fn judge_last(&self, number: u64, call: Call) -> FoundCalls {
        let decided_at = call.response.as_ref().map(|response| response.at);
        let is_foreign = |execution: &CallExecution| !execution.executor.starts_with(&self.instance);
        let is_started = call.execution.as_ref().is_some_and(is_foreign) && self.is_recent(&call);
        match call.state {
            CallState::Pending | CallState::Allowed => FoundCalls::Resumed(number, Box::new(call)),
            CallState::Denied
                if call.was_asked() && decided_at.is_some_and(|at| self.is_within_window(at)) =>
            {
                FoundCalls::Resumed(number, Box::new(call))
            }
            // The claim is refused unless a person has released the call, or its tool may run twice.
            CallState::Unknown if is_started || call.released.is_some() => {
                FoundCalls::Resumed(number, Box::new(call))
            }
            CallState::Running if is_started => FoundCalls::Elsewhere(Box::new(call)),
            _ => FoundCalls::Fresh(number + 1),
        }
    }
}

fn opened(content: &mut ContentCalls, number: u64, call: Call) -> OpenedCall {
    content.next = Some(number + 1);
    let slot = Arc::new(CallSlot::new(call.id.clone()));
    // Calls that no person decides are independent of each other, also if they are alike.
    content.open = call.was_asked().then(|| Arc::clone(&slot));
    OpenedCall::Mine(slot, Box::new(call))
}

/// The id of a call with this content.
fn call_id(key: Sha256, number: u64) -> Result<CallId, GateError> {
    parse_call_id(&format!("{}{number}", id_prefix(key)))
}

fn id_prefix(key: Sha256) -> String {
    let hash = key.to_string();
    format!("mcp-{}-", hash.get(..16).unwrap_or(&hash))
}
