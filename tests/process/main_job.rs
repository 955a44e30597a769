//! The main job on real input: a command runs because somebody allowed it, by whatever way.

use crate::harness::{Place, Process, Server, in_time};
use countersign_gate::EventType;
use reqwest::Method;
use serde_json::Value;

on_each_database!(
    a_pipeline_at_one_server_runs_once_it_is_allowed_at_another,
    a_run_outlives_its_server_and_runs_once_when_the_next_one_is_there,
    a_decision_made_while_the_server_is_away_is_found_when_it_is_back
);

/// A repository with one commit, as `git` itself makes it.
async fn repository(place: &Place) {
    let script = "git init -q origin && cd origin && echo hello > README && git add . \
                  && git -c user.name=ada -c user.email=ada@example.org commit -qm first";
    let ended = Process::start(place.program("bash").args(["-c", script])).ended().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[tokio::test]
async fn a_git_clone_runs_once_it_is_allowed_by_the_beginning_of_its_id() {
    in_time(async {
        let place = Place::new();
        repository(&place).await;
        let clone = place.waiting_run(&["--", "git", "clone", "--quiet", "origin", "a clone"]).await;
        assert!(!place.path("a clone").exists(), "it did not wait");
        let (code, pending) = place.ends(&["--json", "pending"]).await;
        assert_eq!(code, 0, "{pending}");
        let pending: Value = serde_json::from_str(&pending).expect("JSON");
        let id = pending["pending"][0]["id"].as_str().expect("an id");
        let (code, said) = place.ends(&["allow", &id[..9]]).await;
        assert_eq!((code, said), (0, format!("Allowed {id} once.\n")));
        let ended = clone.ended().await;
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(place.path("a clone/README").exists());
        assert_eq!(place.ends(&["verify"]).await.0, 0);
    })
    .await;
}

#[tokio::test]
async fn a_command_over_the_log_runs_once_it_is_allowed_by_curl() {
    in_time(async {
        let place = Place::new();
        let server = place.serve().await;
        let run = place.waiting_run(&["--id", "version", "--", "git", "--version"]).await;
        let url = format!("{}/v1/threads/terminal/approvals/version", server.url);
        let mut curl = place.program("curl");
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

async fn a_pipeline_at_one_server_runs_once_it_is_allowed_at_another(place: Place) {
    let (here, there) = (place.serve().await, place.serve().await);
    let pipeline = "printf 'b\\na\\nc\\n' | sort | tee -a ran | tail -n 1";
    let run = over_http(&place, &here, &["--id", "sort", "--", "bash", "-c", pipeline]).await;
    there.allow("terminal", "sort").await;
    let ended = run.ended().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "c\n"), "{}", ended.stderr);
    assert_eq!(place.lines("ran"), 3);
    for server in [&here, &there] {
        let (_, call) = server.get("/v1/threads/terminal/tool-calls/sort").await;
        assert!(call.contains(r#""state":"finished""#), "{call}");
    }
}

#[tokio::test]
async fn a_command_exits_as_it_would_without_us_and_the_log_keeps_what_it_said() {
    in_time(async {
        let place = Place::new();
        let script = "echo out; echo err >&2; read line; echo \"read $line\"; exit 42";
        let mut run = place.waiting_run(&["--id", "fails", "--", "bash", "-c", script]).await;
        run.tell("a word").await;
        assert_eq!(place.ends(&["allow", "fails"]).await.0, 0);
        let ended = run.ended().await;
        assert_eq!((ended.code, ended.stdout.as_str()), (42, "out\nread a word\n"));
        assert!(ended.stderr.ends_with("err\n"), "{}", ended.stderr);
        let events = place.sound_log().await;
        let result = events.last().expect("a result").data.as_str();
        assert!(result.contains(r#""status":"error""#) && result.contains(r#""exitCode":42"#), "{result}");
    })
    .await;
}

async fn a_run_outlives_its_server_and_runs_once_when_the_next_one_is_there(place: Place) {
    let mut server = place.serve().await;
    let address = server.address().to_string();
    let command = ["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"];
    let run = over_http(&place, &server, &command).await;
    server.kill().await;
    let server = Server::start(&place, &address).await;
    server.allow("terminal", "deploy").await;
    let ended = run.ended().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(place.lines("ran"), 1);
    let events = place.sound_log().await;
    let claims = events.iter().filter(|event| event.kind == EventType::ExecutionStarted);
    assert_eq!(claims.count(), 1);
}

async fn a_decision_made_while_the_server_is_away_is_found_when_it_is_back(place: Place) {
    let mut server = place.serve().await;
    let address = server.address().to_string();
    let command = ["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"];
    let run = over_http(&place, &server, &command).await;
    server.kill().await;
    assert_eq!(place.ends(&["allow", "deploy"]).await.0, 0);
    let server = Server::start(&place, &address).await;
    let ended = run.ended().await;
    assert_eq!((ended.code, place.lines("ran")), (0, 1), "{}", ended.stderr);
    let held = server.request(Method::GET, "/v1/threads/terminal/tool-calls/deploy");
    let (status, call) = server.answer(held.header("prefer", "wait=30")).await;
    assert!(status == 200 && call.contains(r#""state":"finished""#), "{call}");
}

async fn over_http(place: &Place, server: &Server, words: &[&str]) -> Process {
    let mut run = place.countersign(&["--server", &server.url, "run"]);
    let mut run = Process::start(run.args(words));
    run.complains("is pending").await;
    run
}
