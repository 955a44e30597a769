//! The decision as the API shows it.

use countersign_api as api;
use countersign_approvals::{call::RecordedFact, scope::GrantScope};
use countersign_events::{ApprovalResponse, Body, Decision, Event, Json, Principal, json::ArgumentChange};

/// The decision as the API shows it. If the arguments were changed, `editor` is the approver who changed them.
pub(crate) fn view_response(
    fact: &RecordedFact<ApprovalResponse>,
    editor: &Principal,
) -> api::ApprovalResponse {
    let response = &fact.what;
    api::ApprovalResponse {
        decision: response.decision,
        source: response.source,
        principal: fact.by.clone(),
        at: fact.at,
        seq: fact.seq,
        rule: response.rule.clone(),
        basis: response.basis,
        shadow: response.shadow.clone(),
        grant: response.grant,
        grant_origin: None,
        comment: response.comment.clone(),
        level: response.level.clone(),
        scope: response.scope.clone(),
        changes: response.changes.clone(),
        note: note_for_model(editor, &response.changes),
        proof: response.proof.clone(),
        channel: response.channel,
        on_behalf_of: response.on_behalf_of.clone(),
        expires_at: response.expires_at,
        uses: response.uses,
        lapses_at: response.lapses_at,
        policy: response.policy,
        policy_change: response.policy_change.clone(),
        set_by: response.set_by.clone(),
        proposer_last_seen_at: response.proposer_last_seen_at,
    }
}

/// The decision in `event`, as the origin of a later answer; `None` if the event is not a readable response.
#[must_use]
pub fn read_grant_origin(event: &Event) -> Option<api::GrantOrigin> {
    let Ok(Body::ApprovalResponse(response)) = Body::read(event.seq, event.kind, &event.data) else {
        return None;
    };
    let (scope, says) = match (response.scope, response.decision) {
        (Some(scope), _) => {
            let says = GrantScope::read(&scope).map_or_else(
                |_| "a scope that this version does not know".to_owned(),
                |scope| scope.to_string(),
            );
            (scope, says)
        }
        (None, Decision::AllowSession) => (GrantScope::Tool.json(), GrantScope::Tool.to_string()),
        (None, _) => (Json::string("once"), "one call".to_owned()),
    };
    Some(api::GrantOrigin {
        principal: event.principal.clone(),
        at: event.timestamp,
        tool_call_id: response.tool_call_id,
        decision: response.decision,
        scope,
        says,
    })
}

/// A note that tells the model which arguments an approver changed; `None` without changes.
fn note_for_model(by: &Principal, changes: &[ArgumentChange]) -> Option<String> {
    let text =
        |json: &Option<Json>| json.as_ref().map_or("nothing".to_owned(), |json| json.as_str().to_owned());
    let describe = |change: &ArgumentChange| {
        let place = if change.path.is_empty() { "the arguments" } else { &change.path };
        format!("{place} from {} to {}", text(&change.from), text(&change.to))
    };
    let places: Vec<_> = changes.iter().map(describe).collect();
    (!places.is_empty()).then(|| format!("{by} changed what was run: {}", places.join("; ")))
}
