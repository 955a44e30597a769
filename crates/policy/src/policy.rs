//! A policy that has been read and checked.

use crate::{
    AdvisorSettings, ApproverDirectory, AssumedLevels, KeyRegistrars, MismatchAction, PendingLimits,
    PolicyText, plain_rule_name, rule::PolicyRule, selector::RuleSelectors, settings::PolicySettings,
};
use countersign_events::{RiskLevel, Sha256, Verdict};
use countersign_redaction::Redactor;
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, LazyLock},
    time::Duration,
};

/// A policy that has been read and checked.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(crate) settings: PolicySettings,
    pub(crate) rules: Vec<PolicyRule>,
    pub(crate) index: RuleIndex,
    /// For each zone the answer for operations that neither it nor a rule has a verdict for.
    pub(crate) zones: Vec<PolicyRule>,
    pub(crate) advisors: Vec<AdvisorSettings>,
    pub(crate) hash: Sha256,
    /// The text that it was read from. Shared, because policies are cloned.
    pub(crate) text: Arc<PolicyText>,
}

/// A policy rule, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSummary<'a> {
    /// The name; a zone has the name `zone-<name>` for each of its operations.
    pub name: &'a str,
    /// The file, if the policy has several.
    pub file: Option<&'a str>,
    /// The line in the file, from 1.
    pub line: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// The advisor that may answer, if the rule has the verdict `advised`.
    pub advisor: Option<&'a str>,
    /// The reason that the policy gives for it.
    pub reason: Option<&'a str>,
    /// Whether the rule is only counted.
    pub shadow: bool,
    /// Whether a zone defines it.
    pub is_zone: bool,
    /// Whether a person accepted it into the managed layer.
    pub is_managed: bool,
}

/// Finds the rules that may match a tool without testing every rule.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleIndex {
    /// The rules that name a tool in full.
    by_name: HashMap<String, Vec<usize>>,
    /// The rules that have a glob, or name no tool.
    others: Vec<usize>,
}

impl Policy {
    /// A policy that asks people about every call.
    #[must_use]
    pub fn ask_always() -> Self {
        static POLICY: LazyLock<Policy> = LazyLock::new(|| {
            let text = PolicyText::from("default = \"ask\"\n");
            Policy {
                settings: PolicySettings::default(),
                rules: Vec::new(),
                index: RuleIndex::default(),
                zones: Vec::new(),
                advisors: Vec::new(),
                hash: text.hash(),
                text: Arc::new(text),
            }
        });
        POLICY.clone()
    }

    /// A policy that this version cannot read. It asks about every call.
    #[must_use]
    pub fn unread(text: PolicyText) -> Self {
        Self { hash: text.hash(), text: Arc::new(text), ..Self::ask_always() }
    }

    /// An earlier policy, as far as a log records it. It has no rules, so its verdicts must come from evidence. It
    /// assumes that each tool is idempotent and that each scope matches, because a log records neither.
    #[must_use]
    pub fn recorded(
        hash: Sha256,
        lapses: Option<Duration>,
        remember: Duration,
        assumed: AssumedLevels,
    ) -> Self {
        let mut policy = Self::ask_always();
        policy.hash = hash;
        policy.settings.lapses = lapses;
        policy.settings.remember = remember;
        policy.settings.approvers = ApproverDirectory::assumed(assumed);
        policy.settings.is_recorded = true;
        policy
    }

    /// The same policy with this reaction to a mismatch.
    #[must_use]
    pub fn with_mismatch_action(mut self, on_mismatch: MismatchAction) -> Self {
        self.settings.on_mismatch = on_mismatch;
        self
    }

    /// What happens when other arguments ran than were approved.
    #[must_use]
    pub const fn on_mismatch(&self) -> MismatchAction {
        self.settings.on_mismatch
    }

    /// Returns true if people may allow a call of this claimed risk in a notification, which shows only a part of it. A log does
    /// not record the setting, so an earlier policy lets them.
    #[must_use]
    pub fn lets_notifications_allow(&self, risk: Option<RiskLevel>) -> bool {
        self.settings.is_recorded || risk.is_some_and(|risk| self.settings.notified_allow.contains(&risk))
    }

    /// The text that the policy was read from.
    #[must_use]
    pub fn text(&self) -> &PolicyText {
        &self.text
    }

    /// The policy hash, [`PolicyText::hash`]. Every request and response that the policy causes records it.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        self.hash
    }

    /// The number of rules, including those in the short form.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.rules.iter().filter(|rule| !rule.is_zone).count()
    }

    /// The rules in file order, zone rules last.
    pub fn list_rules(&self) -> impl Iterator<Item = RuleSummary<'_>> {
        self.rules.iter().map(|rule| RuleSummary {
            name: &rule.name,
            file: rule.file.as_deref(),
            line: rule.line,
            verdict: rule.verdict,
            advisor: rule.terms.advisor.as_deref(),
            reason: rule.reason.as_deref(),
            shadow: rule.shadow,
            is_zone: rule.is_zone,
            is_managed: rule.is_managed(),
        })
    }

    /// The names of the rules that block and that `other` does not have under this name. A call that they block may be
    /// allowed by `other`.
    #[must_use]
    pub fn blocks_missing_in<'a>(&'a self, other: &Self) -> Vec<&'a str> {
        let blocks = |rule: &&PolicyRule| rule.verdict == Verdict::Block && !rule.shadow;
        let kept: BTreeSet<_> =
            other.rules.iter().filter(blocks).map(|rule| plain_rule_name(&rule.name)).collect();
        let names = self.rules.iter().filter(blocks).map(|rule| plain_rule_name(&rule.name));
        let missing: BTreeSet<_> = names.filter(|name| !kept.contains(name)).collect();
        missing.into_iter().collect()
    }

    /// The verdict on calls that nothing else in the policy has a verdict for.
    #[must_use]
    pub fn default_verdict(&self) -> Verdict {
        self.settings.default
    }

    /// Returns true if any rule has a condition, which takes time to evaluate.
    #[must_use]
    pub fn has_conditions(&self) -> bool {
        let has = |selectors: &RuleSelectors| selectors.when.is_some();
        self.rules.iter().any(|rule| has(&rule.matching) || rule.unless.as_ref().is_some_and(has))
    }

    /// The advisors, in policy order.
    #[must_use]
    pub fn advisors(&self) -> &[AdvisorSettings] {
        &self.advisors
    }

    /// The advisor with this name.
    #[must_use]
    pub fn advisor(&self, name: &str) -> Option<&AdvisorSettings> {
        self.advisors.iter().find(|advisor| advisor.name == name)
    }

    /// The levels and groups of approvers.
    #[must_use]
    pub fn approvers(&self) -> &ApproverDirectory {
        &self.settings.approvers
    }

    /// How long an unused approval is valid. `None` sets no limit.
    #[must_use]
    pub fn lapses(&self) -> Option<Duration> {
        self.settings.lapses
    }

    /// How long a denial or an unused approval also applies to a repeated call. Zero turns this off.
    #[must_use]
    pub fn remember(&self) -> Duration {
        self.settings.remember
    }

    /// How long the proposer of a call that is to be withdrawn then may be absent. `None` sets no limit.
    #[must_use]
    pub const fn withdraw_after(&self) -> Option<Duration> {
        self.settings.withdraw_after
    }

    /// The same policy with another limit for absent proposers, for checking a log.
    #[must_use]
    pub fn with_withdraw_after(mut self, withdraw_after: Option<Duration>) -> Self {
        self.settings.withdraw_after = withdraw_after;
        self
    }

    /// The same policy with other advisors, for checking a log by the advisors of its policies.
    #[must_use]
    pub fn with_advisors(mut self, advisors: Vec<AdvisorSettings>) -> Self {
        self.advisors = advisors;
        self
    }

    /// The same policy without limits of pending calls, for programs that limit their agents in another way.
    #[must_use]
    pub fn without_pending_limits(mut self) -> Self {
        self.settings.pending_limits = PendingLimits { per_thread: u32::MAX, per_agent: u32::MAX };
        self
    }

    /// The maximum number of calls that may be pending at the same time.
    #[must_use]
    pub fn pending_limits(&self) -> PendingLimits {
        self.settings.pending_limits
    }

    /// The people who may register the keys of approvers.
    #[must_use]
    pub fn key_registrars(&self) -> KeyRegistrars {
        self.settings.key_registrars
    }

    /// The redactor that masks secrets.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.settings.redactor
    }
}

impl RuleIndex {
    pub(crate) fn new(rules: &[PolicyRule]) -> Self {
        let mut index = Self::default();
        for (at, rule) in rules.iter().enumerate() {
            match &rule.matching.tools {
                Some(tools) if tools.is_literal() => {
                    for name in tools.literals() {
                        index.by_name.entry(name.to_owned()).or_default().push(at);
                    }
                }
                _ => index.others.push(at),
            }
        }
        index
    }

    /// The rules that may match a tool, in policy order.
    pub(crate) fn candidates(&self, tool: &str) -> Vec<usize> {
        let mut found = self.by_name.get(tool).cloned().unwrap_or_default();
        found.extend(&self.others);
        found.sort_unstable();
        found.dedup();
        found
    }
}
