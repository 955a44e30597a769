//! A Slack app: Block Kit (<https://docs.slack.dev/reference/block-kit>), `chat.postMessage` and `chat.update`, and signed
//! requests (<https://docs.slack.dev/authentication/verifying-requests-from-slack>).
//!
//! A card consists of `text` elements in a `rich_text` block, which are shown as they are: without markup, mentions and links.

use crate::chats::{
    chat_address::{ChatAddress, read_hex},
    chat_call::{ChatCall, PlatformAnswer, PlatformFailure, error_word},
    chat_card::{ChatCard, LINK_LABEL},
    chat_platform::{ChatNote, ChatPlatform, GivenRequest, PlatformClick, PlatformRequest, ReplyContent},
    chat_types::{ChatAccount, ChatClick, ChatFollowUps, ChatRefusal, ChatReply, ClickChoice},
};
use ring::hmac;
use serde_json::{Value, json};

/// The most bytes of blocks. Slack refuses more than about 13,200 without documenting it.
const MAX_BLOCKS: usize = 12_000;

/// The longest summary for notifications, in characters.
const MAX_SUMMARY: usize = 300;

/// The most replies that are read.
const MAX_REPLIES: &str = "100";

pub(crate) struct SlackPlatform;

impl ChatPlatform for SlackPlatform {
    fn fits(&self, card: &ChatCard) -> bool {
        card_blocks(card).to_string().len() <= MAX_BLOCKS
    }

    fn visible_text(&self, card: &ChatCard) -> String {
        blocks_text(&card_blocks(card))
    }

    fn render_post(&self, at: &ChatAddress, card: &ChatCard) -> ChatCall {
        let mut body = message_body(&card.title, &card_blocks(card));
        body["channel"] = json!(at.channel);
        ChatCall::post(at.url.clone(), body).with_token("Bearer", at.token.expose())
    }

    fn render_edit(&self, at: &ChatAddress, message: &str, card: &ChatCard) -> ChatCall {
        let (channel, ts) = message.split_once('/').unwrap_or((&at.channel, message));
        let mut body = message_body(&card.title, &card_blocks(card));
        body["channel"] = json!(channel);
        body["ts"] = json!(ts);
        ChatCall::post(at.beside("chat.update"), body).with_token("Bearer", at.token.expose())
    }

    fn render_note(&self, at: &ChatAddress, reply_to: Option<&str>, note: &ChatNote) -> ChatCall {
        let facts: Vec<_> = note.facts.iter().map(|(label, text)| format!("{label}: {text}")).collect();
        let blocks = json!([
            { "type": "rich_text", "elements": [
                { "type": "rich_text_section", "elements": [bold(&note.title), text_of(&lines_after(&facts))] },
            ]},
            { "type": "actions", "elements": [link_button(note.link_label, &note.link)] },
        ]);
        let mut body = message_body(&note.title, &blocks);
        body["channel"] = json!(at.channel);
        if let Some((channel, ts)) = reply_to.and_then(|message| message.split_once('/')) {
            body["channel"] = json!(channel);
            body["thread_ts"] = json!(ts);
        }
        ChatCall::post(at.url.clone(), body).with_token("Bearer", at.token.expose())
    }

    fn read_outcome(&self, answer: &PlatformAnswer) -> Result<Option<String>, PlatformFailure> {
        let body = &answer.body;
        // A response address answers with a plain text.
        if (200..300).contains(&answer.status) && (body["ok"] == true || body.is_null()) {
            let name = |channel: &str, ts: &str| format!("{channel}/{ts}");
            return Ok(body["channel"]
                .as_str()
                .zip(body["ts"].as_str())
                .map(|(channel, ts)| name(channel, ts)));
        }
        let error = body["error"].as_str().unwrap_or_default();
        // Somebody deleted the message, so there is nothing to change.
        if error == "message_not_found" {
            return Ok(None);
        }
        let reason = match error {
            "" => format!("the target answered {}", answer.status),
            error => format!("Slack answered {}", error_word(error)),
        };
        Err(PlatformFailure { reason, retry_after: answer.retry_after })
    }

    fn read_request(
        &self,
        at: &ChatAddress,
        given: &GivenRequest<'_>,
    ) -> Result<PlatformRequest, ChatRefusal> {
        check_signature(at, given)?;
        let payload = url::form_urlencoded::parse(given.body).find(|(name, _)| name == "payload");
        let (_, payload) = payload.ok_or(ChatRefusal::Malformed)?;
        let payload: Value = serde_json::from_str(&payload).map_err(|_| ChatRefusal::Malformed)?;
        if payload["type"] != "block_actions" {
            return Ok(PlatformRequest::Ignored);
        }
        let value = payload["actions"][0]["value"].as_str();
        // The button with the link has no value.
        let Some(value) = value else { return Ok(PlatformRequest::Ignored) };
        read_click(&payload, value).map(PlatformRequest::Click).ok_or(ChatRefusal::Malformed)
    }

    fn render_reply(&self, at: &ChatAddress, click: &ChatClick, shown: &ReplyContent) -> ChatReply {
        let edit = shown.card.as_ref().map(|card| self.render_edit(at, &click.message, card));
        let link = shown.link.as_ref().map(|link| format!("<{}>", escape(link)));
        let texts = [shown.note.as_deref().map(escape), link];
        let note = texts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let address = click.answer_to.as_ref().and_then(|address| address.expose().parse().ok());
        let private = address.filter(|_| !note.is_empty()).map(|address| {
            let body = json!({ "response_type": "ephemeral", "replace_original": false, "text": note });
            ChatCall::post(address, body)
        });
        let follow_ups = ChatFollowUps([edit, private].into_iter().flatten().collect());
        ChatReply { body: Value::Null, follow_ups }
    }

    fn may_answer_to(&self, address: &str) -> bool {
        address.starts_with("https://hooks.slack.com/")
    }

    fn render_replies(&self, at: &ChatAddress, click: &ChatClick) -> Option<ChatCall> {
        let (channel, ts) = click.message.split_once('/')?;
        let mut url = at.beside("conversations.replies");
        url.query_pairs_mut().append_pair("channel", channel).append_pair("ts", ts);
        url.query_pairs_mut().append_pair("limit", MAX_REPLIES);
        Some(ChatCall::get(url).with_token("Bearer", at.token.expose()))
    }

    fn find_reply(&self, click: &ChatClick, body: &Value) -> Option<String> {
        let user = click.account.id.rsplit('/').next()?;
        let ts = click.message.split_once('/')?.1;
        let replies = body["messages"].as_array()?.iter();
        let own =
            replies.filter(|reply| reply["user"] == user && reply["ts"] != ts && reply["subtype"].is_null());
        own.filter_map(|reply| Some((reply["ts"].as_str()?, reply["text"].as_str()?)))
            .max_by(|one, other| one.0.cmp(other.0))
            .map(|(_, text)| unescape(text))
    }
}

/// Checks `v0`: an HMAC over the version, the time and the body.
fn check_signature(at: &ChatAddress, given: &GivenRequest<'_>) -> Result<(), ChatRefusal> {
    let time = given.header("x-slack-request-timestamp").ok_or(ChatRefusal::Forged)?;
    let signature = given.header("x-slack-signature").and_then(|text| text.strip_prefix("v0="));
    let signature = signature.and_then(read_hex).ok_or(ChatRefusal::Forged)?;
    let secret = at.proof.as_ref().ok_or(ChatRefusal::Forged)?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
    let signed = [b"v0:", time.as_bytes(), b":", given.body].concat();
    hmac::verify(&key, &signed, &signature).map_err(|_| ChatRefusal::Forged)?;
    given.check_age(time)
}

fn read_click(payload: &Value, value: &str) -> Option<PlatformClick> {
    let user = &payload["user"];
    let id = user["id"].as_str()?;
    // A person of another workspace can be in a shared channel.
    let team = [&user["team_id"], &payload["team"]["id"], &payload["enterprise"]["id"]];
    let team = team.into_iter().find_map(Value::as_str)?;
    let name = [&user["username"], &user["name"]].into_iter().find_map(Value::as_str).unwrap_or(id);
    let container = &payload["container"];
    let channel = container["channel_id"].as_str().or_else(|| payload["channel"]["id"].as_str())?;
    let ts = container["message_ts"].as_str().or_else(|| payload["message"]["ts"].as_str())?;
    let blocks = &payload["message"]["blocks"];
    Some(PlatformClick {
        account: ChatAccount { id: format!("slack:{team}/{id}"), name: name.to_owned() },
        value: value.to_owned(),
        message: format!("{channel}/{ts}"),
        // A message without blocks is none of ours as it was sent.
        shown: Some(blocks_text(blocks)),
        label: Some(payload["actions"][0]["text"]["text"].as_str().unwrap_or_default().to_owned()),
        answer_to: payload["response_url"].as_str().map(Into::into),
    })
}

fn message_body(title: &str, blocks: &Value) -> Value {
    let summary: String = title.chars().take(MAX_SUMMARY).collect();
    json!({
        "text": escape(&summary),
        "mrkdwn": false,
        "parse": "none",
        "unfurl_links": false,
        "unfurl_media": false,
        "blocks": blocks,
    })
}

fn card_blocks(card: &ChatCard) -> Value {
    let mut section = vec![bold(&card.title), text_of(&lines_after(&card.fact_lines()))];
    if let Some(notice) = card.notice {
        section.push(text_of("\n"));
        section.push(bold(notice));
    }
    let mut elements = vec![json!({ "type": "rich_text_section", "elements": section })];
    if let Some(arguments) = &card.arguments {
        elements.push(json!({ "type": "rich_text_preformatted", "elements": [text_of(arguments)] }));
    }
    let buttons = card.buttons.iter().map(|button| {
        let label = button.choice.label();
        let mut element =
            json!({ "type": "button", "action_id": label, "text": plain(label), "value": button.value });
        match button.choice {
            ClickChoice::Allow => element["style"] = json!("primary"),
            ClickChoice::Deny => element["style"] = json!("danger"),
            ClickChoice::AllowHour => {}
        }
        element
    });
    let buttons: Vec<_> = buttons.chain([link_button(LINK_LABEL, &card.link)]).collect();
    json!([{ "type": "rich_text", "elements": elements }, { "type": "actions", "elements": buttons }])
}

fn lines_after(lines: &[String]) -> String {
    lines.iter().flat_map(|line| ["\n", line]).collect()
}

fn link_button(label: &str, link: &str) -> Value {
    json!({ "type": "button", "action_id": "open", "text": plain(label), "url": link })
}

fn plain(text: &str) -> Value {
    json!({ "type": "plain_text", "text": text, "emoji": false })
}

fn text_of(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn bold(text: &str) -> Value {
    json!({ "type": "text", "text": text, "style": { "bold": true } })
}

/// Everything that blocks show besides buttons, whatever their types. Slack may split a string, and may send an emoji as an
/// element with its code points.
fn blocks_text(blocks: &Value) -> String {
    let mut text = String::new();
    for block in blocks.as_array().into_iter().flatten().filter(|block| block["type"] != "actions") {
        add_text(&mut text, block);
    }
    text
}

fn add_text(text: &mut String, value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_text(text, item)),
        Value::Object(members) if members.get("type").is_some_and(|kind| kind == "emoji") => {
            let codes = members.get("unicode").and_then(Value::as_str).unwrap_or_default();
            let code =
                |code| u32::from_str_radix(code, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
            text.extend(codes.split('-').map(code));
        }
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(shown) if !matches!(name.as_str(), "type" | "block_id" | "language") => {
                        text.push_str(shown);
                    }
                    Value::Array(_) | Value::Object(_) => add_text(text, member),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// The escapes of <https://docs.slack.dev/messaging/formatting-message-text#escaping>.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
