//! Builds the card of a call as it is now. The same call always gives the same card, so that a click can be compared with it.

use crate::{
    chats::{
        button_value::ButtonSigner,
        chat_card::{ChatButton, ChatCard},
        chat_platform::ChatPlatform,
        chat_types::ClickChoice,
        json_lines::write_lines,
    },
    plain_text::clean_for_chat,
    webhook_message::{CallSubject, call_link},
};
use countersign_api as api;
use countersign_events::{CallState, Source};
use countersign_gate::ChatOffer;

/// The longest fact, in characters. A call with a longer one is not decided in a chat.
const MAX_FACT: usize = 400;

/// Builds the cards of one webhook.
pub(crate) struct CardBuilder<'a> {
    pub(crate) platform: &'a dyn ChatPlatform,
    pub(crate) signer: &'a ButtonSigner,
    /// The server address in links.
    pub(crate) base: &'a str,
    /// Whether messages have the arguments.
    pub(crate) has_arguments: bool,
}

impl CardBuilder<'_> {
    /// The card of a call. It has buttons that decide only if the offer permits them and the message shows the whole call.
    pub(crate) fn build(&self, call: &api::Call, offer: ChatOffer) -> ChatCard {
        let (facts, is_cut) = facts_of(call);
        let arguments = write_lines(&call.arguments).filter(|_| self.has_arguments);
        let card = ChatCard {
            title: clean_for_chat(&title_of(call), MAX_FACT),
            facts,
            arguments,
            notice: None,
            buttons: Vec::new(),
            link: call_link(self.base, call.thread_id.as_str(), call.id.as_str()),
        };
        let choices = if call.is_pending() { choices_of(offer) } else { Vec::new() };
        let is_long = is_cut || !self.platform.fits(&self.with_buttons(card.clone(), call, &choices));
        let notice = self.obstacle(call, is_long).filter(|_| !choices.is_empty());
        // Without a button, a long text is left out, because a platform would refuse or cut it.
        let arguments = card.arguments.clone().filter(|_| self.platform.fits(&card));
        let card = ChatCard { arguments, notice, ..card };
        if notice.is_some() { card } else { self.with_buttons(card, call, &choices) }
    }

    fn with_buttons(&self, card: ChatCard, call: &api::Call, choices: &[ClickChoice]) -> ChatCard {
        let Some(request) = &call.request else { return card };
        let seen = self.signer.seen(call.arguments_hash, &card.text());
        let button = |choice: &ClickChoice| ChatButton {
            choice: *choice,
            value: self.signer.value(*choice, request.seq, &seen),
        };
        ChatCard { buttons: choices.iter().map(button).collect(), ..card }
    }

    /// Why the call cannot be decided from its message.
    fn obstacle(&self, call: &api::Call, is_long: bool) -> Option<&'static str> {
        let is_deceptive =
            !call.hidden_characters.is_empty() || !call.mixed_scripts.is_empty() || !call.padded.is_empty();
        if call.question.is_some() {
            Some("Open the call to answer.")
        } else if !self.has_arguments {
            Some("The arguments are not shown here. Open the call to decide.")
        } else if !call.redacted.is_empty() {
            Some("A part is masked. Open the call to decide.")
        } else if call.request.as_ref().is_some_and(|request| request.changed_definition.is_some()) {
            Some("The definition of the tool has changed. Open the call to decide.")
        } else if is_deceptive {
            Some("The text may look like another one. Open the call to decide.")
        } else if is_long || call.erased.is_some() || call.archived.is_some() {
            Some("Too long to decide here. Open the call.")
        } else {
            None
        }
    }
}

fn choices_of(offer: ChatOffer) -> Vec<ClickChoice> {
    let choices = [
        (offer.allow, ClickChoice::Allow),
        (offer.allow_hour, ClickChoice::AllowHour),
        (offer.deny, ClickChoice::Deny),
    ];
    choices.into_iter().filter_map(|(is_offered, choice)| is_offered.then_some(choice)).collect()
}

/// The state in words, and the tool.
fn title_of(call: &api::Call) -> String {
    let tool = &call.name;
    let Some(response) = &call.response else {
        let is_escalated = call.request.as_ref().is_some_and(|request| request.escalated.is_some());
        return match call.state {
            CallState::Pending if is_escalated => format!("Escalated: {tool}"),
            CallState::Pending => format!("Approval needed: {tool}"),
            CallState::Cancelled => format!("Withdrawn: {tool}"),
            _ => format!("Not pending: {tool}"),
        };
    };
    let word = match response.source {
        _ if call.taken_back.is_some() => "Approval taken back",
        Source::Expiry if response.decision.allows() => "Expired and allowed",
        Source::Expiry => "Expired",
        Source::Cancellation => "Withdrawn",
        _ if response.decision.allows() => "Allowed",
        _ => "Denied",
    };
    format!("{word}: {tool}")
}

/// The facts, and whether one of them is cut.
fn facts_of(call: &api::Call) -> (Vec<(&'static str, String)>, bool) {
    let subject = CallSubject { arguments: None, ..CallSubject::from_call(call) };
    let subject_facts = subject.facts();
    let texts = subject_facts.into_iter().chain(votes_of(call)).chain(decision_of(call));
    let mut is_cut = call.name.as_str().chars().count() > MAX_FACT / 2;
    let facts = texts.filter_map(|(label, text)| {
        let text = text?;
        is_cut |= text.chars().count() > MAX_FACT;
        Some((label, clean_for_chat(&text, MAX_FACT)))
    });
    (facts.collect(), is_cut)
}

fn votes_of(call: &api::Call) -> [(&'static str, Option<String>); 1] {
    let request = call.request.as_ref().filter(|request| call.is_pending() && !request.votes.is_empty());
    let names = request.map(|request| {
        let votes =
            request.votes.iter().map(|vote| format!("{} by {}", vote.decision.as_str(), vote.principal));
        votes.collect::<Vec<_>>().join(", ")
    });
    [("Votes", names)]
}

fn decision_of(call: &api::Call) -> [(&'static str, Option<String>); 4] {
    let response = call.response.as_ref();
    // An advisor's comment is its reason, which may quote the arguments.
    let comment = response.filter(|response| response.source != Source::Advisor);
    let taken_back = call.taken_back.as_ref();
    [
        ("Decided by", response.map(|response| response.principal.to_string())),
        ("Decided at", response.map(|response| response.at.to_string())),
        ("Comment", comment.and_then(|response| response.comment.clone())),
        ("Taken back by", taken_back.map(|taken| taken.principal.to_string())),
    ]
}
