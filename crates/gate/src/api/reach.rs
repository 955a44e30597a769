//! How far an answer would reach: told over the calls that the thread has seen, before anybody chooses.

use super::Request;
use crate::{CallId, Json};
use countersign_approvals::{Call, width::Width as Remembered};
use countersign_policy::{Effect, Look, Policy};
use serde::{Deserialize, Serialize};

/// How many calls a [`Reach`] names.
const NAMED: usize = 10;

/// How wide a decision might be remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"match": {"command": "git status *"}}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Width {
    /// `"exact"`, `"tool"` or a pattern.
    #[serde(rename = "match")]
    pub matches: Json,
}

/// How far a decision would reach if it were remembered that wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "match": {"command": "git status *"},
        "says": "command `git status *`",
        "allows": 3,
        "denies": 3,
        "calls": ["call_1", "call_4", "call_7"],
        "of": 12
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Reach {
    /// The width, as it is chosen.
    #[serde(rename = "match")]
    pub matches: Json,
    /// The width in words.
    pub says: String,
    /// How many other calls of this thread it would have allowed.
    pub allows: usize,
    /// How many it would have denied: of a command of several parts a grant needs each to match, a denial any.
    pub denies: usize,
    /// Some of those, the last first.
    pub calls: Vec<CallId>,
    /// How many calls of this thread were looked at: its last thousand, or fewer on a page of many threads.
    pub of: usize,
}

/// The last calls of a thread, the last first, each read once for all that is compared with it.
pub(crate) struct History<'a> {
    policy: &'a Policy,
    calls: Vec<(&'a Call, Look<'a>)>,
}

impl<'a> History<'a> {
    pub(crate) fn new(policy: &'a Policy, calls: &'a [Call]) -> Self {
        Self { policy, calls: calls.iter().map(|call| (call, Look::new(policy, &call.subject()))).collect() }
    }

    /// Adds what people want to know before they choose.
    pub(crate) fn inform(&self, request: &mut Request, call: &Call) {
        let approvers = self.policy.approvers();
        let least = request.level.as_deref().and_then(|level| approvers.rank(level)).unwrap_or(0);
        request.available_levels = approvers.levels().iter().skip(least).cloned().collect();
        let preset = request.default_level.take().filter(|level| request.available_levels.contains(level));
        request.default_level =
            preset.or_else(|| request.level.clone()).or_else(|| request.available_levels.first().cloned());
        let alike =
            self.others(call).filter(|(other, _)| other.proposal.what.name == call.proposal.what.name);
        request.similar_operations_count = Some(alike.count());
        let widths = Remembered::offered(&Look::new(self.policy, &call.subject()));
        request.would_also_match = widths.iter().map(|width| self.reach(width, call)).collect();
    }

    /// How far that width reaches from that call over the others.
    pub(crate) fn reach(&self, width: &Remembered, call: &Call) -> Reach {
        let mut reach = Reach {
            matches: width.json(),
            says: width.to_string(),
            allows: 0,
            denies: 0,
            calls: Vec::new(),
            of: 0,
        };
        for (other, look) in self.others(call) {
            let answers = |effect| width.answers(call.made(), look, other.arguments_hash(), effect);
            reach.of += 1;
            reach.allows += usize::from(answers(Effect::Widen));
            if answers(Effect::Restrict) {
                reach.denies += 1;
                reach.calls.extend((reach.denies <= NAMED).then(|| other.id().clone()));
            }
        }
        reach
    }

    fn others(&self, call: &Call) -> impl Iterator<Item = &(&'a Call, Look<'a>)> {
        self.calls.iter().filter(|(other, _)| other.id() != call.id())
    }
}
