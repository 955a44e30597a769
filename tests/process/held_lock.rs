//! A process that is stopped in its transaction, or another program's open transaction: only writers wait, for a limited
//! time, and learn who holds the lock.

use crate::new_world;
use countersign_tests::{Database, Process, ProcessWorld, Server, in_time};
use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};

const DECISION: &str = "INSERT INTO decisions VALUES ('t', 'early', 'allow_once', 'user:ada', 'by hand');";

/// Starts a process that holds SQLite's write lock.
async fn hold_sqlite_lock(world: &ProcessWorld) -> Process {
    let mut shell = Process::start(world.program("sqlite3").arg("log.db"));
    shell.tell("BEGIN IMMEDIATE; SELECT 'locked';").await;
    assert_eq!(shell.line().await.as_deref(), Some("locked"));
    shell
}

/// Starts a command and stops it in its transaction. Until it takes the lock file, another program holds SQLite's lock.
async fn stop_writer(world: &ProcessWorld) -> Process {
    let mut shell = hold_sqlite_lock(world).await;
    let run = Process::start(&mut world.countersign_over_log(&["run", "--id", "build", "--", "true"]));
    let holder = || std::fs::read_to_string(world.file("log.db-lock")).unwrap_or_default();
    // No event announces that it has taken the lock.
    while !holder().contains(&format!("\"pid\":{},", run.pid())) {
        tokio::task::yield_now().await;
    }
    run.signal(Signal::STOP);
    shell.tell("COMMIT; SELECT 'unlocked';").await;
    assert_eq!(shell.line().await.as_deref(), Some("unlocked"));
    run
}

/// A write by each path, refused by a lock that `holder` holds.
async fn assert_writers_are_refused(world: &ProcessWorld, server: &Server, holder: &str) {
    let propose = async |id: &str| {
        let call = json!({"id": id, "name": "bash", "arguments": {"command": "ls"}});
        let request = server.request(Method::POST, "/v1/threads/t/tool-calls");
        let request = request.header("content-type", "application/json").body(call.to_string());
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status().as_u16(), 503);
        answer.json::<Value>().await.expect("problem details")
    };
    let person = world.person("ada").in_thread("t");
    let (first, second, command) = tokio::join!(propose("one"), propose("two"), person.allows("early"));
    for problem in [first, second] {
        assert_eq!(problem["reason"], "locked", "{problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(holder)), "{problem}");
    }
    assert_eq!(command.code, 5, "{}", command.stderr);
    assert!(command.stderr.contains(holder), "{}", command.stderr);
}

/// Each command and request that reads. None of them needs the lock.
async fn assert_readers_are_served(world: &ProcessWorld, server: &Server) {
    let backup = ["backup", "copy.db"];
    let commands: [&[&str]; 4] = [&["pending"], &["show", "early", "--thread", "t"], &["verify"], &backup];
    for command in commands {
        if command == backup && world.database() == Database::Postgres {
            continue;
        }
        let (code, output) = world.runs(command).await;
        assert_eq!(code, 0, "{command:?}: {output}");
    }
    for path in ["/v1/approvals/pending", "/v1/threads/t/tool-calls/early", "/v1/stats", "/healthz"] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    assert_eq!(server.get("/readyz").await.status, 503, "nothing can be written");
}

async fn assert_doctor_names(world: &ProcessWorld, holder: &str) {
    let (code, output) = world.runs(&["doctor"]).await;
    assert!(code != 0 && output.contains(holder), "{output}");
}

/// A server with a proposal that waits for the lock ends when it is told to.
async fn assert_server_ends(server: Server) {
    let call = json!({"id": "waiting", "name": "bash", "arguments": {"command": "ls"}}).to_string();
    let head = "POST /v1/threads/t/tool-calls HTTP/1.1\r\nContent-Type: application/json";
    let waiting = server.leave_waiting(head, &call).await;
    server.signal(Signal::TERM);
    let ended = server.ended().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    drop(waiting);
}

#[tokio::test]
async fn stopped_writer_holds_only_writers_up() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        server.agent("bot").proposes_unlike_others("early").await;
        let run = stop_writer(&world).await;
        let holder =
            format!("process {} (countersign-under-test run) has held the write lock for", run.pid());
        assert_writers_are_refused(&world, &server, &holder).await;
        assert_readers_are_served(&world, &server).await;
        assert_doctor_names(&world, &holder).await;
        let started_meanwhile = world.serves().await;
        assert_eq!(started_meanwhile.get("/v1/approvals/pending").await.status, 200);
        started_meanwhile.terminated().await;
        assert_server_ends(server).await;
        run.signal(Signal::CONT);
        let mut run = run;
        run.complains("is pending").await;
        assert_eq!(
            world.verified_log().await.len(),
            4,
            "both calls with their requests, and none of the others"
        );
    })
    .await;
}

#[tokio::test]
async fn transaction_of_another_program_holds_only_writers_up() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        server.agent("bot").proposes_unlike_others("early").await;
        let mut shell = hold_sqlite_lock(&world).await;
        let holder = format!("process {} (sqlite3) holds the write lock", shell.pid());
        assert_writers_are_refused(&world, &server, &holder).await;
        assert_readers_are_served(&world, &server).await;
        assert_doctor_names(&world, &holder).await;
        assert_server_ends(server).await;
        shell.tell(&format!("{DECISION} COMMIT; SELECT 'unlocked';")).await;
        assert_eq!(shell.line().await.as_deref(), Some("unlocked"));
        assert_eq!(world.verified_log().await.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn transaction_of_another_client_holds_only_writers_up() {
    in_time(async {
        let world = new_world(Database::Postgres).await;
        let server = world.serves().await;
        server.agent("bot").proposes_unlike_others("early").await;
        let mut shell = Process::start(world.program("psql").args(["-qAt", &world.url()]));
        shell.tell(&format!("BEGIN; {DECISION} SELECT pg_backend_pid();")).await;
        let pid = shell.line().await.expect("a process id");
        let holder = format!("process {pid} (psql) has held the write lock for");
        assert_writers_are_refused(&world, &server, &holder).await;
        assert_readers_are_served(&world, &server).await;
        assert_doctor_names(&world, &holder).await;
        assert_server_ends(server).await;
        shell.tell("COMMIT; SELECT 'unlocked';").await;
        assert_eq!(shell.line().await.as_deref(), Some("unlocked"));
        assert_eq!(world.verified_log().await.len(), 3);
    })
    .await;
}
