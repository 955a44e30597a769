//! Applies events to the inbox. No event moves the call that the person reads.

use crate::{
    inbox::{
        message::{
            DecisionFailure, DecisionSummary, InboxAction, InboxCallKey, InboxEvent, SentDecision, call_key,
        },
        state::{InboxMode, InboxState, ListedCall, StatusTone},
    },
    log_access::summarize_decision,
};
use countersign_api as api;
use countersign_console::{
    describe_decision, describe_missing_votes, describe_votes, escape_text, warn_of_absence,
};
use countersign_events::{Decision, Timestamp};
use std::collections::HashSet;

impl InboxState {
    /// Applies an event, and returns the actions that follow.
    pub(crate) fn apply_event(&mut self, news: InboxEvent, now: Timestamp) -> Vec<InboxAction> {
        match news {
            InboxEvent::Loaded(calls) => {
                let again = self.lost.take().is_some();
                let first = !std::mem::replace(&mut self.loaded, true);
                let named: HashSet<_> = calls.iter().map(call_key).collect();
                self.keep_pending(&named);
                let new = self.add(calls, now);
                self.forget_decided_except(&named);
                if again {
                    self.set_status(StatusTone::Good, "Connected again. The list is up to date.");
                }
                if new > 0 && !first { vec![InboxAction::Ring] } else { Vec::new() }
            }
            InboxEvent::Arrived(calls) => {
                let new = self.add(calls, now);
                if new > 0 { vec![InboxAction::Ring] } else { Vec::new() }
            }
            InboxEvent::Decided(call, verdict) => {
                self.decided(&call, &verdict);
                Vec::new()
            }
            InboxEvent::Ended(call, outcome) => {
                self.recent.finish(&call, outcome);
                self.last_allowed.take_if(|allowed| *allowed == call);
                Vec::new()
            }
            InboxEvent::Changed(call, aloud) => self.changed(*call, aloud, now),
            InboxEvent::Seen(call) => {
                self.note_presence(&call);
                Vec::new()
            }
            InboxEvent::Edited(call, written) => {
                self.edited(&call, written, now);
                Vec::new()
            }
            InboxEvent::Answered(sent, answer) => {
                self.answered(&sent, answer, now);
                Vec::new()
            }
            InboxEvent::TakenBack(call, answer) => {
                self.note_take_back(&call, answer);
                Vec::new()
            }
            InboxEvent::Previewed(call, previews) => {
                if self.calls.iter().any(|waiting| call_key(&waiting.call) == call) {
                    self.notes_of(&call).previews = Some(previews);
                }
                Vec::new()
            }
            InboxEvent::Lost(why) => {
                self.lost = Some(why);
                Vec::new()
            }
            InboxEvent::Notice(text) => {
                self.set_status(StatusTone::Good, text);
                Vec::new()
            }
        }
    }

    /// Adds the calls that are not listed yet, the oldest request first.
    fn add(&mut self, calls: Vec<api::Call>, now: Timestamp) -> usize {
        let known: HashSet<_> = self.calls.iter().map(|waiting| call_key(&waiting.call)).collect();
        let before = self.calls.len();
        let was_empty = self.shown.is_none();
        let new = calls
            .into_iter()
            .filter(|call| !known.contains(&call_key(call)) && !self.is_over(&call_key(call)));
        let new: Vec<_> = new.map(|call| ListedCall { call, gone: None }).collect();
        self.calls.extend(new);
        self.sort_by(self.order);
        if was_empty {
            self.show_any_call();
            // A key pressed now was meant for an empty screen.
            if self.shown.is_some() {
                self.guard.start(now);
            }
        }
        self.calls.len() - before
    }

    /// Marks listed calls that are no longer pending. A later event says how they were decided.
    fn keep_pending(&mut self, waiting: &HashSet<InboxCallKey>) {
        let gone: Vec<_> = self
            .calls
            .iter()
            .map(|one| call_key(&one.call))
            .filter(|known| !waiting.contains(known))
            .collect();
        for call in gone {
            self.mark_gone(&call, "decided meanwhile");
        }
    }

    fn decided(&mut self, call: &InboxCallKey, verdict: &DecisionSummary) {
        // The answer to this decision says the same and more.
        if self.sending.as_ref().is_some_and(|sent| sent.key == *call) {
            return;
        }
        self.recent.correct(call, &verdict.text);
        // The policy decides most calls, and those were never listed.
        if self.calls.iter().any(|waiting| call_key(&waiting.call) == *call) {
            self.mark_over(call);
            self.mark_gone(call, &verdict.text);
        }
    }

    /// Returns true if the person types or chooses something for the shown call.
    fn is_typing(&self) -> bool {
        matches!(
            self.mode,
            InboxMode::WritingDenial(..)
                | InboxMode::WritingComment(_)
                | InboxMode::Answering(_)
                | InboxMode::ChoosingScope(_)
        )
    }

    /// Removes a decided call from the list. The shown call stays, marked as decided.
    fn mark_gone(&mut self, call: &InboxCallKey, how: &str) {
        if let Some(known) = self.calls.iter().find(|known| call_key(&known.call) == *call) {
            self.recent.record(&known.call, how);
        }
        if self.shown.as_ref() != Some(call) {
            self.keep_calls(|waiting| call_key(&waiting.call) != *call);
            return;
        }
        let found = self.calls.iter_mut().find(|waiting| call_key(&waiting.call) == *call);
        if let Some(waiting) = found {
            waiting.gone = Some(how.to_owned());
        }
        if self.is_typing() {
            self.mode = InboxMode::Interrupted;
        }
    }

    fn answered(
        &mut self,
        sent: &SentDecision,
        answer: Result<Box<api::Call>, DecisionFailure>,
        now: Timestamp,
    ) {
        self.sending = None;
        match answer {
            Ok(call) if call.is_pending() => self.voted(sent, *call, now),
            Ok(call) => {
                let first = call.response.as_ref().filter(|first| first.principal != self.me);
                let (tone, text) = match first {
                    Some(first) => {
                        let (id, who) = (Self::call_name(sent), escape_text(first.principal.as_str()));
                        (StatusTone::Calm, format!("{id} was already decided in the same way by {who}."))
                    }
                    None => (StatusTone::Good, self.count_decision(sent, &call)),
                };
                let (tone, text) = match warn_of_absence(&call, now) {
                    Some(warning) => (StatusTone::Bad, format!("{text} {warning}")),
                    None => (tone, text),
                };
                self.set_status(tone, text);
                if self.is_typing() {
                    self.mark_over(&sent.key);
                    self.mark_gone(&sent.key, "decided by you");
                } else {
                    self.drop_call(&sent.key, now);
                }
                if let Some(response) = &call.response {
                    let verdict = summarize_decision(response.decision, response.source, &response.principal);
                    self.recent.record(&call, &verdict.text);
                }
            }
            Err(DecisionFailure { why, gone: Some(verdict) }) => {
                self.set_status(StatusTone::Bad, why);
                self.mark_over(&sent.key);
                self.mark_gone(&sent.key, &verdict.text);
            }
            Err(DecisionFailure { why, gone: None }) => {
                // Keep the comment, so that the person need not type it again.
                if let Some(comment) = &sent.comment {
                    let denied = sent.decision == Decision::Deny;
                    let notes = self.notes_of(&sent.key);
                    comment.clone_into(if denied { &mut notes.denial } else { &mut notes.comment });
                }
                self.set_status(StatusTone::Bad, why);
            }
        }
    }

    /// Handles a vote that does not decide the call: it stays pending, and the next call is shown.
    fn voted(&mut self, sent: &SentDecision, call: api::Call, now: Timestamp) {
        let id = Self::call_name(sent);
        let votes = |call: &api::Call| call.request.as_ref().map_or(0, |request| request.votes.len());
        let before = self.calls.iter().find(|waiting| call_key(&waiting.call) == sent.key);
        let again = before.is_some_and(|waiting| {
            let mine = |vote: &api::ApprovalVote| vote.counts && vote.principal == self.me;
            let request = waiting.call.request.as_ref();
            votes(&waiting.call) == votes(&call)
                && request.is_some_and(|request| request.votes.iter().any(mine))
        });
        let text = call.request.as_ref().map_or_else(String::new, |request| {
            let votes_text = describe_votes(request);
            if again {
                return format!("Nothing changed: you already voted on {id}. {votes_text}.");
            }
            format!(
                "Voted on {id}: {votes_text}. {}.",
                describe_missing_votes(request, sent.decision.allows())
            )
        });
        self.notes_of(&sent.key).edited = None;
        self.changed(call, false, now);
        if !self.is_typing() && self.shown.as_ref() == Some(&sent.key) {
            self.step(1);
            self.guard.start(now);
        }
        self.set_status(StatusTone::Good, text);
    }

    /// Counts the decision, and describes it.
    fn count_decision(&mut self, sent: &SentDecision, call: &api::Call) -> String {
        let (id, tool) = (escape_text(call.id.as_str()), escape_text(call.name.as_str()));
        let also = call.also_decided.len();
        if sent.decision == Decision::Deny {
            self.denied += 1 + also;
        } else {
            self.allowed += 1 + also;
            self.last_allowed = Some(sent.key.clone());
        }
        let text = match (&call.response, sent.decision) {
            (Some(response), _) if response.scope.is_some() || !response.changes.is_empty() => {
                describe_decision(call, response)
            }
            (_, Decision::Deny) => format!("Denied {id} ({tool})."),
            (_, Decision::AllowSession) => {
                let thread = escape_text(call.thread_id.as_str());
                format!("Allowed {id}, and later calls of {tool} in thread {thread}.")
            }
            _ => format!("Allowed {id} ({tool}) once."),
        };
        match also {
            0 => text,
            1 => format!("{text} 1 call that waited was decided too."),
            more => format!("{text} {more} calls that waited were decided too."),
        }
    }
}
