//! A Telegram bot, played from <https://core.telegram.org/bots/api>.

use super::{
    ALL, ChatWorld, HOSTILE, LOG, call, changed, decided, headers, now,
    played_platform::{PlayedAnswer, PlayedPlatform, PlayedRequest},
    record,
};
use crate::{
    chats::chat_types::{ChatAnswer, ChatRefusal, ChatRequest, ClickChoice},
    posted_messages::PostedChange,
};
use countersign_events::{WebhookFormat, WebhookTopic};
use countersign_gate::WebhookTransport;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

const TOKEN: &str = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";

fn address(origin: &str) -> String {
    format!("{origin}/?chat_id=-1001234#{TOKEN}")
}

async fn telegram() -> (PlayedPlatform, ChatWorld) {
    let platform = PlayedPlatform::start(|request| {
        let result = if request.line.ends_with("/setWebhook") {
            json!(true)
        } else {
            json!({ "message_id": 7, "chat": { "id": -1_001_234 } })
        };
        PlayedAnswer::json(&json!({ "ok": true, "result": result }))
    })
    .await;
    let world = ChatWorld::new(WebhookFormat::Telegram, &address(&platform.origin)).await;
    (platform, world)
}

/// Posts the message, and returns the request that set the webhook and the one that posted.
async fn posted(
    platform: &PlayedPlatform,
    world: &ChatWorld,
    call: &countersign_api::Call,
) -> (PlayedRequest, PlayedRequest) {
    assert_eq!(world.posts(call).await, "-1001234/7");
    let [setup, post]: [PlayedRequest; 2] = platform.take().try_into().expect("two requests");
    (setup, post)
}

/// The update about a click, as Telegram documents it.
fn update(post: &Value, value: &str) -> String {
    json!({ "update_id": 1, "callback_query": {
        "id": "4382bfdwdsb323b2d9", "chat_instance": "1", "data": value,
        "from": { "id": 1_111_111, "is_bot": false, "first_name": "Ada", "username": "ada" },
        "message": { "message_id": 7, "date": 1_769_860_700, "chat": { "id": -1_001_234, "type": "supergroup" },
            "text": post["text"], "entities": post["entities"], "reply_markup": post["reply_markup"] },
    }})
    .to_string()
}

fn value_of(post: &Value, button: usize) -> String {
    post["reply_markup"]["inline_keyboard"][0][button]["callback_data"].as_str().expect("a value").to_owned()
}

fn secret(setup: &PlayedRequest) -> HeaderMap {
    let secret = setup.body["secret_token"].as_str().expect("a secret");
    headers(&[("x-telegram-bot-api-secret-token", secret)])
}

fn labels(body: &Value) -> Vec<&str> {
    let rows = body["reply_markup"]["inline_keyboard"].as_array().expect("rows");
    rows.iter()
        .flat_map(|row| row.as_array().expect("a row"))
        .map(|button| button["text"].as_str().expect("a string"))
        .collect()
}

/// What the entities of a kind cover.
fn entity_texts(body: &Value, kind: &str) -> Vec<String> {
    let units: Vec<u16> = body["text"].as_str().expect("a string").encode_utf16().collect();
    let number =
        |entity: &Value, name| usize::try_from(entity[name].as_u64().expect("a number")).expect("small");
    let entities =
        body["entities"].as_array().expect("entities").iter().filter(|entity| entity["type"] == kind);
    let text = |entity| {
        let (offset, length) = (number(entity, "offset"), number(entity, "length"));
        String::from_utf16(&units[offset..offset + length]).expect("whole characters")
    };
    entities.map(text).collect()
}

#[tokio::test]
async fn telegram_message_changes_with_its_call() {
    let (platform, world) = telegram().await;
    let call = call(&json!({ "cluster": "prod", "emoji": "\u{1f600}" }));
    let (setup, post) = posted(&platform, &world, &call).await;
    assert_eq!(setup.line, format!("POST /bot{TOKEN}/setWebhook"));
    assert_eq!(setup.body["url"], "https://approvals.example/chats/ops");
    assert_eq!(setup.body["allowed_updates"], json!(["callback_query"]));
    assert_eq!(
        (post.line, &post.body["chat_id"]),
        (format!("POST /bot{TOKEN}/sendMessage"), &json!("-1001234"))
    );
    assert_eq!(labels(&post.body), ["Allow", "Allow for 1 hour", "Deny", "Open the call"]);
    assert!(value_of(&post.body, 0).len() <= 64);
    assert_eq!(
        entity_texts(&post.body, "pre"),
        ["{\n  \"cluster\": \"prod\",\n  \"emoji\": \"\u{1f600}\"\n}"]
    );
    assert!(post.body["parse_mode"].is_null());
    let decided = decided(&call, "allow_once", "go");
    let outcome = world.sends(WebhookTopic::Decided, &decided, Some("-1001234/7")).await;
    assert_eq!(outcome, Ok(Some(PostedChange::Forget(42))));
    let edit = platform.take().remove(0);
    assert_eq!(
        (edit.line, &edit.body["message_id"]),
        (format!("POST /bot{TOKEN}/editMessageText"), &json!(7))
    );
    assert_eq!(labels(&edit.body), ["Open the call"]);
    let shown = edit.body["text"].as_str().expect("a string");
    assert!(
        shown.starts_with("Allowed: deploy\n") && shown.contains("user:ada") && shown.contains("go"),
        "{shown}"
    );
    let report = world.sender.test(&world.record, now()).await;
    assert!(report.delivered, "{}", report.detail);
    let lines: Vec<_> = platform.take().into_iter().map(|request| request.line).collect();
    assert!(
        lines[0].ends_with("/setWebhook") && lines[1].ends_with("/sendMessage"),
        "a test sets the webhook: {lines:?}"
    );
}

#[tokio::test]
async fn telegram_failures_are_read() {
    let platform = PlayedPlatform::start(|request| {
        let (status, body) = match request.body["text"].as_str().unwrap_or_default() {
            text if text.starts_with("Approval needed") => (429, json!({ "ok": false, "error_code": 429, "description": "Too Many Requests: retry after 9", "parameters": { "retry_after": 9 } })),
            text if text.starts_with("Denied") => (400, json!({ "ok": false, "error_code": 400, "description": "Bad Request: message is not modified: specified new message content is the same" })),
            _ => (400, json!({ "ok": false, "error_code": 400, "description": "Bad Request: bad webhook" })),
        };
        PlayedAnswer { status, header: String::new(), body: body.to_string() }
    })
    .await;
    let world = ChatWorld::new(WebhookFormat::Telegram, &address(&platform.origin)).await;
    let call = call(&json!({}));
    let failed = world.sends(WebhookTopic::Opened, &call, None).await.expect_err("limited");
    assert_eq!(
        failed.retry_after.map(|pause| pause.as_secs()),
        Some(9),
        "a failed setup does not stop messages"
    );
    assert_eq!(failed.reason, "Telegram answered Too Many Requests retry after 9");
    let same = world.sends(WebhookTopic::Decided, &decided(&call, "deny", ""), Some("1/2")).await;
    assert_eq!(same, Ok(Some(PostedChange::Forget(42))));
    let report = world.sender.test(&world.record, now()).await;
    assert_eq!(
        (report.delivered, report.detail.as_str()),
        (false, "Telegram answered Bad Request bad webhook")
    );
}

#[tokio::test]
async fn telegram_click_is_proven_by_the_secret() {
    let (platform, world) = telegram().await;
    let call = call(&json!({ "cluster": "prod" }));
    let (setup, post) = posted(&platform, &world, &call).await;
    let body = update(&post.body, &value_of(&post.body, 2));
    let click = world.reads_click(&secret(&setup), &body);
    assert_eq!((click.choice, click.seq), (ClickChoice::Deny, 42));
    assert_eq!((click.account.id.as_str(), click.account.name.as_str()), ("telegram:1111111", "ada"));
    assert_eq!(world.checks(&click, &call).await, Ok(()));
    assert_eq!(world.checks(&click, &super::call(&json!({ "cluster": "x" }))).await, Err(ChatRefusal::Stale));
    assert_eq!(
        world.checks(&click, &decided(&call, "deny", "")).await,
        Err(ChatRefusal::Closed),
        "a replayed click"
    );
    for forged in [HeaderMap::new(), headers(&[("x-telegram-bot-api-secret-token", "guess")])] {
        assert_eq!(world.reads(&forged, &body).err(), Some(ChatRefusal::Forged));
    }
    let value = value_of(&post.body, 2).replacen('d', "a", 1);
    assert_eq!(world.reads(&secret(&setup), &update(&post.body, &value)).err(), Some(ChatRefusal::Forged));
    let other = record(&world.sender, 4, WebhookFormat::Telegram, &address(&platform.origin)).await;
    let read = world.sender.read_chat_request(&other, LOG, &secret(&setup), body.as_bytes(), now());
    assert_eq!(read.err(), Some(ChatRefusal::Forged), "the secret of another webhook");
    let message = json!({ "update_id": 2, "message": { "text": "hello" } }).to_string();
    assert!(matches!(world.reads(&secret(&setup), &message), Ok(ChatRequest::Ignored)));
    assert_eq!(world.reads(&secret(&setup), "{").err(), Some(ChatRefusal::Malformed));
    let mut edited = post.body.clone();
    edited["text"] = json!(edited["text"].as_str().expect("a string").replace("prod", "test"));
    let click = world.reads_click(&secret(&setup), &update(&edited, &value_of(&post.body, 0)));
    assert_eq!(world.checks(&click, &call).await, Err(ChatRefusal::Edited));
    let mut relabelled = post.body.clone();
    relabelled["reply_markup"]["inline_keyboard"][0][0]["text"] = json!("Deny");
    let click = world.reads_click(&secret(&setup), &update(&relabelled, &value_of(&post.body, 0)));
    assert_eq!(world.checks(&click, &call).await, Err(ChatRefusal::Edited), "another word on the button");
    let old = update(&json!({}), &value_of(&post.body, 0));
    assert_eq!(
        world.checks(&world.reads_click(&secret(&setup), &old), &call).await,
        Err(ChatRefusal::Edited),
        "no text"
    );
}

#[tokio::test]
async fn telegram_alert_has_the_link_if_it_fits() {
    let (platform, world) = telegram().await;
    let call = call(&json!({}));
    let (setup, post) = posted(&platform, &world, &call).await;
    let click = world.reads_click(&secret(&setup), &update(&post.body, &value_of(&post.body, 0)));
    let answers = |answer| world.sender.answer_click(&world.record, LOG, &click, answer).expect("an answer");
    let reply = answers(ChatAnswer::Link { url: "https://approvals.example/x".to_owned() });
    assert_eq!(
        reply.body,
        json!({ "method": "answerCallbackQuery", "callback_query_id": "4382bfdwdsb323b2d9",
        "text": "Link your account first: https://approvals.example/x", "show_alert": true })
    );
    assert!(reply.follow_ups.is_empty());
    let long = format!("https://approvals.example/{}", "x".repeat(200));
    let reply = answers(ChatAnswer::Link { url: long.clone() });
    assert!(reply.body["text"].as_str().expect("a string").chars().count() <= 200);
    world.sender.send_follow_ups(&world.record, LOG, reply.follow_ups, now()).await;
    let private = platform.take().remove(0);
    assert_eq!(
        (private.line, &private.body["chat_id"]),
        (format!("POST /bot{TOKEN}/sendMessage"), &json!("1111111"))
    );
    assert!(private.body["text"].as_str().expect("a string").ends_with(&long));
    let state = ChatAnswer::State { call: &decided(&call, "deny", ""), offer: ALL, note: None };
    let reply = answers(state);
    assert_eq!((&reply.body["text"], &reply.body["show_alert"]), (&json!(""), &json!(false)));
    assert_eq!(reply.follow_ups.0[0].body.as_ref().expect("a body")["message_id"], 7);
    assert!(!format!("{reply:?}").contains(TOKEN), "no token in a log");
    assert_eq!(world.sender.read_replies(&world.record, LOG, &click).await, None);
}

#[tokio::test]
async fn telegram_text_is_whole_and_plain() {
    let (platform, world) = telegram().await;
    let hostile = changed(&call(&json!({ "text": HOSTILE })), &json!({ "impact": { "message": HOSTILE } }));
    let (_, post) = posted(&platform, &world, &hostile).await;
    let read: Value = serde_json::from_str(&entity_texts(&post.body, "pre")[0]).expect("JSON");
    assert_eq!(read, json!({ "text": HOSTILE }), "the same content");
    let code = entity_texts(&post.body, "code");
    assert!(
        code.iter().any(|text| text.contains("@everyone")),
        "facts are code, in which nothing is found: {code:?}"
    );
    let outside: usize = post.body["text"].as_str().expect("a string").matches('@').count();
    let inside = code
        .iter()
        .chain(&entity_texts(&post.body, "pre"))
        .map(|text| text.matches('@').count())
        .sum::<usize>();
    assert_eq!(outside, inside, "no mention is outside of code");
    world.posts(&call(&json!({ "text": "\u{e4}".repeat(4_000) }))).await;
    let long = platform.take().remove(0).body;
    assert_eq!(labels(&long), ["Open the call"]);
    assert!(long["text"].as_str().expect("a string").contains("Too long to decide here."));
}
