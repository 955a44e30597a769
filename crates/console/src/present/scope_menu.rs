//! The scopes that a decision can have, each under a letter that means the same for every call.

use super::{
    facts::describe_scope_preview, impact::ImpactSummary, summary::summarize_call, text::escape_text,
};
use crate::wrap::truncate_text;
use countersign_api as api;
use countersign_approvals::GrantScope;
use countersign_events::{CallId, Decision, Json, RiskLevel, SuggestedScope};

/// A kind of scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// The same call again.
    Exact,
    /// A pattern that the request suggests.
    Pattern,
    /// All calls of the tool.
    Tool,
}

impl ScopeKind {
    /// All kinds, the narrowest first.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Pattern, Self::Tool];

    /// The letter that chooses the kind.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Exact => 'x',
            Self::Pattern => 'p',
            Self::Tool => 't',
        }
    }

    /// The word that chooses the kind.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Pattern => "pattern",
            Self::Tool => "tool",
        }
    }

    /// The kind with this letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter)
    }

    /// The kind with this word or letter.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let mut letters = word.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Self::from_letter(letter),
            _ => Self::ALL.into_iter().find(|kind| kind.word() == word),
        }
    }

    /// The scopes of this kind that the call offers. Only patterns can be several or missing.
    #[must_use]
    pub fn offers(self, call: &api::Call) -> Vec<SuggestedScope> {
        let fixed = |scope: GrantScope| {
            let says = scope.describe_in(call.place.as_ref());
            vec![SuggestedScope { scope: scope.json(), says }]
        };
        match self {
            Self::Exact => fixed(GrantScope::Exact),
            Self::Tool => fixed(GrantScope::Tool),
            Self::Pattern => {
                let offered = call.request.iter().flat_map(|request| &request.scopes);
                offered.filter(|offer| offer.scope.as_str().trim_start().starts_with('{')).cloned().collect()
            }
        }
    }
}

/// Why `p` chooses nothing.
pub const NO_PATTERN: &str = "no pattern describes this call";

/// The letter of one of several patterns: `c` for commands, `u` for URLs, `f` for files.
#[must_use]
pub fn pattern_letter(pattern: &Json) -> char {
    let kind = pattern.members().unwrap_or_default().into_iter().next().map(|(kind, _)| kind);
    match kind.as_deref() {
        Some("command") => 'c',
        Some("url") => 'u',
        Some("path") => 'f',
        _ => 'p',
    }
}

/// One line for each kind of scope: its letter, and what it would have answered.
#[must_use]
pub fn describe_scopes(call: &api::Call, previews: &[api::ScopePreview], decision: Decision) -> Vec<String> {
    let line = |kind: ScopeKind| {
        let offers = kind.offers(call);
        let letter = kind.letter();
        match offers.as_slice() {
            [] => format!("{letter} is not available: {NO_PATTERN}"),
            [only] => format!("{letter} {}", describe_offer(only, previews, decision)),
            several => {
                let all: Vec<_> = several.iter().map(|offer| escape_text(&offer.says)).collect();
                format!("{letter} one of {} patterns: {}", several.len(), all.join("; "))
            }
        }
    };
    ScopeKind::ALL.into_iter().map(line).collect()
}

/// One line for each of several patterns.
#[must_use]
pub fn describe_patterns(
    call: &api::Call,
    previews: &[api::ScopePreview],
    decision: Decision,
) -> Vec<String> {
    let offers = ScopeKind::Pattern.offers(call);
    let line = |offer: &SuggestedScope| {
        format!("{} {}", pattern_letter(&offer.scope), describe_offer(offer, previews, decision))
    };
    offers.iter().map(line).collect()
}

/// A scope in words, with its preview if there is one.
#[must_use]
pub fn describe_offer(offer: &SuggestedScope, previews: &[api::ScopePreview], decision: Decision) -> String {
    let preview = previews.iter().find(|preview| preview.scope == offer.scope);
    preview.map_or_else(|| escape_text(&offer.says), |preview| describe_scope_preview(preview, decision))
}

/// The reason why a grant for the whole tool needs a second answer, if it needs one.
#[must_use]
pub fn whole_tool_warning(call: &api::Call) -> Option<String> {
    let tool = escape_text(call.name.as_str());
    let risk = ImpactSummary::from_call(call).risk;
    let why = match risk {
        Some(RiskLevel::High) => "The risk of this call is high",
        Some(RiskLevel::Critical) => "The risk of this call is critical",
        Some(RiskLevel::Other) => "The risk of this call is unknown",
        _ if ScopeKind::Pattern.offers(call).is_empty() => "No pattern describes this call",
        _ => return None,
    };
    Some(format!("{why}, and this allows every later call of {tool}, whatever its arguments."))
}

/// The number of waiting calls that a question names.
pub const MOST_NAMED: usize = 5;

/// A call that waits: its id, its tool and its most telling argument, as far as it is known here.
#[must_use]
pub fn describe_waiting_call(id: &CallId, known: Option<&api::Call>) -> String {
    let (tool, argument) = known.map(summarize_call).unwrap_or_default();
    truncate_text(format!("{} {tool} {argument}", escape_text(id.as_str())).trim_end(), 200)
}

/// What a remembered denial does, and how to remove it.
#[must_use]
pub fn describe_remembered_denial(call: &api::Call, says: &str, command_prefix: &str) -> Vec<String> {
    let (tool, thread) = (escape_text(call.name.as_str()), escape_text(call.thread_id.as_str()));
    let word =
        shlex::try_quote(call.thread_id.as_str()).map_or_else(|_| thread.clone(), |word| escape_text(&word));
    vec![
        format!("Later calls of {tool} in thread {thread} are denied too, without a question: {says}."),
        format!("To see and revoke it later: {command_prefix} grant list {word}"),
    ]
}
