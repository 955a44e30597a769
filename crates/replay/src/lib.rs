//! Replay: compares the recorded outcomes of calls with the verdicts of another policy, and suggests rules from the
//! decisions of people. [`RecordedReplay`] judges each call by the policy of its time instead, [`measure`] compares the
//! answers of advisors with the decisions of people, and [`daily`] reviews what people were asked on one day. It only
//! reads and decides nothing.

mod calls;
pub mod daily;
pub mod measure;
mod past_answer;
mod recorded;
mod report;
pub mod suggest;
mod tally;
mod terms;

pub use calls::CallAssembler;
pub use countersign_approvals::{
    Call,
    call::{CallCourse, CallStanding},
};
pub use recorded::{PolicyTimeline, RecordedReplay, RecordedReplayReport};
pub use report::{
    AnswerCounts, ListedCalls, MAX_LISTED_CALLS, RecordedDecision, ReplayReport, ReplayedCall,
    ReplayedVerdict, RuleDecisions, SavedPrompts,
};
pub use suggest::{RuleSuggester, RuleSuggestion, SuggestedRule, SuggestionOptions};

use countersign_events::{Sha256, Source, Verdict};
use countersign_policy::{Judgement, Policy};
use past_answer::{PastAnswer, RecordedObjection};
use tally::{CaseList, GrantTally, ReplayedAnswer, RuleTally, is_same_answer};

/// Judges already decided calls under another policy.
///
/// The replay does not know how people would answer additional prompts. It counts every additional prompt, although
/// an answer to one could be a grant that makes others unnecessary. The report therefore overestimates the number of
/// prompts.
#[derive(Debug)]
pub struct PolicyReplay {
    policy: Policy,
    counts: ReplayCounts,
    allowed_though_denied: CaseList,
    blocked_though_run: CaseList,
    asked_though_run: CaseList,
    asked_otherwise: CaseList,
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
    /// Creates a replay under `policy`.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            counts: ReplayCounts::default(),
            allowed_though_denied: CaseList::default(),
            blocked_though_run: CaseList::default(),
            asked_though_run: CaseList::default(),
            asked_otherwise: CaseList::default(),
            rules: RuleTally::default(),
            shadow: RuleTally::default(),
            grants: GrantTally::default(),
        }
    }

    /// Judges a call that has all its events. The policy calls `late` before each condition, as it does for a proposed
    /// call; `late` returns true when the time limit is over.
    pub fn replay_call(&mut self, call: &Call, late: &dyn Fn() -> bool) {
        let then = PastAnswer::from_call(call);
        if then == PastAnswer::Unsettled {
            self.counts.unsettled += 1;
            return;
        }
        if has_no_texts(call) {
            self.counts.masked += 1;
            return;
        }
        let proposed = &call.proposal.what;
        let judgement = self.policy.judge(&call.subject_with(&proposed.arguments, &proposed.redacted), late);
        let Some(now) = replay_answer(call, then, &judgement, self.policy.hash()) else {
            self.counts.masked += 1;
            return;
        };
        self.rules.count_deciding(&judgement);
        self.shadow.count_shadow(&judgement);
        self.count_answers(then, now);
        self.track_grants(call, then, now);
        self.list_differences(call, then, now, &judgement, late);
    }

    fn count_answers(&mut self, then: PastAnswer, now: ReplayedAnswer) {
        let counts = &mut self.counts;
        counts.calls += 1;
        counts.then.count_past(then);
        counts.now.count_replayed(now);
        counts.unchanged += u64::from(is_same_answer(then, now));
        match (then, now) {
            (PastAnswer::Asked, ReplayedAnswer::Allowed) => counts.saved.allowed += 1,
            (PastAnswer::Asked, ReplayedAnswer::Blocked) => counts.saved.blocked += 1,
            (PastAnswer::Allowed | PastAnswer::Blocked, ReplayedAnswer::Asked) => counts.added += 1,
            _ => {}
        }
    }

    fn track_grants(&mut self, call: &Call, then: PastAnswer, now: ReplayedAnswer) {
        let Some(response) = call.response() else { return };
        match (then, now, response.what.grant) {
            (PastAnswer::Asked, ReplayedAnswer::Allowed | ReplayedAnswer::Blocked, _) => {
                self.grants.add_missing_grant(response.seq);
            }
            (PastAnswer::Answered, ReplayedAnswer::Answered, Some(grant)) => {
                self.grants.add_granted_call(grant);
            }
            _ => {}
        }
    }

    fn list_differences(
        &mut self,
        call: &Call,
        then: PastAnswer,
        now: ReplayedAnswer,
        judgement: &Judgement,
        late: &dyn Fn() -> bool,
    ) {
        let ran = past_answer::has_run(call);
        if now == ReplayedAnswer::Allowed
            && let Some(objection) = past_answer::find_objection(call)
        {
            let RecordedObjection { by, source, comment, changed, .. } = objection;
            let decision =
                RecordedDecision { by: Some(by), source: Some(source), comment, changed, denied: !changed };
            self.allowed_though_denied.add_call(replayed_call(call, decision, judgement));
        }
        if ran {
            // An approver may have changed the arguments, so judge the ones that ran.
            let rejudged = (call.arguments() != &call.proposal.what.arguments)
                .then(|| self.policy.judge(&call.subject(), late));
            let judgement = rejudged.as_ref().unwrap_or(judgement);
            if judgement.verdict == Verdict::Block {
                self.blocked_though_run.add_call(replayed_call(call, recorded_decision(call), judgement));
            }
        }
        if ran && now == ReplayedAnswer::Asked && then != PastAnswer::Asked {
            self.asked_though_run.add_call(replayed_call(call, recorded_decision(call), judgement));
        }
        let is_same_policy = past_answer::judging_policy(call) == Some(self.policy.hash());
        if (then, now, is_same_policy) == (PastAnswer::Asked, ReplayedAnswer::Asked, false)
            && let Some(terms) = terms::describe_changed_terms(call, &judgement.terms)
        {
            let mut listed = replayed_call(call, recorded_decision(call), judgement);
            listed.now.terms = Some(terms);
            self.asked_otherwise.add_call(listed);
        }
    }

    /// Returns the replay's result.
    #[must_use]
    pub fn report(self) -> ReplayReport {
        let ReplayCounts { calls, masked, unsettled, then, mut now, unchanged, saved, added } = self.counts;
        let missed = self.grants.count_missing();
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
            allowed_though_denied: self.allowed_though_denied.into_listed(),
            blocked_though_run: self.blocked_though_run.into_listed(),
            asked_though_run: self.asked_though_run.into_listed(),
            asked_otherwise: self.asked_otherwise.into_listed(),
            rules: self.rules.into_rows(),
            shadow: self.shadow.into_rows(),
        }
    }
}

/// Returns true if the call arguments were erased, or moved to an archive.
fn has_no_texts(call: &Call) -> bool {
    !call.proposal.what.erased.is_empty()
}

/// Determines the answer to the call under the policy: first the policy verdict, then the thread's recorded answer.
/// Returns `None` if the answer depends on masked arguments.
fn replay_answer(
    call: &Call,
    then: PastAnswer,
    judgement: &Judgement,
    policy: Sha256,
) -> Option<ReplayedAnswer> {
    if !call.proposal.what.redacted.is_empty() {
        // The same policy judged the unmasked arguments, so its recorded answer holds.
        if past_answer::judging_policy(call) == Some(policy) {
            return Some(match then {
                PastAnswer::Asked => ReplayedAnswer::Asked,
                PastAnswer::Allowed => ReplayedAnswer::Allowed,
                PastAnswer::Blocked => ReplayedAnswer::Blocked,
                PastAnswer::Answered | PastAnswer::Unsettled => ReplayedAnswer::Answered,
            });
        }
        // A masked value can turn an allow into an ask, and nothing else. An allow or a block is therefore certain,
        // and an ask is not.
        if judgement.verdict == Verdict::Ask {
            return None;
        }
    }
    let is_same_policy = past_answer::judging_policy(call) == Some(policy);
    Some(answer_of_verdict(call, then, judgement.verdict, is_same_policy))
}

/// The answer to the call if the policy gives this verdict.
fn answer_of_verdict(
    call: &Call,
    then: PastAnswer,
    verdict: Verdict,
    is_same_policy: bool,
) -> ReplayedAnswer {
    match (verdict, then) {
        (Verdict::Block, _) => ReplayedAnswer::Blocked,
        (_, PastAnswer::Answered) if past_answer::thread_denied(call) => ReplayedAnswer::Answered,
        (Verdict::Allow, PastAnswer::Asked) if past_answer::thread_asked(call) => ReplayedAnswer::Asked,
        // If the thread requires approval, a remembered denial takes precedence over the policy's allow.
        (Verdict::Allow, PastAnswer::Answered) if is_same_policy => ReplayedAnswer::Answered,
        (Verdict::Allow, _) => ReplayedAnswer::Allowed,
        (Verdict::Ask, PastAnswer::Answered) => ReplayedAnswer::Answered,
        (Verdict::Ask, _) => ReplayedAnswer::Asked,
    }
}

fn recorded_decision(call: &Call) -> RecordedDecision {
    let response = call.response();
    RecordedDecision {
        by: response.map(|response| response.by.clone()),
        source: response.map(|response| response.what.source).filter(|source| *source != Source::Other),
        comment: response.and_then(|response| response.what.comment.clone()),
        changed: response.is_some_and(|response| response.what.arguments.is_some()),
        denied: response.is_some_and(|response| !response.what.decision.allows()),
    }
}

fn replayed_call(call: &Call, then: RecordedDecision, judgement: &Judgement) -> ReplayedCall {
    let proposed = &call.proposal;
    ReplayedCall {
        seq: proposed.seq,
        thread_id: call.thread_id.clone(),
        id: proposed.what.id.clone(),
        name: proposed.what.name.clone(),
        arguments: proposed.what.arguments.clone(),
        principal: proposed.by.clone(),
        at: proposed.at,
        policy_event: None,
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
