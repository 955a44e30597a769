//! Decisions in words, such as `approve_once bash`, which must fit exactly one pending call.

use super::{
    EmbeddedService,
    message_decisions::{DecidingMessages, FOREIGN, TOO_LONG},
};
use crate::GateFailure;
use countersign_api::{self as api, ErrorCode, GateError, MessageDecisionOutcome as Outcome};
use countersign_approvals::Call;
use countersign_events::Decision;
use countersign_messages::{LastWords, SpokenDecision, name_in_words};

/// The most pending calls that a report lists.
const MOST_LISTED: usize = 100;

impl DecidingMessages<'_> {
    /// Checks that the words are the caller's decision, and that the call was pending when they were said.
    fn check_words(
        &self,
        position: u32,
        words: &SpokenDecision,
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

/// Returns true if the words may mean this call: they name no other tool, id or agent.
fn is_named(call: &Call, spoken: &SpokenDecision) -> bool {
    let agent = call.proposal.by.as_str();
    let agent = agent.split_once(':').map_or(agent, |(_, name)| name);
    spoken.tool.as_ref().is_none_or(|tool| tool == call.proposal.what.name.as_str())
        && spoken.call.as_ref().is_none_or(|id| id == call.id().as_str())
        && spoken.agent.as_ref().is_none_or(|named| named.eq_ignore_ascii_case(agent))
}

impl EmbeddedService {
    /// How words can mean one of several calls.
    fn describe_choice(&self, fitting: &[&Call]) -> String {
        let views: Vec<_> = fitting.iter().map(|call| self.view(call)).collect();
        let why = "several pending calls fit these words";
        match views.first().and_then(|first| name_in_words(first, &views)) {
            Some(name) => format!("{why}; name one of them, as in \"approve_once {name}\""),
            None => format!("{why}; decide each by its id"),
        }
    }

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
        let fitting: Vec<_> = pending.iter().filter(|call| is_named(call, &spoken)).collect();
        let made = api::MessageDecision {
            position,
            id: None,
            decision: Some(spoken.decision),
            outcome: Outcome::Refused,
            code: Some(ErrorCode::Invalid),
            detail: None,
        };
        let [call] = fitting.as_slice() else {
            let detail = match fitting.first() {
                None => "no pending call fits these words".to_owned(),
                Some(_) => self.describe_choice(&fitting),
            };
            let listed = pending.iter().take(MOST_LISTED);
            let left = listed.map(|call| api::PendingCallName {
                id: call.id().clone(),
                name: call.proposal.what.name.clone(),
            });
            return Ok((api::MessageDecision { detail: Some(detail), ..made }, left.collect()));
        };
        let plain = match spoken.decision {
            Decision::AllowSession => {
                api::DecisionRequest::for_session(countersign_events::Json::string("tool"))
            }
            decision => api::DecisionRequest::plain(decision),
        };
        let made = api::MessageDecision { id: Some(call.id().clone()), ..made };
        if let Err(why) = source
            .check_words(position, &spoken, call, other_author)
            .and_then(|()| source.conversation.check_shown(&self.view_logged(call)))
        {
            return Ok((
                api::MessageDecision { code: Some(why.code), detail: Some(why.detail), ..made },
                Vec::new(),
            ));
        }
        // Only for the arguments that the call has now.
        let request = api::DecisionRequest { arguments_hash: Some(call.arguments_hash()), ..plain };
        let decided = self.decide(by, thread, call.id(), &request).await;
        Ok(match self.add_origin_of_decision(thread, decided).await {
            Ok(decided) => {
                let outcome = if decided.is_pending() { Outcome::Voted } else { Outcome::Decided };
                (api::MessageDecision { outcome, code: None, ..made }, Vec::new())
            }
            Err(error) => {
                let refused =
                    api::MessageDecision { code: Some(error.code), detail: Some(error.detail), ..made };
                (refused, Vec::new())
            }
        })
    }
}
