//! The ruling on a call before any person is asked: the policy first, then the thread. A thread policy restricts
//! further or answers an `ask`. Its mode and earlier decisions only answer an `ask`. Nothing lifts a block.

use super::{DecisionContext, eligible};
use crate::{
    GrantScope, Thread,
    scope::ScopeOrigin,
    thread::{Grant, GrantTerms, LONGEST_MEMORY, RecentDecision},
};
use countersign_events::{
    AnswerSetting, CallId, Decision, Mode, Principal, SameCall, Source, Timestamp, ToolCall, ToolName,
    ToolPolicy, Verdict, principal::PrincipalKind,
};
use countersign_policy::{ApprovalTerms, CallReading, JudgedCall, Judgement, RuleEffect};
use std::time::Duration;

/// The ruling on a call before any person is asked.
pub(super) enum CallRuling {
    /// It may run.
    Allow(RulingAnswer),
    /// It may run: the other call's unused approval moves to it.
    Move(RulingAnswer, CallId),
    /// It may not run, by a rule that no approval lifts.
    Block(RulingAnswer),
    /// It may not run: the thread denies every `ask`, or people denied the call before.
    Deny(RulingAnswer),
    /// People decide among these options, and learn of the same call if it is allowed or has no result yet.
    Ask(Vec<Decision>, Option<SameCall>),
}

/// The answer that the policy, the thread or an earlier decision gives, and its reason.
pub(super) struct RulingAnswer {
    pub(super) by: Principal,
    pub(super) source: Source,
    pub(super) reason: String,
    pub(super) grant: Option<i64>,
    pub(super) level: Option<String>,
    /// The moment at which an approval that moves lapses.
    pub(super) lapses_at: Option<Timestamp>,
    /// The setting that answers, if a person made it.
    pub(super) set_by: Option<AnswerSetting>,
}

/// The reason for a denial by a thread policy.
const DENIED: &str = "the thread denies this tool";

/// The reason for an answer by a thread policy that allows.
const ALLOWED: &str = "the thread allows this tool";

/// The reason for a block by the mode `stopped`.
pub(super) const STOPPED: &str = "the thread is stopped; a person starts it again with another mode";

/// The name prefix of tools that a client runs for its user, such as `client.requestApproval`.
const CLIENT_PREFIX: &str = "client.";

/// The reason why a call of such a tool is blocked.
const CLIENT_TOOL: &str =
    "tools whose names begin with `client.` belong to the client, and no model can call them";

/// Returns true if models cannot call the tool, whatever the policy says.
fn is_client_tool(tool: &ToolName) -> bool {
    tool.as_str().starts_with(CLIENT_PREFIX)
}

/// `recorded` is the proposal as the log will keep it. `is_changed` says that no person has accepted the definition of its tool.
pub(super) fn rule_on_call(
    judgement: &Judgement,
    subject: &JudgedCall<'_>,
    recorded: &ToolCall,
    is_changed: bool,
    context: &DecisionContext<'_>,
) -> CallRuling {
    let own = context.thread.policy_for(subject.tool);
    if is_client_tool(subject.tool) {
        return CallRuling::Block(RulingAnswer::from_thread(CLIENT_TOOL));
    }
    let is_stopped = context.thread.mode() == Mode::Stopped;
    let question = || {
        let look = CallReading::new(context.policy, subject);
        let origin = ScopeOrigin::of_call(recorded);
        OpenQuestion { judgement, look, recorded, origin, is_changed, context }.rule(own)
    };
    match (judgement.verdict, own) {
        (Verdict::Block, _) => CallRuling::Block(RulingAnswer::from_policy(judgement, context)),
        _ if is_stopped => CallRuling::Block(RulingAnswer::from_mode(STOPPED, context.thread)),
        (_, ToolPolicy::Deny) => {
            CallRuling::Block(RulingAnswer::from_thread_policy(DENIED, subject.tool, context.thread))
        }
        (Verdict::Allow, ToolPolicy::RequireApproval) | (Verdict::Ask, _) => question(),
        // A tool's own hints allow nothing until a person has accepted its definition.
        (Verdict::Allow, _) if is_changed && judgement.relies_on_tool => question(),
        (Verdict::Allow, _) => CallRuling::Allow(RulingAnswer::from_policy(judgement, context)),
    }
}

/// The block by the policy or the thread that keeps the call from starting now, whatever was decided before.
pub(super) fn find_block(
    judgement: Option<&Judgement>,
    subject: &JudgedCall<'_>,
    context: &DecisionContext<'_>,
) -> Option<RulingAnswer> {
    if let Some(judgement) = judgement.filter(|judgement| judgement.verdict == Verdict::Block) {
        return Some(RulingAnswer::from_policy(judgement, context));
    }
    if is_client_tool(subject.tool) {
        return Some(RulingAnswer::from_thread(CLIENT_TOOL));
    }
    if context.thread.mode() == Mode::Stopped {
        return Some(RulingAnswer::from_mode(STOPPED, context.thread));
    }
    let own = context.thread.policy_for(subject.tool);
    (own == ToolPolicy::Deny).then(|| RulingAnswer::from_thread_policy(DENIED, subject.tool, context.thread))
}

/// The denials for the session that cover the call. One part of it is enough, and so is a part that cannot be read.
pub(super) fn matching_denials<'a>(
    context: &DecisionContext<'a>,
    call: ScopeOrigin<'a>,
    look: &'a CallReading<'_>,
) -> impl Iterator<Item = &'a Grant> {
    context.thread.standing(context.now).filter(|grant| !grant.allows).filter(move |denial| {
        match &denial.scope {
            Some(scope) => scope.answers(denial.made(), call, look, RuleEffect::Restrict),
            None => denial.tool == *call.tool,
        }
    })
}

/// An `ask`, before it reaches people.
struct OpenQuestion<'a> {
    judgement: &'a Judgement,
    look: CallReading<'a>,
    recorded: &'a ToolCall,
    /// The call as the log has it: its place with masked secrets, like the places of earlier calls.
    origin: ScopeOrigin<'a>,
    /// Whether no person has accepted the tool's definition.
    is_changed: bool,
    context: &'a DecisionContext<'a>,
}

impl OpenQuestion<'_> {
    /// Rules in the order that docs/verdict.md describes.
    fn rule(&self, own: ToolPolicy) -> CallRuling {
        if let Some(denial) = matching_denials(self.context, self.origin, &self.look).next() {
            return CallRuling::Deny(RulingAnswer::from_grant(denial));
        }
        // If the thread requires a person each time, the rule a proof, or the call an answer, neither mode nor grant allows, and
        // no new grant is offered.
        let is_question = self.context.evidence.is_question();
        if own == ToolPolicy::RequireApproval || self.judgement.terms.proof.is_some() || is_question {
            return self.denied().unwrap_or_else(|| {
                CallRuling::Ask(vec![Decision::AllowOnce, Decision::Deny], self.same_call())
            });
        }
        // What people allowed before, they allowed for another definition. An approval of this very call may still move.
        if self.is_changed {
            return self.denied().or_else(|| self.moved()).unwrap_or_else(|| {
                CallRuling::Ask(vec![Decision::AllowOnce, Decision::Deny], self.same_call())
            });
        }
        if own == ToolPolicy::Allow && self.is_set_by_eligible(self.policy_setter()) {
            let tool = self.look.subject().tool;
            let answer = RulingAnswer::from_thread_policy(ALLOWED, tool, self.context.thread);
            return CallRuling::Allow(answer);
        }
        let mode = self.context.thread.mode();
        if mode == Mode::ApproveAll && self.is_set_by_eligible(self.mode_setter()) {
            return CallRuling::Allow(RulingAnswer::from_mode("approve_all", self.context.thread));
        }
        if let Some(denied) = self.auto_denied() {
            return denied;
        }
        if let Some(grant) = self.matching_grant() {
            return CallRuling::Allow(RulingAnswer::from_grant(grant));
        }
        self.denied().or_else(|| self.moved()).unwrap_or_else(|| {
            let options = vec![Decision::AllowOnce, Decision::AllowSession, Decision::Deny];
            CallRuling::Ask(options, self.same_call())
        })
    }

    fn auto_denied(&self) -> Option<CallRuling> {
        let denies = self.context.thread.mode() == Mode::AutoDeny;
        denies.then(|| CallRuling::Deny(RulingAnswer::from_mode("auto_deny", self.context.thread)))
    }

    fn denied(&self) -> Option<CallRuling> {
        self.auto_denied().or_else(|| {
            let denial = self.recent_decision(|recent| recent.denies)?;
            Some(CallRuling::Deny(RulingAnswer::from_recent(denial)))
        })
    }

    /// The first grant whose scope includes the call. It must be for this agent, and have been given on terms at least
    /// as strict.
    fn matching_grant(&self) -> Option<&Grant> {
        let (terms, agent) = (&self.judgement.terms, self.look.subject().principal);
        let is_for_agent = |grant: &&Grant| grant.agent.as_ref().is_none_or(|given| given == agent);
        let includes = |grant: &Grant, scope: &GrantScope| {
            scope.answers(grant.made(), self.origin, &self.look, RuleEffect::Widen)
        };
        let standing = self.context.thread.standing(self.context.now);
        standing.filter(|grant| grant.allows).filter(is_for_agent).find(|grant| {
            grant.scope.as_ref().is_some_and(|scope| includes(grant, scope))
                && self.covers(&grant.by, &grant.given, terms)
        })
    }

    /// The last decision of people on the same call, if it is recent, was not lifted, and has the wanted kind.
    fn recent_decision(&self, is_wanted: impl Fn(&RecentDecision) -> bool) -> Option<&RecentDecision> {
        let remembered = self.context.policy.remember();
        let alike = self.alike(remembered).filter(|_| !remembered.is_zero());
        let last = alike.max_by_key(|recent| recent.seq)?;
        (is_wanted(last) && self.context.thread.revocation(last.seq).is_none()).then_some(last)
    }

    /// The decisions of people on the same call within this time.
    fn alike(&self, span: Duration) -> impl Iterator<Item = &RecentDecision> {
        let is_alike = move |recent: &&RecentDecision| {
            recent.made().is_same_call(&self.origin) && recent.at.after(span) > self.context.now
        };
        self.context.thread.recent.iter().filter(is_alike)
    }

    /// An unused approval of the same call, and the call that holds it.
    fn unused_approval(&self) -> Option<(&RecentDecision, &CallId)> {
        let recent = self.recent_decision(|recent| recent.unused_by.is_some())?;
        let holds = recent.lapses_at.is_none_or(|end| end > self.context.now);
        recent.unused_by.as_ref().filter(|_| holds).map(|id| (recent, id))
    }

    /// The unused approval of the replaced call. It belongs to one agent, and to what the approver read.
    fn moved(&self) -> Option<CallRuling> {
        let (recent, id) = self.unused_approval()?;
        let is_replaced = self.recorded.replaces.as_ref() == Some(id)
            && recent.agent == *self.look.subject().principal
            && recent.place == self.recorded.place
            && recent.impact == self.recorded.impact
            && recent.description == self.recorded.description;
        (is_replaced && self.covers(&recent.by, &recent.given, &self.judgement.terms))
            .then(|| CallRuling::Move(RulingAnswer::from_recent(recent), id.clone()))
    }

    /// What approvers should know before they allow the call again: it may run without them, or it runs already.
    fn same_call(&self) -> Option<SameCall> {
        let unused = self.unused_approval();
        unused
            .map(|(recent, id)| SameCall { id: id.clone(), allowed_at: recent.at, started_at: None })
            .or_else(|| self.started_call())
    }

    fn started_call(&self) -> Option<SameCall> {
        let started = self.alike(LONGEST_MEMORY).filter(|recent| recent.started.is_some());
        let recent = started.max_by_key(|recent| recent.seq)?;
        let (id, at) = recent.started.clone()?;
        Some(SameCall { id, allowed_at: recent.at, started_at: Some(at) })
    }

    /// Returns true if an earlier decision answers this `ask`: it was made on terms at least as strict, by a person
    /// other than the proposer, and for the same tool definition.
    fn covers(&self, by: &Principal, given: &GrantTerms, terms: &ApprovalTerms) -> bool {
        let proposer = self.look.subject().principal;
        by != proposer
            && !given.people.contains(proposer)
            && given.definition_hash == self.recorded.definition_hash
            && eligible::covers(by, given, terms, self.context)
    }

    fn mode_setter(&self) -> Option<&Principal> {
        self.context.thread.mode.as_ref().map(|set| &set.by)
    }

    fn policy_setter(&self) -> Option<&Principal> {
        self.context.thread.policies.get(self.look.subject().tool).map(|set| &set.by)
    }

    fn is_set_by_eligible(&self, by: Option<&Principal>) -> bool {
        by.is_some_and(|by| {
            by != self.look.subject().principal && eligible::suffices(by, &self.judgement.terms, self.context)
        })
    }
}

impl RulingAnswer {
    fn from_policy(judgement: &Judgement, context: &DecisionContext<'_>) -> Self {
        let (by, reason) = (judgement.principal(), judgement.reason.clone());
        let active = context.policy_change;
        let set_by = active.and_then(|change| setting_of_person(change.seq, &change.principal));
        Self { by, source: Source::Policy, reason, grant: None, level: None, lapses_at: None, set_by }
    }

    pub(super) fn from_thread(reason: &str) -> Self {
        Self::new("thread", Source::Policy, reason.to_owned())
    }

    /// The answer of the thread's own policy for the tool.
    pub(super) fn from_thread_policy(reason: &str, tool: &ToolName, thread: &Thread) -> Self {
        let set = thread.policies.get(tool);
        let set_by = set.and_then(|set| setting_of_person(set.seq, &set.by));
        Self { set_by, ..Self::from_thread(reason) }
    }

    pub(super) fn from_mode(reason: &str, thread: &Thread) -> Self {
        let set_by = thread.mode.as_ref().and_then(|set| setting_of_person(set.seq, &set.by));
        Self { set_by, ..Self::new("mode", Source::Mode, reason.to_owned()) }
    }

    pub(super) fn from_grant(grant: &Grant) -> Self {
        let reason = describe_decision(&grant.by, grant.at, grant.allows, grant.comment.as_deref());
        let level = grant.given.level.clone();
        Self { grant: Some(grant.seq), level, ..Self::new("grant", Source::Grant, reason) }
    }

    /// An earlier decision that no longer counts.
    pub(super) fn from_grant_state(reason: &str) -> Self {
        Self::new("grant", Source::Grant, reason.to_owned())
    }

    fn from_recent(recent: &RecentDecision) -> Self {
        let reason = describe_decision(&recent.by, recent.at, !recent.denies, recent.comment.as_deref());
        let level = recent.given.level.clone();
        let lapses_at = recent.lapses_at;
        Self { grant: Some(recent.seq), level, lapses_at, ..Self::new("grant", Source::Grant, reason) }
    }

    fn new(by: &str, source: Source, reason: String) -> Self {
        let by = Principal::policy(by);
        Self { by, source, reason, grant: None, level: None, lapses_at: None, set_by: None }
    }
}

/// A setting that a person made. The program's own settings have nobody to name.
fn setting_of_person(seq: i64, by: &Principal) -> Option<AnswerSetting> {
    (by.kind() == PrincipalKind::User).then(|| AnswerSetting { seq, principal: by.clone() })
}

/// Describes an earlier decision in words.
fn describe_decision(by: &Principal, at: Timestamp, allows: bool, comment: Option<&str>) -> String {
    let what = if allows { "allowed" } else { "denied" };
    match comment {
        Some(why) => format!("{by} {what} it at {at}: {why}"),
        None => format!("{by} {what} it at {at}"),
    }
}
