//! A Mattermost bot, played from <https://developers.mattermost.com>.

use super::{
    ALL, ChatWorld, HOSTILE, LOG, call, changed, decided, now,
    played_platform::{PlayedAnswer, PlayedPlatform, PlayedRequest},
    record,
};
use crate::{
    chats::chat_types::{ChatAnswer, ChatRefusal, ClickChoice},
    posted_messages::PostedChange,
};
use countersign_events::{WebhookFormat, WebhookTopic};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const POST: &str = "xnuzqpzwf7rf5b7ghcqbcwd6ee";
const USER: &str = "4xp9fdt77pncbef59f4k1qe83o";

fn address(origin: &str) -> String {
    format!("{origin}/api/v4/posts?channel_id=qmd5oqtwoibz8cuzxzg5ekshgr#B0TT0K3N")
}

async fn mattermost() -> (PlayedPlatform, ChatWorld) {
    let platform = PlayedPlatform::start(|request| {
        let reply = |user: &str, at: u64, text: &str| json!({ "user_id": user, "root_id": POST, "create_at": at, "message": text, "type": "" });
        PlayedAnswer::json(&match request.line.as_str() {
            line if line.starts_with("GET ") => json!({ "order": [], "posts": {
                "a": reply(USER, 1, "first"), "b": reply(USER, 3, "wrong cluster"), "c": reply("other", 4, "of somebody else"),
                POST: { "user_id": "bot", "root_id": "", "create_at": 0, "message": "itself" },
            }}),
            _ => json!({ "id": POST, "channel_id": "qmd5oqtwoibz8cuzxzg5ekshgr" }),
        })
    })
    .await;
    let world = ChatWorld::new(WebhookFormat::Mattermost, &address(&platform.origin)).await;
    (platform, world)
}

/// The request about a click, as Mattermost documents it.
fn clicked(body: &Value, button: usize) -> String {
    json!({
        "user_id": USER, "user_name": "ada", "channel_id": "qmd5oqtwoibz8cuzxzg5ekshgr", "team_id": "t1",
        "post_id": POST, "trigger_id": "x", "type": "", "data_source": "",
        "context": action(body, button)["integration"]["context"],
    })
    .to_string()
}

fn action(body: &Value, button: usize) -> &Value {
    &body["props"]["attachments"][0]["actions"][button]
}

fn labels(body: &Value) -> Vec<&str> {
    let actions = body["props"]["attachments"][0]["actions"].as_array();
    actions.into_iter().flatten().map(|action| action["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn mattermost_message_changes_with_its_call() {
    let (platform, world) = mattermost().await;
    let call = call(&json!({ "cluster": "prod" }));
    assert_eq!(world.posts(&call).await, POST);
    assert_eq!(world.sends(WebhookTopic::Reminded, &call, Some(POST)).await, Ok(None));
    let denied = decided(&call, "deny", "wrong cluster");
    assert_eq!(
        world.sends(WebhookTopic::Decided, &denied, Some(POST)).await,
        Ok(Some(PostedChange::Forget(42)))
    );
    let [post, _, reply, edit]: [PlayedRequest; 4] = platform.take().try_into().expect("four requests");
    assert_eq!(
        (post.line.as_str(), post.headers["authorization"].as_str()),
        ("POST /api/v4/posts", "Bearer B0TT0K3N")
    );
    assert_eq!(post.body["channel_id"], "qmd5oqtwoibz8cuzxzg5ekshgr");
    assert_eq!(labels(&post.body), ["Allow", "Allow for 1 hour", "Deny"]);
    assert_eq!(action(&post.body, 0)["integration"]["url"], "https://approvals.example/chats/ops");
    assert_eq!(
        post.body["props"]["attachments"][0]["title_link"],
        "https://approvals.example/calls/ci%2F7/call_1"
    );
    assert!(
        post.body["message"]
            .as_str()
            .expect("a message")
            .contains("```json\n{\n  \"cluster\": \"prod\"\n}\n```")
    );
    assert_eq!((reply.line.as_str(), &reply.body["root_id"]), ("POST /api/v4/posts", &json!(POST)));
    assert_eq!(edit.line, format!("PUT /api/v4/posts/{POST}/patch"));
    assert!(labels(&edit.body).is_empty());
    let shown = edit.body["message"].as_str().expect("a message");
    assert!(shown.starts_with("```text\nDenied: deploy\n") && shown.contains("wrong cluster"), "{shown}");
}

#[tokio::test]
async fn mattermost_failures_are_read() {
    let platform = PlayedPlatform::start(|request| {
        let (status, header, body) = match request.line.split(' ').next() {
            Some("PUT") => {
                (404, "", json!({ "id": "app.post.get.app_error", "message": "Unable to get the post." }))
            }
            _ => (429, "retry-after: 7\r\n", json!({ "id": "api.rate_limit" })),
        };
        PlayedAnswer { status, header: header.to_owned(), body: body.to_string() }
    })
    .await;
    let world = ChatWorld::new(WebhookFormat::Mattermost, &address(&platform.origin)).await;
    let call = call(&json!({}));
    let failed = world.sends(WebhookTopic::Opened, &call, None).await.expect_err("limited");
    assert_eq!(failed.reason, "Mattermost answered 429: api.rate_limit");
    assert_eq!(failed.retry_after.map(|pause| pause.as_secs()), Some(7));
    let gone = world.sends(WebhookTopic::Decided, &decided(&call, "deny", ""), Some(POST)).await;
    assert_eq!(gone, Ok(Some(PostedChange::Forget(42))), "somebody deleted the message");
}

#[tokio::test]
async fn mattermost_click_is_proven_by_its_value() {
    let (platform, world) = mattermost().await;
    let call = call(&json!({ "cluster": "prod" }));
    world.posts(&call).await;
    let posted = platform.take().remove(0).body;
    let none = HeaderMap::new();
    let click = world.reads_click(&none, &clicked(&posted, 1));
    let host = platform.origin.trim_start_matches("http://");
    assert_eq!(
        (click.choice, click.seq, click.account.id.clone()),
        (ClickChoice::AllowHour, 42, format!("mattermost:{host}/{USER}"))
    );
    let unread = world.checks(&click, &call).await;
    assert_eq!(unread, Err(ChatRefusal::Edited), "a message that cannot be read");
    assert_eq!(world.checks(&click, &super::call(&json!({ "cluster": "x" }))).await, Err(ChatRefusal::Stale));
    assert_eq!(
        world.checks(&click, &decided(&call, "deny", "")).await,
        Err(ChatRefusal::Closed),
        "a replayed click"
    );
    let value = action(&posted, 1)["integration"]["context"]["value"].as_str().expect("a value");
    let body = clicked(&posted, 1);
    let mut changed_end = value.to_owned();
    let last = changed_end.pop();
    changed_end.push(if last == Some('A') { 'Q' } else { 'A' });
    for forged in [
        value.replacen('h', "a", 1),
        value.replacen("42", "43", 1),
        changed_end,
        String::new(),
        "a.1".to_owned(),
    ] {
        let body = body.replace(value, &forged);
        assert_eq!(world.reads(&none, &body).err(), Some(ChatRefusal::Forged), "{forged}");
    }
    assert_eq!(world.reads(&none, "{}").err(), Some(ChatRefusal::Forged));
    assert_eq!(world.reads(&none, "{").err(), Some(ChatRefusal::Malformed));
    let path = body.replace(POST, "../users/me");
    assert_eq!(world.reads(&none, &path).err(), Some(ChatRefusal::Malformed), "an id is no path");
    let other = record(&world.sender, 4, WebhookFormat::Mattermost, &address(&platform.origin)).await;
    let read = world.sender.read_chat_request(&other, LOG, &none, body.as_bytes(), now());
    assert_eq!(read.err(), Some(ChatRefusal::Forged), "another webhook");
}

#[tokio::test]
async fn mattermost_message_is_looked_up() {
    let posted = Arc::new(Mutex::new(json!({ "id": POST })));
    let known = Arc::clone(&posted);
    let platform = PlayedPlatform::start(move |request| {
        let mut post = known.lock().expect("no panic");
        if request.line == "POST /api/v4/posts" {
            *post = request.body.clone();
            post["id"] = json!(POST);
        }
        PlayedAnswer::json(&post)
    })
    .await;
    let world = ChatWorld::new(WebhookFormat::Mattermost, &address(&platform.origin)).await;
    let call = call(&json!({ "cluster": "prod" }));
    world.posts(&call).await;
    let clicked = clicked(&posted.lock().expect("no panic"), 0);
    for (pointer, text, expected) in [
        ("/id", POST, Ok(())),
        ("/message", "harmless", Err(ChatRefusal::Edited)),
        ("/message", "", Err(ChatRefusal::Edited)),
    ] {
        *posted.lock().expect("no panic").pointer_mut(pointer).expect("a member") = json!(text);
        let click = world.reads_click(&HeaderMap::new(), &clicked);
        assert_eq!(world.checks(&click, &call).await, expected, "{pointer} {text}");
    }
    let lookup = platform.take().pop().expect("a request");
    assert_eq!(
        (lookup.line, lookup.headers["authorization"].as_str()),
        (format!("GET /api/v4/posts/{POST}"), "Bearer B0TT0K3N")
    );
}

#[tokio::test]
async fn mattermost_answer_has_the_message_and_a_note() {
    let (platform, world) = mattermost().await;
    let call = call(&json!({}));
    world.posts(&call).await;
    let click = world.reads_click(&HeaderMap::new(), &clicked(&platform.take().remove(0).body, 2));
    assert_eq!(world.sender.read_replies(&world.record, LOG, &click).await.as_deref(), Some("wrong cluster"));
    assert_eq!(platform.take().remove(0).line, format!("GET /api/v4/posts/{POST}/thread"));
    let answers =
        |answer| world.sender.answer_click(&world.record, LOG, &click, answer).expect("an answer").body;
    let link = answers(ChatAnswer::Link { url: "https://approvals.example/x".to_owned() });
    assert_eq!(
        link,
        json!({ "ephemeral_text": "Link your account first\\: <https://approvals.example/x>", "skip_slack_parsing": true })
    );
    let denied = decided(&call, "deny", "");
    let state = answers(ChatAnswer::State { call: &denied, offer: ALL, note: None });
    assert!(
        state["update"]["message"].as_str().expect("a message").contains("Denied")
            && state["ephemeral_text"].is_null()
    );
    assert!(labels(&state["update"]).is_empty());
}

#[tokio::test]
async fn mattermost_block_is_whole_and_has_no_end() {
    let (platform, world) = mattermost().await;
    let hostile = changed(&call(&json!({ "text": HOSTILE })), &json!({ "impact": { "message": HOSTILE } }));
    world.posts(&hostile).await;
    let message = platform.take().remove(0).body["message"].as_str().expect("a message").to_owned();
    // `HOSTILE` has four backticks in a row.
    let blocks: Vec<_> = message.split("`````").collect();
    assert_eq!(blocks.len(), 5, "two blocks and nothing else: {message}");
    assert_eq!((blocks[0], blocks[2], blocks[4]), ("", "\n", ""));
    let read: Value = serde_json::from_str(blocks[3].strip_prefix("json\n").expect("JSON")).expect("JSON");
    assert_eq!(read, json!({ "text": HOSTILE }), "the same content");
    world.posts(&call(&json!({ "text": "x".repeat(16_000) }))).await;
    let long = platform.take().remove(0).body;
    assert!(
        labels(&long).is_empty()
            && long["message"].as_str().expect("a message").contains("Too long to decide here.")
    );
}
