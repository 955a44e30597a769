//! Reconstructs a proposal from its row and from the answer that follows it.

use super::{command_guess::CommandGuess, evidence, log_row::LogRow};
use crate::{
    CommandEvidence, GrantScope, Thread,
    batch::thread_state::ThreadState,
    decide::{DefinitionIdentity, HashedArguments, ProposalReview, ProposeCommand},
    thread::Grant,
};
use countersign_events::{
    ApprovalRequest, ApprovalResponse, Body, CallId, Decision, Json, Sha256, Source, ToolCall,
    ToolDefinition, Verdict,
};
use countersign_policy::{ApprovalTerms, JudgedCall, Judgement, Policy, QualifiedPeople};
use countersign_redaction::RedactedJson;
use std::time::Duration;

/// The call that the row proposes.
pub(super) const fn proposed_call(row: &LogRow) -> Option<&CallId> {
    match &row.body {
        Body::ToolCall(call) => Some(&call.id),
        _ => None,
    }
}

/// The proposals that could have caused the rows; the row at `offset` is the call. The row before it ends another call,
/// whose approval moves.
pub(super) fn guesses(rows: &[LogRow], offset: usize, state: &ThreadState) -> Vec<CommandGuess> {
    let Some(row) = rows.get(offset) else { return Vec::new() };
    let Body::ToolCall(call) = &row.body else { return Vec::new() };
    let next = rows.get(offset + 1).map(|next| &next.body);
    let changed = match next {
        Some(Body::ApprovalRequest(request)) => request.changed_definition,
        _ => None,
    };
    let changed = changed.map(|changed| changed.definition_hash);
    let proposal = RecordedProposal { row, call, thread: &state.thread, changed };
    match next {
        Some(Body::ApprovalResponse(response)) if response.tool_call_id == call.id => {
            proposal.answered(response)
        }
        Some(Body::ApprovalRequest(request)) if request.tool_call_id == call.id => {
            let judgement = evidence::judgement_of_request(request, row.event.timestamp);
            proposal.asked(request, judgement, None).into_iter().collect()
        }
        _ => proposal.unanswered(),
    }
}

/// The proposal as the policy of its time judges it. `None` if the log does not hold everything that the policy saw, or if
/// not the policy but the thread or an earlier decision answered.
pub(super) fn judged_by_policy(
    rows: &[LogRow],
    state: &ThreadState,
    policy: &Policy,
) -> Option<CommandGuess> {
    let row = rows.first()?;
    let Body::ToolCall(call) = &row.body else { return None };
    let next = rows.get(1).map(|next| &next.body).filter(|next| next.call_id() == Some(&call.id))?;
    let (judged_by, changed) = match next {
        Body::ApprovalRequest(request) => (request.policy, request.changed_definition),
        Body::ApprovalResponse(response) if response.source == Source::Policy => (response.policy?, None),
        _ => return None,
    };
    if judged_by != policy.hash() || !is_recorded_whole(call) {
        return None;
    }
    let mut judgement = policy.judge(&subject_of(row, call), &|| false);
    // Another version may explain the same verdict in other words.
    if let Body::ApprovalRequest(request) = next {
        judgement.reason.clone_from(&request.reason);
    }
    let changed = changed.map(|changed| changed.definition_hash);
    let proposal = RecordedProposal { row, call, thread: &state.thread, changed };
    match next {
        Body::ApprovalRequest(request) => {
            // The proposer may have shortened the time that the rule gives.
            let expires_in = evidence::span(row.event.timestamp, request.expires_at);
            proposal.asked(request, judgement, expires_in)
        }
        Body::ApprovalResponse(response) => {
            let lapses = evidence::span(row.event.timestamp, response.lapses_at);
            let judged_by =
                evidence::recorded_policy(response.policy, lapses, true, QualifiedPeople::None, None);
            proposal.guess(judgement, judged_by, proposal.thread_for_answer(response), None)
        }
        _ => None,
    }
}

/// Returns true if nothing in the proposal was masked or erased.
fn is_recorded_whole(call: &ToolCall) -> bool {
    let definition_hash = ToolDefinition::hash(call.definition.as_ref(), call.annotations.as_ref());
    call.redacted.is_empty()
        && call.erased.is_empty()
        && call.definition_hash == definition_hash
        && call.place.as_ref().is_none_or(|place| place.digest.is_none())
}

fn subject_of<'a>(row: &'a LogRow, call: &'a ToolCall) -> JudgedCall<'a> {
    JudgedCall {
        thread: &row.event.thread_id,
        principal: &row.event.principal,
        tool: &call.name,
        place: call.place.as_ref(),
        arguments: &call.arguments,
        redacted: &call.redacted,
        annotations: call.annotations.as_ref(),
        impact: call.impact.as_ref(),
        definition: call.definition.as_ref(),
    }
}

struct RecordedProposal<'a> {
    row: &'a LogRow,
    call: &'a ToolCall,
    thread: &'a Thread,
    /// The definition hash that, according to the request, no person has accepted.
    changed: Option<Sha256>,
}

impl RecordedProposal<'_> {
    /// People are asked. Nothing that is certain in the log may answer instead of them.
    fn asked(
        &self,
        request: &ApprovalRequest,
        judgement: Judgement,
        expires_in: Option<Duration>,
    ) -> Option<CommandGuess> {
        let has_same_call = request.same_call.is_some();
        let withdraw_after = request.withdraw_after_seconds.map(Duration::from_secs);
        let policy =
            evidence::recorded_policy(Some(request.policy), None, has_same_call, QualifiedPeople::None, None)
                .with_withdraw_after(withdraw_after);
        let uncertain = self.uncertain_grants();
        let mut thread = thread_without(self.thread, |seq| uncertain.contains(&seq));
        let same = request.same_call.as_ref().map(|same| &same.id);
        thread.recent.retain(|recent| recent.holder() == same);
        for recent in &mut thread.recent {
            recent.arguments = recent.arguments.with_erased_as_same(self.call);
        }
        self.guess(judgement, policy, thread, expires_in).map(|mut guess| {
            if let CommandEvidence::Proposal(review) = guess.evidence {
                let suggested = request.suggested_scopes.clone();
                // Earlier versions offered to remember the answer to a question.
                let is_question = !request.options.contains(&Decision::AllowSession);
                let review = ProposalReview { suggested, is_question, ..review };
                guess.evidence = CommandEvidence::Proposal(review);
            }
            guess
        })
    }

    /// The policy, the thread or an earlier decision answers. The verdict and the terms on which the policy would have
    /// asked are not in the log, so each is possible.
    fn answered(&self, response: &ApprovalResponse) -> Vec<CommandGuess> {
        let lapses = evidence::span(self.row.event.timestamp, response.lapses_at);
        let policy = evidence::recorded_policy(response.policy, lapses, true, QualifiedPeople::None, None);
        let thread = self.thread_for_answer(response);
        let verdicts = if response.decision.allows() {
            [Verdict::Allow, Verdict::Ask]
        } else {
            [Verdict::Block, Verdict::Ask]
        };
        let terms = self.possible_terms(response.grant);
        let judgements = verdicts.into_iter().flat_map(|verdict| {
            terms.iter().map(move |terms| Judgement {
                terms: terms.clone(),
                ..evidence::judgement_of_response(response, verdict)
            })
        });
        judgements
            .filter_map(|judgement| self.guess(judgement, policy.clone(), thread.clone(), None))
            .collect()
    }

    /// No answer follows. Any answer serves to show what is missing.
    fn unanswered(&self) -> Vec<CommandGuess> {
        let judgement = evidence::allowing_judgement(None);
        let policy = evidence::recorded_policy(None, None, false, QualifiedPeople::None, None);
        self.guess(judgement, policy, self.thread.clone(), None).into_iter().collect()
    }

    fn guess(
        &self,
        judgement: Judgement,
        policy: Policy,
        mut thread: Thread,
        expires_in: Option<Duration>,
    ) -> Option<CommandGuess> {
        let ToolCall { id, name, place, annotations, impact, description, definition, replaces, .. } =
            self.call.clone();
        let arguments = self.arguments()?;
        let pointers = self.call.redacted.clone();
        let evidence = CommandEvidence::Proposal(ProposalReview {
            judged: evidence::judged(arguments.hash(), judgement),
            // The row has them masked as they were then.
            logged: Some(RedactedJson { json: self.call.arguments.clone(), pointers }),
            suggested: Vec::new(),
            is_question: false,
            effects: self.call.effects.clone(),
        });
        self.compare_definitions_as_recorded(&mut thread);
        let identity = self.identity().unwrap_or(DefinitionIdentity::Unknown);
        let command = ProposeCommand {
            identity,
            id,
            name,
            arguments,
            annotations,
            impact,
            description,
            place: place.map(Box::new),
            definition,
            expires_in,
            replaces,
            // The policy of an answer does not say so, and then it does not matter.
            withdraw_when_gone: policy.withdraw_after().is_some(),
        };
        let guess = CommandGuess::proposal(command, self.row, policy);
        Some(CommandGuess { evidence, thread: Some(thread), ..guess })
    }

    /// The hash that identifies the definition. Of a masked one it is the recorded hash, which covers `needsApproval` too:
    /// then only the request says which one it was.
    fn identity(&self) -> Option<DefinitionIdentity> {
        let definition = self.call.definition.as_ref()?;
        let annotations = self.call.annotations.as_ref();
        let identity = definition.identity(annotations)?;
        let is_masked = ToolDefinition::hash(Some(definition), annotations) != self.call.definition_hash;
        let recorded = match (is_masked, definition.needs_approval) {
            (true, None) => self.call.definition_hash,
            (true, Some(_)) => self.changed,
            (false, _) => Some(identity),
        };
        recorded.map(DefinitionIdentity::Recorded)
    }

    /// The hash of masked and of erased arguments is the one in the log. The hash of others is computed.
    fn arguments(&self) -> Option<HashedArguments> {
        let json: Json = self.call.arguments.clone();
        if self.call.redacted.is_empty() && self.call.erased.is_empty() {
            HashedArguments::stored(json).ok()
        } else {
            Some(HashedArguments::recorded(json, self.call.arguments_hash))
        }
    }

    /// The log may have a definition masked, whose hash then differs from the recorded one.
    fn compare_definitions_as_recorded(&self, thread: &mut Thread) {
        let recorded = self.call.definition_hash;
        let computed = ToolDefinition::hash(self.call.definition.as_ref(), self.call.annotations.as_ref());
        let grants = thread.grants.iter_mut().map(|grant| &mut grant.given);
        let recent = thread.recent.iter_mut().map(|recent| &mut recent.given);
        for given in grants.chain(recent) {
            if given.definition_hash == recorded {
                given.definition_hash = computed;
            }
        }
    }

    /// The grants and denials of which the log does not say if they answer the call: those for a pattern, which only the policy
    /// that was active then could match, and those for other words, which an earlier version may have compared.
    fn uncertain_grants(&self) -> Vec<i64> {
        let is_uncertain = |grant: &&Grant| match grant.scope {
            Some(GrantScope::Pattern(_)) => true,
            Some(GrantScope::Exact) => grant.arguments.hash != self.call.arguments_hash,
            _ => false,
        };
        self.thread.grants.iter().filter(is_uncertain).map(|grant| grant.seq).collect()
    }

    /// The thread with the decision that answered, and without those that the then active policy may have ruled out.
    fn thread_for_answer(&self, response: &ApprovalResponse) -> Thread {
        let mut dropped = self.uncertain_grants();
        dropped.extend(self.thread.grants.iter().filter(|grant| grant.allows).map(|grant| grant.seq));
        let first_recent = response.grant.unwrap_or(i64::MAX);
        dropped.extend(self.thread.recent.iter().map(|recent| recent.seq).filter(|seq| *seq < first_recent));
        let mut thread =
            thread_without(self.thread, |seq| Some(seq) != response.grant && dropped.contains(&seq));
        let exact = thread.grants.iter_mut().filter(|grant| grant.scope == Some(GrantScope::Exact));
        let origins = exact.map(|grant| (grant.seq, &mut grant.arguments));
        let recent = thread.recent.iter_mut().map(|recent| (recent.seq, &mut recent.arguments));
        for (_, arguments) in origins.chain(recent).filter(|(seq, _)| Some(*seq) == response.grant) {
            *arguments = arguments.with_erased_as_same(self.call);
        }
        thread
    }

    /// The terms on which the policy may have asked: any that the recorded decision covers.
    fn possible_terms(&self, grant: Option<i64>) -> Vec<ApprovalTerms> {
        let given =
            self.thread.grants.iter().find(|found| Some(found.seq) == grant).map(|found| &found.given);
        let recent =
            self.thread.recent.iter().find(|found| Some(found.seq) == grant).map(|found| &found.given);
        let strictest = given.or(recent).map(|given| ApprovalTerms {
            level: given.level.clone(),
            quorum: given.quorum,
            approvers: given.approvers.clone(),
            ..ApprovalTerms::default()
        });
        // Terms that no setting of the thread and no grant covers.
        let impossible = ApprovalTerms { quorum: u32::MAX, ..ApprovalTerms::default() };
        [Some(ApprovalTerms::default()), strictest, Some(impossible)].into_iter().flatten().collect()
    }
}

/// The thread as a command saw it, without the decisions that the command could not have used.
fn thread_without(thread: &Thread, is_dropped: impl Fn(i64) -> bool) -> Thread {
    let mut thread = thread.clone();
    thread.grants.retain(|grant| !is_dropped(grant.seq));
    thread.recent.retain(|recent| !is_dropped(recent.seq));
    thread
}
