//! A call as the API shows it.

use super::{
    advisor::{view_advice, view_flag},
    misleading::mark_misleading_texts,
    request::view_request,
    response::view_response,
};
use countersign_api as api;
use countersign_approvals::{Call, call::RecordedFact};
use countersign_events::{
    CallState, ExecutionMismatch, ExecutionStarted, Principal, QuestionForm, Timestamp, ToolResult,
};

/// The call in its state at `now`.
#[must_use]
pub fn view_call(call: &Call, now: Timestamp) -> api::Call {
    let proposed = &call.proposal;
    let mut view = api::Call {
        thread_id: call.thread_id.clone(),
        id: proposed.what.id.clone(),
        name: proposed.what.name.clone(),
        state: call.state(now),
        arguments: call.arguments().clone(),
        arguments_hash: call.arguments_hash(),
        question: (call.state(now) == CallState::Pending)
            .then(|| read_question(call).map(Box::new))
            .flatten(),
        proposal: api::CallProposal { seq: proposed.seq, principal: proposed.by.clone(), at: proposed.at },
        annotations: proposed.what.annotations.clone(),
        impact: proposed.what.impact.clone(),
        description: proposed.what.description.clone(),
        place: proposed.what.place.clone(),
        redacted: call.redacted().to_vec(),
        definition: proposed.what.definition.clone(),
        definition_hash: proposed.what.definition_hash,
        replaces: proposed.what.replaces.clone(),
        request: view_request(call),
        advice: view_advice(call),
        response: call.response().map(|fact| view_response(fact, editor(call).unwrap_or(&fact.by))),
        proposer_last_seen_at: None,
        proposer_gone: false,
        execution: call.claim().map(|claim| api::CallExecution {
            renewed: call.course.renewed.as_ref().map(|fact| api::EventMark { seq: fact.seq, at: fact.at }),
            ..view_execution(claim)
        }),
        lost: call.course.lost.iter().map(view_execution).collect(),
        released: call.course.released.as_ref().map(|released| api::ExecutionRelease {
            seq: released.seq,
            principal: released.by.clone(),
            at: released.at,
            claim: released.what.claim,
            comment: released.what.comment.clone(),
        }),
        taken_back: call.course.taken_back.as_deref().map(|taken| {
            Box::new(api::TakenBackApproval {
                seq: taken.seq,
                principal: taken.by.clone(),
                at: taken.at,
                comment: taken.what.comment.clone(),
            })
        }),
        result: call.result().map(view_result),
        outcome: None,
        mismatch: call.course.mismatch.as_deref().map(view_mismatch),
        flags: call.course.flags.iter().map(view_flag).collect(),
        erased: call.course.erasure.as_ref().map(|erasure| api::CallErasure {
            seq: erasure.seq,
            principal: erasure.by.clone(),
            at: erasure.at,
            reason: erasure.what.reason.clone(),
        }),
        archived: None,
        also_decided: Vec::new(),
        look_alikes: Vec::new(),
        effects: Vec::new(),
        hidden_characters: Vec::new(),
        mixed_scripts: Vec::new(),
        padded: Vec::new(),
    };
    view.outcome = view.describe_outcome();
    mark_misleading_texts(&mut view);
    view
}

/// What a call asks people. A masked question cannot be answered, because the answer would carry the mask.
pub(crate) fn read_question(call: &Call) -> Option<QuestionForm> {
    let is_whole = call.redacted().is_empty() && call.course.erasure.is_none();
    is_whole.then(|| QuestionForm::read(&call.proposal.what.name, call.arguments())).flatten()
}

/// The approver who changed the arguments: with a quorum, not always the one whose vote completed it.
fn editor(call: &Call) -> Option<&Principal> {
    let edits = call.course.counting().filter(|vote| vote.what.arguments.is_some());
    edits.last().map(|vote| &vote.by)
}

pub(crate) fn view_execution(fact: &RecordedFact<ExecutionStarted>) -> api::CallExecution {
    api::CallExecution {
        seq: fact.seq,
        executor: fact.what.executor.clone(),
        principal: fact.by.clone(),
        started_at: fact.at,
        lease_expires_at: fact.what.lease_expires_at,
        renewed: None,
    }
}

fn view_mismatch(fact: &RecordedFact<ExecutionMismatch>) -> api::CallMismatch {
    api::CallMismatch {
        seq: fact.seq,
        principal: fact.by.clone(),
        at: fact.at,
        executor: fact.what.executor.clone(),
        arguments: fact.what.arguments.clone(),
        arguments_hash: fact.what.arguments_hash,
        redacted: fact.what.redacted.clone(),
    }
}

pub(crate) fn view_result(fact: &RecordedFact<ToolResult>) -> api::CallResult {
    api::CallResult {
        seq: fact.seq,
        status: fact.what.status,
        content: fact.what.content.clone(),
        principal: fact.by.clone(),
        at: fact.at,
    }
}
