//! Requests of the inbox to the log: decisions and previews.

use crate::inbox::message::{DecisionFailure, DecisionSummary, InboxCallKey, SentDecision};
use countersign_api::{
    self as api, ErrorCode, GateError, ScopePreview, ScopeRequest, SendOperation, SharedGate, operations,
};
use countersign_console::escape_text;
use countersign_events::{Decision, Json, Principal, Source};
use countersign_store::Clock;
use std::time::Duration;

/// An answer that takes longer is treated as a lost connection.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// Treats a server that never answers as unreachable.
pub(crate) async fn limit_time<T>(
    answer: impl Future<Output = Result<T, GateError>>,
) -> Result<T, GateError> {
    tokio::select! {
        answer = answer => answer,
        () = Clock::System.sleep(ANSWER_LIMIT) => {
            Err(GateError::new(ErrorCode::Unreachable, "the log does not answer in time"))
        }
    }
}

/// A decision in words.
pub(crate) fn summarize_decision(decision: Decision, source: Source, by: &Principal) -> DecisionSummary {
    let who = escape_text(by.as_str());
    let text = match (source, decision) {
        (Source::Expiry, Decision::AllowOnce) => "allowed automatically after no answer".to_owned(),
        (Source::Expiry, _) => "denied automatically after no answer".to_owned(),
        (Source::Cancellation, _) => format!("cancelled by {who}"),
        (_, Decision::Deny) => format!("denied by {who}"),
        (_, Decision::AllowSession) => format!("allowed for the session by {who}"),
        (_, Decision::AllowOnce) => format!("allowed by {who}"),
        (_, Decision::Other) => format!("decided by {who}"),
    };
    DecisionSummary { text, by: by.clone() }
}

/// Sends a decision once. The error says why the call is not decided by it.
pub(crate) async fn send_to_log(
    gate: &SharedGate,
    sent: &SentDecision,
) -> Result<Box<api::Call>, DecisionFailure> {
    let (thread, id): &InboxCallKey = &sent.key;
    let decide = api::DecisionRequest {
        decision: sent.decision,
        comment: sent.comment.clone(),
        arguments: sent.arguments.clone(),
        answers: None,
        arguments_hash: Some(sent.about),
        scope: sent.scope.clone(),
        agents: None,
        expires_in_seconds: sent.limits.seconds,
        uses: sent.limits.uses,
        on_behalf_of: None,
        level: sent.level.clone(),
        and_waiting: sent.and_waiting,
        proof: None,
        channel: None,
    };
    match limit_time(gate.decide(thread, id, &decide)).await {
        Ok(call) => Ok(Box::new(call)),
        Err(error) => Err(match &error.facts.response {
            Some(first) => {
                let gone = summarize_decision(first.decision, first.source, &first.principal);
                let why = format!("Nothing changed: {} was already {}.", escape_text(id.as_str()), gone.text);
                DecisionFailure { why, gone: Some(gone) }
            }
            None if error.is_transient() => {
                let why = format!(
                    "The decision may not have arrived: {}. Decide again if the call is still pending.",
                    short_reason(&error)
                );
                DecisionFailure { why, gone: None }
            }
            None => {
                let why = format!("Nothing changed: {}.", escape_text(&error.to_string()));
                DecisionFailure { why, gone: None }
            }
        }),
    }
}

/// Takes an approval back. The error says why it stays.
pub(crate) async fn take_back(gate: &SharedGate, call: &InboxCallKey) -> Result<(), String> {
    let (thread, id) = call.clone();
    let operation = operations::TakeBackApproval { thread, id, body: api::TakeBackRequest::default() };
    let answer = limit_time(gate.send(operation)).await;
    answer.map(|_| ()).map_err(|error| short_reason(&error))
}

/// The error without its advice, which names command-line options.
pub(crate) fn short_reason(error: &GateError) -> String {
    let text = error.to_string();
    escape_text(text.split(';').next().unwrap_or_default())
}

/// The previews that the gate gives. The scopes can be chosen without them.
pub(crate) async fn preview_scopes(
    gate: &SharedGate,
    call: &InboxCallKey,
    scopes: Vec<Json>,
    level: Option<&str>,
) -> Vec<ScopePreview> {
    let mut previews = Vec::new();
    for scope in scopes {
        let body = ScopeRequest { level: level.map(str::to_owned), ..ScopeRequest::new(scope) };
        let preview = operations::PreviewScope { thread: call.0.clone(), id: call.1.clone(), body };
        previews.extend(limit_time(gate.send(preview)).await.ok());
    }
    previews
}
