//! The decisions in messages: which calls they are about, and what they decide.

use crate::{
    answer::{AnswerTarget, AnswerVerdict, ApprovalAnswer},
    client_tool::REQUEST_PREFIX,
    json_tree::JsonTree,
    neutral::{NeutralMessage, PartContent},
    view::ReadConversation,
};
use countersign_api::{Call, DecisionRequest};
use countersign_events::{EventType, Json, event::Decision};
use std::collections::{BTreeSet, HashMap};

/// A decision in a message.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundDecision {
    /// The place of the message.
    pub position: u32,
    /// The id of the call, or the reason why the message does not say which it is.
    pub call: Result<String, String>,
    /// The decision, or the reason why it cannot be read.
    pub verdict: Result<FoundVerdict, String>,
    /// The arguments that the message shows with the decision.
    pub shown: Option<Json>,
    /// True if the decisions of the message must cover all pending calls, and are refused together.
    pub covers_all: bool,
}

/// What a message decides.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundVerdict {
    /// The request.
    pub request: DecisionRequest,
    /// The name of the tool, where a person could change it. It must be that of the call.
    pub name: Option<String>,
    /// True if the values of the arguments may be texts, because the client edits texts.
    pub has_texts: bool,
}

impl ReadConversation {
    /// The places of the messages that have decisions.
    #[must_use]
    pub fn deciding_positions(&self) -> BTreeSet<u32> {
        let deciding = self.messages.iter().filter(|(_, message)| message.answers().next().is_some());
        deciding.map(|(position, _)| *position).collect()
    }

    /// True if only the conversation before the messages says which calls their decisions are about.
    #[must_use]
    pub fn needs_earlier_messages(&self) -> bool {
        let needs = |answer: &ApprovalAnswer| match &answer.target {
            AnswerTarget::Request(id) => !id.starts_with(REQUEST_PREFIX),
            AnswerTarget::Place { .. } => true,
            AnswerTarget::Call(_) => false,
        };
        self.messages.iter().flat_map(|(_, message)| message.answers()).any(needs)
    }

    /// The calls of the last turn of the agent before each decision that is about a place in it.
    #[must_use]
    pub fn calls_before_decisions(&self) -> BTreeSet<String> {
        let has_place = |message: &NeutralMessage| {
            message.answers().any(|answer| matches!(answer.target, AnswerTarget::Place { .. }))
        };
        let mut earlier = EarlierCalls::default();
        let mut found = BTreeSet::new();
        for (_, message) in &self.messages {
            if has_place(message) {
                found.extend(earlier.last_turn.iter().map(|id| (*id).to_owned()));
            }
            earlier.add(message);
        }
        found
    }

    /// The decisions in the messages that `is_sent` selects by their places. `is_asked` says whether people were asked for a
    /// call.
    #[must_use]
    pub fn decisions(
        &self,
        is_sent: impl Fn(u32) -> bool,
        is_asked: impl Fn(&str) -> bool,
    ) -> Vec<FoundDecision> {
        let mut found = Vec::new();
        let mut earlier = EarlierCalls::default();
        for (position, message) in &self.messages {
            earlier.add_requests(message);
            if is_sent(*position) && message.answers().next().is_some() {
                let asked: Vec<_> = earlier.last_turn.iter().copied().filter(|id| is_asked(id)).collect();
                found.extend(message.answers().map(|answer| FoundDecision {
                    position: *position,
                    call: earlier.find_call(&answer.target, &asked),
                    verdict: answer.verdict.clone().map(into_request),
                    shown: answer.shown.as_ref().map(JsonTree::to_json),
                    covers_all: answer.covers_all,
                }));
            }
            earlier.add(message);
        }
        found
    }
}

/// The calls of the messages so far, as decisions refer to them.
#[derive(Default)]
struct EarlierCalls<'a> {
    /// The call of each request, by the id of the request. The first one counts, so that no later message can change it.
    requests: HashMap<&'a str, &'a str>,
    /// The calls of the last turn of the agent that has any.
    last_turn: Vec<&'a str>,
    /// True while the turn goes on.
    is_open: bool,
}

impl<'a> EarlierCalls<'a> {
    fn add_requests(&mut self, message: &'a NeutralMessage) {
        for part in &message.parts {
            if let PartContent::Request { id, call: Some(call) } = &part.content {
                self.requests.entry(id).or_insert(call);
            }
        }
    }

    fn add(&mut self, message: &'a NeutralMessage) {
        if message.kind != EventType::AgentMessage {
            self.is_open = false;
            return;
        }
        let mut calls = message.calls().map(|call| call.id.as_str()).peekable();
        if calls.peek().is_some() {
            if !self.is_open {
                self.last_turn.clear();
            }
            self.is_open = true;
            self.last_turn.extend(calls);
        }
    }

    fn find_call(&self, target: &AnswerTarget, asked: &[&str]) -> Result<String, String> {
        match target {
            AnswerTarget::Call(id) => Ok(id.clone()),
            // Only the log makes ids with this begin, and they name the call.
            AnswerTarget::Request(id) if id.starts_with(REQUEST_PREFIX) => {
                Ok(id.strip_prefix(REQUEST_PREFIX).unwrap_or(id).to_owned())
            }
            AnswerTarget::Request(id) => {
                Ok(self.requests.get(id.as_str()).map_or_else(|| id.clone(), |call| (*call).to_owned()))
            }
            AnswerTarget::Place { index, count } => match asked.get(*index) {
                Some(id) if asked.len() == *count => Ok((*id).to_owned()),
                _ => Err(format!(
                    "there are {count} decisions, and the last turn of the agent has {} calls for which people were \
                     asked; send one decision for each, in their order",
                    asked.len()
                )),
            },
        }
    }
}

fn into_request(verdict: AnswerVerdict) -> FoundVerdict {
    let AnswerVerdict { decision, comment, edited } = verdict;
    let plain = match decision {
        Decision::AllowSession => DecisionRequest::for_session(Json::string("tool")),
        decision => DecisionRequest::plain(decision),
    };
    let has_texts = edited.as_ref().is_some_and(|edited| edited.has_texts);
    let (name, arguments) = edited.map(|edited| (edited.name, edited.arguments.to_json())).unzip();
    FoundVerdict { request: DecisionRequest { comment, arguments, ..plain }, name: name.flatten(), has_texts }
}

impl FoundDecision {
    /// Compares the decision with the call that it is about. The error says why it does not fit.
    ///
    /// # Errors
    /// If the message has another name or other arguments than the call.
    pub fn fit(&self, call: &Call) -> Result<DecisionRequest, String> {
        let verdict = self.verdict.as_ref().map_err(Clone::clone)?;
        let mut request = verdict.request.clone();
        if let Some(name) = verdict.name.as_ref().filter(|name| *name != call.name.as_str()) {
            return Err(format!(
                "the decision changes the tool from {} to {name}; only arguments can be changed",
                call.name
            ));
        }
        if verdict.has_texts {
            request.arguments = request.arguments.map(|edited| restore_types(&edited, &call.arguments));
        }
        // Arguments that are those of the call are no change.
        let same = |one: &Json| one.canonical_hash().ok() == call.arguments.canonical_hash().ok();
        if request.arguments.as_ref().is_some_and(same) {
            request.arguments = None;
        }
        if let Some(shown) = &self.shown {
            // The log may have masks where the client has the secrets, or the other way round.
            let hash = if same(shown) {
                call.arguments_hash
            } else {
                shown.admit().map_err(|why| why.to_string())?
            };
            request.arguments_hash = Some(hash);
        }
        Ok(request)
    }
}

/// Reads the texts of edited arguments as JSON, where the proposed value is not a text.
fn restore_types(edited: &Json, proposed: &Json) -> Json {
    let (Some(JsonTree::Object(members)), Some(proposed)) =
        (JsonTree::parse(edited), JsonTree::parse(proposed))
    else {
        return edited.clone();
    };
    let restore = |(name, value): (String, JsonTree)| {
        let was_text = proposed.text_of(&name).is_some();
        let read = value.as_text().filter(|_| !was_text).and_then(JsonTree::parse_text);
        (name, read.unwrap_or(value))
    };
    JsonTree::Object(members.into_iter().map(restore).collect()).to_json()
}
