//! Rules, and the verdict of one rule on one call.

use crate::{
    MANAGED_LAYER, MatchedRule, RuleEffect,
    facts::CallFacts,
    judgement::OwnTerms,
    outcome::SelectorHit,
    selector::{RuleSelectors, format_patterns},
};
use countersign_events::Verdict;
use countersign_patterns::CommandPattern;
use std::sync::Arc;

/// A rule, a short-form pattern, or a zone verdict for one operation.
#[derive(Debug, Clone)]
pub(crate) struct PolicyRule {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    pub(crate) shadow: bool,
    pub(crate) is_zone: bool,
    /// The rule's file, if the policy has several.
    pub(crate) file: Option<Arc<str>>,
    /// The line in its file, from 1.
    pub(crate) line: usize,
    pub(crate) matching: RuleSelectors,
    pub(crate) unless: Option<RuleSelectors>,
    pub(crate) terms: OwnTerms,
}

/// A matching rule's answer.
pub(crate) struct RuleAnswer<'a> {
    pub(crate) rule: &'a PolicyRule,
    pub(crate) verdict: Verdict,
    why: String,
    /// Whether the rule might block the call, which it cannot read with certainty.
    pub(crate) unsure: bool,
    /// Whether the rule matches because a value is missing, has another type or cannot be read.
    strange: bool,
    /// The advisor that may answer. An advisor may allow the call, so the rule must cover all of it with certainty.
    pub(crate) advisor: Option<&'a str>,
}

impl PolicyRule {
    /// Creates a rule without a reason, an exception and terms.
    pub(crate) fn new(name: String, verdict: Verdict, matching: RuleSelectors) -> Self {
        Self {
            name,
            verdict,
            reason: None,
            shadow: false,
            is_zone: false,
            file: None,
            line: 0,
            matching,
            unless: None,
            terms: OwnTerms::default(),
        }
    }

    /// Returns true if a person accepted the rule into the managed layer.
    pub(crate) fn is_managed(&self) -> bool {
        self.file.as_deref() == Some(MANAGED_LAYER)
    }

    /// Whether a protection defines it.
    pub(crate) fn is_protection(&self) -> bool {
        self.matching.protected.is_some()
    }

    /// The answer to a call, or `None` if the rule does not match.
    pub(crate) fn answer(&self, facts: &CallFacts<'_>) -> Option<RuleAnswer<'_>> {
        let effect = match self.verdict {
            Verdict::Allow => RuleEffect::Widen,
            Verdict::Ask | Verdict::Block => RuleEffect::Restrict,
        };
        let hit = self.matching.match_call(effect, facts);
        let hindrance = facts.take_hindrance();
        if hit == SelectorHit::No && hindrance.is_none() || self.is_excepted(effect, facts) {
            return None;
        }
        if let Some(arguments) = hindrance.filter(|_| !self.shadow) {
            facts.keep_hindrance(&self.name, &arguments);
        }
        let strange = matches!(hit, SelectorHit::Failed(_) | SelectorHit::Unclear(_));
        let advisor = self.terms.advisor.as_deref().filter(|_| self.covers_whole_call(facts));
        let answer =
            |verdict, why| Some(RuleAnswer { rule: self, verdict, why, unsure: false, strange, advisor });
        match (self.verdict, hit) {
            (Verdict::Allow, SelectorHit::Yes(why)) => answer(Verdict::Allow, why),
            (Verdict::Ask, SelectorHit::Yes(why)) => answer(Verdict::Ask, why),
            (Verdict::Ask, SelectorHit::Unclear(why) | SelectorHit::Failed(why)) => {
                answer(Verdict::Ask, format!("{why}; an ask rule then matches"))
            }
            (Verdict::Block, SelectorHit::Yes(why)) => answer(Verdict::Block, why),
            (Verdict::Block, SelectorHit::Failed(why)) => {
                answer(Verdict::Block, format!("{why}; a block rule then matches"))
            }
            (Verdict::Block, SelectorHit::Unclear(why)) => {
                // The verdict must not be less strict than without this rule.
                let verdict = facts.default_verdict().max(Verdict::Ask);
                let why = format!("{why}; a block rule then asks");
                Some(RuleAnswer { rule: self, verdict, why, unsure: true, strange, advisor: None })
            }
            (_, SelectorHit::No) | (Verdict::Allow, SelectorHit::Unclear(_) | SelectorHit::Failed(_)) => None,
        }
    }

    /// The answer when this rule allows some of the commands in a line, together with other rules.
    pub(crate) fn partial_answer(&self) -> RuleAnswer<'_> {
        let patterns = format_patterns(self.matching.commands.iter().map(CommandPattern::as_str));
        let why = format!("command {patterns} matches a part of the line");
        RuleAnswer { rule: self, verdict: self.verdict, why, unsure: false, strange: false, advisor: None }
    }

    /// Returns true if the rule would match also as a rule that allows.
    fn covers_whole_call(&self, facts: &CallFacts<'_>) -> bool {
        let hit = self.matching.match_call(RuleEffect::Widen, facts);
        matches!(hit, SelectorHit::Yes(_)) && !self.is_excepted(RuleEffect::Widen, facts)
    }

    /// Returns true if `unless` excludes the call from the rule. An exception has the inverse effect of its rule, so
    /// that an uncertain exception never makes the verdict less strict.
    pub(crate) fn is_excepted(&self, effect: RuleEffect, facts: &CallFacts<'_>) -> bool {
        self.unless
            .as_ref()
            .is_some_and(|unless| unless.match_call(effect.inverse(), facts) != SelectorHit::No)
    }
}

impl<'a> RuleAnswer<'a> {
    pub(crate) fn reason(&self) -> String {
        let reason = self.reason_without_file();
        match &self.rule.file {
            Some(file) => format!("{reason} ({file})"),
            None => reason,
        }
    }

    fn reason_without_file(&self) -> String {
        match &self.rule.reason {
            _ if self.unsure => format!("{}: rule {:?} might block it", self.why, self.rule.name),
            // The reason alone may not fit the call, so add why the rule matches.
            Some(reason) if self.strange || self.rule.is_protection() => format!("{reason} ({})", self.why),
            Some(reason) => reason.clone(),
            None if self.rule.is_zone || self.strange || self.rule.is_protection() => self.why.clone(),
            None => "the rule says so".to_owned(),
        }
    }

    /// Whether a protection only asks because the call may reach what it guards, on the usual terms.
    pub(crate) fn is_mere_doubt(&self) -> bool {
        let asks = self.rule.verdict == Verdict::Ask && self.rule.terms == OwnTerms::default();
        self.rule.is_protection() && self.strange && asks
    }

    pub(crate) fn terms(&self) -> &'a OwnTerms {
        &self.rule.terms
    }

    pub(crate) fn into_matched(self) -> MatchedRule {
        let Self { rule, verdict, why, advisor, .. } = self;
        let advisor = advisor.map(str::to_owned);
        MatchedRule { rule: rule.name.clone(), verdict, why, advisor, shadow: rule.shadow }
    }
}
