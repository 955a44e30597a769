//! Refusals: a stable code for programs, a sentence for people, and the underlying facts.

use crate::{
    access::{TokenDirectory, TokenRejection},
    call::RecordedFact,
};
use countersign_events::{
    ApprovalResponse, ApprovalVote, CallId, CallState, ExecutionStarted, Principal, ProofRequirement,
    ThreadId, ToolName, ToolResult,
    json::{AmbiguousKeys, BadJson, Sha256},
    timestamp::Timestamp,
};

/// The reason why a command was refused. Each variant has the name of its [`code`](Refused::code).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// No such call in that thread.
    #[error("thread {thread_id} has no call {id}")]
    UnknownCall {
        /// The thread.
        thread_id: ThreadId,
        /// The call.
        id: CallId,
    },
    /// The id was proposed before with another tool or other arguments, or in another place.
    #[error(
        "call {id} was proposed before with another tool or other arguments, or in another place; a new call needs a new id"
    )]
    CallDiffers {
        /// The call.
        id: CallId,
        /// The hash of the original arguments.
        arguments_hash: Sha256,
    },
    /// Another decision was made before.
    #[error("decided already: {} by {} at {}", .response.what.decision.as_str(), .response.by.describe_decider(.response.what.on_behalf_of.as_ref()), .response.at)]
    AlreadyDecided {
        /// The decision that counts.
        response: Box<RecordedFact<ApprovalResponse>>,
    },
    /// A claim on a call whose state is not `allowed`.
    #[error("the call is {state}, and only an allowed call can be claimed")]
    NotAllowed {
        /// The call's state.
        state: CallState,
    },
    /// An executor claimed the call before.
    #[error("claimed already by {} at {}", .claim.what.executor, .claim.at)]
    AlreadyClaimed {
        /// The claim that counts.
        claim: Box<RecordedFact<ExecutionStarted>>,
    },
    /// The call ended with another result.
    #[error("it ended already: {} at {}", .result.what.status.as_str(), .result.at)]
    AlreadyFinished {
        /// The result that counts.
        result: Box<RecordedFact<ToolResult>>,
    },
    /// A result or a renewal for a call that is not claimed.
    #[error("the call is {state}: claim it first")]
    NotClaimed {
        /// The call's state.
        state: CallState,
    },
    /// A result or a renewal from an executor that did not claim the call.
    #[error("the call was claimed by {executor}, which alone can renew the lease and report the result")]
    NotTheExecutor {
        /// The executor that claimed it.
        executor: String,
    },
    /// A sign of life from a program that did not propose the call.
    #[error("{proposer} proposed the call, and only it tells that it still waits")]
    NotTheProposer {
        /// The proposer.
        proposer: Principal,
    },
    /// The command is about arguments other than the call's.
    #[error(transparent)]
    ArgumentsChanged(#[from] ArgumentsMismatch),
    /// The policy blocks the call now, or a thread restriction holds it back.
    #[error("blocked by {rule}: {reason}")]
    Blocked {
        /// The rule.
        rule: String,
        /// Its reason.
        reason: String,
    },
    /// A newer version has written an event about the call or its thread, and its author did not mark it as harmless.
    #[error(
        "event {seq} is a {kind}, which this version of Countersign does not know, so it decides nothing here: use the version \
         that wrote the event"
    )]
    UnknownEvent {
        /// The event.
        seq: i64,
        /// Its type.
        kind: String,
    },
    /// A closed thread accepts no calls.
    #[error("the thread was closed at {at}")]
    ThreadClosed {
        /// The closing's time.
        at: Timestamp,
    },
    /// The thread or the agent has as many pending calls as the policy permits.
    #[error(
        "{whose} has {limit} pending calls, the most that the policy permits; propose again when people have decided some"
    )]
    TooManyPending {
        /// The thread or the agent.
        whose: String,
        /// The limit.
        limit: u32,
    },
    /// The request does not offer this decision.
    #[error("the request does not offer {0}")]
    NotOffered(&'static str),
    /// Agents propose; they never decide.
    #[error("{0} is not a person, and only people decide")]
    NotAnApprover(String),
    /// A call proposer cannot decide that call.
    #[error("{0} proposed the call and cannot decide it")]
    SelfApproval(String),
    /// The caller does not have the level or the group that the request requires.
    #[error("{by} cannot decide this: {why}")]
    NotEligible {
        /// The caller.
        by: String,
        /// The missing requirement.
        why: String,
    },
    /// The caller names a person who has not handed their queue to them, or not any more.
    #[error("{from} has not handed their queue to {by}, or not any more")]
    NotDelegated {
        /// The person.
        from: String,
        /// The caller.
        by: String,
    },
    /// No such delegation.
    #[error("there is no active delegation with this number")]
    UnknownDelegation,
    /// The active policy has no advisor with these settings.
    #[error("the active policy has no advisor {0:?} with these settings")]
    UnknownAdvisor(String),
    /// An advisor allowed the call under another policy.
    #[error("{by} allowed it under another policy than the active one; propose the call again")]
    AdviceOutdated {
        /// The advisor.
        by: String,
    },
    /// Only a call that was allowed can be flagged.
    #[error("the call is {state}, and only a call that was allowed can be flagged")]
    NotFlaggable {
        /// The call's state.
        state: CallState,
    },
    /// The approver voted differently before. Each approver votes once.
    #[error("voted already: {} by {} at {}", .vote.what.decision.as_str(), .vote.by.describe_decider(.vote.what.on_behalf_of.as_ref()), .vote.at)]
    AlreadyVoted {
        /// The vote that counts.
        vote: Box<RecordedFact<ApprovalVote>>,
    },
    /// The tool's definition changed after the call was approved.
    #[error(
        "the tool's definition hashes to {given}, and it was {approved} when the call was approved; propose the call again"
    )]
    DefinitionChanged {
        /// The hash when the call was approved.
        approved: Sha256,
        /// The hash in the claim.
        given: Sha256,
    },
    /// The log knows no definition of this tool.
    #[error("the log knows no definition of the tool {tool}")]
    UnknownTool {
        /// The tool.
        tool: ToolName,
    },
    /// The log has no definition of the tool with this hash.
    #[error(
        "the log has no definition of {tool} with the hash {hash}; look at its definitions again, because they may have changed"
    )]
    UnknownDefinition {
        /// The tool.
        tool: ToolName,
        /// The hash.
        hash: Sha256,
    },
    /// Only an approval by a person that no executor has used can be taken back.
    #[error(
        "the call is {state}, and only an approval by a person that no executor has used can be taken back"
    )]
    NothingToTakeBack {
        /// The call's state.
        state: CallState,
    },
    /// Only a call whose executor was lost can be taken over.
    #[error("the call is {state}, and only a call whose outcome is unknown can be released")]
    NotUnknown {
        /// The call's state.
        state: CallState,
    },
    /// Only a call that has ended can be erased.
    #[error(
        "the call is {state}, and only a call that has ended can be erased: decide, finish or cancel it first"
    )]
    CallOpen {
        /// The call's state.
        state: CallState,
    },
    /// The decision on the call also answers later calls, by a pattern that would be erased.
    #[error("grant {grant} was given on this call, and its pattern would be erased: revoke it first")]
    GrantInForce {
        /// The `seq` of the response that gave it.
        grant: i64,
    },
    /// The call's content is in an archive file.
    #[error(
        "the content of this thread was moved to the archive {file}: use it with the file, as in `countersign erase --archive \
         FILE`"
    )]
    CallArchived {
        /// The file's name.
        file: String,
    },
    /// Another policy was activated meanwhile.
    #[error("another policy is active now, {in_force}: look at it before you replace it")]
    PolicyChanged {
        /// The active policy's hash.
        in_force: Sha256,
    },
    /// The rule asks for a proof that a person made the decision, and the command has none.
    #[error(
        "this needs a proof of {}: sign `statement` with a key of yours, for example with `countersign allow --sign-with KEYFILE`",
        .needs.describe()
    )]
    ProofRequired {
        /// The proof that is needed.
        needs: ProofRequirement,
        /// The text to sign.
        statement: String,
    },
    /// The proof does not prove the decision.
    #[error("the proof is not accepted: {why}")]
    ProofInvalid {
        /// The reason.
        why: String,
    },
    /// No such key.
    #[error("the log has no key with this id")]
    UnknownKey,
    /// Only an administrator may do this.
    #[error("{why}")]
    AdminRequired {
        /// The reason.
        why: &'static str,
    },
    /// No such token.
    #[error("the log has no token with this id")]
    UnknownToken,
    /// The token that a session is to be made from is not accepted.
    #[error("{0}")]
    TokenRejected(TokenRejection),
    /// The link has signed a person in before.
    #[error("the link was used before, and it signs in once; ask for another one")]
    LinkUsed,
    /// The sign-in at an identity provider, or the passkey challenge, has already made a session.
    #[error("this sign-in was used before; sign in again")]
    SignInUsed,
    /// Another account of the identity provider has signed in under this name.
    #[error(
        "{0} is the name of another account, which signed in before, and a name in the log belongs to one person"
    )]
    NameTaken(Principal),
    /// The log knows this person or agent in another spelling.
    #[error(
        "{given} is another spelling of {known}, and a name belongs to one actor, whatever its case and form; use {known}"
    )]
    OtherSpelling {
        /// The name that was given.
        given: Principal,
        /// The spelling that the log knows.
        known: Principal,
    },
    /// No such webhook.
    #[error("the log has no webhook with this id")]
    UnknownWebhook,
    /// No such chat account.
    #[error("no such chat account")]
    UnknownChatAccount,
    /// No such device.
    #[error("no device with this id gets notifications")]
    UnknownDevice,
    /// The log has no event of that thread.
    #[error("there is no thread {0}")]
    UnknownThread(ThreadId),
    /// The grant has ended, and nothing brings it back.
    #[error("grant {grant} has ended; give another one on the next call")]
    GrantEnded {
        /// The `seq` in the command.
        grant: i64,
    },
    /// No such grant in that thread.
    #[error("there is no grant {grant} in this thread")]
    UnknownGrant {
        /// The `seq` in the command.
        grant: i64,
    },
    /// Two keys of one object in the arguments are the same key to some programs.
    #[error("arguments: {0}")]
    AmbiguousArguments(AmbiguousKeys),
    /// Well-formed input that makes no sense.
    #[error("{field}: {why}")]
    Invalid {
        /// The command field.
        field: &'static str,
        /// The problem.
        why: String,
    },
}

/// The difference between the command arguments and the call arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentsMismatch {
    /// A claim of other arguments than the approved ones.
    #[error(
        "the arguments hash to {given}, and {approved} was approved; run what was approved, or propose a new call"
    )]
    Claim {
        /// The approved hash.
        approved: Sha256,
        /// The hash in the claim.
        given: Sha256,
    },
    /// A decision on other arguments than those that would run now.
    #[error(
        "you looked at arguments that hash to {given}, but those that would run now hash to {current}: look again before you decide"
    )]
    Decision {
        /// The hash of the arguments that would run.
        current: Sha256,
        /// The hash in the decision.
        given: Sha256,
    },
    /// An approval of edited arguments that the approver may not have seen.
    #[error(
        "another approver changed the arguments, and those that would run now hash to {current}: look again, and send that as argumentsHash"
    )]
    UnseenEdit {
        /// The hash of the arguments that would run.
        current: Sha256,
    },
}

impl Refused {
    /// Refuses an actor name that the log knows only in other spellings.
    pub fn check_spelling(actor: &Principal, tokens: &TokenDirectory) -> Result<(), Self> {
        match tokens.names().find_other_spelling(actor) {
            Some(known) => Err(Self::OtherSpelling { given: actor.clone(), known: known.clone() }),
            None => Ok(()),
        }
    }

    /// The stable code that programs switch on.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownCall { .. } => "unknown_call",
            Self::CallDiffers { .. } => "call_differs",
            Self::AlreadyDecided { .. } => "already_decided",
            Self::NotAllowed { .. } => "not_allowed",
            Self::AlreadyClaimed { .. } => "already_claimed",
            Self::AlreadyFinished { .. } => "already_finished",
            Self::NotClaimed { .. } => "not_claimed",
            Self::NotTheExecutor { .. } => "not_the_executor",
            Self::ArgumentsChanged(_) => "arguments_changed",
            Self::Blocked { .. } => "blocked",
            Self::UnknownEvent { .. } => "unknown_event",
            Self::ThreadClosed { .. } => "thread_closed",
            Self::TooManyPending { .. } => "too_many_pending",
            Self::NotOffered(_) => "not_offered",
            Self::NotAnApprover(_) => "not_an_approver",
            Self::SelfApproval(_) => "self_approval",
            Self::NotEligible { .. } => "not_eligible",
            Self::NotDelegated { .. } => "not_delegated",
            Self::UnknownDelegation => "unknown_delegation",
            Self::UnknownAdvisor(_) => "unknown_advisor",
            Self::AdviceOutdated { .. } => "advice_outdated",
            Self::NotFlaggable { .. } => "not_flaggable",
            Self::AlreadyVoted { .. } => "already_voted",
            Self::DefinitionChanged { .. } => "definition_changed",
            Self::NothingToTakeBack { .. } => "nothing_to_take_back",
            Self::NotUnknown { .. } => "not_unknown",
            Self::CallOpen { .. } => "call_open",
            Self::GrantInForce { .. } => "grant_in_force",
            Self::CallArchived { .. } => "call_archived",
            Self::PolicyChanged { .. } => "policy_changed",
            Self::ProofRequired { .. } => "proof_required",
            Self::ProofInvalid { .. } => "proof_invalid",
            Self::UnknownKey => "unknown_key",
            Self::AdminRequired { .. } | Self::NotTheProposer { .. } => "not_permitted",
            Self::UnknownToken => "unknown_token",
            Self::TokenRejected(_) => "unauthenticated",
            Self::LinkUsed => "link_used",
            Self::SignInUsed => "sign_in_failed",
            Self::NameTaken(_) | Self::OtherSpelling { .. } => "name_taken",
            Self::UnknownWebhook => "unknown_webhook",
            Self::UnknownChatAccount => "unknown_chat_account",
            Self::UnknownDevice => "unknown_device",
            Self::UnknownTool { .. } => "unknown_tool",
            Self::UnknownDefinition { .. } => "unknown_definition",
            Self::UnknownThread(_) => "unknown_thread",
            Self::GrantEnded { .. } => "grant_ended",
            Self::UnknownGrant { .. } => "unknown_grant",
            Self::AmbiguousArguments(_) => "ambiguous_arguments",
            Self::Invalid { .. } => "invalid",
        }
    }

    /// Refuses a field that violates a rule.
    #[must_use]
    pub fn invalid(field: &'static str, why: &str) -> Self {
        Self::Invalid { field, why: why.to_owned() }
    }

    /// Refuses a command that does not apply to its target.
    pub(crate) fn wrong_target() -> Self {
        Self::invalid("target", "the command does not apply to this target")
    }

    /// The refusal of JSON that did not pass validation.
    #[must_use]
    pub fn bad_json(field: &'static str, why: &BadJson) -> Self {
        Self::Invalid { field, why: why.to_string() }
    }
}
