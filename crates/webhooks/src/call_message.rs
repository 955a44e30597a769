//! A message: what happened to a call, without its arguments.

use crate::plain_text::clean_for_chat;
use countersign_api as api;
use countersign_events::{
    Body, Event, Timestamp,
    event::{Source, WebhookTopic},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// The longest text of one fact in a chat, in characters.
const MAX_FACT: usize = 400;

/// The characters of a part of a path that need no encoding.
const PATH_PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A message about a call. It has no arguments: the page of the call shows them to people who may see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallMessage {
    /// The same for each attempt, so that a receiver recognises a message that it has had.
    pub(crate) id: String,
    pub(crate) topic: WebhookTopic,
    /// True for a message that `webhook test` sends.
    pub(crate) is_test: bool,
    pub(crate) seq: i64,
    pub(crate) at: Timestamp,
    pub(crate) thread: String,
    pub(crate) call: String,
    pub(crate) tool: String,
    /// The proposer.
    pub(crate) agent: String,
    pub(crate) risk: Option<String>,
    /// The agent's own words about the call.
    pub(crate) message: Option<String>,
    /// The rule that asks, and its reason.
    pub(crate) rule: Option<String>,
    pub(crate) reason: Option<String>,
    /// The level that an approver needs.
    pub(crate) level: Option<String>,
    /// The time at which the request expires.
    pub(crate) deadline: Option<Timestamp>,
    /// The decision or the vote.
    pub(crate) decision: Option<&'static str>,
    /// The source of the decision.
    pub(crate) source: Option<&'static str>,
    /// The principal that voted, decided or claimed.
    pub(crate) by: Option<String>,
    pub(crate) comment: Option<String>,
    /// The page of the call.
    pub(crate) link: String,
}

impl CallMessage {
    /// The message about an event; `None` if no message is sent about it. `base` is the address of the server.
    pub(crate) fn from_event(event: &Event, body: &Body, call: &api::Call, base: &str) -> Option<Self> {
        let message = Self::about_call(event, topic_of(body, call)?, call, base);
        Some(match body {
            Body::ApprovalVote(vote) => Self {
                decision: Some(vote.decision.as_str()),
                by: Some(event.principal.to_string()),
                comment: vote.comment.clone(),
                ..message
            },
            Body::ApprovalResponse(response) => Self {
                decision: Some(response.decision.as_str()),
                source: Some(response.source.as_str()),
                by: Some(event.principal.to_string()),
                comment: response.comment.clone(),
                ..message
            },
            Body::ApprovalEscalated(escalated) => Self { level: Some(escalated.level.clone()), ..message },
            _ => message,
        })
    }

    /// The message that the outcome of a claim is unknown. `event` is the claim.
    pub(crate) fn outcome_unknown(event: &Event, call: &api::Call, base: &str) -> Self {
        let message = Self::about_call(event, WebhookTopic::OutcomeUnknown, call, base);
        Self { by: Some(event.principal.to_string()), ..message }
    }

    fn about_call(event: &Event, topic: WebhookTopic, call: &api::Call, base: &str) -> Self {
        let impact = |field: &str| impact_text(call, field);
        let request = call.request.as_ref();
        Self {
            id: message_id(event),
            topic,
            is_test: false,
            seq: event.seq,
            at: event.timestamp,
            thread: call.thread_id.to_string(),
            call: call.id.to_string(),
            tool: call.name.to_string(),
            agent: call.proposal.principal.to_string(),
            risk: impact("riskLevel"),
            message: impact("message").or_else(|| call.description.clone()),
            rule: request.and_then(|request| request.rule.clone()),
            reason: request.map(|request| request.reason.clone()),
            level: request.and_then(|request| request.level.clone()),
            deadline: request.and_then(|request| request.expires_at),
            decision: None,
            source: None,
            by: None,
            comment: None,
            link: call_link(base, call.thread_id.as_str(), call.id.as_str()),
        }
    }

    /// The message that `webhook test` sends.
    pub(crate) fn test(id: String, at: Timestamp, base: &str) -> Self {
        Self {
            id,
            topic: WebhookTopic::Opened,
            is_test: true,
            seq: 0,
            at,
            thread: "test".to_owned(),
            call: "test".to_owned(),
            tool: "test".to_owned(),
            agent: "agent:test".to_owned(),
            risk: None,
            message: Some("This is a test. There is nothing to decide.".to_owned()),
            rule: None,
            reason: None,
            level: None,
            deadline: None,
            decision: None,
            source: None,
            by: None,
            comment: None,
            link: base.trim_end_matches('/').to_owned() + "/",
        }
    }

    /// The first line for people.
    fn title(&self) -> String {
        if self.is_test {
            return "Test of Countersign".to_owned();
        }
        let tool = &self.tool;
        match self.topic {
            WebhookTopic::Opened => format!("Approval needed: {tool}"),
            WebhookTopic::Reminded => format!("Still waiting: {tool}"),
            WebhookTopic::Escalated => format!("Escalated: {tool}"),
            WebhookTopic::Voted => format!("Vote on {tool}"),
            WebhookTopic::Decided if self.decision == Some("deny") => format!("Denied: {tool}"),
            WebhookTopic::Decided => format!("Allowed: {tool}"),
            WebhookTopic::Expired => format!("Expired: {tool}"),
            WebhookTopic::OutcomeUnknown => format!("Outcome unknown: {tool}"),
            WebhookTopic::Other => tool.clone(),
        }
    }

    /// The title and the facts for a chat, each on one line, before the rules of its format apply.
    pub(crate) fn chat_texts(&self) -> (String, Vec<(&'static str, String)>) {
        let clean = |text: &str| clean_for_chat(text, MAX_FACT);
        let facts = self.facts().into_iter().map(|(label, text)| (label, clean(&text))).collect();
        (clean(&self.title()), facts)
    }

    /// The facts for people: a label and a text each.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let deadline = self.deadline.map(|deadline| deadline.to_string());
        let decision = self.decision.map(str::to_owned);
        let all = [
            ("Agent", Some(self.agent.clone())),
            ("Thread", Some(self.thread.clone())),
            ("Call", Some(self.call.clone())),
            ("Risk (as the agent says)", self.risk.clone()),
            ("Message (of the agent)", self.message.clone()),
            ("Rule", self.rule.clone()),
            ("Reason", self.reason.clone()),
            ("Level", self.level.clone()),
            ("Expires", deadline),
            ("Decision", decision),
            ("By", self.by.clone()),
            ("Comment", self.comment.clone()),
        ];
        all.into_iter().filter_map(|(label, text)| Some((label, text?))).collect()
    }
}

/// The topic of an event; `None` if no message is sent about it. A decision on a call about which no person was
/// asked has none.
fn topic_of(body: &Body, call: &api::Call) -> Option<WebhookTopic> {
    match body {
        Body::ApprovalRequest(_) => Some(WebhookTopic::Opened),
        Body::ApprovalReminder(_) => Some(WebhookTopic::Reminded),
        Body::ApprovalEscalated(_) => Some(WebhookTopic::Escalated),
        Body::ApprovalVote(_) => Some(WebhookTopic::Voted),
        Body::ApprovalResponse(_) if call.request.is_none() => None,
        Body::ApprovalResponse(response) if response.source == Source::Expiry => Some(WebhookTopic::Expired),
        Body::ApprovalResponse(_) => Some(WebhookTopic::Decided),
        _ => None,
    }
}

/// Names the message about an event. It contains a part of the link of the hash chain, so that two logs have different
/// names.
fn message_id(event: &Event) -> String {
    let hash = event.hash.map(|hash| hash.to_string()).unwrap_or_default();
    format!("evt_{}_{}", event.seq, hash.get(..16).unwrap_or("0"))
}

fn impact_text(call: &api::Call, field: &str) -> Option<String> {
    let impact: Value = call.impact.as_ref()?.read().ok()?;
    impact.get(field)?.as_str().map(str::to_owned)
}

/// The page of a call. It asks its reader to sign in, so the link gives no rights.
#[must_use]
pub fn call_link(base: &str, thread: &str, call: &str) -> String {
    let encode = |part| utf8_percent_encode(part, PATH_PART);
    format!("{}/calls/{}/{}", base.trim_end_matches('/'), encode(thread), encode(call))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_encodes_ids() {
        let link = call_link("https://x.example/", "ci/7 <a>", "call?#\"");
        assert_eq!(link, "https://x.example/calls/ci%2F7%20%3Ca%3E/call%3F%23%22");
    }
}
