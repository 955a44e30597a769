//! A Discord app, played from <https://docs.discord.com/developers>.

use super::{
    ALL, ChatWorld, HOSTILE, LOG, OfficialRequest, call, changed, decided, headers, hex, now,
    played_platform::{PlayedAnswer, PlayedPlatform, PlayedRequest},
    record,
};
use crate::{
    chats::chat_types::{ChatAnswer, ChatRefusal, ChatRequest, ClickChoice},
    posted_messages::PostedChange,
};
use countersign_events::{WebhookFormat, WebhookTopic};
use reqwest::header::HeaderMap;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

const NOW: &str = "1769860800";
const MESSAGE: &str = "334385199974967042";

fn key(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("a key")
}

fn address(origin: &str) -> String {
    format!("{origin}/api/v10/channels/41771983/messages#B0T.T0K3N:{}", hex(key(7).public_key().as_ref()))
}

async fn discord() -> (PlayedPlatform, ChatWorld) {
    let platform = PlayedPlatform::start(|request| {
        let reply = |id: &str, author: &str, text: &str, to: &str| json!({ "id": id, "author": { "id": author }, "content": text, "message_reference": { "message_id": to } });
        PlayedAnswer::json(&match request.line.as_str() {
            line if line.starts_with("GET ") => json!([
                reply("9", "53908232506183680", "last", MESSAGE), reply("10", "53908232506183680", "wrong cluster", MESSAGE),
                reply("11", "53908232506183680", "to another", "1"), reply("12", "99", "of somebody else", MESSAGE),
            ]),
            _ => json!({ "id": MESSAGE, "channel_id": "41771983" }),
        })
    })
    .await;
    let world = ChatWorld::new(WebhookFormat::DiscordApp, &address(&platform.origin)).await;
    (platform, world)
}

fn sign(seed: u8, time: &str, body: &str) -> HeaderMap {
    let signature = key(seed).sign(format!("{time}{body}").as_bytes());
    headers(&[("x-signature-timestamp", time), ("x-signature-ed25519", &hex(signature.as_ref()))])
}

/// The interaction about a click, as Discord documents it.
fn interaction(message: &Value, button: usize) -> Value {
    json!({
        "version": 1, "type": 3, "id": "846462639134605312", "application_id": "845027738276462632",
        "token": "unique_interaction_token", "channel_id": "41771983", "guild_id": "290926798626357999",
        "member": { "user": { "id": "53908232506183680", "username": "ada", "discriminator": "0" }, "roles": [] },
        "data": { "component_type": 2, "custom_id": custom_id(message, button) },
        "message": { "id": MESSAGE, "channel_id": "41771983", "type": 0, "content": "",
            "embeds": message["embeds"], "components": message["components"] },
    })
}

fn custom_id(message: &Value, button: usize) -> &str {
    message["components"][0]["components"][button]["custom_id"].as_str().expect("a value")
}

fn labels(message: &Value) -> Vec<&str> {
    let buttons = message["components"][0]["components"].as_array().expect("buttons");
    buttons.iter().map(|button| button["label"].as_str().expect("a label")).collect()
}

#[tokio::test]
async fn discord_message_changes_with_its_call() {
    let (platform, world) = discord().await;
    let call = call(&json!({ "cluster": "prod" }));
    let posted = world.posts(&call).await;
    assert_eq!(posted, format!("41771983/{MESSAGE}"));
    let denied = decided(&call, "deny", "wrong cluster");
    assert_eq!(
        world.sends(WebhookTopic::Decided, &denied, Some(&posted)).await,
        Ok(Some(PostedChange::Forget(42)))
    );
    let [post, edit]: [PlayedRequest; 2] = platform.take().try_into().expect("two requests");
    assert_eq!(
        (post.line.as_str(), post.headers["authorization"].as_str()),
        ("POST /api/v10/channels/41771983/messages", "Bot B0T.T0K3N")
    );
    assert_eq!(labels(&post.body), ["Allow", "Allow for 1 hour", "Deny", "Open the call"]);
    assert!(custom_id(&post.body, 0).len() <= 100);
    assert_eq!(post.body["embeds"][1]["description"], "```json\n{\n  \"cluster\": \"prod\"\n}\n```");
    assert_eq!(edit.line, format!("PATCH /api/v10/channels/41771983/messages/{MESSAGE}"));
    assert_eq!(
        (&edit.body["embeds"][0]["title"], labels(&edit.body)),
        (&json!("Denied\\: deploy"), vec!["Open the call"])
    );
    assert!(edit.body["embeds"][0]["description"].as_str().expect("lines").contains("wrong cluster"));
}

#[tokio::test]
async fn discord_failures_are_read() {
    let platform = PlayedPlatform::start(|request| {
        let (status, body) = match request.line.split(' ').next() {
            Some("PATCH") => (404, json!({ "message": "Unknown Message", "code": 10008 })),
            _ => (
                429,
                json!({ "message": "You are being rate limited.", "retry_after": 64.57, "global": false }),
            ),
        };
        PlayedAnswer { status, header: String::new(), body: body.to_string() }
    })
    .await;
    let world = ChatWorld::new(WebhookFormat::DiscordApp, &address(&platform.origin)).await;
    let call = call(&json!({}));
    let failed = world.sends(WebhookTopic::Opened, &call, None).await.expect_err("limited");
    assert_eq!(failed.retry_after.map(|pause| pause.as_secs()), Some(64));
    assert_eq!(failed.reason, "Discord answered 429: You are being rate limited.");
    let gone = world.sends(WebhookTopic::Decided, &decided(&call, "deny", ""), Some("1/2")).await;
    assert_eq!(gone, Ok(Some(PostedChange::Forget(42))), "somebody deleted the message");
}

#[tokio::test]
async fn discord_request_of_the_official_library_is_accepted() {
    let (_platform, world) = discord().await;
    let official = OfficialRequest::read("discord");
    assert_eq!(
        (official.secret.clone(), official.timestamp.as_str()),
        (hex(key(7).public_key().as_ref()), NOW)
    );
    let headers = official.headers("x-signature-timestamp", "x-signature-ed25519");
    assert!(matches!(world.reads(&headers, &official.body), Ok(ChatRequest::Handshake(_))));
    assert_eq!(world.reads(&headers, &format!("{} ", official.body)).err(), Some(ChatRefusal::Forged));
}

#[tokio::test]
async fn discord_signature_is_checked_first() {
    let (platform, world) = discord().await;
    let call = call(&json!({ "cluster": "prod" }));
    world.posts(&call).await;
    let message = platform.take().remove(0).body;
    let body = interaction(&message, 0).to_string();
    let click = world.reads_click(&sign(7, NOW, &body), &body);
    assert_eq!(
        (click.choice, click.seq, click.account.id.as_str()),
        (ClickChoice::Allow, 42, "discord:53908232506183680")
    );
    assert_eq!(world.checks(&click, &call).await, Ok(()));
    assert_eq!(
        world.checks(&click, &decided(&call, "deny", "")).await,
        Err(ChatRefusal::Closed),
        "a replayed click"
    );
    assert_eq!(world.checks(&click, &super::call(&json!({ "cluster": "x" }))).await, Err(ChatRefusal::Stale));
    let refused = |headers: &HeaderMap, body: &str| world.reads(headers, body).err();
    assert_eq!(refused(&sign(8, NOW, &body), &body), Some(ChatRefusal::Forged), "another key");
    assert_eq!(refused(&sign(7, NOW, &body), &format!("{body} ")), Some(ChatRefusal::Forged), "another body");
    assert_eq!(refused(&HeaderMap::new(), "{"), Some(ChatRefusal::Forged), "nothing is parsed");
    assert_eq!(refused(&sign(7, "1769860499", &body), &body), Some(ChatRefusal::Old));
    let other = record(&world.sender, 4, WebhookFormat::DiscordApp, &address(&platform.origin)).await;
    let read = world.sender.read_chat_request(&other, LOG, &sign(7, NOW, &body), body.as_bytes(), now());
    assert_eq!(read.err(), Some(ChatRefusal::Forged), "another webhook");
    let ping = json!({ "type": 1, "version": 1 }).to_string();
    let Ok(ChatRequest::Handshake(answer)) = world.reads(&sign(7, NOW, &ping), &ping) else {
        panic!("no handshake")
    };
    assert_eq!(answer, json!({ "type": 1 }));
    assert_eq!(refused(&sign(9, NOW, &ping), &ping), Some(ChatRefusal::Forged), "Discord checks this");
    let mut edited = message.clone();
    edited["embeds"][1]["description"] = json!("```json\n{}\n```");
    let body = interaction(&edited, 0).to_string();
    assert_eq!(
        world.checks(&world.reads_click(&sign(7, NOW, &body), &body), &call).await,
        Err(ChatRefusal::Edited)
    );
    let mut relabelled = message.clone();
    relabelled["components"][0]["components"][0]["label"] = json!("Deny");
    let body = interaction(&relabelled, 0).to_string();
    let checked = world.checks(&world.reads_click(&sign(7, NOW, &body), &body), &call).await;
    assert_eq!(checked, Err(ChatRefusal::Edited), "another word on the button");
    let mut added = interaction(&message, 0);
    added["message"]["content"] = json!("This only lists files.");
    let body = added.to_string();
    assert_eq!(
        world.checks(&world.reads_click(&sign(7, NOW, &body), &body), &call).await,
        Err(ChatRefusal::Edited)
    );
}

#[tokio::test]
async fn discord_answer_is_private_or_changes_the_message() {
    let (platform, world) = discord().await;
    let call = call(&json!({}));
    world.posts(&call).await;
    let body = interaction(&platform.take().remove(0).body, 2).to_string();
    let click = world.reads_click(&sign(7, NOW, &body), &body);
    let replied = world.sender.read_replies(&world.record, LOG, &click).await;
    assert_eq!(replied.as_deref(), Some("wrong cluster"));
    assert_eq!(
        platform.take().remove(0).line,
        format!("GET /api/v10/channels/41771983/messages?after={MESSAGE}&limit=100")
    );
    let answers = |answer| world.sender.answer_click(&world.record, LOG, &click, answer).expect("an answer");
    let link = answers(ChatAnswer::Link { url: "https://approvals.example/x".to_owned() }).body;
    assert_eq!((&link["type"], &link["data"]["flags"]), (&json!(4), &json!(64)));
    assert_eq!(link["data"]["content"], "Link your account first\\: <https://approvals.example/x>");
    let refused = answers(ChatAnswer::Refused("No <@1>.".to_owned())).body;
    assert_eq!(refused["data"]["content"], "No \\<\\@1\\>\\.");
    let denied = decided(&call, "deny", "");
    let reply = answers(ChatAnswer::State { call: &denied, offer: ALL, note: Some("Too late".to_owned()) });
    assert_eq!((&reply.body["type"], labels(&reply.body["data"])), (&json!(7), vec!["Open the call"]));
    world.sender.send_follow_ups(&world.record, LOG, reply.follow_ups, now()).await;
    let note = platform.take().remove(0);
    assert_eq!(note.line, "POST /api/v10/webhooks/845027738276462632/unique_interaction_token");
    assert_eq!((&note.body["flags"], note.headers.contains_key("authorization")), (&json!(64), false));
}

#[tokio::test]
async fn discord_block_is_whole_and_has_no_end() {
    let (platform, world) = discord().await;
    let hostile = changed(&call(&json!({ "text": HOSTILE })), &json!({ "impact": { "message": HOSTILE } }));
    world.posts(&hostile).await;
    let body = platform.take().remove(0).body;
    assert_eq!(body["allowed_mentions"], json!({ "parse": [] }));
    let block = body["embeds"][1]["description"].as_str().expect("a block");
    let inner = block.strip_prefix("```json\n").and_then(|text| text.strip_suffix("\n```")).expect("fences");
    assert!(!inner.contains("```"), "{inner}");
    let read: Value = serde_json::from_str(inner).expect("JSON");
    assert_eq!(read, json!({ "text": HOSTILE }), "the same content");
    let facts = body["embeds"][0]["description"].as_str().expect("lines");
    assert!(!facts.contains(" @") && !facts.contains("<@") && !facts.contains("```"), "{facts}");
    world.posts(&call(&json!({ "text": "x".repeat(4_200) }))).await;
    let long = platform.take().remove(0).body;
    assert_eq!((labels(&long), long["embeds"].as_array().map(Vec::len)), (vec!["Open the call"], Some(1)));
}

#[test]
fn discord_address_needs_the_public_key() {
    for key in ["T0K3N", "T0K3N:00ff", &format!("T0K3N:{}", "z".repeat(64))] {
        let url = format!("https://discord.com/api/v10/channels/1/messages#{key}");
        let why = crate::target_url::TargetUrl::parse(&url, WebhookFormat::DiscordApp, false)
            .map(|_| ())
            .expect_err(key);
        assert!(why.to_string().contains("#BOT_TOKEN:PUBLIC_KEY"), "{why}");
    }
}
