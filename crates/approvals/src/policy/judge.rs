//! Judging: which rules match, which of them is the strictest, and what the tool's own word adds.

use super::{
    Judgement, Matched, Policy, Rule, Shadow, Subject, Terms, Verdict,
    facts::Facts,
    hints::{self, Hint},
    judgement::{OwnTerms, merge},
    selector::{Effect, Hit},
};
use crate::event::Basis;

/// What a rule says of a call that it matches.
pub(super) struct Say<'a> {
    rule: &'a Rule,
    verdict: Verdict,
    why: String,
    /// Whether it would block if only the call could be read.
    unsure: bool,
    /// Whether it matches because something it looks at is missing, strange or not to be read.
    strange: bool,
}

impl Rule {
    /// What it says of a call; none if it does not match.
    pub(super) fn say(&self, facts: &Facts<'_>) -> Option<Say<'_>> {
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

impl Policy {
    /// Judges a call. `late` is asked before each condition: once it says so, conditions count as failed.
    #[must_use]
    pub fn judge(&self, subject: &Subject<'_>, late: &dyn Fn() -> bool) -> Judgement {
        let facts = Facts::new(self, subject, late);
        let candidates = self.index.candidates(subject.tool.as_str()).into_iter();
        let (shadows, says): (Vec<_>, Vec<_>) =
            candidates.filter_map(|index| self.rules[index].say(&facts)).partition(|say| say.rule.shadow);
        let mut judgement = match says.iter().map(|say| say.verdict).max() {
            Some(verdict) => self.ruled(verdict, &says, &facts),
            None => self.unruled(&facts),
        };
        judgement.doubt = says.iter().find(|say| say.unsure).map(|say| say.rule.name.clone());
        judgement.shadow =
            shadows.iter().map(|say| Shadow { rule: say.rule.name.clone(), verdict: say.verdict }).collect();
        judgement.matched = says.into_iter().chain(shadows).map(Say::into_matched).collect();
        judgement
    }

    /// Whether running the call twice does no more than running it once, as far as anybody who is trusted
    /// says: the policy, or else the tool.
    #[must_use]
    pub fn is_idempotent(&self, subject: &Subject<'_>) -> bool {
        if self.is_recorded {
            return true;
        }
        let facts = Facts::new(self, subject, &|| false);
        let mut said = facts.mappings().iter().filter_map(|mapping| mapping.idempotent).peekable();
        match said.peek() {
            Some(_) => said.all(|idempotent| idempotent),
            None => facts.hints().value(Hint::Idempotent),
        }
    }

    fn ruled(&self, verdict: Verdict, says: &[Say<'_>], facts: &Facts<'_>) -> Judgement {
        let strictest: Vec<_> = says.iter().filter(|say| say.verdict == verdict).collect();
        // A rule names the reason before a zone does.
        let first = strictest.iter().min_by_key(|say| say.rule.is_zone);
        if let (Verdict::Allow, Some(reason)) = (verdict, hints::insists(facts)) {
            return self.judgement(Verdict::Ask, Basis::Tool, reason, self.terms(&[]));
        }
        let terms: Vec<_> = strictest.iter().map(|say| say.terms()).collect();
        let terms = if verdict == Verdict::Ask { self.terms(&terms) } else { Terms::default() };
        let basis = if first.is_some_and(|say| say.rule.is_zone) { Basis::Zone } else { Basis::Rule };
        let reason = first.map(|say| say.reason()).unwrap_or_default();
        let rule = first.map(|say| say.rule.name.clone());
        Judgement { rule, ..self.judgement(verdict, basis, reason, terms) }
    }

    fn unruled(&self, facts: &Facts<'_>) -> Judgement {
        let (verdict, basis, reason) = match hints::fill_in(facts, &self.dangerous, self.default) {
            Some((verdict, reason)) => (verdict, Basis::Tool, reason),
            None => (self.default, Basis::Default, "no rule matches this call".to_owned()),
        };
        let terms = if verdict == Verdict::Ask { self.terms(&[]) } else { Terms::default() };
        self.judgement(verdict, basis, reason, terms)
    }

    fn terms(&self, own: &[&OwnTerms]) -> Terms {
        merge(own, self.expires, &self.approvers)
    }

    fn judgement(&self, verdict: Verdict, basis: Basis, reason: String, terms: Terms) -> Judgement {
        Judgement {
            verdict,
            basis,
            rule: None,
            reason,
            terms,
            doubt: None,
            shadow: Vec::new(),
            matched: Vec::new(),
            policy: self.hash,
        }
    }
}

impl<'a> Say<'a> {
    fn reason(&self) -> String {
        match &self.rule.reason {
            _ if self.unsure => format!("{}: rule {:?} might block it", self.why, self.rule.name),
            // Whoever reads a reason that does not fit the call would look for it in the wrong place.
            Some(reason) if self.strange => format!("{reason} ({})", self.why),
            Some(reason) => reason.clone(),
            None if self.rule.is_zone || self.strange => self.why.clone(),
            None => "the rule says so".to_owned(),
        }
    }

    fn terms(&self) -> &'a OwnTerms {
        &self.rule.terms
    }

    fn into_matched(self) -> Matched {
        let Self { rule, verdict, why, .. } = self;
        Matched { rule: rule.name.clone(), verdict, why, shadow: rule.shadow }
    }
}
