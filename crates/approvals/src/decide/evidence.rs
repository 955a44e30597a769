//! Evidence: facts about a command that only policy conditions or a tool schema can give. Both are programs of other
//! people, so the gate runs them before the command is queued and never on the writer.

use crate::{Refused, scope::suggest_scopes};
use countersign_events::{
    CallId, Json, QuestionForm, RecordedEffect, Sha256, SuggestedScope, Verdict, json::ArgumentChange,
};
use countersign_policy::{CallReading, JudgedCall, Judgement, Policy};
use countersign_redaction::{RedactedJson, Redactor};
use std::{collections::HashMap, fmt, sync::Arc};

/// The facts about a command that were worked out before it was queued.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum CommandEvidence {
    /// The command needs none.
    #[default]
    NotNeeded,
    /// The policy's judgement of the arguments that would run.
    Judgement(ArgumentsJudgement),
    /// The policy's judgement of a proposal, and the scopes that it suggests.
    Proposal(ProposalReview),
    /// The review of edited arguments.
    Edit(EditReview),
    /// The review of a decision that also decides waiting calls.
    Waiting(WaitingReview),
}

/// Evidence that the rules need and the command does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NeededEvidence {
    /// The policy's judgement of the arguments.
    #[error("the policy's judgement of the arguments")]
    Judgement,
    /// The policy's judgement of a request that has ended.
    #[error("the policy's judgement of a request that has ended")]
    ExpiryJudgement,
    /// The review of edited arguments.
    #[error("the review of the edited arguments")]
    EditReview,
    /// The keys of the approvers.
    #[error("the keys of the approvers")]
    ApproverKeys,
    /// The delegations between people.
    #[error("the delegations between people")]
    Delegations,
    /// The message positions after those that others added.
    #[error("the places of the messages after those that others added")]
    MessagePlaces,
    /// The messages as the active policy masks them.
    #[error("the masks of the active policy")]
    MessageMasks,
    /// The hashes of all call content.
    #[error("the hashes of all call content")]
    ContentHashes,
}

/// Why a command was not executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandFailure {
    /// The rules refuse it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The rules cannot decide it yet: it must be queued again with this evidence.
    #[error("{}", Refused::from(*.0))]
    NeedsEvidence(#[from] NeededEvidence),
}

impl From<NeededEvidence> for Refused {
    /// A command that stays without its evidence is invalid.
    fn from(needed: NeededEvidence) -> Self {
        let why = format!("{needed} is missing; work it out before the command is queued");
        Self::Invalid { field: "evidence", why }
    }
}

impl From<CommandFailure> for Refused {
    fn from(failure: CommandFailure) -> Self {
        match failure {
            CommandFailure::Refused(refused) => refused,
            CommandFailure::NeedsEvidence(needed) => needed.into(),
        }
    }
}

/// The policy's judgement of a call with certain arguments.
#[derive(Clone, PartialEq, Eq)]
pub struct ArgumentsJudgement {
    /// The hash of these arguments. Evidence about other arguments does not count.
    pub arguments_hash: Sha256,
    /// The judgement, which names its policy. The judgement of another policy does not count.
    pub judgement: Arc<Judgement>,
}

/// The proposal review.
#[derive(Clone, PartialEq, Eq)]
pub struct ProposalReview {
    /// The policy's judgement of the arguments.
    pub judged: ArgumentsJudgement,
    /// The arguments as the log keeps them, if they were masked already: masking long arguments takes milliseconds.
    pub logged: Option<RedactedJson>,
    /// The patterns that a request suggests for a remembered decision. The log stores them, so that no reader parses
    /// the arguments again.
    pub suggested: Vec<SuggestedScope>,
    /// Whether the call asks people something: only a person answers it, and each time anew.
    pub is_question: bool,
    /// What the call does. The log stores it.
    pub effects: Vec<RecordedEffect>,
}

impl ProposalReview {
    /// Reviews a proposal, whose arguments have this hash: judges it, masks its arguments, and suggests scopes if people are
    /// asked. `late` is called before each condition. Once it returns true, conditions fail.
    #[must_use]
    pub fn new(
        policy: &Policy,
        arguments_hash: Sha256,
        proposed: &JudgedCall<'_>,
        late: &dyn Fn() -> bool,
    ) -> Self {
        let logged = logged_arguments(policy.redactor(), proposed.arguments);
        let as_logged = JudgedCall { arguments: &logged.json, redacted: &logged.pointers, ..*proposed };
        let reading = CallReading::with_limit(policy, &as_logged, late);
        // The policy judges what would run. Mostly nothing is masked, and then the call is read once.
        let is_unmasked = logged.pointers.is_empty() && logged.json == *proposed.arguments;
        let judgement = if is_unmasked { reading.judge() } else { policy.judge(proposed, late) };
        let effects = reading.record_effects();
        // A request for a call that the policy allows is the thread's: it asks a person each time.
        let suggested =
            if judgement.verdict == Verdict::Ask { suggest_scopes(policy, &reading) } else { Vec::new() };
        let is_question = QuestionForm::read(proposed.tool, proposed.arguments).is_some();
        let judged = ArgumentsJudgement { arguments_hash, judgement: Arc::new(judgement) };
        Self { judged, logged: Some(logged), suggested, is_question, effects }
    }
}

/// Arguments with their secrets masked, as the log keeps them.
pub(super) fn logged_arguments(redactor: &Redactor, arguments: &Json) -> RedactedJson {
    let unmasked = || RedactedJson { json: arguments.clone(), pointers: Vec::new() };
    redactor.redact_json(arguments).unwrap_or_else(unmasked)
}

/// The review of edited arguments.
#[derive(Clone, PartialEq, Eq)]
pub struct EditReview {
    /// The policy's judgement of the edited arguments.
    pub judged: ArgumentsJudgement,
    /// The reason why the tool's `inputSchema` rejects them, if it does.
    pub schema_error: Option<String>,
    /// The differences from the proposed arguments.
    pub changes: Vec<ArgumentChange>,
}

/// The policy's judgements for a decision that also decides calls that wait.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct WaitingReview {
    /// The judgement of the call to decide, if it needs one.
    pub answer: Option<ArgumentsJudgement>,
    /// Judgements for the waiting calls that need one: those that another policy asked about.
    pub waiting: HashMap<CallId, ArgumentsJudgement>,
}

impl CommandEvidence {
    /// The judgement, if the evidence has one.
    #[must_use]
    pub const fn judged(&self) -> Option<&ArgumentsJudgement> {
        match self {
            Self::NotNeeded => None,
            Self::Judgement(judged) => Some(judged),
            Self::Proposal(review) => Some(&review.judged),
            Self::Edit(review) => Some(&review.judged),
            Self::Waiting(review) => review.answer.as_ref(),
        }
    }

    /// How the policy judged a recorded call with its recorded arguments. Judgements of proposals and edits are about
    /// other arguments.
    #[must_use]
    pub const fn judged_as_recorded(&self) -> Option<&ArgumentsJudgement> {
        match self {
            Self::Judgement(judged) => Some(judged),
            Self::Waiting(review) => review.answer.as_ref(),
            Self::NotNeeded | Self::Proposal(_) | Self::Edit(_) => None,
        }
    }

    /// How the policy judged a waiting call while another one is decided.
    #[must_use]
    pub fn judged_waiting(&self, id: &CallId) -> Option<&ArgumentsJudgement> {
        match self {
            Self::Waiting(review) => review.waiting.get(id),
            Self::NotNeeded | Self::Judgement(_) | Self::Proposal(_) | Self::Edit(_) => None,
        }
    }

    /// The review of edited arguments, if the evidence is one.
    #[must_use]
    pub const fn edit_review(&self) -> Option<&EditReview> {
        match self {
            Self::Edit(review) => Some(review),
            Self::NotNeeded | Self::Judgement(_) | Self::Proposal(_) | Self::Waiting(_) => None,
        }
    }

    /// What the proposed call does.
    pub(super) fn effects(&self) -> &[RecordedEffect] {
        match self {
            Self::Proposal(review) => &review.effects,
            Self::NotNeeded | Self::Judgement(_) | Self::Edit(_) | Self::Waiting(_) => &[],
        }
    }

    /// The proposal arguments as the log keeps them, if they were masked already.
    pub(super) const fn logged_arguments(&self) -> Option<&RedactedJson> {
        match self {
            Self::Proposal(review) => review.logged.as_ref(),
            Self::NotNeeded | Self::Judgement(_) | Self::Edit(_) | Self::Waiting(_) => None,
        }
    }

    /// Whether the proposal asks people something.
    pub(super) const fn is_question(&self) -> bool {
        matches!(self, Self::Proposal(ProposalReview { is_question: true, .. }))
    }

    /// The scopes that a request suggests.
    #[must_use]
    pub fn suggested_scopes(&self) -> &[SuggestedScope] {
        match self {
            Self::Proposal(review) => &review.suggested,
            Self::NotNeeded | Self::Judgement(_) | Self::Edit(_) | Self::Waiting(_) => &[],
        }
    }
}

/// Shows only the arguments hash: reasons and changes can quote arguments, which may hold secrets.
impl fmt::Debug for CommandEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::NotNeeded => "NotNeeded",
            Self::Judgement(_) => "Judgement",
            Self::Proposal(_) => "Proposal",
            Self::Edit(_) => "Edit",
            Self::Waiting(_) => "Waiting",
        };
        let hash = self.judged().map(|judged| judged.arguments_hash);
        f.debug_struct(name).field("arguments_hash", &hash).finish_non_exhaustive()
    }
}
