//! The decision as the API shows it.

use countersign_api as api;
use countersign_approvals::call::RecordedFact;
use countersign_events::{Json, Principal, event::ApprovalResponse, json::ArgumentChange};

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
        comment: response.comment.clone(),
        level: response.level.clone(),
        scope: response.scope.clone(),
        changes: response.changes.clone(),
        note: note_for_model(editor, &response.changes),
        lapses_at: response.lapses_at,
        policy: response.policy,
    }
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
