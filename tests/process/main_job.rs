//! The main use case: `countersign run` runs a real command after a person has allowed it, over each transport.

use crate::new_world;
use countersign_events::EventType;
use countersign_tests::{Database, HttpAnswer, Process, ProcessWorld, Server, in_time};
use reqwest::Method;
use serde_json::Value;

on_each_database!(
    pipeline_runs_once_allowed_at_another_server,
    run_survives_a_server_restart_and_runs_once,
    decision_made_while_the_server_is_down_counts
);

/// Creates a `git` repository with one commit, in the folder `origin`.
async fn repository(world: &ProcessWorld) {
    let script = "git init -q origin && cd origin && echo hello > README && git add . \
                  && git -c user.name=ada -c user.email=ada@example.org commit -qm first";
    let ended = Process::start(world.program("bash").args(["-c", script])).ended().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[tokio::test]
async fn git_clone_runs_once_allowed_by_id_prefix() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        repository(&world).await;
        let clone = world.starts_run(&["--", "git", "clone", "--quiet", "origin", "a clone"]).await;
        assert!(!world.file("a clone").exists(), "the command ran before its approval");
        let (code, pending) = world.runs(&["--json", "pending"]).await;
        assert_eq!(code, 0, "{pending}");
        let pending: Value = serde_json::from_str(&pending).expect("JSON");
        let id = pending["pending"][0]["id"].as_str().expect("an id");
        let (code, output) = world.runs(&["allow", &id[..9]]).await;
        assert_eq!((code, output), (0, format!("Allowed {id} once.\n")));
        let ended = clone.ended().await;
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(world.file("a clone/README").exists());
        assert_eq!(world.runs(&["verify"]).await.0, 0);
    })
    .await;
}

#[tokio::test]
async fn command_runs_once_allowed_over_http() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        let run = world.starts_run(&["--id", "version", "--", "git", "--version"]).await;
        let url = format!("{}/v1/threads/terminal/approvals/version", server.url);
        let mut curl = world.program("curl");
        curl.args(["--silent", "--show-error", "--noproxy", "*", "--write-out", "\n%{http_code}"]);
        curl.args(["--json", r#"{"decision": "allow_once", "comment": "by curl"}"#, &url]);
        let answered = Process::start(&mut curl).ended().await;
        assert!(answered.stdout.ends_with("\n200"), "{answered:?}");
        assert!(answered.stdout.contains(r#""state":"allowed""#), "{answered:?}");
        let ended = run.ended().await;
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(ended.stdout.starts_with("git version "), "{}", ended.stdout);
    })
    .await;
}

async fn pipeline_runs_once_allowed_at_another_server(world: ProcessWorld) {
    let (first_server, second_server) = (world.serves().await, world.serves().await);
    let pipeline = "printf 'b\\na\\nc\\n' | sort | tee -a ran | tail -n 1";
    let run = over_http(&world, &first_server, &["--id", "sort", "--", "bash", "-c", pipeline]).await;
    second_server.person("ada").in_thread("terminal").allows("sort").await;
    let ended = run.ended().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "c\n"), "{}", ended.stderr);
    assert_eq!(world.line_count("ran"), 3);
    for server in [&first_server, &second_server] {
        let (_, call) = server.get("/v1/threads/terminal/tool-calls/sort").await.into_parts();
        assert!(call.contains(r#""state":"finished""#), "{call}");
    }
}

#[tokio::test]
async fn run_keeps_exit_code_and_logs_the_output() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let script = "echo out; echo err >&2; read line; echo \"read $line\"; exit 42";
        let mut run = world.starts_run(&["--id", "fails", "--", "bash", "-c", script]).await;
        run.tell("a word").await;
        assert_eq!(world.person("ada").in_thread("terminal").allows("fails").await.code, 0);
        let ended = run.ended().await;
        assert_eq!((ended.code, ended.stdout.as_str()), (42, "out\nread a word\n"));
        assert!(ended.stderr.ends_with("err\n"), "{}", ended.stderr);
        let events = world.verified_log().await;
        let result = events.last().expect("a result").data.as_str();
        assert!(result.contains(r#""status":"error""#) && result.contains(r#""exitCode":42"#), "{result}");
    })
    .await;
}

async fn run_survives_a_server_restart_and_runs_once(world: ProcessWorld) {
    let mut server = world.serves().await;
    let address = server.address().to_string();
    let command = ["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"];
    let run = over_http(&world, &server, &command).await;
    server.kill().await;
    let server = world.serves_on(&address).await;
    server.person("ada").in_thread("terminal").allows("deploy").await;
    let ended = run.ended().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(world.line_count("ran"), 1);
    let events = world.verified_log().await;
    let claims = events.iter().filter(|event| event.kind == EventType::ExecutionStarted);
    assert_eq!(claims.count(), 1);
}

async fn decision_made_while_the_server_is_down_counts(world: ProcessWorld) {
    let mut server = world.serves().await;
    let address = server.address().to_string();
    let command = ["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"];
    let run = over_http(&world, &server, &command).await;
    server.kill().await;
    assert_eq!(world.person("ada").in_thread("terminal").allows("deploy").await.code, 0);
    let server = world.serves_on(&address).await;
    let ended = run.ended().await;
    assert_eq!((ended.code, world.line_count("ran")), (0, 1), "{}", ended.stderr);
    let waiting_request = server.request(Method::GET, "/v1/threads/terminal/tool-calls/deploy");
    let (status, call) = HttpAnswer::to(waiting_request.header("prefer", "wait=30")).await.into_parts();
    assert!(status == 200 && call.contains(r#""state":"finished""#), "{call}");
}

async fn over_http(world: &ProcessWorld, server: &Server, words: &[&str]) -> Process {
    let mut run = world.countersign(&["--server", &server.url, "run"]);
    let mut run = Process::start(run.args(words));
    run.complains("is pending").await;
    run
}
