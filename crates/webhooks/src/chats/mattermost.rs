//! A Mattermost bot (<https://developers.mattermost.com/api-documentation/>) with buttons of message attachments
//! (<https://developers.mattermost.com/integrate/plugins/interactive-messages/>).
//!
//! Everything from a call is in code blocks whose fence is longer than each run of backticks in them. Requests are not signed: the
//! value of a button proves them, because only the Mattermost server has it.

use crate::{
    chats::{
        chat_address::ChatAddress,
        chat_call::{ChatCall, PlatformAnswer, PlatformFailure, error_word},
        chat_card::{ChatCard, LINK_LABEL},
        chat_platform::{ChatNote, ChatPlatform, GivenRequest, PlatformClick, PlatformRequest, ReplyContent},
        chat_types::{ChatAccount, ChatClick, ChatFollowUps, ChatRefusal, ChatReply, ClickChoice},
    },
    plain_text::escape_punctuation,
};
use reqwest::Method;
use serde_json::{Value, json};

/// The longest message, in characters. Mattermost permits 16,383.
const MAX_MESSAGE: usize = 16_000;

pub(crate) struct MattermostPlatform;

impl ChatPlatform for MattermostPlatform {
    fn fits(&self, card: &ChatCard) -> bool {
        card_text(card).chars().count() <= MAX_MESSAGE
    }

    fn visible_text(&self, card: &ChatCard) -> String {
        let attachment = link_attachment(LINK_LABEL, &card.link);
        post_text(&json!({ "message": card_text(card), "props": { "attachments": [attachment] } }))
    }

    fn render_post(&self, at: &ChatAddress, card: &ChatCard) -> ChatCall {
        let mut body = post_of(at, card);
        body["channel_id"] = json!(at.channel);
        ask(at, ChatCall::post(at.url.clone(), body))
    }

    fn render_edit(&self, at: &ChatAddress, message: &str, card: &ChatCard) -> ChatCall {
        ask(at, ChatCall::post(at.below(&[message, "patch"]), post_of(at, card)).with_method(Method::PUT))
    }

    fn render_note(&self, at: &ChatAddress, reply_to: Option<&str>, note: &ChatNote) -> ChatCall {
        let lines = note.facts.iter().map(|(label, fact)| format!("{label}: {fact}"));
        let lines: Vec<_> = std::iter::once(note.title.clone()).chain(lines).collect();
        let mut body = json!({
            "channel_id": at.channel,
            "message": block("text", &lines.join("\n")),
            "props": { "attachments": [link_attachment(note.link_label, &note.link)] },
        });
        if let Some(root) = reply_to {
            body["root_id"] = json!(root);
        }
        ask(at, ChatCall::post(at.url.clone(), body))
    }

    fn read_outcome(&self, answer: &PlatformAnswer) -> Result<Option<String>, PlatformFailure> {
        let body = &answer.body;
        if (200..300).contains(&answer.status) {
            return Ok(body["id"].as_str().map(str::to_owned));
        }
        let error = body["id"].as_str().unwrap_or_default();
        // Somebody deleted the message, so there is nothing to change.
        if answer.status == 404 && error.starts_with("app.post.") {
            return Ok(None);
        }
        let reason = match error {
            "" => format!("the target answered {}", answer.status),
            error => format!("Mattermost answered {}: {}", answer.status, error_word(error)),
        };
        Err(PlatformFailure { reason, retry_after: answer.retry_after })
    }

    fn read_request(
        &self,
        at: &ChatAddress,
        given: &GivenRequest<'_>,
    ) -> Result<PlatformRequest, ChatRefusal> {
        let click: Value = serde_json::from_slice(given.body).map_err(|_| ChatRefusal::Malformed)?;
        if click["context"]["value"].as_str().is_none() {
            return Err(ChatRefusal::Forged);
        }
        read_click(at, &click).map(PlatformRequest::Click).ok_or(ChatRefusal::Malformed)
    }

    fn render_reply(&self, at: &ChatAddress, _click: &ChatClick, shown: &ReplyContent) -> ChatReply {
        let link = shown.link.as_ref().map(|link| format!("<{link}>"));
        let texts = [shown.note.as_deref().map(escape_punctuation), link];
        let note: String = texts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let mut body = json!({});
        if let Some(card) = &shown.card {
            body["update"] = post_of(at, card);
        }
        if !note.is_empty() {
            body["ephemeral_text"] = json!(note);
            // The text is Markdown and not that of Slack.
            body["skip_slack_parsing"] = json!(true);
        }
        ChatReply { body, follow_ups: ChatFollowUps::default() }
    }

    fn render_lookup(&self, at: &ChatAddress, click: &ChatClick) -> Option<ChatCall> {
        Some(ask(at, ChatCall::get(at.below(&[&click.message]))))
    }

    fn find_visible_text(&self, body: &Value) -> Option<String> {
        body["message"].is_string().then(|| post_text(body))
    }

    fn render_replies(&self, at: &ChatAddress, click: &ChatClick) -> Option<ChatCall> {
        Some(ask(at, ChatCall::get(at.below(&[&click.message, "thread"]))))
    }

    fn find_reply(&self, click: &ChatClick, body: &Value) -> Option<String> {
        let user = click.account.id.rsplit('/').next()?;
        let is_own = |post: &&Value| {
            post["user_id"] == user
                && post["root_id"] == click.message.as_str()
                && post["type"].as_str().is_none_or(str::is_empty)
        };
        let own = body["posts"].as_object()?.values().filter(is_own);
        let last = own.max_by_key(|post| post["create_at"].as_i64())?;
        last["message"].as_str().map(str::to_owned)
    }
}

fn read_click(at: &ChatAddress, click: &Value) -> Option<PlatformClick> {
    let id = click["user_id"].as_str()?;
    let host = at.url.host_str()?;
    let host = at.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    // The parts become segments of paths.
    let is_id = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let (id, post) = (Some(id).filter(is_id)?, click["post_id"].as_str().filter(is_id)?);
    Some(PlatformClick {
        account: ChatAccount {
            id: format!("mattermost:{host}/{id}"),
            name: click["user_name"].as_str().unwrap_or(id).to_owned(),
        },
        value: click["context"]["value"].as_str()?.to_owned(),
        message: post.to_owned(),
        shown: None,
        label: None,
        answer_to: None,
    })
}

fn ask(at: &ChatAddress, call: ChatCall) -> ChatCall {
    call.with_token("Bearer", at.token.expose())
}

fn post_of(at: &ChatAddress, card: &ChatCard) -> Value {
    let mut attachment = link_attachment(LINK_LABEL, &card.link);
    let action = |choice: ClickChoice, value: &str| {
        let (id, style) = match choice {
            ClickChoice::Allow => ("allow", "good"),
            ClickChoice::AllowHour => ("allowhour", "default"),
            ClickChoice::Deny => ("deny", "danger"),
        };
        json!({
            "id": id, "name": choice.label(), "type": "button", "style": style,
            "integration": { "url": at.clicks, "context": { "value": value } },
        })
    };
    let actions: Vec<_> = card.buttons.iter().map(|button| action(button.choice, &button.value)).collect();
    if !actions.is_empty() {
        attachment["actions"] = json!(actions);
    }
    json!({ "message": card_text(card), "props": { "attachments": [attachment] } })
}

fn link_attachment(label: &str, link: &str) -> Value {
    json!({ "fallback": label, "title": label, "title_link": link })
}

fn card_text(card: &ChatCard) -> String {
    let mut lines = vec![card.title.clone()];
    lines.extend(card.fact_lines());
    let mut blocks = vec![block("text", &lines.join("\n"))];
    blocks.extend(card.arguments.as_ref().map(|arguments| block("json", arguments)));
    blocks.extend(card.notice.map(|notice| format!("**{notice}**")));
    blocks.join("\n")
}

/// Everything that a post shows besides buttons.
fn post_text(post: &Value) -> String {
    let mut parts = vec![post["message"].as_str().unwrap_or_default().to_owned()];
    for attachment in post["props"]["attachments"].as_array().into_iter().flatten() {
        for name in ["pretext", "author_name", "title", "title_link", "text", "footer", "image_url"] {
            parts.push(attachment[name].as_str().unwrap_or_default().to_owned());
        }
        let fields = attachment["fields"].as_array().filter(|fields| !fields.is_empty());
        parts.extend(fields.map(|fields| json!(fields).to_string()));
    }
    parts.join("\n")
}

/// A code block that its content cannot end.
fn block(language: &str, content: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for c in content.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{content}\n{fence}")
}
