//! The whole verdict on a call: the policy, then the thread. A thread's own policy restricts further or
//! answers an `ask`; its mode and its grants only ever answer an `ask`; nothing lifts a block.

use super::Context;
use crate::{
    Principal, ToolName,
    event::{Decision, Mode, Source, ToolPolicy},
    policy::{Judgement, Verdict},
};

/// What becomes of a call before any person is asked.
pub(super) enum Ruling<'a> {
    /// It may run.
    Allow(Answer<'a>),
    /// It may not, by a rule that no approval lifts.
    Block(Answer<'a>),
    /// It may not, because the thread says no to whatever is asked.
    Deny(Answer<'a>),
    /// People decide, with these options.
    Ask(Judgement<'a>, Vec<Decision>),
}

/// Who or what has answered, and why.
pub(super) struct Answer<'a> {
    pub(super) by: Principal,
    pub(super) source: Source,
    pub(super) rule: Option<&'a str>,
    pub(super) reason: &'a str,
    pub(super) grant: Option<i64>,
}

/// Why a call is asked about that the policy allows.
const REQUIRED: &str = "the thread requires approval for this tool";

/// Why a thread's own policy denies a call.
const DENIED: &str = "the thread denies this tool";

pub(super) fn rule<'a>(tool: &ToolName, context: &Context<'a>) -> Ruling<'a> {
    let judgement = context.policy.judge(tool);
    match (judgement.verdict, context.thread.policy_for(tool)) {
        (Verdict::Block, _) => Ruling::Block(Answer::of_policy(&judgement)),
        (_, ToolPolicy::Deny) => Ruling::Block(Answer::of_thread(&judgement, DENIED)),
        (Verdict::Allow, ToolPolicy::RequireApproval) => {
            asked(Judgement { reason: REQUIRED, rule: None, ..judgement }, context)
        }
        (Verdict::Ask, ToolPolicy::RequireApproval) => asked(judgement, context),
        (Verdict::Allow, _) => Ruling::Allow(Answer::of_policy(&judgement)),
        (Verdict::Ask, ToolPolicy::Allow) => {
            Ruling::Allow(Answer::of_thread(&judgement, "the thread allows this tool"))
        }
        (Verdict::Ask, _) => answered(tool, judgement, context),
    }
}

/// Why the call may not start now, whatever was decided before, if it may not: the policy or the thread
/// blocks it.
pub(super) fn block<'a>(tool: &ToolName, context: &Context<'a>) -> Option<Answer<'a>> {
    match rule(tool, context) {
        Ruling::Block(answer) => Some(answer),
        _ => None,
    }
}

/// The thread requires that a person is asked each time: neither its mode nor a grant allows, and no new
/// grant is offered.
fn asked<'a>(judgement: Judgement<'a>, context: &Context<'a>) -> Ruling<'a> {
    match context.thread.mode() {
        Mode::AutoDeny => Ruling::Deny(Answer::of_mode(&judgement, "auto_deny")),
        _ => Ruling::Ask(judgement, vec![Decision::AllowOnce, Decision::Deny]),
    }
}

/// What is asked may be answered by the thread's mode, or by a grant.
fn answered<'a>(tool: &ToolName, judgement: Judgement<'a>, context: &Context<'a>) -> Ruling<'a> {
    match context.thread.mode() {
        Mode::ApproveAll => Ruling::Allow(Answer::of_mode(&judgement, "approve_all")),
        Mode::AutoDeny => Ruling::Deny(Answer::of_mode(&judgement, "auto_deny")),
        Mode::Interactive | Mode::Other => match context.thread.grant_for(tool) {
            Some(grant) => Ruling::Allow(Answer::of_grant(&judgement, grant.seq)),
            None => Ruling::Ask(judgement, vec![Decision::AllowOnce, Decision::AllowSession, Decision::Deny]),
        },
    }
}

impl<'a> Answer<'a> {
    fn of_policy(judgement: &Judgement<'a>) -> Self {
        let Judgement { rule, reason, .. } = *judgement;
        Self { by: judgement.principal(), source: Source::Policy, rule, reason, grant: None }
    }

    fn of_thread(judgement: &Judgement<'a>, reason: &'a str) -> Self {
        Self { by: Principal::policy("thread"), reason, ..Self::of_policy(judgement) }
    }

    fn of_mode(judgement: &Judgement<'a>, reason: &'a str) -> Self {
        let by = Principal::policy("mode");
        Self { by, source: Source::Mode, reason, ..Self::of_policy(judgement) }
    }

    fn of_grant(judgement: &Judgement<'a>, grant: i64) -> Self {
        let by = Principal::policy("grant");
        Self { by, source: Source::Grant, grant: Some(grant), ..Self::of_policy(judgement) }
    }
}
