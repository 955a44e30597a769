//! The thread state: whether the thread is closed, its grants and recent decisions, its mode and its policies.

use crate::{
    ArgumentsIdentity, Call, GrantScope, UnknownFact,
    call::{RecordedFact, voters},
    scope::ScopeOrigin,
};
use countersign_events::{
    ApprovalResponse, Body, CallId, Decision, Event, GrantAgents, GrantEnded, GrantLimit, GrantRevoked, Json,
    Mode, NewerEvent, Place, Principal, Sha256, Source, Status, ThreadArchived, ThreadMode, Timestamp,
    ToolName, ToolPolicy, ToolPolicySet,
};
use std::{collections::BTreeMap, time::Duration};

/// The maximum time for which human decisions on single calls are remembered. A policy may shorten it.
pub const LONGEST_MEMORY: Duration = Duration::from_hours(1);

/// The scope in the response when a call takes over an unused approval.
pub(crate) const ONCE: &str = "\"once\"";

/// The thread state, derived from the thread events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thread {
    /// The event that closed the thread.
    pub closed: Option<RecordedFact<()>>,
    /// The archive file that has the thread's content.
    pub archived: Option<RecordedFact<ThreadArchived>>,
    /// The decisions for the session, oldest first: grants, and remembered denials.
    pub grants: Vec<Grant>,
    /// The revocations of grants.
    pub revocations: Vec<RecordedFact<GrantRevoked>>,
    /// People's recent decisions on single calls, oldest first.
    pub recent: Vec<RecentDecision>,
    /// The mode, if it was ever set.
    pub mode: Option<RecordedFact<ThreadMode>>,
    /// The last policy that was set for each tool, including `default`.
    pub policies: BTreeMap<ToolName, RecordedFact<ToolPolicySet>>,
    /// The `seq` of its last conversation message.
    pub last_message: Option<i64>,
    /// The events about the whole thread that only a newer version can interpret.
    pub newer: Option<Box<UnknownFact>>,
}

/// A decision for the session. It answers the `ask` of later calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The `seq` of the response that gave it, which identifies the grant.
    pub seq: i64,
    /// The response's time.
    pub at: Timestamp,
    /// The approver.
    pub by: Principal,
    /// The call that was decided.
    pub tool_call_id: CallId,
    /// The tool of that call.
    pub tool: ToolName,
    /// Where that call runs, if its proposer said so. A grant holds only there.
    pub place: Option<Place>,
    /// What the proposed arguments are compared by.
    pub arguments: ArgumentsIdentity,
    /// The agent whose calls it answers. `None` is every agent, and so is a denial.
    pub agent: Option<Principal>,
    /// Whether it allows; otherwise it denies.
    pub allows: bool,
    /// The level of the person who denied. Revoking the denial requires that level.
    pub author_level: Option<String>,
    /// The calls that it answers. `None` is a scope that only a newer version can read: as a denial it covers the
    /// whole tool, as a grant it covers nothing.
    pub scope: Option<GrantScope>,
    /// The approver's comment.
    pub comment: Option<String>,
    /// The terms under which it was made.
    pub given: GrantTerms,
    /// The moment at which it ends.
    pub expires_at: Option<Timestamp>,
    /// The number of calls that it answers.
    pub uses: Option<u32>,
    /// The number of calls that it has answered, if `uses` limits it.
    pub used: u32,
    /// The event that ended it at one of its limits.
    pub ended: Option<RecordedFact<GrantEnded>>,
}

/// A human decision on one call, while it is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentDecision {
    /// The response's `seq`.
    pub seq: i64,
    /// The response's time.
    pub at: Timestamp,
    /// The approver.
    pub by: Principal,
    /// The call that was decided.
    pub tool_call_id: CallId,
    /// The agent that proposed the call.
    pub agent: Principal,
    /// The call's tool.
    pub tool: ToolName,
    /// What the proposed arguments are compared by.
    pub arguments: ArgumentsIdentity,
    /// Where the call runs, if its proposer said so.
    pub place: Option<Place>,
    /// The call's impact, as the approver read it.
    pub impact: Option<Json>,
    /// The call's purpose.
    pub description: Option<String>,
    /// The call that may still use the approval. `None` after it was used or withdrawn, and for a denial.
    pub unused_by: Option<CallId>,
    /// The call that has used the approval, and the time of its start. `None` once it has a result.
    pub started: Option<(CallId, Timestamp)>,
    /// Whether it is a denial.
    pub denies: bool,
    /// The moment at which an unused approval lapses.
    pub lapses_at: Option<Timestamp>,
    /// The approver's comment.
    pub comment: Option<String>,
    /// The terms under which it was made.
    pub given: GrantTerms,
}

/// The terms under which a decision was made. It does not answer a request with stricter terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GrantTerms {
    /// The decision's level.
    pub level: Option<String>,
    /// The number of approvers that had to agree.
    pub quorum: u32,
    /// The groups that could decide.
    pub approvers: Vec<Vec<String>>,
    /// The approvers who agreed, if several votes were needed, the people in whose place somebody decided, and the people who gave a grant
    /// new limits.
    pub people: Vec<Principal>,
    /// The person in whose place a single approver decided.
    pub on_behalf_of: Option<Principal>,
    /// The tool definition hash.
    pub definition_hash: Option<Sha256>,
}

impl RecentDecision {
    /// The call that holds the approval: it may still use it, or it runs.
    #[must_use]
    pub fn holder(&self) -> Option<&CallId> {
        self.unused_by.as_ref().or_else(|| self.started.as_ref().map(|(id, _)| id))
    }

    /// The call that was decided, as a scope compares it.
    #[must_use]
    pub fn made(&self) -> ScopeOrigin<'_> {
        ScopeOrigin { tool: &self.tool, place: self.place.as_ref(), arguments: self.arguments }
    }
}

impl Grant {
    /// The limit that it has reached at `now`.
    #[must_use]
    pub fn reached_limit(&self, now: Timestamp) -> Option<GrantLimit> {
        let is_over = self.expires_at.is_some_and(|end| end <= now);
        let is_used_up = || self.uses.is_some_and(|most| self.used >= most).then_some(GrantLimit::Uses);
        is_over.then_some(GrantLimit::Time).or_else(is_used_up)
    }

    /// The call that was decided, as the scope compares it.
    #[must_use]
    pub fn made(&self) -> ScopeOrigin<'_> {
        ScopeOrigin { tool: &self.tool, place: self.place.as_ref(), arguments: self.arguments }
    }
}

impl Thread {
    /// The grants and remembered denials that are active at `now`. A closed thread has none.
    pub fn standing(&self, now: Timestamp) -> impl Iterator<Item = &Grant> {
        self.unended().filter(move |grant| grant.reached_limit(now).is_none())
    }

    /// The grants and remembered denials of which no event says that they have ended.
    pub(crate) fn unended(&self) -> impl Iterator<Item = &Grant> {
        let open = self.closed.is_none();
        self.grants
            .iter()
            .filter(move |grant| open && grant.ended.is_none() && self.revocation(grant.seq).is_none())
    }

    /// The denials of single calls that answer the same call again until `memory` after them, unless a person lifts them. A
    /// later decision on the same call takes a denial's place.
    pub fn remembered_denials(
        &self,
        memory: Duration,
        now: Timestamp,
    ) -> impl Iterator<Item = &RecentDecision> {
        let is_last = |denial: &RecentDecision| {
            !self
                .recent
                .iter()
                .any(|other| other.seq > denial.seq && other.made().is_same_call(&denial.made()))
        };
        self.recent.iter().filter(move |recent| {
            recent.denies && !memory.is_zero() && recent.at.after(memory) > now && is_last(recent)
        })
    }

    /// Returns the revocation for the grant or denial with this `seq`, if any.
    #[must_use]
    pub fn revocation(&self, grant: i64) -> Option<&RecordedFact<GrantRevoked>> {
        self.revocations.iter().find(|revocation| revocation.what.grant == grant)
    }

    /// What only a newer version knows about the thread and forbids decisions.
    #[must_use]
    pub fn restriction(&self) -> Option<&UnknownFact> {
        self.newer.as_deref().filter(|fact| !fact.is_harmless)
    }

    /// The mode. An unknown mode of a newer version asks people.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match self.mode.as_ref().map(|set| set.what.mode) {
            Some(Mode::Other) | None => Mode::Interactive,
            Some(mode) => mode,
        }
    }

    /// The thread's own policy for `tool`. An unknown policy of a newer version requires approval.
    #[must_use]
    pub fn policy_for(&self, tool: &ToolName) -> ToolPolicy {
        match self.policies.get(tool).map(|set| set.what.policy) {
            Some(ToolPolicy::Other) => ToolPolicy::RequireApproval,
            Some(policy) => policy,
            None => ToolPolicy::Default,
        }
    }

    /// Applies one more event. An event that was applied before changes nothing. `call` is the call's state before the
    /// event, if the event is about a call.
    pub fn evolve(&mut self, event: &Event, body: &Body, call: Option<&Call>) {
        match (body, call) {
            (Body::ThreadClosed(_), _) => self.closed = Some(RecordedFact::from_event(event, ())),
            (Body::ThreadArchived(archived), _) => {
                self.archived = Some(RecordedFact::from_event(event, archived.clone()));
            }
            (Body::GrantRevoked(revoked), _) if self.revocation(revoked.grant).is_none() => {
                self.revocations.push(RecordedFact::from_event(event, revoked.clone()));
            }
            (Body::GrantUsed(used), _) => {
                self.change_grant(used.grant, |grant| grant.used = grant.used.max(used.number));
            }
            (Body::GrantEnded(ended), _) => self.change_grant(ended.grant, |grant| {
                grant.ended.get_or_insert_with(|| RecordedFact::from_event(event, *ended));
            }),
            (Body::GrantProlonged(prolonged), _) => self.change_grant(prolonged.grant, |grant| {
                (grant.expires_at, grant.uses) = (prolonged.expires_at, prolonged.uses);
                // Who keeps a grant alive is not answered by it.
                if !grant.given.people.contains(&event.principal) {
                    grant.given.people.push(event.principal.clone());
                }
            }),
            (Body::ThreadModeSet(set), _) => self.mode = Some(RecordedFact::from_event(event, set.clone())),
            (Body::ToolPolicySet(set), _) => {
                self.policies.insert(set.tool.clone(), RecordedFact::from_event(event, set.clone()));
            }
            (Body::Newer(newer @ NewerEvent { call: None, .. }), _) => {
                UnknownFact::add(&mut self.newer, event, newer);
            }
            (Body::Message(..), _) => self.last_message = Some(event.seq),
            (Body::ApprovalResponse(response), Some(call)) => self.record_response(event, response, call),
            (Body::ExecutionStarted(claim), _) => {
                self.use_up(&claim.tool_call_id, Some(event.timestamp));
            }
            (Body::ToolResult(result), _) => self.end(&result.tool_call_id, result.status),
            _ => {}
        }
    }

    fn change_grant(&mut self, seq: i64, change: impl FnOnce(&mut Grant)) {
        if let Some(grant) = self.grants.iter_mut().find(|grant| grant.seq == seq) {
            change(grant);
        }
    }

    fn record_response(&mut self, event: &Event, response: &ApprovalResponse, call: &Call) {
        match response.source {
            Source::Approver if is_for_session(response) => self.add_grant(event, response, call),
            Source::Approver if response.arguments.is_none() => self.add_recent(event, response, call),
            Source::Grant if response.is_moved() => {
                let moved = self.recent.iter_mut().find(|recent| Some(recent.seq) == response.grant);
                if let Some(recent) = moved {
                    recent.unused_by = Some(response.tool_call_id.clone());
                }
            }
            _ => {}
        }
    }

    fn add_grant(&mut self, event: &Event, response: &ApprovalResponse, call: &Call) {
        if self.grants.iter().any(|grant| grant.seq == event.seq) {
            return;
        }
        let scope = response.scope.as_ref().map_or(Ok(GrantScope::Tool), GrantScope::read).ok();
        self.grants.push(Grant {
            seq: event.seq,
            at: event.timestamp,
            by: event.principal.clone(),
            tool_call_id: response.tool_call_id.clone(),
            tool: call.proposal.what.name.clone(),
            place: call.proposal.what.place.clone(),
            arguments: ArgumentsIdentity::of_call(&call.proposal.what),
            agent: (response.decision.allows() && response.agents != Some(GrantAgents::Any))
                .then(|| call.proposal.by.clone()),
            allows: response.decision.allows(),
            author_level: response.author_level.clone(),
            scope,
            comment: response.comment.clone(),
            given: grant_terms(response, call),
            expires_at: response.expires_at,
            uses: response.uses,
            used: 0,
            ended: None,
        });
    }

    fn add_recent(&mut self, event: &Event, response: &ApprovalResponse, call: &Call) {
        if self.recent.iter().any(|recent| recent.seq == event.seq) || response.decision == Decision::Other {
            return;
        }
        self.recent.retain(|recent| recent.at.after(LONGEST_MEMORY) > event.timestamp);
        let denies = !response.decision.allows();
        self.recent.push(RecentDecision {
            seq: event.seq,
            at: event.timestamp,
            by: event.principal.clone(),
            tool_call_id: response.tool_call_id.clone(),
            agent: call.proposal.by.clone(),
            tool: call.proposal.what.name.clone(),
            arguments: ArgumentsIdentity::of_call(&call.proposal.what),
            place: call.proposal.what.place.clone(),
            impact: call.proposal.what.impact.clone(),
            description: call.proposal.what.description.clone(),
            unused_by: (!denies).then(|| response.tool_call_id.clone()),
            started: None,
            denies,
            lapses_at: response.lapses_at,
            comment: response.comment.clone(),
            given: grant_terms(response, call),
        });
    }

    /// Drops those recent decisions on these arguments that can no longer answer a call: used approvals, and decisions that a
    /// later one hides. It must not be used where an event may be applied twice: a dropped approval would count as unused again.
    pub(crate) fn forget_settled(&mut self, arguments_hash: Sha256) {
        let mut kept: Vec<RecentDecision> = Vec::new();
        for decision in self.recent.extract_if(.., |recent| recent.arguments.hash == arguments_hash) {
            let is_alike = |earlier: &RecentDecision| earlier.made().is_same_call(&decision.made());
            // Writers have different clocks, so an earlier decision may be remembered for longer.
            kept.retain(|earlier| {
                earlier.started.is_some() || !(is_alike(earlier) && earlier.at <= decision.at)
            });
            let is_used = !decision.denies && decision.holder().is_none();
            if !is_used || kept.iter().any(is_alike) {
                kept.push(decision);
            }
        }
        self.recent.append(&mut kept);
        self.recent.sort_by_key(|recent| recent.seq);
    }

    fn use_up(&mut self, id: &CallId, started_at: Option<Timestamp>) {
        for recent in &mut self.recent {
            if recent.unused_by.as_ref() == Some(id) {
                recent.unused_by = None;
                recent.started = started_at.map(|at| (id.clone(), at));
            }
        }
    }

    fn end(&mut self, id: &CallId, status: Status) {
        if status == Status::Cancelled {
            self.use_up(id, None);
        }
        for recent in &mut self.recent {
            recent.started.take_if(|(started, _)| started == id);
        }
    }
}

/// Returns true if the response also answers later calls.
fn is_for_session(response: &ApprovalResponse) -> bool {
    match response.decision {
        Decision::AllowSession => true,
        Decision::Deny => response.scope.is_some(),
        Decision::AllowOnce | Decision::Other => false,
    }
}

fn grant_terms(response: &ApprovalResponse, call: &Call) -> GrantTerms {
    let request = call.request().map(|request| &request.what);
    let agree =
        call.course.counting().filter(|vote| vote.what.decision.allows() == response.decision.allows());
    let of_votes = agree.flat_map(|vote| voters(&vote.by, vote.what.on_behalf_of.as_ref()));
    GrantTerms {
        people: of_votes.chain(&response.on_behalf_of).cloned().collect(),
        on_behalf_of: response.on_behalf_of.clone(),
        definition_hash: call.proposal.what.definition_hash,
        level: response.level.clone(),
        quorum: request.and_then(|request| request.quorum).unwrap_or(1),
        approvers: request.map(|request| request.approvers.clone()).unwrap_or_default(),
    }
}
