//! What each chat platform does in its own way.

use crate::chats::{
    chat_address::ChatAddress,
    chat_call::{ChatCall, PlatformAnswer, PlatformFailure},
    chat_card::ChatCard,
    chat_types::{ChatAccount, ChatClick, ChatRefusal, ChatReply},
};
use countersign_events::{SecretValue, Timestamp};
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::Duration;

/// The age of a signature beyond which a request may be a replay, as Slack recommends it.
const MAX_AGE: Duration = Duration::from_mins(5);

/// A chat platform. The functions that render are pure, and the same card always gives the same message.
pub(crate) trait ChatPlatform: Sync {
    /// Returns true if a message shows the whole card.
    fn fits(&self, card: &ChatCard) -> bool;

    /// The text that people see in the message about a card, as `read_request` returns it for a clicked message.
    fn visible_text(&self, card: &ChatCard) -> String;

    /// The request that posts a card.
    fn render_post(&self, at: &ChatAddress, card: &ChatCard) -> ChatCall;

    /// The request that changes a posted message.
    fn render_edit(&self, at: &ChatAddress, message: &str, card: &ChatCard) -> ChatCall;

    /// The request that posts a short text, as a reply to a message if there is one.
    fn render_note(&self, at: &ChatAddress, reply_to: Option<&str>, note: &ChatNote) -> ChatCall;

    /// Reads whether the platform did what it was asked for. Returns the name of a posted message.
    fn read_outcome(&self, answer: &PlatformAnswer) -> Result<Option<String>, PlatformFailure>;

    /// Proves the sender of a request, and reads it afterwards.
    fn read_request(
        &self,
        at: &ChatAddress,
        given: &GivenRequest<'_>,
    ) -> Result<PlatformRequest, ChatRefusal>;

    /// The answer to a click: the card if the message changes, and a note for the person alone.
    fn render_reply(&self, at: &ChatAddress, click: &ChatClick, shown: &ReplyContent) -> ChatReply;

    /// The request that reads the replies to a clicked message; `None` if the platform has none.
    fn render_replies(&self, at: &ChatAddress, click: &ChatClick) -> Option<ChatCall>;

    /// The last reply to the clicked message by the person who clicked.
    fn find_reply(&self, click: &ChatClick, body: &Value) -> Option<String>;

    /// The request that reads the clicked message; `None` if the platform sends it with the click.
    fn render_lookup(&self, _at: &ChatAddress, _click: &ChatClick) -> Option<ChatCall> {
        None
    }

    /// What people see in the message that was looked up.
    fn find_visible_text(&self, _body: &Value) -> Option<String> {
        None
    }

    /// Returns true if an answer for the person alone may go to this address, which came with the click.
    fn may_answer_to(&self, _address: &str) -> bool {
        true
    }

    /// The request that tells the platform where clicks go; `None` if a person does this on a page of the platform.
    fn render_setup(&self, _at: &ChatAddress) -> Option<ChatCall> {
        None
    }
}

/// A request as it came.
pub(crate) struct GivenRequest<'a> {
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
    pub(crate) now: Timestamp,
}

impl GivenRequest<'_> {
    /// A header with visible characters only.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Fails if the time in seconds differs from now by more than five minutes.
    pub(crate) fn check_age(&self, seconds: &str) -> Result<(), ChatRefusal> {
        let sent: i64 = seconds.parse().map_err(|_| ChatRefusal::Forged)?;
        let now = self.now.as_millis() / 1_000;
        if now.abs_diff(sent) > MAX_AGE.as_secs() { Err(ChatRefusal::Old) } else { Ok(()) }
    }
}

/// What a platform's request says, before the button's value is proven.
#[derive(Debug)]
pub(crate) enum PlatformRequest {
    Handshake(Value),
    Click(PlatformClick),
    Ignored,
}

/// A click whose button's value is not proven yet.
#[derive(Debug)]
pub(crate) struct PlatformClick {
    pub(crate) account: ChatAccount,
    pub(crate) value: String,
    pub(crate) message: String,
    pub(crate) shown: Option<String>,
    /// The label of the button in the clicked message, if the platform sends it back.
    pub(crate) label: Option<String>,
    pub(crate) answer_to: Option<SecretValue<String>>,
}

/// What an answer to a click shows.
#[derive(Debug, Default)]
pub(crate) struct ReplyContent {
    /// The card as it is from now on.
    pub(crate) card: Option<ChatCard>,
    /// A text for the person alone, on one line.
    pub(crate) note: Option<String>,
    /// An address for the person alone, which the note introduces.
    pub(crate) link: Option<String>,
}

/// A short message: a title, facts and a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChatNote {
    pub(crate) title: String,
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) link: String,
    pub(crate) link_label: &'static str,
}

impl ChatNote {
    /// The title and the link.
    pub(crate) fn without_facts(self) -> Self {
        Self { facts: Vec::new(), ..self }
    }
}
