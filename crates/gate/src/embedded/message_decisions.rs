//! The decisions in messages. The messages are stored first, so that a repeated request decides nothing twice; then each
//! decision is made as if the caller had sent it alone. The report says what each did.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api::{self as api, ErrorCode, GateError, MessageDecisionOutcome as Outcome};
use countersign_approvals::{Call, CommandCaller};
use countersign_events::{CallId, CallState, ThreadId, event::Decision};
use countersign_messages::{FoundDecision, ReadConversation, SpokenDecision};
use std::collections::{BTreeSet, HashMap};

/// The reason why a decision in a message is not the caller's own.
const FOREIGN: &str =
    "another caller sent this message before, so it is not your decision; decide by the id of the call";

/// The most pending calls that a report lists.
const MOST_LISTED: usize = 100;

/// A message of a request, where it is stored.
pub(super) struct PlacedMessage {
    pub(super) position: u32,
    /// True if this request stored it.
    pub(super) is_new: bool,
    /// The `seq` of a message of the conversation with the same content, which was sent before.
    pub(super) earlier: Option<i64>,
}

/// A decision that was found, and the call that it is about.
struct ResolvedDecision {
    found: FoundDecision,
    /// The call and the decision on it, or the reason why there is none.
    target: Result<(CallId, api::DecisionRequest), GateError>,
    /// True if the call was pending when the message was read.
    was_pending: bool,
}

impl EmbeddedService {
    /// Makes the decisions that the sent messages contain. Those of messages that were stored before are made only if their
    /// call is still pending: the process may have ended before it made them.
    pub(super) async fn decide_by_messages(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        sent: ReadConversation,
        places: &[PlacedMessage],
    ) -> Result<Vec<api::MessageDecision>, GateFailure> {
        let deciding = sent.deciding_positions();
        if deciding.is_empty() {
            return Ok(Vec::new());
        }
        let deciding: Vec<_> = places.iter().filter(|place| deciding.contains(&place.position)).collect();
        let foreign = self.sent_before_by_others(by, &deciding).await?;
        let new: BTreeSet<_> =
            deciding.iter().filter(|place| place.is_new).map(|place| place.position).collect();
        let pending = self.pending_of_thread(thread).await?;
        let is_pending = |id: &str| pending.iter().any(|call| call.id().as_str() == id);
        let mut found = self.find_decisions(thread, sent, &deciding, places).await?;
        found.retain(|decision| {
            new.contains(&decision.position) || decision.call.as_ref().is_ok_and(|id| is_pending(id))
        });
        let mut resolved = Vec::new();
        for decision in found {
            if resolved.len() >= api::MAX_DECISIONS {
                let why = format!("the messages of one request may make {} decisions", api::MAX_DECISIONS);
                let target = Err(GateError::new(ErrorCode::Invalid, why));
                resolved.push(ResolvedDecision { found: decision, target, was_pending: false });
                continue;
            }
            let is_foreign = foreign.contains(&decision.position);
            resolved.push(self.resolve_decision(thread, decision, is_foreign).await?);
        }
        Self::refuse_incomplete(&pending, &mut resolved);
        Ok(self.make_decisions(by, thread, resolved).await)
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

    /// The places of messages that another caller sent before. A client that sends a history again repeats the messages of
    /// the agent, and must not make the decisions in them its own.
    async fn sent_before_by_others(
        &self,
        by: &CommandCaller,
        deciding: &[&PlacedMessage],
    ) -> Result<BTreeSet<u32>, GateFailure> {
        let mut senders = HashMap::new();
        let mut rest: BTreeSet<_> = deciding.iter().filter_map(|place| place.earlier).collect();
        while !rest.is_empty() {
            let seqs: Vec<_> = rest.iter().copied().collect();
            let events = self.store.messages(&seqs).await?;
            let Some(last) = events.last().map(|event| event.seq) else { break };
            senders.extend(events.into_iter().map(|event| (event.seq, event.principal)));
            rest.retain(|seq| *seq > last);
        }
        let by_other = |seq: i64| senders.get(&seq).is_none_or(|sender| *sender != by.principal);
        let foreign = deciding.iter().filter(|place| place.earlier.is_some_and(by_other));
        Ok(foreign.map(|place| place.position).collect())
    }

    /// Finds the decisions, with the help of the stored conversation where the messages do not name their calls. The
    /// decisions themselves are read as they were sent, without masks.
    async fn find_decisions(
        &self,
        thread: &ThreadId,
        sent: ReadConversation,
        deciding: &[&PlacedMessage],
        places: &[PlacedMessage],
    ) -> Result<Vec<FoundDecision>, GateFailure> {
        let starts_later = places.first().is_some_and(|first| first.position > 0);
        let conversation = if starts_later && sent.needs_earlier_messages() {
            sent.after(self.read_conversation(thread).await?.0)
        } else {
            sent
        };
        let ids = conversation.calls_before_decisions();
        let calls = self.logged_calls(thread, ids).await?;
        let positions: BTreeSet<_> = deciding.iter().map(|place| place.position).collect();
        let is_asked = |id: &str| calls.get(id).is_some_and(|call| call.request.is_some());
        Ok(conversation.decisions(|position| positions.contains(&position), is_asked))
    }

    async fn resolve_decision(
        &self,
        thread: &ThreadId,
        found: FoundDecision,
        is_foreign: bool,
    ) -> Result<ResolvedDecision, GateFailure> {
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
        let call = self.view(&call);
        let target = if is_foreign {
            Err(GateError::new(ErrorCode::NotAnApprover, FOREIGN))
        } else {
            found.fit(&call).map(|request| (id, request)).map_err(invalid)
        };
        Ok(ResolvedDecision { found, target, was_pending: call.is_pending() })
    }

    /// Refuses the decisions of messages that must cover all pending calls, and do not, or of which one cannot be made.
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
        match self.decide(by, thread, &id, &request).await {
            Ok(call) => {
                let outcome = match (decision.was_pending, call.state) {
                    (false, _) => Outcome::AlreadyDecided,
                    (true, CallState::Pending) => Outcome::Voted,
                    (true, _) => Outcome::Decided,
                };
                report_decision(&decision.found, Some(id), outcome)
            }
            Err(failure) => {
                let error = self.with_origin_of_decision(thread, failure).await;
                refused(decision, error)
            }
        }
    }

    /// Makes a decision in words, if exactly one pending call fits. Otherwise it decides nothing, and the second value lists
    /// the pending calls.
    pub(super) async fn decide_by_words(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        (position, spoken): (u32, SpokenDecision),
    ) -> Result<(api::MessageDecision, Vec<api::PendingCallName>), GateFailure> {
        let pending = self.pending_of_thread(thread).await?;
        let names =
            |call: &Call| spoken.tool.as_ref().is_none_or(|tool| tool == call.proposal.what.name.as_str());
        let fitting: Vec<_> = pending.iter().filter(|call| names(call)).collect();
        let made = api::MessageDecision {
            position,
            id: None,
            decision: Some(spoken.decision),
            outcome: Outcome::Refused,
            code: Some(ErrorCode::Invalid),
            detail: None,
        };
        let [call] = fitting.as_slice() else {
            let detail = match fitting.len() {
                0 => "no pending call fits these words",
                _ => "several pending calls fit these words; decide each by its id",
            };
            let listed = pending.iter().take(MOST_LISTED);
            let left = listed.map(|call| api::PendingCallName {
                id: call.id().clone(),
                name: call.proposal.what.name.clone(),
            });
            return Ok((api::MessageDecision { detail: Some(detail.to_owned()), ..made }, left.collect()));
        };
        let plain = match spoken.decision {
            Decision::AllowSession => {
                api::DecisionRequest::for_session(countersign_events::Json::string("tool"))
            }
            decision => api::DecisionRequest::plain(decision),
        };
        // Only for the arguments that the call has now.
        let request = api::DecisionRequest { arguments_hash: Some(call.arguments_hash()), ..plain };
        let made = api::MessageDecision { id: Some(call.id().clone()), ..made };
        Ok(match self.decide(by, thread, call.id(), &request).await {
            Ok(decided) => {
                let outcome = if decided.is_pending() { Outcome::Voted } else { Outcome::Decided };
                (api::MessageDecision { outcome, code: None, ..made }, Vec::new())
            }
            Err(failure) => {
                let error = self.with_origin_of_decision(thread, failure).await;
                let refused =
                    api::MessageDecision { code: Some(error.code), detail: Some(error.detail), ..made };
                (refused, Vec::new())
            }
        })
    }

    /// The first pending calls of a thread.
    pub(super) async fn pending_of_thread(&self, thread: &ThreadId) -> Result<Vec<Call>, GateFailure> {
        let filter = countersign_store::EventFilter {
            thread_id: Some(thread.clone()),
            ..countersign_store::EventFilter::default()
        };
        Ok(self.store.pending(&filter, 0, api::MAX_PAGE).await?.items)
    }

    /// The calls of a thread with these ids.
    pub(super) async fn logged_calls(
        &self,
        thread: &ThreadId,
        ids: BTreeSet<String>,
    ) -> Result<HashMap<String, api::Call>, GateFailure> {
        let mut calls = HashMap::new();
        for id in ids {
            let Ok(call_id) = CallId::new(&id) else { continue };
            if let Some(call) = self.store.call(thread, &call_id).await? {
                calls.insert(id, self.view(&call));
            }
        }
        Ok(calls)
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
