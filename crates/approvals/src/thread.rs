//! What holds for a whole thread: whether it is over, what its people decided for later calls too, its mode
//! and its own policies.

use crate::{
    Call,
    call::Fact,
    width::{Made, Width},
};
use countersign_events::{
    Body, CallId, Event, Json, Principal, Sha256, Timestamp, ToolName,
    event::{Decision, Mode, Response, Source, Status, ToolPolicy},
};
use std::{collections::BTreeMap, time::Duration};

/// For how long people's decisions on single calls are kept in mind at most; a policy may say less.
pub const LONGEST_MEMORY: Duration = Duration::from_hours(1);

/// Marks a response that carries over an approval nobody used.
pub(crate) const ONCE: &str = "\"once\"";

/// A thread as its events tell it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thread {
    /// When and by whom it was closed.
    pub closed: Option<Fact<()>>,
    /// What was decided for the session, oldest first: grants, and denials that are remembered.
    pub grants: Vec<Grant>,
    /// Those that were taken back, by their `seq`.
    pub revoked: Vec<i64>,
    /// What people decided on single calls of late, oldest first.
    pub recent: Vec<Recent>,
    /// How it answers what is asked, if anybody ever said so.
    pub mode: Option<Fact<Mode>>,
    /// What was last said of each tool, `default` included.
    pub policies: BTreeMap<ToolName, Fact<ToolPolicy>>,
}

/// A decision for the session seen from later calls: it answers their `ask`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The `seq` of the response that gave it, which is also its name.
    pub seq: i64,
    /// When it was given.
    pub at: Timestamp,
    /// Who gave it.
    pub by: Principal,
    /// The call it was given on.
    pub tool_call_id: CallId,
    /// The tool it is for.
    pub tool: ToolName,
    /// The arguments that the call was proposed with.
    pub arguments_hash: Sha256,
    /// Whether it allows, or denies.
    pub allows: bool,
    /// Which calls it answers. `None` is a width of a newer version: a denial of it reaches the whole tool, and
    /// what it allows is nothing.
    pub width: Option<Width>,
    /// Why, if that was said.
    pub comment: Option<String>,
    /// Under which conditions it was given.
    pub given: Given,
}

/// A person's decision on one call, for as long as it is kept in mind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recent {
    /// The `seq` of the response.
    pub seq: i64,
    /// When it was made.
    pub at: Timestamp,
    /// Who made it.
    pub by: Principal,
    /// The tool of the call.
    pub tool: ToolName,
    /// The arguments that the call was proposed with.
    pub arguments_hash: Sha256,
    /// What an approval is worth: the call that may still use it. `None` once it is used or withdrawn, and
    /// for a denial.
    pub unused_by: Option<CallId>,
    /// Whether it denied.
    pub denies: bool,
    /// When an approval that nobody used is worth nothing any more.
    pub lapses_at: Option<Timestamp>,
    /// Why, if that was said.
    pub comment: Option<String>,
    /// Under which conditions it was given.
    pub given: Given,
}

/// Under which conditions a decision was made: it answers no question that asks for more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// The level it was decided at.
    pub level: Option<String>,
    /// How many had to agree.
    pub quorum: u32,
    /// Who could decide.
    pub approvers: Vec<Vec<String>>,
    /// Who agreed, where it took several.
    pub people: Vec<Principal>,
    /// The hash of what the tool said of itself.
    pub definition_hash: Option<Sha256>,
}

impl Grant {
    /// The call it was given on.
    #[must_use]
    pub fn made(&self) -> Made<'_> {
        Made { tool: &self.tool, arguments_hash: self.arguments_hash }
    }
}

impl Thread {
    /// The grants and remembered denials that stand. A closed thread has none.
    pub fn standing(&self) -> impl Iterator<Item = &Grant> {
        let open = self.closed.is_none();
        self.grants.iter().filter(move |grant| open && !self.revoked.contains(&grant.seq))
    }

    /// How it answers what is asked. A word of a newer version asks people.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match self.mode.as_ref().map(|set| set.what) {
            Some(Mode::Other) | None => Mode::Interactive,
            Some(mode) => mode,
        }
    }

    /// What it says of `tool` itself. A word of a newer version requires approval.
    #[must_use]
    pub fn policy_for(&self, tool: &ToolName) -> ToolPolicy {
        match self.policies.get(tool).map(|set| set.what) {
            Some(ToolPolicy::Other) => ToolPolicy::RequireApproval,
            Some(policy) => policy,
            None => ToolPolicy::Default,
        }
    }

    /// Takes in one more event; what is here already is no news. `call` is the call it speaks of, as it was
    /// before, if it speaks of one.
    pub fn evolve(&mut self, event: &Event, body: &Body, call: Option<&Call>) {
        match (body, call) {
            (Body::ThreadClosed(_), _) => self.closed = Some(Fact::of(event, ())),
            (Body::GrantRevoked(revoked), _) if !self.revoked.contains(&revoked.grant) => {
                self.revoked.push(revoked.grant);
            }
            (Body::ThreadModeSet(set), _) => self.mode = Some(Fact::of(event, set.mode)),
            (Body::ToolPolicySet(set), _) => {
                self.policies.insert(set.tool.clone(), Fact::of(event, set.policy));
            }
            (Body::ApprovalResponse(response), Some(call)) => self.decided(event, response, call),
            (Body::ExecutionStarted(claim), _) => self.used(&claim.tool_call_id),
            (Body::ToolResult(result), _) if result.status == Status::Cancelled => {
                self.used(&result.tool_call_id);
            }
            _ => {}
        }
    }

    fn decided(&mut self, event: &Event, response: &Response, call: &Call) {
        match response.source {
            Source::Approver if lasts(response) => self.granted(event, response, call),
            Source::Approver if response.arguments.is_none() => self.noted(event, response, call),
            Source::Grant if is_once(response) => {
                let moved = self.recent.iter_mut().find(|recent| Some(recent.seq) == response.grant);
                if let Some(recent) = moved {
                    recent.unused_by = Some(response.tool_call_id.clone());
                }
            }
            _ => {}
        }
    }

    fn granted(&mut self, event: &Event, response: &Response, call: &Call) {
        if self.grants.iter().any(|grant| grant.seq == event.seq) {
            return;
        }
        let width = response.matches.as_ref().map_or(Ok(Width::Tool), Width::read).ok();
        self.grants.push(Grant {
            seq: event.seq,
            at: event.timestamp,
            by: event.principal.clone(),
            tool_call_id: response.tool_call_id.clone(),
            tool: call.proposal.what.name.clone(),
            arguments_hash: call.proposal.what.arguments_hash,
            allows: response.decision.allows(),
            width,
            comment: response.comment.clone(),
            given: given(response, call),
        });
    }

    fn noted(&mut self, event: &Event, response: &Response, call: &Call) {
        if self.recent.iter().any(|recent| recent.seq == event.seq) || response.decision == Decision::Other {
            return;
        }
        self.recent.retain(|recent| recent.at.after(LONGEST_MEMORY) > event.timestamp);
        let denies = !response.decision.allows();
        self.recent.push(Recent {
            seq: event.seq,
            at: event.timestamp,
            by: event.principal.clone(),
            tool: call.proposal.what.name.clone(),
            arguments_hash: call.proposal.what.arguments_hash,
            unused_by: (!denies).then(|| response.tool_call_id.clone()),
            denies,
            lapses_at: response.lapses_at,
            comment: response.comment.clone(),
            given: given(response, call),
        });
    }

    fn used(&mut self, id: &CallId) {
        for recent in &mut self.recent {
            if recent.unused_by.as_ref() == Some(id) {
                recent.unused_by = None;
            }
        }
    }
}

/// Whether the response is for later calls, too.
fn lasts(response: &Response) -> bool {
    match response.decision {
        Decision::AllowSession => true,
        Decision::Deny => response.matches.is_some(),
        Decision::AllowOnce | Decision::Other => false,
    }
}

fn is_once(response: &Response) -> bool {
    response.matches.as_ref().map(Json::as_str) == Some(ONCE)
}

fn given(response: &Response, call: &Call) -> Given {
    let request = call.request().map(|request| &request.what);
    let agree =
        call.course.counting().filter(|vote| vote.what.decision.allows() == response.decision.allows());
    Given {
        people: agree.map(|vote| vote.by.clone()).collect(),
        definition_hash: call.proposal.what.definition_hash,
        level: response.level.clone(),
        quorum: request.and_then(|request| request.quorum).unwrap_or(1),
        approvers: request.map(|request| request.approvers.clone()).unwrap_or_default(),
    }
}
