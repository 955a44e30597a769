//! Rules, and the verdict of one rule on one call.

use crate::{
    facts::CallFacts,
    judgement::{MatchedRule, OwnTerms},
    outcome::{RuleEffect, SelectorHit},
    selector::RuleSelectors,
};
use countersign_events::event::Verdict;

/// A rule, a pattern of the short form, or what a zone says of one operation.
#[derive(Debug, Clone)]
pub(crate) struct PolicyRule {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    pub(crate) shadow: bool,
    pub(crate) is_zone: bool,
    pub(crate) matching: RuleSelectors,
    pub(crate) unless: Option<RuleSelectors>,
    pub(crate) terms: OwnTerms,
}

/// What a rule says of a call that it matches.
pub(crate) struct RuleAnswer<'a> {
    pub(crate) rule: &'a PolicyRule,
    pub(crate) verdict: Verdict,
    why: String,
    /// Whether it would block if only the call could be read.
    pub(crate) unsure: bool,
    /// Whether it matches because something it looks at is missing, strange or not to be read.
    strange: bool,
}

impl PolicyRule {
    /// What it says of a call; none if it does not match.
    pub(crate) fn say(&self, facts: &CallFacts<'_>) -> Option<RuleAnswer<'_>> {
        let effect = match self.verdict {
            Verdict::Allow => RuleEffect::Widen,
            Verdict::Ask | Verdict::Block => RuleEffect::Restrict,
        };
        let hit = self.matching.judge(effect, facts);
        if hit == SelectorHit::No || self.is_excepted(effect, facts) {
            return None;
        }
        let strange = matches!(hit, SelectorHit::Failed(_) | SelectorHit::Unclear(_));
        let say = |verdict, why| Some(RuleAnswer { rule: self, verdict, why, unsure: false, strange });
        match (self.verdict, hit) {
            (Verdict::Allow, SelectorHit::Yes(why)) => say(Verdict::Allow, why),
            (Verdict::Ask, SelectorHit::Yes(why)) => say(Verdict::Ask, why),
            (Verdict::Ask, SelectorHit::Unclear(why) | SelectorHit::Failed(why)) => {
                say(Verdict::Ask, format!("{why}; an ask rule then matches"))
            }
            (Verdict::Block, SelectorHit::Yes(why)) => say(Verdict::Block, why),
            (Verdict::Block, SelectorHit::Failed(why)) => {
                say(Verdict::Block, format!("{why}; a block rule then matches"))
            }
            (Verdict::Block, SelectorHit::Unclear(why)) => {
                // It never says less than if it were not there.
                let verdict = facts.default().max(Verdict::Ask);
                let why = format!("{why}; what a block rule cannot read is asked");
                Some(RuleAnswer { rule: self, verdict, why, unsure: true, strange })
            }
            (_, SelectorHit::No) | (Verdict::Allow, SelectorHit::Unclear(_) | SelectorHit::Failed(_)) => None,
        }
    }

    /// Whether `unless` takes the call out of the rule. An exception from an allow restricts, and one from
    /// anything else widens, so that one nobody is sure of never loosens.
    fn is_excepted(&self, effect: RuleEffect, facts: &CallFacts<'_>) -> bool {
        self.unless.as_ref().is_some_and(|unless| unless.judge(effect.inverse(), facts) != SelectorHit::No)
    }
}

impl<'a> RuleAnswer<'a> {
    pub(crate) fn reason(&self) -> String {
        match &self.rule.reason {
            _ if self.unsure => format!("{}: rule {:?} might block it", self.why, self.rule.name),
            // Whoever reads a reason that does not fit the call would look for it in the wrong place.
            Some(reason) if self.strange => format!("{reason} ({})", self.why),
            Some(reason) => reason.clone(),
            None if self.rule.is_zone || self.strange => self.why.clone(),
            None => "the rule says so".to_owned(),
        }
    }

    pub(crate) fn terms(&self) -> &'a OwnTerms {
        &self.rule.terms
    }

    pub(crate) fn into_matched(self) -> MatchedRule {
        let Self { rule, verdict, why, .. } = self;
        MatchedRule { rule: rule.name.clone(), verdict, why, shadow: rule.shadow }
    }
}
