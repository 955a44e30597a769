//! Slack, played from <https://docs.slack.dev>.

use super::{
    ALL, BASE, ChatWorld, HOSTILE, LOG, OfficialRequest, call, changed, decided, headers, hex, now,
    played_platform::{PlayedAnswer, PlayedPlatform, PlayedRequest},
    record,
};
use crate::{
    chats::chat_types::{ChatAnswer, ChatRefusal, ChatRequest, ClickChoice},
    posted_messages::PostedChange,
};
use countersign_events::{WebhookFormat, WebhookTopic};
use countersign_gate::ChatOffer;
use reqwest::header::HeaderMap;
use ring::hmac;
use serde_json::{Value, json};

const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
const TS: &str = "1700000000.000100";
const NOW: &str = "1769860800";

fn address(origin: &str) -> String {
    format!("{origin}/api/chat.postMessage?channel=C024BE91L#xoxb-T0K3N:{SECRET}")
}

async fn slack() -> (PlayedPlatform, ChatWorld) {
    let platform = PlayedPlatform::start(|request| {
        let replies = json!({ "ok": true, "messages": [
            { "user": "B1", "ts": TS, "text": "the message itself" },
            { "user": "U2147483697", "ts": "1700000001.000000", "text": "first" },
            { "user": "U2147483697", "ts": "1700000003.000000", "text": "wrong &lt;cluster&gt;" },
            { "user": "U_OTHER", "ts": "1700000004.000000", "text": "of somebody else" },
        ]});
        PlayedAnswer::json(&match request.line.as_str() {
            line if line.starts_with("GET /api/conversations.replies") => replies,
            _ => json!({ "ok": true, "channel": "C024BE91L", "ts": TS }),
        })
    })
    .await;
    let world = ChatWorld::new(WebhookFormat::SlackApp, &address(&platform.origin)).await;
    (platform, world)
}

fn sign(secret: &str, time: &str, body: &str) -> HeaderMap {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("v0:{time}:{body}").as_bytes());
    let digits = hex(tag.as_ref());
    headers(&[("x-slack-request-timestamp", time), ("x-slack-signature", &format!("v0={digits}"))])
}

/// The payload of a click on a button of a message, as Slack documents it.
fn payload(message: &Value, button: usize) -> Value {
    let mut blocks = message["blocks"].clone();
    for (index, block) in blocks.as_array_mut().expect("blocks").iter_mut().enumerate() {
        block["block_id"] = json!(format!("b{index}"));
    }
    let buttons = blocks.as_array().expect("blocks").last().expect("a block")["elements"].clone();
    json!({
        "type": "block_actions", "api_app_id": "A1",
        "team": { "id": "T9TK3CUKW", "domain": "example" },
        "user": { "id": "U2147483697", "username": "ada", "name": "ada", "team_id": "T9TK3CUKW" },
        "container": { "type": "message", "message_ts": TS, "channel_id": "C024BE91L", "is_ephemeral": false },
        "channel": { "id": "C024BE91L", "name": "deployments" },
        "message": { "bot_id": "B1", "type": "message", "text": message["text"], "ts": TS, "blocks": blocks },
        "response_url": "https://hooks.slack.com/actions/T9TK3CUKW/1/x",
        "actions": [buttons[button]],
    })
}

fn form(payload: &Value) -> String {
    url::form_urlencoded::Serializer::new(String::new()).append_pair("payload", &payload.to_string()).finish()
}

fn clicks(message: &Value, button: usize) -> (HeaderMap, String) {
    let body = form(&payload(message, button));
    (sign(SECRET, NOW, &body), body)
}

fn buttons(body: &Value) -> Vec<String> {
    let actions = body["blocks"].as_array().expect("blocks").last().expect("a block");
    let label = |button: &Value| button["text"]["text"].as_str().expect("a label").to_owned();
    actions["elements"].as_array().expect("buttons").iter().map(label).collect()
}

fn preformatted(body: &Value) -> Option<String> {
    let elements = body["blocks"][0]["elements"].as_array().expect("elements");
    let block = elements.iter().find(|element| element["type"] == "rich_text_preformatted")?;
    Some(block["elements"][0]["text"].as_str().expect("a string").to_owned())
}

#[tokio::test]
async fn message_is_posted_and_changes_with_its_call() {
    let (platform, world) = slack().await;
    let call = call(&json!({ "cluster": "prod" }));
    let posted = world.posts(&call).await;
    assert_eq!(posted, format!("C024BE91L/{TS}"));
    let decided = decided(&call, "deny", "wrong cluster");
    let outcome = world.sends(WebhookTopic::Escalated, &call, Some(&posted)).await;
    assert_eq!(outcome, Ok(None));
    let outcome = world.sends(WebhookTopic::Decided, &decided, Some(&posted)).await;
    assert_eq!(outcome, Ok(Some(PostedChange::Forget(42))));
    let [post, _, reply, edit]: [PlayedRequest; 4] = platform.take().try_into().expect("four requests");
    assert_eq!(post.line, "POST /api/chat.postMessage");
    assert_eq!(post.headers["authorization"], "Bearer xoxb-T0K3N");
    assert_eq!(post.body["channel"], "C024BE91L");
    assert_eq!(buttons(&post.body), ["Allow", "Allow for 1 hour", "Deny", "Open the call"]);
    assert_eq!(preformatted(&post.body).as_deref(), Some("{\n  \"cluster\": \"prod\"\n}"));
    assert!(!post.body.to_string().contains(SECRET) && !post.body.to_string().contains("T0K3N"));
    assert_eq!((reply.line.as_str(), &reply.body["thread_ts"]), ("POST /api/chat.postMessage", &json!(TS)));
    assert_eq!((edit.line.as_str(), &edit.body["ts"]), ("POST /api/chat.update", &json!(TS)));
    assert_eq!(
        (edit.body["text"].as_str(), buttons(&edit.body)),
        (Some("Denied: deploy"), vec!["Open the call".to_owned()])
    );
    let shown = edit.body.to_string();
    assert!(
        ["user:ada", "2026-01-31T12:00:00.000Z", "wrong cluster"].iter().all(|text| shown.contains(text))
    );
}

#[tokio::test]
async fn arguments_are_only_for_chats_that_ask() {
    let (platform, mut world) = slack().await;
    world.record.added.what.arguments = false;
    let call = call(&json!({ "cluster": "prod-7" }));
    let posted = world.posts(&call).await;
    assert_eq!(world.sends(WebhookTopic::Advised, &call, Some(&posted)).await, Ok(None));
    let requests = platform.take();
    assert!(requests.iter().all(|request| !request.body.to_string().contains("prod-7")));
    let [post, reply] = [&requests[0].body, &requests[1].body];
    assert_eq!((buttons(post), &reply["thread_ts"]), (vec!["Open the call".to_owned()], &json!(TS)));
    assert!(post["blocks"][0].to_string().contains("The arguments are not shown here."));
}

#[tokio::test]
async fn late_message_posts_nothing() {
    let (platform, world) = slack().await;
    let decided = decided(&call(&json!({})), "deny", "");
    for topic in [WebhookTopic::Opened, WebhookTopic::Reminded, WebhookTopic::Voted] {
        assert_eq!(world.sends(topic, &decided, None).await, Ok(None));
    }
    assert!(platform.take().is_empty());
    assert_eq!(world.sends(WebhookTopic::Decided, &decided, None).await, Ok(None), "nothing to change later");
    assert_eq!(platform.take().remove(0).body["text"], "Denied: deploy");
    assert_eq!(world.sends(WebhookTopic::Flagged, &decided, None).await, Ok(None));
    assert_eq!(platform.take().remove(0).body["text"], "Flagged: deploy", "a message of its own");
    let unasked = changed(&decided, &json!({ "request": null }));
    assert_eq!(world.sends(WebhookTopic::Mismatch, &unasked, None).await, Ok(None));
    assert!(platform.take().remove(0).body["text"].as_str().expect("a string").starts_with("MISMATCH"));
}

#[tokio::test]
async fn failures_in_a_good_status_are_failures() {
    let platform = PlayedPlatform::start(|request| match request.body["text"].as_str() {
        Some("Approval needed: limited") => PlayedAnswer {
            status: 429,
            header: "retry-after: 30\r\n".to_owned(),
            body: json!({ "ok": false, "error": "ratelimited" }).to_string(),
        },
        Some("Denied: deploy") => PlayedAnswer::json(&json!({ "ok": false, "error": "message_not_found" })),
        _ => PlayedAnswer::json(&json!({ "ok": false, "error": "invalid_auth <b>" })),
    })
    .await;
    let world = ChatWorld::new(WebhookFormat::SlackApp, &address(&platform.origin)).await;
    let call = call(&json!({}));
    let limited = changed(&call, &json!({ "name": "limited" }));
    let failed = world.sends(WebhookTopic::Opened, &limited, None).await.expect_err("limited");
    assert_eq!(
        (failed.reason.as_str(), failed.retry_after.map(|pause| pause.as_secs())),
        ("Slack answered ratelimited", Some(30))
    );
    let failed = world.sends(WebhookTopic::Opened, &call, None).await.expect_err("refused");
    assert_eq!(failed.reason, "Slack answered invalid_auth b");
    let gone = world.sends(WebhookTopic::Decided, &decided(&call, "deny", ""), Some("C1/1")).await;
    assert_eq!(gone, Ok(Some(PostedChange::Forget(42))), "somebody deleted the message");
}

#[tokio::test]
async fn click_names_the_person_and_what_was_seen() {
    let (platform, world) = slack().await;
    let call = call(&json!({ "cluster": "prod", "text": "<&> \u{e4}" }));
    world.posts(&call).await;
    let message = platform.take().remove(0).body;
    for (button, choice) in [(0, ClickChoice::Allow), (1, ClickChoice::AllowHour), (2, ClickChoice::Deny)] {
        let (headers, body) = clicks(&message, button);
        let click = world.reads_click(&headers, &body);
        assert_eq!((click.choice, click.seq), (choice, 42));
        assert_eq!(
            (click.account.id.as_str(), click.account.name.as_str()),
            ("slack:T9TK3CUKW/U2147483697", "ada")
        );
        assert_eq!(world.checks(&click, &call).await, Ok(()));
    }
    let (headers, body) = clicks(&message, 3);
    assert!(matches!(world.reads(&headers, &body), Ok(ChatRequest::Ignored)), "the link decides nothing");
    let value = message["blocks"][1]["elements"][0]["value"].as_str().expect("a value");
    assert!(value.len() <= 64, "{value}");
}

#[tokio::test]
async fn request_of_the_official_library_is_accepted() {
    let (_platform, world) = slack().await;
    let official = OfficialRequest::read("slack");
    assert_eq!((official.secret.as_str(), official.timestamp.as_str()), (SECRET, NOW));
    let headers = official.headers("x-slack-request-timestamp", "x-slack-signature");
    assert!(matches!(world.reads(&headers, &official.body), Ok(ChatRequest::Ignored)));
    assert_eq!(world.reads(&headers, &format!("{}x", official.body)).err(), Some(ChatRefusal::Forged));
}

#[tokio::test]
async fn forged_requests_are_refused() {
    let (platform, world) = slack().await;
    let call = call(&json!({}));
    world.posts(&call).await;
    let message = platform.take().remove(0).body;
    let (signed, body) = clicks(&message, 0);
    let refused = |headers: &HeaderMap, body: &str| match world.reads(headers, body) {
        Ok(read) => panic!("{read:?}"),
        Err(refusal) => refusal,
    };
    assert_eq!(refused(&signed, &format!("{body}&x=1")), ChatRefusal::Forged, "another body");
    assert_eq!(refused(&sign("other", NOW, &body), &body), ChatRefusal::Forged, "another secret");
    assert_eq!(refused(&HeaderMap::new(), &body), ChatRefusal::Forged, "no signature");
    for time in ["1769860499", "1769861101"] {
        assert_eq!(refused(&sign(SECRET, time, &body), &body), ChatRefusal::Old, "{time}");
    }
    assert!(world.reads(&sign(SECRET, "1769860501", &body), &body).is_ok());
    assert_eq!(refused(&sign(SECRET, NOW, "no=form"), "no=form"), ChatRefusal::Malformed);
    let large = "x".repeat(64 * 1024 + 1);
    assert_eq!(refused(&sign(SECRET, NOW, &large), &large), ChatRefusal::TooLarge);
    // A value of another choice, of another webhook, and of another log.
    let mut other = payload(&message, 2);
    let value = other["actions"][0]["value"].as_str().expect("a value").replacen('d', "a", 1);
    other["actions"][0]["value"] = json!(value);
    let body = form(&other);
    assert_eq!(refused(&sign(SECRET, NOW, &body), &body), ChatRefusal::Forged, "another choice");
    let second = record(&world.sender, 4, WebhookFormat::SlackApp, &address(&platform.origin)).await;
    let (signed, body) = clicks(&message, 0);
    let read =
        |webhook, log| world.sender.read_chat_request(webhook, log, &signed, body.as_bytes(), now()).err();
    assert_eq!(read(&second, LOG), Some(ChatRefusal::Forged), "another webhook");
    assert_eq!(read(&world.record, countersign_events::Sha256::digest(b"log")), Some(ChatRefusal::Forged));
    assert_eq!(read(&world.record, LOG), None);
}

#[tokio::test]
async fn click_on_another_text_is_refused() {
    let (platform, world) = slack().await;
    let call = call(&json!({ "cluster": "test" }));
    world.posts(&call).await;
    let message = platform.take().remove(0).body;
    let (headers, body) = clicks(&message, 0);
    let click = world.reads_click(&headers, &body);
    let mut escalated = serde_json::to_value(&call).expect("JSON");
    escalated["request"]["level"] = json!("admin");
    let escalated = serde_json::from_value(escalated).expect("a call");
    assert_eq!(world.checks(&click, &escalated).await, Err(ChatRefusal::Stale), "another level");
    let other = super::call(&json!({ "cluster": "prod" }));
    assert_eq!(world.checks(&click, &other).await, Err(ChatRefusal::Stale), "other arguments");
    assert_eq!(
        world.checks(&click, &decided(&call, "deny", "")).await,
        Err(ChatRefusal::Closed),
        "a replayed click"
    );
    let less = ChatOffer { deny: true, ..ChatOffer::default() };
    let refused = world.sender.check_click(&world.record, LOG, &click, &call, less).await;
    assert_eq!(refused, Err(ChatRefusal::NotOffered), "the rules changed");
    let mut edited = message.clone();
    edited["blocks"][0]["elements"][1]["elements"][0]["text"] = json!("{\n  \"cluster\": \"harmless\"\n}");
    let (headers, body) = clicks(&edited, 0);
    assert_eq!(world.checks(&world.reads_click(&headers, &body), &call).await, Err(ChatRefusal::Edited));
    let mut relabelled = message.clone();
    relabelled["blocks"][1]["elements"][0]["text"]["text"] = json!("Deny");
    let (headers, body) = clicks(&relabelled, 0);
    let checked = world.checks(&world.reads_click(&headers, &body), &call).await;
    assert_eq!(checked, Err(ChatRefusal::Edited), "a button that allows, and says something else");
}

#[tokio::test]
async fn answer_changes_the_message_and_tells_the_person() {
    let (platform, world) = slack().await;
    let call = call(&json!({}));
    world.posts(&call).await;
    let message = platform.take().remove(0).body;
    let mut sent = payload(&message, 2);
    sent["response_url"] = json!(format!("{}/actions/1", platform.origin));
    let body = form(&sent);
    let click = world.reads_click(&sign(SECRET, NOW, &body), &body);
    let replied = world.sender.read_replies(&world.record, LOG, &click).await;
    assert_eq!(replied.as_deref(), Some("wrong <cluster>"), "the last own reply");
    let asked = platform.take().remove(0);
    assert_eq!(asked.line, format!("GET /api/conversations.replies?channel=C024BE91L&ts={TS}&limit=100"));
    let decided = decided(&call, "deny", "no");
    let answer = ChatAnswer::State { call: &decided, offer: ALL, note: Some("Decided <before>.".to_owned()) };
    let reply = world.sender.answer_click(&world.record, LOG, &click, answer).expect("an answer");
    assert_eq!(reply.body, Value::Null);
    world.sender.send_follow_ups(&world.record, LOG, reply.follow_ups, now()).await;
    let [edit, note]: [PlayedRequest; 2] = platform.take().try_into().expect("two requests");
    assert_eq!(
        (edit.line.as_str(), edit.body["text"].as_str()),
        ("POST /api/chat.update", Some("Denied: deploy"))
    );
    assert_eq!((note.line.as_str(), note.headers.contains_key("authorization")), ("POST /actions/1", false));
    assert_eq!(
        note.body,
        json!({ "response_type": "ephemeral", "replace_original": false, "text": "Decided &lt;before&gt;." })
    );
    let link = ChatAnswer::Link { url: format!("{BASE}/link/x") };
    let reply = world.sender.answer_click(&world.record, LOG, &click, link).expect("an answer");
    assert_eq!(
        reply.follow_ups.0[0].body.as_ref().expect("a body")["text"],
        "Link your account first: <https://approvals.example/link/x>"
    );
}

#[tokio::test]
async fn text_that_is_not_whole_is_not_decided() {
    let (platform, world) = slack().await;
    let plain = call(&json!({ "a": 1 }));
    let cases = [
        (call(&json!({ "text": "x".repeat(60_000) })), "Too long to decide here. Open the call."),
        (
            changed(&plain, &json!({ "redacted": ["/arguments/a"] })),
            "A part is masked. Open the call to decide.",
        ),
        (
            changed(&plain, &json!({ "hiddenCharacters": ["/arguments"] })),
            "The text may look like another one. Open the call to decide.",
        ),
        (
            changed(&plain, &json!({ "padded": ["/arguments"] })),
            "The text may look like another one. Open the call to decide.",
        ),
        (
            changed(&plain, &json!({ "mixedScripts": ["/arguments"] })),
            "The text may look like another one. Open the call to decide.",
        ),
        (
            changed(&plain, &json!({ "impact": { "message": "m".repeat(401) } })),
            "Too long to decide here. Open the call.",
        ),
    ];
    for (call, notice) in cases {
        world.posts(&call).await;
        let body = platform.take().remove(0).body;
        assert_eq!(buttons(&body), ["Open the call"], "{notice}");
        assert!(body["blocks"][0].to_string().contains(notice), "{notice}");
        assert!(body["blocks"].to_string().len() < 13_000);
    }
}

#[tokio::test]
async fn hostile_text_stays_plain() {
    let (platform, world) = slack().await;
    let hostile = call(&json!({ "text": HOSTILE, "rtl\u{202e}": "\u{200b}" }));
    let hostile = changed(&hostile, &json!({ "name": "x", "impact": { "message": HOSTILE } }));
    world.posts(&hostile).await;
    let body = platform.take().remove(0).body;
    let kinds = ["rich_text", "rich_text_section", "rich_text_preformatted", "text"];
    let mut rest = vec![&body["blocks"][0]];
    while let Some(block) = rest.pop() {
        assert!(kinds.contains(&block["type"].as_str().expect("a type")), "{block}");
        rest.extend(block["elements"].as_array().into_iter().flatten());
    }
    assert!(!body["text"].as_str().expect("a string").contains('<'));
    let shown = preformatted(&body).expect("arguments");
    let read: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(read, json!({ "text": HOSTILE, "rtl\u{202e}": "\u{200b}" }), "the same content");
    assert!(!shown.contains('\u{202e}') && !shown.contains('\u{200b}'));
}

#[test]
fn address_of_another_form_is_refused() {
    for url in [
        "https://slack.com/api/chat.postMessage?channel=C1",
        "https://slack.com/api/chat.postMessage?channel=C1#xoxb-without-secret",
        "https://slack.com/api/chat.postMessage#xoxb:secret",
        "https://slack.com/api/?channel=C1#xoxb:secret",
    ] {
        let parsed = crate::target_url::TargetUrl::parse(url, WebhookFormat::SlackApp, false);
        let why = parsed.map(|_| ()).expect_err(url).to_string();
        assert!(
            why.contains("https://slack.com/api/chat.postMessage?channel=C…#xoxb-TOKEN:SIGNING_SECRET"),
            "{why}"
        );
    }
}
