//! What a suggestion stands on: the calls that people allowed, and those that a rule may not meet.

use super::span::Span;
use crate::then::Objection;
use countersign_approvals::Call;
use countersign_events::{
    Json, Principal, ThreadId, ToolName,
    event::{Definition, Source},
};
use countersign_policy::{Look, Policy, Subject};
use std::collections::BTreeSet;

/// What a policy looks at.
#[derive(Debug, Clone)]
pub(super) struct Looks {
    thread: ThreadId,
    principal: Principal,
    pub(super) tool: ToolName,
    pub(super) arguments: Json,
    pub(super) redacted: Vec<String>,
    annotations: Option<Json>,
    impact: Option<Json>,
    definition: Option<Definition>,
}

impl Looks {
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

    pub(super) fn subject(&self) -> Subject<'_> {
        self.with(&self.arguments)
    }

    /// The call as patterns look at it.
    pub(super) fn under<'a>(&'a self, policy: &'a Policy) -> Look<'a> {
        Look::new(policy, &self.subject())
    }

    /// The same call with other arguments, none of them masked.
    pub(super) fn with<'a>(&'a self, arguments: &'a Json) -> Subject<'a> {
        let masked = std::ptr::eq(arguments, &raw const self.arguments);
        Subject {
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
pub(super) struct Allowed {
    /// Its first proposal.
    pub(super) seq: i64,
    pub(super) looks: Looks,
    pub(super) prompts: u64,
    pub(super) threads: BTreeSet<ThreadId>,
    pub(super) people: BTreeSet<String>,
    pub(super) proposers: BTreeSet<String>,
    pub(super) span: Span,
}

impl Allowed {
    pub(super) fn of(call: &Call) -> Self {
        Self {
            seq: call.proposal.seq,
            looks: Looks::of(call),
            prompts: 0,
            threads: BTreeSet::new(),
            people: BTreeSet::new(),
            proposers: BTreeSet::new(),
            span: Span::of(call.proposal.at),
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
        self.span = self.span.and(Span::of(call.proposal.at));
    }
}

/// A call that no suggested rule may allow.
#[derive(Debug, Clone)]
pub(super) struct Obstacle {
    pub(super) seq: i64,
    pub(super) looks: Looks,
    /// Who did not want it, in words.
    pub(super) why: String,
}

impl Obstacle {
    pub(super) fn denied(call: &Call, objection: &Objection) -> Self {
        let what = match objection.source {
            _ if objection.changed => "changed by",
            Source::Expiry => "lapsed,",
            Source::Policy => "blocked by",
            _ => "denied by",
        };
        let comment = objection.comment.as_ref().map_or(String::new(), |comment| format!(": {comment}"));
        let why = format!("{what} {}{comment}", objection.by);
        Self { seq: call.proposal.seq, looks: Looks::of(call), why }
    }

    pub(super) fn dangerous(call: &Call) -> Self {
        let why = "allowed, but called dangerous".to_owned();
        Self { seq: call.proposal.seq, looks: Looks::of(call), why }
    }
}
