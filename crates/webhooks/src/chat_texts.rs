//! Chat message content for people: a title, and labelled facts.

use crate::{
    chats::chat_platform::ChatNote,
    plain_text::clean_for_chat,
    webhook_message::{CallSubject, WebhookMessage},
};
use countersign_events::{AdviceVerdict, AdvisorMode, Json, QuestionForm, WebhookTopic};

/// The longest text of one fact in a chat, in characters.
const MAX_FACT: usize = 400;

impl WebhookMessage {
    /// The first line for people.
    fn title(&self) -> String {
        if self.is_test {
            return "Test of Countersign".to_owned();
        }
        let tool = self.call.as_ref().map_or("", |call| &call.tool);
        let advisor = self.advisor.as_deref();
        let deciding = advisor.map(|advisor| format!(" by advisor {advisor}")).unwrap_or_default();
        let advisor = advisor.unwrap_or_default();
        match self.topic {
            WebhookTopic::Opened => format!("Approval needed: {tool}"),
            WebhookTopic::Reminded => format!("Still waiting: {tool}"),
            WebhookTopic::Escalated => format!("Escalated: {tool}"),
            WebhookTopic::Voted => format!("Vote on {tool}"),
            WebhookTopic::Decided if self.decision == Some("deny") => format!("Denied{deciding}: {tool}"),
            WebhookTopic::Decided => format!("Allowed{deciding}: {tool}"),
            WebhookTopic::Expired => format!("Expired: {tool}"),
            WebhookTopic::OutcomeUnknown => format!("Outcome unknown: {tool}"),
            WebhookTopic::Advised => {
                format!("Advisor {advisor} says {}: {tool}", self.advice.map_or("ask", AdviceVerdict::as_str))
            }
            WebhookTopic::Flagged => format!("Flagged: {tool}"),
            WebhookTopic::Mismatch => format!("MISMATCH: {tool} ran something else than was approved"),
            WebhookTopic::AdvisorMode if self.mode == Some(AdvisorMode::Decide) => {
                format!("Advisor {advisor} may decide from now on")
            }
            WebhookTopic::AdvisorMode => format!("Advisor {advisor} only advises from now on"),
            WebhookTopic::Other => tool.to_owned(),
        }
    }

    /// The title and the facts for a chat, each on one line, before the rules of its format apply.
    pub(crate) fn chat_texts(&self) -> (String, Vec<(&'static str, String)>) {
        let clean = |text: &str| clean_for_chat(text, MAX_FACT);
        let facts = self.facts().into_iter().map(|(label, text)| (label, clean(&text))).collect();
        (clean(&self.title()), facts)
    }

    /// The title, the facts and the link, for a chat app.
    pub(crate) fn chat_note(&self) -> ChatNote {
        let (title, facts) = self.chat_texts();
        ChatNote { title, facts, link: self.link.clone(), link_label: self.link_label() }
    }

    /// The button label for the link.
    pub(crate) const fn link_label(&self) -> &'static str {
        if self.call.is_some() { "Open the call" } else { "Open the advisors" }
    }

    /// The facts for people: a label and a value each.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let word = |word: Option<&str>| word.map(str::to_owned);
        let facts = [
            ("Decision", word(self.decision)),
            ("Decided by", self.decided_by.clone()),
            ("Advisor", self.advisor.clone()),
            ("Advice", word(self.advice.map(AdviceVerdict::as_str))),
            ("Mode", word(self.mode.map(AdvisorMode::as_str))),
            ("By", self.by.clone()),
            ("On behalf of", self.on_behalf_of.clone()),
            ("Comment", self.comment.clone()),
        ];
        let call = self.call.iter().flat_map(CallSubject::facts);
        call.chain(facts).filter_map(|(label, text)| Some((label, text?))).collect()
    }
}

/// A question on one line.
fn words_of(form: &QuestionForm) -> String {
    let lines = form.lines();
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join("; ")
}

impl CallSubject {
    /// The arguments that no question says in words.
    fn unsaid_arguments(&self) -> Option<&Json> {
        let is_said = self.question().is_some_and(|form| form.is_complete);
        self.arguments.as_ref().filter(|_| !is_said)
    }

    pub(crate) fn facts(&self) -> [(&'static str, Option<String>); 12] {
        [
            ("Agent", Some(self.agent.clone())),
            ("Thread", Some(self.thread.clone())),
            ("Call", Some(self.id.clone())),
            ("Question", self.question().map(|form| words_of(&form))),
            ("Arguments", self.unsaid_arguments().map(|arguments| arguments.as_str().to_owned())),
            ("Place", self.place.as_ref().map(ToString::to_string)),
            ("Risk (as the agent says)", self.risk.clone()),
            ("Message (of the agent)", self.message.clone()),
            ("Rule", self.rule.clone()),
            ("Reason", self.reason.clone()),
            ("Level", self.level.clone()),
            ("Expires", self.deadline.map(|deadline| deadline.to_string())),
        ]
    }
}
