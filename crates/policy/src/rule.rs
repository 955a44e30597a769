//! Rules, and the verdict of one rule on one call.

use crate::{
    facts::Facts,
    judgement::{Matched, OwnTerms},
    outcome::{Effect, Hit},
    selector::Selectors,
};
use countersign_events::event::Verdict;

/// A rule, a pattern of the short form, or what a zone says of one operation.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    pub(crate) shadow: bool,
    pub(crate) is_zone: bool,
    pub(crate) matching: Selectors,
    pub(crate) unless: Option<Selectors>,
    pub(crate) terms: OwnTerms,
}

/// What a rule says of a call that it matches.
pub(crate) struct Say<'a> {
    pub(crate) rule: &'a Rule,
    pub(crate) verdict: Verdict,
    why: String,
    /// Whether it would block if only the call could be read.
    pub(crate) unsure: bool,
    /// Whether it matches because something it looks at is missing, strange or not to be read.
    strange: bool,
}

impl Rule {
    /// What it says of a call; none if it does not match.
    pub(crate) fn say(&self, facts: &Facts<'_>) -> Option<Say<'_>> {
        let effect = match self.verdict {
            Verdict::Allow => Effect::Widen,
            Verdict::Ask | Verdict::Block => Effect::Restrict,
        };
        let hit = self.matching.judge(effect, facts);
        if hit == Hit::No || self.is_excepted(effect, facts) {
            return None;
        }
        let strange = matches!(hit, Hit::Failed(_) | Hit::Unclear(_));
        let say = |verdict, why| Some(Say { rule: self, verdict, why, unsure: false, strange });
        match (self.verdict, hit) {
            (Verdict::Allow, Hit::Yes(why)) => say(Verdict::Allow, why),
            (Verdict::Ask, Hit::Yes(why)) => say(Verdict::Ask, why),
            (Verdict::Ask, Hit::Unclear(why) | Hit::Failed(why)) => {
                say(Verdict::Ask, format!("{why}; an ask rule then matches"))
            }
            (Verdict::Block, Hit::Yes(why)) => say(Verdict::Block, why),
            (Verdict::Block, Hit::Failed(why)) => {
                say(Verdict::Block, format!("{why}; a block rule then matches"))
            }
            (Verdict::Block, Hit::Unclear(why)) => {
                // It never says less than if it were not there.
                let verdict = facts.default().max(Verdict::Ask);
                let why = format!("{why}; what a block rule cannot read is asked");
                Some(Say { rule: self, verdict, why, unsure: true, strange })
            }
            (_, Hit::No) | (Verdict::Allow, Hit::Unclear(_) | Hit::Failed(_)) => None,
        }
    }

    /// Whether `unless` takes the call out of the rule. An exception from an allow restricts, and one from
    /// anything else widens, so that one nobody is sure of never loosens.
    fn is_excepted(&self, effect: Effect, facts: &Facts<'_>) -> bool {
        self.unless.as_ref().is_some_and(|unless| unless.judge(effect.inverse(), facts) != Hit::No)
    }
}

impl<'a> Say<'a> {
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

    pub(crate) fn into_matched(self) -> Matched {
        let Self { rule, verdict, why, .. } = self;
        Matched { rule: rule.name.clone(), verdict, why, shadow: rule.shadow }
    }
}
