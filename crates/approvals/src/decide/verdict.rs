//! The whole verdict on a call: the policy, then the thread. A thread's own policy restricts further or
//! answers an `ask`; what its people decided before, and its mode, only ever answer an `ask`; nothing lifts a
//! block.

use super::{Context, eligible};
use crate::thread::{Given, Grant, Recent};
use countersign_events::{
    CallId, Principal, Sha256, Timestamp,
    event::{Decision, Definition, Mode, Source, ToolPolicy, Verdict},
};
use countersign_policy::{Effect, Judgement, Look, Subject, Terms};

/// What becomes of a call before any person is asked.
pub(super) enum Ruling {
    /// It may run.
    Allow(Answer),
    /// It may run: the approval of that call, which nobody used, moves here.
    Move(Answer, CallId),
    /// It may not, by a rule that no approval lifts.
    Block(Answer),
    /// It may not, because the thread says no to whatever is asked, or people said no before.
    Deny(Answer),
    /// People decide, with these options.
    Ask(Vec<Decision>),
}

/// Who or what has answered, and why.
pub(super) struct Answer {
    pub(super) by: Principal,
    pub(super) source: Source,
    pub(super) reason: String,
    pub(super) grant: Option<i64>,
    pub(super) level: Option<String>,
    /// When the approval that moves is worth nothing any more.
    pub(super) lapses_at: Option<Timestamp>,
}

/// Why a thread's own policy denies a call.
const DENIED: &str = "the thread denies this tool";

pub(super) fn rule(
    judgement: &Judgement,
    subject: &Subject<'_>,
    hash: Sha256,
    context: &Context<'_>,
) -> Ruling {
    let own = context.thread.policy_for(subject.tool);
    match (judgement.verdict, own) {
        (Verdict::Block, _) => Ruling::Block(Answer::of_policy(judgement)),
        (_, ToolPolicy::Deny) => Ruling::Block(Answer::of_thread(DENIED)),
        (Verdict::Allow, ToolPolicy::RequireApproval) | (Verdict::Ask, _) => {
            let asked = Asked { judgement, look: Look::new(context.policy, subject), hash, context };
            asked.answer(own)
        }
        (Verdict::Allow, _) => Ruling::Allow(Answer::of_policy(judgement)),
    }
}

/// Why the call may not start now, whatever was decided before, if it may not: the policy or the thread
/// blocks it.
pub(super) fn block(
    judgement: Option<&Judgement>,
    subject: &Subject<'_>,
    context: &Context<'_>,
) -> Option<Answer> {
    if let Some(judgement) = judgement.filter(|judgement| judgement.verdict == Verdict::Block) {
        return Some(Answer::of_policy(judgement));
    }
    let own = context.thread.policy_for(subject.tool);
    (own == ToolPolicy::Deny).then(|| Answer::of_thread(DENIED))
}

/// A question, before it reaches people.
struct Asked<'a> {
    judgement: &'a Judgement,
    look: Look<'a>,
    hash: Sha256,
    context: &'a Context<'a>,
}

impl Asked<'_> {
    /// In the order that docs/verdict.md tells.
    fn answer(&self, own: ToolPolicy) -> Ruling {
        if let Some(grant) = self.standing(Effect::Restrict) {
            return Ruling::Deny(Answer::of_grant(grant));
        }
        // Where a person is required each time, neither mode nor grant allows, and no new grant is offered.
        if own == ToolPolicy::RequireApproval {
            return self.denied().unwrap_or_else(|| Ruling::Ask(vec![Decision::AllowOnce, Decision::Deny]));
        }
        if own == ToolPolicy::Allow && self.is_set_by_who_may(self.set_policy()) {
            return Ruling::Allow(Answer::of_thread("the thread allows this tool"));
        }
        let mode = self.context.thread.mode();
        if mode == Mode::ApproveAll && self.is_set_by_who_may(self.set_mode()) {
            return Ruling::Allow(Answer::of_mode("approve_all"));
        }
        if let Some(denied) = self.auto_denied() {
            return denied;
        }
        if let Some(grant) = self.standing(Effect::Widen) {
            return Ruling::Allow(Answer::of_grant(grant));
        }
        self.denied()
            .or_else(|| self.moved())
            .unwrap_or_else(|| Ruling::Ask(vec![Decision::AllowOnce, Decision::AllowSession, Decision::Deny]))
    }

    fn auto_denied(&self) -> Option<Ruling> {
        let denies = self.context.thread.mode() == Mode::AutoDeny;
        denies.then(|| Ruling::Deny(Answer::of_mode("auto_deny")))
    }

    fn denied(&self) -> Option<Ruling> {
        self.auto_denied().or_else(|| {
            let denial = self.recent(|recent| recent.denies)?;
            Some(Ruling::Deny(Answer::of_recent(denial)))
        })
    }

    /// The first standing decision that answers: a denial if the effect is to restrict, a grant if it is to
    /// widen, which must have been given on no lesser terms.
    fn standing(&self, effect: Effect) -> Option<&Grant> {
        let allows = effect == Effect::Widen;
        let terms = &self.judgement.terms;
        self.context.thread.standing().filter(|grant| grant.allows == allows).find(|grant| {
            let answers = match &grant.width {
                Some(width) => width.answers(grant.made(), &self.look, self.hash, effect),
                None => !allows && grant.tool == *self.look.subject().tool,
            };
            answers && (!allows || self.covers(&grant.by, &grant.given, terms))
        })
    }

    /// The last thing that people decided on the same call, if it is such and they still remember it.
    fn recent(&self, is_such: impl Fn(&Recent) -> bool) -> Option<&Recent> {
        let remembered = self.context.policy.remember();
        let alike = |recent: &&Recent| {
            !remembered.is_zero()
                && recent.tool == *self.look.subject().tool
                && recent.arguments_hash == self.hash
                && recent.at.after(remembered) > self.context.now
        };
        self.context
            .thread
            .recent
            .iter()
            .filter(alike)
            .max_by_key(|recent| recent.seq)
            .filter(|recent| is_such(recent))
    }

    /// An approval of the same call that nobody used.
    fn moved(&self) -> Option<Ruling> {
        let recent = self.recent(|recent| recent.unused_by.is_some())?;
        let id = recent.unused_by.clone()?;
        let holds = recent.lapses_at.is_none_or(|end| end > self.context.now);
        (holds && self.covers(&recent.by, &recent.given, &self.judgement.terms))
            .then(|| Ruling::Move(Answer::of_recent(recent), id))
    }

    /// Whether what that person decided before answers this question: it was given on no lesser terms, is no word
    /// on a call of their own, and the tool still says of itself what it said then.
    fn covers(&self, by: &Principal, given: &Given, terms: &Terms) -> bool {
        let subject = self.look.subject();
        let proposer = subject.principal;
        by != proposer
            && !given.people.contains(proposer)
            && given.definition_hash == Definition::hash(subject.definition, subject.annotations)
            && eligible::covers(by, given, terms, self.context)
    }

    fn set_mode(&self) -> Option<&Principal> {
        self.context.thread.mode.as_ref().map(|set| &set.by)
    }

    fn set_policy(&self) -> Option<&Principal> {
        self.context.thread.policies.get(self.look.subject().tool).map(|set| &set.by)
    }

    fn is_set_by_who_may(&self, by: Option<&Principal>) -> bool {
        by.is_some_and(|by| {
            by != self.look.subject().principal && eligible::suffices(by, &self.judgement.terms, self.context)
        })
    }
}

impl Answer {
    fn of_policy(judgement: &Judgement) -> Self {
        let (by, reason) = (judgement.principal(), judgement.reason.clone());
        Self { by, source: Source::Policy, reason, grant: None, level: None, lapses_at: None }
    }

    fn of_thread(reason: &str) -> Self {
        Self::new("thread", Source::Policy, reason.to_owned())
    }

    fn of_mode(reason: &str) -> Self {
        Self::new("mode", Source::Mode, reason.to_owned())
    }

    fn of_grant(grant: &Grant) -> Self {
        let reason = said(&grant.by, grant.at, grant.allows, grant.comment.as_deref());
        let level = grant.given.level.clone();
        Self { grant: Some(grant.seq), level, ..Self::new("grant", Source::Grant, reason) }
    }

    fn of_recent(recent: &Recent) -> Self {
        let reason = said(&recent.by, recent.at, !recent.denies, recent.comment.as_deref());
        let level = recent.given.level.clone();
        let lapses_at = recent.lapses_at;
        Self { grant: Some(recent.seq), level, lapses_at, ..Self::new("grant", Source::Grant, reason) }
    }

    fn new(by: &str, source: Source, reason: String) -> Self {
        Self { by: Principal::policy(by), source, reason, grant: None, level: None, lapses_at: None }
    }
}

/// Who said what before, in words.
fn said(by: &Principal, at: Timestamp, allows: bool, comment: Option<&str>) -> String {
    let what = if allows { "allowed" } else { "denied" };
    match comment {
        Some(why) => format!("{by} {what} it at {at}: {why}"),
        None => format!("{by} {what} it at {at}"),
    }
}
