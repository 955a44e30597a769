//! A policy's judgement of one call: the verdict, its source, and the terms on which people are asked.

use crate::approvers::ApproverDirectory;
use countersign_events::{
    Basis, DecisionChannel, OnExpiry, Principal, ProofRequirement, Sha256, ShadowVerdict, Verdict,
};
use std::time::Duration;

/// A policy's judgement of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The kind of source that decided.
    pub basis: Basis,
    /// The rule that decided, or the zone as `zone-<name>`. `None` if the default or the tool decided.
    pub rule: Option<String>,
    /// The reason, as text for people.
    pub reason: String,
    /// The terms on which people are asked, if the verdict is `ask`.
    pub terms: ApprovalTerms,
    /// A rule that might block the call, which it cannot read with certainty.
    pub doubt: Option<String>,
    /// Whether the call may not run without people while the definition of its tool is changed and not accepted,
    /// although the policy allows it: the verdict depends on what the tool says about itself, or the policy requires
    /// it.
    pub relies_on_tool: bool,
    /// Verdicts from matching shadow rules.
    pub shadow: Vec<ShadowVerdict>,
    /// Every rule that matches, with the reason.
    pub matched: Vec<MatchedRule>,
    /// The policy's hash.
    pub policy: Sha256,
}

impl Judgement {
    /// The principal that is recorded as the verdict's author.
    #[must_use]
    pub fn principal(&self) -> Principal {
        match (&self.rule, self.basis) {
            (Some(rule), _) => Principal::policy(rule),
            (None, Basis::Tool) => Principal::policy("tool"),
            (None, _) => Principal::policy("default"),
        }
    }
}

/// The terms on which people are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalTerms {
    /// How long people may take to decide. `None` sets no limit.
    pub expires: Option<Duration>,
    /// The decision when the time is over.
    pub on_expiry: OnExpiry,
    /// The level an approver needs.
    pub level: Option<String>,
    /// The level that is preselected.
    pub default_level: Option<String>,
    /// The number of approvals needed, at least one.
    pub quorum: u32,
    /// The number of denials needed, at least one.
    pub denials: u32,
    /// The people who may vote: those who are in every one of these lists of `user:ada` and `@group`.
    pub approvers: Vec<Vec<String>>,
    /// The proof that each approval needs.
    pub proof: Option<ProofRequirement>,
    /// The surfaces on which people may decide besides those that show the whole card: those that every asking rule names.
    pub decide_in: Vec<DecisionChannel>,
    /// The advisor that may answer instead of people, if it decides.
    pub advisor: Option<String>,
    /// When people are reminded.
    pub remind_after: Option<Duration>,
    /// When the request goes to a higher level.
    pub escalate_after: Option<Duration>,
    /// The level to which the request goes.
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
            proof: None,
            decide_in: Vec::new(),
            advisor: None,
            remind_after: None,
            escalate_after: None,
            escalate_to: None,
        }
    }
}

/// A rule that matches, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedRule {
    /// The rule, or the zone as `zone-<name>`.
    pub rule: String,
    /// Its verdict. A block rule that cannot read the call with certainty has the verdict `ask`.
    pub verdict: Verdict,
    /// The reason why it matches.
    pub why: String,
    /// The advisor that may answer, if the rule has the verdict `advised` and certainly covers the whole call.
    pub advisor: Option<String>,
    /// Whether this is a shadow rule, which is recorded and does not decide.
    pub shadow: bool,
}

/// The terms that one rule sets.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OwnTerms {
    pub(crate) expires: Option<Duration>,
    pub(crate) allow_on_expiry: bool,
    pub(crate) level: Option<String>,
    pub(crate) default_level: Option<String>,
    pub(crate) quorum: Option<u32>,
    pub(crate) denials: Option<u32>,
    pub(crate) approvers: Vec<String>,
    pub(crate) proof: Option<ProofRequirement>,
    pub(crate) decide_in: Vec<DecisionChannel>,
    pub(crate) advisor: Option<String>,
    pub(crate) remind_after: Option<Duration>,
    pub(crate) escalate: Option<(Duration, String)>,
}

/// Merges the terms of all asking rules into the strictest. Rule order does not matter. `expires` applies to a rule
/// that does not set its own.
pub(crate) fn merge_terms(
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
    let is_everywhere = |channel: &DecisionChannel| rules.iter().all(|rule| rule.decide_in.contains(channel));
    let decide_in = rules.first().map(|rule| rule.decide_in.clone()).unwrap_or_default();
    let allow = !rules.is_empty() && rules.iter().all(|rule| rule.allow_on_expiry);
    // Never preselect or escalate to a level below the one that a rule requires.
    let at_least = |other: Option<String>| {
        other.map(|other| level.iter().rfind(|level| rank(level) > rank(&other)).unwrap_or(&other).clone())
    };
    ApprovalTerms {
        // A rule without `expires` uses the file's value, so that another rule with a longer time does not extend it.
        expires: rules.iter().filter_map(|rule| rule.expires.or(expires)).min().or(expires),
        on_expiry: if allow { OnExpiry::Allow } else { OnExpiry::Deny },
        default_level: at_least(default_level),
        quorum: rules.iter().filter_map(|rule| rule.quorum).max().unwrap_or(1),
        // A rule without `denials` needs one denial.
        denials: rules.iter().map(|rule| rule.denials.unwrap_or(1)).min().unwrap_or(1),
        approvers: lists,
        proof: rules.iter().filter_map(|rule| rule.proof).max_by_key(|proof| proof.rank()),
        decide_in: decide_in.into_iter().filter(is_everywhere).collect(),
        advisor: None,
        remind_after: rules.iter().filter_map(|rule| rule.remind_after).min(),
        escalate_after: escalate.map(|(after, _)| *after),
        escalate_to: at_least(escalate.map(|(_, to)| to.clone())),
        level,
    }
}
