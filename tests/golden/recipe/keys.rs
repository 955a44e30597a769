//! The scenes with credentials: tokens, sessions, and keys that prove decisions.

use super::{
    GoldenCall, GoldenStage,
    stage::{named, read_body},
};
use countersign_api::{DecisionRequest, SendOperation, operations};
use countersign_approvals::access::TokenSecret;
use countersign_events::{Decision, EventType, ProviderAccount, Role, Sha256, TokenKind};
use countersign_gate::{AccountHolder, SessionPages, SessionSpans};
use countersign_proofs::passkey::encode_bytes;
use countersign_push::PushSender;
use countersign_tests::PushSubscriber;
use countersign_webhooks::WebhookKeyFile;
use rcgen::{KeyPair, PublicKeyData, SigningKey};
use serde_json::{Value, json};
use std::{fs, sync::Arc, time::Duration};
use tokio::process::Command;

/// The site of the passkey, and the origin of the page on which it is used.
const SITE: &str = "approvals.example";
const ORIGIN: &str = "https://approvals.example";

async fn adds_key(stage: &GoldenStage, person: &str, kind: &str, public_key: &str) -> String {
    let body = json!({"kind": kind, "approver": person, "name": kind, "publicKey": public_key});
    stage.send(person, operations::AddApproverKey { body: read_body(&body) }).await.id
}

/// Tries to allow the call without a proof. Returns the statement to sign.
async fn asks_for_statement(stage: &GoldenStage, call: &GoldenCall<'_>, person: &str) -> String {
    let (thread, id) = (call.thread.clone(), call.id.clone());
    let body = DecisionRequest::plain(Decision::AllowOnce);
    let refused = stage.gate.acting_as(named(person)).send(operations::DecideCall { thread, id, body }).await;
    refused.expect_err("a proof is required").facts.statement.expect("a statement")
}

/// Runs `ssh-keygen` in the folder of the story.
async fn runs_ssh_keygen(stage: &GoldenStage, words: &[&str]) {
    let mut command = Command::new("ssh-keygen");
    let ended =
        command.args(words).current_dir(stage.file("")).output().await.expect("ssh-keygen is installed");
    assert!(ended.status.success(), "{ended:?}");
}

async fn signs_with_ssh(stage: &GoldenStage, statement: &str) -> String {
    let file = stage.file("statement");
    fs::write(&file, statement).expect("writes");
    runs_ssh_keygen(stage, &["-q", "-Y", "sign", "-n", "countersign", "-f", "ssh_key", "statement"]).await;
    fs::read_to_string(stage.file("statement.sig")).expect("signed")
}

/// Returns the key as the log keeps it, `passkey SITE CREDENTIAL KEY`, with the key in COSE.
fn write_passkey(key: &KeyPair) -> String {
    // The point on the curve: a byte for its form, and the two coordinates.
    let [_, point @ ..] = key.der_bytes() else { panic!("a key has a point") };
    let (x, y) = point.split_at(32);
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    let head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
    let cose = [&head[..], x, &[0x22, 0x58, 0x20], y].concat();
    format!("passkey {SITE} {} {}", encode_bytes(b"golden-credential"), encode_bytes(&cose))
}

/// Returns what a browser answers after a touch.
fn touches(key: &KeyPair, id: &str, statement: &str) -> Value {
    let challenge = Sha256::digest(statement.as_bytes());
    let client_data =
        json!({"type": "webauthn.get", "challenge": encode_bytes(challenge.as_bytes()), "origin": ORIGIN});
    let client_data = client_data.to_string();
    // The person was present and verified.
    let (flags, counter) = ([0x05], [0; 4]);
    let data = [&Sha256::digest(SITE.as_bytes()).as_bytes()[..], &flags, &counter].concat();
    let signed = [&data[..], Sha256::digest(client_data.as_bytes()).as_bytes()].concat();
    json!({
        "kind": "passkey", "key": id, "signature": encode_bytes(&key.sign(&signed).expect("signed")),
        "authenticatorData": encode_bytes(&data), "clientData": encode_bytes(client_data.as_bytes())
    })
}

pub(super) async fn play_proofs(stage: &GoldenStage) {
    runs_ssh_keygen(stage, &["-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", "ssh_key"]).await;
    let line = fs::read_to_string(stage.file("ssh_key.pub")).expect("a key");
    let ssh = adds_key(stage, "user:ada", "ssh", line.trim_end()).await;
    let signed = stage.call("proved", "signed");
    signed.proposes(json!({"name": "sign", "arguments": {"file": "a"}})).await;
    let statement = asks_for_statement(stage, &signed, "user:ada").await;
    let proof = json!({"kind": "ssh", "key": ssh, "signature": signs_with_ssh(stage, &statement).await});
    signed.decides("user:ada", json!({"decision": "allow_once", "proof": proof})).await;

    let key = KeyPair::generate().expect("a key");
    let passkey = adds_key(stage, "user:bob", "passkey", &write_passkey(&key)).await;
    let touched = stage.call("proved", "touched");
    touched.proposes(json!({"name": "sign", "arguments": {"file": "b"}})).await;
    let statement = asks_for_statement(stage, &touched, "user:bob").await;
    let proof = touches(&key, &passkey, &statement);
    touched.decides("user:bob", json!({"decision": "allow_once", "proof": proof})).await;

    let body = read_body(&json!({"reason": "the laptop was lost"}));
    stage.send("user:ada", operations::RemoveApproverKey { id: ssh, body }).await;
}

pub(super) async fn play_tokens(stage: &GoldenStage) {
    let create =
        async |body: Value| stage.send("user:ada", operations::CreateToken { body: read_body(&body) }).await;
    let agent = create(
        json!({"name": "builder", "role": "agent", "threads": ["ci/*"], "expiresInSeconds": 7_776_000}),
    );
    let secret = TokenSecret::parse(&agent.await.secret).expect("a token");
    let used = stage.gate.authenticate(&secret, TokenKind::Token).await.expect("reads").expect("accepted");
    stage.gate.record_token_use(&used, "192.0.2.7");
    stage.sees(EventType::TokenUsed).await;

    create(json!({"name": "ben", "role": "auditor", "kind": "link", "expiresInSeconds": 900})).await;
    let person = json!({"name": "cyd", "role": "approver", "level": "admin", "groups": ["ops"]});
    let secret = TokenSecret::parse(&create(person).await.secret).expect("a token");
    let parent = stage.gate.authenticate(&secret, TokenKind::Token).await.expect("reads").expect("accepted");
    let pages = SessionPages::new(Some(ORIGIN.to_owned())).expect("random");
    let spans = SessionSpans { idle: Duration::from_hours(1), longest: Duration::from_hours(24) };
    stage.gate.start_session(&parent, &pages, spans).await.expect("started");
    let account =
        ProviderAccount { issuer: "https://id.example".to_owned(), subject: "248289761001".to_owned() };
    let holder = AccountHolder {
        account,
        sign_in: Sha256::digest(b"a state"),
        name: "dan".to_owned(),
        role: Role::Approver,
        level: None,
        groups: vec!["ops".to_owned()],
    };
    stage.gate.start_account_session(&holder, &pages, spans).await.expect("started");
    let revoked = create(json!({"name": "old", "role": "agent"})).await.token.id;
    let body = read_body(&json!({"reason": "it leaked"}));
    stage.send("user:ada", operations::RevokeToken { id: revoked, body }).await;
}

/// A person registers two devices for notifications, changes one and removes the other.
pub(super) async fn play_devices(stage: &GoldenStage) {
    let seal = WebhookKeyFile::new(stage.file("webhook.key"));
    let sender = PushSender::new(&stage.file("push.key"), seal, "https://approvals.example", true);
    let token = json!({"name": "ada", "role": "approver", "kind": "token"});
    let token = stage.send("user:root", operations::CreateToken { body: read_body(&token) }).await.token.id;
    let gate = stage.gate.with_push(Arc::new(sender)).acting_as(named("user:ada"));
    let set = async |number: u8, members: serde_json::Value| {
        stage.passes(1);
        let request = PushSubscriber::new(number, "https://127.0.0.1/push").request(&members);
        gate.set_push_device(&read_body(&request), Some(token.clone())).await.expect("registered")
    };
    set(1, json!({})).await;
    set(1, json!({"quiet": {"startMinute": 1320, "endMinute": 420, "utcOffsetMinutes": 60}})).await;
    let second = set(2, json!({"name": "tablet"})).await;
    stage.passes(1);
    gate.end_push_device(&second.id, "the push service answered 410".to_owned()).await.expect("ended");
}
