//! Judges each call again by the policy that was active when it was proposed. The recorded verdict should come out
//! again; a difference means that this version reads the policy in another way, or that the row was not judged by it.

use super::{
    ListedCalls, answer_of_verdict, has_no_texts,
    past_answer::{PastAnswer, judging_policy},
    recorded_decision, replayed_call,
    tally::{CaseList, is_same_answer},
};
use countersign_approvals::Call;
use countersign_events::{Sha256, Verdict};
use countersign_policy::Policy;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The policies in a log, in event order.
#[derive(Debug, Default)]
pub struct PolicyTimeline {
    /// The event and the hash of each policy.
    events: Vec<(i64, Sha256)>,
    /// Each policy once; `None` if this version cannot read it.
    policies: HashMap<Sha256, Option<Policy>>,
}

impl PolicyTimeline {
    /// Adds the policy that the event `seq` activated. `read` returns `None` if this version cannot read it. Events are
    /// added in log order.
    pub fn add_policy(&mut self, seq: i64, hash: Sha256, read: impl FnOnce() -> Option<Policy>) {
        self.events.push((seq, hash));
        self.policies.entry(hash).or_insert_with(read);
    }

    /// The active policy's event and hash before the event `seq`.
    #[must_use]
    pub fn event_before(&self, seq: i64) -> Option<(i64, Sha256)> {
        let later = self.events.partition_point(|(event, _)| *event < seq);
        self.events.get(later.checked_sub(1)?).copied()
    }

    fn policy_before(&self, seq: i64) -> Option<(i64, &Policy)> {
        let (event, hash) = self.event_before(seq)?;
        Some((event, self.policies.get(&hash)?.as_ref()?))
    }
}

/// The result of judging each call by the policy of its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedReplayReport {
    /// The number of compared calls.
    pub calls: u64,
    /// The number of events whose policies judged them.
    pub policies: u64,
    /// The number of calls that could not be compared, because the policy may depend on values that the log masks.
    pub masked: u64,
    /// The number of calls without an answer.
    pub unsettled: u64,
    /// The number of calls for which the log has no policy that this version can read.
    pub unreadable: u64,
    /// The number of calls with the recorded verdict.
    pub unchanged: u64,
    /// The calls with another verdict. The reason is the one that the policy gives now.
    pub differing: ListedCalls,
}

/// Judges already decided calls, each by the policy of its time.
#[derive(Debug)]
pub struct RecordedReplay {
    timeline: PolicyTimeline,
    judged_by: HashSet<i64>,
    calls: u64,
    masked: u64,
    unsettled: u64,
    unreadable: u64,
    differing: CaseList,
}

impl RecordedReplay {
    /// Creates a replay under the policies of a log.
    #[must_use]
    pub fn new(timeline: PolicyTimeline) -> Self {
        Self {
            timeline,
            judged_by: HashSet::new(),
            calls: 0,
            masked: 0,
            unsettled: 0,
            unreadable: 0,
            differing: CaseList::default(),
        }
    }

    /// Judges a call that has all its events. `late` is as for [`PolicyReplay`](super::PolicyReplay).
    pub fn replay_call(&mut self, call: &Call, late: &dyn Fn() -> bool) {
        let then = PastAnswer::from_call(call);
        if then == PastAnswer::Unsettled {
            self.unsettled += 1;
            return;
        }
        if has_no_texts(call) {
            self.masked += 1;
            return;
        }
        let proposed = &call.proposal;
        let Some((event, policy)) = self.timeline.policy_before(proposed.seq) else {
            self.unreadable += 1;
            return;
        };
        let masked = &proposed.what.redacted;
        let judgement = policy.judge(&call.subject_with(&proposed.what.arguments, masked), late);
        // A masked value can turn an allow into an ask, and nothing else.
        if !masked.is_empty() && judgement.verdict == Verdict::Ask {
            self.masked += 1;
            return;
        }
        let is_same_policy = judging_policy(call) == Some(policy.hash());
        let now = answer_of_verdict(call, then, judgement.verdict, is_same_policy);
        self.calls += 1;
        self.judged_by.insert(event);
        if !is_same_answer(then, now) {
            let mut differing = replayed_call(call, recorded_decision(call), &judgement);
            differing.policy_event = Some(event);
            self.differing.add_call(differing);
        }
    }

    /// Returns the replay's result.
    #[must_use]
    pub fn report(self) -> RecordedReplayReport {
        let differing = self.differing.into_listed();
        RecordedReplayReport {
            calls: self.calls,
            policies: self.judged_by.len() as u64,
            masked: self.masked,
            unsettled: self.unsettled,
            unreadable: self.unreadable,
            unchanged: self.calls - differing.count,
            differing,
        }
    }
}
