//! The decisions in messages: which calls they are about, what they decide, and what is shown of the calls until then.

use crate::{
    EarlierDecisions, LoggedCall, MessageAuthor, ReadConversation,
    answer::{AnswerTarget, AnswerVerdict},
    author::other_author,
    earlier_decisions::SentAnswer,
    neutral::{NeutralMessage, PartContent},
    request_names::{REQUEST_PREFIX, is_request_id},
    shown_call::{CallDifference, ShownCall, find_shown},
};
use countersign_api::{DecisionRequest, ErrorCode, GateError};
use countersign_events::{Decision, EventType, Json, json::JsonTree};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A decision in a message.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundDecision {
    /// The message's place.
    pub position: u32,
    /// The call id, or why the message does not say which call it is.
    pub call: Result<String, String>,
    /// The decision, or the reason why it cannot be read.
    pub verdict: Result<FoundVerdict, String>,
    /// Why it is not a sender decision: the message names another author.
    pub other_author: Option<String>,
    /// Whether the message's decisions must cover all pending calls, and are refused together.
    pub covers_all: bool,
    /// True for a decision by place whose calls the agent's turn in the same request lists.
    pub names_turn: bool,
    target: AnswerTarget,
    /// What the message, and the conversation until then, shows of the call.
    shown: Vec<ShownCall>,
}

/// What a message decides.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundVerdict {
    /// The request.
    pub request: DecisionRequest,
    /// The tool's name, where a person could change it. It must be that of the call.
    pub name: Option<String>,
    /// Whether argument values may be strings, because the client edits strings.
    pub has_texts: bool,
}

/// The messages in a request, and what the decisions in them may be about.
#[derive(Debug, Clone, Copy)]
pub struct MessageContext<'a> {
    /// The position of the request's first message. Those before it are stored.
    pub sent_from: u32,
    /// The positions of the messages whose decisions are wanted.
    pub positions: &'a BTreeSet<u32>,
    /// The pending calls of the thread, in the order of their requests: what the client view offers.
    pub offered: &'a [String],
    /// What was ever sent to the thread.
    pub earlier: &'a EarlierDecisions,
    /// The person who sends the messages.
    pub person: MessageAuthor<'a>,
}

impl ReadConversation {
    /// The positions of the messages that have decisions.
    #[must_use]
    pub fn deciding_positions(&self) -> BTreeSet<u32> {
        let deciding = self.messages.iter().filter(|(_, message)| message.answers().next().is_some());
        deciding.map(|(position, _)| *position).collect()
    }

    /// The decisions in the messages at the wanted places.
    #[must_use]
    pub fn decisions(&self, context: &MessageContext<'_>) -> Vec<FoundDecision> {
        let mut found = Vec::new();
        let mut earlier = EarlierMessages::default();
        for (position, message) in &self.messages {
            earlier.add_requests(message);
            if context.positions.contains(position) {
                let original = message.original.as_ref().map(|(_, original)| original);
                let other_author = original.and_then(|original| other_author(original, context.person));
                found.extend(message.answers().map(|answer| FoundDecision {
                    position: *position,
                    call: earlier.find_call(&answer.target, context),
                    verdict: answer.verdict.clone().map(into_request),
                    other_author: other_author.clone(),
                    covers_all: answer.covers_all,
                    names_turn: earlier.sent_turn == context.offered,
                    target: answer.target.clone(),
                    shown: vec![answer.shown.clone()],
                }));
            }
            earlier.add(message, *position >= context.sent_from);
        }
        self.add_shown(&mut found);
        found
    }

    /// Compares what the conversation shows of a call with the log.
    ///
    /// # Errors
    /// If a message shows it with another tool or with other arguments.
    pub fn check_shown(&self, logged: &LoggedCall) -> Result<(), GateError> {
        let shown = self.shown_calls(&HashSet::from([logged.id.as_str()]));
        let difference = shown.values().flatten().find_map(|(_, shown)| shown.difference(logged));
        difference.map_or(Ok(()), |difference| Err(refuse_difference(logged, &difference)))
    }

    /// Adds to each decision what the messages until then show of its call.
    fn add_shown(&self, found: &mut [FoundDecision]) {
        let ids: HashSet<String> = found.iter().filter_map(|decision| decision.call.clone().ok()).collect();
        let shown = self.shown_calls(&ids.iter().map(String::as_str).collect());
        for decision in found {
            let of_call = decision.call.as_ref().ok().and_then(|id| shown.get(id)).into_iter().flatten();
            let until = of_call.filter(|(position, _)| *position <= decision.position);
            decision.shown.extend(until.map(|(_, call)| call.clone()));
        }
    }

    /// What each message shows of the calls with these ids.
    fn shown_calls(&self, known: &HashSet<&str>) -> BTreeMap<String, Vec<(u32, ShownCall)>> {
        let mut shown = BTreeMap::<String, Vec<(u32, ShownCall)>>::new();
        for (position, message) in &self.messages {
            let original = message.original.as_ref().map(|(_, original)| find_shown(original, known));
            let calls = message.calls().filter(|call| known.contains(call.id.as_str()));
            let calls =
                calls.map(|call| (call.id.clone(), ShownCall::new(&call.name, call.arguments.to_tree())));
            for (id, call) in original.unwrap_or_default().into_iter().chain(calls) {
                shown.entry(id).or_default().push((*position, call));
            }
        }
        shown
    }
}

/// What the messages so far say about the ids that decisions refer to.
#[derive(Default)]
struct EarlierMessages<'a> {
    /// The calls of each request, by the request's id.
    requests: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// The tools of calls whose ids have the form of request ids.
    plain_calls: BTreeMap<&'a str, &'a str>,
    /// The calls in the last agent turn that has any.
    last_turn: Vec<&'a str>,
    /// Those of the last turn in the request's messages.
    sent_turn: Vec<&'a str>,
    /// True while the turn goes on.
    is_open: bool,
}

impl<'a> EarlierMessages<'a> {
    fn add_requests(&mut self, message: &'a NeutralMessage) {
        for part in &message.parts {
            match &part.content {
                PartContent::Request { id, call: Some(call) } => {
                    self.requests.entry(id).or_default().insert(call);
                }
                PartContent::Call(call) if is_request_id(&call.id) => {
                    self.plain_calls.insert(&call.id, &call.name);
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, message: &'a NeutralMessage, is_sent: bool) {
        if message.kind != EventType::AgentMessage {
            self.is_open = false;
            return;
        }
        let calls: Vec<_> = message.calls().map(|call| call.id.as_str()).collect();
        if calls.is_empty() {
            return;
        }
        if !self.is_open {
            self.last_turn.clear();
            self.sent_turn.clear();
        }
        self.is_open = true;
        self.sent_turn.extend(calls.iter().filter(|_| is_sent));
        self.last_turn.extend(calls);
    }

    fn find_call(&self, target: &AnswerTarget, context: &MessageContext<'_>) -> Result<String, String> {
        let offered = context.offered;
        match target {
            AnswerTarget::Call(id) => Ok(id.clone()),
            AnswerTarget::Request(id) if is_request_id(id) => match self.plain_calls.get(id.as_str()) {
                // Only the log makes ids with this prefix, and they name the call.
                None => Ok(id.strip_prefix(REQUEST_PREFIX).unwrap_or(id).to_owned()),
                Some(tool) => {
                    Err(format!("{id:?} is the id of a call of {tool} in this conversation, and of no request"))
                }
            },
            AnswerTarget::Request(id) => {
                // A request that was ever shown under this id counts, also if its message was replaced.
                let here = self.requests.get(id.as_str()).into_iter().flatten().copied();
                let calls: BTreeSet<_> = here.chain(context.earlier.calls_of_request(id)).collect();
                match calls.len() {
                    0 => Ok(id.clone()),
                    1 => Ok(calls.into_iter().collect()),
                    _ => Err(format!("several requests have the id {id:?}; decide by the id of the call")),
                }
            }
            AnswerTarget::Place { index, count } => match offered.get(*index) {
                Some(id) if offered.len() == *count && self.has_order_of(offered) => Ok(id.clone()),
                Some(_) if offered.len() == *count => Err(
                    "the agent's last turn has the pending calls in another order than their requests; decide by the id \
                     of the interrupt"
                        .to_owned(),
                ),
                _ => Err(format!(
                    "there are {count} decisions, and the thread has {} pending calls; send one decision for each, in \
                     the order of their requests",
                    offered.len()
                )),
            },
        }
    }

    /// Whether the last turn of the agent has the offered calls in the same order, as far as it has them.
    fn has_order_of(&self, offered: &[String]) -> bool {
        let in_turn = |id: &&String| self.last_turn.contains(&id.as_str());
        let offered: Vec<_> = offered.iter().filter(in_turn).map(String::as_str).collect();
        let turn: Vec<_> = self.last_turn.iter().copied().filter(|id| offered.contains(id)).collect();
        turn == offered
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
    /// The id of the answered request, if the decision names one.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        if let AnswerTarget::Request(id) = &self.target { Some(id) } else { None }
    }

    /// Returns true if the decision names no call, and its position says which it is.
    #[must_use]
    pub const fn is_by_place(&self) -> bool {
        matches!(self.target, AnswerTarget::Place { .. })
    }

    /// Returns true if another caller has sent this decision: the same answer about the same call, or one by position.
    #[must_use]
    pub fn was_sent_before(&self, earlier: &EarlierDecisions) -> bool {
        let Ok(verdict) = &self.verdict else { return false };
        let request = &verdict.request;
        let answer = SentAnswer::new(request.decision, request.comment.as_deref());
        let ids = [self.request_id().unwrap_or_default(), self.call.as_deref().unwrap_or_default()];
        earlier.has(&answer, ids, self.is_by_place())
    }

    /// Compares the decision, and what the conversation shows, with the call that it is about.
    ///
    /// # Errors
    /// If another tool or other arguments are shown or named, or if the decision cannot be read.
    pub fn fit(&self, logged: &LoggedCall) -> Result<DecisionRequest, GateError> {
        if let Some(difference) = self.shown.iter().find_map(|shown| shown.difference(logged)) {
            return Err(refuse_difference(logged, &difference));
        }
        let verdict =
            self.verdict.as_ref().map_err(|why| GateError::new(ErrorCode::Invalid, why.as_str()))?;
        let mut request = verdict.request.clone();
        if let Some(name) = verdict.name.as_ref().filter(|name| *name != logged.name.as_str()) {
            return Err(refuse_difference(logged, &CallDifference::Tool(name.clone())));
        }
        if verdict.has_texts {
            request.arguments = request.arguments.map(|edited| restore_types(&edited, &logged.arguments));
        }
        // Arguments that are those of the call are no change.
        let is_same = |one: &Json| one.canonical_hash().ok() == logged.arguments.canonical_hash().ok();
        if request.arguments.as_ref().is_some_and(is_same) {
            request.arguments = None;
        }
        if self.shown.iter().any(|shown| shown.has_current_arguments(logged)) {
            request.arguments_hash = Some(logged.arguments_hash);
        }
        Ok(request)
    }
}

fn refuse_difference(logged: &LoggedCall, difference: &CallDifference) -> GateError {
    let (id, name) = (&logged.id, &logged.name);
    match difference {
        CallDifference::Id(other) => {
            GateError::new(ErrorCode::Invalid, format!("the decision on call {id} names call {other:?}, too"))
        }
        CallDifference::Tool(other) => GateError::new(
            ErrorCode::ToolChanged,
            format!("call {id} is one of {name}, and the conversation or the decision shows {other:?}"),
        ),
        CallDifference::Arguments(_) => GateError::new(
            ErrorCode::ArgumentsChanged,
            format!(
                "the conversation or the decision shows call {id} with other arguments; look at the call, and decide again"
            ),
        ),
    }
}

/// Reads edited arguments as JSON where they are strings and the proposed value is not.
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
