//! Arguments with secrets: they are masked in each answer, bound by their hash, and returned to an executor who sends
//! the original.

use countersign_gate::NEVER_LOGGED;
use countersign_tests::{HttpWorld, over_http};
use insta::assert_snapshot;
use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};
use tracing_subscriber::{Layer, filter::FilterFn, layer::SubscriberExt, util::SubscriberInitExt};

const POLICY: &str = r#"
[[rule]]
name = "no force pushes"
tool = "bash"
command = "git push --force*"
verdict = "block"
reason = "history is shared"

[[rule]]
name = "not that host"
tool = "login"
args = { "/password" = { prefix = "forbidden" } }
verdict = "block"
reason = "that password has leaked"
"#;

const CALLS: &str = "/v1/threads/t/tool-calls";
const CLAIM: &str = "/v1/threads/t/tool-calls/call_1/claim";
const LOGIN: &str = r#"{"user":"ada","password":"hunter2","n":1.50}"#;

fn login(id: &str, arguments: &str) -> String {
    format!(r#"{{"id":"{id}","name":"login","arguments":{arguments}}}"#)
}

#[tokio::test]
async fn masked_paths_are_listed_and_others_unchanged() {
    over_http(POLICY, async |world| {
        let proposed = world.agent("builder").post(CALLS, &login("call_1", LOGIN)).await;
        assert_snapshot!(proposed.fields(["state", "arguments", "redacted"]), @r#"
        201
        state: "pending"
        arguments: {"n":1.5,"password":"[redacted]","user":"ada"}
        redacted: ["/password"]
        "#);
        let nested = r#"{"steps":[{"run":"curl -u ada:hunter2 https://h"},{"env":{"API_TOKEN":"hunter2"}}],"json":"{\"secret\":\"hunter2\"}"}"#;
        let proposed = world.agent("builder").post(CALLS, &login("call_2", nested)).await;
        assert_snapshot!(proposed.shown("redacted"), @r#"["/steps/0/run","/steps/1/env/API_TOKEN","/json"]"#);
        assert_snapshot!(proposed.shown("arguments"), @r#"{"json":"{\"secret\":\"[redacted]\"}","steps":[{"run":"curl -u ada:[redacted] https://h"},{"env":{"API_TOKEN":"[redacted]"}}]}"#);
    })
    .await;
}

#[tokio::test]
async fn repeated_proposal_is_compared_with_the_original() {
    over_http(POLICY, async |world| {
        let builder = world.agent("builder");
        let first = builder.post(CALLS, &login("call_1", LOGIN)).await;
        assert_eq!(builder.post(CALLS, &login("call_1", LOGIN)).await.body, first.body);
        let shown = LOGIN.replace("hunter2", "[redacted]");
        assert_snapshot!(builder.post(CALLS, &login("call_1", &shown)).await, @"409 call_differs: call call_1 was proposed before with another tool or other arguments, or in another place; a new call needs a new id");
    })
    .await;
}

#[tokio::test]
async fn policy_judges_the_unmasked_arguments() {
    over_http(POLICY, async |world| {
        let leaked = LOGIN.replace("hunter2", "forbidden-hunter2");
        let blocked = world.agent("builder").post(CALLS, &login("call_1", &leaked)).await;
        assert_snapshot!(blocked.shown("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Blocked by policy:not that host: that password has leaked. This is a rule, which no approval lifts: do not retry it.","principal":"policy:not that host","seq":4,"status":"denied"}"#);
    })
    .await;
}

#[tokio::test]
async fn claim_returns_original_arguments_to_their_holder() {
    over_http(POLICY, async |world| {
        let builder = world.agent("builder");
        for id in ["call_1", "call_2"] {
            builder.post(CALLS, &login(id, LOGIN)).await;
            world.person("ada")
                .post(&format!("/v1/threads/t/approvals/{id}"), r#"{"decision":"allow_session","scope":"tool"}"#)
                .await;
        }
        let hash = builder.get(&format!("{CALLS}/call_1")).await.member("argumentsHash");
        let with =
            |arguments: &str| format!(r#"{{"executor":"w","argumentsHash":{hash},"arguments":{arguments}}}"#);
        assert_snapshot!(builder.post(CLAIM, &with(&LOGIN.replace("hunter2", "hunter3"))).await, @"409 arguments_changed: the arguments hash to 4659649c26872dcb1421119b8be035806e72b1bd4106a698490ad00c2c6e3d8c, and ae405706795f6ca80fb52f8f4b2e5073d550488891088269516cb90febaa01f0 was approved; run what was approved, or propose a new call");
        let claimed_with_original = builder.post(CLAIM, &with(LOGIN)).await;
        assert_snapshot!(claimed_with_original.text("state"), @"running");
        assert_snapshot!(claimed_with_original.shown("arguments"), @r#"{"n":1.5,"password":"hunter2","user":"ada"}"#);
        assert_eq!(claimed_with_original.member("redacted"), "null", "the answer contains the original arguments");
        assert_snapshot!(builder.get(&format!("{CALLS}/call_1")).await.shown("arguments"), @r#"{"n":1.5,"password":"[redacted]","user":"ada"}"#);
        let by_hash = format!(r#"{{"executor":"w","argumentsHash":{hash}}}"#);
        let claimed = builder.post(&format!("{CALLS}/call_2/claim"), &by_hash).await;
        assert_snapshot!(claimed.shown("arguments"), @r#"{"n":1.5,"password":"[redacted]","user":"ada"}"#);
    })
    .await;
}

#[tokio::test]
async fn pattern_with_a_secret_is_refused() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        let secret = r#"{"decision":"deny","scope":{"command":["ls","deploy --password=hunter2"]}}"#;
        assert_snapshot!(world.person("ada").post("/v1/threads/t/approvals/call_1", secret).await, @"422 invalid: scope: the log shows the pattern to everyone, so it must not contain a secret");
    })
    .await;
}

/// Sends every kind of request with a secret in its arguments or its comment. Returns all answers.
async fn send_secrets_everywhere(world: &HttpWorld) -> String {
    let (builder, ada) = (world.agent("builder"), world.person("ada"));
    let comment = r#""comment":"try --password=hunter2""#;
    let mut answers = Vec::new();
    let proposals = [
        login("call_1", LOGIN),
        login("call_2", LOGIN),
        login("call_3", r#"{"password":"forbidden-hunter2"}"#),
        r#"{"id":"call_4","name":"bash","arguments":{"command":"deploy --password=hunter2 $("}}"#.to_owned(),
        r#"{"id":"call_5","name":"bash","arguments":{"command":"deploy --password=hunter2"},
            "description":"with --password=hunter2","impact":{"message":"curl -u ada:hunter2 https://h"}}"#
            .to_owned(),
        login("call_1", r#"{"password":"hunter2-other"}"#),
        login("call_6", r#"{"password":"hunter2","password":"hunter2"}"#),
    ];
    for proposal in &proposals {
        answers.push(builder.post(CALLS, proposal).await.body);
    }
    let decide =
        async |id: &str, body: String| ada.post(&format!("/v1/threads/t/approvals/{id}"), &body).await.body;
    answers
        .push(decide("call_1", format!(r#"{{"decision":"allow_session","scope":"tool",{comment}}}"#)).await);
    answers.push(decide("call_2", format!(r#"{{"decision":"deny",{comment}}}"#)).await);
    answers.push(decide("call_2", format!(r#"{{"decision":"allow_once",{comment}}}"#)).await);
    let edit = r#"{"decision":"allow_once","arguments":{"command":"deploy --password=hunter2"}}"#;
    answers.push(decide("call_4", edit.to_owned()).await);
    let cancel = r#"{"reason":"it had --password=hunter2"}"#;
    answers.push(builder.post(&format!("{CALLS}/call_4/cancel"), cancel).await.body);
    answers.push(ada.post("/v1/approvals/stop", &format!("{{{comment}}}")).await.body);
    let claim = r#"{"executor":"w","leaseSeconds":1,"argumentsHash":"#;
    let hash = builder.get(&format!("{CALLS}/call_1")).await.member("argumentsHash");
    answers.push(builder.post(CLAIM, &format!("{claim}{hash}}}")).await.body);
    world.clock().advance(std::time::Duration::from_secs(1));
    answers.push(ada.post(&format!("{CALLS}/call_1/release"), &format!("{{{comment}}}")).await.body);
    for path in [
        "/v1/approvals/pending",
        "/v1/tool-calls",
        "/v1/events",
        "/v1/threads/t/grants",
        "/metrics",
        "/v1/stats",
    ] {
        answers.push(ada.get(path).await.body);
    }
    let last: i64 = ada.get("/v1/threads/t").await.member("lastSeq").parse().expect("a number");
    let mut events = ada.streams("/v1/events", Some("0")).await;
    for _ in 0..last {
        answers.push(events.message().await);
    }
    answers.join("\n")
}

#[tokio::test]
async fn secret_appears_in_no_answer_file_or_log() {
    let log = RedactedLog::default();
    let writer = log.clone();
    // Captures the process log, at its most detailed level.
    let without_noisy_targets = FilterFn::new(|about| !NEVER_LOGGED.contains(&about.target()));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(move || writer.clone())
        .with_filter(without_noisy_targets);
    let _listening = tracing_subscriber::registry().with(lines).set_default();
    over_http(POLICY, async |world| {
        let answers = send_secrets_everywhere(world).await;
        assert!(answers.contains("[redacted]"), "{answers}");
        let leaks: Vec<_> = answers.lines().filter(|line| line.contains("hunter2")).collect();
        assert!(leaks.is_empty(), "{leaks:#?}");
        for end in ["", "-wal"] {
            let mut path = world.path().into_os_string();
            path.push(end);
            let bytes = std::fs::read(&path).unwrap_or_default();
            assert!(!bytes.windows(7).any(|window| window == b"hunter2"), "{path:?}");
        }
    })
    .await;
    let log_text = String::from_utf8_lossy(&log.0.lock().expect("the mutex is not poisoned")).into_owned();
    assert!(log_text.contains("call_1"), "the log contains the steps of the calls: {log_text}");
    let leaks: Vec<_> = log_text.lines().filter(|line| line.contains("hunter2")).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}

/// The captured process log.
#[derive(Clone, Default)]
struct RedactedLog(Arc<Mutex<Vec<u8>>>);

impl Write for RedactedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("the mutex is not poisoned").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
