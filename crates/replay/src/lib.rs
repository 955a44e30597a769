//! Replay: what another policy would have made of the calls in a log, and which rules the decisions of people
//! speak for. Nothing is decided here; it only compares.

mod calls;
mod report;
pub mod suggest;
mod tally;
mod terms;
mod then;

pub use calls::CallAssembler;
pub use countersign_approvals::Call;
pub use report::{
    AnswerCounts, LISTED, ListedCalls, RecordedDecision, ReplayReport, ReplayedCall, ReplayedVerdict,
    RuleDecisions, SavedPrompts,
};
pub use suggest::{RuleSuggester, RuleSuggestion, SuggestedRule, SuggestionOptions};

use countersign_events::{
    Sha256,
    event::{Source, Verdict},
};
use countersign_policy::{Judgement, Policy};
use tally::{CaseList, GrantTally, ReplayedAnswer, RuleTally, is_the_same};
use then::PastAnswer;

/// Judges calls that were decided already by another policy.
///
/// What people would have answered where they were not asked nobody knows. So a prompt that is added is counted,
/// though the grant that its answer might have been could have spared others; the numbers lean to more prompts.
#[derive(Debug)]
pub struct PolicyReplay {
    policy: Policy,
    counts: ReplayCounts,
    denied: CaseList,
    run: CaseList,
    unasked: CaseList,
    otherwise: CaseList,
    rules: RuleTally,
    shadow: RuleTally,
    grants: GrantTally,
}

#[derive(Debug, Default)]
struct ReplayCounts {
    calls: u64,
    masked: u64,
    unsettled: u64,
    then: AnswerCounts,
    now: AnswerCounts,
    unchanged: u64,
    saved: SavedPrompts,
    added: u64,
}

impl PolicyReplay {
    /// By that policy.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            counts: ReplayCounts::default(),
            denied: CaseList::default(),
            run: CaseList::default(),
            unasked: CaseList::default(),
            otherwise: CaseList::default(),
            rules: RuleTally::default(),
            shadow: RuleTally::default(),
            grants: GrantTally::default(),
        }
    }

    /// Takes in a call with all its events. `late` is asked before each condition of the policy, as when it
    /// judges a call that is proposed.
    pub fn take(&mut self, call: &Call, late: &dyn Fn() -> bool) {
        let then = PastAnswer::of(call);
        if then == PastAnswer::Unsettled {
            self.counts.unsettled += 1;
            return;
        }
        let proposed = &call.proposal.what;
        let judgement = self.policy.judge(&call.subject_with(&proposed.arguments, &proposed.redacted), late);
        let Some(now) = now(call, then, &judgement, self.policy.hash()) else {
            self.counts.masked += 1;
            return;
        };
        self.rules.count(&judgement);
        self.shadow.count_shadow(&judgement);
        self.count(then, now);
        self.look_at_grants(call, then, now);
        self.list(call, then, now, &judgement, late);
    }

    fn count(&mut self, then: PastAnswer, now: ReplayedAnswer) {
        let counts = &mut self.counts;
        counts.calls += 1;
        counts.then.count_then(then);
        counts.now.count(now);
        counts.unchanged += u64::from(is_the_same(then, now));
        match (then, now) {
            (PastAnswer::Asked, ReplayedAnswer::Allowed) => counts.saved.allowed += 1,
            (PastAnswer::Asked, ReplayedAnswer::Blocked) => counts.saved.blocked += 1,
            (PastAnswer::Allowed | PastAnswer::Blocked, ReplayedAnswer::Asked) => counts.added += 1,
            _ => {}
        }
    }

    fn look_at_grants(&mut self, call: &Call, then: PastAnswer, now: ReplayedAnswer) {
        let Some(response) = call.response() else { return };
        match (then, now, response.what.grant) {
            (PastAnswer::Asked, ReplayedAnswer::Allowed | ReplayedAnswer::Blocked, _) => {
                self.grants.not_given(response.seq)
            }
            (PastAnswer::Answered, ReplayedAnswer::Answered, Some(grant)) => self.grants.answered(grant),
            _ => {}
        }
    }

    fn list(
        &mut self,
        call: &Call,
        then: PastAnswer,
        now: ReplayedAnswer,
        judgement: &Judgement,
        late: &dyn Fn() -> bool,
    ) {
        let ran = then::ran(call);
        if now == ReplayedAnswer::Allowed
            && let Some(objection) = then::objection(call)
        {
            let then::RecordedObjection { by, source, comment, changed, .. } = objection;
            let said =
                RecordedDecision { by: Some(by), source: Some(source), comment, changed, denied: !changed };
            self.denied.add(case(call, said, judgement));
        }
        if ran {
            // What ran is what an approver made of it, if that was changed.
            let again = (call.arguments() != &call.proposal.what.arguments)
                .then(|| self.policy.judge(&call.subject(), late));
            let judgement = again.as_ref().unwrap_or(judgement);
            if judgement.verdict == Verdict::Block {
                self.run.add(case(call, said(call), judgement));
            }
        }
        if ran && now == ReplayedAnswer::Asked && then != PastAnswer::Asked {
            self.unasked.add(case(call, said(call), judgement));
        }
        let same = then::judged_by(call) == Some(self.policy.hash());
        if (then, now, same) == (PastAnswer::Asked, ReplayedAnswer::Asked, false)
            && let Some(terms) = terms::otherwise(call, &judgement.terms)
        {
            let mut case = case(call, said(call), judgement);
            case.now.terms = Some(terms);
            self.otherwise.add(case);
        }
    }

    /// What was found.
    #[must_use]
    pub fn report(self) -> ReplayReport {
        let ReplayCounts { calls, masked, unsettled, then, mut now, unchanged, saved, added } = self.counts;
        let missed = self.grants.missed();
        now.asked += missed;
        now.answered -= missed;
        ReplayReport {
            policy: self.policy.hash(),
            calls,
            masked,
            unsettled,
            then,
            now,
            unchanged: unchanged - missed,
            saved,
            added: added + missed,
            allowed_though_denied: self.denied.listed(),
            blocked_though_run: self.run.listed(),
            asked_though_run: self.unasked.listed(),
            asked_otherwise: self.otherwise.listed(),
            rules: self.rules.decided(),
            shadow: self.shadow.decided(),
        }
    }
}

/// How the call would have been answered: the policy's verdict first, then what its thread said, as it did then.
/// `None` if that hangs on what is masked.
fn now(call: &Call, then: PastAnswer, judgement: &Judgement, policy: Sha256) -> Option<ReplayedAnswer> {
    if !call.proposal.what.redacted.is_empty() {
        // The same policy saw what is masked now, and said this.
        if then::judged_by(call) == Some(policy) {
            return Some(match then {
                PastAnswer::Asked => ReplayedAnswer::Asked,
                PastAnswer::Allowed => ReplayedAnswer::Allowed,
                PastAnswer::Blocked => ReplayedAnswer::Blocked,
                PastAnswer::Answered | PastAnswer::Unsettled => ReplayedAnswer::Answered,
            });
        }
        // What is masked can only have made this verdict stricter, so an allow is one for certain; and what is
        // masked makes no block. An ask may be an ask for that reason alone.
        if judgement.verdict == Verdict::Ask {
            return None;
        }
    }
    Some(match (judgement.verdict, then) {
        (Verdict::Block, _) => ReplayedAnswer::Blocked,
        (_, PastAnswer::Answered) if then::thread_denied(call) => ReplayedAnswer::Answered,
        (Verdict::Allow, PastAnswer::Asked) if then::thread_asked(call) => ReplayedAnswer::Asked,
        // A denial answers before the policy's allow where the thread has a person asked each time.
        (Verdict::Allow, PastAnswer::Answered) if then::judged_by(call) == Some(policy) => {
            ReplayedAnswer::Answered
        }
        (Verdict::Allow, _) => ReplayedAnswer::Allowed,
        (Verdict::Ask, PastAnswer::Answered) => ReplayedAnswer::Answered,
        (Verdict::Ask, _) => ReplayedAnswer::Asked,
    })
}

fn said(call: &Call) -> RecordedDecision {
    let response = call.response();
    RecordedDecision {
        by: response.map(|response| response.by.clone()),
        source: response.map(|response| response.what.source).filter(|source| *source != Source::Other),
        comment: response.and_then(|response| response.what.comment.clone()),
        changed: response.is_some_and(|response| response.what.arguments.is_some()),
        denied: response.is_some_and(|response| !response.what.decision.allows()),
    }
}

fn case(call: &Call, then: RecordedDecision, judgement: &Judgement) -> ReplayedCall {
    let proposed = &call.proposal;
    ReplayedCall {
        seq: proposed.seq,
        thread_id: call.thread_id.clone(),
        id: proposed.what.id.clone(),
        name: proposed.what.name.clone(),
        arguments: proposed.what.arguments.clone(),
        principal: proposed.by.clone(),
        at: proposed.at,
        then,
        now: ReplayedVerdict {
            verdict: judgement.verdict,
            basis: judgement.basis,
            rule: judgement.rule.clone(),
            reason: judgement.reason.clone(),
            terms: None,
        },
    }
}

#[cfg(test)]
mod tests;
