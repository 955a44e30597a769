//! What may happen next: the state and a command in, events or a refusal out. Every rule of an
//! approval lives here, one file for each thing that somebody can want.
//!
//! "Already so" is success and yields no events; "not allowed" is a named [`Refused`], never silence.

mod cancel;
mod claim;
mod close;
mod due;
mod edit;
mod eligible;
mod finish;
mod propose;
mod release;
mod respond;
mod revoke;
mod said;
mod settings;
mod stop;
mod verdict;
mod vote;

pub use claim::{Claim, subject};
pub use edit::{Reviewed, changes, misfit};
pub use finish::Finish;
pub use propose::{Arguments, Propose};
pub use respond::Respond;

use crate::{Call, Refused, Thread};
use countersign_events::{
    Body, CallId, Json, Principal, ThreadId, Timestamp, ToolName,
    event::{Decision, Mode, Response, Source, Status, ToolCall, ToolPolicy, ToolResult},
};
use countersign_policy::{Judgement, Policy, Subject};
use std::{borrow::Cow, sync::Arc};

/// What somebody wants of one call.
#[derive(Debug, Clone)]
pub enum Command {
    /// Put a call before the policy.
    Propose(Propose),
    /// Answer what people were asked.
    Respond(Respond),
    /// Start it.
    Claim(Claim),
    /// Say what came of it.
    Finish(Finish),
    /// Withdraw it.
    Cancel {
        /// Why, for whoever reads the log.
        reason: Option<String>,
    },
    /// Let another executor take it over, whose first executor was lost.
    Release {
        /// Why, for whoever reads the log.
        comment: Option<String>,
    },
    /// Carry out what is due: a reminder, an escalation, an expiry.
    Due,
}

/// What somebody wants of a whole thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadCommand {
    /// Take back the grant that the response at that `seq` gave.
    Revoke(i64),
    /// End it: its grants go, and what is pending is cancelled.
    Close,
    /// Deny all that waits for people in it.
    Stop(Stop),
    /// Have it answer what is asked in that way.
    SetMode(Mode),
    /// Give tools policies of its own.
    SetPolicies(Vec<(ToolName, ToolPolicy)>),
}

/// Deny everything that waits for people: the button for when things go wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stop {
    /// Only calls of that tool; all, if nothing is said.
    pub tool: Option<ToolName>,
    /// Why: the log keeps it, and the models are told.
    pub comment: Option<String>,
}

/// What a decision may look at besides the call.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The thread that the call belongs to.
    pub thread_id: &'a ThreadId,
    /// What holds for the thread.
    pub thread: &'a Thread,
    /// The policy in force.
    pub policy: &'a Policy,
    /// Who wants it.
    pub by: &'a Principal,
    /// The moment the command is judged at.
    pub now: Timestamp,
}

impl Context<'_> {
    /// What is written of somebody's words: no secret of them.
    fn written(&self, text: Option<&str>) -> Option<String> {
        text.map(|text| self.redacted(text))
    }

    fn redacted(&self, text: &str) -> String {
        self.policy.redactor().text(text).unwrap_or_else(|| text.to_owned())
    }

    /// What the policy says of a call: what it said before, if it is still the same policy.
    fn judgement<'j>(&self, before: Option<&'j Arc<Judgement>>, subject: &Subject<'_>) -> Cow<'j, Judgement> {
        match before.filter(|judgement| judgement.policy == self.policy.hash()) {
            Some(judgement) => Cow::Borrowed(judgement),
            None => Cow::Owned(self.policy.judge(subject, &|| false)),
        }
    }
}

/// An event that is to be written: the writer gives it its place, its time and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Who caused it.
    pub by: Principal,
    /// What it says.
    pub body: Body,
}

impl Draft {
    fn new(by: &Principal, body: Body) -> Self {
        Self { by: by.clone(), body }
    }
}

/// Decides on a command about the call `id`, which is `call` if there is one.
pub fn decide(
    id: &CallId,
    call: Option<&Call>,
    command: &Command,
    context: &Context<'_>,
) -> Result<Vec<Draft>, Refused> {
    match (command, call) {
        (Command::Propose(propose), call) => propose::propose(call, propose, context),
        (_, None) => Err(Refused::UnknownCall { thread_id: context.thread_id.clone(), id: id.clone() }),
        (Command::Respond(respond), Some(call)) => respond::respond(call, respond, context),
        (Command::Claim(claim), Some(call)) => claim::claim(call, claim, context),
        (Command::Finish(finish), Some(call)) => finish::finish(call, finish, context),
        (Command::Cancel { reason }, Some(call)) => cancel::cancel(call, reason.as_deref(), context),
        (Command::Release { comment }, Some(call)) => release::release(call, comment.as_deref(), context),
        (Command::Due, Some(call)) => Ok(due::due(call, context)),
    }
}

/// Decides on a command about a thread; `pending` are its calls that wait for people.
pub fn decide_thread<'a>(
    pending: impl Iterator<Item = &'a Call>,
    command: &ThreadCommand,
    context: &Context<'_>,
) -> Result<Vec<Draft>, Refused> {
    match command {
        ThreadCommand::Revoke(grant) => revoke::revoke(*grant, context),
        ThreadCommand::Close => Ok(close::close(pending, context)),
        ThreadCommand::Stop(stop) => stop::stop(pending, stop, context),
        ThreadCommand::SetMode(mode) => settings::set_mode(*mode, context),
        ThreadCommand::SetPolicies(policies) => settings::set_policies(policies, context),
    }
}

/// Whether somebody may stop what waits at all.
pub(crate) fn may_stop(by: &Principal) -> Result<(), Refused> {
    eligible::is_person(by)
}

/// What is due on `call` before any other command.
#[must_use]
pub fn due(call: &Call, context: &Context<'_>) -> Vec<Draft> {
    due::due(call, context)
}

/// A response about `call`, with nothing but what every response has.
fn response(call: &ToolCall, decision: Decision, source: Source, context: &Context<'_>) -> Response {
    // What a rule allows is judged again at the claim; what people allowed was for the moment they looked at.
    let lapses = context.policy.lapses().filter(|_| decision.allows() && source != Source::Policy);
    Response {
        tool_call_id: call.id.clone(),
        decision,
        source,
        rule: None,
        basis: None,
        shadow: Vec::new(),
        grant: None,
        comment: None,
        arguments: None,
        changes: Vec::new(),
        arguments_hash: call.arguments_hash,
        level: None,
        matches: None,
        lapses_at: lapses.map(|span| context.now.after(span)),
        policy: Some(context.policy.hash()),
    }
}

/// The result that the gate itself writes of a call that never ran, with the text for the model.
fn result(id: &CallId, status: Status, text: &str) -> Body {
    Body::ToolResult(ToolResult { tool_call_id: id.clone(), status, content: Json::string(text) })
}

#[cfg(test)]
mod tests;
