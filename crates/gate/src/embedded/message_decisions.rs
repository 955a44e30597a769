//! The decisions in messages. The messages are stored first, so that a repeated request decides nothing twice; then each
//! decision is made as if the caller had sent it alone. The report says what each did.

use super::{EmbeddedService, message_history::MessageHistory};
use crate::GateFailure;
use countersign_api::{self as api, ErrorCode, GateError, MessageDecisionOutcome as Outcome};
use countersign_approvals::{Call, CommandCaller, conversation::MessagePlace};
use countersign_events::{CallId, CallState, Decision, ThreadId};
use countersign_messages::{
    FoundDecision, LoggedCall, LoggedCalls, MessageAuthor, MessageContext, ReadConversation,
};
use std::collections::{BTreeSet, HashMap};

/// The reason why a decision in a message is not the caller's own.
pub(super) const FOREIGN: &str =
    "another caller sent this decision before, so it is not yours; decide by the id of the call";
/// The reason why no decision in a message is made.
pub(super) const TOO_LONG: &str =
    "the conversation is too long to compare this decision with it; decide by the id of the call";

/// A request message, where it is stored.
pub(super) struct PlacedMessage {
    pub(super) position: u32,
    pub(super) seq: i64,
    /// Whether this request stored it.
    pub(super) is_new: bool,
}

impl PlacedMessage {
    pub(super) fn new(place: &MessagePlace, receipt: &api::MessageReceipt) -> Self {
        Self { position: place.position, seq: receipt.seq, is_new: place.stored.is_none() }
    }
}

/// Request messages, and what the decisions in them depend on.
pub(super) struct DecidingMessages<'a> {
    pub(super) by: &'a CommandCaller,
    pub(super) thread: &'a ThreadId,
    pub(super) places: &'a [PlacedMessage],
    /// The conversation, with the request's messages at its end.
    pub(super) conversation: ReadConversation,
    pub(super) history: MessageHistory,
    /// The sender that the client names, if it is not the caller.
    pub(super) other_sender: Option<&'a str>,
}

/// A decision that was found, and the call that it is about.
struct ResolvedDecision {
    found: FoundDecision,
    /// The call and the decision on it, or the reason why there is none.
    target: Result<(CallId, api::DecisionRequest), GateError>,
    /// Whether the call was pending when the message was read.
    was_pending: bool,
}

impl DecidingMessages<'_> {
    /// Whether the message was sent before people were asked about the call.
    pub(super) fn is_older(&self, position: u32, asked_at: Option<i64>) -> bool {
        let sent_at = self.place_at(position).map(|place| place.seq);
        asked_at.zip(sent_at).is_some_and(|(asked_at, sent_at)| asked_at > sent_at)
    }

    fn place_at(&self, position: u32) -> Option<&PlacedMessage> {
        self.places.iter().find(|place| place.position == position)
    }

    /// Whether a message may decide this call without being new: the process may have ended before it made the decision.
    fn may_repeat(&self, found: &FoundDecision, pending: &[Call]) -> bool {
        let call =
            found.call.as_ref().ok().and_then(|id| pending.iter().find(|call| call.id().as_str() == id));
        call.is_some_and(|call| !self.is_older(found.position, call.request().map(|request| request.seq)))
    }

    /// Why a decision is not made as the caller's.
    fn refuse_foreign(&self, found: &FoundDecision) -> Option<GateError> {
        let refuse = |why: &str| Some(GateError::new(ErrorCode::NotAnApprover, why));
        let was_sent =
            self.place_at(found.position).is_none_or(|place| self.history.by_others.contains(&place.seq));
        match (self.other_sender, &found.other_author) {
            (Some(sender), _) => refuse(&format!("the sender is {sender:?}, and not {}", self.by.principal)),
            (None, Some(why)) => refuse(why),
            _ if was_sent || found.was_sent_before(&self.history.earlier) => refuse(FOREIGN),
            _ if self.history.is_too_long => Some(GateError::new(ErrorCode::Invalid, TOO_LONG)),
            _ => None,
        }
    }
}

impl EmbeddedService {
    /// Makes the decisions that the sent messages contain. Those of messages that were stored before are made only if their
    /// call was pending then and still is.
    pub(super) async fn decide_by_messages(
        &self,
        source: &DecidingMessages<'_>,
        positions: &BTreeSet<u32>,
    ) -> Result<Vec<api::MessageDecision>, GateFailure> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let pending = self.pending_of_thread(source.thread).await?;
        let offered: Vec<_> = pending.iter().map(|call| call.id().as_str().to_owned()).collect();
        let mut found = source.conversation.decisions(&MessageContext {
            sent_from: source.places.first().map_or(0, |first| first.position),
            positions,
            offered: &offered,
            earlier: &source.history.earlier,
            person: MessageAuthor::of_principal(source.by.principal.as_str()),
        });
        found.retain(|decision| {
            source.place_at(decision.position).is_some_and(|place| place.is_new)
                || source.may_repeat(decision, &pending)
        });
        let mut resolved = Vec::new();
        for decision in found {
            if resolved.len() >= api::MAX_DECISIONS {
                let why = format!("the messages of one request may make {} decisions", api::MAX_DECISIONS);
                let target = Err(GateError::new(ErrorCode::Invalid, why));
                resolved.push(ResolvedDecision { found: decision, target, was_pending: false });
                continue;
            }
            resolved.push(self.resolve_decision(source, decision, &offered).await?);
        }
        Self::refuse_incomplete(&pending, &mut resolved);
        Ok(self.make_decisions(source.by, source.thread, resolved).await)
    }

    async fn make_decisions(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        resolved: Vec<ResolvedDecision>,
    ) -> Vec<api::MessageDecision> {
        let mut report = Vec::new();
        let mut stopped_at = None;
        for decision in resolved {
            let (position, covers_all) = (decision.found.position, decision.found.covers_all);
            let made = if stopped_at == Some(position) {
                let why = "an earlier decision of the same message was refused, and they are made together";
                refused(decision, GateError::new(ErrorCode::Invalid, why))
            } else {
                Box::pin(self.make_decision(by, thread, decision)).await
            };
            if covers_all && made.outcome == Outcome::Refused {
                stopped_at = Some(position);
            }
            report.push(made);
        }
        report
    }

    async fn resolve_decision(
        &self,
        source: &DecidingMessages<'_>,
        found: FoundDecision,
        offered: &[String],
    ) -> Result<ResolvedDecision, GateFailure> {
        let thread = source.thread;
        let invalid = |why: String| GateError::new(ErrorCode::Invalid, why);
        let id = found
            .call
            .clone()
            .and_then(|id| CallId::new(&id).map_err(|why| format!("the id of the call: {why}")));
        let id = match id {
            Ok(id) => id,
            Err(why) => return Ok(ResolvedDecision { found, target: Err(invalid(why)), was_pending: false }),
        };
        let Some(call) = self.store.call(thread, &id).await? else {
            let why = format!("thread {thread} has no call {id}");
            let target = Err(GateError::new(ErrorCode::UnknownCall, why));
            return Ok(ResolvedDecision { found, target, was_pending: false });
        };
        let asked_at = call.request().map(|request| request.seq);
        let logged = self.view_logged(&call);
        let was_pending = logged.is_pending();
        let target = match source.refuse_foreign(&found) {
            Some(why) => Err(why),
            None => match self.refuse_unclear(source, &found, &id, asked_at, offered).await? {
                Some(why) => Err(invalid(why)),
                None => found.fit(&logged).map(|request| (id, request)),
            },
        };
        Ok(ResolvedDecision { found, target, was_pending })
    }

    /// Why it is not clear which call the message decides.
    async fn refuse_unclear(
        &self,
        source: &DecidingMessages<'_>,
        found: &FoundDecision,
        id: &CallId,
        asked_at: Option<i64>,
        offered: &[String],
    ) -> Result<Option<String>, GateFailure> {
        if source.is_older(found.position, asked_at) {
            return Ok(Some(format!("call {id} was asked about after the message was sent")));
        }
        if found.is_by_place() && !found.names_turn && !self.is_only_offer(source.thread, offered).await? {
            let why = "other calls were pending in this number before, and the message does not say which it is about; \
                       decide by the id of the interrupt";
            return Ok(Some(why.to_owned()));
        }
        // A result with this id may belong to a call that only looks like a request.
        let request = found.request_id().filter(|request| *request != id.as_str());
        if let Some(request) = request.and_then(|request| CallId::new(request).ok())
            && self.store.call(source.thread, &request).await?.is_some()
        {
            return Ok(Some(format!(
                "{request} is the id of another call, too; decide by the id of the call"
            )));
        }
        Ok(None)
    }

    /// Refuses the decisions of messages that must cover all pending calls and do not, or if one of the decisions
    /// cannot be made.
    fn refuse_incomplete(pending: &[Call], resolved: &mut [ResolvedDecision]) {
        let positions: BTreeSet<_> = resolved
            .iter()
            .filter(|found| found.found.covers_all)
            .map(|found| found.found.position)
            .collect();
        for position in positions {
            let of_message = || resolved.iter().filter(|decision| decision.found.position == position);
            let answered: BTreeSet<_> = of_message()
                .filter_map(|decision| decision.target.as_ref().ok())
                .map(|(id, _)| id.clone())
                .collect();
            let open: Vec<_> = pending.iter().filter(|call| !answered.contains(call.id())).collect();
            let fault = of_message().find_map(|decision| decision.target.as_ref().err().cloned());
            let why = match (fault, open.as_slice()) {
                (None, []) => continue,
                (Some(fault), _) => format!("one decision of the message cannot be made: {}", fault.detail),
                (None, open) => {
                    let ids: Vec<_> = open.iter().map(|call| call.id().as_str()).collect();
                    format!("the message must decide all pending calls; it leaves out {}", ids.join(", "))
                }
            };
            for decision in resolved.iter_mut().filter(|decision| decision.found.position == position) {
                if decision.target.is_ok() {
                    decision.target = Err(GateError::new(ErrorCode::Invalid, why.clone()));
                }
            }
        }
    }

    async fn make_decision(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        decision: ResolvedDecision,
    ) -> api::MessageDecision {
        let (id, request) = match &decision.target {
            Ok(target) => target.clone(),
            Err(why) => {
                let why = why.clone();
                return refused(decision, why);
            }
        };
        let decided = self.decide(by, thread, &id, &request).await;
        match self.add_origin_of_decision(thread, decided).await {
            Ok(call) => {
                let outcome = match (decision.was_pending, call.state) {
                    (false, _) => Outcome::AlreadyDecided,
                    (true, CallState::Pending) => Outcome::Voted,
                    (true, _) => Outcome::Decided,
                };
                report_decision(&decision.found, Some(id), outcome)
            }
            Err(error) => refused(decision, error),
        }
    }

    /// The first pending calls of a thread.
    pub(super) async fn pending_of_thread(&self, thread: &ThreadId) -> Result<Vec<Call>, GateFailure> {
        let filter = countersign_store::EventFilter {
            thread_id: Some(thread.clone()),
            ..countersign_store::EventFilter::default()
        };
        Ok(self.store.pending(&filter, 0, api::MAX_PAGE).await?.items)
    }

    /// The thread's calls with these ids.
    pub(super) async fn logged_calls(
        &self,
        thread: &ThreadId,
        ids: BTreeSet<String>,
    ) -> Result<LoggedCalls, GateFailure> {
        let mut calls = HashMap::new();
        for id in ids {
            let Ok(call_id) = CallId::new(&id) else { continue };
            if let Some(call) = self.store.call(thread, &call_id).await? {
                calls.insert(id, self.view_logged(&call));
            }
        }
        Ok(calls)
    }

    pub(super) fn view_logged(&self, call: &Call) -> LoggedCall {
        let proposed = &call.proposal.what;
        LoggedCall {
            call: self.view(call),
            proposed: proposed.arguments.clone(),
            proposed_hash: proposed.arguments_hash,
        }
    }
}

fn refused(decision: ResolvedDecision, why: GateError) -> api::MessageDecision {
    let id = decision.target.ok().map(|(id, _)| id);
    let id = id.or_else(|| decision.found.call.as_ref().ok().and_then(|id| CallId::new(id).ok()));
    let refused = report_decision(&decision.found, id, Outcome::Refused);
    api::MessageDecision { code: Some(why.code), detail: Some(why.detail), ..refused }
}

fn report_decision(found: &FoundDecision, id: Option<CallId>, outcome: Outcome) -> api::MessageDecision {
    let decision: Option<Decision> = found.verdict.as_ref().ok().map(|verdict| verdict.request.decision);
    api::MessageDecision { position: found.position, id, decision, outcome, code: None, detail: None }
}
