//! A message: what happened to a call, or to an advisor.

use countersign_api as api;
use countersign_events::{
    AdviceVerdict, AdvisorMode, AdvisorModeSet, ApprovalAdvice, ApprovalResponse, Body, Event, Json, Place,
    QuestionForm, Source, Timestamp, ToolName, WebhookTopic,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// The characters that need no encoding in a path segment.
const PATH_PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A message about a call or an advisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WebhookMessage {
    /// The same for each attempt, so that a receiver recognises a message that it has had.
    pub(crate) id: String,
    pub(crate) topic: WebhookTopic,
    /// Whether `webhook test` sends the message.
    pub(crate) is_test: bool,
    pub(crate) seq: i64,
    pub(crate) at: Timestamp,
    /// The call; `None` if the message is about an advisor of the whole log.
    pub(crate) call: Option<CallSubject>,
    /// The decision or the vote. With the topic `flagged`, the decision that the complaint is about.
    pub(crate) decision: Option<&'static str>,
    /// The decision's source.
    pub(crate) source: Option<&'static str>,
    /// The principal whose decision the complaint is about.
    pub(crate) decided_by: Option<String>,
    /// The advisor that answered, that decided, or that has another mode from now on.
    pub(crate) advisor: Option<String>,
    /// The advisor's answer.
    pub(crate) advice: Option<AdviceVerdict>,
    /// The advisor mode from now on.
    pub(crate) mode: Option<AdvisorMode>,
    /// The principal that voted, decided, claimed, answered, flagged or set the mode.
    pub(crate) by: Option<String>,
    /// The person in whose place that principal voted or decided.
    pub(crate) on_behalf_of: Option<String>,
    /// The comment of that principal. It is never an advisor's reason, which may quote the arguments.
    pub(crate) comment: Option<String>,
    /// The call page, or the advisor page.
    pub(crate) link: String,
}

/// A call in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallSubject {
    pub(crate) thread: String,
    pub(crate) id: String,
    pub(crate) tool: String,
    /// The proposer.
    pub(crate) agent: String,
    pub(crate) risk: Option<String>,
    /// The agent's message about the call.
    pub(crate) message: Option<String>,
    /// The call's purpose, as the agent describes it.
    pub(crate) description: Option<String>,
    /// The arguments with masked secrets, if the webhook asks for them. Otherwise only the call page shows them, to
    /// people who may see them.
    pub(crate) arguments: Option<Json>,
    /// Where the call runs.
    pub(crate) place: Option<Place>,
    /// The rule that asks, and its reason.
    pub(crate) rule: Option<String>,
    pub(crate) reason: Option<String>,
    /// The level that an approver needs.
    pub(crate) level: Option<String>,
    /// The time at which the request expires.
    pub(crate) deadline: Option<Timestamp>,
    /// The events that open an alert about the call, so far.
    pub(crate) openings: Vec<AlertOpening>,
    /// Whether the call is decided now. The message may be about an earlier event.
    pub(crate) is_decided: bool,
}

/// An event that opens an alert about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AlertOpening {
    pub(crate) topic: WebhookTopic,
    pub(crate) seq: i64,
}

impl WebhookMessage {
    /// The message about a call event; `None` if no message is sent about it. `base` is the server's address.
    pub(crate) fn from_event(event: &Event, body: &Body, call: &api::Call, base: &str) -> Option<Self> {
        let message = Self::about_call(event, topic_of(event, body, call)?, call, base);
        let by = Some(event.principal.to_string());
        Some(match body {
            Body::ApprovalVote(vote) => {
                let on_behalf_of = vote.on_behalf_of.as_ref().map(ToString::to_string);
                let (decision, comment) = (Some(vote.decision.as_str()), vote.comment.clone());
                Self { decision, by, on_behalf_of, comment, ..message }
            }
            Body::ApprovalResponse(response) => Self {
                decision: Some(response.decision.as_str()),
                source: Some(response.source.as_str()),
                advisor: advisor_of(event, response),
                by,
                on_behalf_of: response.on_behalf_of.as_ref().map(ToString::to_string),
                comment: comment_of_person(response),
                ..message
            },
            Body::ApprovalAdvice(advice) => {
                Self { advisor: Some(advice.advisor.clone()), advice: Some(advice.advice), by, ..message }
            }
            Body::CallFlagged(flagged) => {
                Self { by, comment: flagged.comment.clone(), ..message.with_decision(call) }
            }
            Body::ExecutionMismatch(_) => Self {
                by,
                comment: call.describe_mismatch().map(str::to_owned),
                ..message.with_decision(call)
            },
            Body::ApprovalEscalated(escalated) => message.with_level(&escalated.level),
            _ => message,
        })
    }

    /// The message about an advisor's new mode.
    pub(crate) fn advisor_mode(event: &Event, set: &AdvisorModeSet, base: &str) -> Self {
        let link = format!("{}/insight#advisors", base.trim_end_matches('/'));
        Self {
            advisor: Some(set.advisor.clone()),
            mode: Some(set.mode),
            by: Some(event.principal.to_string()),
            comment: set.reason.clone().or_else(|| set.statement.clone()),
            ..Self::new(event, WebhookTopic::AdvisorMode, link)
        }
    }

    /// The message that a claim's outcome is unknown. `event` is the claim.
    pub(crate) fn outcome_unknown(event: &Event, call: &api::Call, base: &str) -> Self {
        let message = Self::about_call(event, WebhookTopic::OutcomeUnknown, call, base);
        Self { by: Some(event.principal.to_string()), ..message }
    }

    /// The message that `webhook test` sends.
    pub(crate) fn test(id: String, at: Timestamp, base: &str) -> Self {
        let call = CallSubject {
            thread: "test".to_owned(),
            id: "test".to_owned(),
            tool: "test".to_owned(),
            agent: "agent:test".to_owned(),
            risk: None,
            message: Some("This is a test. There is nothing to decide.".to_owned()),
            description: None,
            arguments: None,
            place: None,
            rule: None,
            reason: None,
            level: None,
            deadline: None,
            openings: Vec::new(),
            is_decided: false,
        };
        let link = base.trim_end_matches('/').to_owned() + "/";
        Self { is_test: true, call: Some(call), ..Self::plain(id, 0, at, WebhookTopic::Opened, link) }
    }

    fn about_call(event: &Event, topic: WebhookTopic, call: &api::Call, base: &str) -> Self {
        let link = call_link(base, call.thread_id.as_str(), call.id.as_str());
        Self { call: Some(CallSubject::from_call(call)), ..Self::new(event, topic, link) }
    }

    fn new(event: &Event, topic: WebhookTopic, link: String) -> Self {
        Self::plain(message_id(event), event.seq, event.timestamp, topic, link)
    }

    /// A message without facts.
    const fn plain(id: String, seq: i64, at: Timestamp, topic: WebhookTopic, link: String) -> Self {
        Self {
            id,
            topic,
            is_test: false,
            seq,
            at,
            call: None,
            decision: None,
            source: None,
            decided_by: None,
            advisor: None,
            advice: None,
            mode: None,
            by: None,
            on_behalf_of: None,
            comment: None,
            link,
        }
    }

    /// Adds the decision to which the complaint refers.
    fn with_decision(self, call: &api::Call) -> Self {
        let Some(response) = &call.response else { return self };
        Self {
            decision: Some(response.decision.as_str()),
            source: Some(response.source.as_str()),
            decided_by: Some(response.principal.describe_decider(response.on_behalf_of.as_ref())),
            ..self
        }
    }

    /// The message with the level that an approver needs from now on.
    fn with_level(self, level: &str) -> Self {
        let call = self.call.map(|call| CallSubject { level: Some(level.to_owned()), ..call });
        Self { call, ..self }
    }

    /// The message for a target that asks for arguments, or does not.
    pub(crate) fn for_target(&self, has_arguments: bool) -> Self {
        let arguments = |call: &CallSubject| call.arguments.clone().filter(|_| has_arguments);
        let call = self.call.as_ref().map(|call| CallSubject { arguments: arguments(call), ..call.clone() });
        Self { call, ..self.clone() }
    }

    /// The `seq` of the approval request of the call.
    pub(crate) fn request_seq(&self) -> Option<i64> {
        let mut openings = self.call.as_ref()?.openings.iter();
        openings.find(|opening| opening.topic == WebhookTopic::Opened).map(|opening| opening.seq)
    }

    /// Messages of one lane are sent in order: those of a thread, and those about advisors.
    pub(crate) fn lane(&self) -> &str {
        self.call.as_ref().map_or("", |call| &call.thread)
    }
}

impl CallSubject {
    /// What the call asks people, if the webhook asks for arguments.
    pub(crate) fn question(&self) -> Option<QuestionForm> {
        QuestionForm::read(&ToolName::new(&self.tool).ok()?, self.arguments.as_ref()?)
    }

    pub(crate) fn from_call(call: &api::Call) -> Self {
        let impact = |field: &str| impact_text(call, field);
        let request = call.request.as_ref();
        Self {
            thread: call.thread_id.to_string(),
            id: call.id.to_string(),
            tool: call.name.to_string(),
            agent: call.proposal.principal.to_string(),
            risk: impact("riskLevel"),
            message: impact("message").or_else(|| call.description.clone()),
            description: call.description.clone(),
            arguments: Some(call.arguments.clone()),
            place: call.place.clone(),
            rule: request.and_then(|request| request.rule.clone()),
            reason: request.map(|request| request.reason.clone()),
            level: request.and_then(|request| request.level.clone()),
            deadline: request.and_then(|request| request.expires_at),
            openings: request.map(read_openings).unwrap_or_default(),
            is_decided: call.response.is_some(),
        }
    }
}

fn read_openings(request: &api::ApprovalRequest) -> Vec<AlertOpening> {
    let seq_of = |mark: &Option<api::EventMark>| mark.as_ref().map(|mark| mark.seq);
    let events = [
        (WebhookTopic::Opened, Some(request.seq)),
        (WebhookTopic::Reminded, seq_of(&request.reminded)),
        (WebhookTopic::Escalated, seq_of(&request.escalated)),
    ];
    events.into_iter().filter_map(|(topic, seq)| Some(AlertOpening { topic, seq: seq? })).collect()
}

/// The topic of an event; `None` if no message is sent about it. A decision on a call about which no person was asked
/// has none.
fn topic_of(event: &Event, body: &Body, call: &api::Call) -> Option<WebhookTopic> {
    match body {
        Body::ApprovalRequest(_) => Some(WebhookTopic::Opened),
        Body::ApprovalReminder(_) => Some(WebhookTopic::Reminded),
        Body::ApprovalEscalated(_) => Some(WebhookTopic::Escalated),
        Body::ApprovalVote(_) => Some(WebhookTopic::Voted),
        Body::ApprovalAdvice(advice) => is_told(event, advice, call).then_some(WebhookTopic::Advised),
        Body::ApprovalResponse(_) if call.request.is_none() => None,
        Body::ApprovalResponse(response) if response.source == Source::Expiry => Some(WebhookTopic::Expired),
        Body::ApprovalResponse(_) => Some(WebhookTopic::Decided),
        Body::CallFlagged(_) => Some(WebhookTopic::Flagged),
        Body::ExecutionMismatch(_) => Some(WebhookTopic::Mismatch),
        _ => None,
    }
}

/// Returns true if a message about the advice is sent. Advice in the mode `shadow` has none: it would influence the
/// decisions that it is compared with. Nor has a failure, or advice that came after the decision. If the answer decides
/// the call, the message about the decision suffices.
fn is_told(event: &Event, advice: &ApprovalAdvice, call: &api::Call) -> bool {
    let is_seen = matches!(advice.mode, AdvisorMode::Advise | AdvisorMode::Decide);
    let is_open = call
        .response
        .as_ref()
        .is_none_or(|response| response.seq > event.seq && response.principal != event.principal);
    is_seen && advice.failure.is_none() && is_open
}

/// The advisor that decided, if one did.
fn advisor_of(event: &Event, response: &ApprovalResponse) -> Option<String> {
    let by = event.principal.as_str();
    (response.source == Source::Advisor).then(|| by.strip_prefix("advisor:").unwrap_or(by).to_owned())
}

/// The comment on a decision. That of an advisor is its reason. The advisor has read the arguments and may quote them, and a
/// message has arguments only if the webhook asks for them.
fn comment_of_person(response: &ApprovalResponse) -> Option<String> {
    response.comment.clone().filter(|_| response.source != Source::Advisor)
}

/// Names the message about an event. It contains a part of the event's hash-chain link, so that two logs have different
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
