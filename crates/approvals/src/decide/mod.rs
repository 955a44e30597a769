//! The rules: the state and a command go in, events or a refusal come out. Each command has its own file.
//!
//! A repeated command succeeds and yields no events. A forbidden command yields a named [`Refused`], and a command that
//! cannot be decided yet the [`NeededEvidence`].

mod advise;
mod answer;
mod archive;
mod arguments;
mod behalf;
mod cancel;
mod channel;
mod claim;
mod close;
mod command;
mod context;
mod due;
mod edit;
mod eligible;
mod erase;
mod evidence;
mod expiry;
mod finish;
mod flag;
mod grant_limits;
mod lease;
mod lift;
mod messages;
mod new_event;
mod prolong;
mod proof;
mod propose;
mod release;
mod renew;
mod respond;
mod restriction;
mod revoke;
mod ruling;
mod settings;
mod stop;
mod take_back;
mod terms;
mod vote;
mod waiting;
mod withdraw;

pub use advise::MAX_ADVICE_BYTES;
pub use arguments::HashedArguments;
pub use channel::{CHAT_GRANT_SECONDS, may_allow_in_notification, may_answer, may_decide_in_chat};
pub use claim::{claim_needs_judgement, claim_subject};
pub use command::{
    AdviceCommand, CallCommand, ClaimCommand, DefinitionIdentity, EraseCommand, FinishCommand,
    ProposeCommand, RenewCommand, RespondCommand, StopCommand, ThreadCommand,
};
pub use context::DecisionContext;
pub use edit::{argument_changes, preview_edit};
pub(crate) use eligible::check_is_person;
pub use evidence::{
    ArgumentsJudgement, CommandEvidence, CommandFailure, EditReview, NeededEvidence, ProposalReview,
    WaitingReview,
};
pub(crate) use expiry::check_expiry_evidence;
pub use expiry::expiry_needs_judgement;
pub(crate) use finish::is_stop_by_policy;
pub use lease::{DEFAULT_LEASE, LONGEST_LEASE};
pub use messages::AddMessagesCommand;
pub use new_event::NewEvent;
pub(crate) use proof::{AcceptedKeys, check_signature};
pub use terms::answer_needs_judgement;
pub(crate) use waiting::answer_waiting;
pub use waiting::{MAX_WAITING, preview_waiting};
pub use withdraw::is_withdrawal_due;

use crate::{Call, Refused, UnknownFact};
use countersign_events::CallId;

/// Decides on a command to the call `id`. `call` is its state, if the thread has such a call.
pub fn decide(
    id: &CallId,
    call: Option<&Call>,
    command: &CallCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, CommandFailure> {
    if let Some(fact) = find_restriction(call, command, context) {
        return if matches!(command, CallCommand::Due | CallCommand::Withdraw { .. }) {
            Ok(Vec::new())
        } else {
            Err(Refused::from(fact).into())
        };
    }
    match (command, call) {
        (CallCommand::Propose(propose), call) => propose::propose(call, propose, context),
        (_, None) => {
            Err(Refused::UnknownCall { thread_id: context.thread_id.clone(), id: id.clone() }.into())
        }
        (CallCommand::Respond(respond), Some(call)) => respond::respond(call, respond, context),
        (CallCommand::Claim(claim), Some(call)) => claim::claim(call, claim, context),
        (CallCommand::Renew(renew), Some(call)) => Ok(renew::renew(call, renew, context)?),
        (CallCommand::Finish(finish), Some(call)) => Ok(finish::finish(call, finish, context)?),
        (CallCommand::Cancel { reason }, Some(call)) => Ok(cancel::cancel(call, reason.as_deref(), context)?),
        (CallCommand::Release { comment }, Some(call)) => {
            Ok(release::release(call, comment.as_deref(), context)?)
        }
        (CallCommand::TakeBack { comment }, Some(call)) => {
            Ok(take_back::take_back(call, comment.as_deref(), context)?)
        }
        (CallCommand::Advise(advice), Some(call)) => Ok(advise::advise(call, advice, context)?),
        (CallCommand::Flag { comment }, Some(call)) => Ok(flag::flag(call, comment.as_deref(), context)?),
        (CallCommand::Erase(erase), Some(call)) => erase::erase(call, erase, context),
        (CallCommand::Due, Some(call)) => Ok(due::due_or_answered(call, context)),
        (CallCommand::Withdraw { last_seen }, Some(call)) => {
            Ok(withdraw::withdraw(call, *last_seen, context))
        }
    }
}

/// What only a newer version knows about the call or its thread and forbids this command.
fn find_restriction(
    call: Option<&Call>,
    command: &CallCommand,
    context: &DecisionContext<'_>,
) -> Option<UnknownFact> {
    let of_call = match command {
        // A harmless event may also have erasable content, which only a newer version finds.
        CallCommand::Erase(_) => call.and_then(|call| call.course.newer.as_deref()),
        _ => call.and_then(Call::restriction),
    };
    let found = of_call.or(context.thread.restriction()).copied();
    found.filter(|_| !may_ignore_restrictions(command, call))
}

/// Whether the command decides nothing: it reports what happened, or reads the call.
const fn may_ignore_restrictions(command: &CallCommand, call: Option<&Call>) -> bool {
    match command {
        CallCommand::Renew(_) | CallCommand::Finish(_) | CallCommand::Flag { .. } => true,
        CallCommand::Propose(_) => call.is_some(),
        CallCommand::Respond(_)
        | CallCommand::Claim(_)
        | CallCommand::Cancel { .. }
        | CallCommand::Release { .. }
        | CallCommand::TakeBack { .. }
        | CallCommand::Advise(_)
        | CallCommand::Erase(_)
        | CallCommand::Due
        | CallCommand::Withdraw { .. } => false,
    }
}

/// Decides on a command to a thread. `open` are its calls that have not started: pending or allowed.
pub fn decide_thread<'a>(
    open: impl Iterator<Item = &'a Call> + Clone,
    command: &ThreadCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, CommandFailure> {
    match command {
        ThreadCommand::Revoke(grant) => Ok(revoke::revoke(*grant, open, context)?),
        ThreadCommand::Prolong(grant, limits) => Ok(prolong::prolong(*grant, *limits, context)?),
        ThreadCommand::EndGrant(grant) => Ok(grant_limits::end_grant(*grant, context)),
        ThreadCommand::Close => Ok(close::close(open, context)),
        ThreadCommand::Archive(archived) => Ok(archive::archive(archived, context)?),
        ThreadCommand::Stop(stop) => Ok(stop::stop(open, stop, context)?),
        ThreadCommand::AddMessages(add) => messages::add_messages(add, context),
        ThreadCommand::SetMode(mode) => Ok(settings::set_mode(*mode, open, context)?),
        ThreadCommand::SetPolicies(policies) => Ok(settings::set_policies(policies, &open, context)?),
    }
}

/// The events that are due on `call` before any other command.
#[must_use]
pub fn due_events(call: &Call, context: &DecisionContext<'_>) -> Vec<NewEvent> {
    match find_restriction(Some(call), &CallCommand::Due, context) {
        Some(_) => Vec::new(),
        None => due::due_events(call, context),
    }
}

#[cfg(test)]
mod tests;
