//! What holds for a whole thread: whether it is over, its standing grants, its mode and its own policies.

use crate::{
    Body, Call, CallId, Event, Principal, Timestamp, ToolName,
    call::Fact,
    event::{Decision, Mode, Source, ToolPolicy},
};
use std::collections::BTreeMap;

/// A thread as its events tell it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thread {
    /// When and by whom it was closed.
    pub closed: Option<Fact<()>>,
    /// The standing grants, oldest first.
    pub grants: Vec<Grant>,
    /// The grants that were taken back, by their `seq`.
    pub revoked: Vec<i64>,
    /// How it answers what is asked, if anybody ever said so.
    pub mode: Option<Fact<Mode>>,
    /// What was last said of each tool, `default` included.
    pub policies: BTreeMap<ToolName, Fact<ToolPolicy>>,
}

/// An `allow_session` decision seen from later calls: it answers their `ask`.
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
}

impl Thread {
    /// The grant that answers an `ask` of `tool`: the oldest that stands. A closed thread has none.
    #[must_use]
    pub fn grant_for(&self, tool: &ToolName) -> Option<&Grant> {
        self.standing().find(|grant| grant.tool == *tool)
    }

    /// The grants that stand. A closed thread has none.
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

    /// Takes in one more event; what is here already is no news. `call` is the call it speaks of, if it speaks of one.
    pub fn evolve(&mut self, event: &Event, body: &Body, call: Option<&Call>) {
        match (body, call) {
            (Body::ThreadClosed(_), _) => self.closed = Some(Fact::of(event, ())),
            (Body::GrantRevoked(revoked), _) => self.revoked.push(revoked.grant),
            (Body::ThreadModeSet(set), _) => self.mode = Some(Fact::of(event, set.mode)),
            (Body::ToolPolicySet(set), _) => {
                self.policies.insert(set.tool.clone(), Fact::of(event, set.policy));
            }
            (Body::ApprovalResponse(response), Some(call))
                if response.decision == Decision::AllowSession
                    && response.source == Source::Approver
                    && !self.grants.iter().any(|grant| grant.seq == event.seq) =>
            {
                self.grants.push(Grant {
                    seq: event.seq,
                    at: event.timestamp,
                    by: event.principal.clone(),
                    tool_call_id: response.tool_call_id.clone(),
                    tool: call.proposal.what.name.clone(),
                });
            }
            _ => {}
        }
    }
}
