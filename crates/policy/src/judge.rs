//! Judges a call: finds the rules that match, picks the strictest, and applies the tool's own metadata.

use crate::{
    AdvisorSettings, ApprovalTerms, CallReading, JudgedCall, Judgement, Policy, RuleEffect,
    annotation::ToolHint,
    combination::{combine_rules, describe_combination},
    facts::CallFacts,
    judgement::{OwnTerms, merge_terms},
    metadata,
    miss::explain_miss,
    outcome::SelectorHit,
    rule::{PolicyRule, RuleAnswer},
};
use countersign_events::{Basis, ShadowVerdict, Verdict};

impl Policy {
    /// The rule that the log names where a policy only observes.
    pub const OBSERVE_RULE: &str = "observe";

    /// Judges a call. `late` is called before each condition. Once it returns true, conditions fail.
    #[must_use]
    pub fn judge(&self, subject: &JudgedCall<'_>, late: &dyn Fn() -> bool) -> Judgement {
        CallReading::with_limit(self, subject, late).judge()
    }

    pub(crate) fn judge_facts(&self, facts: &CallFacts<'_>) -> Judgement {
        let candidates = self.index.candidates(facts.subject.tool.as_str());
        // A person who accepted a rule wanted to be asked less, not to open what the default blocks.
        let applies = |rule: &&PolicyRule| !(rule.is_managed() && self.settings.default == Verdict::Block);
        let rules = || candidates.iter().map(|index| &self.rules[*index]).filter(applies);
        let (shadows, mut answers): (Vec<_>, Vec<_>) =
            rules().filter_map(|rule| rule.answer(facts)).partition(|answer| answer.rule.shadow);
        let mut combination = None;
        if !answers.iter().any(|answer| answer.verdict == Verdict::Allow) {
            let combined = combine_rules(rules(), facts);
            combination = (!combined.is_empty()).then(|| describe_combination(&combined));
            answers.extend(combined);
        }
        if answers.is_empty() {
            answers.extend(self.answer_of_zone(facts));
        }
        // A doubt explains nothing where the call would be asked without it.
        let is_doubt_only = !answers.is_empty() && answers.iter().all(RuleAnswer::is_mere_doubt);
        let asked_anyway = (is_doubt_only && self.answer_of_zone(facts).is_none())
            .then(|| self.judge_without_rule(rules(), facts))
            .filter(|judgement| judgement.verdict != Verdict::Allow);
        let mut judgement = match (asked_anyway, answers.iter().map(|answer| answer.verdict).max()) {
            (Some(judgement), _) => judgement,
            (None, Some(verdict)) => self.judge_by_rules(verdict, &answers, facts),
            (None, None) => self.judge_without_rule(rules(), facts),
        };
        if let (Basis::Rule, Verdict::Allow, Some(reason)) = (judgement.basis, judgement.verdict, combination)
        {
            judgement.reason = reason;
        }
        self.ask_about_ambiguous_keys(&mut judgement, facts);
        let observed = (self.settings.observes && judgement.verdict == Verdict::Ask)
            .then(|| self.observe(&mut judgement));
        judgement.relies_on_tool = judgement.verdict == Verdict::Allow
            && (self.settings.asks_changed_tools
                || judgement.basis == Basis::Tool
                || facts.has_trusted_hints());
        judgement.doubt = answers.iter().find(|answer| answer.unsure).map(|answer| answer.rule.name.clone());
        judgement.shadow = shadows
            .iter()
            .map(|answer| ShadowVerdict { rule: answer.rule.name.clone(), verdict: answer.verdict })
            .chain(observed)
            .collect();
        judgement.matched = answers.into_iter().chain(shadows).map(RuleAnswer::into_matched).collect();
        judgement
    }

    /// The advisors to ask about a call for which people are asked. An advisor is asked only if its `applies` certainly
    /// matches the whole call.
    #[must_use]
    pub fn advisors_of(&self, subject: &JudgedCall<'_>) -> Vec<&AdvisorSettings> {
        let facts = CallFacts::new(&self.settings, subject, &|| false);
        self.advisors().iter().filter(|advisor| advisor.applies_to(&facts)).collect()
    }

    /// The verdict on every call of the subject's tool, whatever its arguments are; `None` if it depends on them.
    #[must_use]
    pub fn verdict_on_tool(&self, subject: &JudgedCall<'_>) -> Option<Verdict> {
        let candidates = self.index.candidates(subject.tool.as_str());
        let rules = candidates.iter().map(|index| &self.rules[*index]).filter(|rule| !rule.shadow);
        let (dependent, plain): (Vec<_>, Vec<_>) = rules
            .filter(|rule| rule.matching.matches_names(subject))
            .partition(|rule| rule.matching.looks_at_call() || rule.unless.is_some());
        let certainly_blocks =
            |rule: &&PolicyRule| rule.verdict == Verdict::Block && rule.matching.annotations.is_empty();
        if plain.iter().any(certainly_blocks) {
            return Some(Verdict::Block);
        }
        let is_certain = dependent.is_empty() && (self.zones.is_empty() || !plain.is_empty());
        is_certain.then(|| self.judge(subject, &|| false).verdict)
    }

    /// The zone answer to an operation that nothing has a verdict for. It replaces the default. It must not be less
    /// strict in case of doubt, so a default that blocks needs certainty that all paths are in the zone.
    fn answer_of_zone(&self, facts: &CallFacts<'_>) -> Option<RuleAnswer<'_>> {
        let is_inside = |zone: &&PolicyRule| {
            self.settings.default != Verdict::Block
                || matches!(zone.matching.match_call(RuleEffect::Widen, facts), SelectorHit::Yes(_))
        };
        self.zones.iter().filter(is_inside).find_map(|zone| zone.answer(facts))
    }

    /// Returns true if running the call twice has the same effect as running it once, according to the policy, or else
    /// to a trusted tool. To read twice is to read.
    #[must_use]
    pub fn is_idempotent(&self, subject: &JudgedCall<'_>) -> bool {
        if self.settings.is_recorded {
            return true;
        }
        let facts = CallFacts::new(&self.settings, subject, &|| false);
        let mut declared = facts.mappings().iter().filter_map(|mapping| mapping.idempotent).peekable();
        match declared.peek() {
            Some(_) => declared.all(|idempotent| idempotent),
            None => [ToolHint::Idempotent, ToolHint::ReadOnly].iter().any(|hint| facts.hints().value(*hint)),
        }
    }

    fn judge_by_rules(
        &self,
        verdict: Verdict,
        answers: &[RuleAnswer<'_>],
        facts: &CallFacts<'_>,
    ) -> Judgement {
        let strictest: Vec<_> = answers.iter().filter(|answer| answer.verdict == verdict).collect();
        // A rule that asks people is stricter than one that lets an advisor answer. A rule reason takes precedence over
        // a zone reason.
        let first = strictest.iter().min_by_key(|answer| (answer.advisor.is_some(), answer.rule.is_zone));
        if let (Verdict::Allow, Some(reason)) = (verdict, metadata::required_approval(facts)) {
            return self.new_judgement(Verdict::Ask, Basis::Tool, reason, self.merge_terms(&[]));
        }
        let terms: Vec<_> = strictest.iter().map(|answer| answer.terms()).collect();
        let mut terms =
            if verdict == Verdict::Ask { self.merge_terms(&terms) } else { ApprovalTerms::default() };
        // An advisor answers for people only where nothing else asks them.
        terms.advisor = find_advisor(&strictest).filter(|_| metadata::required_approval(facts).is_none());
        let basis = if first.is_some_and(|answer| answer.rule.is_zone) { Basis::Zone } else { Basis::Rule };
        let reason = first.map(|answer| answer.reason()).unwrap_or_default();
        let rule = first.map(|answer| answer.rule.name.clone());
        Judgement { rule, ..self.new_judgement(verdict, basis, reason, terms) }
    }

    fn judge_without_rule<'a>(
        &self,
        rules: impl Iterator<Item = &'a PolicyRule>,
        facts: &CallFacts<'_>,
    ) -> Judgement {
        let said = metadata::metadata_verdict(facts, &self.settings.dangerous, self.settings.default);
        let (verdict, basis, reason) = if let Some((verdict, reason)) = said {
            (verdict, Basis::Tool, reason)
        } else {
            let default = self.settings.default;
            let miss = if default == Verdict::Allow { None } else { explain_miss(rules, facts) };
            (default, Basis::Default, miss.unwrap_or_else(|| "no rule matches this call".to_owned()))
        };
        let terms = if verdict == Verdict::Ask { self.merge_terms(&[]) } else { ApprovalTerms::default() };
        self.new_judgement(verdict, basis, reason, terms)
    }

    /// Some programs read two of the keys as one, so nothing that looks at one of them allows the call, and no advisor does.
    fn ask_about_ambiguous_keys(&self, judgement: &mut Judgement, facts: &CallFacts<'_>) {
        if judgement.verdict != Verdict::Allow && judgement.terms.advisor.is_none() {
            return;
        }
        let Some(keys) = facts.subject.arguments.find_ambiguous_keys() else { return };
        if judgement.verdict == Verdict::Allow {
            let terms = self.merge_terms(&[]);
            *judgement = self.new_judgement(Verdict::Ask, Basis::Default, keys.to_string(), terms);
        }
        judgement.terms.advisor = None;
    }

    /// Allows a call that would be asked. Returns the verdict that it would have got.
    fn observe(&self, judgement: &mut Judgement) -> ShadowVerdict {
        let rule = judgement.rule.take().unwrap_or_else(|| "default".to_owned());
        let reason = format!("only observed; otherwise asked: {}", judgement.reason);
        let allowed = self.new_judgement(Verdict::Allow, Basis::Rule, reason, ApprovalTerms::default());
        *judgement = Judgement { rule: Some(Self::OBSERVE_RULE.to_owned()), ..allowed };
        ShadowVerdict { rule, verdict: Verdict::Ask }
    }

    fn merge_terms(&self, own: &[&OwnTerms]) -> ApprovalTerms {
        merge_terms(own, self.settings.expires, &self.settings.approvers)
    }

    fn new_judgement(
        &self,
        verdict: Verdict,
        basis: Basis,
        reason: String,
        terms: ApprovalTerms,
    ) -> Judgement {
        Judgement {
            verdict,
            basis,
            rule: None,
            reason,
            terms,
            doubt: None,
            relies_on_tool: false,
            shadow: Vec::new(),
            matched: Vec::new(),
            policy: self.hash,
        }
    }
}

/// The advisor that every one of the rules names.
fn find_advisor(strictest: &[&RuleAnswer<'_>]) -> Option<String> {
    let first = strictest.first()?.advisor?;
    strictest.iter().all(|answer| answer.advisor == Some(first)).then(|| first.to_owned())
}
