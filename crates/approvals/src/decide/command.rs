//! The commands, as plain data. The file of each rule says what its command does.

use super::{arguments::HashedArguments, messages::AddMessagesCommand};
use crate::{Call, GrantScope};
use countersign_events::{
    AdviceFailure, AdviceTokens, AdviceVerdict, CallId, Confidence, Decision, DecisionChannel, DecisionProof,
    ErasedRow, ErasedTexts, GrantAgents, GrantLimits, Json, Mode, Place, Principal, Sha256, Status,
    ThreadArchived, ThreadId, Timestamp, ToolDefinition, ToolName, ToolPolicy,
};
use countersign_policy::JudgedCall;
use std::{collections::BTreeSet, fmt, time::Duration};

/// A command to one call.
#[derive(Debug, Clone)]
pub enum CallCommand {
    /// Propose the call.
    Propose(ProposeCommand),
    /// Decide on it.
    Respond(RespondCommand),
    /// Start it.
    Claim(ClaimCommand),
    /// Extend the lease of its claim.
    Renew(RenewCommand),
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
    /// Take back its approval.
    TakeBack {
        /// The reason, which the log keeps and the model reads.
        comment: Option<String>,
    },
    /// Record advice from an advisor.
    Advise(AdviceCommand),
    /// Complain that it was allowed.
    Flag {
        /// The complaint, which the log keeps.
        comment: Option<String>,
    },
    /// Erase its content.
    Erase(EraseCommand),
    /// Write the events that are due: a reminder, an escalation, an expiry.
    Due,
    /// Withdraw it, because its proposer is gone.
    Withdraw {
        /// When the proposer was last seen.
        last_seen: Timestamp,
    },
}

/// Erases call content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EraseCommand {
    /// The reason, which the log keeps.
    pub reason: String,
    /// The call's rows that have or had erasable content, with its hashes.
    pub rows: Vec<ErasedRow>,
    /// The archive file digest, for the file from which the caller will erase the content. Required if the thread is
    /// archived.
    pub archive: Option<Sha256>,
}

/// An advisor's answer, or its failure to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdviceCommand {
    /// The advisor's name.
    pub advisor: String,
    /// The hash of the advisor settings when it was asked.
    pub configuration: Sha256,
    /// The answer.
    pub advice: AdviceVerdict,
    /// The reason that the advisor gives.
    pub reason: Option<String>,
    /// How sure the advisor is.
    pub confidence: Option<Confidence>,
    /// Short labels from the advisor about the call.
    pub labels: Vec<String>,
    /// The reason why there is no valid answer. The advice is then `ask`.
    pub failure: Option<AdviceFailure>,
    /// The time from the question to the answer.
    pub elapsed_millis: u64,
    /// The tokens that the advisor counted.
    pub tokens: Option<AdviceTokens>,
    /// Whether the answer to an earlier equal question was used.
    pub cached: bool,
    /// The hash of the arguments in the question.
    pub arguments_hash: Sha256,
}

/// A command to a whole thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadCommand {
    /// Take back the grant that the response at this `seq` gave.
    Revoke(i64),
    /// Give that grant new limits.
    Prolong(i64, GrantLimits),
    /// Write that the grant has ended, if it has reached a limit.
    EndGrant(i64),
    /// Close the thread: its grants end, and its pending calls are cancelled.
    Close,
    /// Replace the closed thread's content with its hashes, because an archive file has it.
    Archive(ThreadArchived),
    /// Deny its pending calls.
    Stop(StopCommand),
    /// Add messages to its conversation.
    AddMessages(AddMessagesCommand),
    /// Set its mode.
    SetMode(Mode),
    /// Set its own policies for tools.
    SetPolicies(Vec<(ToolName, ToolPolicy)>),
}

/// Where the definition hash in a proposal comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DefinitionIdentity {
    /// From the definition.
    #[default]
    Computed,
    /// From a log, which may have the definition masked.
    Recorded(Sha256),
    /// A log has the definition masked, and does not say its hash.
    Unknown,
}

/// An agent's proposal to run a tool. `{:?}` omits the agent's content, which may hold secrets.
#[derive(Clone)]
pub struct ProposeCommand {
    /// The call's id, unique in its thread.
    pub id: CallId,
    /// The tool.
    pub name: ToolName,
    /// The arguments.
    pub arguments: HashedArguments,
    /// Hints as MCP defines them.
    pub annotations: Option<Json>,
    /// The call's effect, as the agent describes it.
    pub impact: Option<Json>,
    /// The call's purpose, as the agent describes it.
    pub description: Option<String>,
    /// Where the call runs, if the proposer says so. Boxed, because it would double the size of every command.
    pub place: Option<Box<Place>>,
    /// The tool's definition.
    pub definition: Option<ToolDefinition>,
    /// Where the hash that identifies the definition comes from.
    pub identity: DefinitionIdentity,
    /// The time that people have to decide. The policy may shorten it.
    pub expires_in: Option<Duration>,
    /// The earlier call that this one replaces. Its unused approval may move here.
    pub replaces: Option<CallId>,
    /// Whether people's time for it ends when its proposer is gone for as long as the policy says.
    pub withdraw_when_gone: bool,
}

impl fmt::Debug for ProposeCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, name, arguments, expires_in, .. } = self;
        let mut shown = f.debug_struct("ProposeCommand");
        shown.field("id", id).field("name", name).field("arguments", arguments);
        shown.field("expires_in", expires_in).finish_non_exhaustive()
    }
}

impl ProposeCommand {
    /// The hash that identifies the tool's definition; `None` if the proposal has none.
    pub(super) fn identity(&self) -> Option<Sha256> {
        match self.identity {
            DefinitionIdentity::Computed => self.definition.as_ref()?.identity(self.annotations.as_ref()),
            DefinitionIdentity::Recorded(hash) => Some(hash),
            DefinitionIdentity::Unknown => None,
        }
    }

    /// The call in the form that a policy judges.
    #[must_use]
    pub fn subject<'a>(&'a self, thread: &'a ThreadId, by: &'a Principal) -> JudgedCall<'a> {
        JudgedCall {
            thread,
            principal: by,
            tool: &self.name,
            place: self.place.as_deref(),
            arguments: self.arguments.json(),
            redacted: &[],
            annotations: self.annotations.as_ref(),
            impact: self.impact.as_ref(),
            definition: self.definition.as_ref(),
        }
    }
}

/// An approver's answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RespondCommand {
    /// The decision.
    pub decision: Decision,
    /// The reason. The log keeps it, and the model reads the reason for a denial.
    pub comment: Option<String>,
    /// The arguments that run instead of the proposed ones.
    pub arguments: Option<HashedArguments>,
    /// The hash of the arguments that the approver saw. An answer to other arguments is refused.
    pub about: Option<Sha256>,
    /// The scope in which the answer is remembered. An `allow_session` needs one; a denial without it is for this call
    /// only.
    pub scope: Option<GrantScope>,
    /// The agents to which an `allow_session` applies. Without it, the call's proposer.
    pub agents: Option<GrantAgents>,
    /// The limits of a remembered decision.
    pub limits: GrantLimits,
    /// The person in whose place the caller decides, by a delegation.
    pub on_behalf_of: Option<Principal>,
    /// The decision's level. Without it, the level that the request asks for.
    pub level: Option<String>,
    /// Whether a remembered decision also decides the thread's waiting calls, as far as it would answer them if they
    /// were proposed now.
    pub and_waiting: bool,
    /// The proof that the approver made the decision.
    pub proof: Option<Box<DecisionProof>>,
    /// The surface on which the person decides, if it shows only a part of the call.
    pub channel: Option<DecisionChannel>,
    /// The hashes of content that was erased from a recorded answer. A new answer has none.
    pub erased: ErasedTexts,
}

impl RespondCommand {
    /// A decision without options.
    #[must_use]
    pub fn plain(decision: Decision) -> Self {
        Self {
            decision,
            comment: None,
            arguments: None,
            about: None,
            scope: None,
            agents: None,
            limits: GrantLimits::default(),
            on_behalf_of: None,
            level: None,
            and_waiting: false,
            proof: None,
            channel: None,
            erased: ErasedTexts::new(),
        }
    }

    /// An approval of this call, and of later calls in this scope by the same agent.
    #[must_use]
    pub fn for_session(scope: GrantScope) -> Self {
        Self { scope: Some(scope), ..Self::plain(Decision::AllowSession) }
    }
}

impl RespondCommand {
    /// Returns true if the answer changes the arguments that would run.
    pub(super) fn is_edit(&self, call: &Call) -> bool {
        self.arguments.as_ref().is_some_and(|edited| edited.hash() != call.arguments_hash())
    }

    /// The agents as the log records them. By default, a grant answers the proposer only.
    pub(super) fn recorded_agents(&self) -> Option<GrantAgents> {
        self.agents.filter(|agents| *agents == GrantAgents::Any)
    }
}

/// An executor's declaration that it starts the call now.
#[derive(Debug, Clone)]
pub struct ClaimCommand {
    /// The executor's name. With a new name for each attempt, an executor that lost the answer can see whether
    /// the claim in the log is its own.
    pub executor: String,
    /// The hash of the arguments that will run.
    pub arguments_hash: Sha256,
    /// How long to wait for a result before the outcome becomes unknown. Defaults to the default lease.
    pub lease: Option<Duration>,
    /// The arguments themselves. Required if the log has them masked and a newer policy reads the masked part.
    pub arguments: Option<HashedArguments>,
    /// The current tool definition hash.
    pub definition_hash: Option<Sha256>,
}

/// An executor's message that it still runs the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenewCommand {
    /// The executor's name. It must be the one in the current claim.
    pub executor: String,
    /// How long to wait for a result, from now on, before the outcome becomes unknown. Defaults to the default lease.
    pub lease: Option<Duration>,
}

/// An executor's report of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishCommand {
    /// `success`, `error` or `cancelled`. Only the gate itself writes the others.
    pub status: Status,
    /// The tool's output.
    pub content: Json,
    /// The executor's name. If given, it must be the one in the claim. After a takeover it is required.
    pub executor: Option<String>,
    /// The arguments that ran, if the executor knows them.
    pub ran: Option<HashedArguments>,
}

/// Deny all pending calls at once, for emergencies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopCommand {
    /// Deny only the calls of this tool.
    pub tool: Option<ToolName>,
    /// End only these calls.
    pub calls: Option<BTreeSet<(ThreadId, CallId)>>,
    /// The reason. The log keeps it, and the models read it.
    pub comment: Option<String>,
}
