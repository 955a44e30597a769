//! The decision, as the gate shows it.

use crate::{Json, Principal, Sha256, Timestamp};
use countersign_approvals::call::Fact;
use countersign_events::{
    event::{self, Basis, Decision, Shadow, Source},
    json::Change,
};
use serde::{Deserialize, Serialize};

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "decision": "allow_once",
        "source": "approver",
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "seq": 3,
        "comment": "fine",
        "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// What was decided.
    pub decision: Decision,
    /// Where it came from.
    pub source: Source,
    /// Who decided.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// Its event.
    pub seq: i64,
    /// The rule that decided or asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What of the policy decided, where nobody was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What shadow rules would have said, where nobody was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<Shadow>,
    /// The earlier decision that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<i64>,
    /// What the approver adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The level it was decided at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How wide it is remembered; `"once"`, where an approval that nobody used moved here.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub matches: Option<Json>,
    /// Where an approver changed the arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What the model should be told beside the result: that a person changed what ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When it is worth nothing any more, if nobody has used it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapses_at: Option<Timestamp>,
    /// The hash of the policy that was in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Sha256>,
}

impl From<&Fact<event::Response>> for Response {
    fn from(fact: &Fact<event::Response>) -> Self {
        Self::of(fact, &fact.by)
    }
}

impl Response {
    /// The decision; `editor` changed the arguments, if anybody did.
    pub(super) fn of(fact: &Fact<event::Response>, editor: &Principal) -> Self {
        let said = &fact.what;
        Self {
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
            matches: said.matches.clone(),
            changes: said.changes.clone(),
            note: note(editor, &said.changes),
            lapses_at: said.lapses_at,
            policy: said.policy,
        }
    }
}

/// What the model is told of a call that ran otherwise than it proposed.
fn note(by: &Principal, changes: &[Change]) -> Option<String> {
    let text =
        |json: &Option<Json>| json.as_ref().map_or("nothing".to_owned(), |json| json.as_str().to_owned());
    let told = |change: &Change| {
        let place = if change.path.is_empty() { "the arguments" } else { &change.path };
        format!("{place} from {} to {}", text(&change.from), text(&change.to))
    };
    let places: Vec<_> = changes.iter().map(told).collect();
    (!places.is_empty()).then(|| format!("{by} changed what was run: {}", places.join("; ")))
}
