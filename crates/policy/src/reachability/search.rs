//! The search: makes calls, judges each, and sums up the answers.

use super::{
    candidate::Candidate,
    fill::GoalWords,
    goal::ReachGoal,
    question::ReachQuestion,
    report::{ReachAnswer, ReachCall, ReachForm, ReachReport, ReachWitness},
    rule_calls::{RuleCalls, known_names},
    rule_lines::{RuleLines, alternate},
    things::{GoalMatcher, WitnessStrength},
    tool_calls::{calls_of_programs, calls_of_tools},
    ways::calls_of_table,
};
use crate::{
    JudgedCall, Judgement, RuleEffect, facts::CallFacts, outcome::SelectorHit, policy::Policy,
    rule::PolicyRule,
};
use countersign_events::{Json, Place, Principal, ThreadId, ToolName, Verdict};
use std::collections::HashSet;

/// Who would make the calls, and where.
#[derive(Debug, Clone, Copy)]
pub struct ReachCaller<'a> {
    /// The thread. A rule for other threads is tried with a thread of its own.
    pub thread: &'a ThreadId,
    /// The principal.
    pub principal: &'a Principal,
    /// The folder, the project, the machine and the agent.
    pub place: &'a Place,
    /// The home folder, for paths that begin with `~/`.
    pub home: Option<&'a str>,
}

/// How much a search may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReachLimits {
    /// The most calls that are made. Those that do something else count, too.
    pub calls: usize,
    /// Whether the programs of the program table are tried, and not only those of the table of ways and of the rules.
    pub all_programs: bool,
    /// Whether the first witness that is certain ends the search, and the answers to other calls do not matter.
    pub first_witness: bool,
}

impl ReachLimits {
    /// The limits of one question.
    pub const QUESTION: Self = Self { calls: 10_000, all_programs: true, first_witness: false };
    /// The limits of one of many questions.
    pub const QUICK: Self = Self { calls: 100, all_programs: false, first_witness: true };
}

/// The most witnesses of one set of rules and one form of calls.
const MAX_ALIKE: usize = 2;
/// The most witnesses of a report.
const MAX_WITNESSES: usize = 60;

impl Policy {
    /// Searches for calls that the policy allows and that do what the question is about. Each witness was judged.
    #[must_use]
    pub fn search_reach(
        &self,
        question: &ReachQuestion,
        caller: ReachCaller<'_>,
        limits: ReachLimits,
    ) -> ReachReport {
        self.search_reach_with(question, caller, limits, None)
    }

    /// The same with lines of the rules that were made before.
    pub(crate) fn search_reach_with(
        &self,
        question: &ReachQuestion,
        caller: ReachCaller<'_>,
        limits: ReachLimits,
        lines: Option<&RuleLines>,
    ) -> ReachReport {
        let goal = &question.goal;
        let words = GoalWords::new(goal, caller.place.folder.as_deref(), caller.home);
        let Ok(matcher) = GoalMatcher::new(goal, &words) else { return ReachReport::default() };
        let mut search = ReachSearch {
            policy: self,
            caller,
            matcher,
            known_tools: known_names(goal).chain(["Bash"]).collect(),
            only_allowed: limits.first_witness,
            report: ReachReport::default(),
            unmet: self.conditional_rules(),
        };
        let mut seen = HashSet::new();
        let mut left = limits.calls;
        for candidate in list_candidates(self, goal, &words, lines, limits.all_programs) {
            if !seen.insert((
                candidate.tool.clone(),
                candidate.arguments.to_string(),
                candidate.server.clone(),
            )) {
                continue;
            }
            if left == 0 {
                return search.finish(false);
            }
            left -= 1;
            search.try_call(&candidate);
            if limits.first_witness && search.has_certain_witness() {
                return search.finish(false);
            }
        }
        search.finish(true)
    }

    /// Copies of the rules that allow under a condition which the search cannot satisfy on purpose, without that condition.
    fn conditional_rules(&self) -> Vec<PolicyRule> {
        let allows = |rule: &&PolicyRule| rule.verdict == Verdict::Allow && !rule.shadow;
        let rules = self.rules.iter().filter(allows).filter(|rule| {
            let selectors = &rule.matching;
            selectors.when.is_some()
                || selectors.principals.is_some()
                || !selectors.annotations.is_empty()
                || selectors.impact.is_some()
        });
        rules
            .cloned()
            .map(|mut rule| {
                rule.matching.when = None;
                rule.matching.principals = None;
                rule.matching.annotations.clear();
                rule.matching.impact = None;
                rule
            })
            .collect()
    }
}

/// The calls to try: by turns the usual ones and those of the rules, and then all others.
fn list_candidates(
    policy: &Policy,
    goal: &ReachGoal,
    words: &GoalWords,
    lines: Option<&RuleLines>,
    all_programs: bool,
) -> Vec<Candidate> {
    let usual = [calls_of_table(goal, words), calls_of_tools(goal, words)].concat();
    let of_rules = RuleCalls::new(policy, goal, words, lines).find();
    let mut candidates = alternate(vec![usual.into_iter(), of_rules.into_iter()]);
    if all_programs {
        candidates.extend(calls_of_programs(goal, words));
    }
    candidates
}

struct ReachSearch<'a> {
    policy: &'a Policy,
    caller: ReachCaller<'a>,
    matcher: GoalMatcher,
    /// The own names of tools of which it is known what they do.
    known_tools: HashSet<&'static str>,
    /// Whether the answers to calls that are not allowed do not matter.
    only_allowed: bool,
    report: ReachReport,
    /// Rules without their conditions, of which no call is known yet that they would allow.
    unmet: Vec<PolicyRule>,
}

impl ReachSearch<'_> {
    fn try_call(&mut self, candidate: &Candidate) {
        let thread = candidate.thread.as_deref().and_then(|thread| ThreadId::new(thread).ok());
        let place = Place { server: candidate.server.clone(), ..self.caller.place.clone() };
        let (Ok(tool), Ok(arguments)) = (ToolName::new(&candidate.tool), Json::encode(&candidate.arguments))
        else {
            return;
        };
        let subject = JudgedCall {
            thread: thread.as_ref().unwrap_or(self.caller.thread),
            principal: self.caller.principal,
            tool: &tool,
            place: Some(&place),
            arguments: &arguments,
            redacted: &[],
            annotations: None,
            impact: None,
            definition: None,
        };
        let facts = CallFacts::new(&self.policy.settings, &subject, &|| false);
        if self.only_allowed && !self.may_allow(&facts) {
            return;
        }
        let strength =
            if candidate.is_certain { Some(WitnessStrength::Does) } else { self.matcher.classify(&facts) };
        let Some(strength) = strength else { return };
        self.report.tried += 1;
        let judgement = self.policy.judge(&subject, &|| false);
        let call = ReachCall {
            tool: candidate.tool.clone(),
            arguments: arguments.clone(),
            server: candidate.server.clone(),
            thread: candidate.thread.clone(),
            form: candidate.form,
        };
        if judgement.verdict != Verdict::Allow && self.is_known(candidate) {
            self.note_unmet_rules(&facts);
            self.add_answer(call, judgement);
        } else if judgement.verdict == Verdict::Allow {
            self.add_allowed(call, judgement, strength, self.is_known(candidate));
        }
    }

    /// Whether it is known what the tool does. Another one may ignore its arguments.
    fn is_known(&self, candidate: &Candidate) -> bool {
        let own = candidate.tool.rsplit("__").next().unwrap_or(&candidate.tool);
        candidate.is_certain || candidate.form == ReachForm::Command || self.known_tools.contains(own)
    }

    /// Whether anything in the policy could allow the call. Rules that allow it only together do not count.
    fn may_allow(&self, facts: &CallFacts<'_>) -> bool {
        let policy = self.policy;
        let settings = &policy.settings;
        let rules = policy.index.candidates(facts.subject.tool.as_str());
        let mut rules = rules.into_iter().map(|index| &policy.rules[index]).chain(&policy.zones);
        settings.default == Verdict::Allow
            || settings.observes
            || rules
                .any(|rule| rule.verdict == Verdict::Allow && !rule.shadow && rule.answer(facts).is_some())
    }

    /// Adds an allowed call. Without knowing what its tool does, it is no witness.
    fn add_allowed(
        &mut self,
        call: ReachCall,
        judgement: Judgement,
        strength: WitnessStrength,
        is_known: bool,
    ) {
        if is_known {
            self.add_witness(call, judgement, strength);
        } else if let Some(rule) = judgement.rule.filter(|rule| !self.report.unknown_tools.contains(rule)) {
            self.report.unknown_tools.push(rule);
        }
    }

    fn add_witness(&mut self, call: ReachCall, judgement: Judgement, strength: WitnessStrength) {
        let allowing = judgement.matched.iter().filter(|rule| rule.verdict == Verdict::Allow && !rule.shadow);
        let mut rules: Vec<_> = allowing.map(|rule| rule.rule.clone()).collect();
        if rules.is_empty() {
            rules.extend(judgement.rule);
        }
        let witness =
            ReachWitness { call, rules, basis: judgement.basis, reason: judgement.reason, strength };
        let is_alike = |known: &&ReachWitness| {
            known.rules == witness.rules
                && known.call.form == witness.call.form
                && known.strength == witness.strength
        };
        let alike = self.report.witnesses.iter().filter(is_alike).count();
        let most = if strength == WitnessStrength::Does { MAX_ALIKE } else { 1 };
        if alike < most && self.report.witnesses.len() < MAX_WITNESSES {
            self.report.witnesses.push(witness);
        }
    }

    fn add_answer(&mut self, example: ReachCall, judgement: Judgement) {
        let Judgement { verdict, rule, basis, reason, terms, .. } = judgement;
        let known = self.report.others.iter_mut().find(|other| {
            other.verdict == verdict
                && other.rule == rule
                && other.basis == basis
                && other.advisor == terms.advisor
        });
        if let Some(other) = known {
            other.calls += 1;
            return;
        }
        let advisor = terms.advisor;
        self.report.others.push(ReachAnswer { verdict, rule, basis, advisor, calls: 1, example, reason });
    }

    /// Notes the rules that would allow the call without their conditions, where nothing stricter decides.
    fn note_unmet_rules(&mut self, facts: &CallFacts<'_>) {
        let would_allow = |rule: &PolicyRule| {
            matches!(rule.matching.match_call(RuleEffect::Widen, facts), SelectorHit::Yes(_))
                && !rule.is_excepted(RuleEffect::Widen, facts)
        };
        let (found, rest) = std::mem::take(&mut self.unmet).into_iter().partition(would_allow);
        self.unmet = rest;
        let found: Vec<PolicyRule> = found;
        self.report.unmet_rules.extend(found.into_iter().map(|rule| rule.name));
    }

    fn has_certain_witness(&self) -> bool {
        self.report.witnesses.iter().any(|witness| witness.strength == WitnessStrength::Does)
    }

    fn finish(self, is_complete: bool) -> ReachReport {
        let mut report = self.report;
        report.is_complete = is_complete;
        report.witnesses.sort_by_key(|witness| std::cmp::Reverse(witness.strength));
        report.others.sort_by_key(|other| std::cmp::Reverse((other.verdict, other.calls)));
        // A rule that allows a call after all needs no other.
        let allows = |rule: &String| report.witnesses.iter().any(|witness| witness.rules.contains(rule));
        let unmet =
            std::mem::take(&mut report.unmet_rules).into_iter().filter(|rule| !allows(rule)).collect();
        report.unmet_rules = unmet;
        report
    }
}
