//! The evidence for a reconstructed command: the policy that was active then and its verdicts, as far as the log
//! records them.

use crate::{CommandEvidence, decide::ArgumentsJudgement, thread::LONGEST_MEMORY};
use countersign_events::Verdict;
use countersign_events::{ApprovalRequest, ApprovalResponse, Basis, OnExpiry, Sha256, Timestamp};
use countersign_policy::{ApprovalTerms, AssumedLevels, Judgement, Policy, QualifiedPeople};
use std::{sync::Arc, time::Duration};

/// The policy that was active when the row was written. `qualified` are the people whose level and groups are assumed
/// to suffice.
pub(super) fn recorded_policy(
    hash: Option<Sha256>,
    lapses: Option<Duration>,
    remembers: bool,
    qualified: QualifiedPeople,
    lowest: Option<String>,
) -> Policy {
    let remember = if remembers { LONGEST_MEMORY } else { Duration::ZERO };
    Policy::recorded(hash.unwrap_or(Sha256::ZERO), lapses, remember, AssumedLevels { qualified, lowest })
}

/// The time between two moments, if the second one is later.
pub(super) fn span(from: Timestamp, to: Option<Timestamp>) -> Option<Duration> {
    to.filter(|to| *to >= from).map(|to| to.since(from))
}

/// A judgement as evidence about those arguments.
pub(super) fn judgement_evidence(arguments_hash: Sha256, judgement: Judgement) -> CommandEvidence {
    CommandEvidence::Judgement(judged(arguments_hash, judgement))
}

pub(super) fn judged(arguments_hash: Sha256, judgement: Judgement) -> ArgumentsJudgement {
    ArgumentsJudgement { arguments_hash, judgement: Arc::new(judgement) }
}

/// A judgement that lets a call run.
pub(super) fn allowing_judgement(policy: Option<Sha256>) -> Judgement {
    new_judgement(Verdict::Allow, policy.unwrap_or(Sha256::ZERO))
}

/// A judgement that asks, and lets the call run without an answer.
pub(super) fn lapsing_judgement(policy: Option<Sha256>) -> Judgement {
    let on_expiry = OnExpiry::Allow;
    let terms = ApprovalTerms { expires: Some(Duration::ZERO), on_expiry, ..ApprovalTerms::default() };
    Judgement { terms, ..new_judgement(Verdict::Ask, policy.unwrap_or(Sha256::ZERO)) }
}

/// A judgement that asks for this number of approvals and denials.
pub(super) fn asking_judgement(policy: Sha256, quorum: u32, denials: u32) -> Judgement {
    let terms = ApprovalTerms { quorum, denials, ..ApprovalTerms::default() };
    Judgement { terms, ..new_judgement(Verdict::Ask, policy) }
}

/// The judgement that led to a request.
pub(super) fn judgement_of_request(request: &ApprovalRequest, asked_at: Timestamp) -> Judgement {
    let verdict = if request.basis.is_some() { Verdict::Ask } else { Verdict::Allow };
    Judgement {
        relies_on_tool: request.changed_definition.is_some(),
        basis: request.basis.unwrap_or(Basis::Default),
        rule: request.rule.clone(),
        reason: request.reason.clone(),
        terms: ApprovalTerms {
            expires: span(asked_at, request.expires_at),
            on_expiry: request.on_expiry.unwrap_or(OnExpiry::Deny),
            level: request.level.clone(),
            default_level: request.default_level.clone(),
            quorum: request.quorum.unwrap_or(1),
            denials: request.denials.unwrap_or(1),
            approvers: request.approvers.clone(),
            proof: request.proof,
            decide_in: request.decide_in.clone(),
            advisor: request.advisor.clone(),
            remind_after: span(asked_at, request.remind_at),
            escalate_after: span(asked_at, request.escalate_at),
            escalate_to: request.escalate_to.clone(),
        },
        shadow: request.shadow.clone(),
        ..new_judgement(verdict, request.policy)
    }
}

/// The judgement with that verdict that led to a response without asking people.
pub(super) fn judgement_of_response(response: &ApprovalResponse, verdict: Verdict) -> Judgement {
    Judgement {
        basis: response.basis.unwrap_or(Basis::Default),
        rule: response.rule.clone(),
        reason: response.comment.clone().unwrap_or_default(),
        shadow: response.shadow.clone(),
        ..new_judgement(verdict, response.policy.unwrap_or(Sha256::ZERO))
    }
}

fn new_judgement(verdict: Verdict, policy: Sha256) -> Judgement {
    Judgement {
        verdict,
        basis: Basis::Default,
        rule: None,
        reason: String::new(),
        terms: ApprovalTerms::default(),
        doubt: None,
        relies_on_tool: false,
        shadow: Vec::new(),
        matched: Vec::new(),
        policy,
    }
}
