//! What a policy says of one call: the verdict, where it comes from, and on which terms people are asked.

use crate::approvers::ApproverDirectory;
use countersign_events::{
    Principal, Sha256,
    event::{Basis, OnExpiry, ShadowVerdict, Verdict},
};
use std::time::Duration;

/// What a policy says of one call, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What kind of source decided.
    pub basis: Basis,
    /// The rule that decided, or the zone as `zone-<name>`; none if it is the default or the tool.
    pub rule: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// How people are asked, if they are.
    pub terms: ApprovalTerms,
    /// A rule that would block if only the call could be read for sure.
    pub doubt: Option<String>,
    /// What the shadow rules that match would have said.
    pub shadow: Vec<ShadowVerdict>,
    /// Every rule that matches, with what made it match.
    pub matched: Vec<MatchedRule>,
    /// The hash of the policy.
    pub policy: Sha256,
}

impl Judgement {
    /// The rule, as the one who caused what follows from it.
    #[must_use]
    pub fn principal(&self) -> Principal {
        match (&self.rule, self.basis) {
            (Some(rule), _) => Principal::policy(rule),
            (None, Basis::Tool) => Principal::policy("tool"),
            (None, _) => Principal::policy("default"),
        }
    }
}

/// How people are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalTerms {
    /// How long they may take; for ever if nothing is said.
    pub expires: Option<Duration>,
    /// What becomes of the call when the time is over.
    pub on_expiry: OnExpiry,
    /// The level an approver needs.
    pub level: Option<String>,
    /// The level that is offered first.
    pub default_level: Option<String>,
    /// How many approvers it takes, at least one.
    pub quorum: u32,
    /// How many denials deny, at least one.
    pub denials: u32,
    /// Who may vote: everybody who is in each of these lists of `user:ada` and `@group`.
    pub approvers: Vec<Vec<String>>,
    /// When people are reminded.
    pub remind_after: Option<Duration>,
    /// When the question goes to a higher level.
    pub escalate_after: Option<Duration>,
    /// To which one.
    pub escalate_to: Option<String>,
}

impl Default for ApprovalTerms {
    fn default() -> Self {
        Self {
            expires: None,
            on_expiry: OnExpiry::Deny,
            level: None,
            default_level: None,
            quorum: 1,
            denials: 1,
            approvers: Vec::new(),
            remind_after: None,
            escalate_after: None,
            escalate_to: None,
        }
    }
}

/// A rule that matches, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedRule {
    /// The rule, or the zone as `zone-<name>`.
    pub rule: String,
    /// What it says; a block that cannot be sure says `ask`.
    pub verdict: Verdict,
    /// What of the call made it match.
    pub why: String,
    /// Whether it only records what it would have said.
    pub shadow: bool,
}

/// The terms of one rule, as far as it names any.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnTerms {
    pub(crate) expires: Option<Duration>,
    pub(crate) allow_on_expiry: bool,
    pub(crate) level: Option<String>,
    pub(crate) default_level: Option<String>,
    pub(crate) quorum: Option<u32>,
    pub(crate) denials: Option<u32>,
    pub(crate) approvers: Vec<String>,
    pub(crate) remind_after: Option<Duration>,
    pub(crate) escalate: Option<(Duration, String)>,
}

/// The strictest terms of all rules that ask, in whatever order they stand; `expires` is what holds
/// where none of them says how long.
pub(crate) fn merge(
    rules: &[&OwnTerms],
    expires: Option<Duration>,
    approvers: &ApproverDirectory,
) -> ApprovalTerms {
    let rank = |level: &String| approvers.rank(level);
    let highest = |level: fn(&OwnTerms) -> Option<&String>| {
        rules.iter().filter_map(|rule| level(rule)).max_by_key(|level| rank(level)).cloned()
    };
    let level = highest(|rule| rule.level.as_ref());
    let default_level = highest(|rule| rule.default_level.as_ref());
    let escalate = rules.iter().filter_map(|rule| rule.escalate.as_ref());
    let escalate = escalate.min_by_key(|(after, to)| (*after, std::cmp::Reverse(rank(to))));
    let mut lists: Vec<_> =
        rules.iter().map(|rule| rule.approvers.clone()).filter(|l| !l.is_empty()).collect();
    lists.sort();
    lists.dedup();
    let allow = !rules.is_empty() && rules.iter().all(|rule| rule.allow_on_expiry);
    // Two rules together never offer or hand the question to a level lower than one of them needs.
    let at_least = |other: Option<String>| {
        other.map(|other| level.iter().rfind(|level| rank(level) > rank(&other)).unwrap_or(&other).clone())
    };
    ApprovalTerms {
        // What a rule leaves open is what the file says, so that a longer time elsewhere does not lengthen it.
        expires: rules.iter().filter_map(|rule| rule.expires.or(expires)).min().or(expires),
        on_expiry: if allow { OnExpiry::Allow } else { OnExpiry::Deny },
        default_level: at_least(default_level),
        quorum: rules.iter().filter_map(|rule| rule.quorum).max().unwrap_or(1),
        // A rule that names no number is content with one.
        denials: rules.iter().map(|rule| rule.denials.unwrap_or(1)).min().unwrap_or(1),
        approvers: lists,
        remind_after: rules.iter().filter_map(|rule| rule.remind_after).min(),
        escalate_after: escalate.map(|(after, _)| *after),
        escalate_to: at_least(escalate.map(|(_, to)| to.clone())),
        level,
    }
}
