//! The approvals of calls that run on the servers of OpenAI. The model's input needs them: without the answer, the server
//! does not run the call.

use crate::{
    LoggedCalls,
    answer::AnswerTarget,
    neutral::{NeutralMessage, NeutralPart, PartContent},
    request_names::is_request_id,
};
use countersign_api::UnfinishedCall;
use countersign_events::{EventType, MessageFormat, json::JsonTree};
use std::collections::HashSet;

const FORMAT: MessageFormat = MessageFormat::OpenAiResponses;

/// Keeps each request of OpenAI with its answer. One that only the log answers gets the log's answer. One without an
/// answer is left out, because the call is not finished.
pub(crate) fn keep_hosted_approvals(
    messages: Vec<(u32, NeutralMessage)>,
    calls: &LoggedCalls,
    unfinished: &mut Vec<UnfinishedCall>,
) -> Vec<(u32, NeutralMessage)> {
    let parts = || messages.iter().flat_map(|(_, message)| &message.parts);
    let requested: HashSet<String> =
        parts().filter_map(|part| hosted_request(part)).map(str::to_owned).collect();
    let answered: HashSet<String> =
        parts().filter_map(|part| hosted_answer(part)).map(str::to_owned).collect();
    let mut kept = Vec::new();
    for (position, mut message) in messages {
        let mut answers = Vec::new();
        for part in &mut message.parts {
            if hosted_answer(part).is_some_and(|id| requested.contains(id)) {
                part.content = PartContent::Other("mcp_approval_response".to_owned());
            }
            let Some(id) = hosted_request(part).map(str::to_owned) else { continue };
            if !answered.contains(&id) {
                let Some(answer) = logged_answer(&id, calls) else {
                    let state = calls.get(&id).map(|call| call.state);
                    unfinished.push(UnfinishedCall { id, state });
                    continue;
                };
                answers.push(answer);
            }
            part.content = PartContent::Other("mcp_approval_request".to_owned());
        }
        kept.push((position, message));
        if !answers.is_empty() {
            kept.push((position, NeutralMessage::new(EventType::UserMessage, answers)));
        }
    }
    kept
}

fn hosted_request(part: &NeutralPart) -> Option<&str> {
    match &part.content {
        PartContent::Request { id, .. } if part.original_in(FORMAT).is_some() && !is_request_id(id) => {
            Some(id)
        }
        _ => None,
    }
}

fn hosted_answer(part: &NeutralPart) -> Option<&str> {
    match &part.content {
        PartContent::Answer(answer) if part.original_in(FORMAT).is_some() => match &answer.target {
            AnswerTarget::Request(id) if !is_request_id(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}

fn logged_answer(id: &str, calls: &LoggedCalls) -> Option<NeutralPart> {
    let response = calls.get(id)?.response.as_ref()?;
    let item = JsonTree::object([
        ("type", "mcp_approval_response".into()),
        ("approval_request_id", id.into()),
        ("approve", response.decision.allows().into()),
    ]);
    let item = item.with_optional("reason", response.comment.as_deref());
    let part = NeutralPart::sent(PartContent::Other("mcp_approval_response".to_owned()), item);
    Some(NeutralPart { format: Some(FORMAT), ..part })
}
