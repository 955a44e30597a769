//! A Discord app (<https://docs.discord.com/developers/interactions/receiving-and-responding>): embeds with buttons, and requests
//! that are signed with Ed25519.
//!
//! Facts are escaped, and arguments are in a code block that no content ends. `allowed_mentions` prevents notifications anyway.

use crate::{
    chats::{
        chat_address::{ChatAddress, read_hex},
        chat_call::{ChatCall, PlatformAnswer, PlatformFailure, error_word},
        chat_card::{ChatCard, LINK_LABEL},
        chat_platform::{ChatNote, ChatPlatform, GivenRequest, PlatformClick, PlatformRequest, ReplyContent},
        chat_types::{ChatAccount, ChatClick, ChatFollowUps, ChatRefusal, ChatReply, ClickChoice},
        json_lines::without_fences,
    },
    plain_text::escape_punctuation,
};
use reqwest::Method;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

/// The longest title, the longest description, and all embeds together, in characters.
const MAX_TITLE: usize = 256;
const MAX_DESCRIPTION: usize = 4_096;
const MAX_EMBEDS: usize = 6_000;

/// The longest private note, in characters.
const MAX_CONTENT: usize = 2_000;

/// The code of the answer that there is no such message.
const UNKNOWN_MESSAGE: u64 = 10_008;

/// The kinds of interactions and answers.
const PING: u64 = 1;
const COMPONENT: u64 = 3;
const PRIVATE_MESSAGE: u64 = 4;
const NO_CHANGE: u64 = 6;
const CHANGED_MESSAGE: u64 = 7;

/// The flag of a message that only the person who clicked sees.
const EPHEMERAL: u64 = 64;

pub(crate) struct DiscordPlatform;

impl ChatPlatform for DiscordPlatform {
    fn fits(&self, card: &ChatCard) -> bool {
        let embeds = embeds_of(card);
        let lengths = |name: &str| embeds.iter().map(|embed| count_units(&embed[name])).collect::<Vec<_>>();
        let (titles, descriptions) = (lengths("title"), lengths("description"));
        titles.iter().all(|length| *length <= MAX_TITLE)
            && descriptions.iter().all(|length| *length <= MAX_DESCRIPTION)
            && titles.iter().chain(&descriptions).sum::<usize>() <= MAX_EMBEDS
    }

    fn visible_text(&self, card: &ChatCard) -> String {
        message_text(&json!({ "content": "", "embeds": embeds_of(card) }))
    }

    fn render_post(&self, at: &ChatAddress, card: &ChatCard) -> ChatCall {
        ask(at, ChatCall::post(at.url.clone(), message_of(card)))
    }

    fn render_edit(&self, at: &ChatAddress, message: &str, card: &ChatCard) -> ChatCall {
        let id = message.rsplit_once('/').map_or(message, |(_, id)| id);
        ask(at, ChatCall::post(at.below(&[id]), message_of(card)).with_method(Method::PATCH))
    }

    fn render_note(&self, at: &ChatAddress, reply_to: Option<&str>, note: &ChatNote) -> ChatCall {
        let mut lines = String::new();
        for (label, fact) in &note.facts {
            let line = format!("{label}: {}\n", escape_punctuation(fact));
            if lines.chars().count() + line.chars().count() <= MAX_DESCRIPTION {
                lines.push_str(&line);
            }
        }
        let title: String = note.title.chars().take(MAX_TITLE / 2).collect();
        let mut body = json!({
            "embeds": [{ "title": escape_punctuation(&title), "description": lines.trim_end() }],
            "components": [{ "type": 1, "components": [link_button(note.link_label, &note.link)] }],
            "allowed_mentions": { "parse": [] },
        });
        if let Some((_, id)) = reply_to.and_then(|message| message.rsplit_once('/')) {
            body["message_reference"] = json!({ "message_id": id, "fail_if_not_exists": false });
        }
        ask(at, ChatCall::post(at.url.clone(), body))
    }

    fn read_outcome(&self, answer: &PlatformAnswer) -> Result<Option<String>, PlatformFailure> {
        let body = &answer.body;
        if (200..300).contains(&answer.status) {
            let name = body["channel_id"].as_str().zip(body["id"].as_str());
            return Ok(name.map(|(channel, id)| format!("{channel}/{id}")));
        }
        // Somebody deleted the message, so there is nothing to change.
        if body["code"] == UNKNOWN_MESSAGE {
            return Ok(None);
        }
        let pause =
            body["retry_after"].as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let reason = match body["message"].as_str() {
            Some(text) => format!("Discord answered {}: {}", answer.status, error_word(text)),
            None => format!("the target answered {}", answer.status),
        };
        Err(PlatformFailure { reason, retry_after: pause.or(answer.retry_after) })
    }

    fn read_request(
        &self,
        at: &ChatAddress,
        given: &GivenRequest<'_>,
    ) -> Result<PlatformRequest, ChatRefusal> {
        check_signature(at, given)?;
        let interaction: Value = serde_json::from_slice(given.body).map_err(|_| ChatRefusal::Malformed)?;
        match interaction["type"].as_u64() {
            Some(PING) => Ok(PlatformRequest::Handshake(json!({ "type": PING }))),
            Some(COMPONENT) => {
                read_click(&interaction).map(PlatformRequest::Click).ok_or(ChatRefusal::Malformed)
            }
            _ => Ok(PlatformRequest::Ignored),
        }
    }

    fn render_reply(&self, at: &ChatAddress, click: &ChatClick, shown: &ReplyContent) -> ChatReply {
        let link = shown.link.as_ref().map(|link| format!("<{link}>"));
        let texts = [shown.note.as_deref().map(escape_punctuation), link];
        let content: String = texts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let content: String = content.chars().take(MAX_CONTENT).collect();
        let private = json!({ "content": content, "flags": EPHEMERAL, "allowed_mentions": { "parse": [] } });
        let reply = |body, follow_ups| ChatReply { body, follow_ups: ChatFollowUps(follow_ups) };
        let Some(card) = &shown.card else {
            let kind = if content.is_empty() { NO_CHANGE } else { PRIVATE_MESSAGE };
            return reply(json!({ "type": kind, "data": private }), Vec::new());
        };
        let answer_to = click.answer_to.as_ref().filter(|_| !content.is_empty());
        let follow_up = answer_to.and_then(|answer_to| follow_up_address(at, answer_to.expose()));
        let follow_ups = follow_up.map(|url| ChatCall::post(url, private)).into_iter().collect();
        reply(json!({ "type": CHANGED_MESSAGE, "data": message_of(card) }), follow_ups)
    }

    fn render_replies(&self, at: &ChatAddress, click: &ChatClick) -> Option<ChatCall> {
        let (_, id) = click.message.rsplit_once('/')?;
        let mut url = at.url.clone();
        url.query_pairs_mut().append_pair("after", id).append_pair("limit", "100");
        Some(ask(at, ChatCall::get(url)))
    }

    fn find_reply(&self, click: &ChatClick, body: &Value) -> Option<String> {
        let user = click.account.id.strip_prefix("discord:")?;
        let (_, id) = click.message.rsplit_once('/')?;
        let is_own =
            |reply: &&Value| reply["author"]["id"] == user && reply["message_reference"]["message_id"] == id;
        let own = body.as_array()?.iter().filter(is_own);
        let last = own.max_by_key(|reply| reply["id"].as_str().and_then(|id| id.parse::<u64>().ok()))?;
        last["content"].as_str().map(str::to_owned)
    }
}

fn check_signature(at: &ChatAddress, given: &GivenRequest<'_>) -> Result<(), ChatRefusal> {
    let time = given.header("x-signature-timestamp").ok_or(ChatRefusal::Forged)?;
    let signature = given.header("x-signature-ed25519").and_then(read_hex).ok_or(ChatRefusal::Forged)?;
    let key = at.proof.as_ref().and_then(|key| read_hex(key.expose())).ok_or(ChatRefusal::Forged)?;
    let signed = [time.as_bytes(), given.body].concat();
    UnparsedPublicKey::new(&ED25519, key).verify(&signed, &signature).map_err(|_| ChatRefusal::Forged)?;
    given.check_age(time)
}

fn read_click(interaction: &Value) -> Option<PlatformClick> {
    // A person in a server is a member, and one in a private chat is not.
    let user =
        [&interaction["member"]["user"], &interaction["user"]].into_iter().find(|user| user.is_object())?;
    let id = user["id"].as_str()?;
    let message = &interaction["message"];
    let channel = [&interaction["channel_id"], &message["channel_id"]].into_iter().find_map(Value::as_str)?;
    let answer_to = interaction["application_id"].as_str().zip(interaction["token"].as_str());
    Some(PlatformClick {
        account: ChatAccount {
            id: format!("discord:{id}"),
            name: user["username"].as_str().unwrap_or(id).to_owned(),
        },
        value: interaction["data"]["custom_id"].as_str()?.to_owned(),
        message: format!("{channel}/{}", message["id"].as_str()?),
        shown: Some(message_text(message)),
        label: Some(label_of(message, interaction["data"]["custom_id"].as_str()?)),
        answer_to: answer_to.map(|(application, token)| format!("{application}/{token}").into()),
    })
}

/// The label of the button with this value in a message; empty if there is none.
fn label_of(message: &Value, value: &str) -> String {
    let rows = message["components"].as_array().into_iter().flatten();
    let mut buttons = rows.filter_map(|row| row["components"].as_array()).flatten();
    let found = buttons.find(|button| button["custom_id"] == value);
    found.and_then(|button| button["label"].as_str()).unwrap_or_default().to_owned()
}

/// The address for a message that follows an answer. The token of the interaction is in its path.
fn follow_up_address(at: &ChatAddress, answer_to: &str) -> Option<Url> {
    let (application, token) = answer_to.split_once('/')?;
    let mut url = at.url.clone();
    // The last parts are channels, the channel and messages.
    url.path_segments_mut().ok()?.pop().pop().pop().extend(["webhooks", application, token]);
    Some(url)
}

fn ask(at: &ChatAddress, call: ChatCall) -> ChatCall {
    call.with_token("Bot", at.token.expose())
}

fn message_of(card: &ChatCard) -> Value {
    let style = |choice| match choice {
        ClickChoice::Allow => 3,
        ClickChoice::AllowHour => 2,
        ClickChoice::Deny => 4,
    };
    let buttons = card.buttons.iter().map(|button| {
        json!({ "type": 2, "style": style(button.choice), "label": button.choice.label(), "custom_id": button.value })
    });
    let buttons: Vec<_> = buttons.chain([link_button(LINK_LABEL, &card.link)]).collect();
    json!({
        "content": "",
        "embeds": embeds_of(card),
        "components": [{ "type": 1, "components": buttons }],
        "allowed_mentions": { "parse": [] },
    })
}

fn link_button(label: &str, link: &str) -> Value {
    json!({ "type": 2, "style": 5, "label": label, "url": link })
}

fn embeds_of(card: &ChatCard) -> Vec<Value> {
    let mut lines: Vec<_> =
        card.facts.iter().map(|(label, fact)| format!("{label}: {}", escape_punctuation(fact))).collect();
    lines.extend(card.notice.map(|notice| format!("**{notice}**")));
    let facts = json!({ "title": escape_punctuation(&card.title), "description": lines.join("\n") });
    let arguments = card.arguments.as_ref();
    let arguments =
        arguments.map(|json| json!({ "description": format!("```json\n{}\n```", without_fences(json)) }));
    [Some(facts), arguments].into_iter().flatten().collect()
}

/// Everything that a message shows besides buttons.
fn message_text(message: &Value) -> String {
    let mut parts = vec![message["content"].as_str().unwrap_or_default().to_owned()];
    for embed in message["embeds"].as_array().into_iter().flatten() {
        for name in ["title", "description"] {
            parts.push(embed[name].as_str().unwrap_or_default().to_owned());
        }
        for name in ["fields", "author", "footer", "image", "thumbnail"] {
            let added = Some(&embed[name]).filter(|added| !added.is_null() && **added != json!([]));
            parts.extend(added.map(Value::to_string));
        }
    }
    parts.join("\n")
}

fn count_units(text: &Value) -> usize {
    text.as_str().unwrap_or_default().encode_utf16().count()
}
