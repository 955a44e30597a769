//! Partial reports and replays of the log, over a server and on the log itself: their numbers, their extent in the log,
//! and the callers who may record them.

use crate::advisors::{answers, next_advice, serves, service};
use countersign_store::Clock;
use countersign_tests::{EventStreamReader, Process, ProcessEnd, ProcessWorld, Server, WebhookTarget};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt};

on_each_database!(
    parts_are_equal_over_server_and_log,
    recorded_part_states_its_extent,
    limited_token_records_no_measurement,
);

/// The ways to measure without recording.
const REPORT: &[&str] = &["advisor", "report", "judge"];
const REPLAY: &[&str] = &["advisor", "replay", "judge", "--dry-run", "--rate", "10000/s"];

/// A log with four calls that people decided, and an advisor that has advised on each in shadow mode.
struct MeasuredLog {
    world: ProcessWorld,
    server: Server,
    advisor: WebhookTarget,
    /// The third call's time. The fourth was proposed before it, and decided after it.
    middle: String,
    /// The event that proposed the third call.
    third: i64,
}

async fn proposes(
    server: &Server,
    advice: &mut EventStreamReader,
    (thread, id): (&str, &str),
    command: &str,
) {
    let call = json!({"id": id, "name": "bash", "arguments": {"command": format!("{command} {id}")}});
    let path = format!("/v1/threads/{thread}/tool-calls");
    let answer = server.agent("builder").post(&path, call.to_string()).await;
    assert_eq!(answer.status, 201, "{answer}");
    assert_eq!(next_advice(advice).await["toolCallId"], id);
}

/// The seq and time of a thread's last event.
async fn last_event(server: &Server, thread: &str) -> (i64, String) {
    let found = server.person("ada").get(&format!("/v1/threads/{thread}/events")).await.json();
    let last = found["events"].as_array().and_then(|events| events.last()).expect("an event").clone();
    (last["seq"].as_i64().expect("a seq"), last["timestamp"].as_str().expect("a time").to_owned())
}

async fn writes_log(world: ProcessWorld) -> MeasuredLog {
    let advisor = WebhookTarget::start(|_, request| {
        let arguments = request.json()["call"]["arguments"].to_string();
        answers(if arguments.contains("bad") { "deny" } else { "allow" })
    })
    .await;
    let (server, mut advice) = serves(&world, &service("judge", &advisor.url(), ""), &[]).await;
    let (one, two) = (server.person("ada").in_thread("t1"), server.person("ada").in_thread("t2"));
    proposes(&server, &mut advice, ("t1", "a"), "good").await;
    one.allows("a").await;
    proposes(&server, &mut advice, ("t1", "b"), "bad").await;
    one.allows("b").await;
    proposes(&server, &mut advice, ("t1", "d"), "good").await;
    let (_, before) = last_event(&server, "t1").await;
    // The third call is not proposed in the same millisecond.
    while Clock::System.now().to_string() <= before {
        tokio::task::yield_now().await;
    }
    proposes(&server, &mut advice, ("t2", "c"), "good").await;
    let proposed = server.person("ada").get("/v1/threads/t2/tool-calls/c").await.json()["proposal"].clone();
    let middle = proposed["at"].as_str().expect("a time").to_owned();
    let third = proposed["seq"].as_i64().expect("a seq");
    two.denies("c").await;
    one.allows("d").await;
    MeasuredLog { world, server, advisor, middle, third }
}

impl MeasuredLog {
    async fn types(&self, words: &[&str], more: &[&str]) -> ProcessEnd {
        let words = [&["--json"], words, more].concat();
        Process::start(&mut self.world.countersign_over_log(&words)).ended().await
    }

    async fn types_with_token(&self, token: &str, words: &[&str], more: &[&str]) -> ProcessEnd {
        let head = ["--json", "--server", &self.server.url, "--token-file", token];
        Process::start(&mut self.world.countersign(&[&head, words, more].concat())).ended().await
    }

    /// Creates a token, and returns the file that has it.
    async fn creates_token(&self, name: &str, options: &[&str]) -> String {
        let created = self.types(&["token", "create", "--name", name], options).await;
        assert_eq!(created.code, 0, "{}", created.stderr);
        let created: Value = serde_json::from_str(&created.stdout).expect("JSON");
        let path = self.world.file(&format!("{name}.token"));
        fs::write(&path, created["secret"].as_str().expect("a token")).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a file");
        path.display().to_string()
    }

    /// The extents of all reports in the log.
    async fn recorded_extents(&self) -> Vec<Value> {
        let path = "/v1/events?type=ADVISOR_REPORTED";
        let found = self.server.person("ada").get(path).await.json();
        let events = found["events"].as_array().expect("events").clone();
        events.iter().map(|event| json!([event["data"]["after"], event["data"]["upTo"]])).collect()
    }
}

fn measured(ended: &ProcessEnd) -> Value {
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("JSON")
}

fn counts(found: &Value) -> [u64; 4] {
    ["cases", "agreed", "falseAllows", "falseDenials"]
        .map(|name| found["measurement"][name].as_u64().expect("a number"))
}

async fn parts_are_equal_over_server_and_log(world: ProcessWorld) {
    let log = writes_log(world).await;
    let token = log.creates_token("root", &["--role", "admin"]).await;
    let middle = log.middle.as_str();
    for (more, expected) in [
        (&[][..], [4, 2, 1, 1]),
        // The fourth call was decided later.
        (&["--until", middle][..], [2, 1, 0, 1]),
        (&["--since", middle][..], [1, 0, 1, 0]),
        (&["--thread", "t1"][..], [3, 2, 0, 1]),
        (&["--thread", "t1", "--until", middle][..], [2, 1, 0, 1]),
        (&["--thread", "unknown"][..], [0, 0, 0, 0]),
    ] {
        for words in [REPORT, REPLAY] {
            let on_log = measured(&log.types(words, more).await);
            let on_server = measured(&log.types_with_token(&token, words, more).await);
            assert_eq!(counts(&on_log), expected, "{words:?} {more:?}");
            assert_eq!(counts(&on_server), expected, "{words:?} {more:?}");
            let extent =
                |found: &Value| [&found["after"], &found["upTo"], &found["thread"]].map(Value::clone);
            if more.contains(&"--until") {
                assert_eq!(extent(&on_log)[1], log.third - 1);
            }
            let is_since = more.contains(&"--since");
            assert_eq!(extent(&on_log)[0], if is_since { json!(log.third - 1) } else { Value::Null });
            assert_eq!(extent(&on_log)[0], extent(&on_server)[0]);
            assert_eq!(extent(&on_log)[2], extent(&on_server)[2]);
        }
    }
    let reversed = log.types(REPORT, &["--since", middle, "--until", "2020-01-01T00:00:00Z"]).await;
    assert_eq!(reversed.code, 2, "{}", reversed.stderr);
    log.server.terminated().await;
}

async fn recorded_part_states_its_extent(world: ProcessWorld) {
    let log = writes_log(world).await;
    let token = log.creates_token("root", &["--role", "admin"]).await;
    let replay = ["advisor", "replay", "judge", "--rate", "10000/s"];
    for (words, record) in [(REPORT, &["--record"][..]), (&replay, &[])] {
        let refused = log.types(words, &[record, &["--thread", "t1"]].concat()).await;
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains("a measurement of one thread says nothing about the others"));
    }
    assert!(log.recorded_extents().await.is_empty());
    let part = ["--record", "--until", &log.middle];
    assert_eq!(measured(&log.types_with_token(&token, REPORT, &part).await)["recorded"], true);
    let rest = ["--since", log.middle.as_str()];
    let found = measured(&log.types_with_token(&token, &replay, &rest).await);
    assert_eq!(found["recorded"], true);
    let before = log.third - 1;
    assert_eq!(log.recorded_extents().await, [json!([null, before]), json!([before, found["upTo"]])]);
    log.server.terminated().await;
    log.world.verified_log().await;
}

async fn limited_token_records_no_measurement(world: ProcessWorld) {
    let mut log = writes_log(world).await;
    log.advisor.received();
    let limited = log.creates_token("limited", &["--role", "approver", "--threads", "t1"]).await;
    let reader = log.creates_token("reader", &["--role", "auditor"]).await;
    for token in [&limited, &reader] {
        for (words, more) in [(REPORT, &["--record"][..]), (&["advisor", "replay", "judge"], &[])] {
            let refused = log.types_with_token(token, words, more).await;
            assert_eq!(refused.code, 3, "{words:?}: {}", refused.stderr);
            assert!(refused.stderr.contains("only an admin records a measurement"), "{}", refused.stderr);
        }
    }
    assert!(log.advisor.received().is_empty(), "it is refused before a question is asked");
    assert!(log.recorded_extents().await.is_empty());
    let seen = log.types_with_token(&limited, REPORT, &[]).await;
    assert!(
        seen.stderr.contains("This token sees only the threads t1; others are not measured"),
        "{}",
        seen.stderr
    );
    assert_eq!(counts(&measured(&seen)), [3, 2, 0, 1], "the false allow is hidden, and it says so");
    let whole = log.types_with_token(&reader, REPORT, &[]).await;
    assert!(whole.stderr.is_empty(), "{}", whole.stderr);
    assert_eq!(counts(&measured(&whole)), [4, 2, 1, 1]);
    log.server.terminated().await;
}
