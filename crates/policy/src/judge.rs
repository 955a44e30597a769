//! Judging: which rules match, which of them is the strictest, and what the tool's own word adds.

use crate::{
    annotation::ToolHint,
    facts::CallFacts,
    judgement::{ApprovalTerms, Judgement, OwnTerms, merge},
    metadata,
    policy::Policy,
    rule::RuleAnswer,
    subject::JudgedCall,
};
use countersign_events::event::{Basis, ShadowVerdict, Verdict};

impl Policy {
    /// Judges a call. `late` is asked before each condition: once it says so, conditions count as failed.
    #[must_use]
    pub fn judge(&self, subject: &JudgedCall<'_>, late: &dyn Fn() -> bool) -> Judgement {
        let facts = CallFacts::new(&self.settings, subject, late);
        let candidates = self.index.candidates(subject.tool.as_str()).into_iter();
        let (shadows, says): (Vec<_>, Vec<_>) =
            candidates.filter_map(|index| self.rules[index].say(&facts)).partition(|say| say.rule.shadow);
        let mut judgement = match says.iter().map(|say| say.verdict).max() {
            Some(verdict) => self.ruled(verdict, &says, &facts),
            None => self.unruled(&facts),
        };
        judgement.doubt = says.iter().find(|say| say.unsure).map(|say| say.rule.name.clone());
        judgement.shadow = shadows
            .iter()
            .map(|say| ShadowVerdict { rule: say.rule.name.clone(), verdict: say.verdict })
            .collect();
        judgement.matched = says.into_iter().chain(shadows).map(RuleAnswer::into_matched).collect();
        judgement
    }

    /// Whether running the call twice does no more than running it once, as far as anybody who is trusted
    /// says: the policy, or else the tool.
    #[must_use]
    pub fn is_idempotent(&self, subject: &JudgedCall<'_>) -> bool {
        if self.settings.is_recorded {
            return true;
        }
        let facts = CallFacts::new(&self.settings, subject, &|| false);
        let mut said = facts.mappings().iter().filter_map(|mapping| mapping.idempotent).peekable();
        match said.peek() {
            Some(_) => said.all(|idempotent| idempotent),
            None => facts.hints().value(ToolHint::Idempotent),
        }
    }

    fn ruled(&self, verdict: Verdict, says: &[RuleAnswer<'_>], facts: &CallFacts<'_>) -> Judgement {
        let strictest: Vec<_> = says.iter().filter(|say| say.verdict == verdict).collect();
        // A rule names the reason before a zone does.
        let first = strictest.iter().min_by_key(|say| say.rule.is_zone);
        if let (Verdict::Allow, Some(reason)) = (verdict, metadata::insists(facts)) {
            return self.judgement(Verdict::Ask, Basis::Tool, reason, self.terms(&[]));
        }
        let terms: Vec<_> = strictest.iter().map(|say| say.terms()).collect();
        let terms = if verdict == Verdict::Ask { self.terms(&terms) } else { ApprovalTerms::default() };
        let basis = if first.is_some_and(|say| say.rule.is_zone) { Basis::Zone } else { Basis::Rule };
        let reason = first.map(|say| say.reason()).unwrap_or_default();
        let rule = first.map(|say| say.rule.name.clone());
        Judgement { rule, ..self.judgement(verdict, basis, reason, terms) }
    }

    fn unruled(&self, facts: &CallFacts<'_>) -> Judgement {
        let (verdict, basis, reason) =
            match metadata::fill_in(facts, &self.settings.dangerous, self.settings.default) {
                Some((verdict, reason)) => (verdict, Basis::Tool, reason),
                None => (self.settings.default, Basis::Default, "no rule matches this call".to_owned()),
            };
        let terms = if verdict == Verdict::Ask { self.terms(&[]) } else { ApprovalTerms::default() };
        self.judgement(verdict, basis, reason, terms)
    }

    fn terms(&self, own: &[&OwnTerms]) -> ApprovalTerms {
        merge(own, self.settings.expires, &self.settings.approvers)
    }

    fn judgement(&self, verdict: Verdict, basis: Basis, reason: String, terms: ApprovalTerms) -> Judgement {
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
