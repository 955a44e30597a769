//! The test plants secrets in every input that accepts text, then searches for them in every byte that was stored,
//! logged or printed.

use crate::{PROGRAMS, new_world};
use countersign_tests::postgres::{Cluster, ClusterSetup};
use countersign_tests::{Database, HttpAnswer, Process, ProcessWorld, Server, in_time};
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The text that each secret contains.
const PLANTED: &str = "pLaNtEd";

const POLICY: &str = r#"
[[rule]]
name = "two for transfers"
tool = "transfer"
verdict = "ask"
quorum = 2

[[rule]]
name = "looks at everything"
tool = "curl"
when = "args.command.contains('pLaN' + 'tEd') && size(args.env) > 100"
verdict = "block"
"#;

/// Returns arguments with secrets under several keys, in nested objects, in JSON in a string, in a command and in
/// addresses.
fn arguments() -> Value {
    let wrapped = json!({"inner": json!({"client_secret": secret(1)}).to_string()}).to_string();
    json!({
        "command": format!(
            "curl -H 'Authorization: Bearer {}' --password={} -u ada:{} https://ada:{}@example.org/?api_key={}",
            secret(2), secret(3), secret(4), secret(5), secret(6)
        ),
        "env": {"deep": [[{"API_KEY": secret(7)}, {"name": "Cookie", "value": secret(8)}]]},
        "body": wrapped,
        "password": {"old": secret(9), "new": [secret(10)]},
    })
}

fn secret(number: u32) -> String {
    format!("{PLANTED}-{number}")
}

/// Returns a string with a secret, for fields other than the arguments.
fn text_with_secret(number: u32) -> String {
    format!("see to it with --password {}, or https://ada:{}@example.org", secret(number), secret(number + 1))
}

#[tokio::test]
async fn planted_secrets_never_leak_on_sqlite() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let folder = world.file("");
        let outputs = collect_all_output(&world).await;
        assert_no_secret("the output", outputs.as_bytes());
        assert_eq!(search_folder(&folder, &["log.db", "log.db-wal", "log.db-shm", "log.db-bell"]), 4);
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn planted_secrets_never_leak_on_postgres() {
    in_time(async {
        // The log of each statement includes its bound values.
        let settings = vec![("log_statement", "all".to_owned())];
        let setup = ClusterSetup { settings, ..ClusterSetup::default() };
        let mut world = ProcessWorld::of_processes_on(PROGRAMS, Cluster::with(setup).await);
        let outputs = collect_all_output(&world).await;
        assert_no_secret("the output", outputs.as_bytes());
        let cluster = world.server();
        cluster.psql("SELECT 'all statements are logged'").await.expect("the server answers");
        cluster.wait_for_log_line("all statements are logged").await;
        let log = cluster.log();
        assert!(
            log.contains("INSERT INTO events") && log.contains("[redacted]"),
            "it logs what is written: {log}"
        );
        assert_no_secret("the server's log", log.as_bytes());
        assert!(
            search_folder(&cluster.folder().join("data"), &[]) > 100,
            "the tables, and their write-ahead log"
        );
        world.verified_log().await;
    })
    .await;
}

/// Asserts that no file below `folder` contains a secret. Returns the number of files whose name is in `named`.
fn search_folder(folder: &Path, required_names: &[&str]) -> usize {
    let mut folders = vec![folder.to_path_buf()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // These contain secrets by design: the policy that the test wrote, and the command output.
    files.retain(|path| !["ran", "policy.toml"].contains(&name(path).as_str()));
    for path in &files {
        // A socket cannot be read, and the database may delete a file at any moment.
        if let Ok(bytes) = fs::read(path) {
            assert_no_secret(&path.display().to_string(), &bytes);
        }
    }
    if required_names.is_empty() {
        files.len()
    } else {
        files.iter().filter(|path| required_names.contains(&name(path).as_str())).count()
    }
}

fn assert_no_secret(what: &str, bytes: &[u8]) {
    let found = bytes.windows(PLANTED.len()).position(|window| window == PLANTED.as_bytes());
    if let Some(at) = found {
        let excerpt = &bytes[at.saturating_sub(200)..bytes.len().min(at + 100)];
        panic!("{what} contains a secret: {}", String::from_utf8_lossy(excerpt));
    }
}

/// Plants all secrets, over HTTP and on the command line. Returns all answers and outputs. Kills the server at the end,
/// so that it does not clean up its files.
async fn collect_all_output(world: &ProcessWorld) -> String {
    fs::write(world.file("policy.toml"), POLICY).expect("a file");
    let policy = world.file("policy.toml").display().to_string();
    let mut server = world.serves_with(&["--policy", &policy, "--log", "trace"]).await;
    let mut outputs = Vec::new();
    plant_over_http(&server, &mut outputs).await;
    plant_in_refused_proposals(&server).await;
    plant_on_the_command_line(world, &mut outputs).await;
    for path in [
        "/metrics",
        "/readyz",
        "/v1/events?limit=1000",
        "/v1/tool-calls",
        "/v1/stats",
        "/v1/threads/t/grants",
    ] {
        outputs.push(server.get(path).await.into_parts().1);
    }
    outputs.push(streamed(&server).await);
    server.kill().await;
    let log = server.ended().await.stderr;
    assert!(log.contains("proposed") && log.contains("answered"), "the server logs what it does: {log}");
    outputs.push(log);
    outputs.concat()
}

async fn plant_over_http(server: &Server, outputs: &mut Vec<String>) {
    let thread_path = "/v1/threads/t";
    for (id, tool) in [("a", "curl"), ("b", "curl"), ("c", "transfer"), ("d", "curl"), ("e", "curl")] {
        let mut arguments = arguments();
        arguments["of"] = id.into();
        let call = json!({
            "id": id, "name": tool, "arguments": arguments, "description": text_with_secret(20),
            "impact": {
            "message": text_with_secret(22),
            "affectedResources": [text_with_secret(24)],
            "estimatedImpact": text_with_secret(26),
            },
            "annotations": {"title": text_with_secret(28)}, "definition": {"description": text_with_secret(30)},
        });
        let (status, body) =
            server.post(&format!("{thread_path}/tool-calls"), call.to_string()).await.into_parts();
        assert_eq!(status, 201, "{body}");
        assert!(body.contains("[redacted]"), "{body}");
        outputs.push(body);
    }
    outputs.push(server.get("/v1/approvals/pending").await.into_parts().1);
    let comment = text_with_secret(40);
    for (path, body) in [
        ("approvals/a", json!({"decision": "allow_session", "scope": "exact", "comment": comment})),
        ("approvals/b", json!({"decision": "deny", "comment": comment})),
        ("approvals/c", json!({"decision": "allow_once", "comment": comment})),
        ("tool-calls/d/cancel", json!({"reason": comment})),
    ] {
        let (status, body) =
            server.post(&format!("{thread_path}/{path}"), body.to_string()).await.into_parts();
        assert_eq!(status, 200, "{path}: {body}");
        outputs.push(body);
    }
    let second = server.request(Method::POST, &format!("{thread_path}/approvals/c"));
    let second = second.header("content-type", "application/json").header("countersign-principal", "user:bo");
    outputs.push(
        HttpAnswer::to(second.body(json!({"decision": "allow_once", "comment": comment}).to_string()))
            .await
            .into_parts()
            .1,
    );
    plant_in_claims(server, outputs, &comment).await;
    let stop = json!({"tool": "curl", "comment": comment}).to_string();
    let (status, body) = server.post(&format!("{thread_path}/stop"), stop).await.into_parts();
    assert_eq!(status, 200, "{body}");
    outputs.push(body);
}

/// Claims a call with other arguments, which is refused, and with its own, which the answer returns.
async fn plant_in_claims(server: &Server, outputs: &mut Vec<String>, comment: &str) {
    let call: Value =
        serde_json::from_str(&server.get("/v1/threads/t/tool-calls/a").await.into_parts().1).expect("JSON");
    let mut raw = arguments();
    raw["of"] = "a".into();
    let other =
        json!({"executor": "w", "argumentsHash": call["argumentsHash"], "arguments": call["arguments"]});
    let claim = "/v1/threads/t/tool-calls/a/claim";
    let (status, body) = server.post(claim, other.to_string()).await.into_parts();
    assert_eq!(status, 409, "the masked arguments differ from the approved ones: {body}");
    let own =
        json!({"executor": "w", "argumentsHash": call["argumentsHash"], "arguments": raw, "leaseSeconds": 0});
    let (status, body) = server.post(claim, own.to_string()).await.into_parts();
    assert_eq!(status, 200, "{body}");
    let claimed: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(claimed["arguments"], raw, "the claim returns the arguments that it sent");
    let release = json!({"comment": comment}).to_string();
    let (status, body) = server.post("/v1/threads/t/tool-calls/a/release", release).await.into_parts();
    assert_eq!(status, 200, "{body}");
    outputs.push(body);
}

/// Sends proposals that are refused. The refusal may quote the secret, because only the proposer receives it, so its
/// body is not searched.
async fn plant_in_refused_proposals(server: &Server) {
    for wrong in [
        json!({"id": "w", "name": "curl", "arguments": arguments(), "expiresInSeconds": secret(50)}),
        json!({"id": "w", "name": "curl", "arguments": arguments(), "password": secret(51)}),
        json!({"id": "a", "name": "curl", "arguments": {"password": secret(52)}}),
    ] {
        let (status, _) = server.post("/v1/threads/t/tool-calls", wrong.to_string()).await.into_parts();
        assert!(status == 422 || status == 409, "{status}");
    }
    let cut_off = format!(r#"{{"id": "w", "arguments": {{"password": "{}"#, secret(53));
    assert_eq!(server.post("/v1/threads/t/tool-calls", cut_off).await.status, 400);
    let edited = json!({"decision": "allow_once", "arguments": {"api_key": secret(54)}}).to_string();
    let proposed = json!({"id": "edited", "name": "edit", "arguments": {"n": 1}}).to_string();
    assert_eq!(server.post("/v1/threads/t/tool-calls", proposed).await.status, 201);
    assert_eq!(
        server.post("/v1/threads/t/approvals/edited", edited).await.status,
        422,
        "an approver may not add a secret"
    );
}

/// Runs a real command that contains a secret, which must run unmasked.
async fn plant_on_the_command_line(world: &ProcessWorld, outputs: &mut Vec<String>) {
    let header = format!("Authorization: Bearer {}", secret(60));
    let script = "printf '%s\\n' \"$@\" > ran";
    let log = ["--log", "trace"];
    let mut run = world.countersign_over_log(&log);
    run.args([
        "run",
        "--id",
        "fetch",
        "--description",
        &text_with_secret(61),
        "--",
        "bash",
        "-c",
        script,
        "curl",
        "-H",
        &header,
    ]);
    let mut run = Process::start(&mut run);
    run.complains("is pending").await;
    for command in [
        &["pending"][..],
        &["show", "fetch"],
        &["--json", "show", "fetch"],
        &["allow", "fetch", "--comment", &text_with_secret(63)],
        &["log"],
        &["calls"],
        &["--json", "calls"],
        &["stats"],
        &["doctor"],
        &["verify"],
    ] {
        let ended = Process::start(world.countersign_over_log(&log).args(command)).ended().await;
        assert!(ended.code == 0 || command == ["doctor"], "{command:?}: {}", ended.stderr);
        outputs.extend([ended.stdout, ended.stderr]);
    }
    let ended = run.ended().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let ran = fs::read_to_string(world.file("ran")).expect("the command ran");
    assert_eq!(ran, format!("-H\n{header}\n"), "the command runs unmasked");
    outputs.extend([ended.stdout, ended.stderr]);
}

/// Returns the log as a stream, up to its current end.
async fn streamed(server: &Server) -> String {
    let tip = server.event_count().await;
    let stream = server.request(Method::GET, "/v1/events").header("accept", "text/event-stream");
    let mut answer = stream.send().await.expect("the stream opens");
    let mut text = String::new();
    while !text.contains(&format!("id: {tip}-")) {
        let chunk = answer.chunk().await.expect("the stream continues").expect("the stream stays open");
        text.push_str(&String::from_utf8_lossy(&chunk));
    }
    text
}
