//! The rules: the state and a command go in, events or a refusal come out. Each command has its own file.
//!
//! A repeated command succeeds and yields no events. A forbidden command yields a named [`Refused`].

mod answer;
mod cancel;
mod claim;
mod close;
mod due;
mod edit;
mod eligible;
mod evidence;
mod finish;
mod propose;
mod release;
mod respond;
mod revoke;
mod ruling;
mod settings;
mod stop;
mod vote;

pub use claim::{ClaimCommand, claim_needs_judgement, claim_subject};
pub use edit::argument_changes;
pub use evidence::{ArgumentsJudgement, CommandEvidence, EditReview};
pub use finish::FinishCommand;
pub use propose::{HashedArguments, ProposeCommand};
pub use respond::RespondCommand;

use crate::{Call, Refused, Thread, refused::ArgumentsMismatch};
use countersign_events::{
    Body, CallId, Json, Principal, Sha256, ThreadId, Timestamp, ToolName,
    event::{ApprovalResponse, Decision, Mode, Source, Status, ToolCall, ToolPolicy, ToolResult},
};
use countersign_policy::{Judgement, Policy};

/// A command to one call.
#[derive(Debug, Clone)]
pub enum CallCommand {
    /// Propose the call.
    Propose(ProposeCommand),
    /// Decide on it.
    Respond(RespondCommand),
    /// Start it.
    Claim(ClaimCommand),
    /// Report its result.
    Finish(FinishCommand),
    /// Withdraw it.
    Cancel {
        /// The reason, which the log keeps.
        reason: Option<String>,
    },
    /// Let another executor take over a call whose executor was lost.
    Release {
        /// The reason, which the log keeps.
        comment: Option<String>,
    },
    /// Write the events that are due: a reminder, an escalation, an expiry.
    Due,
}

/// A command to a whole thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadCommand {
    /// Take back the grant that the response at this `seq` gave.
    Revoke(i64),
    /// Close the thread: its grants end, and its pending calls are cancelled.
    Close,
    /// Deny its pending calls.
    Stop(StopCommand),
    /// Set its mode.
    SetMode(Mode),
    /// Set its own policies for tools.
    SetPolicies(Vec<(ToolName, ToolPolicy)>),
}

/// Deny all pending calls at once, for emergencies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopCommand {
    /// Deny only the calls of this tool.
    pub tool: Option<ToolName>,
    /// The reason. The log keeps it, and the models read it.
    pub comment: Option<String>,
}

/// Everything besides the call that a decision may depend on.
#[derive(Debug, Clone, Copy)]
pub struct DecisionContext<'a> {
    /// The thread that the call belongs to.
    pub thread_id: &'a ThreadId,
    /// The state of that thread.
    pub thread: &'a Thread,
    /// The policy in force.
    pub policy: &'a Policy,
    /// The principal that gives the command.
    pub by: &'a Principal,
    /// The moment at which the command is decided.
    pub now: Timestamp,
    /// The facts that were worked out before the command was queued.
    pub evidence: &'a CommandEvidence,
}

impl DecisionContext<'_> {
    /// An optional text with its secrets masked, as the log keeps it.
    fn mask_optional(&self, text: Option<&str>) -> Option<String> {
        text.map(|text| self.mask(text))
    }

    /// A text with its secrets masked, as the log keeps it.
    fn mask(&self, text: &str) -> String {
        self.policy.redactor().redact_text(text).unwrap_or_else(|| text.to_owned())
    }

    /// The judgement of the arguments with this hash, by the policy in force. It must be in the evidence: a
    /// policy's conditions are never evaluated here.
    fn judgement_of(&self, arguments_hash: Sha256) -> Result<&Judgement, Refused> {
        let judged = self.evidence.judged().filter(|judged| judged.judgement.policy == self.policy.hash());
        match judged {
            Some(judged) if judged.arguments_hash == arguments_hash => Ok(&judged.judgement),
            // An approver edited the arguments after the evidence was worked out.
            Some(judged) => Err(Refused::ArgumentsChanged(ArgumentsMismatch::Claim {
                approved: arguments_hash,
                given: judged.arguments_hash,
            })),
            None => Err(missing_evidence("the policy's judgement of the arguments")),
        }
    }
}

/// The refusal of a command that was queued without the evidence it needs. The gate always adds the evidence, so
/// only a program that writes to the store directly meets this.
fn missing_evidence(what: &str) -> Refused {
    Refused::Invalid {
        field: "evidence",
        why: format!("{what} is missing; work it out before the command is queued"),
    }
}

/// An event to write. The batch gives it its `seq`, its time and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The principal that caused it.
    pub by: Principal,
    /// Its typed content.
    pub body: Body,
}

impl NewEvent {
    fn new(by: &Principal, body: Body) -> Self {
        Self { by: by.clone(), body }
    }
}

/// Decides on a command to the call `id`. `call` is its state, if the thread has such a call.
pub fn decide(
    id: &CallId,
    call: Option<&Call>,
    command: &CallCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    match (command, call) {
        (CallCommand::Propose(propose), call) => propose::propose(call, propose, context),
        (_, None) => Err(Refused::UnknownCall { thread_id: context.thread_id.clone(), id: id.clone() }),
        (CallCommand::Respond(respond), Some(call)) => respond::respond(call, respond, context),
        (CallCommand::Claim(claim), Some(call)) => claim::claim(call, claim, context),
        (CallCommand::Finish(finish), Some(call)) => finish::finish(call, finish, context),
        (CallCommand::Cancel { reason }, Some(call)) => cancel::cancel(call, reason.as_deref(), context),
        (CallCommand::Release { comment }, Some(call)) => release::release(call, comment.as_deref(), context),
        (CallCommand::Due, Some(call)) => Ok(due_events(call, context)),
    }
}

/// Decides on a command to a thread. `pending` are its pending calls.
pub fn decide_thread<'a>(
    pending: impl Iterator<Item = &'a Call>,
    command: &ThreadCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    match command {
        ThreadCommand::Revoke(grant) => revoke::revoke(*grant, context),
        ThreadCommand::Close => Ok(close::close(pending, context)),
        ThreadCommand::Stop(stop) => stop::stop(pending, stop, context),
        ThreadCommand::SetMode(mode) => settings::set_mode(*mode, context),
        ThreadCommand::SetPolicies(policies) => settings::set_policies(policies, context),
    }
}

/// Checks that this principal may stop pending calls.
pub(crate) fn check_may_stop(by: &Principal) -> Result<(), Refused> {
    eligible::check_is_person(by)
}

/// The events that are due on `call` before any other command.
#[must_use]
pub fn due_events(call: &Call, context: &DecisionContext<'_>) -> Vec<NewEvent> {
    due::due_events(call, context)
}

/// A response about `call` with the fields that every response has.
fn new_response(
    call: &ToolCall,
    decision: Decision,
    source: Source,
    context: &DecisionContext<'_>,
) -> ApprovalResponse {
    // The claim judges again what a rule allows, so that does not lapse. An approval by people does.
    let lapses = context.policy.lapses().filter(|_| decision.allows() && source != Source::Policy);
    ApprovalResponse {
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
        scope: None,
        lapses_at: lapses.map(|span| context.now.after(span)),
        policy: Some(context.policy.hash()),
    }
}

/// The result that the gate itself writes for a call that never ran, with a text for the model.
fn new_result(id: &CallId, status: Status, text: &str) -> Body {
    Body::ToolResult(ToolResult { tool_call_id: id.clone(), status, content: Json::string(text) })
}

#[cfg(test)]
mod tests;
