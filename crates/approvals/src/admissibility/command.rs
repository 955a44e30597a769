//! Reconstructs the commands that could have caused a row.

use super::{
    advisors::advice_guess,
    command_guess::{CommandGuess, GuessedCommand, plain_policy, to_call},
    evidence,
    log_row::LogRow,
    mismatch, proposal,
    thread_guess::without_patterns,
};
use crate::{
    Call, CallCommand, CallStanding, CommandEvidence, GrantScope, ThreadCommand,
    batch::thread_state::ThreadState,
    call::voters,
    decide::{
        self, ClaimCommand, EditReview, FinishCommand, HashedArguments, RenewCommand, RespondCommand,
        argument_changes,
    },
};
use countersign_events::{
    ApprovalResponse, ApprovalVote, Body, Decision, DecisionChannel, DecisionProof, ErasedTexts,
    ExecutionReleased, ExecutionRenewed, ExecutionStarted, GrantAgents, GrantLimits, Json, Principal, Sha256,
    Source, Status, ToolResult, Verdict,
};
use countersign_policy::{AdvisorSettings, Policy, QualifiedPeople};

/// The commands that could have caused the first row. `policy` and `advisors` are the active ones.
pub(super) fn guesses(
    rows: &[LogRow],
    state: &ThreadState,
    policy: Option<Sha256>,
    advisors: &[AdvisorSettings],
) -> Vec<CommandGuess> {
    let row = &rows[0];
    let call = row.body.call_id().and_then(|id| state.call(id));
    let plain = |command| vec![to_call(row, command, plain_policy())];
    if row.is_by_hand() {
        return guesses_by_hand(row, call, state);
    }
    match &row.body {
        Body::ToolCall(_) => proposal::guesses(rows, 0, state),
        Body::ApprovalVote(vote) => self::vote(rows, vote, call, state),
        Body::ApprovalReminder(_) | Body::ApprovalEscalated(_) => due(row, plain_policy()),
        Body::ApprovalResponse(response) => self::response(row, response, call, state),
        Body::ApprovalAdvice(advice) => vec![advice_guess(rows, advice, advisors)],
        Body::CallFlagged(flagged) => plain(CallCommand::Flag { comment: flagged.comment.clone() }),
        Body::ApprovalTakenBack(taken) => plain(CallCommand::TakeBack { comment: taken.comment.clone() }),
        Body::ExecutionStarted(started) => claim(row, started, call, state, policy),
        Body::ExecutionTakenOver(taken) => claim(row, &taken.started, call, state, policy),
        Body::ExecutionRenewed(renewed) => plain(renewal(row, renewed)),
        Body::ExecutionReleased(released) => vec![release(row, released)],
        Body::ToolResult(result) => self::result(rows, result, call, state),
        Body::ExecutionMismatch(mismatch) => vec![mismatch::guess(rows, mismatch, call)],
        Body::GrantRevoked(_)
        | Body::GrantEnded(_)
        | Body::GrantProlonged(_)
        | Body::ThreadModeSet(_)
        | Body::ToolPolicySet(_)
        | Body::ThreadClosed(_)
        | Body::ThreadArchived(_) => of_thread(row).into_iter().collect(),
        // A request follows its call, and a use its answer. Erasures, messages and what concerns the whole log are checked separately.
        Body::ApprovalRequest(_)
        | Body::GrantUsed(_)
        | Body::PolicySet(_)
        | Body::CallErased(_)
        | Body::TokenCreated(_)
        | Body::TokenUsed(_)
        | Body::TokenRevoked(_)
        | Body::ApproverKeyAdded(_)
        | Body::ApproverKeyRemoved(_)
        | Body::PushDeviceSet(_)
        | Body::PushDeviceRemoved(_)
        | Body::ChatAccountLinked(_)
        | Body::ChatAccountUnlinked(_)
        | Body::DelegationSet(_)
        | Body::DelegationEnded(_)
        | Body::WebhookAdded(_)
        | Body::WebhookRemoved(_)
        | Body::WebhookDelivered(_)
        | Body::WebhookParked(_)
        | Body::WebhookRetried(_)
        | Body::WebhookSecretSet(_)
        | Body::DefinitionSeen(_)
        | Body::DefinitionChanged(_)
        | Body::DefinitionAccepted(_)
        | Body::AdvisorReported(_)
        | Body::AdvisorModeSet(_)
        | Body::Message(..)
        | Body::Newer(_) => Vec::new(),
    }
}

fn renewal(row: &LogRow, renewed: &ExecutionRenewed) -> CallCommand {
    let lease = evidence::span(row.event.timestamp, Some(renewed.lease_expires_at));
    CallCommand::Renew(RenewCommand { executor: renewed.executor.clone(), lease })
}

fn release(row: &LogRow, released: &ExecutionReleased) -> CommandGuess {
    let command = CallCommand::Release { comment: released.comment.clone() };
    to_call(row, command, generous_policy(None, row, None))
}

/// The commands that could have caused a row without a hash: only the decision of a person is written by hand.
fn guesses_by_hand(row: &LogRow, call: Option<&Call>, state: &ThreadState) -> Vec<CommandGuess> {
    match &row.body {
        Body::ApprovalResponse(response) if response.source == Source::Approver => {
            respond(row, response, call, state)
        }
        _ => Vec::new(),
    }
}

/// The command to a thread that could have caused the row.
fn of_thread(row: &LogRow) -> Option<CommandGuess> {
    let command = match &row.body {
        Body::GrantRevoked(revoked) => ThreadCommand::Revoke(revoked.grant),
        Body::GrantEnded(ended) => ThreadCommand::EndGrant(ended.grant),
        Body::GrantProlonged(prolonged) => {
            let limits = GrantLimits::recorded(row.event.timestamp, prolonged.expires_at, prolonged.uses);
            ThreadCommand::Prolong(prolonged.grant, limits)
        }
        Body::ThreadModeSet(set) => ThreadCommand::SetMode(set.mode),
        Body::ToolPolicySet(set) => ThreadCommand::SetPolicies(vec![(set.tool.clone(), set.policy)]),
        Body::ThreadClosed(_) => ThreadCommand::Close,
        Body::ThreadArchived(archived) => ThreadCommand::Archive(archived.clone()),
        _ => return None,
    };
    Some(CommandGuess::new(GuessedCommand::Thread(command), row, generous_policy(None, row, None)))
}

/// A policy under which each approver has the level and the groups that the request asks for.
fn generous_policy(response: Option<&ApprovalResponse>, row: &LogRow, lowest: Option<String>) -> Policy {
    let lapses = response.and_then(|response| evidence::span(row.event.timestamp, response.lapses_at));
    let hash = response.and_then(|response| response.policy);
    evidence::recorded_policy(hash, lapses, false, QualifiedPeople::Everyone, lowest)
}

fn due(row: &LogRow, policy: Policy) -> Vec<CommandGuess> {
    vec![CommandGuess { due_first: false, ..to_call(row, CallCommand::Due, policy) }]
}

/// The commands that could have ended a request. The log records neither another policy's verdict nor the calls that a
/// pattern matched, so each is possible.
fn expiry(
    row: &LogRow,
    response: &ApprovalResponse,
    call: Option<&Call>,
    state: &ThreadState,
) -> Vec<CommandGuess> {
    let hash = call.map_or(response.arguments_hash, Call::arguments_hash);
    let lapses = evidence::judgement_evidence(hash, evidence::lapsing_judgement(response.policy));
    let threads = [Some(None), without_patterns(&state.thread).map(Some)].into_iter().flatten();
    let possible = threads.flat_map(|thread| {
        [CommandEvidence::NotNeeded, lapses.clone()].map(|evidence| (thread.clone(), evidence))
    });
    let policy = generous_policy(Some(response), row, None);
    possible
        .flat_map(|(thread, evidence)| {
            let with =
                move |guess| CommandGuess { thread: thread.clone(), evidence: evidence.clone(), ..guess };
            due(row, policy.clone()).into_iter().map(with)
        })
        .collect()
}

/// A pending call that a newer policy blocks or allows.
fn answered_by_policy(row: &LogRow, response: &ApprovalResponse, call: Option<&Call>) -> Vec<CommandGuess> {
    let hash = call.map_or(response.arguments_hash, Call::arguments_hash);
    let verdict = if response.decision.allows() { Verdict::Allow } else { Verdict::Block };
    let judgement = evidence::judgement_of_response(response, verdict);
    let evidence = evidence::judgement_evidence(hash, judgement);
    let guesses = due(row, generous_policy(Some(response), row, None)).into_iter();
    guesses.map(|guess| CommandGuess { evidence: evidence.clone(), ..guess }).collect()
}

fn response(
    row: &LogRow,
    response: &ApprovalResponse,
    call: Option<&Call>,
    state: &ThreadState,
) -> Vec<CommandGuess> {
    let policy = generous_policy(Some(response), row, None);
    match response.source {
        Source::Approver => respond(row, response, call, state),
        Source::Expiry => expiry(row, response, call, state),
        Source::Cancellation if let Some(last_seen) = response.proposer_last_seen_at => {
            vec![to_call(row, CallCommand::Withdraw { last_seen }, policy)]
        }
        Source::Cancellation => {
            let command = CallCommand::Cancel { reason: response.comment.clone() };
            // Closing a thread cancels its pending calls at once.
            vec![CommandGuess { due_first: false, ..to_call(row, command, policy) }]
        }
        Source::Policy if call.is_some_and(Call::is_pending) => answered_by_policy(row, response, call),
        // The policy, a grant and the mode answer a proposal in the same step. A grant's answer to a waiting call has
        // its own guess. An advisor's answer follows its advice in the same step.
        Source::Policy | Source::Grant | Source::Mode | Source::Advisor | Source::Other => Vec::new(),
    }
}

/// A human decision, without a vote before it.
fn respond(
    row: &LogRow,
    response: &ApprovalResponse,
    call: Option<&Call>,
    state: &ThreadState,
) -> Vec<CommandGuess> {
    let policy = if row.is_by_hand() { plain_policy() } else { generous_policy(Some(response), row, None) };
    let answer = ReconstructedAnswer {
        decision: response.decision,
        comment: response.comment.as_ref(),
        arguments: response.arguments.as_ref(),
        erased_hash: response.erased.contains_key("arguments").then_some(response.arguments_hash),
        scope: response.scope.as_ref(),
        agents: response.agents,
        limits: GrantLimits::recorded(row.event.timestamp, response.expires_at, response.uses),
        on_behalf_of: response.on_behalf_of.as_ref(),
        level: response.level.as_ref(),
        proof: response.proof.as_ref(),
        channel: response.channel,
        erased: &response.erased,
    };
    answer.guesses(row, call, state, &policy, response.policy)
}

/// A vote, and the decision that it completes if one follows. After an escalation, earlier votes count only if their
/// approvers have the new level, which the log does not record: both are possible.
fn vote(rows: &[LogRow], vote: &ApprovalVote, call: Option<&Call>, state: &ThreadState) -> Vec<CommandGuess> {
    let row = &rows[0];
    let completed = rows.get(1).and_then(|next| match &next.body {
        Body::ApprovalResponse(response) if response.tool_call_id == vote.tool_call_id => Some(response),
        _ => None,
    });
    let lowest = completed.and_then(|response| response.level.clone());
    let hash = completed.and_then(|response| response.policy);
    let lapses = completed.and_then(|response| evidence::span(row.event.timestamp, response.lapses_at));
    let answer = ReconstructedAnswer {
        decision: vote.decision,
        comment: vote.comment.as_ref(),
        arguments: vote.arguments.as_ref(),
        erased_hash: vote.arguments_hash.filter(|_| vote.erased.contains_key("arguments")),
        scope: vote.scope.as_ref(),
        agents: vote.agents,
        limits: GrantLimits { seconds: vote.expires_in_seconds, uses: vote.uses },
        on_behalf_of: vote.on_behalf_of.as_ref(),
        level: vote.level.as_ref(),
        proof: vote.proof.as_ref(),
        channel: None,
        erased: &vote.erased,
    };
    let voters = voters(&row.event.principal, vote.on_behalf_of.as_ref()).cloned().collect();
    [QualifiedPeople::Everyone, QualifiedPeople::Only(voters)]
        .into_iter()
        .flat_map(|qualified| {
            let policy = evidence::recorded_policy(hash, lapses, false, qualified, lowest.clone());
            answer.guesses(row, call, state, &policy, hash)
        })
        .collect()
}

/// The answer fields that a vote and a response have in common.
struct ReconstructedAnswer<'a> {
    decision: Decision,
    comment: Option<&'a String>,
    arguments: Option<&'a Json>,
    /// The hash of edited arguments that were erased.
    erased_hash: Option<Sha256>,
    scope: Option<&'a Json>,
    agents: Option<GrantAgents>,
    limits: GrantLimits,
    on_behalf_of: Option<&'a Principal>,
    level: Option<&'a String>,
    proof: Option<&'a DecisionProof>,
    channel: Option<DecisionChannel>,
    erased: &'a ErasedTexts,
}

impl ReconstructedAnswer<'_> {
    fn guesses(
        &self,
        row: &LogRow,
        call: Option<&Call>,
        state: &ThreadState,
        policy: &Policy,
        policy_hash: Option<Sha256>,
    ) -> Vec<CommandGuess> {
        let arguments = self.arguments.map(|json| match self.erased_hash {
            Some(hash) => Ok(HashedArguments::recorded(json.clone(), hash)),
            None => HashedArguments::stored(json.clone()),
        });
        let arguments = arguments.transpose();
        let scope = self.scope.map(GrantScope::read).transpose();
        let (Ok(arguments), Ok(scope)) = (arguments, scope) else { return Vec::new() };
        // A decision through the view `decisions` names no scope, and means the whole tool.
        let is_unscoped = self.decision == Decision::AllowSession && row.is_by_hand();
        let scope = scope.or_else(|| is_unscoped.then_some(GrantScope::Tool));
        let review = arguments.as_ref().zip(call).map(|(arguments, call)| EditReview {
            judged: evidence::judged(arguments.hash(), evidence::allowing_judgement(policy_hash)),
            schema_error: None,
            changes: argument_changes(call, arguments),
        });
        // A stop denies all pending calls at once, and reads no clock for each.
        let is_stop = self.decision == Decision::Deny && scope.is_none() && !row.is_by_hand();
        let command = CallCommand::Respond(RespondCommand {
            decision: self.decision,
            comment: self.comment.cloned(),
            arguments,
            about: call.map(Call::arguments_hash),
            scope,
            agents: self.agents,
            limits: self.limits,
            on_behalf_of: self.on_behalf_of.cloned(),
            level: self.level.cloned(),
            and_waiting: false,
            proof: self.proof.cloned().map(Box::new),
            channel: self.channel,
            erased: self.erased.clone(),
        });
        let evidence = match review {
            Some(review) => vec![CommandEvidence::Edit(review)],
            None => possible_judgements(call, policy_hash),
        };
        let with = |evidence| CommandGuess {
            evidence,
            due_first: !is_stop,
            thread: without_patterns(&state.thread),
            ..to_call(row, command.clone(), policy.clone())
        };
        evidence.into_iter().map(with).collect()
    }
}

/// The judgements of another policy than the one that opened the request. The log does not record its terms: it may
/// have asked for as many votes as there are now, for more, or for fewer denials.
fn possible_judgements(call: Option<&Call>, policy: Option<Sha256>) -> Vec<CommandEvidence> {
    let policy = policy.unwrap_or(Sha256::ZERO);
    let Some(call) = call.filter(|call| decide::answer_needs_judgement(call, policy)) else {
        return vec![CommandEvidence::NotNeeded];
    };
    let votes = u32::try_from(call.course.counting().count()).unwrap_or(u32::MAX).saturating_add(1);
    let terms =
        [1, votes, u32::MAX].into_iter().flat_map(|quorum| [u32::MAX, 1].map(|denials| (quorum, denials)));
    terms
        .map(|(quorum, denials)| {
            let judgement = evidence::asking_judgement(policy, quorum, denials);
            evidence::judgement_evidence(call.arguments_hash(), judgement)
        })
        .collect()
}

fn claim(
    row: &LogRow,
    started: &ExecutionStarted,
    call: Option<&Call>,
    state: &ThreadState,
    in_force: Option<Sha256>,
) -> Vec<CommandGuess> {
    let command = CallCommand::Claim(ClaimCommand {
        executor: started.executor.clone(),
        arguments_hash: started.arguments_hash,
        lease: evidence::span(row.event.timestamp, started.lease_expires_at),
        arguments: None,
        definition_hash: None,
    });
    let approved = call.map_or(started.arguments_hash, Call::arguments_hash);
    // What an advisor allowed depends on the active policy.
    let is_advised = call.and_then(Call::response).is_some_and(|given| given.what.source == Source::Advisor);
    let hash = in_force.filter(|_| is_advised);
    let evidence = evidence::judgement_evidence(approved, evidence::allowing_judgement(hash));
    let thread = without_patterns(&state.thread);
    let policy = evidence::recorded_policy(hash, None, false, QualifiedPeople::None, None);
    vec![CommandGuess { evidence, thread, ..to_call(row, command, policy) }]
}

fn result(
    rows: &[LogRow],
    result: &ToolResult,
    call: Option<&Call>,
    state: &ThreadState,
) -> Vec<CommandGuess> {
    let row = &rows[0];
    let standing = call.map(|call| &call.standing);
    if matches!(standing, Some(CallStanding::Allowed { .. })) && result.status == Status::Cancelled {
        let command = CallCommand::Cancel { reason: cancel_reason(row, result) };
        let mut guesses = vec![to_call(row, command, plain_policy())];
        guesses.extend(due(row, plain_policy()));
        if matches!(rows.get(1).map(|next| &next.body), Some(Body::ToolCall(_))) {
            guesses.extend(proposal::guesses(rows, 1, state));
        }
        return guesses;
    }
    let executor = call.and_then(Call::claim).map(|claim| claim.what.executor.clone());
    let finish =
        FinishCommand { status: result.status, content: result.content.clone(), executor, ran: None };
    vec![to_call(row, CallCommand::Finish(finish), plain_policy())]
}

/// The reason in the result of a cancelled call.
fn cancel_reason(row: &LogRow, result: &ToolResult) -> Option<String> {
    let text: String = result.content.read().ok()?;
    let prefix = format!("Cancelled by {}: ", row.event.principal);
    text.strip_prefix(&prefix).map(str::to_owned)
}
