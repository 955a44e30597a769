//! A Telegram bot (<https://core.telegram.org/bots/api>): `sendMessage`, `editMessageText` and `answerCallbackQuery`.
//!
//! Messages have entities instead of a parse mode, so nothing in them is markup. What comes from a call is `code` or `pre`, in which
//! Telegram finds no mentions, links and commands. Requests are not signed; a secret header that only this server and Telegram
//! know proves them.

use crate::chats::{
    chat_address::{ChatAddress, equals_secret},
    chat_call::{ChatCall, PlatformAnswer, PlatformFailure, error_word},
    chat_card::{ChatButton, ChatCard, LINK_LABEL},
    chat_platform::{ChatNote, ChatPlatform, GivenRequest, PlatformClick, PlatformRequest, ReplyContent},
    chat_types::{ChatAccount, ChatClick, ChatFollowUps, ChatRefusal, ChatReply},
};
use serde_json::{Value, json};
use std::time::Duration;

/// The longest message and the longest alert, in UTF-16 code units.
const MAX_TEXT: usize = 4_096;
const MAX_ALERT: usize = 200;

/// The failures after which there is nothing to change: the message shows the card already, or somebody deleted it.
const NOTHING_TO_CHANGE: [&str; 3] =
    ["message is not modified", "message to edit not found", "MESSAGE_ID_INVALID"];

/// The alert for a person whose address does not fit. A bot cannot write to a person who has not started it.
const START_FIRST: &str = "Link your account first. The bot has sent you the address in a private chat. If it has not: \
    open the chat with this bot, press Start, and click again.";

pub(crate) struct TelegramPlatform;

impl ChatPlatform for TelegramPlatform {
    fn fits(&self, card: &ChatCard) -> bool {
        count_units(&card_text(card).text) <= MAX_TEXT
    }

    fn visible_text(&self, card: &ChatCard) -> String {
        card_text(card).text.trim().to_owned()
    }

    fn render_post(&self, at: &ChatAddress, card: &ChatCard) -> ChatCall {
        let mut body = card_text(card).body();
        body["chat_id"] = json!(at.channel);
        body["reply_markup"] = keyboard(card);
        method(at, "sendMessage", body)
    }

    fn render_edit(&self, at: &ChatAddress, message: &str, card: &ChatCard) -> ChatCall {
        let (chat, id) = message.rsplit_once('/').unwrap_or((&at.channel, message));
        let mut body = card_text(card).body();
        body["chat_id"] = json!(chat);
        body["message_id"] = number_of(id);
        body["reply_markup"] = keyboard(card);
        method(at, "editMessageText", body)
    }

    fn render_note(&self, at: &ChatAddress, reply_to: Option<&str>, note: &ChatNote) -> ChatCall {
        let mut text = EntityText::default();
        text.push("code", &note.title);
        for (label, fact) in &note.facts {
            // Telegram would refuse a longer text.
            if count_units(&text.text) + count_units(label) + count_units(fact) + 3 <= MAX_TEXT {
                text.push_fact(label, fact);
            }
        }
        let mut body = text.body();
        body["chat_id"] = json!(at.channel);
        body["reply_markup"] = json!({ "inline_keyboard": [[link_button(note.link_label, &note.link)]] });
        if let Some((chat, id)) = reply_to.and_then(|message| message.rsplit_once('/')) {
            body["chat_id"] = json!(chat);
            body["reply_parameters"] =
                json!({ "message_id": number_of(id), "allow_sending_without_reply": true });
        }
        method(at, "sendMessage", body)
    }

    fn read_outcome(&self, answer: &PlatformAnswer) -> Result<Option<String>, PlatformFailure> {
        let body = &answer.body;
        if (200..300).contains(&answer.status) && body["ok"] == true {
            let (chat, id) = (&body["result"]["chat"]["id"], &body["result"]["message_id"]);
            return Ok(chat.as_i64().zip(id.as_i64()).map(|(chat, id)| format!("{chat}/{id}")));
        }
        let description = body["description"].as_str().unwrap_or_default();
        if NOTHING_TO_CHANGE.iter().any(|known| description.contains(known)) {
            return Ok(None);
        }
        let pause = body["parameters"]["retry_after"].as_u64().map(Duration::from_secs);
        let reason = match description {
            "" => format!("the target answered {}", answer.status),
            text => format!("Telegram answered {}", error_word(text)),
        };
        Err(PlatformFailure { reason, retry_after: pause.or(answer.retry_after) })
    }

    fn read_request(
        &self,
        at: &ChatAddress,
        given: &GivenRequest<'_>,
    ) -> Result<PlatformRequest, ChatRefusal> {
        let secret = given.header("x-telegram-bot-api-secret-token").unwrap_or_default();
        if !equals_secret(secret, at.derived.expose()) {
            return Err(ChatRefusal::Forged);
        }
        let update: Value = serde_json::from_slice(given.body).map_err(|_| ChatRefusal::Malformed)?;
        let query = &update["callback_query"];
        if query["data"].as_str().is_none() {
            return Ok(PlatformRequest::Ignored);
        }
        read_click(query).map(PlatformRequest::Click).ok_or(ChatRefusal::Malformed)
    }

    fn render_reply(&self, at: &ChatAddress, click: &ChatClick, shown: &ReplyContent) -> ChatReply {
        let edit = shown.card.as_ref().map(|card| self.render_edit(at, &click.message, card));
        let texts = [shown.note.clone(), shown.link.clone()];
        let mut text = texts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let mut private = None;
        if count_units(&text) > MAX_ALERT {
            let person = click.account.id.trim_start_matches("telegram:");
            let body =
                json!({ "chat_id": person, "text": text, "link_preview_options": { "is_disabled": true } });
            private = shown.link.as_ref().map(|_| method(at, "sendMessage", body));
            if private.is_some() {
                START_FIRST.clone_into(&mut text);
            }
        }
        let text = cut_units(&text, MAX_ALERT);
        let query = click.answer_to.as_ref().map(|query| query.expose().as_str());
        let body = json!({
            "method": "answerCallbackQuery",
            "callback_query_id": query.unwrap_or_default(),
            "text": text,
            "show_alert": !text.is_empty(),
        });
        let follow_ups = ChatFollowUps([edit, private].into_iter().flatten().collect());
        ChatReply { body, follow_ups }
    }

    /// A bot cannot read earlier messages.
    fn render_replies(&self, _at: &ChatAddress, _click: &ChatClick) -> Option<ChatCall> {
        None
    }

    fn find_reply(&self, _click: &ChatClick, _body: &Value) -> Option<String> {
        None
    }

    fn render_setup(&self, at: &ChatAddress) -> Option<ChatCall> {
        let body = json!({
            "url": at.clicks,
            "secret_token": at.derived.expose(),
            "allowed_updates": ["callback_query"],
        });
        Some(method(at, "setWebhook", body))
    }
}

fn read_click(query: &Value) -> Option<PlatformClick> {
    let from = &query["from"];
    let id = from["id"].as_i64()?;
    let name = [&from["username"], &from["first_name"]].into_iter().find_map(Value::as_str);
    let message = &query["message"];
    let (chat, number) = (message["chat"]["id"].as_i64()?, message["message_id"].as_i64()?);
    Some(PlatformClick {
        account: ChatAccount {
            id: format!("telegram:{id}"),
            name: name.map_or_else(|| id.to_string(), str::to_owned),
        },
        value: query["data"].as_str()?.to_owned(),
        message: format!("{chat}/{number}"),
        // Telegram sends an old message without its text. A click on it decides nothing.
        shown: Some(message["text"].as_str().unwrap_or_default().trim().to_owned()),
        label: Some(label_of(message, query["data"].as_str()?)),
        answer_to: Some(query["id"].as_str()?.into()),
    })
}

/// The label of the button with this value in a message; empty if there is none.
fn label_of(message: &Value, value: &str) -> String {
    let rows = message["reply_markup"]["inline_keyboard"].as_array().into_iter().flatten();
    let mut buttons = rows.filter_map(Value::as_array).flatten();
    let found = buttons.find(|button| button["callback_data"] == value);
    found.and_then(|button| button["text"].as_str()).unwrap_or_default().to_owned()
}

/// The address of a method has the token in its path.
fn method(at: &ChatAddress, name: &str, body: Value) -> ChatCall {
    ChatCall::post(at.below(&[&format!("bot{}", at.token.expose()), name]), body)
}

fn number_of(id: &str) -> Value {
    id.parse::<i64>().map_or(Value::Null, Value::from)
}

fn keyboard(card: &ChatCard) -> Value {
    let button =
        |button: &ChatButton| json!({ "text": button.choice.label(), "callback_data": button.value });
    let deciding: Vec<_> = card.buttons.iter().map(button).collect();
    let rows = [deciding, vec![link_button(LINK_LABEL, &card.link)]];
    json!({ "inline_keyboard": rows.into_iter().filter(|row| !row.is_empty()).collect::<Vec<_>>() })
}

fn link_button(label: &str, link: &str) -> Value {
    json!({ "text": label, "url": link })
}

fn card_text(card: &ChatCard) -> EntityText {
    let mut text = EntityText::default();
    text.push("code", &card.title);
    for (label, fact) in &card.facts {
        text.push_fact(label, fact);
    }
    if let Some(arguments) = &card.arguments {
        text.text.push('\n');
        text.push("pre", arguments);
    }
    if let Some(notice) = card.notice {
        text.text.push('\n');
        text.push("bold", notice);
    }
    text
}

fn count_units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn cut_units(text: &str, limit: usize) -> String {
    let mut length = 0;
    let fits = |c: &char| {
        length += c.len_utf16();
        length <= limit
    };
    text.chars().take_while(fits).collect()
}

/// Content and its entities, which count in UTF-16 code units.
#[derive(Default)]
struct EntityText {
    text: String,
    entities: Vec<Value>,
}

impl EntityText {
    fn push(&mut self, kind: &str, text: &str) {
        let (offset, length) = (count_units(&self.text), count_units(text));
        if length > 0 {
            self.entities.push(json!({ "type": kind, "offset": offset, "length": length }));
        }
        self.text.push_str(text);
    }

    fn push_fact(&mut self, label: &str, fact: &str) {
        self.text.extend(["\n", label, ": "]);
        self.push("code", fact);
    }

    fn body(self) -> Value {
        json!({
            "text": self.text,
            "entities": self.entities,
            "link_preview_options": { "is_disabled": true },
        })
    }
}
