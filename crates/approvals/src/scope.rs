//! How wide a decision is remembered. Nothing is remembered wider than its approver saw.

use crate::ArgumentsIdentity;
use countersign_events::{Json, Place, Sha256, SuggestedScope, ToolCall, ToolName};
use countersign_policy::{CallReading, Policy, RuleEffect, ScopePattern};
use std::fmt;

/// Which later calls of the same thread and tool a decision answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantScope {
    /// Those with just these arguments. Texts for people may differ.
    Exact,
    /// Those that match a pattern.
    Pattern(ScopePattern),
    /// All calls of the tool.
    Tool,
}

/// The call that a decision was made on: its tool, its place, and its arguments as they were proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScopeOrigin<'a> {
    /// The tool.
    pub tool: &'a ToolName,
    /// Where the call runs, if its proposer said so.
    pub place: Option<&'a Place>,
    /// What its arguments are compared by.
    pub arguments: ArgumentsIdentity,
}

impl<'a> ScopeOrigin<'a> {
    /// The decision origin for this call.
    pub(crate) fn of_call(call: &'a ToolCall) -> Self {
        let arguments = ArgumentsIdentity::of_call(call);
        Self { tool: &call.name, place: call.place.as_ref(), arguments }
    }

    /// Returns true if both are the same call.
    #[must_use]
    pub(crate) fn is_same_call(&self, other: &Self) -> bool {
        self.tool == other.tool
            && Place::is_shared(self.place, other.place)
            && self.arguments.is_same(&other.arguments)
    }

    /// The origin for the same call with the arguments that would run now. Those that an approver changed are compared by their
    /// hash only.
    #[must_use]
    pub fn with_arguments(self, hash: Sha256) -> Self {
        if hash == self.arguments.hash {
            return self;
        }
        Self { arguments: ArgumentsIdentity::of_hash(hash), ..self }
    }
}

impl GrantScope {
    /// Reads `"exact"`, `"tool"`, or a pattern such as `{"command": "git status **"}`. The error says what is
    /// wrong with it.
    pub fn read(json: &Json) -> Result<Self, String> {
        match json.as_str().trim() {
            "\"exact\"" => Ok(Self::Exact),
            "\"tool\"" => Ok(Self::Tool),
            text if text.starts_with('{') => ScopePattern::read(json).map(Self::Pattern),
            _ => Err("a scope is \"exact\", \"tool\" or a pattern such as {\"command\": \"git status **\"}"
                .to_owned()),
        }
    }

    /// As it is written.
    #[must_use]
    pub fn json(&self) -> Json {
        match self {
            Self::Exact => Json::string("exact"),
            Self::Tool => Json::string("tool"),
            Self::Pattern(pattern) => pattern.json(),
        }
    }

    /// Whether a decision on `made` answers `call`, which `look` reads. It applies only in the same place as its own
    /// call.
    #[must_use]
    pub fn answers(
        &self,
        made: ScopeOrigin<'_>,
        call: ScopeOrigin<'_>,
        look: &CallReading<'_>,
        effect: RuleEffect,
    ) -> bool {
        made.tool == call.tool
            && Place::is_shared(made.place, call.place)
            && match self {
                Self::Exact => made.arguments.is_same(&call.arguments),
                Self::Tool => true,
                Self::Pattern(pattern) => pattern.matches(look, effect),
            }
    }

    /// The scopes that a request offers, the narrowest first: this exact call, the patterns that were suggested
    /// for the call, and the whole tool.
    #[must_use]
    pub fn offered(suggested: &[SuggestedScope], place: Option<&Place>) -> Vec<SuggestedScope> {
        let offer = |scope: Self| SuggestedScope { scope: scope.json(), says: scope.to_string() };
        let all =
            std::iter::once(offer(Self::Exact)).chain(suggested.iter().cloned()).chain([offer(Self::Tool)]);
        all.map(|offer| SuggestedScope { says: name_place(offer.says, place), ..offer }).collect()
    }

    /// Describes, in words, which calls a decision on a call in this place covers.
    #[must_use]
    pub fn describe_in(&self, place: Option<&Place>) -> String {
        name_place(self.to_string(), place)
    }
}

/// Adds the place in which a decision holds.
fn name_place(says: String, place: Option<&Place>) -> String {
    match place {
        Some(place) => format!("{says} in {}", place.without_sub_agent()),
        None => says,
    }
}

/// Suggests patterns for a proposed call, as the log keeps it. A masked value has no pattern, and a pattern with a
/// secret is left out, because the log shows it to everyone.
pub(crate) fn suggest_scopes(policy: &Policy, logged: &CallReading<'_>) -> Vec<SuggestedScope> {
    let patterns = ScopePattern::suggest(logged).into_iter();
    patterns
        .map(|pattern| SuggestedScope { scope: pattern.json(), says: pattern.to_string() })
        .filter(|suggested| policy.redactor().redact_json(&suggested.scope).is_none())
        .collect()
}

impl fmt::Display for GrantScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("this exact call"),
            Self::Tool => f.write_str("the whole tool"),
            Self::Pattern(pattern) => pattern.fmt(f),
        }
    }
}
