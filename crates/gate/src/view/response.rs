//! The decision as the API shows it.

use countersign_api as api;
use countersign_approvals::call::RecordedFact;
use countersign_events::{Json, Principal, event::ApprovalResponse, json::ArgumentChange};

/// The decision. `editor` changed the arguments, if an approver did.
pub(crate) fn view_response(
    fact: &RecordedFact<ApprovalResponse>,
    editor: &Principal,
) -> api::ApprovalResponse {
    let said = &fact.what;
    api::ApprovalResponse {
        decision: said.decision,
        source: said.source,
        principal: fact.by.clone(),
        at: fact.at,
        seq: fact.seq,
        rule: said.rule.clone(),
        basis: said.basis,
        shadow: said.shadow.clone(),
        grant: said.grant,
        comment: said.comment.clone(),
        level: said.level.clone(),
        scope: said.scope.clone(),
        changes: said.changes.clone(),
        note: note_for_model(editor, &said.changes),
        lapses_at: said.lapses_at,
        policy: said.policy,
    }
}

/// Tells the model that an approver changed what was run.
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
