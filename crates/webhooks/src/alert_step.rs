//! Messages as alerts: one alert for each call, which a message opens and a later one closes.

use crate::{
    plain_text::clean_for_chat,
    webhook_message::{CallSubject, WebhookMessage},
};
use countersign_approvals::webhook_directory::WebhookRecord;
use countersign_events::{AdviceVerdict, AdvisorMode, RiskLevel, Sha256, WebhookFormat, WebhookTopic};
use serde_json::{Map, Value, json};

/// The longest text of one member, in characters.
const MAX_MEMBER: usize = 400;

/// How many hexadecimal digits a key has. 128 bits are enough: nobody gains by two calls with the same key.
const KEY_DIGITS: usize = 32;

/// The topics about a call that waits for people. A decision closes their alert.
pub(crate) const OPENING_TOPICS: [WebhookTopic; 3] =
    [WebhookTopic::Opened, WebhookTopic::Reminded, WebhookTopic::Escalated];

/// What a message does to the alert about its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AlertStep {
    Open,
    Close,
    /// It changes no alert.
    Note,
}

impl AlertStep {
    /// As it is written.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Close => "close",
            Self::Note => "note",
        }
    }

    const fn from_topic(topic: WebhookTopic) -> Self {
        match topic {
            WebhookTopic::Opened
            | WebhookTopic::Reminded
            | WebhookTopic::Escalated
            | WebhookTopic::OutcomeUnknown
            | WebhookTopic::Flagged
            | WebhookTopic::Mismatch => Self::Open,
            WebhookTopic::Decided | WebhookTopic::Expired => Self::Close,
            WebhookTopic::Voted | WebhookTopic::Advised | WebhookTopic::AdvisorMode | WebhookTopic::Other => {
                Self::Note
            }
        }
    }
}

impl WebhookMessage {
    /// What the message does to the alert. If the call was decided meanwhile, it closes the alert: a late or retried
    /// message must not call a person, or open an alert that nothing closes.
    pub(crate) fn alert_step(&self) -> AlertStep {
        let is_decided = self.call.as_ref().is_some_and(|call| call.is_decided);
        let is_late = is_decided && OPENING_TOPICS.contains(&self.topic);
        if is_late { AlertStep::Close } else { AlertStep::from_topic(self.topic) }
    }

    /// The key of the call, the same in all its messages. It is a hash, because ids may be long and have any characters.
    pub(crate) fn call_key(&self, log: Sha256) -> String {
        let subject = match &self.call {
            Some(call) => json!([log.to_string(), call.thread, call.id]),
            None => json!([log.to_string(), self.advisor]),
        };
        let hash = Sha256::digest(subject.to_string().as_bytes()).to_string();
        format!("countersign-{}", &hash[..KEY_DIGITS])
    }

    /// The key of the alert. What happened after the decision has an alert of its own, which a person closes.
    pub(crate) fn alert_key(&self, log: Sha256) -> String {
        let key = self.call_key(log);
        match self.topic {
            topic @ (WebhookTopic::OutcomeUnknown | WebhookTopic::Flagged | WebhookTopic::Mismatch) => {
                format!("{key}-{}", topic.as_str())
            }
            _ => key,
        }
    }

    /// The urgency of the alert: the risk that the agent claims. A call without a claim is no less urgent than one of high
    /// risk, so that an agent gains nothing by silence.
    pub(crate) fn alert_risk(&self) -> RiskLevel {
        let claimed = self.call.as_ref().and_then(|call| call.risk.as_deref());
        match self.topic {
            _ if self.is_test => RiskLevel::Low,
            WebhookTopic::Mismatch => RiskLevel::Critical,
            _ => claimed.and_then(|risk| risk.parse().ok()).unwrap_or(RiskLevel::High),
        }
    }

    /// The facts as members with stable names, those of the format `standard`. No member has markup or a link.
    pub(crate) fn alert_members(&self) -> Vec<(&'static str, String)> {
        let word = |word: Option<&str>| word.map(str::to_owned);
        let members = [
            ("decision", word(self.decision)),
            ("source", word(self.source)),
            ("decidedBy", self.decided_by.clone()),
            ("advisor", self.advisor.clone()),
            ("advice", word(self.advice.map(AdviceVerdict::as_str))),
            ("mode", word(self.mode.map(AdvisorMode::as_str))),
            ("by", self.by.clone()),
            ("onBehalfOf", self.on_behalf_of.clone()),
            ("comment", self.comment.clone()),
        ];
        let of_call = self.call.iter().flat_map(CallSubject::alert_members);
        let present = of_call.chain(members).filter_map(|(name, text)| Some((name, text?)));
        present.map(|(name, text)| (name, clean_for_chat(&text, MAX_MEMBER))).collect()
    }

    /// Returns true if the webhook gets the message. One that opens alerts, or posts messages that change with their
    /// calls, closes no others.
    pub(crate) fn is_wanted_by(&self, webhook: &WebhookRecord) -> bool {
        if !webhook.has_topic(self.topic) {
            return false;
        }
        let format = webhook.added.what.format;
        let has_alerts = format.is_pager() || format == WebhookFormat::Jira || format.is_chat_app();
        let is_closing = AlertStep::from_topic(self.topic) == AlertStep::Close;
        if !has_alerts || !is_closing || !OPENING_TOPICS.iter().any(|topic| webhook.has_topic(*topic)) {
            return true;
        }
        let mut openings = self.call.iter().flat_map(|call| &call.openings);
        openings.any(|opening| opening.seq > webhook.id() && webhook.has_topic(opening.topic))
    }
}

/// The members as a JSON object.
pub(crate) fn members_object(members: &[(&'static str, String)]) -> Map<String, Value> {
    members.iter().map(|(name, text)| ((*name).to_owned(), Value::from(text.as_str()))).collect()
}

impl CallSubject {
    fn alert_members(&self) -> [(&'static str, Option<String>); 13] {
        [
            ("thread", Some(self.thread.clone())),
            ("call", Some(self.id.clone())),
            ("tool", Some(self.tool.clone())),
            ("agent", Some(self.agent.clone())),
            ("risk", self.risk.clone()),
            ("message", self.message.clone()),
            ("description", self.description.clone()),
            ("arguments", self.arguments.as_ref().map(|arguments| arguments.as_str().to_owned())),
            ("place", self.place.as_ref().map(ToString::to_string)),
            ("rule", self.rule.clone()),
            ("reason", self.reason.clone()),
            ("level", self.level.clone()),
            ("expiresAt", self.deadline.map(|deadline| deadline.to_string())),
        ]
    }
}
