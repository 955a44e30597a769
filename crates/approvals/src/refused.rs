//! What may not happen, as facts: a stable code for programs, a sentence for people.

use crate::call::Fact;
use countersign_events::{
    CallId, State, ThreadId,
    event::{ExecutionStarted, Response, ToolResult, Vote},
    json::{BadJson, Sha256},
    timestamp::Timestamp,
};

/// Why a command changed nothing. Each has a stable [`code`](Refused::code).
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
    /// The id was proposed before, with another tool or other arguments.
    #[error("call {id} was proposed before with another tool or other arguments; a new call needs a new id")]
    CallDiffers {
        /// The call.
        id: CallId,
        /// The hash of the arguments that were proposed first.
        arguments_hash: Sha256,
    },
    /// The decision has been made, and it is another one.
    #[error("decided already: {} by {} at {}", .response.what.decision.as_str(), .response.by, .response.at)]
    AlreadyDecided {
        /// Who decided what, and when.
        response: Box<Fact<Response>>,
    },
    /// A claim of a call that nobody allowed.
    #[error("the call is {state}, and only an allowed call can be claimed")]
    NotAllowed {
        /// Where it stands.
        state: State,
    },
    /// Another executor has it, or had it.
    #[error("claimed already by {} at {}", .claim.what.executor, .claim.at)]
    AlreadyClaimed {
        /// By whom, and when.
        claim: Box<Fact<ExecutionStarted>>,
    },
    /// It has ended, in another way.
    #[error("it ended already: {} at {}", .result.what.status.as_str(), .result.at)]
    AlreadyFinished {
        /// How, and when.
        result: Box<Fact<ToolResult>>,
    },
    /// A result of a call that nobody claimed.
    #[error("the call is {state}: claim it before you report what came of it")]
    NotClaimed {
        /// Where it stands.
        state: State,
    },
    /// A result from somebody who did not claim the call.
    #[error("the call was claimed by {executor}, who alone can report what came of it")]
    NotTheExecutor {
        /// Who claimed it.
        executor: String,
    },
    /// What would run is not what was approved.
    #[error(
        "the arguments hash to {given}, and {approved} was approved; run what was approved, or propose a new call"
    )]
    ArgumentsChanged {
        /// The hash that was approved.
        approved: Sha256,
        /// The hash in the claim.
        given: Sha256,
    },
    /// A decision on other arguments than those that stand.
    #[error(
        "you looked at arguments that hash to {given}, and what would run by now hashes to {stands}: look again before you decide"
    )]
    LookAgain {
        /// The hash of what would run.
        stands: Sha256,
        /// The hash in the decision.
        given: Sha256,
    },
    /// An approver changed the arguments meanwhile, and nobody allows what they may not have seen.
    #[error(
        "somebody changed the arguments, and what would run by now hashes to {stands}: look again, and send that as argumentsHash"
    )]
    LookFirst {
        /// The hash of what would run.
        stands: Sha256,
    },
    /// The policy blocks the call by now. No grant and no approver lifts that.
    #[error("blocked by {rule}: {reason}")]
    Blocked {
        /// The rule.
        rule: String,
        /// Its reason.
        reason: String,
    },
    /// Nothing new starts in a thread that is over.
    #[error("the thread was closed at {at}")]
    ThreadClosed {
        /// When.
        at: Timestamp,
    },
    /// The decision is none of those that the request offers.
    #[error("the request does not offer {0}")]
    NotOffered(&'static str),
    /// Agents propose; they never decide.
    #[error("{0} is no person, and only people decide")]
    NotAnApprover(String),
    /// Whoever proposed a call cannot decide it.
    #[error("{0} proposed the call and cannot decide it")]
    SelfApproval(String),
    /// The request is for other people to decide.
    #[error("{by} cannot decide this: {why}")]
    NotEligible {
        /// Who wanted to.
        by: String,
        /// What it takes.
        why: String,
    },
    /// Each approver votes once, and this one said something else before.
    #[error("voted already: {} by {} at {}", .vote.what.decision.as_str(), .vote.by, .vote.at)]
    AlreadyVoted {
        /// What was said, and when.
        vote: Box<Fact<Vote>>,
    },
    /// The tool is no longer what it was when the call was approved.
    #[error(
        "the tool's definition hashes to {given}, and it was {approved} when the call was approved; propose the call anew"
    )]
    DefinitionChanged {
        /// The hash that stood beside the call.
        approved: Sha256,
        /// The hash in the claim.
        given: Sha256,
    },
    /// Only a call whose executor was lost can be taken over.
    #[error("the call is {state}, and only a call whose outcome is unknown can be released")]
    NotUnknown {
        /// Where it stands.
        state: State,
    },
    /// The policy changed since it judged, and its conditions are not evaluated here. The gate judges and asks
    /// again: nobody outside ever sees this.
    #[error("the call has to be judged anew first")]
    JudgeFirst,
    /// Nothing ever happened in that thread.
    #[error("there is no thread {0}")]
    UnknownThread(ThreadId),
    /// No such grant in that thread.
    #[error("there is no grant {grant} in this thread")]
    UnknownGrant {
        /// What was asked for.
        grant: i64,
    },
    /// Well-formed, and still nonsense.
    #[error("{field}: {why}")]
    Invalid {
        /// Which part of the command.
        field: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

impl Refused {
    /// The stable word that programs switch on.
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
            Self::ArgumentsChanged { .. } | Self::LookAgain { .. } | Self::LookFirst { .. } => {
                "arguments_changed"
            }
            Self::Blocked { .. } => "blocked",
            Self::ThreadClosed { .. } => "thread_closed",
            Self::NotOffered(_) => "not_offered",
            Self::NotAnApprover(_) => "not_an_approver",
            Self::SelfApproval(_) => "self_approval",
            Self::NotEligible { .. } => "not_eligible",
            Self::AlreadyVoted { .. } => "already_voted",
            Self::DefinitionChanged { .. } => "definition_changed",
            Self::NotUnknown { .. } => "not_unknown",
            Self::JudgeFirst => "judge_first",
            Self::UnknownThread(_) => "unknown_thread",
            Self::UnknownGrant { .. } => "unknown_grant",
            Self::Invalid { .. } => "invalid",
        }
    }

    /// A refusal of what came in as JSON.
    #[must_use]
    pub fn bad_json(field: &'static str, why: &BadJson) -> Self {
        Self::Invalid { field, why: why.to_string() }
    }
}
