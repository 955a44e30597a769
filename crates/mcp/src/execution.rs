//! Running an allowed call: claim it, forward it to the server, and record the result.

use crate::{
    ToolCallFrame,
    answer_text::{is_outcome_unknown, refusal_text, started_text},
    call_slot::{CallSlot, ExecutionOutcome},
    gateway_core::{GatewayCore, ServerSender},
    parked_call::{ParkedCall, StateMeaning},
    request_state::STATE_LIFE,
    server_frame::{recorded_result, with_note},
    server_input::{read_input_request, replace_state},
    without_carriage_returns,
};
use countersign_api::{
    Call, ClaimRequest, ErrorCode, GateError, ResultRequest, held_claim::HeldClaim, random_id,
};
use countersign_events::{CallState, Sha256};
use std::sync::Arc;
use tokio::sync::watch;

/// A call that is about to run.
pub(crate) struct PlannedExecution {
    pub(crate) core: Arc<GatewayCore>,
    pub(crate) slot: Arc<CallSlot>,
    pub(crate) frame: ToolCallFrame,
    pub(crate) call: Call,
    pub(crate) content: Sha256,
    pub(crate) definition_hash: Option<Sha256>,
    pub(crate) to_server: ServerSender,
}

impl PlannedExecution {
    /// Runs the call to its end. The answer reaches the client before the result is recorded: if this process is killed
    /// between the two, the log says that the outcome is unknown, and a repeated request does not run the call again. In the
    /// other order, a client that never got the answer would run it a second time.
    pub(crate) async fn run(self, outcome: watch::Sender<Option<ExecutionOutcome>>) {
        let Self { core, slot, frame, call, content, definition_hash, to_server } = self;
        let held = match claim(&core, &call, &frame, definition_hash).await {
            Ok(held) => held,
            Err(error) if error.code == ErrorCode::AlreadyClaimed && is_free(&call) => {
                slot.close();
                outcome.send_replace(Some(ExecutionOutcome::TakenElsewhere));
                return;
            }
            Err(error) => {
                let text = claim_refusal(&core, &call, &error).await;
                slot.close();
                outcome.send_replace(Some(ExecutionOutcome::Refused(text.into())));
                return;
            }
        };
        let text = match runnable_frame(held.call(), &frame) {
            Ok(text) => text,
            Err(why) => {
                slot.close();
                outcome.send_replace(Some(ExecutionOutcome::Refused(why.into())));
                record(&core, &call, Executor::Held(Box::new(held)), &ResultRequest::error(why)).await;
                return;
            }
        };
        let note = held.call().response.as_ref().and_then(|response| response.note.clone());
        let claimed = ClaimedExecution { core, id_key: frame.id_key, content, held, note };
        claimed
            .run(text, to_server, |ended| {
                slot.close();
                outcome.send_replace(Some(ended));
            })
            .await;
    }
}

/// A claimed call, and the client request that runs it.
pub(crate) struct ClaimedExecution {
    pub(crate) core: Arc<GatewayCore>,
    /// The request's id, canonical.
    pub(crate) id_key: String,
    pub(crate) content: Sha256,
    pub(crate) held: HeldClaim,
    /// The text for the model about changed arguments.
    pub(crate) note: Option<String>,
}

impl ClaimedExecution {
    /// Forwards the request, passes the outcome to `answer`, and then records the result. If the server asks the client for
    /// input, the call goes on when the client returns.
    pub(crate) async fn run(
        self,
        text: String,
        to_server: ServerSender,
        answer: impl FnOnce(ExecutionOutcome),
    ) {
        let Self { core, id_key, content, held, note } = self;
        let call = held.call().clone();
        let (mut answered, abandoned) = core.requests.forward(&id_key);
        let is_sent = to_server.send(text).await.is_ok();
        // The server sees the end of its input once no task can write to it.
        drop(to_server);
        let executor = held.executor().to_owned();
        let (answered, executor) = tokio::select! {
            answered = &mut answered => (answered, Executor::Held(Box::new(held))),
            () = abandoned.cancelled() => {
                // The client does not want the result, and the server may never send it. Without renewals, the outcome
                // then becomes unknown when the lease ends.
                drop(held);
                (answered.await, Executor::Lapsing(executor))
            }
        };
        let Some(answered) = answered.ok().filter(|_| is_sent) else {
            executor.give_up().await;
            answer(ExecutionOutcome::ServerGone);
            return;
        };
        let executor = match (executor, read_input_request(&answered)) {
            (Executor::Held(held), Some(asked)) => {
                let parked = ParkedCall { held: *held, note, server_state: asked.server_state };
                let state = park(&core, content, parked);
                answer(ExecutionOutcome::Answered(replace_state(&answered, &state).into()));
                return;
            }
            (executor, _) => executor,
        };
        if is_outcome_unknown(&answered) {
            // The client may repeat the request when it has the answer, and must not find a call that seems to run.
            executor.give_up().await;
            answer(ExecutionOutcome::Answered(answered.into()));
            return;
        }
        let result = recorded_result(&answered);
        let shown = note.map_or_else(|| answered.clone(), |note| with_note(&answered, &note));
        answer(ExecutionOutcome::Answered(shown.into()));
        record(&core, &call, executor, &result).await;
    }
}

/// Keeps a call until the client returns with the input for its server. If it does not return, the call ends with an error.
fn park(core: &Arc<GatewayCore>, content: Sha256, parked: ParkedCall) -> String {
    let meaning = StateMeaning::ServerInput(Box::new(parked));
    let state = core.states.issue(content, (core.calls.now)(), meaning);
    let (core, kept) = (Arc::clone(core), state.clone());
    core.clone().tasks.spawn(async move {
        tokio::select! {
            () = wait_for_client() => {}
            () = core.closing.cancelled() => {}
        }
        if let Some(StateMeaning::ServerInput(parked)) = core.states.withdraw(&kept) {
            let call = parked.held.call().clone();
            record(&core, &call, Executor::Held(Box::new(parked.held)), &ResultRequest::error(NO_INPUT))
                .await;
        }
    });
    state
}

/// The result for a call whose client did not return.
const NO_INPUT: &str = "the server asked the client for input, and the client did not return with it";

#[expect(clippy::disallowed_methods, reason = "the client's user answers in the time of the machine")]
async fn wait_for_client() {
    tokio::time::sleep(STATE_LIFE).await;
}

/// The claim by which a result is reported.
enum Executor {
    Held(Box<HeldClaim>),
    /// The executor's name, whose lease is not renewed any more.
    Lapsing(String),
}

impl Executor {
    /// Ends the lease, so that the log says at once that the outcome is unknown. It says so when the lease ends in any case.
    async fn give_up(self) {
        let Self::Held(held) = self else { return };
        let (thread, id) = (held.call().thread_id.clone(), held.call().id.clone());
        if let Err(error) = held.give_up().await {
            let (thread, id) = (thread.as_str(), id.as_str());
            tracing::warn!(thread, call = id, code = error.code(), %error, "the lease cannot be ended");
        }
    }
}

async fn claim(
    core: &GatewayCore,
    call: &Call,
    frame: &ToolCallFrame,
    definition_hash: Option<Sha256>,
) -> Result<HeldClaim, GateError> {
    let executor = random_id(&format!("{}-", core.calls.instance));
    let claim = ClaimRequest {
        lease_seconds: Some(core.options.lease_seconds),
        definition_hash,
        ..ClaimRequest::for_own_call(call, &executor, &frame.arguments)
    };
    HeldClaim::claim(core.calls.gate.clone(), &call.thread_id, &call.id, &claim).await
}

/// Whether each request for the call is a call of its own: it could run when it was found, and no person was asked about it.
fn is_free(call: &Call) -> bool {
    call.state == CallState::Allowed && !call.was_asked()
}

/// The text for the model if the claim was refused.
async fn claim_refusal(core: &GatewayCore, call: &Call, error: &GateError) -> String {
    let current = match error.code {
        ErrorCode::AlreadyClaimed => core.calls.gate.call(&call.thread_id, &call.id).await.ok(),
        _ => None,
    };
    current.map_or_else(|| refusal_text(error), |current| started_text(&current))
}

/// The frame with the approved arguments. They are those of the client, unless an approver changed them.
pub(crate) fn runnable_frame(claimed: &Call, frame: &ToolCallFrame) -> Result<String, &'static str> {
    let own = frame.arguments.admit().map_err(|_| "the arguments are not valid JSON")?;
    let text = if claimed.arguments_hash == own {
        frame.text.clone()
    } else if claimed.redacted.is_empty() {
        frame.with_arguments(&claimed.arguments)
    } else {
        return Err(
            "This call was not run: an approver changed its arguments, and the log masks a secret in them, so the \
                    gateway does not have the approved arguments.",
        );
    };
    Ok(without_carriage_returns(&text))
}

async fn record(core: &GatewayCore, call: &Call, executor: Executor, result: &ResultRequest) {
    let finished = match executor {
        Executor::Held(held) => held.finish(result).await,
        Executor::Lapsing(executor) => {
            let result = ResultRequest { executor: Some(executor), ..result.clone() };
            core.calls.gate.finish(&call.thread_id, &call.id, &result).await
        }
    };
    if let Err(error) = finished {
        let (thread, id) = (call.thread_id.as_str(), call.id.as_str());
        tracing::warn!(thread, call = id, code = error.code(), %error, "the result cannot be recorded");
    }
}
