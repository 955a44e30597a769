//! The database server stops while instances run: callers get an error that tells them to retry, no acknowledged event
//! is lost, and all instances continue by themselves.

use crate::new_world;
use countersign_events::EventType;
use countersign_tests::{Database, Process, Server, in_time};
use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc};

#[tokio::test]
async fn database_outage_answers_503_until_the_database_returns() {
    in_time(async {
        let mut world = new_world(Database::Postgres).await;
        let (first_server, second_server) = (world.serves().await, world.serves().await);
        let mut run = world.countersign(&["--server", &first_server.url, "run"]);
        let command = ["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"];
        let mut run = Process::start(run.args(command));
        run.complains("is pending").await;
        world.server().stop();
        for server in [&first_server, &second_server] {
            assert_told_to_retry(server, Method::POST, "/v1/threads/t/tool-calls").await;
            assert_told_to_retry(server, Method::GET, "/v1/threads/terminal/tool-calls/deploy").await;
            assert_eq!(
                server.get("/readyz").await.status,
                503,
                "a load balancer sends no requests to this server"
            );
            assert_eq!(server.get("/healthz").await.status, 200, "the server recovers without a restart");
        }
        world.server().start().await;
        retry_until_done(
            &second_server,
            "/v1/threads/terminal/approvals/deploy",
            r#"{"decision": "allow_once"}"#,
        )
        .await;
        let ended = run.ended().await;
        assert_eq!((ended.code, world.line_count("ran")), (0, 1), "{}", ended.stderr);
        assert_eq!(first_server.get("/readyz").await.status, 200);
        world.verified_log().await;
    })
    .await;
}

/// A person is told that the server is away, and the command runs when it is back.
#[tokio::test]
async fn run_waits_for_a_server_that_restarts() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        let (address, url) = (server.address(), server.url.clone());
        server.terminated().await;
        let words = ["--server", &url, "run", "--id", "build", "--", "bash", "-c", "echo ran >> ran"];
        let mut run = Process::start(&mut world.countersign(&words));
        run.complains("trying again for 30 s").await;
        let server = world.serves_on(&address.to_string()).await;
        run.complains("is pending").await;
        assert_eq!(server.person("ada").in_thread("terminal").allows("build").await.status, 200);
        let ended = run.ended().await;
        assert_eq!((ended.code, world.line_count("ran")), (0, 1), "{}", ended.stderr);
        let mut interrupted =
            Process::start(&mut world.countersign(&["--server", "http://127.0.0.1:1", "run", "--", "true"]));
        interrupted.complains("trying again").await;
        interrupted.signal(Signal::INT);
        assert_eq!(interrupted.ended().await.code, 130);
    })
    .await;
}

async fn assert_told_to_retry(server: &Server, method: Method, path: &str) {
    let mut request = server.request(method.clone(), path);
    if method == Method::POST {
        let call = json!({"id": "call_1", "name": "bash", "arguments": {"command": "ls"}});
        request = request.header("content-type", "application/json").body(call.to_string());
    }
    let answer = request.send().await.expect("the server answers");
    assert_eq!(answer.status().as_u16(), 503, "{path}");
    assert!(answer.headers().contains_key("retry-after"), "{path}");
    let problem: Value = answer.json().await.expect("problem details");
    assert_eq!(problem["reason"], "unreachable", "{problem}");
}

/// Repeats the request until it succeeds.
async fn retry_until_done(server: &Server, path: &str, body: &str) {
    loop {
        match server.post(path, body).await.into_parts() {
            (200 | 201, _) => return,
            (503, _) => {}
            (status, answer) => panic!("{path}: {status} {answer}"),
        }
    }
}

const ROUNDS: usize = 4;
const WRITERS: usize = 8;

#[tokio::test]
async fn acknowledged_events_survive_repeated_database_kills() {
    in_time(async {
        let mut world = new_world(Database::Postgres).await;
        let servers = [Arc::new(world.serves().await), Arc::new(world.serves().await)];
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let writers: Vec<_> = (0..WRITERS)
            .map(|n| {
                let (server, sender) = (Arc::clone(&servers[n % 2]), sender.clone());
                tokio::spawn(async move {
                    for turn in 0.. {
                        let id = format!("call_{n}_{turn}");
                        let call =
                            json!({"id": id, "name": "bash", "arguments": {"command": format!("ls {id}")}});
                        retry_until_done(&server, "/v1/threads/t/tool-calls", &call.to_string()).await;
                        let allowed = format!("/v1/threads/t/approvals/{id}");
                        retry_until_done(&server, &allowed, r#"{"decision": "allow_once"}"#).await;
                        if sender.send(id).is_err() {
                            return;
                        }
                    }
                })
            })
            .collect();
        let mut acknowledged = HashSet::new();
        for _ in 0..ROUNDS {
            for _ in 0..40 {
                acknowledged.insert(receiver.recv().await.expect("the writers succeed"));
            }
            world.server().kill();
            world.server().start().await;
        }
        for _ in 0..40 {
            acknowledged.insert(receiver.recv().await.expect("the writers succeed again"));
        }
        drop(receiver);
        for writer in writers {
            writer.await.expect("the writer finishes");
        }
        let events = world.verified_log().await;
        let decided: Vec<Value> = events
            .iter()
            .filter(|event| event.kind == EventType::ApprovalResponse)
            .map(|event| event.data.read().expect("an object"))
            .collect();
        let once: HashSet<_> = decided.iter().filter_map(|data| data["toolCallId"].as_str()).collect();
        assert_eq!(once.len(), decided.len(), "no call was decided twice");
        assert!(
            acknowledged.iter().all(|id| once.contains(id.as_str())),
            "every acknowledged event is in the log"
        );
    })
    .await;
}
