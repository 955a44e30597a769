//! The decisions that other callers sent. A client that sends a history again repeats what an agent wrote, with or without
//! changes of its own, and must not make it the decision of its user. So decisions are compared, not messages.

use crate::{
    SpokenDecision,
    answer::{AnswerTarget, ApprovalAnswer},
    formats::read_neutral,
    neutral::PartContent,
    request_names::REQUEST_PREFIX,
    spoken::read_spoken,
};
use countersign_events::{Decision, Json, MessageFormat, json::JsonTree};
use std::collections::{BTreeMap, BTreeSet};

/// The decisions in the messages that other callers have ever sent to a thread, also in those that later ones replaced.
#[derive(Debug, Clone, Default)]
pub struct EarlierDecisions {
    /// The ids of calls and requests, with the answers.
    named: BTreeSet<(String, SentAnswer)>,
    /// The answers by place.
    by_place: BTreeSet<SentAnswer>,
    /// The answers in messages with masks.
    masked: BTreeSet<SentAnswer>,
    spoken: BTreeSet<String>,
    /// The calls behind the requests that SDKs made.
    requests: BTreeMap<String, BTreeSet<String>>,
}

/// An answer, as far as a repetition has the same. Whatever allows is the same; a denial with other words is another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SentAnswer {
    Allows,
    Denies(Option<String>),
}

impl SentAnswer {
    pub(crate) fn new(decision: Decision, comment: Option<&str>) -> Self {
        if decision.allows() { Self::Allows } else { Self::Denies(comment.map(str::to_owned)) }
    }
}

impl EarlierDecisions {
    /// Notes the requests in a message of any caller.
    pub fn add_requests(&mut self, format: MessageFormat, content: &Json) {
        for part in read_parts(format, content) {
            if let PartContent::Request { id, call: Some(call) } = part {
                self.requests.entry(id).or_default().insert(call);
            }
        }
    }

    /// The calls behind the requests that ever had this id.
    pub(crate) fn calls_of_request(&self, id: &str) -> impl Iterator<Item = &str> {
        self.requests.get(id).into_iter().flatten().map(String::as_str)
    }

    /// Adds a message of another caller. Masks may hide ids, so a decision beside one may be about any call.
    pub fn add(&mut self, format: MessageFormat, content: &Json, is_masked: bool) {
        for part in read_parts(format, content) {
            let PartContent::Answer(answer) = part else { continue };
            for sent in answers_of(&answer) {
                match &answer.target {
                    _ if is_masked => {
                        self.masked.insert(sent);
                    }
                    AnswerTarget::Call(id) | AnswerTarget::Request(id) => {
                        let call = id.strip_prefix(REQUEST_PREFIX).unwrap_or(id).to_owned();
                        self.named.extend([(id.clone(), sent.clone()), (call, sent)]);
                    }
                    AnswerTarget::Place { .. } => {
                        self.by_place.insert(sent);
                    }
                }
            }
        }
        let read = JsonTree::parse(content).and_then(|tree| read_neutral(format, &tree).ok());
        self.spoken.extend(read.as_ref().and_then(read_spoken).map(|spoken| spoken.words));
    }

    /// Whether another caller has sent this answer about the request or the call with these ids, or one by place.
    pub(crate) fn has(&self, answer: &SentAnswer, [request, call]: [&str; 2], is_by_place: bool) -> bool {
        let of_sdk =
            self.requests.iter().filter(|(_, calls)| calls.contains(call)).map(|(id, _)| id.as_str());
        self.masked.contains(answer)
            || (is_by_place && self.by_place.contains(answer))
            || [request, call]
                .into_iter()
                .chain(of_sdk)
                .any(|id| self.named.contains(&(id.to_owned(), answer.clone())))
    }

    /// Returns true if another caller has sent the same words. Words name no call, so they may be about any.
    #[must_use]
    pub fn has_spoken(&self, words: &SpokenDecision) -> bool {
        self.spoken.contains(&words.words)
    }
}

fn read_parts(format: MessageFormat, content: &Json) -> Vec<PartContent> {
    let read = JsonTree::parse(content).and_then(|tree| read_neutral(format, &tree).ok());
    read.map(|read| read.parts.into_iter().map(|part| part.content).collect()).unwrap_or_default()
}

/// What a decision may be: one that cannot be read may allow or deny.
fn answers_of(answer: &ApprovalAnswer) -> Vec<SentAnswer> {
    match &answer.verdict {
        Ok(verdict) => vec![SentAnswer::new(verdict.decision, verdict.comment.as_deref())],
        Err(_) => vec![SentAnswer::Allows, SentAnswer::Denies(None)],
    }
}
