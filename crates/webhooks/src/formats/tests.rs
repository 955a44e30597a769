//! Model output must not become markup, links or mentions in any format.

use super::*;
use crate::webhook_message::CallSubject;
use countersign_events::Json;
use countersign_events::{AdviceVerdict, AdvisorMode, WebhookTopic};
use serde_json::json;

mod alerts;

/// The log id.
const LOG: Sha256 = Sha256::ZERO;

/// A message in which every string is hostile.
fn hostile() -> WebhookMessage {
    let evil = "<!channel> <@U1> @everyone @here [x](https://evil.example) *b* _i_ `c` ||s|| {{DATE(1)}} ${a}\n\n# h\u{202e}";
    let text = || Some(evil.to_owned());
    let call = CallSubject {
        thread: evil.to_owned(),
        id: evil.to_owned(),
        tool: evil.to_owned(),
        agent: evil.to_owned(),
        risk: text(),
        message: text(),
        description: None,
        arguments: Some(Json::string(evil)),
        place: None,
        rule: text(),
        reason: text(),
        level: text(),
        deadline: None,
        openings: Vec::new(),
        is_decided: false,
    };
    WebhookMessage {
        call: Some(call),
        decided_by: text(),
        advisor: text(),
        by: text(),
        comment: text(),
        decision: Some("deny"),
        is_test: false,
        link: "https://server.example/calls/t/c".to_owned(),
        ..WebhookMessage::test(
            "evt_1".to_owned(),
            "2026-01-31T12:00:00.000Z".parse().expect("a time"),
            "https://x",
        )
    }
}

/// A message about an advisor answer on a hostile call.
fn advice() -> WebhookMessage {
    WebhookMessage {
        topic: WebhookTopic::Advised,
        advice: Some(AdviceVerdict::Deny),
        advisor: Some("reviewer".to_owned()),
        by: Some("advisor:reviewer".to_owned()),
        comment: None,
        decision: None,
        decided_by: None,
        ..hostile()
    }
}

/// A message about an advisor that fell back, which is about no call.
fn fall_back() -> WebhookMessage {
    WebhookMessage {
        topic: WebhookTopic::AdvisorMode,
        call: None,
        advisor: Some("reviewer".to_owned()),
        mode: Some(AdvisorMode::Advise),
        by: Some("system:drift".to_owned()),
        decision: None,
        decided_by: None,
        link: "https://server.example/insight#advisors".to_owned(),
        ..hostile()
    }
}

fn target(format: WebhookFormat) -> TargetUrl {
    let address = match format {
        WebhookFormat::PagerDuty | WebhookFormat::Opsgenie | WebhookFormat::Jira => {
            "https://hooks.example/v2/alerts#K3Y"
        }
        WebhookFormat::SlackApp => "https://slack.example/api/chat.postMessage?channel=C1#T0K3N:S3CRET",
        WebhookFormat::Telegram => "https://telegram.example/?chat_id=-1#1:T0K3N",
        WebhookFormat::DiscordApp => {
            "https://discord.example/api/v10/channels/1/messages#T0K3N:3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
        }
        WebhookFormat::Mattermost => "https://mattermost.example/api/v4/posts?channel_id=c1#T0K3N",
        _ => "https://hooks.example/topic",
    };
    TargetUrl::parse(address, format, false).expect("a target")
}

fn rendered(format: WebhookFormat) -> Value {
    body(format, &hostile())
}

fn send(format: WebhookFormat, message: &WebhookMessage) -> RenderedMessage {
    render(format, message, &target(format), LOG)
}

fn body(format: WebhookFormat, message: &WebhookMessage) -> Value {
    send(format, message).body
}

/// All strings in a JSON value.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn no_format_contains_hidden_characters_or_foreign_links() {
    let messages = [hostile(), advice(), fall_back()];
    for (format, message) in
        WebhookFormat::ALL.iter().flat_map(|format| messages.iter().map(move |message| (format, message)))
    {
        for text in texts(&body(*format, message)) {
            assert!(!text.contains('\u{202e}'), "{format:?}: {text}");
            let is_own =
                |link: &str| ["server.example", "adaptivecards.io"].iter().any(|host| link.starts_with(host));
            let foreign = text.split("://").skip(1).any(|link| !is_own(link));
            assert!(*format == WebhookFormat::Standard || !foreign, "{format:?}: {text}");
        }
    }
}

#[test]
fn slack_has_only_plain_text_without_mentions() {
    let body = rendered(WebhookFormat::Slack);
    assert!(!body.to_string().contains("mrkdwn\":true") && !body.to_string().contains("\"type\":\"mrkdwn\""));
    for text in texts(&body) {
        assert!(!text.contains('<') && !text.contains('>'), "{text}");
    }
    assert_eq!(body["blocks"][2]["elements"][0]["url"], "https://server.example/calls/t/c");
}

#[test]
fn teams_has_only_runs_without_functions() {
    let body = rendered(WebhookFormat::Teams);
    let card = &body["attachments"][0]["content"];
    assert!(card["body"].as_array().expect("a list").iter().all(|block| block["type"] == "RichTextBlock"));
    assert!(!body.to_string().contains("TextBlock\"") || !body.to_string().contains("\"TextBlock\""));
    assert!(!card["body"].to_string().contains("{{") && card["msteams"].is_null());
    assert_eq!(
        card["actions"],
        json!([{
            "type": "Action.OpenUrl", "title": "Open the call", "url": "https://server.example/calls/t/c"
        }])
    );
}

#[test]
fn discord_escapes_punctuation_and_allows_no_mention() {
    let body = rendered(WebhookFormat::Discord);
    assert_eq!(body["allowed_mentions"], json!({ "parse": [] }));
    assert!(body["content"].is_null());
    for field in body["embeds"][0]["fields"].as_array().expect("fields") {
        let value = field["value"].as_str().expect("a string");
        assert!(value.chars().count() <= 1_024);
        let mut escaped = false;
        for c in value.chars() {
            assert!(escaped || !c.is_ascii_punctuation() || c == '\\', "{value}");
            escaped = c == '\\' && !escaped;
        }
    }
}

#[test]
fn ntfy_is_plain_and_names_the_topic() {
    let message = send(WebhookFormat::Ntfy, &hostile());
    assert_eq!(message.url.as_str(), "https://hooks.example/");
    assert_eq!((&message.body["topic"], &message.body["markdown"]), (&json!("topic"), &json!(false)));
    assert_eq!(message.body["actions"].as_array().map(Vec::len), Some(1));
    assert_eq!(message.body["actions"][0]["action"], "view", "a button opens a page and decides nothing");
}

#[test]
fn arguments_are_only_for_targets_that_ask() {
    let names = |message: &WebhookMessage| {
        let body = body(WebhookFormat::Standard, message);
        assert_eq!(body["type"], "call.opened");
        body["data"].as_object().expect("an object").keys().cloned().collect::<Vec<_>>().join(" ")
    };
    let (without, with) = (names(&hostile().for_target(false)), names(&hostile().for_target(true)));
    assert!(
        without.contains("tool") && without.contains("link") && !without.contains("arguments"),
        "{without}"
    );
    assert!(with.contains("arguments"), "{with}");
    let slack = body(WebhookFormat::Slack, &hostile().for_target(false)).to_string();
    assert!(!slack.contains("Arguments"), "{slack}");
    let lines = Json::string("make build\nmake\u{200b} deploy");
    let call = hostile().call.map(|call| CallSubject { arguments: Some(lines), ..call });
    let shown = body(WebhookFormat::Standard, &WebhookMessage { call, ..hostile() });
    assert_eq!(shown["data"]["arguments"], "make build\nmake\\u{200b} deploy", "two lines stay two");
    let large = Json::string(&"x".repeat(70_000));
    let call = hostile().call.map(|call| CallSubject { arguments: Some(large), ..call });
    assert!(!names(&WebhookMessage { call, ..hostile() }).contains("arguments"), "too large for a message");
}

#[test]
fn question_is_shown_in_words() {
    let asked = r#"{"questions":[{"question":"Which <b>?","options":[{"label":"SQLite","description":"one file"},{"label":"MySQL"}],"multiSelect":false}]}"#;
    let arguments = Json::parse(asked).ok();
    let call =
        hostile().call.map(|call| CallSubject { tool: "AskUserQuestion".to_owned(), arguments, ..call });
    let message = WebhookMessage { call, ..hostile() };
    let facts = message.chat_texts().1;
    let said: Vec<_> = facts.iter().filter(|(label, _)| ["Question", "Arguments"].contains(label)).collect();
    assert_eq!(said, [&("Question", "Which <b>?; 1 SQLite: one file; 2 MySQL".to_owned())]);
    let standard = body(WebhookFormat::Standard, &message);
    assert_eq!(standard["data"]["question"], "Which <b>?\n  1 SQLite: one file\n  2 MySQL");
    let names = body(WebhookFormat::Standard, &message.for_target(false)).to_string();
    assert!(!names.contains("SQLite"), "only for targets that ask for arguments: {names}");
}

#[test]
fn long_texts_stay_within_the_limits_of_chats() {
    let long = "\\*".repeat(10_000);
    let call =
        hostile().call.map(|call| CallSubject { tool: long.clone(), message: Some(long.clone()), ..call });
    let message = WebhookMessage { call, comment: Some(long), ..hostile() };
    let body = |format| body(format, &message);
    let slack = body(WebhookFormat::Slack);
    assert!(slack["blocks"][0]["text"]["text"].as_str().expect("a string").chars().count() <= 150);
    let discord = body(WebhookFormat::Discord);
    assert!(discord["embeds"][0]["title"].as_str().expect("a string").chars().count() <= 256);
    let total: usize = texts(&discord["embeds"][0]).iter().map(|text| text.chars().count()).sum();
    assert!(total <= 6_000, "{total}");
    assert!(body(WebhookFormat::Ntfy).to_string().len() < 4_096 * 4);
}

#[test]
fn chat_names_the_advisor_that_decided() {
    let tool = || hostile().call.map(|call| CallSubject { tool: "bash".to_owned(), ..call });
    let decided = |decision| WebhookMessage {
        topic: WebhookTopic::Decided,
        call: tool(),
        decision: Some(decision),
        advisor: Some("reviewer".to_owned()),
        ..hostile()
    };
    let title = |message: &WebhookMessage| message.chat_texts().0;
    assert_eq!(title(&decided("deny")), "Denied by advisor reviewer: bash");
    assert_eq!(title(&decided("allow_once")), "Allowed by advisor reviewer: bash");
    assert_eq!(title(&WebhookMessage { advisor: None, ..decided("deny") }), "Denied: bash");
    assert_eq!(title(&WebhookMessage { call: tool(), ..advice() }), "Advisor reviewer says deny: bash");
    assert_eq!(title(&fall_back()), "Advisor reviewer only advises from now on");
}

#[test]
fn message_about_an_advisor_names_no_call() {
    let standard = body(WebhookFormat::Standard, &fall_back());
    assert_eq!(standard["type"], "advisor.mode");
    let data = standard["data"].as_object().expect("an object");
    let names: Vec<_> = data.keys().map(String::as_str).collect();
    assert_eq!(names, ["advisor", "by", "comment", "link", "mode", "seq"]);
    let ntfy = body(WebhookFormat::Ntfy, &fall_back());
    assert_eq!(ntfy["actions"][0]["label"], "Open the advisors");
    assert_eq!(body(WebhookFormat::Standard, &advice())["type"], "call.advised");
}
