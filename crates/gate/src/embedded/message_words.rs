//! Decisions in words, such as `approve_once bash`, which must fit exactly one pending call.

use super::{
    EmbeddedService,
    message_decisions::{DecidingMessages, FOREIGN, TOO_LONG},
};
use crate::GateFailure;
use countersign_api::{self as api, ErrorCode, GateError, MessageDecisionOutcome as Outcome};
use countersign_approvals::Call;
use countersign_events::event::Decision;
use countersign_messages::{LastWords, SpokenDecision};

/// The most pending calls that a report lists.
const MOST_LISTED: usize = 100;

impl DecidingMessages<'_> {
    /// Checks that words are a decision of the caller, and that the call was pending when they were said.
    fn check_words(
        &self,
        (position, words): (u32, &SpokenDecision),
        call: &Call,
        other_author: Option<String>,
    ) -> Result<(), GateError> {
        let named = self
            .other_sender
            .map(|sender| format!("the sender is {sender:?}, and not {}", self.by.principal));
        let foreign = || self.history.earlier.has_spoken(words).then(|| FOREIGN.to_owned());
        if let Some(why) = named.or(other_author).or_else(foreign) {
            return Err(GateError::new(ErrorCode::NotAnApprover, why));
        }
        if self.history.is_too_long {
            return Err(GateError::new(ErrorCode::Invalid, TOO_LONG));
        }
        if self.is_older(position, call.request().map(|request| request.seq)) {
            let why = format!("call {} was asked about after the message was sent", call.id());
            return Err(GateError::new(ErrorCode::Invalid, why));
        }
        Ok(())
    }
}

impl EmbeddedService {
    /// Makes a decision in words, if exactly one pending call fits. Otherwise it decides nothing, and the second value lists
    /// the pending calls.
    pub(super) async fn decide_by_words(
        &self,
        source: &DecidingMessages<'_>,
        words: LastWords,
    ) -> Result<(api::MessageDecision, Vec<api::PendingCallName>), GateFailure> {
        let (by, thread) = (source.by, source.thread);
        let LastWords { position, decision: spoken, other_author } = words;
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
        let made = api::MessageDecision { id: Some(call.id().clone()), ..made };
        if let Err(why) = source
            .check_words((position, &spoken), call, other_author)
            .and_then(|()| source.conversation.check_shown(&self.view_logged(call)))
        {
            return Ok((
                api::MessageDecision { code: Some(why.code), detail: Some(why.detail), ..made },
                Vec::new(),
            ));
        }
        // Only for the arguments that the call has now.
        let request = api::DecisionRequest { arguments_hash: Some(call.arguments_hash()), ..plain };
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
}
