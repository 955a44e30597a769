//! Drift: an advisor that people contradict loses the right to decide, in a running server and after a kill.

use crate::{
    advisor_decisions::{deciding, lets_decide, proposes},
    advisors::{answers, next_advice, serves, state},
};
use countersign_tests::{EventStreamReader, ProcessWorld, Server, WebhookTarget};

on_each_database!(flagged_advisor_falls_back_while_server_runs, flags_before_restart_count_before_decisions,);

const MODES: &str = "/v1/events?type=ADVISOR_MODE_SET&principal=system:drift";

/// Lets the advisor allow two calls.
async fn advisor_allows(server: &Server, advice: &mut EventStreamReader) {
    for id in ["a", "b"] {
        proposes(server, id, "bash").await;
        next_advice(advice).await;
        assert_eq!(state(server, id).await, "allowed");
    }
}

async fn flags(server: &Server, id: &str) {
    let flag = r#"{"comment": "it deleted the backups"}"#.to_owned();
    let answer = server.person("ada").post(&format!("/v1/threads/t/tool-calls/{id}/flag"), flag).await;
    assert_eq!(answer.status, 200, "{answer}");
}

async fn flagged_advisor_falls_back_while_server_runs(world: ProcessWorld) {
    let advisor = WebhookTarget::start(|_, _| answers("allow")).await;
    let (server, mut advice) = serves(&world, &deciding(&advisor.url()), &[]).await;
    let mut modes = server.person("ada").streams(MODES, None).await;
    lets_decide(&server).await;
    advisor_allows(&server, &mut advice).await;
    flags(&server, "a").await;
    let metrics = server.get("/metrics").await.whole();
    for line in [
        r#"advisor_mode{advisor="reviewer",mode="decide"} 1"#,
        r#"advisor_recent_answers{advisor="reviewer",fate="complaint"} 1"#,
        r#"advisor_contradicted_ratio{advisor="reviewer"} 0.05"#,
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    flags(&server, "b").await;
    let set = modes.data().await.expect("the stream goes on")["data"].clone();
    assert_eq!((set["advisor"].as_str(), set["mode"].as_str()), (Some("reviewer"), Some("advise")));
    let why = "of its last 2 answers, people overruled 0 and complained of 2, more than maxOverruled = 0.05 accepts";
    assert_eq!(set["reason"], why);
    proposes(&server, "c", "bash").await;
    assert_eq!(next_advice(&mut advice).await["mode"], "advise");
    assert_eq!(state(&server, "c").await, "pending");
    let metrics = server.get("/metrics").await.whole();
    assert!(metrics.contains(r#"advisor_mode{advisor="reviewer",mode="advise"} 1"#), "{metrics}");
    assert!(!metrics.contains(r#"mode="decide""#), "{metrics}");
    lets_decide(&server).await;
    proposes(&server, "d", "bash").await;
    assert_eq!(next_advice(&mut advice).await["mode"], "decide", "a statement begins a new count");
    assert_eq!(state(&server, "d").await, "allowed");
    server.terminated().await;
    world.verified_log().await;
}

async fn flags_before_restart_count_before_decisions(world: ProcessWorld) {
    let advisor = WebhookTarget::start(|_, _| answers("allow")).await;
    let policy = deciding(&advisor.url());
    let (mut first, mut advice) = serves(&world, &policy, &[]).await;
    lets_decide(&first).await;
    advisor_allows(&first, &mut advice).await;
    proposes(&first, "waits", "release").await;
    next_advice(&mut advice).await;
    first.kill().await;
    for id in ["a", "b"] {
        let (code, said) = world.runs(&["flag", "--thread", "t", id]).await;
        assert_eq!(code, 0, "{said}");
    }
    let (second, mut advice) = serves(&world, &policy, &[]).await;
    proposes(&second, "c", "bash").await;
    // The stream starts with the advice before the restart.
    let mut given = next_advice(&mut advice).await;
    while given["toolCallId"] != "c" {
        given = next_advice(&mut advice).await;
    }
    assert_eq!(given["mode"], "advise");
    assert_eq!(state(&second, "c").await, "pending");
    second.terminated().await;
    let log = world.verified_log().await;
    let of_drift = log.iter().filter(|event| event.principal.as_str() == "system:drift");
    assert_eq!(of_drift.count(), 1);
}
