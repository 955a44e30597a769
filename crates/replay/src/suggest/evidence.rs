//! What a suggestion stands on: the calls that people allowed, and those that a rule may not meet.

use super::span::EvidencePeriod;
use crate::then::RecordedObjection;
use countersign_approvals::Call;
use countersign_events::{
    Json, Principal, ThreadId, ToolName,
    event::{Source, ToolDefinition},
};
use countersign_policy::{JudgedCall, PatternContext, Policy};
use std::collections::BTreeSet;

/// What a policy looks at.
#[derive(Debug, Clone)]
pub(super) struct PolicyView {
    thread: ThreadId,
    principal: Principal,
    pub(super) tool: ToolName,
    pub(super) arguments: Json,
    pub(super) redacted: Vec<String>,
    annotations: Option<Json>,
    impact: Option<Json>,
    definition: Option<ToolDefinition>,
}

impl PolicyView {
    fn of(call: &Call) -> Self {
        let proposed = &call.proposal.what;
        Self {
            thread: call.thread_id.clone(),
            principal: call.proposal.by.clone(),
            tool: proposed.name.clone(),
            arguments: proposed.arguments.clone(),
            redacted: proposed.redacted.clone(),
            annotations: proposed.annotations.clone(),
            impact: proposed.impact.clone(),
            definition: proposed.definition.clone(),
        }
    }

    pub(super) fn subject(&self) -> JudgedCall<'_> {
        self.with(&self.arguments)
    }

    /// The call as patterns look at it.
    pub(super) fn under<'a>(&'a self, policy: &'a Policy) -> PatternContext<'a> {
        PatternContext::new(policy, &self.subject())
    }

    /// The same call with other arguments, none of them masked.
    pub(super) fn with<'a>(&'a self, arguments: &'a Json) -> JudgedCall<'a> {
        let masked = std::ptr::eq(arguments, &raw const self.arguments);
        JudgedCall {
            thread: &self.thread,
            principal: &self.principal,
            tool: &self.tool,
            arguments,
            redacted: if masked { &self.redacted } else { &[] },
            annotations: self.annotations.as_ref(),
            impact: self.impact.as_ref(),
            definition: self.definition.as_ref(),
        }
    }
}

/// A call with its arguments, however often it was proposed and allowed.
#[derive(Debug, Clone)]
pub(super) struct AllowedCall {
    /// Its first proposal.
    pub(super) seq: i64,
    pub(super) looks: PolicyView,
    pub(super) prompts: u64,
    pub(super) threads: BTreeSet<ThreadId>,
    pub(super) people: BTreeSet<String>,
    pub(super) proposers: BTreeSet<String>,
    pub(super) span: EvidencePeriod,
}

impl AllowedCall {
    pub(super) fn of(call: &Call) -> Self {
        Self {
            seq: call.proposal.seq,
            looks: PolicyView::of(call),
            prompts: 0,
            threads: BTreeSet::new(),
            people: BTreeSet::new(),
            proposers: BTreeSet::new(),
            span: EvidencePeriod::of(call.proposal.at),
        }
    }

    pub(super) fn add(&mut self, call: &Call, by: &Principal) {
        self.seq = self.seq.min(call.proposal.seq);
        self.prompts += 1;
        self.threads.insert(call.thread_id.clone());
        self.people.insert(by.as_str().to_owned());
        // Where it took several, each of them allowed it.
        self.people.extend(call.course.counting().map(|vote| vote.by.as_str().to_owned()));
        self.proposers.insert(call.proposal.by.as_str().to_owned());
        self.span = self.span.and(EvidencePeriod::of(call.proposal.at));
    }
}

/// A call that no suggested rule may allow.
#[derive(Debug, Clone)]
pub(super) struct RefusedCall {
    pub(super) seq: i64,
    pub(super) looks: PolicyView,
    /// Who did not want it, in words.
    pub(super) why: String,
}

impl RefusedCall {
    pub(super) fn denied(call: &Call, objection: &RecordedObjection) -> Self {
        let what = match objection.source {
            _ if objection.changed => "changed by",
            Source::Expiry => "lapsed,",
            Source::Policy => "blocked by",
            _ => "denied by",
        };
        let comment = objection.comment.as_ref().map_or(String::new(), |comment| format!(": {comment}"));
        let why = format!("{what} {}{comment}", objection.by);
        Self { seq: call.proposal.seq, looks: PolicyView::of(call), why }
    }

    pub(super) fn dangerous(call: &Call) -> Self {
        let why = "allowed, but called dangerous".to_owned();
        Self { seq: call.proposal.seq, looks: PolicyView::of(call), why }
    }
}
