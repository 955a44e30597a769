//! The evidence for suggestions: the calls that people allowed, and the refused calls that no rule may allow.

use super::period::EvidencePeriod;
use crate::past_answer::RecordedObjection;
use countersign_approvals::Call;
use countersign_events::{Json, Place, Principal, Source, ThreadId, ToolDefinition, ToolName};
use countersign_policy::{CallReading, JudgedCall, Policy};
use std::collections::BTreeSet;

/// The call parts that a policy judges.
#[derive(Debug, Clone)]
pub(crate) struct PolicyView {
    thread: ThreadId,
    principal: Principal,
    pub(crate) tool: ToolName,
    place: Option<Place>,
    pub(super) arguments: Json,
    pub(super) redacted: Vec<String>,
    annotations: Option<Json>,
    impact: Option<Json>,
    definition: Option<ToolDefinition>,
}

impl PolicyView {
    pub(crate) fn from_call(call: &Call) -> Self {
        let proposed = &call.proposal.what;
        Self {
            thread: call.thread_id.clone(),
            principal: call.proposal.by.clone(),
            tool: proposed.name.clone(),
            place: proposed.place.clone(),
            arguments: proposed.arguments.clone(),
            redacted: proposed.redacted.clone(),
            annotations: proposed.annotations.clone(),
            impact: proposed.impact.clone(),
            definition: proposed.definition.clone(),
        }
    }

    pub(crate) fn subject(&self) -> JudgedCall<'_> {
        self.with_arguments(&self.arguments)
    }

    /// The context in which patterns match this call.
    pub(super) fn read<'a>(&'a self, policy: &'a Policy) -> CallReading<'a> {
        CallReading::new(policy, &self.subject())
    }

    /// The same call with `arguments`. Arguments other than its own count as unmasked.
    pub(super) fn with_arguments<'a>(&'a self, arguments: &'a Json) -> JudgedCall<'a> {
        let masked = std::ptr::eq(arguments, &raw const self.arguments);
        JudgedCall {
            thread: &self.thread,
            principal: &self.principal,
            tool: &self.tool,
            place: self.place.as_ref(),
            arguments,
            redacted: if masked { &self.redacted } else { &[] },
            annotations: self.annotations.as_ref(),
            impact: self.impact.as_ref(),
            definition: self.definition.as_ref(),
        }
    }
}

/// All allowed calls with the same tool and arguments.
#[derive(Debug, Clone)]
pub(super) struct AllowedCall {
    /// The first proposal's `seq`.
    pub(super) seq: i64,
    pub(super) call: PolicyView,
    pub(super) prompts: u64,
    pub(super) threads: BTreeSet<ThreadId>,
    pub(super) people: BTreeSet<String>,
    pub(super) proposers: BTreeSet<String>,
    /// The projects, or else the folders, in which the calls ran; `None` for a call that names neither.
    pub(super) folders: BTreeSet<Option<String>>,
    pub(super) period: EvidencePeriod,
}

impl AllowedCall {
    pub(super) fn from_call(call: &Call) -> Self {
        Self {
            seq: call.proposal.seq,
            call: PolicyView::from_call(call),
            prompts: 0,
            threads: BTreeSet::new(),
            people: BTreeSet::new(),
            proposers: BTreeSet::new(),
            folders: BTreeSet::new(),
            period: EvidencePeriod::from_moment(call.proposal.at),
        }
    }

    pub(super) fn add_prompt(&mut self, call: &Call, by: &Principal) {
        self.seq = self.seq.min(call.proposal.seq);
        self.prompts += 1;
        self.threads.insert(call.thread_id.clone());
        self.people.insert(by.as_str().to_owned());
        // With a quorum, every approver whose vote counts allowed the call.
        self.people.extend(call.course.counting().map(|vote| vote.by.as_str().to_owned()));
        self.proposers.insert(call.proposal.by.as_str().to_owned());
        let place = call.proposal.what.place.as_ref();
        let folder = place.and_then(|place| place.project.clone().or_else(|| place.folder.clone()));
        self.folders.insert(folder.filter(|folder| folder.starts_with('/')));
        self.period = self.period.union(EvidencePeriod::from_moment(call.proposal.at));
    }
}

/// A call that no suggested rule may allow.
#[derive(Debug, Clone)]
pub(crate) struct RefusedCall {
    pub(super) seq: i64,
    pub(super) call: PolicyView,
    /// The reason and principal of the refusal, in words.
    pub(super) why: String,
}

impl RefusedCall {
    pub(crate) fn denied(call: &Call, objection: &RecordedObjection) -> Self {
        let action = match objection.source {
            _ if objection.changed => "changed by",
            Source::Expiry => "expired,",
            Source::Policy => "blocked by",
            _ => "denied by",
        };
        let comment = objection.comment.as_ref().map_or(String::new(), |comment| format!(": {comment}"));
        let why = format!("{action} {}{comment}", objection.by);
        Self { seq: call.proposal.seq, call: PolicyView::from_call(call), why }
    }

    pub(super) fn dangerous(call: &Call) -> Self {
        let why = "allowed, but marked as dangerous".to_owned();
        Self { seq: call.proposal.seq, call: PolicyView::from_call(call), why }
    }
}
